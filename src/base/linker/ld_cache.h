/* SPDX-License-Identifier: MIT */
/* The cache file of ldconfig. It tells where the library of a name is. */
#ifndef CUSHIM_BASE_LINKER_LD_CACHE_H
#define CUSHIM_BASE_LINKER_LD_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls visit() with each path that a cache has for a name, in the order of the cache, until
 * visit() returns true. Returns what the last visit() returned. A damaged cache, or one of another
 * format, has no paths.
 */
bool cushim__ld_cache_find(const void *cache, size_t bytes, const char *name,
                           bool (*visit)(const char *path, void *user), void *user);

/* Does the same with the cache of the system. */
bool cushim__ld_cache_each(const char *name, bool (*visit)(const char *path, void *user),
                           void *user);

#endif
