/* SPDX-License-Identifier: MIT */
/*
 * What the dynamic linker finds by name. It reads the library path when a program starts,
 * so that every case is a program of its own: this one, with the case's number.
 */
#include "plain.h"

#include <sys/wait.h>
#include <unistd.h>

#define SEARCH(name) FAKE_DIR "/search/" name
#define NVRTC(name)  FAKE_DIR "/nvrtc/" name
#define CUDA_NAME    "libcuda.so.1"
#define PYTHON       "wheels/lib/python3.99/site-packages"
#define WHEEL        NVRTC(PYTHON "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12")

static const struct wanted {
    enum cushim_library library;
    const char *path;        /* LD_LIBRARY_PATH */
    const char *words;       /* what is asked for */
    const char *name, *file; /* the candidate's */
    enum cushim_origin origin;
    enum cushim_verdict verdict;
    const char *detail;           /* a part of it */
    const char *variable, *value; /* of the environment, or NULL */
} cases[] = {
#define FOUND(folder, verdict, detail)                                                             \
    {                                                                                              \
        CUSHIM_LIBRARY_CUDA, SEARCH(folder), CUDA_NAME, CUDA_NAME, SEARCH(folder) "/" CUDA_NAME,   \
            CUSHIM_ORIGIN_PARAMETER, verdict, detail, NULL, NULL                                   \
    }
#define BUILD(folder, below, verdict, detail)                                                      \
    {                                                                                              \
        CUSHIM_LIBRARY_CUDA, SEARCH(folder), CUDA_NAME, CUDA_NAME, SEARCH(folder) below CUDA_NAME, \
            CUSHIM_ORIGIN_PARAMETER, verdict, detail, NULL, NULL                                   \
    }
#define SKIPPED(folder, verdict, detail)                                                           \
    {                                                                                              \
        CUSHIM_LIBRARY_CUDA, SEARCH(folder), CUDA_NAME, CUDA_NAME, "", CUSHIM_ORIGIN_PARAMETER,    \
            verdict, detail, NULL, NULL                                                            \
    }
    FOUND("answers", CUSHIM_VERDICT_CHOSEN, ""),
    FOUND("empty", CUSHIM_VERDICT_EMPTY, "no content"),
    FOUND("text", CUSHIM_VERDICT_NOT_ELF, "not in ELF format"),
    FOUND("header", CUSHIM_VERDICT_NOT_ELF, "not in ELF format"),
    FOUND("folder", CUSHIM_VERDICT_NOT_A_FILE, "it is a folder"),
    /* The linker would die of the first two of these, and wait for ever for the third. */
    FOUND("truncated", CUSHIM_VERDICT_LOAD_FAILED, "cut short: 4096 of "),
    FOUND("needs", CUSHIM_VERDICT_LOAD_FAILED, "libcushim-gone.so.7: the file is cut short"),
    FOUND("pipe", CUSHIM_VERDICT_NOT_A_FILE, "it is a pipe"),
    FOUND("loop", CUSHIM_VERDICT_NOT_A_FILE, "in a circle"),
    FOUND("executable", CUSHIM_VERDICT_NOT_ELF, "not a shared library"),
    FOUND("stub", CUSHIM_VERDICT_STUB, "for linking only"),
    FOUND("broken", CUSHIM_VERDICT_INCOMPLETE, "answers 999"),
    FOUND("some", CUSHIM_VERDICT_INCOMPLETE, "it lacks cuMemAlloc_v2"),
    FOUND("self", CUSHIM_VERDICT_SELF, "leads back"),
    FOUND("unresolved", CUSHIM_VERDICT_LOAD_FAILED, "fake_nowhere"),
    /* The linker says no file's name for these. */
    SKIPPED("dangling", CUSHIM_VERDICT_LOAD_FAILED, "libcushim-gone.so.7"),
    /* The whole search, and a stub in front of the driver it is linked under the name of. */
    {CUSHIM_LIBRARY_CUDA, SEARCH("answers"), "auto", CUDA_NAME, SEARCH("answers") "/" CUDA_NAME,
     CUSHIM_ORIGIN_LINKER, CUSHIM_VERDICT_CHOSEN, "", NULL, NULL},
    {CUSHIM_LIBRARY_CUDA, SEARCH("answers"), FAKE("stub") ":auto", CUDA_NAME,
     SEARCH("answers") "/" CUDA_NAME, CUSHIM_ORIGIN_LINKER, CUSHIM_VERDICT_CHOSEN, "", NULL, NULL},
    {CUSHIM_LIBRARY_CUDA, SEARCH("answers"), NULL, CUDA_NAME, SEARCH("answers") "/" CUDA_NAME,
     CUSHIM_ORIGIN_ENVIRONMENT, CUSHIM_VERDICT_CHOSEN, "", "CUSHIM_LIBCUDA", CUDA_NAME},
    /* The whole search asks first whether one is loaded already, and that opens no file. */
    {CUSHIM_LIBRARY_CUDA, SEARCH("pipe"), "auto", CUDA_NAME, SEARCH("pipe") "/" CUDA_NAME,
     CUSHIM_ORIGIN_LINKER, CUSHIM_VERDICT_NOT_A_FILE, "it is a pipe", NULL, NULL},
/* Builds for newer processors: a bad one and a good one that are taken, and one that is not. */
#if defined(__x86_64__) && __GLIBC_PREREQ(2, 33)
    BUILD("builds", "/glibc-hwcaps/x86-64-v2/", CUSHIM_VERDICT_LOAD_FAILED, "cut short"),
    BUILD("builds[1]?*", "/glibc-hwcaps/x86-64-v2/", CUSHIM_VERDICT_LOAD_FAILED, "cut short"),
    BUILD("builds-better", "/glibc-hwcaps/x86-64-v2/", CUSHIM_VERDICT_CHOSEN, ""),
#endif
    BUILD("builds-unused", "/", CUSHIM_VERDICT_CHOSEN, ""),
    /* A folder behind one with a library for another machine is reached. */
    {CUSHIM_LIBRARY_CUDA, SEARCH("other") ":" SEARCH("few"), "auto", CUDA_NAME,
     SEARCH("few") "/" CUDA_NAME, CUSHIM_ORIGIN_LINKER, CUSHIM_VERDICT_CHOSEN, "", NULL, NULL},
    {CUSHIM_LIBRARY_NVRTC, NVRTC("pair"), "libnvrtc.so.12", "libnvrtc.so.12",
     NVRTC("pair/libnvrtc.so.12"), CUSHIM_ORIGIN_PARAMETER, CUSHIM_VERDICT_CHOSEN, "", NULL, NULL},
    /* What is loaded along with it is looked at, too. */
    {CUSHIM_LIBRARY_NVRTC, NVRTC("waiting"), "libnvrtc.so.12", "libnvrtc.so.12",
     NVRTC("waiting/libnvrtc.so.12"), CUSHIM_ORIGIN_PARAMETER, CUSHIM_VERDICT_CHOSEN, "", NULL,
     NULL},
    /* Where the linker finds nothing good, toolkits and wheels are looked at. */
    {CUSHIM_LIBRARY_NVRTC, NVRTC("blocked"), "auto", NVRTC("home/lib64/libnvrtc.so.12"),
     NVRTC("home/lib64/libnvrtc.so.12"), CUSHIM_ORIGIN_PLACE, CUSHIM_VERDICT_CHOSEN, "",
     "CUDA_PATH", NVRTC("home")},
    {CUSHIM_LIBRARY_NVRTC, NVRTC("blocked"), "auto", NVRTC("home/lib64/libnvrtc.so.12"),
     NVRTC("home/lib64/libnvrtc.so.12"), CUSHIM_ORIGIN_PLACE, CUSHIM_VERDICT_CHOSEN, "",
     "CUDA_HOME", NVRTC("home")},
    {CUSHIM_LIBRARY_NVRTC, NVRTC("blocked"), "auto", WHEEL, WHEEL, CUSHIM_ORIGIN_PLACE,
     CUSHIM_VERDICT_CHOSEN, "", "VIRTUAL_ENV", NVRTC("wheels")},
    {CUSHIM_LIBRARY_NVRTC, NVRTC("blocked"), "auto", WHEEL, WHEEL, CUSHIM_ORIGIN_PLACE,
     CUSHIM_VERDICT_CHOSEN, "", "CONDA_PREFIX", NVRTC("wheels")},
};

/* A toolkit of the machine comes before wheels. */
static int hidden_by_toolkit(const struct wanted *wanted)
{
    return !strcmp(wanted->name, WHEEL) && !access("/usr/local/cuda", F_OK);
}

/* The candidate with the name that the case is about; not one that only might have been loaded. */
static const struct cushim_candidate *find(const struct cushim_report *report,
                                           const struct wanted *wanted)
{
    for (size_t i = 0; i < report->n_candidates; i++)
        if (!strcmp(report->candidates[i]->name, wanted->name) &&
            report->candidates[i]->origin == wanted->origin)
            return report->candidates[i];
    return NULL;
}

static int run_case(const struct wanted *wanted)
{
    const struct cushim_report *report = NULL;
    const struct cushim_candidate *candidate;

    CHECK_INT(cushim_report_create(wanted->library, cushim_open_params(.library = wanted->words),
                                   &report),
              CUSHIM_OK);
    candidate = find(report, wanted);
    if (candidate) {
        CHECK_TEXT(cushim_verdict_word(candidate->verdict), cushim_verdict_word(wanted->verdict));
        CHECK_TEXT(candidate->path, wanted->file);
        CHECK_CONTAINS(candidate->detail, wanted->detail);
        CHECK_INT(report->chosen == candidate, wanted->verdict == CUSHIM_VERDICT_CHOSEN);
    } else {
        CHECK_TEXT("no candidate", wanted->name);
    }
    if (failures())
        for (size_t i = 0; i < report->n_candidates; i++)
            fprintf(stderr, "  %s (%s): %s, %s\n", report->candidates[i]->name,
                    cushim_origin_word(report->candidates[i]->origin),
                    cushim_verdict_word(report->candidates[i]->verdict),
                    report->candidates[i]->detail);
    cushim_report_free(&report);
    return failures();
}

static void start_case(const char *program, size_t number)
{
    const struct wanted *wanted = &cases[number];
    const char *before = getenv("LD_LIBRARY_PATH");
    char argument[32], path[16384];

    snprintf(argument, sizeof(argument), "%zu", number);
    snprintf(path, sizeof(path), "%s%s%s", wanted->path, before ? ":" : "", before ? before : "");
    setenv("LD_LIBRARY_PATH", path, 1);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        if (cases[i].variable)
            unsetenv(cases[i].variable);
    if (wanted->variable)
        setenv(wanted->variable, wanted->value, 1);
    execl(program, program, argument, NULL);
    _exit(127);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return run_case(&cases[strtoul(argv[1], NULL, 10)]);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        int child, status = -1;

        if (hidden_by_toolkit(&cases[i])) {
            printf("not tested: %s, behind /usr/local/cuda\n", cases[i].variable);
            continue;
        }
        child = fork();
        if (!child)
            start_case(argv[0], i);
        waitpid(child, &status, 0);
        if (status) {
            fprintf(stderr, "case %zu failed: %s in %s\n", i, cases[i].name, cases[i].path);
            CHECK_INT(status, 0);
        }
    }
    return failures();
}
