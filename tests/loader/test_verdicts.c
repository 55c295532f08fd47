/* SPDX-License-Identifier: MIT */
/* What the loader says about files that are no driver, and that it goes on to the next. */
#include "support.h"

TestSuite(verdicts, .fini = fail_on_valgrind_errors);

static const struct {
    const char *path;
    enum cushim_verdict verdict;
    const char *detail; /* a part of it */
} bad[] = {
    {BAD("empty"), CUSHIM_VERDICT_EMPTY, "no content"},
    {BAD("text"), CUSHIM_VERDICT_NOT_ELF, "not in ELF format"},
    {BAD("header"), CUSHIM_VERDICT_NOT_ELF, "not in ELF format"},
    {BAD("truncated"), CUSHIM_VERDICT_LOAD_FAILED, "cut short: 4096 of "},
    {BAD("folder"), CUSHIM_VERDICT_NOT_A_FILE, "it is a folder"},
    {BAD("pipe"), CUSHIM_VERDICT_NOT_A_FILE, "it is a pipe, not a regular file"},
    {BAD("loop"), CUSHIM_VERDICT_NOT_A_FILE, "its symbolic links lead in a circle"},
    {BAD("lie"), CUSHIM_VERDICT_LOAD_FAILED, "cut short: "},
    {"/dev/zero", CUSHIM_VERDICT_NOT_A_FILE, "it is a device"},
    {"/proc/version", CUSHIM_VERDICT_NOT_A_FILE, "the kernel makes it up"},
    {BAD("other"), CUSHIM_VERDICT_OTHER_MACHINE, "this process is "},
    {BAD("i386"), CUSHIM_VERDICT_OTHER_MACHINE, "x86 (32-bit)"},
    {BAD("bits32"), CUSHIM_VERDICT_OTHER_MACHINE, "32-bit library"},
    {BAD("executable"), CUSHIM_VERDICT_NOT_ELF, "not a shared library"},
    {BAD("absent"), CUSHIM_VERDICT_ABSENT, ""},
    {BAD("empty") "/below", CUSHIM_VERDICT_ABSENT, ""},
    {FAKE_DIR "/fake-program", CUSHIM_VERDICT_LOAD_FAILED, "cannot dynamically load"},
    {FAKE("dangling"), CUSHIM_VERDICT_LOAD_FAILED, "libcushim-gone.so.7"},
    {FAKE("runpath"), CUSHIM_VERDICT_LOAD_FAILED,
     "needs/libcushim-gone.so.7: the file is cut short"},
    {FAKE("rpath"), CUSHIM_VERDICT_LOAD_FAILED, "needs/libcushim-gone.so.7: the file is cut short"},
    /* The first library names the folder, and a second one needs what is there. */
    {FAKE("parent"), CUSHIM_VERDICT_LOAD_FAILED,
     "chain/libcushim-gone.so.7: the file is cut short"},
    /* A library that was found by its path has the name that another one needs. */
    {FAKE("own-name"), CUSHIM_VERDICT_INCOMPLETE, "it lacks"},
    {FAKE("origin"), CUSHIM_VERDICT_LOAD_FAILED,
     "needs/libcushim-gone.so.7: the file is cut short"},
    {FAKE("lib"), CUSHIM_VERDICT_LOAD_FAILED, "/libcushim-gone.so.7: the file is cut short"},
    /* Only the linker knows the first of two folders, and finds a good library there. */
    {FAKE("platform"), CUSHIM_VERDICT_INCOMPLETE, "it lacks"},
    {FAKE("many"), CUSHIM_VERDICT_LOAD_FAILED, "needs/libcushim-gone.so.7: the file is cut short"},
    {FAKE("far"), CUSHIM_VERDICT_LOAD_FAILED, "needs/libcushim-gone.so.7: the file is cut short"},
    {FAKE("filter"), CUSHIM_VERDICT_LOAD_FAILED,
     "needs/libcushim-gone.so.7: the file is cut short"},
    {FAKE("auxiliary"), CUSHIM_VERDICT_LOAD_FAILED,
     "needs/libcushim-gone.so.7: the file is cut short"},
    {FAKE("auxiliary-pipe"), CUSHIM_VERDICT_NOT_A_FILE, "needs/libcushim-pipe.so.7: it is a pipe"},
    /* It has almost the name of a part of the C library. */
    {FAKE("libm-pipe"), CUSHIM_VERDICT_NOT_A_FILE, "needs/libm.so.7: it is a pipe"},
    /* The linker goes on without these. */
    {FAKE("auxiliary-text"), CUSHIM_VERDICT_INCOMPLETE, "it lacks"},
    {FAKE("auxiliary-absent"), CUSHIM_VERDICT_INCOMPLETE, "it lacks"},
    {FAKE("unresolved"), CUSHIM_VERDICT_LOAD_FAILED, "fake_nowhere"},
    {FAKE("stub"), CUSHIM_VERDICT_STUB, "for linking only"},
    {FAKE("broken"), CUSHIM_VERDICT_INCOMPLETE, "cuDriverGetVersion answers 999"},
    {FAKE("zero"), CUSHIM_VERDICT_INCOMPLETE, "answers 0, version 0"},
    {FAKE("some"), CUSHIM_VERDICT_INCOMPLETE, "it lacks cuMemAlloc_v2, cuLaunchKernel"},
    {FAKE("none"), CUSHIM_VERDICT_INCOMPLETE, "it lacks cuDriverGetVersion, cuDeviceGetCount"},
    {FAKE("nvrtc"), CUSHIM_VERDICT_INCOMPLETE, "it lacks cuDriverGetVersion, cuInit"},
    {BAD("self"), CUSHIM_VERDICT_SELF, "leads back to this library"},
};

static void check_bad(const struct cushim_candidate *candidate, size_t i)
{
    cr_assert(eq(int, candidate->verdict, bad[i].verdict), "%s: %s, %s", bad[i].path,
              cushim_verdict_word(candidate->verdict), candidate->detail);
    cr_assert(eq(int, candidate->origin, CUSHIM_ORIGIN_PARAMETER), "%s", bad[i].path);
    assert_contains(candidate->detail, bad[i].detail, bad[i].path);
    assert_text(candidate->name, bad[i].path, bad[i].path);
    assert_text(candidate->path, bad[i].path, bad[i].path);
    cr_assert(eq(sz, candidate->found, 0), "%s", bad[i].path);
}

static void alone_there_is_no_driver(size_t i)
{
    const char *path = bad[i].path;
    cushim_driver driver = CUSHIM_NONE;

    assert_status(cushim_open(cushim_open_params(.library = path), &driver),
                  CUSHIM_ERROR_NO_DRIVER);
    cr_assert(eq(u64, driver.id, 0), "%s: written on failure", path);
    assert_contains(cushim_error_text(), path, path);
    assert_contains(cushim_error_text(), cushim_verdict_word(bad[i].verdict), path);
    assert_contains(cushim_error_text(), bad[i].detail, path);
    assert_text(cushim_error_call(), "cushim_open", path);
}

static void goes_on_to_the_next(size_t i)
{
    const char *path = bad[i].path;
    const struct cushim_report *report;
    cushim_driver driver;
    char words[8192];

    alone_there_is_no_driver(i);
    snprintf(words, sizeof(words), "%s:%s", path, FAKE("answers"));
    report = make_report(CUSHIM_LIBRARY_CUDA, cushim_open_params(.library = words));
    cr_assert(eq(int, report->status, CUSHIM_OK), "%s: %s", path, report->text);
    assert_text(report->text, "", path);
    cr_assert(eq(sz, report->n_candidates, 2), "%s", path);
    check_bad(report->candidates[0], i);
    assert_true(report->chosen == report->candidates[1], "%s: the good one is chosen", path);
    cr_assert(eq(int, report->chosen->verdict, CUSHIM_VERDICT_CHOSEN), "%s", path);
    assert_text(report->chosen->path, FAKE("answers"), path);
    assert_true(!is_mapped(path), "%s: it was rejected, and is still mapped", path);
    cushim_report_free(&report);

    driver = open_driver(words);
    assert_text(cushim_driver_path(driver), FAKE("answers"), path);
    cushim_close(&driver);
}

Test(verdicts, goes_on_to_the_next)
{
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        goes_on_to_the_next(i);
}

Test(verdicts, all_in_one_search)
{
    const struct cushim_report *report;
    char words[32768] = "";

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        snprintf(words + strlen(words), sizeof(words) - strlen(words), "%s:", bad[i].path);
    strcat(words, FAKE("answers"));
    report = make_report(CUSHIM_LIBRARY_CUDA, cushim_open_params(.library = words));
    cr_assert(eq(sz, report->n_candidates, ARRAY_SIZE(bad) + 1));
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        check_bad(report->candidates[i], i);
    assert_true(report->chosen == report->candidates[ARRAY_SIZE(bad)], "the last one");
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        assert_true(!is_mapped(bad[i].path), "%s: still mapped", bad[i].path);
    cushim_report_free(&report);
    assert_true(!report, "freeing zeroes the pointer");
}

Test(verdicts, the_same_again_is_not_tried_twice)
{
    const char *words = FAKE("stub") ":" FAKE("stub") ":" FAKE("some") ":" FAKE("stub");
    const enum cushim_verdict wanted[] = {CUSHIM_VERDICT_STUB, CUSHIM_VERDICT_REPEATED,
                                          CUSHIM_VERDICT_INCOMPLETE, CUSHIM_VERDICT_REPEATED};
    const struct cushim_report *report =
        make_report(CUSHIM_LIBRARY_CUDA, cushim_open_params(.library = words));

    cr_assert(eq(sz, report->n_candidates, 4));
    for (size_t i = 0; i < 4; i++)
        cr_expect(eq(int, report->candidates[i]->verdict, wanted[i]), "candidate %zu: %s", i,
                  cushim_verdict_word(report->candidates[i]->verdict));
    cr_assert(eq(int, report->status, CUSHIM_ERROR_NO_DRIVER));
    assert_true(!report->chosen, "nothing is chosen");
    cr_assert(eq(int, report->version, 0));
    cr_assert(eq(sz, report->n_missing, 0));
    cushim_report_free(&report);
}

Test(verdicts, words_for_all)
{
#define CHECK_VERDICT(name, value, word) assert_text(cushim_verdict_word(name), word, #name);
#define CHECK_ORIGIN(name, value, word)  assert_text(cushim_origin_word(name), word, #name);
    CUSHIM_VERDICT_MAP(CHECK_VERDICT)
    CUSHIM_ORIGIN_MAP(CHECK_ORIGIN)
    assert_text(cushim_verdict_word((enum cushim_verdict) 99), "unknown", "99");
    assert_text(cushim_origin_word((enum cushim_origin) 99), "unknown", "99");
}
