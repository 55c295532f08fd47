/* SPDX-License-Identifier: MIT */
/* Pinned and unified memory. */
#include "support.h"

SUITE(safe_memory);

enum { N = 64 };

Test(safe_memory, pinned_memory_is_copied_asynchronously_and_waited_for)
{
    cushim_stream a = CUSHIM_NONE, b = CUSHIM_NONE;
    cushim_pinned pinned = CUSHIM_NONE, other = CUSHIM_NONE;
    cushim_slice slice = CUSHIM_NONE;
    const void *read = NULL;
    void *write = NULL;
    struct world w;
    int *values;

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &a));
    assert_ok(cushim_stream_new(w.context, NULL, &b));
    assert_ok(cushim_pinned_alloc(w.context, sizeof(int), N, CUSHIM_PINNED_DEFAULT, &pinned));
    assert_ok(cushim_pinned_alloc(w.context, sizeof(int), N, CUSHIM_PINNED_WRITE_COMBINED, &other));
    assert_ok(cushim_slice_alloc(a, sizeof(int), N, &slice));
    for (int round = 0; round < 5; round++) {
        assert_ok(cushim_pinned_write(pinned, &write));
        values = write;
        for (int i = 0; i < N; i++)
            values[i] = round + i;
        forget_calls(&w);
        assert_ok(cushim_slice_copy(a, slice, pinned));
        cr_expect(eq(u64, count(&w, "cuMemcpyHtoDAsync_v2"), 1));
        cr_expect(eq(u64, count(&w, "cuEventSynchronize") + count(&w, "cuStreamSynchronize"), 0));
    }
    assert_ok(cushim_slice_copy(b, other, slice));
    assert_ok(cushim_slice_copy(a, pinned, other));
    assert_ok(cushim_pinned_read(pinned, &read));
    for (int i = 0; i < N; i++)
        cr_assert(eq(int, ((const int *) read)[i], 4 + i));
    /* Freed with a copy under way. */
    assert_ok(cushim_slice_copy(a, slice, pinned));
    cushim_pinned_free(&pinned);
    cushim_pinned_free(&other);
    cushim_slice_free(&slice);
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    close_world(&w);
}

Test(safe_memory, unified_memory_is_shared_with_the_host)
{
    cushim_stream a = CUSHIM_NONE, b = CUSHIM_NONE;
    cushim_unified unified = CUSHIM_NONE;
    cushim_slice slice = CUSHIM_NONE;
    const void *read = NULL;
    struct world w;
    int values[N];

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, NULL, &a));
    assert_ok(cushim_stream_new(w.context, NULL, &b));
    assert_ok(cushim_unified_alloc(w.context, sizeof(int), N, CUSHIM_ATTACH_GLOBAL, &unified));
    assert_ok(cushim_slice_fill(a, unified, 5));
    assert_ok(cushim_slice_zeros(b, sizeof(int), N, &slice));
    assert_ok(cushim_slice_copy(b, slice, unified));
    assert_ok(cushim_unified_read(unified, &read));
    cr_expect(eq(int, ((const int *) read)[N - 1], 5));
    assert_ok(cushim_slice_read(a, unified, values, N));
    cr_expect(eq(int, values[0], 5));
    assert_refused(cushim_unified_alloc(w.context, 4, N, CUSHIM_ATTACH_SINGLE, &unified),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "not 4");
    cushim_unified_free(&unified);
    cushim_slice_free(&slice);
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    close_world(&w);
}

/* What the device is asked for, whatever this driver makes of it. */
struct asked {
    const char *name;
    uint64_t address;
    int last; /* argument but for the stream */
};

static bool answer(struct cushim_call *call, void *user)
{
    struct asked *asked = user;

    if (strcmp(call->name, "cuStreamAttachMemAsync") != 0 &&
        strcmp(call->name, "cuMemPrefetchAsync") != 0 && strcmp(call->name, "cuMemAdvise") != 0)
        return false;
    asked->name = call->name;
    asked->address = *(uint64_t *) call->args[call->name[2] == 'S'];
    asked->last = *(int *) call->args[call->name[5] == 'P' ? 2 : 3];
    call->result = 0;
    return true;
}

struct fixture {
    struct world w;
    struct asked asked;
    cushim_driver driver;
    cushim_context context;
    cushim_stream a, b;
    cushim_unified unified;
    uint64_t address;
};

static void open_fixture(struct fixture *f, enum cushim_attach attach)
{
    const struct cushim_hooks hooks = {.before = answer, .user = &f->asked};

    open_world(&f->w);
    f->asked = (struct asked){0};
    f->a = f->b = (cushim_stream){0};
    assert_ok(cushim_interpose(f->w.driver, &hooks, 1, &f->driver));
    assert_ok(cushim_context_primary(f->driver, 0, &f->context));
    assert_ok(cushim_stream_new(f->context, NULL, &f->a));
    assert_ok(cushim_stream_new(f->context, NULL, &f->b));
    assert_ok(cushim_unified_alloc(f->context, sizeof(int), N, attach, &f->unified));
    assert_ok(cushim_slice_use(f->a, f->unified, false, &f->address));
}

static void close_fixture(struct fixture *f)
{
    cushim_unified_free(&f->unified);
    cushim_stream_free(&f->a);
    cushim_stream_free(&f->b);
    cushim_context_free(&f->context);
    cushim_close(&f->driver);
    close_world(&f->w);
}

Test(safe_memory, attached_to_one_stream_it_is_refused_on_others)
{
    struct fixture f;

    open_fixture(&f, CUSHIM_ATTACH_GLOBAL);
    assert_ok(cushim_slice_fill(f.b, f.unified, 1));
    assert_ok(cushim_unified_attach(f.a, f.unified, CUSHIM_ATTACH_SINGLE));
    cr_expect(eq(str, S(f.asked.name), S("cuStreamAttachMemAsync")));
    cr_expect(eq(u64, f.asked.address, f.address));
    cr_expect(eq(int, f.asked.last, 4));
    cr_expect(eq(u64, count(&f.w, "cuStreamWaitEvent"), 1), "after b's fill");
    assert_ok(cushim_slice_fill(f.a, f.unified, 2));
    assert_refused(cushim_slice_fill(f.b, f.unified, 3), CUSHIM_ERROR_NOT_ATTACHED,
                   "attached to another stream");
    assert_ok(cushim_unified_attach(f.b, f.unified, CUSHIM_ATTACH_SINGLE));
    assert_ok(cushim_slice_fill(f.b, f.unified, 3));
    assert_ok(cushim_unified_attach(f.b, f.unified, CUSHIM_ATTACH_GLOBAL));
    assert_ok(cushim_slice_fill(f.a, f.unified, 3));
    assert_refused(cushim_unified_attach(f.a, f.unified, (enum cushim_attach) 3),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "no way 3");
    close_fixture(&f);
}

Test(safe_memory, prefetch_and_advice)
{
    struct fixture f;
    cushim_view part;

    open_fixture(&f, CUSHIM_ATTACH_GLOBAL);
    assert_ok(cushim_slice_fill(f.b, f.unified, 1));
    assert_ok(cushim_view_part(CUSHIM_VIEW(f.unified), 8, 8, &part));
    assert_ok(cushim_unified_prefetch(f.a, part, CUSHIM_DEVICE_HOST));
    cr_expect(eq(str, S(f.asked.name), S("cuMemPrefetchAsync")));
    cr_expect(eq(u64, f.asked.address, f.address + 32));
    cr_expect(eq(int, f.asked.last, -1));
    cr_expect(eq(u64, count(&f.w, "cuStreamWaitEvent"), 1), "after b's fill");
    assert_ok(cushim_unified_advise(f.unified, CUSHIM_ADVICE_PREFERRED_LOCATION, 0));
    cr_expect(eq(str, S(f.asked.name), S("cuMemAdvise")));
    cr_expect(eq(u64, f.asked.address, f.address));
    assert_refused(cushim_unified_advise((cushim_unified){f.a.id}, CUSHIM_ADVICE_READ_MOSTLY, 0),
                   CUSHIM_ERROR_WRONG_HANDLE, "this is the handle of a stream");
    close_fixture(&f);
}

static bool deny_sharing(struct cushim_call *call, void *user)
{
    (void) user;
    if (strcmp(call->name, "cuDeviceGetAttribute") != 0 || *(int *) call->args[1] != 89)
        return false;
    **(int **) call->args[0] = 0;
    call->result = 0;
    return true;
}

/* CONCURRENT_MANAGED_ACCESS is 0: the device has to be idle before the host may look. */
Test(safe_memory, a_device_that_cannot_share_is_waited_for)
{
    const struct cushim_hooks hooks[] = {{.before = deny_sharing}};
    cushim_unified all = CUSHIM_NONE, host = CUSHIM_NONE;
    cushim_context context = CUSHIM_NONE;
    cushim_driver driver = CUSHIM_NONE;
    cushim_stream stream = CUSHIM_NONE;
    void *pointer;
    struct world w;

    open_world(&w);
    assert_ok(cushim_interpose(w.driver, hooks, 1, &driver));
    assert_ok(cushim_context_primary(driver, 0, &context));
    assert_ok(cushim_stream_new(context, NULL, &stream));
    assert_ok(cushim_unified_alloc(context, 4, N, CUSHIM_ATTACH_GLOBAL, &all));
    assert_ok(cushim_unified_alloc(context, 4, N, CUSHIM_ATTACH_HOST, &host));
    assert_ok(cushim_unified_write(all, &pointer));
    cr_expect(eq(u64, count(&w, "cuCtxSynchronize"), 1));
    assert_ok(cushim_unified_write(host, &pointer));
    cr_expect(eq(u64, count(&w, "cuCtxSynchronize"), 1));
    assert_refused(cushim_slice_fill(stream, host, 1), CUSHIM_ERROR_NOT_ATTACHED,
                   "attached to the host");
    cushim_unified_free(&all);
    cushim_unified_free(&host);
    cushim_stream_free(&stream);
    cushim_context_free(&context);
    cushim_close(&driver);
    close_world(&w);
}

/* A device without memory pools: the same meaning, by cuMemAlloc() and cuMemFree(). */
static bool deny_pools(struct cushim_call *call, void *user)
{
    (void) user;
    if (strcmp(call->name, "cuDeviceGetAttribute") != 0 || *(int *) call->args[1] != 115)
        return false;
    **(int **) call->args[0] = 0;
    call->result = 0;
    return true;
}

Test(safe_memory, without_memory_pools)
{
    const struct cushim_hooks hooks = {.before = deny_pools};
    cushim_stream a = CUSHIM_NONE, b = CUSHIM_NONE;
    cushim_context context = CUSHIM_NONE;
    cushim_driver driver = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE, y = CUSHIM_NONE;
    struct world w;
    int values[N];

    open_world(&w);
    assert_ok(cushim_interpose(w.driver, &hooks, 1, &driver));
    assert_ok(cushim_context_primary(driver, 0, &context));
    assert_ok(cushim_stream_new(context, NULL, &a));
    assert_ok(cushim_stream_new(context, NULL, &b));
    assert_ok(cushim_slice_zeros(a, 4, N, &x));
    assert_ok(cushim_slice_alloc(b, 4, N, &y));
    assert_ok(cushim_slice_fill(a, x, 8));
    assert_ok(cushim_slice_copy(b, y, x));
    cushim_slice_free(&x);
    assert_ok(cushim_slice_read(b, y, values, N));
    cr_expect(eq(int, values[5], 8));
    cushim_slice_free(&y);
    cr_expect(eq(u64, count(&w, "cuMemAlloc_v2"), 2));
    cr_expect(eq(u64, count(&w, "cuMemFree_v2"), 2));
    cr_expect(eq(u64, count(&w, "cuMemAllocAsync") + count(&w, "cuMemFreeAsync"), 0));
    cushim_stream_free(&a);
    cushim_stream_free(&b);
    cushim_context_free(&context);
    cushim_close(&driver);
    close_world(&w);
}
