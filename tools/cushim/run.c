/* SPDX-License-Identifier: MIT */
/*
 * `cushim run`: runs a program on the mock. The program may use cushim or open libcuda.so.1 itself.
 * The command sets the environment and then replaces itself with the program.
 */
#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cushim/report.h>

#include "command.h"
#include "util.h"

static const char usage[] =
    "usage: cushim run [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Runs a program on the mock, a CUDA device in software, in place of a driver.\n"
    "\n"
    "  --check            print data races, wild accesses, unwritten reads and leaks at exit\n"
    "  --seed N           draw another order of work; the same seed gives the same order\n"
    "  --devices LIST     the devices: h200, a100, t4, rtx4090, l4, l40s, a10, v100, rtx5090,\n"
    "                     b200, orin, ci, separated by commas\n"
    "  --config FILE      more about the devices\n"
    "  --driver VERSION   the CUDA version of the driver, such as 11.4\n"
    "  --kernels PATHS    plug-ins with kernels, separated by ':'\n"
    "  --faults RULES     faults to inject\n"
    "  --trace FILE       write every call to FILE, for https://ui.perfetto.dev\n"
    "  --own-compilers    let the program use its own NVRTC, nvJitLink, ptxas, nvlink and\n"
    "                     fatbinary, which make machine code: the mock runs none\n"
    "  --help             print this\n"
    "\n"
    "Exit status: the program's; 2 wrong usage, 126 it cannot be run, 127 it is not found,\n"
    "3 the mock is not found.\n";

enum { OPTION_CHECK = 1, OPTION_HELP, OPTION_OWN, CANNOT_RUN = 126, NOT_FOUND = 127 };

/* The options that set a variable. The number of an option is OPTION_FIRST plus its index here. */
static const char *const variables[] = {"CUSHIM_MOCK_SEED",    "CUSHIM_MOCK_DEVICES",
                                        "CUSHIM_MOCK_CONFIG",  "CUSHIM_MOCK_DRIVER_VERSION",
                                        "CUSHIM_MOCK_KERNELS", "CUSHIM_MOCK_FAULTS",
                                        "CUSHIM_MOCK_TRACE"};

enum { OPTION_FIRST = 1000 }; /* larger than all letters */

static const struct option options[] = {
    {"check", no_argument, NULL, OPTION_CHECK},
    {"help", no_argument, NULL, OPTION_HELP},
    {"own-compilers", no_argument, NULL, OPTION_OWN},
    {"seed", required_argument, NULL, OPTION_FIRST},
    {"devices", required_argument, NULL, OPTION_FIRST + 1},
    {"config", required_argument, NULL, OPTION_FIRST + 2},
    {"driver", required_argument, NULL, OPTION_FIRST + 3},
    {"kernels", required_argument, NULL, OPTION_FIRST + 4},
    {"faults", required_argument, NULL, OPTION_FIRST + 5},
    {"trace", required_argument, NULL, OPTION_FIRST + 6},
    {NULL, 0, NULL, 0},
};

static bool set(const char *name, const char *value)
{
    if (!setenv(name, value, 1))
        return true;
    fprintf(stderr, "cushim run: %s: %s\n", name, strerror(errno));
    return false;
}

/* Reads the options. Returns -1 to continue, or the exit status. */
static int parse(int argc, char **argv, bool *ret_own_compilers)
{
    int code;

    /* "+" ends the options at the program's name: the words after it belong to the program. */
    while ((code = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
        if (code == OPTION_HELP || code == 'h') {
            fputs(usage, stdout);
            return COMMAND_OK;
        }
        if (code == '?')
            return COMMAND_USAGE;
        if (code == OPTION_OWN) {
            *ret_own_compilers = true;
            continue;
        }
        if (!set(code == OPTION_CHECK ? "CUSHIM_MOCK_CHECK" : variables[code - OPTION_FIRST],
                 code == OPTION_CHECK ? "1" : optarg))
            return COMMAND_FAILED;
    }
    if (optind < argc)
        return -1;
    fputs(usage, stderr);
    return COMMAND_USAGE;
}

/*
 * Returns the path of the mock, which the caller frees. If the mock is not installed, it prints a
 * message and returns NULL.
 */
static char *find_mock(void)
{
    const struct cushim_open_params *params =
        cushim_open_params(.library = "mock", .load_only = true);
    const struct cushim_report *report = NULL;
    char *path = NULL;

    if (cushim_report_create(CUSHIM_LIBRARY_CUDA, params, &report)) {
        fprintf(stderr, "cushim run: %s\n", cushim_error_text());
        return NULL;
    }
    /* The path must contain a folder, which goes into the library path. */
    if (report->chosen && strchr(report->chosen->path, '/'))
        path = format("%s", report->chosen->path);
    if (!path)
        fprintf(stderr, "cushim run: the mock is not installed; %s\n", report->text);
    cushim_report_free(&report);
    return path;
}

/* Puts words before those that a variable has. */
static bool prepend(const char *name, const char *words)
{
    const char *before = getenv(name);
    char *all =
        format("%s%s%s", words, before && *before ? ":" : "", before && *before ? before : "");
    const bool done = set(name, all);

    free(all);
    return done;
}

/*
 * Tells the stand-ins what they would find if they were not in the library path themselves. A
 * compiler that is not there needs no variable.
 */
static bool tell_found(enum cushim_library library, const char *name)
{
    const struct cushim_report *report = NULL;
    bool done = true;

    if (getenv(name) || cushim_report_create(library, NULL, &report))
        return true;
    if (report->chosen && strchr(report->chosen->path, '/'))
        done = set(name, report->chosen->path);
    cushim_report_free(&report);
    return done;
}

/* Returns PLACE/toolkit if it has what stands in for NVIDIA's compilers. The caller frees it. */
static char *toolkit_in(const char *place)
{
    char *redirect = format("%s/toolkit/redirect.so", place);
    const bool there = !access(redirect, R_OK);

    free(redirect);
    return there ? format("%s/toolkit", place) : NULL;
}

/* It is beside the mock, or beside the folder of a mock that is an older driver. */
static char *find_toolkit(const char *folder)
{
    char *toolkit = toolkit_in(folder), *inner = format("%s", folder);

    if (!toolkit)
        toolkit = toolkit_in(dirname(inner));
    if (!toolkit)
        fprintf(stderr,
                "cushim run: what stands in for NVIDIA's compilers is not in %s/toolkit; a program "
                "that asks for machine code will not run\n",
                folder);
    free(inner);
    return toolkit;
}

/*
 * In place of NVIDIA's compilers the program finds those that keep the PTX. Where they were not
 * built, it uses its own.
 */
static bool lead_to_compilers(const char *folder)
{
    char *toolkit = find_toolkit(folder), *redirect;
    bool done;

    if (!toolkit)
        return true;
    redirect = format("%s/redirect.so", toolkit);
    done = tell_found(CUSHIM_LIBRARY_NVRTC, "CUSHIM_NVRTC_FOUND") &&
           tell_found(CUSHIM_LIBRARY_NVJITLINK, "CUSHIM_NVJITLINK_FOUND") &&
           prepend("LD_LIBRARY_PATH", toolkit) && prepend("LD_PRELOAD", redirect) &&
           prepend("PATH", toolkit) && set("CUSHIM_NVRTC_KEEP_PTX", "1") &&
           /* It wants to be the first library of a program, which a preloaded one is. */
           prepend("ASAN_OPTIONS", "verify_asan_link_order=0");
    free(redirect);
    free(toolkit);
    return done;
}

/*
 * Sets the environment for programs that use cushim, and for those that open libcuda.so.1
 * themselves.
 */
static bool lead_to(char *mock, bool own_compilers)
{
    const char *folder;

    if (!set("CUSHIM_LIBCUDA", mock))
        return false;
    folder = dirname(mock);
    return prepend("LD_LIBRARY_PATH", folder) && (own_compilers || lead_to_compilers(folder));
}

int command_run(int argc, char **argv)
{
    bool own_compilers = false;
    const int status = parse(argc, argv, &own_compilers);
    char *mock;

    if (status >= 0)
        return status;
    mock = find_mock();
    if (!mock || !lead_to(mock, own_compilers)) {
        free(mock);
        return COMMAND_FAILED;
    }
    free(mock);
    execvp(argv[optind], argv + optind);
    fprintf(stderr, "cushim run: %s: %s\n", argv[optind], strerror(errno));
    return errno == ENOENT ? NOT_FOUND : CANNOT_RUN;
}
