/* SPDX-License-Identifier: MIT */
/* What a driver does that the loader depends on. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cushim/rows.h>

#include "fake_library.h"

enum { NOT_INITIALIZED = 3, NOT_FOUND = 500 };
enum { STATUS_SYMBOL_NOT_FOUND = 1, STATUS_VERSION_NOT_SUFFICIENT = 2 };
enum { LEGACY_STREAM = 1, PER_THREAD_STREAM = 2 };

/* FAKE_CUINIT in the environment is what cuInit() answers, until it is set to something else. */
static int init(void)
{
    static atomic_int process;
    const char *result = getenv("FAKE_CUINIT");
    int none = 0;

    if (result && *result)
        return atoi(result);
    /* A real driver knows no device in the child of a process that initialised it. */
    if (!atomic_compare_exchange_strong(&process, &none, (int) getpid()) && none != (int) getpid())
        return NOT_INITIALIZED;
    return 0;
}

static int wrong_function(void)
{
    return FAKE_WRONG_FUNCTION;
}

/* As if built without it: a driver says so in several ways, and may leave a pointer behind. */
static bool withheld(const char *base, int *ret_result, int *ret_status)
{
    if (!strcmp(base, "cuLaunchKernelEx")) {
        *ret_result = 0;
        *ret_status = STATUS_VERSION_NOT_SUFFICIENT;
        return true;
    }
    if (!strcmp(base, "cuFuncGetParamInfo")) {
        *ret_result = NOT_FOUND;
        *ret_status = 0;
        return true;
    }
    return false;
}

/*
 * Only the exact version and the right kind of stream lead to the function. A real
 * driver is not as strict; one that asks for the newest, or for the version of its
 * toolkit, gets a function with another signature there, and a wrong answer here.
 */
static int serve(const char *base, void **ret_function, int version, uint64_t flag, int *ret_status)
{
    const uint64_t wanted[] = {LEGACY_STREAM, PER_THREAD_STREAM};
    bool known = false;
    int result = 0;

    *ret_status = 0;
    *ret_function = (void *) (intptr_t) wrong_function;
    if (withheld(base, &result, ret_status))
        return result;
    for (size_t i = 0; i < fake_n_served; i++) {
        const struct fake_served *s = &fake_served[i];

        if (strcmp(s->base, base) != 0)
            continue;
        known = true;
        if (s->since == version && wanted[s->per_thread] == flag) {
            *ret_function = (void *) (intptr_t) s->function;
            return 0;
        }
    }
    if (known)
        return 0;
    *ret_function = NULL;
    *ret_status = STATUS_SYMBOL_NOT_FOUND;
    return NOT_FOUND;
}

static int serve_row(unsigned row, void *const *args)
{
    const char *base = *(const char *const *) args[0];
    void **function = *(void ***) args[1];
    const int version = *(int *) args[2];
    const uint64_t flag = *(uint64_t *) args[3];
    int status = 0;
    const int result = serve(base, function, version, flag, &status);

    if (row == CUSHIM_ROW_cuGetProcAddress_v2)
        **(int **) args[4] = status;
    else if (status)
        return NOT_FOUND;
    return result;
}

bool fake_behave(unsigned row, void *const *args, int *ret_result)
{
    switch (row) {
    case CUSHIM_ROW_cuInit:
        *ret_result = init();
        return true;
    case CUSHIM_ROW_cuDriverGetVersion:
        **(int **) args[0] = FAKE_VERSION;
        *ret_result = FAKE_VERSION_RESULT;
        return true;
    case CUSHIM_ROW_cuGetProcAddress:
    case CUSHIM_ROW_cuGetProcAddress_v2:
        *ret_result = serve_row(row, args);
        return true;
    }
    return false;
}
