/* SPDX-License-Identifier: MIT */
/*
 * What libraries need, in a program that names a folder by DT_RPATH, and that has loaded libraries
 * itself. Every case is a program of its own: this one, with the case's number. In a folder of that
 * program there is a library that is cut short, and the linker would die of it.
 */
#include "plain.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct wanted {
    const char *path;   /* LD_LIBRARY_PATH */
    const char *loaded; /* what the program loads before, or NULL */
    const char *library;
    enum cushim_verdict verdict; /* on the first candidate */
    const char *detail;          /* a part of it */
} cases[] = {
    {"", NULL, FAKE("other"), CUSHIM_VERDICT_LOAD_FAILED,
     "rpath/libcushim-other.so.7: the file is cut short"},
    /* A library with DT_RUNPATH is not searched in the program's folder. */
    {"", NULL, FAKE("other-runpath"), CUSHIM_VERDICT_INCOMPLETE, "it lacks"},
    {FAKE_DIR "/needs", NULL, FAKE("other-runpath"), CUSHIM_VERDICT_INCOMPLETE, "it lacks"},
    {FAKE_DIR "/rpath", NULL, FAKE("other-runpath"), CUSHIM_VERDICT_LOAD_FAILED,
     "rpath/libcushim-other.so.7: the file is cut short"},
    /* A circle of links hides the rest of the folders that it is among, and no others. */
    {FAKE_DIR "/circle", NULL, FAKE("other-runpath"), CUSHIM_VERDICT_INCOMPLETE, "it lacks"},
    {FAKE_DIR "/circle:" FAKE_DIR "/rpath", NULL, FAKE("other-runpath"), CUSHIM_VERDICT_INCOMPLETE,
     "it lacks"},
    {FAKE_DIR "/circle", NULL, FAKE("platform"), CUSHIM_VERDICT_INCOMPLETE, "it lacks"},
    /* A library without a name of its own has the name that it was loaded by, and no other. */
    {"", FAKE_DIR "/other/libcushim-gone.so.7", FAKE("runpath"), CUSHIM_VERDICT_LOAD_FAILED,
     "needs/libcushim-gone.so.7: the file is cut short"},
    {FAKE_DIR "/other", "libcushim-gone.so.7", FAKE("runpath"), CUSHIM_VERDICT_INCOMPLETE,
     "it lacks"},
    {FAKE_DIR "/other", "libcuda.so.1", "auto", CUSHIM_VERDICT_INCOMPLETE, "it lacks"},
    {"", FAKE_DIR "/other/libcuda.so.1", "auto", CUSHIM_VERDICT_ABSENT, ""},
    /* The linker is not asked where it would wait for the writer of a pipe. */
    {FAKE_DIR "/needs", FAKE_DIR "/other/libcushim-pipe.so.7", "libcushim-pipe.so.7",
     CUSHIM_VERDICT_NOT_A_FILE, "it is a pipe"},
};

static int run_case(const struct wanted *wanted)
{
    const struct cushim_report *report = NULL;

    if (wanted->loaded && !dlopen(wanted->loaded, RTLD_NOW))
        CHECK_TEXT(dlerror(), "");
    CHECK_INT(cushim_report_create(CUSHIM_LIBRARY_CUDA,
                                   cushim_open_params(.library = wanted->library), &report),
              CUSHIM_OK);
    CHECK_INT(report->n_candidates > 0, 1);
    CHECK_TEXT(cushim_verdict_word(report->candidates[0]->verdict),
               cushim_verdict_word(wanted->verdict));
    CHECK_CONTAINS(report->candidates[0]->detail, wanted->detail);
    cushim_report_free(&report);
    return failures();
}

static void start_case(const char *program, size_t number)
{
    const char *before = getenv("LD_LIBRARY_PATH");
    char argument[32], path[16384];

    snprintf(argument, sizeof(argument), "%zu", number);
    snprintf(path, sizeof(path), "%s%s%s", cases[number].path,
             *cases[number].path && before ? ":" : "", before ? before : "");
    if (*path)
        setenv("LD_LIBRARY_PATH", path, 1);
    alarm(60); /* for a linker that waits */
    execl(program, program, argument, NULL);
    _exit(127);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return run_case(&cases[strtoul(argv[1], NULL, 10)]);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        int status = -1;
        const int child = fork();

        if (!child)
            start_case(argv[0], i);
        waitpid(child, &status, 0);
        if (status) {
            fprintf(stderr, "case %zu failed: %s\n", i, cases[i].library);
            CHECK_INT(status, 0);
        }
    }
    return failures();
}
