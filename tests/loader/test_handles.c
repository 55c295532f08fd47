/* SPDX-License-Identifier: MIT */
/* Handles that are stale, of another kind, zero, or no handles at all; and NULL arguments. */
#include "support.h"

#include <pthread.h>

TestSuite(handles, .fini = fail_on_valgrind_errors);

enum { THREADS = 4, ROUNDS = 200 };

/* Whatever it is asked about a handle that is none, it answers with the error. */
static void check_refused(cushim_driver driver, int status, const char *name)
{
    const cushim_entry *table;
    int version = 7;

    cr_assert(eq(int, cushim_driver_version(driver, &version), status), "%s: %s", name,
              cushim_error_text());
    cr_assert(eq(int, version, 7), "%s: written on failure", name);
    cr_assert(eq(int, cushim_error_status(), status), "%s", name);
    assert_text(cushim_error_call(), "cushim_driver_version", name);
    cushim_error_clear();
    assert_true(!cushim_driver_path(driver), "%s: it has no path", name);
    cr_assert(eq(int, cushim_error_status(), status), "%s", name);
    cushim_error_clear();
    assert_true(!cushim_driver_has(driver, "cuInit"), "%s: it has no function", name);
    cr_assert(eq(int, cushim_error_status(), status), "%s", name);
    cushim_error_clear();
    table = cushim_driver_functions(driver, CUSHIM_CUDA_ROWS);
    cr_assert(eq(int, cushim_error_status(), status), "%s", name);
    assert_true(table, "%s: there is always a table", name);
    cr_assert(eq(int,
                 fake_call(CUSHIM_LIBRARY_CUDA, CUSHIM_ROW_cuMemAlloc_v2,
                           table[CUSHIM_ROW_cuMemAlloc_v2]),
                 303),
              "%s", name);
}

Test(handles, zero)
{
    cushim_driver none = CUSHIM_NONE;

    check_refused(none, CUSHIM_ERROR_STALE_HANDLE, "zero");
    assert_status(cushim_driver_version(none, NULL), CUSHIM_ERROR_STALE_HANDLE);
    assert_contains(cushim_error_text(), "the driver handle is zero", "zero");
    cushim_error_clear();
    cushim_close(&none);
    cushim_close(NULL);
    cushim_nvrtc_close(NULL);
    cr_assert(eq(int, cushim_error_status(), CUSHIM_OK), "closing nothing is fine");
}

Test(handles, stale)
{
    cushim_driver driver = open_driver(FAKE("few")), copy = driver;

    cushim_close(&driver);
    cr_assert(eq(u64, driver.id, 0), "closing zeroes the handle");
    check_refused(copy, CUSHIM_ERROR_STALE_HANDLE, "closed");
    assert_status(cushim_driver_version(copy, NULL), CUSHIM_ERROR_STALE_HANDLE);
    assert_contains(cushim_error_text(), "this driver was freed", "closed");
    /* Closing again says so in the log, and does nothing to a handle in the same slot. */
    driver = open_driver(FAKE("few"));
    cushim_close(&copy);
    cr_assert(eq(u64, copy.id, 0));
    assert_text(cushim_driver_path(driver), FAKE("few"), "the other one lives");
    cushim_close(&driver);
}

Test(handles, of_another_kind)
{
    cushim_driver driver = open_driver(FAKE("few"));
    cushim_nvrtc nvrtc = CUSHIM_NONE;
    int version = 0;

    assert_ok(cushim_nvrtc_open(cushim_open_params(.library = FAKE("nvrtc")), &nvrtc));
    check_refused((cushim_driver){nvrtc.id}, CUSHIM_ERROR_WRONG_HANDLE, "NVRTC");
    assert_status(cushim_driver_version((cushim_driver){nvrtc.id}, &version),
                  CUSHIM_ERROR_WRONG_HANDLE);
    assert_contains(cushim_error_text(), "expected a driver, this is the handle of an NVRTC",
                    "text");
    assert_status(cushim_nvrtc_version((cushim_nvrtc){driver.id}, &version),
                  CUSHIM_ERROR_WRONG_HANDLE);
    assert_true(!cushim_nvrtc_path((cushim_nvrtc){driver.id}), "no path");
    assert_true(!cushim_nvrtc_has((cushim_nvrtc){driver.id}, "nvrtcVersion"), "no function");
    cushim_close(&(cushim_driver){nvrtc.id});
    assert_text(cushim_nvrtc_path(nvrtc), FAKE("nvrtc"), "closing as another kind does nothing");
    cushim_close(&driver);
    cushim_nvrtc_close(&nvrtc);
}

Test(handles, garbage)
{
    cushim_driver driver = open_driver(FAKE("few"));
    const uint64_t ids[] = {1,
                            42,
                            UINT64_MAX,
                            UINT64_C(1) << 63,
                            driver.id ^ 1,
                            driver.id + 1,
                            driver.id ^ (UINT64_C(1) << 32),
                            driver.id ^ (UINT64_C(1) << 40),
                            driver.id & UINT32_MAX,
                            driver.id | 0xfff00,
                            driver.id ^ 0x30000000};
    uint64_t random = 0x9e3779b97f4a7c15;

    for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
        assert_true(!cushim_driver_path((cushim_driver){ids[i]}), "0x%llx is no handle",
                    (unsigned long long) ids[i]);
    for (int i = 0; i < 10000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        if (random != driver.id)
            assert_true(!cushim_driver_path((cushim_driver){random}), "0x%llx is no handle",
                        (unsigned long long) random);
    }
    check_refused((cushim_driver){42}, CUSHIM_ERROR_STALE_HANDLE, "42");
    assert_text(cushim_driver_path(driver), FAKE("few"), "the real one");
    cushim_close(&driver);
}

static void *use_and_close(void *user)
{
    const cushim_driver shared = *(cushim_driver *) user;
    uintptr_t errors = 0;

    for (int i = 0; i < ROUNDS; i++) {
        cushim_driver driver = CUSHIM_NONE, copy;
        int version = 0;

        errors += cushim_open(cushim_open_params(.library = FAKE("few")), &driver) != CUSHIM_OK;
        copy = driver;
        errors += cushim_driver_version(shared, &version) != CUSHIM_OK || version != 13000;
        cushim_close(&driver);
        errors += cushim_driver_version(copy, &version) != CUSHIM_ERROR_STALE_HANDLE;
    }
    return (void *) errors;
}

Test(handles, from_several_threads)
{
    cushim_driver shared = open_driver(FAKE("few"));
    pthread_t threads[THREADS];
    void *errors;

    for (int i = 0; i < THREADS; i++)
        cr_assert(eq(int, pthread_create(&threads[i], NULL, use_and_close, &shared), 0));
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &errors);
        cr_assert(eq(ulong, (unsigned long) (uintptr_t) errors, 0), "thread %d", i);
    }
    cushim_close(&shared);
}

Test(handles, null_arguments)
{
    cushim_driver driver = open_driver(FAKE("few"));
    const struct cushim_report *report = NULL;
    cushim_nvrtc nvrtc = CUSHIM_NONE;

    assert_ok(cushim_nvrtc_open(cushim_open_params(.library = FAKE("nvrtc")), &nvrtc));
    assert_status(cushim_open(NULL, NULL), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_text(cushim_error_text(), "cushim_open: ret_driver is NULL", "open");
    assert_status(cushim_nvrtc_open(NULL, NULL), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_status(cushim_driver_version(driver, NULL), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_text(cushim_error_text(), "cushim_driver_version: ret_version is NULL", "version");
    assert_status(cushim_nvrtc_version(nvrtc, NULL), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_true(!cushim_nvrtc_has(nvrtc, NULL), "no name");
    cr_assert(eq(int, cushim_error_status(), CUSHIM_ERROR_INVALID_ARGUMENT));
    assert_status(cushim_report_create(CUSHIM_LIBRARY_CUDA, NULL, NULL),
                  CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_status(cushim_report_create((enum cushim_library) 3, NULL, &report),
                  CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_contains(cushim_error_text(), "there is no library 3", "report");
    assert_true(!report, "written on failure");
    cushim_close(&driver);
    cushim_nvrtc_close(&nvrtc);
}
