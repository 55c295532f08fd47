/* SPDX-License-Identifier: MIT */
/*
 * S12, and every place at once: programs are run again and again, and each time the next driver
 * call fails. Whatever it was, the program ends with that status, and afterwards nothing is left:
 * neither objects of the driver nor a claim of the mock's that something was used out of order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_VALGRIND
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

#include <cushim/cushim.h>
#include <cushim/mock.h>

enum { N = 64 };

/* How often a context was entered since the program's last step: the first time for the step. */
static int entries;

#define STEP(call)                                                                                 \
    do {                                                                                           \
        cushim_status step;                                                                        \
                                                                                                   \
        entries = 0;                                                                               \
        step = (call);                                                                             \
        entries = 1; /* what comes now is freed at the end of the block */                         \
        CUSHIM_TRY(step);                                                                          \
    } while (0)

static cushim_status work(cushim_driver driver)
{
    CUSHIM_SCOPED(cushim_context) one = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) two = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) a = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) b = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) far = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_event) event = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) x = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) y = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) z = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_pinned) pinned = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_unified) unified = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) recorder = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_graph) graph = CUSHIM_NONE;
    int values[N] = {1, 2, 3};
    const void *pointer;

    STEP(cushim_context_primary(driver, 0, &one));
    STEP(cushim_context_create(driver, 1, 0, &two));
    STEP(cushim_stream_new(one, cushim_stream_params(.label = "a"), &a));
    STEP(cushim_stream_fork(a, &b));
    STEP(cushim_stream_new(two, NULL, &far));
    STEP(cushim_event_new(one, 0, &event));
    STEP(cushim_slice_from(a, values, N, &x));
    STEP(cushim_slice_zeros(b, 4, N, &y));
    STEP(cushim_slice_alloc(far, 4, N, &z));
    STEP(cushim_slice_copy(b, y, x));
    STEP(cushim_slice_fill(a, x, 4));
    STEP(cushim_slice_copy(far, z, y));
    STEP(cushim_slice_fill(a, y, 4));
    STEP(cushim_event_record(event, a));
    STEP(cushim_stream_wait(far, event));
    STEP(cushim_pinned_alloc(one, 4, N, 0, &pinned));
    STEP(cushim_slice_copy(b, pinned, x));
    STEP(cushim_pinned_read(pinned, &pointer));
    STEP(cushim_unified_alloc(one, 4, N, CUSHIM_ATTACH_GLOBAL, &unified));
    STEP(cushim_slice_copy(a, unified, x));
    STEP(cushim_slice_copy(b, unified, y));
    STEP(cushim_unified_read(unified, &pointer));
    STEP(cushim_slice_read(far, z, values, N));
    STEP(cushim_capture_begin(one, &recorder));
    STEP(cushim_slice_fill(recorder, x, 5));
    STEP(cushim_slice_copy(recorder, y, x));
    STEP(cushim_capture_end(&recorder, &graph));
    STEP(cushim_graph_launch(graph, a));
    STEP(cushim_graph_launch(graph, b));
    cushim_slice_free(&x);
    STEP(cushim_graph_launch(graph, a));
    STEP(cushim_context_synchronize(one));
    return CUSHIM_OK;
}

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .align 4 .b8 table[64];\n"
    ".visible .entry store(.param .u64 p, .param .u32 n) {\n.reg .u64 %p; .reg .u32 %n;\n"
    "ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; st.global.u32 [%p], %n; ret; }\n";

static void count_calls(void *user)
{
    ++*(int *) user;
}

/* Copies that do not wait, host functions, and queries. */
static cushim_status wait_for_little(cushim_driver driver)
{
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) a = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) b = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_event) first = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_event) second = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) x = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) clone = CUSHIM_NONE;
    struct cushim_access_window window = {.hit_ratio = 1};
    static int values[N], calls;
    unsigned flags;
    float ms;

    STEP(cushim_context_primary(driver, 0, &context));
    STEP(cushim_context_flags(context, &flags));
    STEP(cushim_stream_new(context, NULL, &a));
    STEP(cushim_stream_new(context, NULL, &b));
    STEP(cushim_event_new(context, CUSHIM_EVENT_TIMING, &first));
    STEP(cushim_event_new(context, CUSHIM_EVENT_TIMING, &second));
    STEP(cushim_event_record(first, a));
    STEP(cushim_slice_alloc(a, 4, N, &x));
    STEP(cushim_slice_write_async(a, x, values, N));
    STEP(cushim_slice_clone(b, x, &clone));
    STEP(cushim_slice_read_async(b, clone, values, N));
    STEP(cushim_stream_host_function(b, count_calls, &calls, NULL));
    STEP(cushim_stream_join(a, b));
    STEP(cushim_event_record(second, a));
    STEP(cushim_event_synchronize(second));
    STEP(cushim_event_elapsed(first, second, &ms));
    STEP(cushim_stream_synchronize(b));
    STEP(cushim_stream_query(b));
    STEP(cushim_stream_set_wait_policy(a, CUSHIM_WAIT_SPIN));
    STEP(cushim_stream_set_priority(a, -1));
    STEP(cushim_stream_set_sync_domain_map(a, 0, 1));
    window.view = CUSHIM_VIEW(x);
    STEP(cushim_stream_set_access_window(a, &window));
    STEP(cushim_stream_copy_attributes(b, a));
    STEP(cushim_slice_reclaim(a, &clone, values, N));
    STEP(cushim_event_query(first));
    return CUSHIM_OK;
}

static cushim_status launch_all(cushim_stream stream, cushim_function store, cushim_slice x)
{
    CUSHIM_SCOPED(cushim_launcher) launcher = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_event) start = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_event) end = CUSHIM_NONE;
    struct cushim_launch_config config = cushim_for_elements(1);

    STEP(cushim_launch(stream, store, config, CUSHIM_OUT(x), CUSHIM_VALUE(1u)));
    config.options = cushim_launch_options(.ret_start = &start, .ret_end = &end);
    STEP(cushim_launch(stream, store, config, CUSHIM_OUT(x), CUSHIM_VALUE(2u)));
    STEP(cushim_launcher_create(store, &launcher));
    STEP(cushim_launcher_push(launcher, CUSHIM_OUT(x), CUSHIM_VALUE(3u)));
    STEP(cushim_launcher_launch(launcher, stream, cushim_for_elements(1)));
    return CUSHIM_OK;
}

/* Modules, libraries, the linker and launches. */
static cushim_status run_code(cushim_driver driver)
{
    const struct cushim_link_input input = {
        .kind = CUSHIM_LINK_PTX, .data = ptx, .bytes = sizeof(ptx) - 1, .name = "ptx"};
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) stream = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_module) linked = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_image) image = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_code_library) library = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) x = CUSHIM_NONE;
    cushim_function store;
    cushim_kernel kernel;
    cushim_slice table;
    unsigned blocks, threads;
    int value;

    STEP(cushim_context_primary(driver, 0, &context));
    STEP(cushim_stream_new(context, NULL, &stream));
    STEP(cushim_module_load_text(context, ptx, NULL, &module));
    STEP(cushim_module_function(module, "store", &store));
    STEP(cushim_module_global(module, "table", &table));
    STEP(cushim_slice_fill(stream, table, (unsigned char) 3));
    STEP(cushim_function_attribute(store, 0, &value));
    STEP(cushim_function_max_active_blocks(store, 32, 0, &blocks));
    STEP(cushim_function_block_size(store, NULL, &threads, &blocks));
    STEP(cushim_slice_alloc(stream, 4, N, &x));
    STEP(launch_all(stream, store, x));
    STEP(cushim_link(context, &input, 1, NULL, &image));
    STEP(cushim_module_load_image(context, image, NULL, &linked));
    STEP(cushim_code_library_load(context, ptx, sizeof(ptx), NULL, &library));
    STEP(cushim_code_library_kernel(library, "store", &kernel));
    STEP(cushim_kernel_attribute(kernel, context, 0, &value));
    STEP(cushim_context_synchronize(context));
    return CUSHIM_OK;
}

/* Rows and layers, between devices and to the host. */
static cushim_status use_fields(cushim_driver driver)
{
    CUSHIM_SCOPED(cushim_context) one = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) two = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) a = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) b = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) far = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) x = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) y = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) z = CUSHIM_NONE;
    cushim_field from, to, remote, part;
    static double values[N];

    STEP(cushim_context_primary(driver, 0, &one));
    STEP(cushim_context_create(driver, 1, 0, &two));
    STEP(cushim_stream_new(one, NULL, &a));
    STEP(cushim_stream_new(one, NULL, &b));
    STEP(cushim_stream_new(two, NULL, &far));
    STEP(cushim_field_alloc(a, sizeof(double), 4, 4, 2, &x, &from));
    STEP(cushim_field_alloc(b, sizeof(double), 4, 4, 2, &y, &to));
    STEP(cushim_field_alloc(far, sizeof(double), 4, 4, 2, &z, &remote));
    STEP(cushim_field_fill(a, from, 0.0));
    STEP(cushim_field_fill(a, from, 0.5));
    STEP(cushim_field_copy(b, to, from));
    STEP(cushim_field_copy(far, remote, to));
    STEP(cushim_field_part(to, 1, 1, 2, 2, &part));
    STEP(cushim_field_write(a, part, values, 0, 0));
    STEP(cushim_field_write_async(b, part, values, 0, 0));
    STEP(cushim_field_read_async(a, part, values, 0, 0));
    STEP(cushim_field_read(far, remote, values, 0, 0));
    STEP(cushim_context_synchronize(one));
    return CUSHIM_OK;
}

/* Pools, their settings, and a slice that outlives its pool's handle. */
static cushim_status use_pools(cushim_driver driver)
{
    CUSHIM_SCOPED(cushim_context) one = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) two = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) stream = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_pool) pool = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_pool) all = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) x = CUSHIM_NONE;
    enum cushim_pool_access access;
    uint64_t bytes;
    int value;

    STEP(cushim_context_primary(driver, 0, &one));
    STEP(cushim_context_primary(driver, 1, &two));
    STEP(cushim_stream_new(one, NULL, &stream));
    STEP(cushim_pool_new(one, cushim_pool_params(.release_threshold = 1 << 20, .label = "pool"),
                         &pool));
    STEP(cushim_pool_default(one, &all));
    STEP(cushim_pool_allow(pool, two, CUSHIM_POOL_ACCESS_READ_WRITE));
    STEP(cushim_pool_access(pool, two, &access));
    STEP(cushim_slice_alloc_from(stream, pool, 4, 1, &x));
    STEP(cushim_pool_release_threshold(all, &bytes));
    STEP(cushim_pool_used(pool, &bytes, NULL));
    STEP(cushim_pool_reset_high(pool));
    cushim_pool_free(&pool);
    STEP(cushim_slice_fill(stream, x, 3));
    STEP(cushim_slice_reclaim(stream, &x, &value, 1));
    STEP(cushim_pool_set_release_threshold(all, 0));
    STEP(cushim_pool_trim(all, 0));
    return CUSHIM_OK;
}

/* What one process can do for others. */
static cushim_status share(cushim_driver driver)
{
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) stream = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_pool) pool = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_pool) opened = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_event) event = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) x = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) y = CUSHIM_NONE;
    struct cushim_shared_slice name;
    cushim_status status;
    int fd = -1;

    STEP(cushim_context_primary(driver, 0, &context));
    STEP(cushim_stream_new(context, NULL, &stream));
    STEP(cushim_event_new(context, CUSHIM_EVENT_INTERPROCESS, &event));
    STEP(cushim_slice_alloc_shared(stream, 4, N, &x));
    STEP(cushim_slice_fill(stream, x, 3));
    STEP(cushim_slice_share(x, &name));
    STEP(cushim_pool_new(context, cushim_pool_params(.shared = true), &pool));
    STEP(cushim_slice_alloc_from(stream, pool, 4, N, &y));
    STEP(cushim_slice_share(y, &name));
    STEP(cushim_event_record(event, stream));
    STEP(cushim_pool_share(pool, &fd));
    entries = 0;
    status = cushim_pool_open(context, fd, &opened);
    entries = 1;
    close(fd);
    return status;
}

/* What an interface beside the driver exports. */
static cushim_status import(cushim_driver driver)
{
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) a = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_external_memory) memory = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_external_semaphore) semaphore = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) x = CUSHIM_NONE;

    STEP(cushim_context_primary(driver, 0, &context));
    STEP(cushim_stream_new(context, NULL, &a));
    STEP(cushim_external_memory_import(
        context, cushim_external_memory_params(.type = 1, .bytes = 4 * N, .label = "memory"),
        &memory));
    STEP(cushim_external_semaphore_import(context, cushim_external_semaphore_params(.type = 1),
                                          &semaphore));
    STEP(cushim_external_memory_slice(a, memory, 0, 4, N, &x));
    cushim_external_memory_free(&memory);
    STEP(cushim_stream_wait_external(a, semaphore, 0));
    STEP(cushim_slice_used(a, x, true));
    STEP(cushim_slice_fill(a, x, 3));
    STEP(cushim_stream_signal_external(a, semaphore, 1));
    return CUSHIM_OK;
}

static cushim_status (*const programs[])(cushim_driver driver) = {
    work, wait_for_little, run_code, use_fields, use_pools, share, import,
};

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (!strncmp(name, *names, strlen(*names)))
            return true;
    return false;
}

static bool gives_back(const char *name)
{
    static const char *const names[] = {"cuMemFree",
                                        "cuStreamDestroy",
                                        "cuEventDestroy",
                                        "cuCtxDestroy",
                                        "cuDevicePrimaryCtxRelease",
                                        "cuCtxPopCurrent",
                                        "cuGraphDestroy",
                                        "cuGraphExecDestroy",
                                        "cuModuleUnload",
                                        "cuLinkDestroy",
                                        "cuLibraryUnload",
                                        "cuMemPoolDestroy",
                                        "cuDestroyExternal",
                                        NULL};

    return is_one_of(name, names);
}

/*
 * Limits that are not known are not checked. The way back to another context is no part of what was
 * asked for, nor is what is freed by the way, and a mark that could not be made ahead is made when
 * somebody needs it.
 */
static bool must_tell(const struct cushim_call *call, const char *last)
{
    const bool enters = !strcmp(last, "cuCtxGetCurrent");
    const bool marks = !strncmp(call->name, "cuEvent", 7);

    entries += !strcmp(call->name, "cuCtxGetCurrent");
    if (entries > 1 || !strcmp(call->name, "cuDeviceGetAttribute"))
        return false;
    if (!strcmp(call->name, "cuCtxSetCurrent"))
        return enters;
    /* How long memory is that was mapped is not checked if it is not known. */
    if (!strcmp(call->name, "cuMemGetAddressRange_v2") && !strncmp(last, "cuExternal", 10))
        return false;
    return !(marks && !strncmp(last, "cuMemcpy", 8));
}

/* The n-th call fails, unless it is one that gives back: that would leave something by itself. */
struct failing {
    int calls, nth;
    bool failed, must_tell;
    char name[64], last[64];
};

static bool before(struct cushim_call *call, void *user)
{
    struct failing *f = user;
    const bool tell = must_tell(call, f->last);

    if (strcmp(call->name, "cuEventCreate") != 0)
        snprintf(f->last, sizeof(f->last), "%s", call->name);
    if (++f->calls != f->nth)
        return false;
    snprintf(f->name, sizeof(f->name), "%s", call->name);
    f->failed = !gives_back(call->name);
    f->must_tell = f->failed && tell;
    call->result = 2; /* out of memory */
    return f->failed;
}

static int (*alloc)(uint64_t *address, size_t bytes); /* cuMemAlloc(), below the hooks */

/*
 * The mock has no interface beside it. So this answers for the driver: memory that is mapped is the
 * mock's own.
 */
static bool answer(struct cushim_call *call, void *user)
{
    int *imported = user;

    if (!strncmp(call->name, "cuImportExternal", 16)) {
        **(void ***) call->args[0] = imported;
        ++*imported;
    } else if (!strncmp(call->name, "cuDestroyExternal", 17)) {
        --*imported;
    } else if (!strcmp(call->name, "cuExternalMemoryGetMappedBuffer")) {
        call->result = alloc(*(uint64_t **) call->args[0], 4 * N);
        return true;
    } else if (!strstr(call->name, "ExternalSemaphores"))
        return false;
    call->result = 0;
    return true;
}

/* 0 right, 1 wrong, 2 there is no such call any more. */
static int run(cushim_status (*program)(cushim_driver driver), int nth)
{
    const struct cushim_mock_config *config = cushim_mock_config(.devices = "h200,h200");
    struct failing failing = {.nth = nth};
    int imported = 0;
    const struct cushim_hooks hooks[] = {{.before = before, .user = &failing},
                                         {.before = answer, .user = &imported}};
    const struct cushim_mock_finding *findings = NULL;
    cushim_driver below = CUSHIM_NONE, driver = CUSHIM_NONE;
    cushim_status status;

    if (cushim_mock_configure(config) || cushim_open(cushim_open_params(.library = MOCK), &below) ||
        cushim_interpose(below, hooks, 2, &driver))
        return 1;
    alloc = (int (*)(uint64_t *, size_t)) cushim_driver_functions(
        below, CUSHIM_CUDA_ROWS)[CUSHIM_ROW_cuMemAlloc_v2];
    status = program(driver);
    cushim_close(&driver);
    cushim_close(&below);
    cushim_mock_leaks();
    if (cushim_mock_findings(&findings)) {
        fprintf(stderr, "call %d, %s, failed: %s\n", nth, failing.name, findings[0].text);
        return 1;
    }
    if (imported) {
        fprintf(stderr, "call %d, %s, failed: %d imports are left\n", nth, failing.name, imported);
        return 1;
    }
    if (!*failing.name && status)
        fprintf(stderr, "without a failure: %s\n", cushim_error_text());
    if (failing.must_tell && status != 2) {
        fprintf(stderr, "call %d, %s, failed, and the status was %d\n", nth, failing.name, status);
        return 1;
    }
    return *failing.name ? 0 : status ? 1 : 2;
}

/* How many calls the program makes, -1 if one that failed did harm. */
static int sweep(cushim_status (*program)(cushim_driver driver))
{
    const int step = RUNNING_ON_VALGRIND ? 5 : 1;
    int status = 0;

    for (int nth = 1; nth < 1000; nth += step) {
        const pid_t child = fork();

        if (child == 0)
            _exit(run(program, nth));
        if (waitpid(child, &status, 0) != child || (status && WEXITSTATUS(status) != 2)) {
            fprintf(stderr, "with a failure of call %d: status 0x%x\n", nth, (unsigned) status);
            return -1;
        }
        if (status)
            return nth - 1;
    }
    return -1;
}

int main(int argc, char **argv)
{
    const size_t program = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    int calls;

    if (program >= sizeof(programs) / sizeof(programs[0])) {
        fprintf(stderr, "there is no program %zu\n", program);
        return 1;
    }
    calls = sweep(programs[program]);
    if (calls < 20)
        return 1;
    printf("each of %d calls failed once, and nothing was left\n", calls);
    return 0;
}
