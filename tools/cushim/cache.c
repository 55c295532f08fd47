/* SPDX-License-Identifier: MIT */
/* The cache of compilations, for `cushim info`. */
#include "info.h"
#include "util.h"

void cache_look(struct info_cache *cache)
{
    if (cache->folder && !*cache->folder)
        cache->folder = NULL; /* as if it were not set */
    cache->state.size = sizeof(cache->state);
    cache->status = cushim_compile_cache_look(NULL, &cache->state);
    if (cache->status)
        cache->text = format("%s", cushim_error_text());
}
