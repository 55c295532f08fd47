/* SPDX-License-Identifier: MIT */
/* NVRTC: the same loader, and what is particular to it. */
#include "support.h"

#include <dlfcn.h>

#include "base/rows.h"

TestSuite(nvrtc, .fini = fail_on_valgrind_errors);

#define PAIR FAKE_DIR "/nvrtc/pair/libnvrtc.so.12"

static cushim_nvrtc open_nvrtc(const char *library)
{
    cushim_nvrtc nvrtc = CUSHIM_NONE;

    assert_ok(cushim_nvrtc_open(cushim_open_params(.library = library), &nvrtc));
    return nvrtc;
}

static int call_nvrtc(cushim_nvrtc nvrtc, unsigned row)
{
    return fake_call(CUSHIM_LIBRARY_NVRTC, row,
                     cushim_nvrtc_functions(nvrtc, CUSHIM_NVRTC_ROWS)[row]);
}

Test(nvrtc, all_rows)
{
    cushim_nvrtc nvrtc = open_nvrtc(FAKE("nvrtc"));
    int version = 0;

    assert_ok(cushim_nvrtc_version(nvrtc, &version));
    cr_assert(eq(int, version, 12040));
    assert_text(cushim_nvrtc_path(nvrtc), FAKE("nvrtc"), "path");
    for (unsigned row = 0; row < CUSHIM_NVRTC_ROWS; row++) {
        const char *symbol = cushim__row_symbol(&cushim__nvrtc_rows, row);

        assert_true(cushim_nvrtc_has(nvrtc, symbol), "%s", symbol);
        cr_assert(eq(int, call_nvrtc(nvrtc, row), FAKE_ROW + (int) row), "%s", symbol);
    }
    cushim_nvrtc_close(&nvrtc);
    cr_assert(eq(u64, nvrtc.id, 0));
}

Test(nvrtc, old)
{
    const struct cushim_report *report;
    cushim_nvrtc nvrtc = open_nvrtc(FAKE("nvrtc-old"));

    cr_assert(eq(int, call_nvrtc(nvrtc, CUSHIM_ROW_nvrtcGetLTOIR), 302));
    assert_text(cushim_error_text(), "nvrtcGetLTOIR needs CUDA 12.0; this NVRTC is 11.1", "text");
    assert_true(!cushim_nvrtc_has(nvrtc, "nvrtcGetLTOIR"), "it is too old");
    cr_assert(eq(int, cushim_error_status(), CUSHIM_ERROR_MISSING_SYMBOL));
    assert_true(!cushim_nvrtc_has(nvrtc, "cuInit"), "that is no function of NVRTC");
    cr_assert(eq(int, cushim_error_status(), CUSHIM_ERROR_UNKNOWN_SYMBOL));
    report = make_report(CUSHIM_LIBRARY_NVRTC, cushim_open_params(.library = FAKE("nvrtc-old")));
    cr_assert(eq(int, report->library, CUSHIM_LIBRARY_NVRTC));
    cr_assert(eq(sz, report->rows, CUSHIM_NVRTC_ROWS));
    cr_assert(eq(sz, report->found + report->n_missing, CUSHIM_NVRTC_ROWS));
    cr_assert(eq(int, report->version, 11010));
    cushim_report_free(&report);
    cushim_nvrtc_close(&nvrtc);
}

/* What came and went again is told apart from what has not come yet. */
static void *resolve_current(const char *symbol, void *user)
{
    return strstr(symbol, "NVVM") ? NULL : dlsym(user, symbol);
}

static int version_13(int *major, int *minor)
{
    *major = 13;
    *minor = 0;
    return 0;
}

static void *resolve_13(const char *symbol, void *user)
{
    return strcmp(symbol, "nvrtcVersion") ? resolve_current(symbol, user)
                                          : (void *) (intptr_t) version_13;
}

Test(nvrtc, removed)
{
    void *handle = dlopen(FAKE("nvrtc"), RTLD_NOW | RTLD_LOCAL);
    cushim_nvrtc nvrtc = CUSHIM_NONE;

    assert_ok(cushim_nvrtc_open(cushim_open_params(.resolver = resolve_13, .resolver_user = handle),
                                &nvrtc));
    cr_assert(eq(int, call_nvrtc(nvrtc, CUSHIM_ROW_nvrtcGetNVVM), 302));
    assert_text(cushim_error_text(), "nvrtcGetNVVM was removed in CUDA 13.0; this NVRTC is 13.0",
                "text");
    assert_text(cushim_nvrtc_path(nvrtc), "", "a resolver has no path");
    cushim_nvrtc_close(&nvrtc);
}

Test(nvrtc, builtins_come_from_the_same_folder)
{
    cushim_nvrtc nvrtc;
    void *builtins;

    assert_true(!dlopen("libnvrtc-builtins.so.12.4", RTLD_NOW | RTLD_NOLOAD), "not loaded yet");
    nvrtc = open_nvrtc(PAIR);
    assert_text(cushim_nvrtc_path(nvrtc), PAIR, "path");
    builtins = dlopen("libnvrtc-builtins.so.12.4", RTLD_NOW | RTLD_NOLOAD);
    assert_true(builtins, "NVRTC will find it by name: %s", dlerror());
    assert_true(is_mapped(FAKE_DIR "/nvrtc/pair/libnvrtc-builtins.so.12.4"), "and it is the one");
    dlclose(builtins);
    cushim_nvrtc_close(&nvrtc);
}

Test(nvrtc, bad_ones)
{
    static const struct {
        const char *path;
        enum cushim_verdict verdict;
    } bad[] = {
        {FAKE("nvrtc-stub"), CUSHIM_VERDICT_STUB},
        {FAKE("answers"), CUSHIM_VERDICT_INCOMPLETE}, /* a driver */
        {BAD("self"), CUSHIM_VERDICT_SELF},
        {BAD("empty"), CUSHIM_VERDICT_EMPTY},
    };
    char words[8192] = "";
    const struct cushim_report *report;

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        snprintf(words + strlen(words), sizeof(words) - strlen(words), "%s:", bad[i].path);
    strcat(words, FAKE("nvrtc"));
    report = make_report(CUSHIM_LIBRARY_NVRTC, cushim_open_params(.library = words));
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        cr_assert(eq(int, report->candidates[i]->verdict, bad[i].verdict), "%s: %s", bad[i].path,
                  report->candidates[i]->detail);
        assert_true(!is_mapped(bad[i].path), "%s: still mapped", bad[i].path);
    }
    assert_true(report->chosen == report->candidates[ARRAY_SIZE(bad)], "the last one");
    cushim_report_free(&report);
}

Test(nvrtc, environment)
{
    cushim_nvrtc nvrtc = CUSHIM_NONE;

    setenv("CUSHIM_LIBNVRTC", FAKE("nvrtc-old"), 1);
    setenv("CUSHIM_LIBCUDA", "none", 1);
    assert_ok(cushim_nvrtc_open(NULL, &nvrtc));
    assert_text(cushim_nvrtc_path(nvrtc), FAKE("nvrtc-old"), "environment");
    cushim_nvrtc_close(&nvrtc);
    nvrtc = open_nvrtc(FAKE("nvrtc"));
    assert_text(cushim_nvrtc_path(nvrtc), FAKE("nvrtc"), "the parameter is stronger");
    cushim_nvrtc_close(&nvrtc);
    setenv("CUSHIM_LIBNVRTC", "none", 1);
    assert_status(cushim_nvrtc_open(NULL, &nvrtc), CUSHIM_ERROR_NO_NVRTC);
    assert_contains(cushim_error_text(), "disabled by CUSHIM_LIBNVRTC", "none");
}

Test(nvrtc, loaded_already)
{
    void *handle = dlopen(FAKE("nvrtc"), RTLD_NOW | RTLD_LOCAL);
    const struct cushim_report *report;

    assert_true(handle, "%s", dlerror());
    report = make_report(CUSHIM_LIBRARY_NVRTC, cushim_open_params(.library = "auto"));
    cr_assert(eq(int, report->status, CUSHIM_OK), "%s", report->text);
    cr_assert(eq(int, report->chosen->origin, CUSHIM_ORIGIN_PROCESS));
    assert_text(report->chosen->name, "libnvrtc.so.12", "name");
    cr_assert(eq(sz, report->n_candidates, 2), ".13 is asked for first");
    cushim_report_free(&report);
    dlclose(handle);
}

Test(nvrtc, without)
{
    const cushim_entry *table = cushim_nvrtc_functions((cushim_nvrtc) CUSHIM_NONE, 0);
    const char *(*text)(int) = (const char *(*) (int) ) table[CUSHIM_ROW_nvrtcGetErrorString];

    for (unsigned row = 1; row < CUSHIM_NVRTC_ROWS; row++)
        cr_assert(eq(int, fake_call(CUSHIM_LIBRARY_NVRTC, row, table[row]), 303), "%s",
                  cushim__row_symbol(&cushim__nvrtc_rows, row));
    assert_contains(cushim_error_text(), "no NVRTC is open", "text");
    assert_text(text(6), "NVRTC_ERROR_COMPILATION", "6");
    assert_text(text(303), "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "303");
    assert_text(text(777), "NVRTC_ERROR unknown", "777");
}
