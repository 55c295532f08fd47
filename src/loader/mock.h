/* SPDX-License-Identifier: MIT */
/* What the loader knows of the mock: where it is, and how it explains a failure. */
#ifndef CUSHIM_LOADER_MOCK_H
#define CUSHIM_LOADER_MOCK_H

#include "loader/library.h"

/* The name of the mock for the dynamic linker. */
#define CUSHIM__MOCK_NAME "libcushim-mock.so.0"

/*
 * Calls try() with the paths where the mock may be: cushim/libcuda.so.1 in the folder of the
 * library or program that contains this code, and in the folder where cushim was installed. If
 * CUSHIM_MOCK_DRIVER_VERSION is "11.4", the path is cushim/11.4/libcuda.so.1.
 */
void cushim__mock_places(void (*try)(const char *path, void *user), void *user);

/*
 * Returns the sentence of the mock about a cuInit() of this thread that has just failed. NULL if
 * the library is not a mock, or has nothing to say.
 */
const char *cushim__mock_explains(const struct cushim__library *library);

#endif
