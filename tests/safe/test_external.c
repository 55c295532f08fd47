/* SPDX-License-Identifier: MIT */
/*
 * Memory and semaphores of other interfaces. The mock has no such interface beside it, and refuses
 * to import anything. So a hook answers for the driver: memory that is mapped is the mock's own.
 */
#include "support.h"

SUITE(safe_external);

/* What the driver gets, as it lays it out. */
struct handle {
    int type, pad;
    union {
        int fd;
        const void *pointers[2];
    } handle;
};

struct memory {
    struct handle handle;
    unsigned long long bytes;
    unsigned flags;
};

struct buffer {
    unsigned long long offset, bytes;
    unsigned flags;
};

enum { MEMORY = 0x1000, SEMAPHORE = 0x2000 };

static struct memory imported;
static struct handle semaphore_handle;
static struct buffer mapped;
static int answer;                     /* of the imports and of the map */
static unsigned n_memory, n_semaphore; /* that are imported and not destroyed */
static unsigned n_waits, n_mapped;
static unsigned long long signalled, waited;
static void *signal_stream;
static struct world w;

static bool import_one(struct cushim_call *call, uintptr_t handle, unsigned *n)
{
    call->result = answer;
    if (answer)
        return true;
    **(void ***) call->args[0] = (void *) handle;
    ++*n;
    return true;
}

static bool destroy_one(struct cushim_call *call, uintptr_t handle, unsigned *n)
{
    cr_assert(eq(ptr, *(void **) call->args[0], (void *) handle));
    --*n;
    call->result = 0;
    return true;
}

/* The mock allocates what it would otherwise map. */
static bool map_buffer(struct cushim_call *call)
{
    cr_assert(eq(ptr, *(void **) call->args[1], (void *) (uintptr_t) MEMORY));
    mapped = **(const struct buffer **) call->args[2];
    call->result = answer;
    n_mapped += !answer;
    if (!answer)
        call->result = RAW(&w, cuMemAlloc_v2, (uint64_t *, size_t), *(uint64_t **) call->args[0],
                           (size_t) mapped.bytes);
    return true;
}

static bool use_semaphore(struct cushim_call *call, unsigned long long *value)
{
    cr_assert(eq(ptr, **(void ***) call->args[0], (void *) (uintptr_t) SEMAPHORE));
    cr_assert(eq(uint, *(const unsigned *) call->args[2], 1));
    *value = **(unsigned long long **) call->args[1];
    signal_stream = *(void **) call->args[3];
    call->result = 0;
    return true;
}

static bool before(struct cushim_call *call, void *user)
{
    (void) user;
    switch (call->row) {
    case CUSHIM_ROW_cuImportExternalMemory:
        imported = **(const struct memory **) call->args[1];
        return import_one(call, MEMORY, &n_memory);
    case CUSHIM_ROW_cuImportExternalSemaphore:
        semaphore_handle = **(const struct handle **) call->args[1];
        return import_one(call, SEMAPHORE, &n_semaphore);
    case CUSHIM_ROW_cuExternalMemoryGetMappedBuffer:
        return map_buffer(call);
    case CUSHIM_ROW_cuDestroyExternalMemory:
        cr_assert(eq(u64, count(&w, "cuMemFree_v2"), n_mapped), "what is mapped is freed first");
        return destroy_one(call, MEMORY, &n_memory);
    case CUSHIM_ROW_cuDestroyExternalSemaphore:
        n_waits = (unsigned) count(&w, "cuEventSynchronize") +
                  (unsigned) count(&w, "cuStreamSynchronize");
        return destroy_one(call, SEMAPHORE, &n_semaphore);
    case CUSHIM_ROW_cuSignalExternalSemaphoresAsync:
        return use_semaphore(call, &signalled);
    case CUSHIM_ROW_cuWaitExternalSemaphoresAsync:
        return use_semaphore(call, &waited);
    default:
        return false;
    }
}

static cushim_driver driver;
static cushim_context context, far;
static cushim_stream a, b;

static void begin(void)
{
    const struct cushim_hooks hooks = {.before = before};

    answer = 0;
    n_mapped = 0;
    open_world(&w);
    assert_ok(cushim_interpose(w.driver, &hooks, 1, &driver));
    assert_ok(cushim_context_primary(driver, 0, &context));
    assert_ok(cushim_context_primary(driver, 1, &far));
    assert_ok(cushim_stream_new(context, NULL, &a));
    assert_ok(cushim_stream_new(context, NULL, &b));
}

static void finish(void)
{
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    cushim_context_free(&far);
    cushim_context_free(&context);
    cushim_close(&driver);
    close_world(&w);
    cr_expect(eq(uint, n_memory, 0));
    cr_expect(eq(uint, n_semaphore, 0));
}

static cushim_external_memory import_memory(uint64_t bytes)
{
    cushim_external_memory memory = CUSHIM_NONE;

    assert_ok(cushim_external_memory_import(
        context,
        cushim_external_memory_params(.type = CUSHIM_EXTERNAL_MEMORY_OPAQUE_FD, .fd = 33,
                                      .bytes = bytes, .dedicated = true, .label = "vulkan"),
        &memory));
    return memory;
}

static cushim_external_semaphore import_semaphore(int type)
{
    cushim_external_semaphore semaphore = CUSHIM_NONE;

    assert_ok(cushim_external_semaphore_import(
        context, cushim_external_semaphore_params(.type = type, .fd = 44, .label = "ready"),
        &semaphore));
    return semaphore;
}

Test(safe_external, memory_is_a_slice, .init = begin)
{
    cushim_slice x = CUSHIM_NONE, none = CUSHIM_NONE;
    cushim_external_memory memory;
    uint64_t address = 0;
    int values[100];

    memory = import_memory(1000);
    cr_expect(eq(int, imported.handle.type, 1));
    cr_expect(eq(int, imported.handle.handle.fd, 33));
    cr_expect(eq(u64, imported.bytes, 1000));
    cr_expect(eq(uint, imported.flags, 1));
    assert_ok(cushim_external_memory_slice(a, memory, 600, 4, 100, &x));
    cr_expect(eq(u64, mapped.offset, 600));
    cr_expect(eq(u64, mapped.bytes, 400));
    cr_expect(eq(uint, mapped.flags, 0));
    assert_ok(cushim_external_memory_slice(a, memory, 1000, 4, 0, &none));
    cr_expect(eq(u64, mapped.bytes, 400), "nothing is mapped for a slice of nothing");
    cushim_slice_free(&none);
    /* Ordered like other slices, and the memory lives as long as they do. */
    cushim_external_memory_free(&memory);
    cr_expect(eq(uint, n_memory, 1));
    assert_ok(cushim_slice_fill(a, x, 5));
    assert_ok(cushim_slice_read(b, x, values, 100));
    cr_expect(eq(int, values[99], 5));
    assert_refused(cushim_slice_leak(a, &x, &address), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "another interface's");
    assert_ok(cushim_slice_fill(b, x, 6));
    cushim_slice_free(&x);
    cr_expect(eq(u64, count(&w, "cuMemFree_v2"), 1));
    cr_expect(eq(uint, n_memory, 0));
    finish();
}

Test(safe_external, other_handles, .init = begin)
{
    cushim_external_semaphore semaphore = CUSHIM_NONE;
    cushim_external_memory memory = CUSHIM_NONE;
    int object;

    assert_ok(cushim_external_memory_import(
        context,
        cushim_external_memory_params(.type = CUSHIM_EXTERNAL_MEMORY_NVSCIBUF, .handle = &object,
                                      .bytes = 8),
        &memory));
    cr_expect(eq(ptr, (void *) imported.handle.handle.pointers[0], &object));
    cr_expect(eq(ptr, (void *) imported.handle.handle.pointers[1], NULL));
    cr_expect(eq(uint, imported.flags, 0));
    cushim_external_memory_free(&memory);
    assert_ok(cushim_external_semaphore_import(
        context, cushim_external_semaphore_params(.type = 4, .name = &object), &semaphore));
    cr_expect(eq(int, semaphore_handle.type, 4));
    cr_expect(eq(ptr, (void *) semaphore_handle.handle.pointers[1], &object));
    cushim_external_semaphore_free(&semaphore);
    finish();
}

Test(safe_external, semaphores, .init = begin)
{
    cushim_external_semaphore semaphore = import_semaphore(CUSHIM_EXTERNAL_SEMAPHORE_TIMELINE_FD);
    cushim_slice x = CUSHIM_NONE;
    uint64_t address = 0, waits;
    void *raw = NULL;

    cr_expect(eq(int, semaphore_handle.type, 9));
    cr_expect(eq(int, semaphore_handle.handle.fd, 44));
    assert_ok(cushim_slice_zeros(a, 4, 8, &x));
    assert_ok(cushim_stream_wait_external(b, semaphore, 7));
    cr_expect(eq(u64, waited, 7));
    assert_ok(cushim_stream_raw(b, &raw));
    cr_expect(eq(ptr, signal_stream, raw));
    /* As the header says: the memory that a semaphore is about is declared. */
    assert_ok(cushim_slice_use(b, x, true, &address));
    assert_ok(cushim_slice_used(b, x, true));
    waits = count(&w, "cuStreamWaitEvent");
    assert_ok(cushim_slice_fill(a, x, 1));
    cr_expect(eq(u64, count(&w, "cuStreamWaitEvent"), waits + 1));
    assert_ok(cushim_slice_use(b, x, true, &address));
    cr_expect(eq(u64, count(&w, "cuStreamWaitEvent"), waits + 2));
    assert_ok(cushim_stream_signal_external(b, semaphore, (uint64_t) 1 << 40));
    cr_expect(eq(u64, signalled, (uint64_t) 1 << 40));
    /* Signals and waits must be complete before the semaphore goes. */
    forget_calls(&w);
    cushim_external_semaphore_free(&semaphore);
    cr_expect(gt(uint, n_waits, 0));
    cushim_slice_free(&x);
    finish();
}

Test(safe_external, two_signals_do_not_wait_for_each_other, .init = begin)
{
    cushim_external_semaphore semaphore = import_semaphore(CUSHIM_EXTERNAL_SEMAPHORE_OPAQUE_FD);

    assert_ok(cushim_stream_signal_external(a, semaphore, 0));
    assert_ok(cushim_stream_signal_external(b, semaphore, 0));
    cr_expect(eq(u64, count(&w, "cuStreamWaitEvent"), 0));
    cushim_external_semaphore_free(&semaphore);
    finish();
}

#define assert_wrong(expr, part) assert_refused(expr, CUSHIM_ERROR_INVALID_ARGUMENT, part)
#define MEMORY_OF(...)                                                                             \
    cushim_external_memory_import(context, cushim_external_memory_params(__VA_ARGS__), &memory)
#define SEMAPHORE_OF(...)                                                                          \
    cushim_external_semaphore_import(context, cushim_external_semaphore_params(__VA_ARGS__),       \
                                     &semaphore)

Test(safe_external, what_cannot_be_imported, .init = begin)
{
    cushim_external_semaphore semaphore = CUSHIM_NONE;
    cushim_external_memory memory = CUSHIM_NONE;
    int object;

    forget_calls(&w);
    assert_wrong(MEMORY_OF(.fd = 3, .bytes = 8), "cushim_external_memory_import: .type is 0");
    assert_wrong(MEMORY_OF(.type = -1, .bytes = 8), ".type is -1");
    assert_wrong(MEMORY_OF(.type = 1, .bytes = 8), ".fd is 0, which is no descriptor");
    assert_wrong(MEMORY_OF(.type = 1, .fd = -1, .bytes = 8), ".fd is -1");
    assert_wrong(MEMORY_OF(.type = 9, .fd = -2, .bytes = 8), ".fd is -2");
    assert_wrong(MEMORY_OF(.type = 1, .fd = 3), ".bytes is 0");
    assert_wrong(MEMORY_OF(.type = 8, .bytes = 8), ".handle and .name are NULL, and a .type of 8");
    assert_wrong(cushim_external_memory_import(context, NULL, &memory), "params is NULL");
    assert_wrong(cushim_external_memory_import(
                     context, cushim_external_memory_params(.type = 1, .bytes = 8), NULL),
                 "ret_memory is NULL");
    assert_wrong(SEMAPHORE_OF(.fd = 3), "cushim_external_semaphore_import: .type is 0");
    assert_wrong(SEMAPHORE_OF(.type = 9, .fd = -1), ".fd is -1");
    assert_wrong(SEMAPHORE_OF(.type = 2), ".handle and .name are NULL");
    for (int type = 6; type <= 8; type++)
        assert_wrong(SEMAPHORE_OF(.type = type, .handle = &object), "which has no fence value");
    assert_wrong(cushim_external_semaphore_import(context, NULL, &semaphore), "params is NULL");
    assert_wrong(cushim_external_semaphore_import(
                     context, cushim_external_semaphore_params(.type = 1), NULL),
                 "ret_semaphore is NULL");
    cr_expect(eq(u64, count_all(&w), 0), "the driver hears nothing of it");
    answer = 304;
    assert_refused(MEMORY_OF(.type = 1, .fd = 9, .bytes = 8), 304, "cuImportExternalMemory");
    assert_refused(SEMAPHORE_OF(.type = 1, .fd = 9), 304, "cuImportExternalSemaphore");
    cr_expect(eq(u64, memory.id, 0));
    cr_expect(eq(u64, semaphore.id, 0));
    finish();
}

Test(safe_external, misuse, .init = begin)
{
    cushim_external_semaphore semaphore = import_semaphore(1), old_semaphore = semaphore;
    cushim_external_memory memory = import_memory(1000), old_memory = memory;
    cushim_stream remote = CUSHIM_NONE, recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE;

    assert_ok(cushim_stream_new(far, NULL, &remote));
    assert_wrong(cushim_external_memory_slice(a, memory, 601, 4, 100, &x),
                 "400 bytes from byte 601 on, the memory has 1000");
    assert_wrong(cushim_external_memory_slice(a, memory, UINT64_MAX, 4, 100, &x),
                 "400 bytes from byte 18446744073709551615 on");
    assert_wrong(cushim_external_memory_slice(a, memory, 0, 8, SIZE_MAX / 4, &x),
                 "are more than there can be");
    assert_wrong(cushim_external_memory_slice(a, memory, 0, 0, 1, &x), "an element of 0 bytes");
    assert_wrong(cushim_external_memory_slice(a, memory, 0, 4, 1, NULL), "ret_slice is NULL");
    assert_refused(cushim_external_memory_slice(remote, memory, 0, 4, 1, &x),
                   CUSHIM_ERROR_FOREIGN_CONTEXT, "the external memory belongs to another context");
    assert_refused(
        cushim_external_memory_slice(a, (cushim_external_memory){semaphore.id}, 0, 4, 1, &x),
        CUSHIM_ERROR_WRONG_HANDLE,
        "expected external memory, this is the handle of an external semaphore");
    assert_refused(cushim_stream_signal_external(remote, semaphore, 0),
                   CUSHIM_ERROR_FOREIGN_CONTEXT, "the external semaphore belongs to another");
    assert_refused(cushim_stream_wait_external(a, (cushim_external_semaphore){0}, 0),
                   CUSHIM_ERROR_STALE_HANDLE, "handle is zero");
    assert_refused(cushim_stream_wait_external((cushim_stream){memory.id}, semaphore, 0),
                   CUSHIM_ERROR_WRONG_HANDLE, "expected a stream");
    assert_ok(cushim_capture_begin(context, &recorder));
    assert_refused(cushim_external_memory_slice(recorder, memory, 0, 4, 1, &x),
                   CUSHIM_ERROR_CAPTURING, "mapping memory is not possible");
    assert_refused(cushim_stream_signal_external(recorder, semaphore, 0), CUSHIM_ERROR_CAPTURING,
                   "this cannot be recorded");
    assert_ok(cushim_capture_end(&recorder, &graph));
    cushim_graph_free(&graph);
    answer = 400;
    assert_refused(cushim_external_memory_slice(a, memory, 0, 4, 1, &x), 400,
                   "cuExternalMemoryGetMappedBuffer");
    cr_expect(eq(u64, x.id, 0));
    cushim_external_memory_free(&memory);
    cushim_external_semaphore_free(&semaphore);
    assert_refused(cushim_external_memory_slice(a, old_memory, 0, 4, 1, &x),
                   CUSHIM_ERROR_STALE_HANDLE, "the external memory was freed by test_external.c:");
    assert_refused(cushim_stream_signal_external(a, old_semaphore, 0), CUSHIM_ERROR_STALE_HANDLE,
                   "the external semaphore was freed by test_external.c:");
    cushim_external_memory_free(NULL);
    cushim_external_semaphore_free(NULL);
    cushim_stream_free(&remote);
    finish();
}

/* What the mock itself answers. */
Test(safe_external, nothing_is_imported_without_an_interface)
{
    cushim_external_semaphore semaphore = CUSHIM_NONE;
    cushim_external_memory memory = CUSHIM_NONE;
    struct world plain;

    open_world(&plain);
    context = plain.context;
    assert_refused(MEMORY_OF(.type = 1, .fd = 9, .bytes = 8), 999, "cuImportExternalMemory");
    assert_refused(SEMAPHORE_OF(.type = 1, .fd = 9), 999, "cuImportExternalSemaphore");
    close_world(&plain);
}
