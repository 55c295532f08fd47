/* SPDX-License-Identifier: MIT */
/* For programs without a framework that call the driver's functions. */
#ifndef CUSHIM_TESTS_MOCK_CHECK_H
#define CUSHIM_TESTS_MOCK_CHECK_H

#include <stdio.h>
#include <stdlib.h>

/* Ends the program, red, where a call answers anything but success. */
#define CHECK(call)                                                                                \
    do {                                                                                           \
        const int check = (int) (call);                                                            \
        if (check) {                                                                               \
            fprintf(stderr, "%s:%d: %s answered %d, expected 0\n", __FILE__, __LINE__, #call,      \
                    check);                                                                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#endif
