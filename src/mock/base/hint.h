/* SPDX-License-Identifier: MIT */
/*
 * Explains on standard error what the user can do about a failure. A program that was written for
 * hardware gets a number and seldom prints more. Each reason is printed once in a process;
 * CUSHIM_LOG=none turns this off. Takes no lock; thread-safe.
 */
#ifndef CUSHIM_MOCK_BASE_HINT_H
#define CUSHIM_MOCK_BASE_HINT_H

#include <cushim/version.h>

enum mock__hint {
    MOCK__HINT_MACHINE_CODE, /* there is no PTX */
    MOCK__HINT_OTHER_DEVICE, /* there is PTX, but for other devices */
    MOCK__HINT_NEWER_PTX,
    MOCK__HINT_WRONG_PTX,
    MOCK__HINT_REFUSED, /* an instruction that the mock does not execute */
    MOCK__HINT_TOO_LARGE,
    MOCK__HINT_NO_ZSTD,
    MOCK__HINT_FILE,    /* a path to a file that contains no code */
    MOCK__HINT_RUNTIME, /* NVIDIA's runtime asks for the driver's private functions */
    MOCK__HINT_TOO_NEW, /* the driver has no devices of that kind any more */
    MOCK__HINT_HIDDEN,  /* by CUDA_VISIBLE_DEVICES */
    MOCK__HINT_HOST_MEMORY,
    MOCK__HINT_DEVICE_MEMORY, /* what has taken it */
    MOCK__HINT_COREDUMP,
    MOCK__N_HINTS,
};

/*
 * Tells of a fault that breaks a context, and where it was; "" if that is not known. The first
 * MOCK__MOST_FAULTS are told.
 */
void mock__hint_fault(int fault, const char *where);

#define MOCK__MOST_FAULTS 20

void mock__hint(enum mock__hint reason, const char *format, ...) CUSHIM_PRINTF(2, 3);

#endif
