/* SPDX-License-Identifier: MIT */
/*
 * `cushim run`: runs a program on the mock. The program may use cushim or open libcuda.so.1 itself.
 * The command sets the environment and then replaces itself with the program, or waits for it if
 * findings are wanted.
 */
#include "run.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

static const char usage[] =
    "usage: cushim run [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Runs a program on the mock, a CUDA device in software, in place of a driver.\n"
    "\n"
    "  --check            print data races, wild accesses, unwritten reads and leaks at exit\n"
    "  --check-status N   as --check, and end with N, 1 to 255, if anything was found or nothing "
    "was checked\n"
    "                     (default: the program's own status)\n"
    "  --suppress RULES   findings that are not told: patterns such as 'leak: event*',\n"
    "                     separated by ';', or @FILE\n"
    "  --seed N           draw another order of work; the same seed gives the same order\n"
    "                     (default 0: as late as possible)\n"
    "  --devices LIST     the devices, up to 16, separated by commas (default: one h200):\n"
    "                     h200, a100, t4, rtx4090, l4, l40s, a10, v100, rtx5090, b200, orin;\n"
    "                     ci is an h200 that has half of the host's free memory\n"
    "  --config FILE      more about the devices\n"
    "  --driver VERSION   the CUDA version of the driver, 10.0 to 13.5 (default: the newest\n"
    "                     that has the devices)\n"
    "  --kernels PATHS    plug-ins with kernels, separated by ':'\n"
    "  --faults RULES     faults to inject: rules, separated by ';', or @FILE\n"
    "  --trace FILE       write every call to FILE, for https://ui.perfetto.dev\n"
    "  --own-compilers    let the program use its own NVRTC, nvJitLink, ptxas, nvlink and\n"
    "                     fatbinary, which make machine code: the mock runs none\n"
    "  --help             print this\n"
    "\n"
    "More is in the environment: CUSHIM_MOCK_PTX_COMPILE, CUSHIM_CACHE and CUSHIM_MOCK_CHECK "
    "decide\n"
    "how fast kernels run. See docs/mock.md.\n"
    "\n"
    "Exit status: the program's; 2 wrong usage, 126 it cannot be run, 127 it is not found,\n"
    "3 the mock is not found.\n";

enum {
    OPTION_CHECK = 1,
    OPTION_HELP,
    OPTION_OWN,
    OPTION_STATUS,
    OPTION_FIRST = 1000, /* plus the index of the setting; larger than all letters */
    CANNOT_RUN = 126,
    NOT_FOUND = 127,
};

const struct run_setting run_settings[RUN_N_SETTINGS] = {
    {"seed", "CUSHIM_MOCK_SEED"},         {"devices", "CUSHIM_MOCK_DEVICES"},
    {"config", "CUSHIM_MOCK_CONFIG"},     {"driver", "CUSHIM_MOCK_DRIVER_VERSION"},
    {"kernels", "CUSHIM_MOCK_KERNELS"},   {"faults", "CUSHIM_MOCK_FAULTS"},
    {"suppress", "CUSHIM_MOCK_SUPPRESS"}, {"trace", "CUSHIM_MOCK_TRACE"},
};

static const struct option flags[] = {
    {"check", no_argument, NULL, OPTION_CHECK},
    {"check-status", required_argument, NULL, OPTION_STATUS},
    {"help", no_argument, NULL, OPTION_HELP},
    {"own-compilers", no_argument, NULL, OPTION_OWN},
};

enum { N_FLAGS = sizeof(flags) / sizeof(flags[0]) };

bool run_set(const char *name, const char *value)
{
    if (!setenv(name, value, 1))
        return true;
    fprintf(stderr, "cushim run: %s: %s\n", name, strerror(errno));
    return false;
}

static int read_status(const char *word, struct run_request *request)
{
    char *end;
    const long status = strtol(word, &end, 10);

    if (!*word || *end || status < 1 || status > 255) {
        fprintf(stderr, "cushim run: --check-status: '%s' is not a number from 1 to 255\n", word);
        return COMMAND_USAGE;
    }
    request->check_status = (int) status;
    request->check = true;
    return -1;
}

/* Reads a setting. An empty value would count as none, which nobody means who writes the option. */
static int read_setting(unsigned i, const char *word, struct run_request *request)
{
    if (!*word) {
        fprintf(stderr, "cushim run: --%s: the word is empty\n", run_settings[i].option);
        return COMMAND_USAGE;
    }
    request->given |= 1u << i;
    return run_set(run_settings[i].variable, word) ? -1 : COMMAND_FAILED;
}

/* Reads an option. Returns -1 to continue, or the exit status. */
static int read_option(int code, struct run_request *request)
{
    switch (code) {
    case OPTION_HELP:
    case 'h':
        fputs(usage, stdout);
        return COMMAND_OK;
    case '?':
        return COMMAND_USAGE;
    case OPTION_OWN:
        request->own_compilers = true;
        return -1;
    case OPTION_CHECK:
        request->check = true;
        return -1;
    case OPTION_STATUS:
        return read_status(optarg, request);
    default:
        return read_setting((unsigned) (code - OPTION_FIRST), optarg, request);
    }
}

/* Reads the options. Returns -1 to continue, or the exit status. */
static int parse(int argc, char **argv, struct run_request *request)
{
    struct option options[N_FLAGS + RUN_N_SETTINGS + 1] = {{0}};
    int code, status = -1;

    memcpy(options, flags, sizeof(flags));
    for (int i = 0; i < RUN_N_SETTINGS; i++)
        options[N_FLAGS + i] =
            (struct option){run_settings[i].option, required_argument, NULL, OPTION_FIRST + i};
    /* "+" ends the options at the program's name: the words after it belong to the program. */
    while (status < 0 && (code = getopt_long(argc, argv, "+h", options, NULL)) != -1)
        status = read_option(code, request);
    if (status >= 0 || optind < argc)
        return status;
    fputs(usage, stderr);
    return COMMAND_USAGE;
}

/* Sets the environment. Returns -1 to continue, or the exit status. */
static int prepare(const struct run_request *request)
{
    char *mock;
    int status = COMMAND_FAILED;

    if (request->check && !run_set("CUSHIM_MOCK_CHECK", "1"))
        return COMMAND_FAILED;
    if (!run_check_paths(request))
        return COMMAND_USAGE;
    mock = run_find_mock();
    if (mock && !run_check_settings(request, mock))
        status = COMMAND_USAGE;
    else if (mock && run_lead_to(mock, request->own_compilers))
        status = -1;
    free(mock);
    return status;
}

int run_program(char **words)
{
    execvp(words[0], words);
    fprintf(stderr, "cushim run: %s: %s\n", words[0], strerror(errno));
    return errno == ENOENT ? NOT_FOUND : CANNOT_RUN;
}

int command_run(int argc, char **argv)
{
    struct run_request request = {0};
    int status = parse(argc, argv, &request);

    if (status < 0)
        status = prepare(&request);
    if (status >= 0)
        return status;
    if (!request.check)
        return run_program(argv + optind);
    status = run_checked(&request, argv + optind);
    fflush(NULL);
    /* Without functions for the end: the mock in this process has one that would write the trace.
     */
    _exit(status);
}
