/* SPDX-License-Identifier: MIT */
/* nvJitLink: the same loader, and functions whose names have a version. */
#include "support.h"

#include <cushim/rows.h>

TestSuite(nvjitlink, .fini = fail_on_valgrind_errors);

static cushim_nvjitlink open_linker(const char *library)
{
    cushim_nvjitlink linker = CUSHIM_NONE;

    assert_ok(cushim_nvjitlink_open(cushim_open_params(.library = library), &linker));
    return linker;
}

static int call(cushim_nvjitlink linker, unsigned row)
{
    return ((int (*)(void)) cushim_nvjitlink_functions(linker, CUSHIM_NVJITLINK_ROWS)[row])();
}

/* The first version of the interface is taken, and the last one tells how new the library is. */
Test(nvjitlink, names_with_versions_only)
{
    cushim_nvjitlink linker = open_linker(FAKE("nvjitlink-versions"));
    int version = 0;

    assert_ok(cushim_nvjitlink_version(linker, &version));
    cr_assert(eq(int, version, 12020));
    assert_text(cushim_nvjitlink_path(linker), FAKE("nvjitlink-versions"), "path");
    cr_assert(eq(int, call(linker, CUSHIM_ROW_nvJitLinkCreate), 12));
    cr_assert(eq(int, call(linker, CUSHIM_ROW_nvJitLinkGetErrorLog), 12));
    assert_true(cushim_nvjitlink_has(linker, "nvJitLinkCreate"), "by its plain name");
    cushim_nvjitlink_close(&linker);
    cr_assert(eq(u64, linker.id, 0));
}

Test(nvjitlink, plain_names_come_first)
{
    cushim_nvjitlink linker = open_linker(FAKE("nvjitlink-named"));
    int version = 0;

    assert_ok(cushim_nvjitlink_version(linker, &version));
    cr_assert(eq(int, version, 13010));
    cr_assert(eq(int, call(linker, CUSHIM_ROW_nvJitLinkCreate), 5));
    cushim_nvjitlink_close(&linker);
}

Test(nvjitlink, what_is_missing)
{
    cushim_nvjitlink linker = open_linker(FAKE("nvjitlink-versions"));

    cr_assert(eq(int, call(linker, CUSHIM_ROW_nvJitLinkVersion), 302));
    assert_text(cushim_error_text(), "nvJitLinkVersion needs CUDA 12.3; this nvJitLink is 12.2",
                "text");
    assert_true(!cushim_nvjitlink_has(linker, "nvJitLinkGetLinkedPtx"), "it was left out");
    cr_assert(eq(int, cushim_error_status(), CUSHIM_ERROR_MISSING_SYMBOL));
    assert_true(!cushim_nvjitlink_has(linker, "nvrtcVersion"), "that is another library's");
    cr_assert(eq(int, cushim_error_status(), CUSHIM_ERROR_UNKNOWN_SYMBOL));
    cushim_nvjitlink_close(&linker);
}

Test(nvjitlink, bad_ones)
{
    static const struct {
        const char *path;
        enum cushim_verdict verdict;
    } bad[] = {
        {FAKE("nvrtc"), CUSHIM_VERDICT_INCOMPLETE},
        {FAKE("nvjitlink-broken"), CUSHIM_VERDICT_INCOMPLETE},
        {BAD("self"), CUSHIM_VERDICT_SELF},
        {BAD("empty"), CUSHIM_VERDICT_EMPTY},
    };
    char words[8192] = "";
    const struct cushim_report *report;

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        snprintf(words + strlen(words), sizeof(words) - strlen(words), "%s:", bad[i].path);
    strcat(words, "mock:" FAKE("nvjitlink-named"));
    report = make_report(CUSHIM_LIBRARY_NVJITLINK, cushim_open_params(.library = words));
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        cr_assert(eq(int, report->candidates[i]->verdict, bad[i].verdict), "%s: %s", bad[i].path,
                  report->candidates[i]->detail);
    assert_text(report->candidates[ARRAY_SIZE(bad)]->detail, "there is no mock of nvJitLink",
                "mock");
    cr_assert(eq(int, report->library, CUSHIM_LIBRARY_NVJITLINK));
    cr_assert(eq(int, report->version, 13010));
    cr_assert(eq(sz, report->rows, CUSHIM_NVJITLINK_ROWS));
    cr_assert(eq(sz, report->found + report->n_missing, CUSHIM_NVJITLINK_ROWS));
    cushim_report_free(&report);
}

Test(nvjitlink, environment)
{
    cushim_nvjitlink linker = CUSHIM_NONE;

    setenv("CUSHIM_LIBNVJITLINK", FAKE("nvjitlink-named"), 1);
    assert_ok(cushim_nvjitlink_open(NULL, &linker));
    assert_text(cushim_nvjitlink_path(linker), FAKE("nvjitlink-named"), "environment");
    cushim_nvjitlink_close(&linker);
    setenv("CUSHIM_LIBNVJITLINK", "none", 1);
    assert_status(cushim_nvjitlink_open(NULL, &linker), CUSHIM_ERROR_NO_NVJITLINK);
    assert_contains(cushim_error_text(), "no nvJitLink found", "what");
    assert_contains(cushim_error_text(), "disabled by CUSHIM_LIBNVJITLINK", "why");
}

/* Hooks of the environment are for the other libraries. */
Test(nvjitlink, has_no_hooks)
{
    cushim_nvjitlink linker = CUSHIM_NONE;

    setenv("CUSHIM_FAULTS", "cuInit result=2", 1);
    linker = open_linker(FAKE("nvjitlink-named"));
    cr_assert(eq(int, call(linker, CUSHIM_ROW_nvJitLinkCreate), 5));
    cushim_nvjitlink_close(&linker);
}

Test(nvjitlink, without)
{
    const cushim_nvjitlink none = CUSHIM_NONE;

    for (unsigned row = 0; row < CUSHIM_NVJITLINK_ROWS; row++)
        cr_assert(eq(int, call(none, row), 303), "row %u", row);
    assert_contains(cushim_error_text(), "no nvJitLink is open", "text");
}
