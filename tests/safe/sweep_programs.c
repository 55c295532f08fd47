/* SPDX-License-Identifier: MIT */
#include "sweep_programs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 64 };

int sweep_entries;

/* The zero handle is never valid. */
void sweep_error_set(void)
{
    cushim_stream none = CUSHIM_NONE;
    void *cu;

    if (!cushim_stream_raw(none, &cu))
        fprintf(stderr, "the zero handle is a stream\n");
}

bool sweep_error_is_kept(const char *failed)
{
    const bool is = cushim_error_status() == CUSHIM_ERROR_STALE_HANDLE &&
                    !strncmp(cushim_error_text(), "cushim_stream_raw:", 18);

    if (!is)
        fprintf(stderr, "%s failed, no call did, and the last error is: %s\n", failed,
                cushim_error_text());
    return is;
}

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
    CUSHIM_SCOPED(cushim_stream) forked = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_graph) graph = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_graph) outer = CUSHIM_NONE;
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
    STEP(cushim_capture_begin_on(a, NULL));
    STEP(cushim_stream_fork(a, &forked));
    STEP(cushim_slice_fill(forked, y, 6));
    STEP(cushim_event_record(event, forked));
    STEP(cushim_stream_wait(a, event));
    STEP(cushim_graph_launch(graph, a));
    STEP(cushim_stream_join(forked, a));
    STEP(cushim_slice_copy(forked, y, x));
    STEP(cushim_capture_end(&a, &outer));
    STEP(cushim_graph_launch(outer, b));
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
    STEP(cushim_event_record(event, stream));
    STEP(cushim_pool_share(pool, &fd));
    STEP(cushim_slice_share(y, &name));
    sweep_entries = 0;
    status = cushim_pool_open(context, fd, &opened);
    sweep_entries = 1;
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
        context,
        cushim_external_memory_params(.type = 1, .fd = 9, .bytes = 4 * N, .label = "memory"),
        &memory));
    STEP(cushim_external_semaphore_import(
        context, cushim_external_semaphore_params(.type = 1, .fd = 9), &semaphore));
    STEP(cushim_external_memory_slice(a, memory, 0, 4, N, &x));
    cushim_external_memory_free(&memory);
    STEP(cushim_stream_wait_external(a, semaphore, 0));
    STEP(cushim_slice_used(a, x, true));
    STEP(cushim_slice_fill(a, x, 3));
    STEP(cushim_stream_signal_external(a, semaphore, 1));
    return CUSHIM_OK;
}

/* x is written by way of two slices that are allocated. */
static cushim_status record_by_way(cushim_stream recorder, cushim_slice x)
{
    CUSHIM_SCOPED(cushim_slice) first = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) second = CUSHIM_NONE;

    STEP(cushim_slice_zeros(recorder, 4, N, &first));
    STEP(cushim_slice_clone(recorder, first, &second));
    STEP(cushim_slice_copy(recorder, x, second));
    return CUSHIM_OK;
}

/* Recordings that allocate: in an arena of the program's, in a dry one, in one of their own. */
static cushim_status allocate_recorded(cushim_driver driver)
{
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) stream = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) recorder = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_arena) arena = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_arena) dry = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_graph) graph = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) x = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) kept = CUSHIM_NONE;

    STEP(cushim_context_primary(driver, 0, &context));
    STEP(cushim_stream_new(context, NULL, &stream));
    STEP(cushim_slice_zeros(stream, 4, N, &x));
    STEP(cushim_arena_new(context, cushim_arena_params(.bytes = 1, .label = "arena"), &arena));
    STEP(cushim_arena_new(context, cushim_arena_params(.dry_run = 1), &dry));
    for (int i = 0; i < 4; i++) {
        const struct cushim_capture_params *params =
            cushim_capture_params(.memory_nodes = i == 3, .arena = i == 0   ? arena
                                                                   : i == 1 ? dry
                                                                            : (cushim_arena){0});

        STEP(cushim_capture_begin_with(context, params, &recorder));
        CUSHIM_TRY(record_by_way(recorder, x));
        if (i == 2)
            STEP(cushim_slice_zeros(recorder, 4, (size_t) 1 << 20, &kept));
        STEP(cushim_capture_end(&recorder, &graph));
        if (i != 1)
            STEP(cushim_graph_launch(graph, stream));
        cushim_graph_free(&graph);
    }
    STEP(cushim_slice_fill(stream, kept, 5));
    STEP(cushim_context_synchronize(context));
    return CUSHIM_OK;
}

/* A wait may ask the driver on the way how its work is, and ask again if that fails. */
#define WAIT(call)                                                                                 \
    do {                                                                                           \
        sweep_entries = 1;                                                                         \
        CUSHIM_TRY(call);                                                                          \
    } while (0)

static cushim_op store_more(const struct cushim_exec *exec, cushim_output *list, void *user)
{
    const cushim_function *store = user;
    cushim_slice x = CUSHIM_NONE;

    (void) exec;
    if (cushim_output_take_slice(cushim_output_item(list, 0), &x))
        return (cushim_op) CUSHIM_NONE;
    return cushim_op_output(cushim_op_launch(*store, cushim_for_elements(1),
                                             CUSHIM_OP_OUT(cushim_op_take(&x)), CUSHIM_VALUE(5u)),
                            0);
}

/* Operations of most kinds: joined on two streams, shared, recorded, awaited and dropped. */
static cushim_status run_operations(cushim_driver driver)
{
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_policy) policy = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_future) first = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_future) second = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_future) dropped = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) stream = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_graph) graph = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) x = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_op) shared = CUSHIM_NONE;
    static unsigned values[N];
    cushim_function store;
    cushim_op op;

    STEP(cushim_context_primary(driver, 0, &context));
    STEP(cushim_stream_new(context, NULL, &stream));
    STEP(cushim_module_load_text(context, ptx, NULL, &module));
    STEP(cushim_module_function(module, "store", &store));
    STEP(cushim_policy_round_robin(context, cushim_policy_params(.streams = 2, .spread = true),
                                   &policy));
    op = cushim_op_zip(cushim_op_from(values, N), cushim_op_zeros(4, N), cushim_op_alloc(4, 0));
    op = cushim_op_then(op, store_more, &store);
    STEP(cushim_op_schedule(cushim_op_to_host(op, values, N), policy, &first));
    STEP(cushim_future_submit(first));
    WAIT(cushim_future_wait(first, CUSHIM_FOREVER));
    STEP(cushim_future_take_slice(first, &x));
    shared = cushim_op_share(cushim_op_copy_of(x));
    STEP(cushim_op_retain(shared, &op));
    STEP(cushim_op_submit_on(cushim_op_output(cushim_op_clone(op), 1), stream, &second));
    op = shared;
    shared = (cushim_op) CUSHIM_NONE;
    STEP(cushim_op_submit(op, policy, &dropped));
    /* Whichever call comes next may also end the dropped future. */
    cushim_future_free(&dropped);
    WAIT(cushim_future_wait_all(&second, 1, CUSHIM_FOREVER));
    WAIT(cushim_op_record(cushim_op_fill(cushim_op_borrow(x), 7u), context, &graph));
    WAIT(cushim_op_run(cushim_op_graph(graph), stream, NULL));
    WAIT(cushim_context_synchronize(context));
    return CUSHIM_OK;
}

sweep_program *const sweep_programs[SWEEP_PROGRAMS] = {
    work,   wait_for_little, run_code,          use_fields,    use_pools,        share,
    import, run_operations,  allocate_recorded, sweep_updates, sweep_conditions,
};

static int (*alloc)(uint64_t *address, size_t bytes); /* cuMemAlloc(), below the hooks */

/*
 * The mock has no interface beside it. So this answers for the driver: memory that is mapped is the
 * mock's own.
 */
bool sweep_answer(struct cushim_call *call, void *user)
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

void sweep_prepare(cushim_driver below)
{
    alloc = (int (*)(uint64_t *, size_t)) cushim_driver_functions(
        below, CUSHIM_CUDA_ROWS)[CUSHIM_ROW_cuMemAlloc_v2];
}
