/* SPDX-License-Identifier: MIT */
#ifndef CUSHIM_LOADER_MOCK_H
#define CUSHIM_LOADER_MOCK_H

/* The mock, as the dynamic linker finds it. */
#define CUSHIM__MOCK_NAME "libcushim-mock.so.0"

/*
 * Gives the paths where the mock may be: cushim/libcuda.so.1 beside the library or
 * program that this code is in, and in the folder that cushim was installed to. Where
 * CUSHIM_MOCK_DRIVER_VERSION says "11.4", it is cushim/11.4/libcuda.so.1.
 */
void cushim__mock_places(void (*try)(const char *path, void *user), void *user);

#endif
