/* SPDX-License-Identifier: MIT */
/* Names of functions, several rules, other hooks, and what is refused. */
#include <math.h>

#include <cushim/trace.h>

#include "support_faults.h"

SUITE(fault_rules);

static int call_upload_ptds(fake_table t)
{
    return CALL(t, cuMemcpyHtoD_v2_ptds, (uint64_t, const void *, size_t), 0x1000, "", 1);
}

static int call_alloc_v2(fake_table t)
{
    return call_alloc(t, 16);
}

static int call_alloc_v1(fake_table t)
{
    uint32_t pointer = 0;

    return CALL(t, cuMemAlloc, (uint32_t *, uint32_t), &pointer, 16);
}

static int call_init(fake_table t)
{
    return fake_init(t, 0);
}

/* What a rule for a name makes of one call of each of these. */
static void expect_hit(const char *name, const char *wanted)
{
    static some_call *const all[] = {call_alloc_v1,    call_alloc_v2, call_upload,
                                     call_upload_ptds, call_download, call_init};
    char got[ARRAY_SIZE(all) + 1] = "";
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, name, .result = 1);
    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        got[i] = all[i](f.table) ? 'X' : '.';
    cr_expect(eq(str, got, S(wanted)), "%s", name);
    faulty_close(&f);
}

Test(fault_rules, names)
{
    expect_hit("cuMemAlloc", "XX....");
    expect_hit("cuMemAlloc_v2", ".X....");
    expect_hit("cuMemAlloc_v1", "X.....");
    expect_hit("cuMemAlloc*", "XX....");
    expect_hit("cuMemcpyHtoD", "..XX..");
    expect_hit("cuMemcpyHtoD_v2", "..X...");
    expect_hit("cuMemcpyHtoD_v2_ptds", "...X..");
    expect_hit("cuMemcpy*", "..XXX.");
    expect_hit("cuMem*", "XXXXX.");
    expect_hit("cu*", "XXXXX.");
    expect_hit("*", "XXXXX.");
    expect_hit("cuInit", ".....X");
    expect_hit("cuIn*", ".....X");
    expect_hit("nvrtc*", "......");
    expect_hit("nvJitLink*", "......");
}

Test(fault_rules, a_rule_counts_the_calls_of_all_its_functions)
{
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "cuMemcpy*", .nth = 3, .result = 1);
    expect_calls(f, call_upload, ".");
    expect_calls(f, call_download, ".");
    expect_calls(f, call_upload_ptds, "X.");
    expect_injected(f, "cuMemcpyHtoD", 1);
    expect_injected(f, "cuMemcpyHtoD_v2", 0);
    expect_injected(f, "cuMemcpyHtoD_v2_ptds", 1);
    expect_injected(f, "cuMemcpyDtoH", 0);
    expect_injected(f, "cuMemcpy*", 1);
    faulty_close(&f);
}

Test(fault_rules, the_first_that_answers_ends_it)
{
    struct faulty f;

    faulty_open(&f, 0);
    ADD(f, "cuDeviceGetCount", .every = 2, .result = 1);
    ADD(f, "cuDevice*", .nth = 2, .result = 100);
    cr_expect(eq(int, call_count(f.table), 0));
    cr_expect(eq(int, call_count(f.table), 1));
    cr_expect(eq(int, call_count(f.table), 100));
    cr_expect(eq(int, call_count(f.table), 1));
    expect_injected(f, NULL, 3);
    faulty_close(&f);
}

Test(fault_rules, are_added_while_calls_are_made)
{
    struct faulty f;

    faulty_open(&f, 0);
    expect_calls(f, call_count, "..");
    ADD(f, "cuDeviceGetCount", .nth = 2, .result = 1);
    expect_calls(f, call_count, ".X.");
    faulty_close(&f);
}

Test(fault_rules, reset_begins_anew)
{
    struct faulty f;

    faulty_open(&f, 9);
    ADD(f, "cuDeviceGetCount", .nth = 2, .result = 1);
    ADD(f, "cuMemcpyHtoD", .every = 3, .count = 1, .result = 1);
    ADD(f, "cuMemcpyDtoH", .after_launches = 1, .probability = 0.9, .result = 1);
    for (int i = 0; i < 3; i++) {
        expect_calls(f, call_count, ".X.");
        expect_calls(f, call_upload, "..X...");
        expect_calls(f, call_download, "..");
        expect_injected(f, NULL, 2);
        call_launch(f.table);
        assert_ok(cushim_faults_reset(f.faults));
        expect_injected(f, NULL, 0);
    }
    faulty_close(&f);
}

Test(fault_rules, as_many_as_there_can_be)
{
    struct faulty f;

    faulty_open(&f, 0);
    for (uint64_t i = 1; i < CUSHIM_FAULTS_MAX; i++)
        ADD(f, "cuDeviceGetCount", .nth = i * 2, .result = 1);
    /* A call that was answered is not counted by the rules behind. */
    ADD(f, "cuMemcpyHtoD", .result = 1);
    assert_status(cushim_faults_add(f.faults, "cuInit", cushim_fault(.result = 1)),
                  CUSHIM_ERROR_LIMIT);
    assert_contains(cushim_error_text(), "64");
    assert_status(cushim_faults_read(f.faults, "cuInit result=1"), CUSHIM_ERROR_LIMIT);
    expect_calls(f, call_count, ".X");
    expect_calls(f, call_upload, "X");
    faulty_close(&f);
}

Test(fault_rules, nvrtc)
{
    cushim_nvrtc below = fake_nvrtc_open(), nvrtc = CUSHIM_NONE;
    cushim_faults faults = CUSHIM_NONE;
    struct cushim_hooks hooks;
    const cushim_entry *table;
    uint64_t n = 0;

    assert_ok(cushim_faults_create(NULL, &faults));
    assert_ok(cushim_faults_read(faults, "nvrtc* result=internal_error; * result=2"));
    hooks = cushim_faults_hooks(faults);
    assert_ok(cushim_interpose_nvrtc(below, &hooks, 1, &nvrtc));
    table = cushim_nvrtc_functions(nvrtc, CUSHIM_NVRTC_ROWS);
    cr_expect(eq(int, CALL(table, nvrtcCompileProgram, (void *, int, void *), NULL, 0, NULL), 11));
    cr_expect(eq(str, S(((const char *(*) (int) ) table[CUSHIM_ROW_nvrtcGetErrorString])(6)),
                 S("a text of the fake")));
    assert_ok(cushim_faults_injected(faults, "nvrtcCompileProgram", &n));
    cr_expect(eq(u64, n, 1));
    cushim_nvrtc_close(&nvrtc);
    cushim_nvrtc_close(&below);
    cushim_faults_free(&faults);
}

static int complete(cushim_nvjitlink nvjitlink)
{
    return CALL(cushim_nvjitlink_functions(nvjitlink, CUSHIM_NVJITLINK_ROWS), nvJitLinkComplete,
                (void *), NULL);
}

Test(fault_rules, nvjitlink)
{
    cushim_nvjitlink below = fake_nvjitlink_open(), nvjitlink = CUSHIM_NONE;
    cushim_faults faults = CUSHIM_NONE;
    struct cushim_hooks hooks;
    uint64_t n = 0;

    assert_ok(cushim_faults_create(NULL, &faults));
    assert_ok(cushim_faults_read(faults, "nvJitLink* nth=2 result=ptx_compile; * result=2; nvrtc* "
                                         "result=3"));
    hooks = cushim_faults_hooks(faults);
    assert_ok(cushim_interpose_nvjitlink(below, &hooks, 1, &nvjitlink));
    cr_expect(eq(int, complete(nvjitlink), FAKE_LINK_RESULT));
    cr_expect(eq(int, complete(nvjitlink), 4));
    cr_expect(eq(int, complete(nvjitlink), FAKE_LINK_RESULT));
    assert_ok(cushim_faults_injected(faults, "nvJitLinkComplete", &n));
    cr_expect(eq(u64, n, 1));
    cushim_nvjitlink_close(&nvjitlink);
    cushim_nvjitlink_close(&below);
    cushim_faults_free(&faults);
}

/* A trace before the faults sees what the program sees; one behind, what the driver is asked. */
Test(fault_rules, among_other_hooks)
{
    cushim_driver below = faulty_below(), driver = CUSHIM_NONE;
    cushim_trace outer = CUSHIM_NONE, inner = CUSHIM_NONE;
    cushim_faults faults = CUSHIM_NONE;
    struct cushim_traced_call seen[4], made[4];
    struct cushim_hooks hooks[3];
    size_t n = 0;

    assert_ok(cushim_trace_create(NULL, &outer));
    assert_ok(cushim_trace_create(NULL, &inner));
    assert_ok(cushim_faults_create(NULL, &faults));
    assert_ok(cushim_faults_read(faults, "cuMemcpyHtoD result=1; cuMemFree result=700"));
    hooks[0] = cushim_trace_hooks(outer);
    hooks[1] = cushim_faults_hooks(faults);
    hooks[2] = cushim_trace_hooks(inner);
    assert_ok(cushim_interpose(below, hooks, 3, &driver));
    call_upload(fake_functions(driver));
    fake_free(fake_functions(driver), 1);
    assert_ok(cushim_trace_calls(outer, 0, seen, 4, &n));
    cr_assert(eq(sz, n, 2));
    cr_expect(eq(int, seen[0].result, 1));
    cr_expect(seen[0].answered);
    cr_expect(eq(int, seen[1].result, 700));
    cr_expect(not(seen[1].answered));
    assert_ok(cushim_trace_calls(inner, 0, made, 4, &n));
    cr_assert(eq(sz, n, 1));
    cr_expect(eq(str, S(made[0].name), S("cuMemFree_v2")));
    cr_expect(eq(int, made[0].result, 0));
    cushim_close(&driver);
    cushim_close(&below);
    cushim_faults_free(&faults);
    cushim_trace_free(&outer);
    cushim_trace_free(&inner);
}

Test(fault_rules, may_be_freed_before_the_table)
{
    struct faulty f;
    cushim_faults copy;

    faulty_open(&f, 0);
    ADD(f, "cu*", .result = 1);
    expect_calls(f, call_count, "X");
    copy = f.faults;
    cushim_faults_free(&f.faults);
    cr_expect(eq(u64, f.faults.id, 0));
    cushim_error_clear();
    expect_calls(f, call_count, "..");
    expect_calls(f, fake_synchronize, "..");
    cr_expect(eq(int, cushim_error_status(), CUSHIM_OK));
    assert_status(cushim_faults_reset(copy), CUSHIM_ERROR_STALE_HANDLE);
    faulty_close(&f);
}

Test(fault_rules, hooks_of_a_handle_that_is_none)
{
    const struct cushim_hooks hooks = cushim_faults_hooks((cushim_faults){0});
    cushim_driver below = faulty_below(), driver = CUSHIM_NONE;

    assert_ok(cushim_interpose(below, &hooks, 1, &driver));
    cr_expect(eq(int, fake_count(fake_functions(driver)), FAKE_COUNT(0)));
    cr_expect(eq(int, fake_synchronize(fake_functions(driver)), 0));
    cushim_close(&driver);
    cushim_close(&below);
}

/* --- What is refused --- */

Test(fault_rules, refuses_rules_that_can_do_nothing)
{
    static const struct {
        const char *function;
        struct cushim_fault fault;
        cushim_status status;
        const char *part; /* of the error text */
    } cases[] = {
        {"cuNothing", {.result = 1}, CUSHIM_ERROR_UNKNOWN_SYMBOL, "cuNothing"},
        {"cuNothing*", {.result = 1}, CUSHIM_ERROR_UNKNOWN_SYMBOL, "cuNothing*"},
        {"cu*Alloc", {.result = 1}, CUSHIM_ERROR_UNKNOWN_SYMBOL, "cu*Alloc"},
        {"**", {.result = 1}, CUSHIM_ERROR_UNKNOWN_SYMBOL, "**"},
        {"", {.result = 1}, CUSHIM_ERROR_UNKNOWN_SYMBOL, "''"},
        {"_v1", {.result = 1}, CUSHIM_ERROR_UNKNOWN_SYMBOL, "_v1"},
        {"cuMemcpyHtoD_v9", {.result = 1}, CUSHIM_ERROR_UNKNOWN_SYMBOL, "cuMemcpyHtoD_v9"},
        {"cuInit", {0}, CUSHIM_ERROR_INVALID_ARGUMENT, "neither result nor delay"},
        {"cuInit", {.result = -1}, CUSHIM_ERROR_INVALID_ARGUMENT, "result"},
        {"cuInit", {.result = 10000}, CUSHIM_ERROR_INVALID_ARGUMENT, "result"},
        {"cuInit", {.result = 1, .nth = 1, .every = 1}, CUSHIM_ERROR_INVALID_ARGUMENT, "exclude"},
        {"cuInit", {.result = 1, .probability = 1.5}, CUSHIM_ERROR_INVALID_ARGUMENT, "probability"},
        {"cuInit", {.result = 1, .probability = -1}, CUSHIM_ERROR_INVALID_ARGUMENT, "probability"},
        {"cuInit", {.result = 1, .probability = NAN}, CUSHIM_ERROR_INVALID_ARGUMENT, "probability"},
        {"cuInit", {.result = 1, .above_bytes = 1}, CUSHIM_ERROR_INVALID_ARGUMENT, "above"},
        {"cuInit", {.delay_ns = UINT64_MAX}, CUSHIM_ERROR_INVALID_ARGUMENT, "delay"},
        {"cuInit", {.delay_ns = 1, .sticky = true}, CUSHIM_ERROR_INVALID_ARGUMENT, "sticky"},
        {"cuInit",
         {.result = 1, .count = 1, .sticky = true},
         CUSHIM_ERROR_INVALID_ARGUMENT,
         "exclude"},
        {"device_lost", {.count = 1}, CUSHIM_ERROR_INVALID_ARGUMENT, "exclude"},
        {"nvrtcVersion", {.result = 1, .sticky = true}, CUSHIM_ERROR_INVALID_ARGUMENT, "NVRTC"},
        {"nvJitLink*", {.result = 1, .sticky = true}, CUSHIM_ERROR_INVALID_ARGUMENT, "nvJitLink"},
        {"nvrtcGetErrorString", {.result = 1}, CUSHIM_ERROR_INVALID_ARGUMENT, "text"},
    };
    struct faulty f;

    faulty_open(&f, 0);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct cushim_fault fault = cases[i].fault;
        cushim_status got;

        fault.size = sizeof(fault);
        got = cushim_faults_add(f.faults, cases[i].function, &fault);
        cr_expect(eq(int, got, cases[i].status), "case %zu: %s", i, cushim_error_text());
        assert_contains(cushim_error_text(), cases[i].part);
        assert_contains(cushim_error_text(), "cushim_faults_add: ");
    }
    expect_calls(f, call_count, "...");
    faulty_close(&f);
}

Test(fault_rules, refuses_what_is_wrong)
{
    cushim_faults faults = CUSHIM_NONE, none = CUSHIM_NONE;
    cushim_driver driver = fake_open(0);
    const struct cushim_fault *fault = cushim_fault(.result = 1);
    uint64_t n = 5;

    assert_status(cushim_faults_create(NULL, NULL), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_ok(cushim_faults_create(NULL, &faults));
    assert_status(cushim_faults_add(faults, NULL, fault), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_contains(cushim_error_text(), "function is NULL");
    assert_status(cushim_faults_add(faults, "cuInit", NULL), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_contains(cushim_error_text(), "fault is NULL");
    assert_status(cushim_faults_add(none, "cuInit", fault), CUSHIM_ERROR_STALE_HANDLE);
    assert_status(cushim_faults_add((cushim_faults){driver.id}, "cuInit", fault),
                  CUSHIM_ERROR_WRONG_HANDLE);
    assert_status(cushim_faults_read(faults, NULL), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_status(cushim_faults_read(none, ""), CUSHIM_ERROR_STALE_HANDLE);
    assert_status(cushim_faults_read_file(faults, NULL), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_status(cushim_faults_read_file(none, "x"), CUSHIM_ERROR_STALE_HANDLE);
    assert_status(cushim_faults_read_file(faults, ""), CUSHIM_ERROR_SYSTEM);
    assert_contains(cushim_error_text(), "the path is empty");
    assert_status(cushim_faults_injected(faults, NULL, NULL), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_status(cushim_faults_injected(none, NULL, &n), CUSHIM_ERROR_STALE_HANDLE);
    assert_status(cushim_faults_injected(faults, "cuNone", &n), CUSHIM_ERROR_UNKNOWN_SYMBOL);
    assert_status(cushim_faults_injected(faults, "device_lost", &n), CUSHIM_ERROR_UNKNOWN_SYMBOL);
    assert_status(cushim_faults_reset(none), CUSHIM_ERROR_STALE_HANDLE);
    cr_expect(eq(u64, n, 5));
    cushim_faults_free(&none);
    cushim_faults_free(NULL);
    cushim_faults_free(&faults);
    cushim_close(&driver);
}
