/* SPDX-License-Identifier: MIT */
/* The subcommands of `cushim`, and what all of them answer to the shell. */
#ifndef CUSHIM_TOOL_COMMAND_H
#define CUSHIM_TOOL_COMMAND_H

/** Exit statuses. */
enum command_status {
    COMMAND_OK = 0,
    COMMAND_NO = 1,     /* the answer is no: there is no usable driver */
    COMMAND_USAGE = 2,  /* the command line is wrong */
    COMMAND_FAILED = 3, /* no answer: out of memory, or it could not be written */
};

/**
 * Tells what is on this machine. argv[0] is the name for messages, "cushim info".
 * Returns an enum command_status.
 */
int command_info(int argc, char **argv);

/** Tells what a module of PTX has. Where the mock is not built, there is no such command. */
int command_ptx(int argc, char **argv);

/** Runs a program on the mock. Returns only if it cannot be run. */
int command_run(int argc, char **argv);

#endif
