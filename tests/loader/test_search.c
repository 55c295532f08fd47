/* SPDX-License-Identifier: MIT */
/* What is looked for: parameters, environment, words, resolvers, what is loaded already. */
#include "support.h"

#include <dlfcn.h>
#include <time.h>

TestSuite(search, .fini = fail_on_valgrind_errors);

/* Opens with a word list and says what came of it: the path, or NULL. */
static const char *opened(const char *library)
{
    cushim_driver driver = CUSHIM_NONE;
    const char *path = NULL;

    if (!cushim_open(cushim_open_params(.library = library), &driver))
        path = cushim_driver_path(driver);
    cushim_close(&driver);
    return path;
}

Test(search, word_lists)
{
    static const struct {
        const char *library, *environment, *path;
    } rows[] = {
        {FAKE("few"), NULL, FAKE("few")},
        {FAKE("few"), FAKE("old"), FAKE("few")}, /* the parameter beats the environment */
        {NULL, FAKE("old"), FAKE("old")},
        {"", FAKE("old"), FAKE("old")},
        {NULL, BAD("absent") ":" FAKE("old"), FAKE("old")},
        {BAD("absent") ":" FAKE("few"), NULL, FAKE("few")},
        {BAD("absent"), FAKE("old"), NULL}, /* a parameter that finds nothing does not fall back */
        {":::" FAKE("few") "::", NULL, FAKE("few")},
        {":", FAKE("old"), NULL}, /* not empty, and without a word in it */
        {FAKE("few") ":" FAKE("old"), NULL, FAKE("few")},
        {FAKE("few") ":none", NULL, FAKE("few")},
        {"none", FAKE("old"), NULL},
        {"none:" FAKE("few"), NULL, NULL},
        {NULL, "none", NULL},
        {NULL, "none:" FAKE("few"), NULL},
        {"libcushim-no-such-library.so.1", NULL, NULL},
        {"libcushim-no-such-library.so.1:" FAKE("few"), NULL, FAKE("few")},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *got;

        if (rows[i].environment)
            setenv("CUSHIM_LIBCUDA", rows[i].environment, 1);
        else
            unsetenv("CUSHIM_LIBCUDA");
        got = opened(rows[i].library);
        assert_text(got ? got : "nothing", rows[i].path ? rows[i].path : "nothing",
                    rows[i].library ? rows[i].library : "(the environment)");
        if (!rows[i].path)
            cr_assert(eq(int, cushim_error_status(), CUSHIM_ERROR_NO_DRIVER), "row %zu", i);
    }
}

Test(search, an_error_names_the_variable_and_says_a_name_once)
{
    const char *text;

    setenv("CUSHIM_LIBCUDA", "nonsense", 1);
    assert_true(!opened(NULL), "nothing is found");
    text = cushim_error_text();
    assert_contains(text,
                    "no CUDA driver found. CUSHIM_LIBCUDA is 'nonsense'. nonsense: absent, cannot "
                    "open shared object file",
                    "the environment");
    assert_true(!opened("nonsense"), "nothing is found");
    text = cushim_error_text();
    assert_contains(text, "no CUDA driver found. nonsense: absent, cannot open", "the program");
}

Test(search, parameters_may_be_null)
{
    const struct cushim_report *report;
    cushim_driver driver = CUSHIM_NONE;

    setenv("CUSHIM_LIBCUDA", FAKE("few"), 1);
    assert_ok(cushim_open(NULL, &driver));
    assert_text(cushim_driver_path(driver), FAKE("few"), "NULL");
    report = make_report(CUSHIM_LIBRARY_CUDA, NULL);
    cr_assert(eq(int, report->chosen->origin, CUSHIM_ORIGIN_ENVIRONMENT));
    cushim_report_free(&report);
    cushim_close(&driver);
}

static void check_disabled(const struct cushim_open_params *params, enum cushim_origin origin,
                           const char *by)
{
    const struct cushim_report *report = make_report(CUSHIM_LIBRARY_CUDA, params);

    cr_assert(eq(sz, report->n_candidates, 1), "nothing is tried after none");
    cr_assert(eq(int, report->candidates[0]->verdict, CUSHIM_VERDICT_DISABLED));
    cr_assert(eq(int, report->candidates[0]->origin, origin));
    assert_text(report->candidates[0]->detail, by, "none");
    cr_assert(eq(int, report->status, CUSHIM_ERROR_NO_DRIVER));
    assert_contains(report->text, "no CUDA driver found. disabled by ", "none");
    assert_contains(report->text, by, "none");
    cushim_report_free(&report);
}

Test(search, none)
{
    setenv("CUSHIM_LIBCUDA", "none:auto", 1);
    check_disabled(cushim_open_params(.library = "none:auto"), CUSHIM_ORIGIN_PARAMETER,
                   "the program");
    check_disabled(NULL, CUSHIM_ORIGIN_ENVIRONMENT, "CUSHIM_LIBCUDA");
}

Test(search, what_is_loaded_already_comes_first)
{
    void *handle = dlopen(FAKE("answers"), RTLD_NOW | RTLD_LOCAL);
    const struct cushim_report *report;

    assert_true(handle, "%s", dlerror());
    for (int i = 0; i < 2; i++) { /* the second time from what is known */
        report = make_report(CUSHIM_LIBRARY_CUDA, cushim_open_params(.library = "auto"));
        cr_assert(eq(int, report->status, CUSHIM_OK), "%s", report->text);
        cr_assert(eq(sz, report->n_candidates, 1));
        cr_assert(eq(int, report->chosen->origin, CUSHIM_ORIGIN_PROCESS));
        assert_text(report->chosen->name, "libcuda.so.1", "auto");
        assert_text(report->chosen->path, FAKE("answers"), "auto");
        cushim_report_free(&report);
    }
    /* It stays, though the one who loaded it lets it go. */
    dlclose(handle);
    assert_true(is_mapped(FAKE("answers")), "an accepted library is kept");
    assert_text(opened("auto"), FAKE("answers"), "auto");
}

Test(search, a_loaded_stub_is_tried_once)
{
    void *handle = dlopen(FAKE("stub"), RTLD_NOW | RTLD_LOCAL);
    const struct cushim_report *report;

    assert_true(handle, "%s", dlerror());
    report =
        make_report(CUSHIM_LIBRARY_CUDA, cushim_open_params(.library = "auto", .load_only = 1));
    cr_assert(eq(int, report->candidates[0]->origin, CUSHIM_ORIGIN_PROCESS));
    cr_assert(eq(int, report->candidates[0]->verdict, CUSHIM_VERDICT_STUB));
    cr_assert(eq(int, report->candidates[1]->origin, CUSHIM_ORIGIN_LINKER));
    cr_assert(eq(int, report->candidates[1]->verdict, CUSHIM_VERDICT_REPEATED));
    assert_text(report->candidates[1]->path, FAKE("stub"), "auto");
    cushim_report_free(&report);
    assert_true(is_mapped(FAKE("stub")), "who loaded it still has it");
    dlclose(handle);
}

Test(search, twice_is_one_table)
{
    cushim_driver a = open_driver(FAKE("answers")), b = open_driver(FAKE("answers"));
    cushim_driver c = open_driver(FAKE_DIR "/../loader/fake-answers.so"); /* the same file */
    const cushim_entry *table = cushim_driver_functions(a, CUSHIM_CUDA_ROWS);

    assert_true(a.id != b.id, "two handles");
    assert_true(table == cushim_driver_functions(b, CUSHIM_CUDA_ROWS), "one table");
    assert_true(table == cushim_driver_functions(c, CUSHIM_CUDA_ROWS), "one table for one file");
    cushim_close(&a);
    cr_assert(eq(int, call_row(b, CUSHIM_ROW_cuMemAlloc_v2), FAKE_ROW + CUSHIM_ROW_cuMemAlloc_v2));
    cushim_close(&b);
    cushim_close(&c);
    cr_assert(eq(int,
                 fake_call(CUSHIM_LIBRARY_CUDA, CUSHIM_ROW_cuMemAlloc_v2,
                           table[CUSHIM_ROW_cuMemAlloc_v2]),
                 FAKE_ROW + CUSHIM_ROW_cuMemAlloc_v2),
              "a table outlives its handles");
}

Test(search, two_drivers_at_once)
{
    cushim_driver a = open_driver(FAKE("answers")), b = open_driver(FAKE("old"));
    int version_a = 0, version_b = 0;

    assert_ok(cushim_driver_version(a, &version_a));
    assert_ok(cushim_driver_version(b, &version_b));
    cr_assert(eq(int, version_a, 13000));
    cr_assert(eq(int, version_b, 11040));
    assert_true(cushim_driver_functions(a, 1) != cushim_driver_functions(b, 1), "two tables");
    assert_text(cushim_driver_path(a), FAKE("answers"), "a");
    assert_text(cushim_driver_path(b), FAKE("old"), "b");
    cr_assert(eq(int, call_row(a, CUSHIM_ROW_cuMemAlloc_v2), FAKE_ROW + CUSHIM_ROW_cuMemAlloc_v2));
    cr_assert(eq(int, call_row(b, CUSHIM_ROW_cuMemAlloc_v2), FAKE_ROW + CUSHIM_ROW_cuMemAlloc_v2));
    cr_assert(
        eq(int, call_row(a, CUSHIM_ROW_cuLaunchKernelEx), FAKE_ROW + CUSHIM_ROW_cuLaunchKernelEx));
    cr_assert(eq(int, call_row(b, CUSHIM_ROW_cuLaunchKernelEx), 302));
    cushim_close(&a);
    cushim_close(&b);
}

struct resolved {
    void *handle;
    unsigned asked;
};

static void *resolve(const char *symbol, void *user)
{
    struct resolved *resolved = user;

    resolved->asked++;
    return dlsym(resolved->handle, symbol);
}

Test(search, resolver)
{
    static struct resolved one, other;
    const struct cushim_open_params *params =
        cushim_open_params(.resolver = resolve, .resolver_user = &one, .library = "none");
    const struct cushim_report *report;
    cushim_driver a = CUSHIM_NONE, b = CUSHIM_NONE;
    unsigned asked;

    one.handle = dlopen(FAKE("answers"), RTLD_NOW | RTLD_LOCAL);
    other.handle = dlopen(FAKE("old"), RTLD_NOW | RTLD_LOCAL);
    assert_ok(cushim_open(params, &a));
    asked = one.asked;
    assert_true(asked >= CUSHIM_CUDA_ROWS, "asked %u times for %d rows", asked, CUSHIM_CUDA_ROWS);
    assert_text(cushim_driver_path(a), "", "a resolver has no path");
    cr_assert(
        eq(int, call_row(a, CUSHIM_ROW_cuLaunchKernelEx), FAKE_ROW + CUSHIM_ROW_cuLaunchKernelEx));
    assert_ok(cushim_open(params, &b));
    cr_assert(eq(uint, one.asked, asked), "the same resolver and user are the same library");
    assert_true(cushim_driver_functions(a, 1) == cushim_driver_functions(b, 1), "one table");
    cushim_close(&b);

    report = make_report(CUSHIM_LIBRARY_CUDA,
                         cushim_open_params(.resolver = resolve, .resolver_user = &other));
    cr_assert(eq(int, report->chosen->origin, CUSHIM_ORIGIN_RESOLVER));
    cr_assert(eq(int, report->version, 11040), "another user is another library");
    cushim_report_free(&report);
    cushim_close(&a);
}

static void *resolve_nothing(const char *symbol, void *user)
{
    (void) symbol;
    (void) user;
    return NULL;
}

Test(search, resolver_that_knows_nothing)
{
    cushim_driver driver = CUSHIM_NONE;

    assert_status(cushim_open(cushim_open_params(.resolver = resolve_nothing), &driver),
                  CUSHIM_ERROR_NO_DRIVER);
    assert_contains(cushim_error_text(), "resolver: functions missing, it lacks cuDriverGetVersion",
                    "resolver");
}

Test(search, mock)
{
    const struct cushim_report *report = make_report(
        CUSHIM_LIBRARY_CUDA, cushim_open_params(.library = "mock:" FAKE("few"), .load_only = true));

    /* Where the mock is, if it is, is no business of this test; that it is asked for is. */
    assert_contains(report->candidates[0]->name, "/cushim/libcuda.so.1", "beside the library");
    cr_assert(eq(int, report->candidates[0]->origin, CUSHIM_ORIGIN_PARAMETER));
    if (!strcmp(report->chosen->path, FAKE("few")))
        assert_text(report->candidates[2]->name, "libcushim-mock.so.0", "as the linker finds it");
    cushim_report_free(&report);

    report = make_report(CUSHIM_LIBRARY_NVRTC, cushim_open_params(.library = "mock"));
    cr_assert(eq(int, report->status, CUSHIM_ERROR_NO_NVRTC));
    cr_assert(eq(int, report->candidates[0]->verdict, CUSHIM_VERDICT_ABSENT));
    assert_text(report->candidates[0]->detail, "there is no mock of NVRTC", "mock");
    cushim_report_free(&report);
}

Test(search, names_that_the_linker_does_not_find)
{
    if (opened("auto"))
        cr_skip_test("there is a driver here");
    assert_contains(cushim_error_text(), " libcuda.so.1: not in the library path;", "the sentence");
}

Test(search, report_counts)
{
    const struct cushim_report *report =
        make_report(CUSHIM_LIBRARY_CUDA, cushim_open_params(.library = FAKE("old")));
    size_t missing = 0;

    cr_assert(eq(int, report->library, CUSHIM_LIBRARY_CUDA));
    cr_assert(eq(int, report->version, 11040));
    cr_assert(eq(int, report->chosen->version, 11040));
    cr_assert(eq(sz, report->rows, CUSHIM_CUDA_ROWS));
    cr_assert(eq(sz, report->found, report->chosen->found));
    cr_assert(eq(sz, report->found + report->n_missing, CUSHIM_CUDA_ROWS));
    for (size_t i = 0; i < report->n_missing; i++) {
        assert_true(report->missing[i].since > 11040, "%s", report->missing[i].symbol);
        missing += strstr(report->missing[i].symbol, "cuLaunchKernelEx") != NULL;
    }
    cr_assert(eq(sz, missing, 2), "cuLaunchKernelEx and its per-thread variant");
    cr_assert(eq(int, report->process, (int) getpid()));
    assert_true(report->total_ns >= report->load_ns, "the whole is not less than a part");
    cushim_report_free(&report);
    cushim_report_free(&report);
    cushim_report_free(NULL);
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}

/* No limits but those that hold on any machine: parts make up the whole, which is within the call.
 */
Test(search, report_times)
{
    const uint64_t start = now_ns();
    const struct cushim_report *report =
        make_report(CUSHIM_LIBRARY_CUDA, cushim_open_params(.library = FAKE("slow")));
    const uint64_t around = now_ns() - start;

    assert_true(report->load_ns >= 200000000, "its constructor sleeps longer");
    assert_true(report->resolve_ns > 0, "functions were found");
    assert_true(report->init_ns > 0, "cuInit() was called");
    assert_true(report->total_ns <= around, "%llu of %llu ns",
                (unsigned long long) report->total_ns, (unsigned long long) around);
    assert_true(report->load_ns + report->resolve_ns + report->init_ns <= report->total_ns,
                "the parts are not more than the whole");
    cushim_report_free(&report);
}
