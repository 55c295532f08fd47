/* SPDX-License-Identifier: MIT */
/* The builds of libraries for newer processors, which are in folders below "glibc-hwcaps". */
#ifndef CUSHIM_BASE_LINKER_HWCAPS_H
#define CUSHIM_BASE_LINKER_HWCAPS_H

#include <stddef.h>

/*
 * Returns the names of the builds that the dynamic linker takes on this processor, the best one
 * first, ending with NULL. Only those for x86-64 are known.
 */
const char *const *cushim__hwcaps(void);

/* The build that a library at a path is of. */
enum { CUSHIM__HWCAPS_PLAIN = -1, CUSHIM__HWCAPS_UNUSED = -2 };

/*
 * Returns the index of its name in cushim__hwcaps(), CUSHIM__HWCAPS_PLAIN for a library outside of
 * such folders, or CUSHIM__HWCAPS_UNUSED if the linker does not take this build.
 */
int cushim__hwcaps_of(const char *path);

#endif
