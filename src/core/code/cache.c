/* SPDX-License-Identifier: MIT */
#include "core/code/cache.h"

#include <stdatomic.h>
#include <unistd.h>

#include "base/log.h"
#include "base/status.h"
#include "base/util.h"

/* The counts of this process. */
static _Atomic uint64_t hits, misses, bypasses, damaged, stored, removed;

static void add(_Atomic uint64_t *count, uint64_t n)
{
    atomic_fetch_add_explicit(count, n, memory_order_relaxed);
}

void cushim__cache_counts(struct cushim_cache_counts *ret_counts)
{
    ret_counts->hits = atomic_load(&hits);
    ret_counts->misses = atomic_load(&misses);
    ret_counts->bypasses = atomic_load(&bypasses);
    ret_counts->damaged = atomic_load(&damaged);
    ret_counts->stored = atomic_load(&stored);
    ret_counts->removed = atomic_load(&removed);
}

cushim_status cushim__cache_look(const char *folder, const char *call,
                                 struct cushim_cache_state *ret_state)
{
    const char *path = cushim__cache_path(folder);
    struct cushim_cache_state state = {0};

    if (path) {
        CUSHIM_TRY(cushim__cache_limit(0, call, &state.limit));
        CUSHIM_TRY(cushim__cache_folder_look(path, call, &state));
    }
    *ret_state = state;
    return CUSHIM_OK;
}

cushim_status cushim__cache_open(const struct cushim__cache_input *input, const char *call,
                                 struct cushim__cache *ret_cache)
{
    const char *path = cushim__cache_path(input->params->cache);
    char why[512];

    *ret_cache = (struct cushim__cache){.folder = -1, .input = *input};
    if (!path)
        return CUSHIM_OK;
    CUSHIM_TRY(cushim__cache_limit(input->params->cache_bytes, call, &ret_cache->limit));
    CUSHIM_TRY(cushim__cache_folder_open(path, call, &ret_cache->folder));
    if (ret_cache->folder < 0) {
        add(&bypasses, 1);
        return CUSHIM_OK;
    }
    if (cushim__cache_key_make(input, &ret_cache->key, why, sizeof(why)))
        return CUSHIM_OK;
    cushim__log(CUSHIM_LOG_INFO, "%s is compiled without the cache: %s", input->name, why);
    add(&bypasses, 1);
    cushim__cache_close(ret_cache);
    return CUSHIM_OK;
}

void cushim__cache_close(struct cushim__cache *cache)
{
    if (cache->folder >= 0)
        close(cache->folder);
    cache->folder = -1;
}

struct cushim__image *cushim__cache_find(const struct cushim__cache *cache)
{
    SCOPED_FREE void *bytes = NULL;
    struct cushim__image *image;
    size_t n_bytes = 0;

    if (cache->folder < 0)
        return NULL;
    bytes = cushim__cache_folder_read(cache->folder, &cache->key, &n_bytes);
    image = bytes ? cushim__cache_entry_read(&cache->key, bytes, n_bytes) : NULL;
    add(image ? &hits : &misses, 1);
    if (bytes && !image) {
        add(&damaged, 1);
        cushim__log(CUSHIM_LOG_WARNING, "%s: its image in the cache is damaged, and is made anew",
                    cache->input.name);
        cushim__cache_folder_remove(cache->folder, &cache->key);
    }
    return image;
}

/* Compiling takes long enough for a header to change meanwhile. */
static bool is_unchanged(const struct cushim__cache *cache)
{
    struct cushim__cache_key now;
    char why[512];

    return cushim__cache_key_make(&cache->input, &now, why, sizeof(why)) &&
           !memcmp(&now, &cache->key, sizeof(now));
}

void cushim__cache_keep(const struct cushim__cache *cache, const struct cushim__image *image)
{
    SCOPED_FREE void *bytes = NULL;
    uint64_t n_removed = 0;
    size_t n_bytes = 0;

    if (cache->folder < 0)
        return;
    if (!is_unchanged(cache)) {
        cushim__log(CUSHIM_LOG_INFO, "%s: a header changed meanwhile, so the image is not kept",
                    cache->input.name);
        return;
    }
    bytes = cushim__cache_entry_write(&cache->key, image, &n_bytes);
    if (!bytes || !cushim__cache_folder_write(cache->folder, &cache->key, bytes, n_bytes,
                                              cache->limit, &n_removed))
        return;
    add(&stored, 1);
    add(&removed, n_removed);
}
