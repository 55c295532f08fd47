/* SPDX-License-Identifier: MIT */
/* The file of ldconfig: which names of libraries are where. */
#ifndef CUSHIM_BASE_LINKER_LD_CACHE_H
#define CUSHIM_BASE_LINKER_LD_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls visit with each path that a cache has for a name, in its order, until visit answers true.
 * The answer is that of the last visit. A cache of another format, or a damaged one, has no paths.
 */
bool cushim__ld_cache_find(const void *cache, size_t bytes, const char *name,
                           bool (*visit)(const char *path, void *user), void *user);

/* Does the same with the cache of the system. */
bool cushim__ld_cache_each(const char *name, bool (*visit)(const char *path, void *user),
                           void *user);

#endif
