/* SPDX-License-Identifier: MIT */
/* The `cushim` command: finds the subcommand and calls it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cushim/version.h>

#include "command.h"

struct command {
    const char *name;
    const char *full_name; /* for messages */
    const char *summary;
    int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
    {"compile", "cushim compile", "compiles CUDA C++ to PTX, or to a header with its kernels",
     command_compile},
    {"info", "cushim info", "tells which CUDA driver, compiler, linker and devices are usable here",
     command_info},
#ifdef CUSHIM_TOOL_PTX
    {"ptx", "cushim ptx", "tells what a module of PTX has, and whether the mock runs it",
     command_ptx},
#endif
    {"run", "cushim run", "runs a program on the mock, a CUDA device in software", command_run},
};

enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void print_usage(FILE *out)
{
    fputs("usage: cushim COMMAND [OPTION...]\n"
          "       cushim --version | --help\n"
          "\n",
          out);
    for (size_t i = 0; i < N_COMMANDS; i++)
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
    fputs("\n`cushim COMMAND --help` tells more.\n", out);
}

static bool is_one_of(const char *word, const char *shorter, const char *longer)
{
    return strcmp(word, shorter) == 0 || strcmp(word, longer) == 0;
}

static int run_command(const char *word, int argc, char **argv)
{
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(word, commands[i].name) == 0) {
            argv[0] = (char *) commands[i].full_name; /* getopt's messages begin with argv[0] */
            return commands[i].run(argc, argv);
        }
    }
    fprintf(stderr, "cushim: there is no command '%s'; `cushim --help` lists them\n", word);
    return COMMAND_USAGE;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return COMMAND_USAGE;
    }
    if (is_one_of(argv[1], "-h", "--help")) {
        print_usage(stdout);
        return COMMAND_OK;
    }
    if (is_one_of(argv[1], "-V", "--version")) {
        printf("cushim %d.%d.%d\n", CUSHIM_VERSION_MAJOR, CUSHIM_VERSION_MINOR,
               CUSHIM_VERSION_PATCH);
        return COMMAND_OK;
    }
    return run_command(argv[1], argc - 1, argv + 1);
}
