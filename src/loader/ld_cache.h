/* SPDX-License-Identifier: MIT */
/* What ldconfig wrote down: where libraries of a name are. */
#ifndef CUSHIM_LOADER_LD_CACHE_H
#define CUSHIM_LOADER_LD_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls visit with each path that a cache has for a name, in its order, until that says true,
 * which is then the answer. A cache of another format, or one that lies, has none.
 */
bool cushim__ld_cache_find(const void *cache, size_t bytes, const char *name,
                           bool (*visit)(const char *path, void *user), void *user);

/* The same of the system's. */
bool cushim__ld_cache_each(const char *name, bool (*visit)(const char *path, void *user),
                           void *user);

#endif
