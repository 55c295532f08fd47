/* SPDX-License-Identifier: MIT */
/* The parts of `cushim run`. */
#ifndef CUSHIM_TOOL_RUN_H
#define CUSHIM_TOOL_RUN_H

#include <stdbool.h>

/* What the command line says. */
struct run_request {
    unsigned given; /* bit i: the option of run_settings[i] is there */
    bool check, own_compilers;
    int check_status; /* the exit status if something was found; 0: the program's own */
};

/* An option that sets a variable. */
struct run_setting {
    const char *option, *variable;
};

enum { RUN_N_SETTINGS = 8 };
extern const struct run_setting run_settings[RUN_N_SETTINGS];

/* Sets a variable of the environment. If that fails, it prints a message. */
bool run_set(const char *name, const char *value);

/*
 * Returns the path of the mock, which the caller frees. If the mock is not installed, it prints a
 * message and returns NULL.
 */
char *run_find_mock(void);

/*
 * Sets the environment for programs that use cushim, and for those that open libcuda.so.1
 * themselves. Changes the path of the mock.
 */
bool run_lead_to(char *mock, bool own_compilers);

/*
 * Tell whether the mock will take what the environment says. If not, they print what is wrong and
 * what is allowed. The first one is called before the mock is loaded, which reads the rules for
 * faults then.
 */
bool run_check_paths(const struct run_request *request);
bool run_check_settings(const struct run_request *request, const char *mock);

/*
 * Runs a program whose findings are wanted, and waits for it, so that those of a process that ends
 * early are not lost. Returns the exit status.
 */
int run_checked(const struct run_request *request, char **words);

/* Replaces this process by the program. Returns the exit status if that fails. */
int run_program(char **words);

#endif
