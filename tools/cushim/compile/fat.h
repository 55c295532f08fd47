/* SPDX-License-Identifier: MIT */
/* Fat binaries: several images in one, of which a driver takes the one that suits its device. */
#ifndef CUSHIM_TOOL_COMPILE_FAT_H
#define CUSHIM_TOOL_COMPILE_FAT_H

#include <stdbool.h>

#include "build.h"

/* Joins images. The caller frees *ret_bytes. False when out of memory. */
bool join_images(const struct built *built, size_t n, char **ret_bytes, size_t *ret_n);

#endif
