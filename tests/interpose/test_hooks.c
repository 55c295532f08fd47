/* SPDX-License-Identifier: MIT */
#include <cushim/interpose.h>

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/util.h"
#include "fake.h"
#include "support.h"

SUITE(hooks);

/* What happened, as a text, and the last call as each hook saw it. */
static struct {
    char text[512];
    struct cushim_call before, after;
} seen;

/* One hook of a test. */
struct step {
    const char *name;
    bool answers;
    intptr_t answer;
};

static void note(const char *what, const struct step *step, const struct cushim_call *call)
{
    const size_t length = strlen(seen.text);

    snprintf(seen.text + length, sizeof(seen.text) - length, "%s%s %s;", what, step->name,
             call->name);
}

static bool before(struct cushim_call *call, void *user)
{
    const struct step *step = user;

    note("<", step, call);
    seen.before = *call;
    if (step->answers)
        call->result = step->answer;
    return step->answers;
}

static void after(struct cushim_call *call, void *user)
{
    note(">", user, call);
    seen.after = *call;
}

static cushim_driver interpose(cushim_driver driver, const struct cushim_hooks *hooks, size_t n)
{
    cushim_driver ret = CUSHIM_NONE;

    assert_ok(cushim_interpose(driver, hooks, n, &ret));
    cr_assert(ne(u64, ret.id, 0));
    return ret;
}

#define PAIR(step)                                                                                 \
    {                                                                                              \
        before, after, &(step)                                                                     \
    }

Test(hooks, run_in_order_and_back)
{
    struct step a = {.name = "a"}, b = {.name = "b"}, c = {.name = "c"};
    const struct cushim_hooks hooks[] = {PAIR(a), PAIR(b), PAIR(c)};
    cushim_driver below = fake_open(0), driver = interpose(below, hooks, 3);

    cr_expect(zero(int, fake_init(fake_functions(driver), 0)));
    cr_expect(eq(str, seen.text,
                 S("<a cuInit;<b cuInit;<c cuInit;"
                   ">c cuInit;>b cuInit;>a cuInit;")));
    cushim_close(&driver);
    cr_expect(eq(u64, driver.id, 0));
    cushim_close(&below);
}

Test(hooks, of_the_table_below_are_not_called)
{
    struct step a = {.name = "a"};
    const struct cushim_hooks hooks[] = {PAIR(a)};
    cushim_driver below = fake_open(0), driver = interpose(below, hooks, 1);

    cr_expect(zero(int, fake_init(fake_functions(below), 0)));
    cr_expect(eq(str, seen.text, S("")));
    cushim_close(&driver);
    cushim_close(&below);
}

Test(hooks, up_to_the_first_that_answers)
{
    struct step a = {.name = "a"}, b = {.name = "b", .answers = true, .answer = 999},
                c = {.name = "c"};
    const struct cushim_hooks hooks[] = {PAIR(a), PAIR(b), PAIR(c)};
    cushim_driver below = fake_open(0), driver = interpose(below, hooks, 3);
    const fake_table table = fake_functions(driver);
    const unsigned calls = fake_seen()->calls;

    cr_expect(eq(int, fake_synchronize(table), 999));
    cr_expect(eq(str, seen.text,
                 S("<a cuCtxSynchronize;<b cuCtxSynchronize;"
                   ">b cuCtxSynchronize;>a cuCtxSynchronize;")));
    cr_expect(eq(uint, fake_seen()->calls, calls));
    cr_expect(seen.after.answered);
    cr_expect(eq(i64, seen.after.result, 999));
    cr_expect(eq(u64, seen.after.duration_ns, 0));
    cushim_close(&driver);
    cushim_close(&below);
}

Test(hooks, may_be_missing)
{
    struct step a = {.name = "a"}, b = {.name = "b"};
    const struct cushim_hooks hooks[] = {{NULL, after, &a}, {before, NULL, &b}, {NULL, NULL, NULL}};
    cushim_driver below = fake_open(0), driver = interpose(below, hooks, 3);

    cr_expect(zero(int, fake_init(fake_functions(driver), 0)));
    cr_expect(eq(str, seen.text, S("<b cuInit;>a cuInit;")));
    cushim_close(&driver);
    cushim_close(&below);
}

Test(hooks, none_at_all_pass_calls_on)
{
    cushim_driver below = fake_open(1), driver = interpose(below, NULL, 0);

    cr_expect(eq(int, fake_count(fake_functions(driver)), FAKE_COUNT(1)));
    cushim_close(&driver);
    cushim_close(&below);
}

Test(hooks, are_copied)
{
    struct step a = {.name = "a"};
    struct cushim_hooks hooks[] = {PAIR(a)};
    cushim_driver below = fake_open(0), driver = interpose(below, hooks, 1);

    hooks[0] = (struct cushim_hooks){NULL, NULL, NULL};
    cr_expect(zero(int, fake_init(fake_functions(driver), 0)));
    cr_expect(eq(str, seen.text, S("<a cuInit;>a cuInit;")));
    cushim_close(&driver);
    cushim_close(&below);
}

Test(hooks, know_the_call)
{
    struct step a = {.name = "a"};
    const struct cushim_hooks hooks[] = {PAIR(a)};
    cushim_driver below = fake_open(0), driver = interpose(below, hooks, 1);
    const uint64_t start = cushim__now_ns();
    uint64_t pointer = 0, end;

    cr_expect(eq(int, fake_alloc(fake_functions(driver), &pointer, 0), 1));
    end = cushim__now_ns();
    cr_expect(eq(int, seen.before.library, CUSHIM_LIBRARY_CUDA));
    cr_expect(eq(uint, seen.before.row, CUSHIM_ROW_cuMemAlloc_v2));
    cr_expect(eq(str, S(seen.before.name), S("cuMemAlloc_v2")));
    cr_expect(eq(str, S(seen.before.signature), S("pl")));
    cr_expect(eq(sz, seen.before.n_args, 2));
    cr_expect(eq(u64, seen.before.thread, (uint64_t) syscall(SYS_gettid)));
    cr_expect(eq(u64, seen.before.duration_ns, 0));
    cr_expect(not(seen.after.answered));
    cr_expect(eq(i64, seen.after.result, 1));
    cr_expect(ge(u64, seen.after.start_ns, start));
    cr_expect(le(u64, seen.after.start_ns + seen.after.duration_ns, end));
    cushim_close(&driver);
    cushim_close(&below);
}

/* A function without arguments has none to show. */
Test(hooks, of_a_call_without_arguments)
{
    struct step a = {.name = "a"};
    const struct cushim_hooks hooks[] = {PAIR(a)};
    cushim_driver below = fake_open(0), driver = interpose(below, hooks, 1);

    cr_expect(zero(int, fake_synchronize(fake_functions(driver))));
    cr_expect(eq(sz, seen.before.n_args, 0));
    cr_expect(eq(str, S(seen.before.signature), S("")));
    cushim_close(&driver);
    cushim_close(&below);
}

Test(hooks, see_functions_that_the_driver_lacks)
{
    struct step a = {.name = "a"};
    const struct cushim_hooks hooks[] = {PAIR(a)};
    cushim_driver below = fake_open(0), driver = interpose(below, hooks, 1);
    const fake_table table = fake_functions(driver);

    cr_expect(eq(int, ((int (*)(void *)) table[CUSHIM_ROW_cuStreamSynchronize])(NULL), 302));
    cr_expect(eq(i64, seen.after.result, 302));
    assert_contains(cushim_error_text(), "cuStreamSynchronize");
    cushim_close(&driver);
    cushim_close(&below);
}

/* Doubles what is to be allocated, and frees the neighbour. */
static bool change_arguments(struct cushim_call *call, void *user)
{
    (void) user;
    if (call->row == CUSHIM_ROW_cuMemAlloc_v2)
        *(uint64_t *) call->args[1] *= 2;
    if (call->row == CUSHIM_ROW_cuMemFree_v2)
        *(uint64_t *) call->args[0] += 16;
    return false;
}

static void change_result(struct cushim_call *call, void *user)
{
    if (call->row == CUSHIM_ROW_cuMemFree_v2)
        call->result = *(int *) user;
}

Test(hooks, may_change_arguments_and_results)
{
    int result = 700;
    const struct cushim_hooks hooks[] = {{change_arguments, change_result, &result}};
    cushim_driver below = fake_open(0), driver = interpose(below, hooks, 1);
    const fake_table table = fake_functions(driver);
    uint64_t pointer = 0;

    cr_expect(zero(int, fake_alloc(table, &pointer, 64)));
    cr_expect(eq(sz, fake_seen()->alloc_size, 128));
    cr_expect(eq(int, fake_free(table, 0x1000), 700));
    cr_expect(eq(u64, fake_seen()->free_pointer, 0x1010));
    cushim_close(&driver);
    cushim_close(&below);
}

static void launch(fake_table table)
{
    typedef int launch_fn(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, void *, void **, void **);
    void *words[4];

    cr_expect(zero(int, ((launch_fn *) table[CUSHIM_ROW_cuLaunchKernel])(
                            &words[0], 1, 2, 3, 4, 5, 6, 7, &words[1], &words[2], &words[3])));
    cr_expect(eq(ptr, fake_seen()->function, &words[0]));
    for (unsigned i = 0; i < 3; i++) {
        cr_expect(eq(uint, fake_seen()->grid[i], 1 + i));
        cr_expect(eq(uint, fake_seen()->block[i], 4 + i));
    }
    cr_expect(eq(uint, fake_seen()->shared, 7));
    cr_expect(eq(ptr, fake_seen()->stream, &words[1]));
    cr_expect(eq(ptr, fake_seen()->params, &words[2]));
    cr_expect(eq(ptr, fake_seen()->extra, &words[3]));
}

static void pass_structures(fake_table table)
{
    struct location {
        int type, id;
    } location = {-7, 8};
    struct ipc {
        uint64_t v[8];
    } ipc = {{1, 2, 3, 4, 5, 6, 7, 8}};
    uint64_t pointer = 0;

    cr_expect(zero(int, ((int (*)(uint64_t, size_t, int, struct location))
                             table[CUSHIM_ROW_cuMemAdvise_v2])(1, 2, 3, location)));
    cr_expect(eq(int, fake_seen()->location.type, -7));
    cr_expect(eq(int, fake_seen()->location.id, 8));
    cr_expect(eq(uint, fake_seen()->init_flags, 3));
    cr_expect(zero(int, ((int (*)(uint64_t *, struct ipc, unsigned))
                             table[CUSHIM_ROW_cuIpcOpenMemHandle_v2])(&pointer, ipc, 9)));
    cr_expect(zero(int, memcmp(fake_seen()->ipc, &ipc, sizeof(ipc))));
    cr_expect(eq(uint, fake_seen()->init_flags, 9));
    cr_expect(eq(u64, pointer, 0x8000000));
}

static void pass_small_numbers(fake_table table)
{
    typedef int set16(uint64_t, uint16_t, size_t);
    typedef int set8(uint64_t, uint8_t, size_t);

    cr_expect(zero(int, ((int (*)(void *, float)) table[CUSHIM_ROW_cuTexRefSetMipmapLevelBias])(
                            &table, 0.625f)));
    cr_expect(eq(flt, fake_seen()->bias, 0.625f));
    cr_expect(zero(int, ((set16 *) table[CUSHIM_ROW_cuMemsetD16_v2])(1, 0xfedc, 2)));
    cr_expect(eq(int, fake_seen()->half, 0xfedc));
    cr_expect(zero(int, ((set8 *) table[CUSHIM_ROW_cuMemsetD8_v2])(1, 0xfe, UINT64_C(1) << 40)));
    cr_expect(eq(int, fake_seen()->byte, 0xfe));
    cr_expect(eq(sz, fake_seen()->alloc_size, UINT64_C(1) << 40));
}

Test(hooks, leave_arguments_of_every_kind_unharmed)
{
    struct step a = {.name = "a"};
    const struct cushim_hooks hooks[] = {PAIR(a)};
    cushim_driver below = fake_open(0), driver = interpose(below, hooks, 1);
    cushim_driver bare = interpose(below, NULL, 0);
    const fake_table tables[] = {fake_functions(below), fake_functions(bare),
                                 fake_functions(driver)};

    for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
        launch(tables[i]);
        pass_structures(tables[i]);
        pass_small_numbers(tables[i]);
    }
    cushim_close(&bare);
    cushim_close(&driver);
    cushim_close(&below);
}

/* A hook that calls the table it is in, and the one below. */
static struct {
    fake_table tables[2];
    int depth, deepest, runs;
} inner;

static bool call_again(struct cushim_call *call, void *user)
{
    (void) user;
    inner.runs++;
    if (++inner.depth > inner.deepest)
        inner.deepest = inner.depth;
    if (call->row == CUSHIM_ROW_cuInit)
        for (size_t i = 0; i < ARRAY_SIZE(inner.tables); i++)
            cr_expect(eq(int, fake_count(inner.tables[i]), FAKE_COUNT(0)));
    inner.depth--;
    return false;
}

static void call_after(struct cushim_call *call, void *user)
{
    call_again(call, user);
}

Test(hooks, may_call_the_table_themselves)
{
    const struct cushim_hooks hooks[] = {{call_again, call_after, NULL}};
    cushim_driver below = fake_open(0), driver = interpose(below, hooks, 1);
    const unsigned calls = fake_seen()->calls;

    inner.tables[0] = fake_functions(driver);
    inner.tables[1] = fake_functions(below);
    cr_expect(zero(int, fake_init(inner.tables[0], 0)));
    cr_expect(eq(int, inner.deepest, 1));
    cr_expect(eq(int, inner.runs, 2));
    cr_expect(eq(uint, fake_seen()->calls - calls, 5));
    cr_expect(eq(int, fake_count(inner.tables[0]), FAKE_COUNT(0)));
    cr_expect(eq(int, inner.runs, 4));
    cushim_close(&driver);
    cushim_close(&below);
}

static void change_text(struct cushim_call *call, void *user)
{
    if (call->row == CUSHIM_ROW_nvrtcGetErrorString)
        call->result = (intptr_t) user;
}

Test(hooks, of_nvrtc)
{
    struct step a = {.name = "a"};
    static char text[] = "a text of the hook";
    const struct cushim_hooks hooks[] = {{NULL, change_text, text}, PAIR(a)};
    cushim_nvrtc below = fake_nvrtc_open(), nvrtc = CUSHIM_NONE;
    const cushim_entry *table;
    const char *(*get_text)(int);

    assert_ok(cushim_interpose_nvrtc(below, hooks, 2, &nvrtc));
    table = cushim_nvrtc_functions(nvrtc, CUSHIM_NVRTC_ROWS);
    cr_expect(
        eq(int,
           ((int (*)(void *, int, void *)) table[CUSHIM_ROW_nvrtcCompileProgram])(&below, 0, NULL),
           6));
    cr_expect(eq(int, seen.after.library, CUSHIM_LIBRARY_NVRTC));
    cr_expect(eq(i64, seen.after.result, 6));
    get_text = (const char *(*) (int) ) table[CUSHIM_ROW_nvrtcGetErrorString];
    cr_expect(eq(str, S(get_text(5)), text));
    cr_expect(eq(uint, fake_seen()->init_flags, 5));
    cr_expect(eq(str, S((const char *) seen.after.result), S("a text of the fake")));
    cr_expect(eq(str, seen.text,
                 S("<a nvrtcCompileProgram;>a nvrtcCompileProgram;"
                   "<a nvrtcGetErrorString;>a nvrtcGetErrorString;")));
    cushim_nvrtc_close(&nvrtc);
    cr_expect(eq(str, S(get_text(5)), S("a text of the fake")));
    cushim_nvrtc_close(&below);
}

static int complete(cushim_nvjitlink nvjitlink, void *linked)
{
    return ((int (*)(void *)) cushim_nvjitlink_functions(
        nvjitlink, CUSHIM_NVJITLINK_ROWS)[CUSHIM_ROW_nvJitLinkComplete])(linked);
}

static void add_100(struct cushim_call *call, void *user)
{
    (void) user;
    call->result += 100;
}

Test(hooks, of_nvjitlink)
{
    struct step a = {.name = "a"};
    const struct cushim_hooks hooks[] = {{NULL, add_100, NULL}, PAIR(a)};
    cushim_nvjitlink below = fake_nvjitlink_open(), nvjitlink = CUSHIM_NONE;

    assert_ok(cushim_interpose_nvjitlink(below, hooks, 2, &nvjitlink));
    cr_expect(eq(int, complete(nvjitlink, &below), FAKE_LINK_RESULT + 100));
    cr_expect(eq(u64, fake_seen()->free_pointer, (uintptr_t) &below));
    cr_expect(eq(int, seen.after.library, CUSHIM_LIBRARY_NVJITLINK));
    cr_expect(eq(i64, seen.after.result, FAKE_LINK_RESULT));
    cr_expect(eq(str, seen.text, S("<a nvJitLinkComplete;>a nvJitLinkComplete;")));
    cr_expect(eq(int, complete(below, NULL), FAKE_LINK_RESULT));
    cushim_nvjitlink_close(&nvjitlink);
    cushim_nvjitlink_close(&below);
}

Test(hooks, need_a_driver_and_a_place_for_the_handle)
{
    const struct cushim_hooks hooks[] = {{before, after, NULL}};
    cushim_driver driver = fake_open(0), closed = driver, ret = {7};
    cushim_nvrtc nvrtc = fake_nvrtc_open(), ret_nvrtc = {8};
    cushim_nvjitlink ret_nvjitlink = {9};

    assert_status(cushim_interpose(driver, NULL, 1, &ret), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_status(cushim_interpose(driver, hooks, 1, NULL), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_status(cushim_interpose((cushim_driver){0}, hooks, 1, &ret), CUSHIM_ERROR_STALE_HANDLE);
    assert_status(cushim_interpose((cushim_driver){nvrtc.id}, hooks, 1, &ret),
                  CUSHIM_ERROR_WRONG_HANDLE);
    assert_status(cushim_interpose_nvrtc((cushim_nvrtc){driver.id}, hooks, 1, &ret_nvrtc),
                  CUSHIM_ERROR_WRONG_HANDLE);
    assert_status(
        cushim_interpose_nvjitlink((cushim_nvjitlink){nvrtc.id}, hooks, 1, &ret_nvjitlink),
        CUSHIM_ERROR_WRONG_HANDLE);
    /* The bytes of so many hooks are 0 again. */
    assert_status(cushim_interpose(driver, hooks, SIZE_MAX / 2 + 1, &ret), CUSHIM_ERROR_NO_MEMORY);
    cushim_close(&driver);
    assert_status(cushim_interpose(closed, hooks, 1, &ret), CUSHIM_ERROR_STALE_HANDLE);
    cr_expect(eq(u64, ret.id, 7));
    cr_expect(eq(u64, ret_nvrtc.id, 8));
    cr_expect(eq(u64, ret_nvjitlink.id, 9));
    cushim_nvrtc_close(&nvrtc);
}
