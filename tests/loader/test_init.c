/* SPDX-License-Identifier: MIT */
/* cuInit() when it fails, when it is put off, and what is asked of a driver once. */
#include "support.h"

#include <dlfcn.h>

TestSuite(init, .fini = fail_on_valgrind_errors);

/* How often a row of a library that is loaded was called. */
static unsigned count(const char *library, unsigned row)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    unsigned (*function)(unsigned);
    unsigned n;

    assert_true(handle, "%s is not loaded", library);
    function = (unsigned (*)(unsigned))(intptr_t) dlsym(handle, "fake_count");
    n = function(row);
    dlclose(handle);
    return n;
}

Test(init, once)
{
    cushim_driver a = open_driver(FAKE("answers")), b = open_driver(FAKE("answers"));

    cr_assert(eq(uint, count(FAKE("answers"), CUSHIM_ROW_cuInit), 1));
    cr_assert(eq(uint, count(FAKE("answers"), CUSHIM_ROW_cuDriverGetVersion), 1));
    cushim_close(&a);
    cushim_close(&b);
}

Test(init, put_off)
{
    const struct cushim_report *report;
    cushim_driver driver = CUSHIM_NONE;

    setenv("FAKE_CUINIT", "100", 1);
    assert_ok(
        cushim_open(cushim_open_params(.library = FAKE("answers"), .load_only = true), &driver));
    cr_assert(eq(uint, count(FAKE("answers"), CUSHIM_ROW_cuInit), 0),
              "load_only does not start it");
    cr_assert(
        eq(int, call_row(driver, CUSHIM_ROW_cuMemAlloc_v2), FAKE_ROW + CUSHIM_ROW_cuMemAlloc_v2));
    report = make_report(CUSHIM_LIBRARY_CUDA,
                         cushim_open_params(.library = FAKE("answers"), .load_only = true));
    cr_assert(eq(int, report->status, CUSHIM_OK), "%s", report->text);
    cr_assert(eq(int, report->process, 0), "nobody initialised it");
    cushim_report_free(&report);
    cushim_close(&driver);
}

static void check_failure(const char *code, int status, const char *name)
{
    const char *path = FAKE("answers");
    const struct cushim_open_params *params =
        cushim_open_params(.library = path, .label = "the first");
    cushim_driver driver = CUSHIM_NONE;
    const struct cushim_report *report;

    setenv("FAKE_CUINIT", code, 1);
    cushim_error_clear();
    report = make_report(CUSHIM_LIBRARY_CUDA, params);
    cr_assert(eq(int, cushim_error_status(), CUSHIM_OK), "what a report tells is no error");
    cr_assert(eq(int, report->status, status));
    assert_true(report->chosen, "%s: the library is good", code);
    assert_text(report->chosen->path, path, code);
    cr_assert(eq(int, report->version, 13000));
    cr_assert(eq(int, report->process, 0));
    assert_contains(report->text, name, code);

    assert_status(cushim_open(params, &driver), status);
    cr_assert(eq(u64, driver.id, 0), "written on failure");
    cr_assert(eq(int, cushim_error_status(), status));
    assert_text(cushim_error_call(), "cuInit", code);
    assert_text(cushim_error_label(), "the first", code);
    assert_text(cushim_error_text(), report->text, code);
    assert_contains(cushim_error_text(), path, code);
    assert_contains(cushim_error_text(), code, code);
    assert_contains(cushim_error_text(), cushim_status_text(status), code);
    cushim_report_free(&report);
}

Test(init, fails_and_is_tried_again)
{
    cushim_driver driver;

    check_failure("100", 100, "CUDA_ERROR_NO_DEVICE");
    check_failure("803", 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
    check_failure("999", 999, "CUDA_ERROR_UNKNOWN");
    check_failure("3", 3, "CUDA_ERROR_NOT_INITIALIZED"); /* no child of a fork: the driver's own */
    unsetenv("FAKE_CUINIT");
    driver = open_driver(FAKE("answers"));
    cr_assert(eq(int, call_row(driver, CUSHIM_ROW_cuInit), FAKE_ROW + CUSHIM_ROW_cuInit));
    cushim_close(&driver);
}

Test(init, failure_does_not_fall_back)
{
    cushim_driver driver = CUSHIM_NONE;

    /* A driver that is there and has no device is not "no driver". */
    setenv("FAKE_CUINIT", "100", 1);
    assert_status(
        cushim_open(cushim_open_params(.library = FAKE("answers") ":" FAKE("few")), &driver), 100);
}

Test(init, label_of_a_search_that_failed)
{
    cushim_driver driver = CUSHIM_NONE;

    assert_status(cushim_open(cushim_open_params(.library = "none", .label = "my driver"), &driver),
                  CUSHIM_ERROR_NO_DRIVER);
    assert_text(cushim_error_label(), "my driver", "label");
    assert_text(cushim_error_call(), "cushim_open", "call");
}
