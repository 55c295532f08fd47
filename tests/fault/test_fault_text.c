/* SPDX-License-Identifier: MIT */
/* Rules as text. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support_faults.h"

SUITE(fault_text);

static int call_alloc_big(fake_table t)
{
    return call_alloc(t, (size_t) 5 << 30);
}

static int call_alloc_small(fake_table t)
{
    return call_alloc(t, 50);
}

Test(fault_text, all_conditions)
{
    struct faulty f;

    faulty_open(&f, 0);
    READ(f, "# what goes wrong\n"
            "cuDeviceGetCount every=2 count=2 result=CUDA_ERROR_NO_DEVICE; cuMemcpyHtoD nth=2 "
            "result=719\n"
            "\n"
            "  * above=4GiB result=out_of_memory  ;; # too large\r\n"
            "\tcuMemcpyDtoH\tafter=1   result=Invalid_Value;cuMemFree delay=1ms\n"
            "device_lost after=2");
    expect_calls(f, call_count, ".X.X..");
    expect_calls(f, call_upload, ".X.");
    expect_calls(f, call_alloc_small, "..");
    expect_calls(f, call_download, "..");
    expect_calls(f, call_launch, ".");
    expect_calls(f, call_download, "XX");
    cr_expect(eq(int, call_alloc_big(f.table), 2));
    cr_expect(eq(int, call_download(f.table), 1));
    expect_injected(f, "cuMemFree", 0);
    fake_free(f.table, 1);
    expect_injected(f, "cuMemFree", 1);
    expect_calls(f, call_launch, ".X");
    cr_expect(eq(int, call_alloc_small(f.table), 719));
    faulty_close(&f);
}

static int result_of(const char *word)
{
    char text[100];
    struct faulty f;
    int result;

    faulty_open(&f, 0);
    snprintf(text, sizeof(text), "cuCtxSynchronize result=%s", word);
    READ(f, text);
    result = fake_synchronize(f.table);
    faulty_close(&f);
    return result;
}

Test(fault_text, results)
{
    cr_expect(eq(int, result_of("2"), 2));
    cr_expect(eq(int, result_of("out_of_memory"), 2));
    cr_expect(eq(int, result_of("OUT_OF_MEMORY"), 2));
    cr_expect(eq(int, result_of("CUDA_ERROR_OUT_OF_MEMORY"), 2));
    cr_expect(eq(int, result_of("cuda_error_unknown"), 999));
    cr_expect(eq(int, result_of("not_ready"), 600));
    cr_expect(eq(int, result_of("4321"), 4321));
}

static uint64_t ns_with(const char *rule)
{
    struct faulty f;
    uint64_t start;

    faulty_open(&f, 0);
    READ(f, rule);
    start = cushim__now_ns();
    fake_synchronize(f.table);
    start = cushim__now_ns() - start;
    expect_injected(f, NULL, 1);
    faulty_close(&f);
    return start;
}

Test(fault_text, times)
{
    cr_expect(ge(u64, ns_with("cuCtxSynchronize delay=2000ns"), 2000));
    cr_expect(ge(u64, ns_with("cuCtxSynchronize delay=300us"), 300000));
    cr_expect(ge(u64, ns_with("cuCtxSynchronize delay=3ms"), 3000000));
    cr_expect(ge(u64, ns_with("cuCtxSynchronize delay=1s"), 1000000000));
}

/* The largest allocation that a rule lets through, if it is just below the one it hits. */
static uint64_t limit_of(const char *word, uint64_t bytes)
{
    char text[100];
    struct faulty f;
    bool right;

    faulty_open(&f, 0);
    snprintf(text, sizeof(text), "* above=%s result=2", word);
    READ(f, text);
    right = !call_alloc(f.table, bytes) && call_alloc(f.table, bytes + 1) == 2;
    faulty_close(&f);
    return right ? bytes : 0;
}

Test(fault_text, sizes)
{
    cr_expect(eq(u64, limit_of("1", 1), 1));
    cr_expect(eq(u64, limit_of("1000000", 1000000), 1000000));
    cr_expect(eq(u64, limit_of("3KiB", 3072), 3072));
    cr_expect(eq(u64, limit_of("5MiB", 5242880), 5242880));
    cr_expect(eq(u64, limit_of("1GiB", 1073741824), 1073741824));
    cr_expect(eq(u64, limit_of("2TiB", UINT64_C(2199023255552)), UINT64_C(2199023255552)));
}

static char *drawn(const char *rules)
{
    static char text[512];
    struct faulty f;

    faulty_open(&f, 4);
    READ(f, rules);
    strcpy(text, calls(f.table, call_count, 300));
    faulty_close(&f);
    return text;
}

Test(fault_text, seeds_and_probabilities)
{
    SCOPED_FREE char *own = strdup(drawn("cuDeviceGetCount probability=0.25 result=1"));
    SCOPED_FREE char *same = strdup(drawn("cuDeviceGetCount probability=0.250 result=1; seed=4"));
    SCOPED_FREE char *other = strdup(drawn("seed=5;cuDeviceGetCount probability=0.25 result=1"));

    cr_expect(eq(str, own, same));
    cr_expect(ne(str, own, other));
}

Test(fault_text, nothing_is_no_rule)
{
    struct faulty f;

    faulty_open(&f, 0);
    READ(f, "");
    READ(f, " ; ;\n# cuInit result=1\n#\n\n;");
    expect_calls(f, call_count, "..");
    faulty_close(&f);
}

/* --- Errors --- */

static const struct {
    const char *text;
    cushim_status status;
    const char *line, *part; /* of the error text */
} wrong[] = {
    {"cuNothing result=1", CUSHIM_ERROR_UNKNOWN_SYMBOL, "line 1", "'cuNothing'"},
    {"cuInit result=1\n\n# x\ncuMemAlocc result=1", CUSHIM_ERROR_UNKNOWN_SYMBOL, "line 4",
     "'cuMemAlocc'"},
    {"cuInit nth=1 result=1; cuInit nht=2 result=1", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1",
     "'nht=2'"},
    {"cuInit", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "neither result nor delay"},
    {"cuInit nth=2", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "neither result nor delay"},
    {"\ncuInit result", CUSHIM_ERROR_INVALID_ARGUMENT, "line 2", "'result'"},
    {"cuInit result=", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'result='"},
    {"cuInit result=0", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'result=0'"},
    {"cuInit result=12345", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "9999"},
    {"cuInit result=2x", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'result=2x'"},
    {"cuInit result=-2", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'result=-2'"},
    {"cuInit result=99999999999999999999", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "result wants"},
    {"cuInit result=success", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'result=success'"},
    {"cuInit result=compilation", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'result=compilation'"},
    {"cuInit result=1 result=2", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "twice"},
    {"cuInit result=1 nth=0", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'nth=0': nth wants"},
    {"cuInit result=1 nth=-1", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'nth=-1'"},
    {"cuInit result=1 nth=1 every=2", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "exclude"},
    {"cuInit result=1 every=x", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'every=x'"},
    {"cuInit result=1 count=", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'count='"},
    {"cuInit result=1 after=two", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'after=two'"},
    {"cuInit delay=2", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "such as 2ms"},
    {"cuInit delay=2m", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'delay=2m'"},
    {"cuInit delay=0ms", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'delay=0ms'"},
    {"cuInit delay=99999999999999s", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "delay wants"},
    {"* above=1GB result=2", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'above=1GB'"},
    {"* above=99999999999TiB result=2", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "above wants"},
    {"cuInit above=1GiB result=2", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "allocate"},
    {"cuInit result=1 probability=0", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'probability=0'"},
    {"cuInit result=1 probability=1.01", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "at most 1"},
    {"cuInit result=1 probability=0,5", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "0,5"},
    {"cuInit result=1 probability=-0.5", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "-0.5"},
    {"cuInit sticky", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "neither"},
    {"cuInit sticky=1 result=1", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'sticky=1'"},
    {"cuInit delay=1ms sticky", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "needs a result"},
    {"device_lost count=2", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "exclude"},
    {"nvrtcVersion result=1 sticky", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "NVRTC"},
    {"nvJitLinkVersion result=launch_failed", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1",
     "launch_failed"},
    {"nvrtcVersion result=launch_failed", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "launch_failed"},
    {"seed=x", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'seed=x'"},
    {"seed=1 cuInit result=1", CUSHIM_ERROR_INVALID_ARGUMENT, "line 1", "'cuInit'"},
    {"result=1", CUSHIM_ERROR_UNKNOWN_SYMBOL, "line 1", "'result=1'"},
};

Test(fault_text, errors_name_line_and_word)
{
    struct faulty f;

    faulty_open(&f, 0);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        const cushim_status got = cushim_faults_read(f.faults, wrong[i].text);

        cr_expect(eq(int, got, wrong[i].status), "%s", wrong[i].text);
        assert_contains(cushim_error_text(), wrong[i].line);
        assert_contains(cushim_error_text(), wrong[i].part);
        assert_contains(cushim_error_text(), "cushim_faults_read: ");
    }
    faulty_close(&f);
}

Test(fault_text, all_rules_or_none)
{
    struct faulty f;
    char many[CUSHIM_FAULTS_MAX * 16 + 32] = "";

    faulty_open(&f, 0);
    assert_status(cushim_faults_read(f.faults, "cuDeviceGetCount result=1; cuInit nth"),
                  CUSHIM_ERROR_INVALID_ARGUMENT);
    expect_calls(f, call_count, "..");
    for (int i = 0; i < CUSHIM_FAULTS_MAX; i++)
        strcat(many, "cu* result=1\n");
    READ(f, "cuInit result=1");
    assert_status(cushim_faults_read(f.faults, many), CUSHIM_ERROR_LIMIT);
    expect_calls(f, call_count, "..");
    strcat(many, "cu* result=1\n");
    assert_status(cushim_faults_read(f.faults, many), CUSHIM_ERROR_LIMIT);
    assert_contains(cushim_error_text(), "line 65");
    faulty_close(&f);
}

/* --- Files --- */

static void write_file(char *path, const char *text, size_t length)
{
    const int fd = mkstemp(path);

    cr_assert(ge(int, fd, 0));
    cr_assert(eq(sz, (size_t) write(fd, text, length), length));
    close(fd);
}

Test(fault_text, files)
{
    static const char text[] = "# a file\ncuDeviceGetCount nth=2 result=1\n", nul[] = "a\0b";
    char path[] = "/tmp/cushim-faults-XXXXXX", bad[] = "/tmp/cushim-faults-XXXXXX",
         empty[] = "/tmp/cushim-faults-XXXXXX", zero[] = "/tmp/cushim-faults-XXXXXX";
    char where[64];
    struct faulty f;

    write_file(path, text, strlen(text));
    write_file(bad, "\n\ncuInit nth=x", 14);
    write_file(empty, "", 0);
    write_file(zero, nul, sizeof(nul));
    faulty_open(&f, 0);
    assert_ok(cushim_faults_read_file(f.faults, path));
    assert_ok(cushim_faults_read_file(f.faults, empty));
    expect_calls(f, call_count, ".X.");
    assert_status(cushim_faults_read_file(f.faults, bad), CUSHIM_ERROR_INVALID_ARGUMENT);
    snprintf(where, sizeof(where), "%s:3: 'nth=x'", bad);
    assert_contains(cushim_error_text(), where);
    assert_status(cushim_faults_read_file(f.faults, zero), CUSHIM_ERROR_SYSTEM);
    assert_status(cushim_faults_read_file(f.faults, "/nowhere/faults"), CUSHIM_ERROR_SYSTEM);
    assert_contains(cushim_error_text(), "/nowhere/faults");
    assert_status(cushim_faults_read_file(f.faults, "/tmp"), CUSHIM_ERROR_SYSTEM);
    assert_contains(cushim_error_text(), "/tmp: it is a folder");
    assert_status(cushim_faults_read_file(f.faults, "/dev/zero"), CUSHIM_ERROR_SYSTEM);
    assert_contains(cushim_error_text(), "/dev/zero: it is a device");
    assert_status(cushim_faults_read_file(f.faults, "/proc/version"), CUSHIM_ERROR_SYSTEM);
    assert_contains(cushim_error_text(), "the kernel makes it up");
    unlink(path);
    cr_assert(eq(int, mkfifo(path, 0600), 0));
    assert_status(cushim_faults_read_file(f.faults, path), CUSHIM_ERROR_SYSTEM);
    assert_contains(cushim_error_text(), "it is a pipe");
    faulty_close(&f);
    unlink(path);
    unlink(bad);
    unlink(empty);
    unlink(zero);
}
