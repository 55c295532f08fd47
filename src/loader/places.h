/* SPDX-License-Identifier: MIT */
/* Where the libraries of a toolkit are. */
#ifndef CUSHIM_LOADER_PLACES_H
#define CUSHIM_LOADER_PLACES_H

/*
 * Calls try() with each file that has one of these names and is in a usual folder: of CUDA_PATH,
 * CUDA_HOME and /usr/local/cuda, or of a Python environment. wheels are the folders of wheels below
 * site-packages. Both lists end with NULL.
 */
void cushim__toolkit_places(const char *const *names, const char *const *wheels,
                            void (*try)(const char *path, void *user), void *user);

#endif
