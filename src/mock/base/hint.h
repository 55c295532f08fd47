/* SPDX-License-Identifier: MIT */
/*
 * What a person can do about a failure, on standard error. A program that was written for hardware
 * gets a number and seldom prints more, and on hardware it would not have failed. Each
 * reason is told once a process; CUSHIM_LOG=none keeps them all quiet. Takes no lock: thread-safe.
 */
#ifndef CUSHIM_MOCK_BASE_HINT_H
#define CUSHIM_MOCK_BASE_HINT_H

#include <cushim/version.h>

enum mock__hint {
    MOCK__HINT_MACHINE_CODE, /* there is no PTX */
    MOCK__HINT_OTHER_DEVICE, /* there is, for other devices */
    MOCK__HINT_NEWER_PTX,
    MOCK__HINT_REFUSED, /* an instruction that is not executed */
    MOCK__HINT_TOO_LARGE,
    MOCK__HINT_NO_ZSTD,
    MOCK__HINT_FILE,    /* that is no file of code */
    MOCK__HINT_RUNTIME, /* NVIDIA's own asks for its private functions */
    MOCK__N_HINTS,
};

void mock__hint(enum mock__hint reason, const char *format, ...) CUSHIM_PRINTF(2, 3);

#endif
