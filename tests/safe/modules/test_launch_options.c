/* SPDX-License-Identifier: MIT */
/* Launches that ask for more: what the driver gets, from a hook in front of it. */
#include "modules.h"

SUITE(launch_options);

static struct world w;
static cushim_driver watched;
static cushim_context context;
static cushim_stream stream;
static cushim_module module;
static cushim_function nothing;

/* What cuLaunchKernelEx() got last, as the driver lays it out. */
struct attribute {
    int id, pad;
    union {
        char bytes[64];
        int number;
        unsigned size[3];
        void *pointer;
        struct {
            void *base;
            size_t n;
            float ratio;
            int hit, miss;
        } window;
        struct {
            void *event;
            int flags, at_start;
        } event;
    } value;
};

struct launch {
    unsigned grid[3], block[3], shared;
    void *stream;
    struct attribute *attributes;
    unsigned n;
};

static struct attribute attributes[32];
static unsigned n_attributes;
static bool answer;
static unsigned grid_of_last;

static bool before(struct cushim_call *call, void *user)
{
    const bool asks = call->row == CUSHIM_ROW_cuOccupancyMaxActiveClusters ||
                      call->row == CUSHIM_ROW_cuOccupancyMaxPotentialClusterSize;
    const struct launch *launch;

    (void) user;
    if (call->row != CUSHIM_ROW_cuLaunchKernelEx && !asks)
        return false;
    launch = *(const struct launch *const *) call->args[asks ? 2 : 0];
    if (asks)
        **(int **) call->args[0] = 33;
    n_attributes = launch->n;
    grid_of_last = launch->grid[0];
    memcpy(attributes, launch->attributes, launch->n * sizeof(*attributes));
    for (unsigned i = 0; i < launch->n; i++)
        if (launch->attributes[i].id == 13)
            memcpy(launch->attributes[i].value.bytes + 8, &(void *){(void *) 0x77}, sizeof(void *));
    call->result = 0;
    return answer;
}

static const char ptx[] = ".version 7.8\n.target sm_90\n.address_size 64\n"
                          ".visible .entry nothing() { ret; }\n";

static void begin(void)
{
    const struct cushim_hooks hooks = {.before = before};

    open_world(&w);
    if (compute_capability(&w) < 90)
        cr_skip("the device is older than compute capability 9.0");
    answer = true;
    assert_ok(cushim_interpose(w.driver, &hooks, 1, &watched));
    assert_ok(cushim_context_primary(watched, 0, &context));
    assert_ok(cushim_stream_new(context, NULL, &stream));
    assert_ok(cushim_module_load_text(context, ptx, NULL, &module));
    assert_ok(cushim_module_function(module, "nothing", &nothing));
}

static void finish(void)
{
    cushim_stream_free(&stream);
    cushim_module_free(&module);
    cushim_context_free(&context);
    cushim_close(&watched);
    close_world(&w);
}

static cushim_status launch(const struct cushim_launch_options *options)
{
    return cushim_launch(stream, nothing,
                         cushim_launch_config(.grid = {8, 2}, .block = {32}, .options = options));
}

#define LAUNCH(...) launch(cushim_launch_options(__VA_ARGS__))

static const struct attribute *find(int id)
{
    for (unsigned i = 0; i < n_attributes; i++)
        if (attributes[i].id == id)
            return &attributes[i];
    cr_fatal("no attribute %d among %u", id, n_attributes);
    return NULL;
}

#define CHECK_NUMBER(id_, wanted, ...)                                                             \
    do {                                                                                           \
        assert_ok(LAUNCH(__VA_ARGS__));                                                            \
        cr_assert(eq(int, find(id_)->value.number, wanted));                                       \
    } while (0)

Test(launch_options, numbers, .init = begin)
{
    CHECK_NUMBER(5, 2, .cluster_scheduling = CUSHIM_CLUSTER_LOAD_BALANCING);
    CHECK_NUMBER(6, 1, .programmatic_serialization = true);
    CHECK_NUMBER(8, 0, .priority = &(const int){0});
    CHECK_NUMBER(8, -3, .priority = &(const int){-3});
    CHECK_NUMBER(10, 0, .sync_domain = CUSHIM_SYNC_DOMAIN_DEFAULT);
    CHECK_NUMBER(10, 1, .sync_domain = CUSHIM_SYNC_DOMAIN_REMOTE);
    CHECK_NUMBER(14, 50, .shared_carveout = &(const int){50});
    CHECK_NUMBER(16, 1, .nvlink_centric = true);
    CHECK_NUMBER(2, 1, .cooperative = true, .priority = &(const int){0});
    cr_assert(eq(uint, n_attributes, 2));
    finish();
}

Test(launch_options, dimensions_and_maps, .init = begin)
{
    const struct cushim_sync_domain_map map = {1, 2};

    assert_ok(LAUNCH(.cluster = {4, 2}, .preferred_cluster = {8, 2}, .sync_domain_map = &map));
    cr_assert(eq(uint, find(4)->value.size[0], 4));
    cr_assert(eq(uint, find(4)->value.size[1], 2));
    cr_assert(eq(uint, find(4)->value.size[2], 1));
    cr_assert(eq(uint, find(11)->value.size[0], 8));
    cr_assert(eq(int, find(9)->value.bytes[0], 1));
    cr_assert(eq(int, find(9)->value.bytes[1], 2));
    finish();
}

Test(launch_options, events, .init = begin)
{
    cushim_event a = CUSHIM_NONE, b = CUSHIM_NONE;
    struct cushim_launch_event first, second;
    void *raw_a = NULL, *raw_b = NULL;

    assert_ok(cushim_event_new(context, 0, &a));
    assert_ok(cushim_event_new(context, 0, &b));
    assert_ok(cushim_event_raw(a, &raw_a));
    assert_ok(cushim_event_raw(b, &raw_b));
    first = (struct cushim_launch_event){.event = a, .flags = 0, .at_block_start = true};
    second = (struct cushim_launch_event){.event = b};
    assert_ok(LAUNCH(.programmatic_event = &first, .completion_event = &second));
    cr_assert(eq(ptr, find(7)->value.event.event, raw_a));
    cr_assert(eq(int, find(7)->value.event.at_start, 1));
    cr_assert(eq(ptr, find(12)->value.event.event, raw_b));
    cushim_event_free(&a);
    assert_refused(LAUNCH(.programmatic_event = &first), CUSHIM_ERROR_STALE_HANDLE, "event");
    second.flags = 1;
    assert_refused(LAUNCH(.completion_event = &second), CUSHIM_ERROR_INVALID_ARGUMENT,
                   ".completion_event has flags 1, they must be 0");
    cushim_event_free(&b);
    finish();
}

Test(launch_options, windows, .init = begin)
{
    cushim_slice slice = CUSHIM_NONE;
    struct cushim_access_window window = {
        .hit_ratio = 0.5f, .hit = CUSHIM_ACCESS_PERSISTING, .miss = CUSHIM_ACCESS_STREAMING};
    uint64_t address = 0;

    assert_ok(cushim_slice_zeros(stream, 4, 100, &slice));
    assert_ok(cushim_slice_use(stream, slice, false, &address));
    assert_ok(cushim_view_part(CUSHIM_VIEW(slice), 10, 20, &window.view));
    assert_ok(LAUNCH(.access_window = &window));
    cr_assert(eq(u64, (uintptr_t) find(1)->value.window.base, address + 40));
    cr_assert(eq(sz, find(1)->value.window.n, 80));
    cr_assert(eq(flt, find(1)->value.window.ratio, 0.5f));
    cr_assert(eq(int, find(1)->value.window.hit, 2));
    cr_assert(eq(int, find(1)->value.window.miss, 1));
    cushim_slice_free(&slice);
    assert_refused(LAUNCH(.access_window = &window), CUSHIM_ERROR_STALE_HANDLE, "slice");
    finish();
}

Test(launch_options, a_node_comes_back, .init = begin)
{
    void *node = NULL;

    assert_ok(LAUNCH(.ret_device_node = &node));
    cr_assert(eq(int, find(13)->value.number, 1));
    cr_assert(eq(ptr, node, (void *) 0x77));
    finish();
}

Test(launch_options, others_by_number, .init = begin)
{
    const int value = 9;
    struct cushim_launch_attribute many[33];
    const struct cushim_launch_attribute others[] = {{99, &value, sizeof(value)}},
                                         large[] = {{99, &value, 65}}, none[] = {{99, NULL, 4}};

    assert_ok(LAUNCH(.attributes = others, .n_attributes = 1));
    cr_assert(eq(int, find(99)->value.number, 9));
    assert_refused(LAUNCH(.attributes = large, .n_attributes = 1), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "nothing: attribute 99 has 65 bytes, a value has up to 64");
    assert_refused(LAUNCH(.attributes = none, .n_attributes = 1), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "nothing: the value of attribute 99 is NULL");
    for (int i = 0; i < 33; i++)
        many[i] = others[0];
    assert_ok(LAUNCH(.attributes = many, .n_attributes = 32));
    assert_refused(LAUNCH(.attributes = many, .n_attributes = 33), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "nothing: attribute 99 is one too many, a launch has up to 32");
    finish();
}

#define assert_wrong(part, ...)                                                                    \
    assert_refused(LAUNCH(__VA_ARGS__), CUSHIM_ERROR_INVALID_ARGUMENT, "nothing: " part)

/* The driver would answer a number. It is not called. */
Test(launch_options, wrong_values_are_named, .init = begin)
{
    struct cushim_access_window window = {.hit_ratio = 1.5f};
    cushim_slice slice = CUSHIM_NONE;

    assert_ok(cushim_slice_zeros(stream, 4, 100, &slice));
    window.view = CUSHIM_VIEW(slice);
    forget_calls(&w);
    assert_wrong(".attributes is NULL, and .n_attributes is 1", .n_attributes = 1);
    assert_wrong(".cluster is 0 x 2 x 1, x must not be 0", .cluster = {0, 2, 1});
    assert_wrong(".cluster is 3 x 1 x 1, a grid of 8 x 2 x 1 is no multiple", .cluster = {3});
    assert_wrong(".cluster is 2 x 4 x 1, a grid of 8 x 2 x 1", .cluster = {2, 4});
    assert_wrong(".preferred_cluster is 0 x 0 x 1", .preferred_cluster = {0, 0, 1});
    assert_wrong(".cluster is 4 x 1 x 1, a .preferred_cluster of 6 x 1 x 1 is no multiple",
                 .cluster = {4}, .preferred_cluster = {6});
    assert_wrong(".preferred_cluster without .cluster", .preferred_cluster = {6});
    assert_wrong(".completion_event has at_block_start",
                 .completion_event = &(struct cushim_launch_event){.at_block_start = true});
    assert_wrong(".cluster_scheduling is 3, it must be from 0 to 2", .cluster_scheduling = 3);
    assert_wrong(".sync_domain is 77, it must be from 0 to 2", .sync_domain = 77);
    assert_wrong(".shared_carveout is 101, it must be from -1", .shared_carveout = &(int){101});
    assert_wrong(".shared_carveout is -2,", .shared_carveout = &(int){-2});
    assert_wrong(".access_window has a hit_ratio of 1.5, it must be from 0 to 1",
                 .access_window = &window);
    window.hit_ratio = -1;
    assert_wrong(".access_window has a hit_ratio of -1", .access_window = &window);
    window.hit_ratio = __builtin_nanf("");
    assert_wrong(".access_window has a hit_ratio of", .access_window = &window);
    window = (struct cushim_access_window){window.view, 1, .miss = CUSHIM_ACCESS_PERSISTING};
    assert_wrong(".access_window->miss is 2, it must be from 0 to 1", .access_window = &window);
    cr_expect(eq(u64, count_all(&w), count(&w, "cuCtxSetCurrent")));
    window.miss = CUSHIM_ACCESS_NORMAL;
    assert_ok(LAUNCH(.access_window = &window, .shared_carveout = &(int){-1}, .cluster = {8, 2}));
    cushim_slice_free(&slice);
    finish();
}

Test(launch_options, the_extended_call_is_for_attributes_alone, .init = begin)
{
    forget_calls(&w);
    assert_ok(launch(NULL));
    assert_ok(LAUNCH(.cooperative = false));
    cr_assert(eq(u64, count(&w, "cuLaunchKernel"), 2));
    assert_ok(LAUNCH(.cooperative = true));
    cr_assert(eq(u64, count(&w, "cuLaunchCooperativeKernel"), 1));
    answer = false;
    assert_ok(LAUNCH(.cluster = {2}));
    cr_assert(eq(u64, count(&w, "cuLaunchKernelEx"), 1));
    finish();
}

Test(launch_options, times, .init = begin)
{
    cushim_event start = CUSHIM_NONE, end = CUSHIM_NONE;
    float ms = -1;

    assert_ok(LAUNCH(.ret_start = &start, .ret_end = &end));
    assert_ok(cushim_event_synchronize(end));
    assert_ok(cushim_event_elapsed(start, end, &ms));
    cr_assert(ge(flt, ms, 0));
    cushim_event_free(&start);
    cushim_event_free(&end);
    assert_refused(LAUNCH(.ret_start = &start), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "only one of ret_start and ret_end");
    inject(&w, "cuLaunchKernel nth=1 result=719");
    assert_status(LAUNCH(.ret_start = &start, .ret_end = &end), 719);
    cr_assert(eq(u64, start.id, 0));
    cr_assert(eq(u64, count(&w, "cuEventDestroy_v2"), 4));
    finish();
}

static char leaks[1000];

static void keep(enum cushim_log_level level, const char *message, void *user)
{
    (void) level, (void) user;
    snprintf(leaks + strlen(leaks), sizeof(leaks) - strlen(leaks), "%s\n", message);
}

/* A location that another call has left is not theirs. */
Test(launch_options, events_of_times_that_are_not_freed, .init = begin)
{
    cushim_event start = CUSHIM_NONE, end = CUSHIM_NONE;

    cushim_source_location("wrong.c:1");
    assert_ok(LAUNCH(.ret_start = &start, .ret_end = &end));
    cushim_stream_free(&stream);
    cushim_module_free(&module);
    cushim_context_free(&context);
    cushim_log_set(CUSHIM_LOG_WARNING, keep, NULL);
    cushim_close(&watched);
    cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
    cr_assert(eq(str, (char *) leaks,
                 (char *) "not freed before its driver was closed: event, made by cushim_launch of "
                          "nothing\n"
                          "not freed before its driver was closed: event, made by cushim_launch of "
                          "nothing\n"));
    cushim_event_free(&start);
    cushim_event_free(&end);
    close_world(&w);
}

Test(launch_options, clusters_that_fit, .init = begin)
{
    unsigned clusters = 0, blocks = 0;
    const struct cushim_launch_config config =
        cushim_launch_config(.grid = {8}, .block = {32},
                             .options = cushim_launch_options(.cluster = {4}));

    assert_ok(cushim_function_max_active_clusters(nothing, stream, &config, &clusters));
    cr_assert(eq(uint, clusters, 33));
    cr_assert(eq(uint, find(4)->value.size[0], 4));
    n_attributes = 0;
    assert_ok(cushim_function_max_cluster_blocks(nothing, stream, &config, &blocks));
    cr_assert(eq(uint, blocks, 33));
    cr_assert(eq(uint, n_attributes, 1));
    finish();
}

/* The blocks in x of the last launch, whose shape the driver got. */
static unsigned blocks_of_elements(cushim_function f, size_t n, unsigned cluster)
{
    struct cushim_launch_config config = cushim_for_elements(n);

    grid_of_last = 0;
    config.options = cushim_launch_options(.cluster = {cluster});
    assert_ok(cushim_launch(stream, f, config));
    return grid_of_last;
}

/* The kernel that was compiled for clusters gets whole ones, too. */
Test(launch_options, elements_take_whole_clusters, .init = begin)
{
    static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                               ".visible .entry k() .reqnctapercluster 4 { ret; }\n";
    cushim_module m = CUSHIM_NONE;
    cushim_function f;

    assert_ok(cushim_module_load_text(context, text, NULL, &m));
    assert_ok(cushim_module_function(m, "k", &f));
    cr_assert(eq(uint, blocks_of_elements(nothing, 1, 4), 4));
    cr_assert(eq(uint, blocks_of_elements(nothing, 256 * 4, 4), 4));
    cr_assert(eq(uint, blocks_of_elements(nothing, 256 * 4 + 1, 4), 8));
    cr_assert(eq(uint, blocks_of_elements(nothing, 256 * 4 + 1, 3), 6));
    assert_ok(cushim_launch(stream, f, cushim_for_elements(0)));
    assert_ok(cushim_launch(stream, f, cushim_for_elements(1)));
    assert_ok(cushim_launch(stream, f, cushim_for_elements(256 * 5)));
    assert_ok(cushim_stream_synchronize(stream));
    assert_refused(
        cushim_launch(stream, nothing,
                      cushim_launch_config(.elements = 1,
                                           .options = cushim_launch_options(.cluster = {1, 2}))),
        CUSHIM_ERROR_INVALID_ARGUMENT, ".cluster is 1 x 2 x 1, a grid of 1 x 1 x 1");
    assert_refused(
        cushim_launch(stream, nothing,
                      cushim_launch_config(.elements = ((size_t) 0x7fffffff) * 256,
                                           .options = cushim_launch_options(.cluster = {2}))),
        CUSHIM_ERROR_INVALID_ARGUMENT, "elements take 2147483648 blocks");
    /* What not every device has is asked for beforehand. */
    answer = false;
    assert_refused(
        cushim_launch(stream, nothing,
                      cushim_launch_config(.grid = {16}, .block = {32},
                                           .options = cushim_launch_options(.cluster = {16}))),
        912, "; a grid is made of whole clusters, and clusters of more than 8 blocks");
    assert_ok(
        cushim_function_set_attribute(nothing, CUSHIM_FUNCTION_NON_PORTABLE_CLUSTER_ALLOWED, 1));
    assert_ok(
        cushim_launch(stream, nothing,
                      cushim_launch_config(.grid = {16}, .block = {32},
                                           .options = cushim_launch_options(.cluster = {16}))));
    assert_ok(cushim_stream_synchronize(stream));
    cushim_module_free(&m);
    finish();
}

static bool refuse_launch(struct cushim_call *call, void *user)
{
    (void) user;
    call->result = 1;
    return call->row == CUSHIM_ROW_cuLaunchKernelEx;
}

/* The driver answers only a number for an attribute that it does not know. */
Test(launch_options, attributes_that_came_later_name_their_version)
{
    const struct cushim_hooks refusing = {.before = refuse_launch};
    cushim_module m = CUSHIM_NONE;
    cushim_function f;
    cushim_stream s = CUSHIM_NONE;

    open_old_world(&w, "12.2");
    assert_ok(cushim_interpose(w.driver, &refusing, 1, &watched));
    assert_ok(cushim_context_primary(watched, 0, &context));
    assert_ok(cushim_stream_new(context, NULL, &s));
    assert_ok(cushim_module_load_text(context, ptx, NULL, &m));
    assert_ok(cushim_module_function(m, "nothing", &f));
    assert_refused(
        cushim_launch(
            s, f,
            cushim_launch_config(.grid = {8}, .block = {32},
                                 .options = cushim_launch_options(.shared_carveout =
                                                                      &(const int){500 / 10},
                                                                  .priority = &(const int){0},
                                                                  .nvlink_centric = true))),
        1,
        "; .shared_carveout needs CUDA 12.5, this CUDA driver is 12.2; .nvlink_centric needs CUDA "
        "13.0, this CUDA driver is 12.2");
    cushim_module_free(&m);
    cushim_stream_free(&s);
    cushim_context_free(&context);
    cushim_close(&watched);
    close_world(&w);
}

Test(launch_options, an_old_driver_says_so)
{
    cushim_module m = CUSHIM_NONE;
    cushim_function f;
    cushim_stream s = CUSHIM_NONE;

    open_old_world(&w, "11.4");
    assert_ok(cushim_stream_new(w.context, NULL, &s));
    assert_ok(cushim_module_load_text(w.context,
                                      ".version 7.0\n.target sm_70\n.address_size 64\n"
                                      ".visible .entry nothing() { ret; }\n",
                                      NULL, &m));
    assert_ok(cushim_module_function(m, "nothing", &f));
    assert_refused(
        cushim_launch(
            s, f,
            cushim_launch_config(.grid = {8}, .block = {32},
                                 .options = cushim_launch_options(.priority = &(const int){0}))),
        302, "cuLaunchKernelEx needs CUDA 11.6");
    cushim_module_free(&m);
    cushim_stream_free(&s);
    close_world(&w);
}
