/* SPDX-License-Identifier: MIT */
#include "async.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/util.h"

#define OF(type, objects, kind) ((type){(objects)->id[CUSHIM__HANDLE_##kind]})

static const float factor = 2;
static const uint64_t n_elements = ELEMENTS;

void world_called(void *user)
{
    ((struct world *) user)->called++;
}

void world_released(void *user)
{
    ((struct world *) user)->released++;
}

/* Makes what is not there yet, in the order of the kinds: an object needs those before it only. */
static void make_all(struct objects *objects)
{
    for (unsigned kind = 1; kind < CUSHIM__HANDLE_KINDS; kind++)
        if (!objects->id[kind])
            objects->id[kind] = world_make(objects, kind);
}

static void free_all(struct objects *objects)
{
    for (unsigned kind = CUSHIM__HANDLE_KINDS; kind-- > 1;)
        world_free(&objects->id[kind]);
}

/* What functions make at their first call and what then stays, so that it is there before. */
static void make_lasting(const struct objects *objects)
{
    cushim_stream stream;
    cushim_slice variable;

    MUST(cushim_stream_default(OF(cushim_context, objects, CONTEXT), &stream));
    MUST(cushim_module_global(OF(cushim_module, objects, MODULE), "table", &variable));
}

static void make_objects(struct world *w)
{
    w->own.id[CUSHIM__HANDLE_DRIVER] = world_open_driver().id;
    MUST(cushim_context_primary(OF(cushim_driver, &w->own, DRIVER), 0,
                                (cushim_context *) &w->own.id[CUSHIM__HANDLE_CONTEXT]));
    MUST(cushim_handle_retain(w->own.id[CUSHIM__HANDLE_DRIVER],
                              &w->other.id[CUSHIM__HANDLE_DRIVER]));
    make_all(&w->own);
    make_all(&w->other);
    make_all(&w->foreign);
    make_lasting(&w->own);
    make_lasting(&w->other);
    make_lasting(&w->foreign);
}

/* Handles of objects that are gone. The slots of some are used again by what is made later. */
static void make_freed(struct world *w)
{
    struct objects objects = {{0}};

    make_all(&objects);
    w->freed = objects;
    free_all(&objects);
}

/* --- good values --- */

/* A file of no folder, with a path. */
static void make_file(const char *text, char *path, size_t bytes)
{
    const int file = memfd_create("text", 0);

    if (file < 0 || write(file, text, strlen(text)) != (ssize_t) strlen(text)) {
        perror("memfd_create");
        exit(1);
    }
    snprintf(path, bytes, "/proc/self/fd/%d", file);
}

static void make_memory(struct world *w)
{
    const cushim_stream stream = OF(cushim_stream, &w->own, STREAM);

    MUST(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), ELEMENTS, &w->second));
    MUST(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), ELEMENTS, &w->address_owner));
    MUST(cushim_slice_use(stream, w->address_owner, false, &w->address));
    MUST(cushim_slice_used(stream, w->address_owner, false));
    MUST(cushim_view_whole(w->own.id[CUSHIM__HANDLE_SLICE], &w->view));
    MUST(cushim_view_whole(w->second.id, &w->other_view));
    MUST(cushim_slice_zeros(stream, CUSHIM_ELEMENT(unsigned), 1, &w->condition));
    MUST(cushim_view_whole(w->condition.id, &w->condition_view));
    MUST(cushim_view_whole(w->own.id[CUSHIM__HANDLE_UNIFIED], &w->unified_view));
    w->field = cushim_field_2d(w->view, 0, ELEMENTS / 8, ELEMENTS / 8);
    w->other_field = cushim_field_2d(w->other_view, 0, ELEMENTS / 8, ELEMENTS / 8);
    w->arguments[0] = CUSHIM_VALUE(factor);
    w->arguments[0].value = &factor;
    w->arguments[1] = CUSHIM_IN(w->view);
    w->arguments[2] = CUSHIM_INOUT(w->other_view);
    w->arguments[3] = CUSHIM_VALUE(n_elements);
    w->arguments[3].value = &n_elements;
}

static void make_shared(struct world *w)
{
    const cushim_context context = OF(cushim_context, &w->own, CONTEXT);

    MUST(cushim_event_new(context, CUSHIM_EVENT_INTERPROCESS, &w->shared_event));
    MUST(cushim_event_share(w->shared_event, &w->name_of_event));
    MUST(cushim_slice_alloc_shared(OF(cushim_stream, &w->own, STREAM), CUSHIM_ELEMENT(float),
                                   ELEMENTS, &w->shared_slice));
    MUST(cushim_slice_share(w->shared_slice, &w->name_of_slice));
    MUST(cushim_pool_new(context, cushim_pool_params(.shared = true), &w->shared_pool));
    MUST(cushim_pool_share(w->shared_pool, &w->pool_fd));
}

static bool no_hook(struct cushim_call *call, void *user)
{
    (void) call, (void) user;
    return false;
}

/* The macros make the structures in a block, so they are copied. */
/* Of the parameters of saxpy(): not known. */
static const size_t no_elements[4];

static void make_params(struct world *w)
{
    static const char *const expressions[] = {"scale<float>", NULL};
    static const struct cushim_header headers[] = {{"a.h", ""}, {NULL, NULL}};

    w->open_params = *cushim_open_params(.library = MOCK);
    w->nvrtc_params = *cushim_open_params(.resolver = world_nvrtc);
    w->nvjitlink_params = *cushim_open_params(.resolver = world_nvjitlink);
    w->lto_params =
        *cushim_lto_params(.nvjitlink = OF(cushim_nvjitlink, &w->own, NVJITLINK), .arch = "90");
    w->trace_params = *cushim_trace_params(.max_calls = 16);
    w->faults_params = *cushim_faults_params(.seed = 7);
    w->fault = *cushim_fault(.nth = 1, .result = 2);
    w->stream_params = *cushim_stream_params(.priority = -1);
    w->cache_counts.size = sizeof(w->cache_counts);
    w->cache_state.size = sizeof(w->cache_state);
    w->graph_stats.size = sizeof(w->graph_stats);
    w->node_info.size = sizeof(w->node_info);
    MUST(cushim_graph_node(OF(cushim_graph, &w->own, GRAPH), 0, &w->node));
    w->capture_params = *cushim_capture_params(.order = CUSHIM_CAPTURE_ORDER_AS_RECORDED);
    w->compile_params = *cushim_compile_params(.nvrtc = OF(cushim_nvrtc, &w->own, NVRTC),
                                               .name_expressions = expressions, .headers = headers);
    w->module_params = *cushim_module_params(.label = "module");
    w->block_size_params = *cushim_block_size_params(.max_block_threads = 64);
    w->access_window = (struct cushim_access_window){.view = w->view, .hit_ratio = 1};
    w->launch_event = (struct cushim_launch_event){.event = w->plain_event};
    w->launch_options = *cushim_launch_options(.priority = NULL);
    w->launch_config = cushim_launch_config(.grid = {1}, .block = {ELEMENTS});
    w->cluster_options = *cushim_launch_options(.cluster = {1, 1, 1});
    w->cluster_config =
        cushim_launch_config(.grid = {1}, .block = {ELEMENTS}, .options = &w->cluster_options);
    w->link_inputs[0] = (struct cushim_link_input){
        .kind = CUSHIM_LINK_PTX, .data = world_ptx, .bytes = strlen(world_ptx)};
    w->embedded = (struct cushim_embedded){.size = sizeof(w->embedded),
                                           .name = "embedded",
                                           .data = world_ptx,
                                           .bytes = strlen(world_ptx)};
    w->embedded_kernel = (struct cushim_embedded_kernel){.size = sizeof(w->embedded_kernel),
                                                         .code = &w->embedded,
                                                         .name = "saxpy",
                                                         .elements = no_elements,
                                                         .parameters = 4};
    w->pool_params = *cushim_pool_params(.label = "pool");
    w->arena_params = *cushim_arena_params(.limit = 1 << 20, .label = "arena");
    w->memory_params = *cushim_external_memory_params(.type = CUSHIM_EXTERNAL_MEMORY_OPAQUE_FD,
                                                      .fd = 3, .bytes = 4096);
    w->semaphore_params =
        *cushim_external_semaphore_params(.type = CUSHIM_EXTERNAL_SEMAPHORE_OPAQUE_FD, .fd = 3);
    w->hooks = (struct cushim_hooks){.before = no_hook, .user = w};
    w->policy_params = *cushim_policy_params(.label = "policy");
    w->tiling = *cushim_tiling(.shape = {ELEMENTS}, .tile = {8});
}

#define GOOD(name, type, class, number, good_value)                                                \
    {                                                                                              \
        type good = good_value;                                                                    \
        w->good[KIND_##name].name = good;                                                          \
    }

static void fill_good(struct world *w)
{
    memset(w->good, 0, sizeof(w->good));
    ARGUMENT_KINDS(GOOD)
}

void world_begin(struct world *w)
{
    w->mock_config = *cushim_mock_config(.devices = "h200,h200,h200");
    fill_good(w);
}

void world_open(struct world *w)
{
    cushim_context context;
    cushim_function function;

    MUST(cushim_mock_configure(&w->mock_config));
    cushim_log_set(CUSHIM_LOG_DEBUG, world_log, w);
    make_objects(w);
    make_freed(w);
    context = OF(cushim_context, &w->own, CONTEXT);
    MUST(cushim_event_new(context, 0, &w->plain_event));
    MUST(cushim_module_load_text(context, world_ptx, cushim_module_params(.name = "registered"),
                                 &w->registered));
    MUST(cushim_function_find(context, "registered", "saxpy", &function));
    MUST(cushim_context_raw(context, &w->cu_context));
    MUST(cushim_stream_raw(OF(cushim_stream, &w->own, STREAM), &w->cu_stream));
    MUST(cushim_device_pci_id(OF(cushim_driver, &w->own, DRIVER), 0, w->pci_id, sizeof(w->pci_id)));
    make_file("cuMemAlloc nth=1 result=2", w->rules_path, sizeof(w->rules_path));
    make_file(world_ptx, w->ptx_path, sizeof(w->ptx_path));
    make_memory(w);
    make_shared(w);
    make_params(w);
    fill_good(w);
    async_begin(w);
}

/* --- whether all is well --- */

static void count_handle(const struct cushim__open_handle *handle, void *user)
{
    (void) handle;
    ++*(size_t *) user;
}

size_t world_handles(void)
{
    size_t n = 0;

    cushim__handle_each(count_handle, &n);
    return n;
}

static cushim_status saxpy(const struct world *w, float *ret_y)
{
    const cushim_stream stream = OF(cushim_stream, &w->own, STREAM);
    CUSHIM_SCOPED(cushim_slice) x = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) y = CUSHIM_NONE;
    float host[ELEMENTS];

    for (int i = 0; i < ELEMENTS; i++)
        host[i] = (float) i;
    CUSHIM_TRY(cushim_context_check(OF(cushim_context, &w->own, CONTEXT)));
    CUSHIM_TRY(cushim_slice_from(stream, host, ELEMENTS, &x));
    CUSHIM_TRY(cushim_slice_from(stream, host, ELEMENTS, &y));
    CUSHIM_TRY(cushim_launch(stream, OF(cushim_function, &w->own, FUNCTION),
                             cushim_for_elements(ELEMENTS), CUSHIM_VALUE(factor), CUSHIM_IN(x),
                             CUSHIM_INOUT(y), CUSHIM_VALUE(n_elements)));
    return cushim_slice_read(stream, y, ret_y, ELEMENTS);
}

bool world_works(const struct world *w, const char **ret_why)
{
    float y[ELEMENTS];
    const cushim_status status = saxpy(w, y);

    *ret_why = status ? cushim_error_text() : "its values are wrong";
    for (int i = 0; i < ELEMENTS && !status; i++)
        if (y[i] != factor * (float) i + (float) i)
            return false;
    return !status;
}

void world_close(struct world *w)
{
    const struct cushim_mock_finding *findings = NULL;
    const cushim_context context = OF(cushim_context, &w->own, CONTEXT);
    size_t n;

    async_end(w);
    MUST(cushim_module_unregister(context, "registered"));
    cushim_module_free(&w->registered);
    cushim_event_free(&w->plain_event);
    cushim_event_free(&w->shared_event);
    cushim_slice_free(&w->second);
    cushim_slice_free(&w->condition);
    cushim_slice_free(&w->shared_slice);
    cushim_pool_free(&w->shared_pool);
    close(w->pool_fd);
    cushim_slice_free(&w->address_owner);
    free_all(&w->foreign);
    free_all(&w->other);
    free_all(&w->own);
    cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
    cushim_mock_leaks();
    n = cushim_mock_findings(&findings);
    for (size_t i = 0; i < n; i++)
        world_fail("at the end: %s", findings[i].text);
    if (world_handles())
        world_fail("at the end %zu handles are open", world_handles());
}
