/* SPDX-License-Identifier: MIT */
/* The subcommands of `cushim`, and their exit statuses. */
#ifndef CUSHIM_TOOL_COMMAND_H
#define CUSHIM_TOOL_COMMAND_H

/** Exit statuses. */
enum command_status {
    COMMAND_OK = 0,
    COMMAND_NO = 1,     /* there is no usable driver */
    COMMAND_USAGE = 2,  /* the command line is wrong */
    COMMAND_FAILED = 3, /* no result: out of memory, or the output could not be written */
};

/**
 * Prints which driver, NVRTC, nvJitLink and devices this machine has. argv[0] is the name for messages,
 * "cushim info". Returns an enum command_status.
 */
int command_info(int argc, char **argv);

/** Compiles CUDA C++ to PTX, or to a header with its kernels. */
int command_compile(int argc, char **argv);

/** Prints the contents of a PTX module. This command exists only if the mock is built. */
int command_ptx(int argc, char **argv);

/** Runs a program on the mock. Returns only if the program cannot be run. */
int command_run(int argc, char **argv);

#endif
