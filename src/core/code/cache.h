/* SPDX-License-Identifier: MIT */
/*
 * The cache of compilations on disk: cache.c. What an entry is named by: cache_key.c. What is in
 * its file: cache_entry.c. The folder with the files: base/cache_folder.h.
 */
#ifndef CUSHIM_CORE_CODE_CACHE_H
#define CUSHIM_CORE_CODE_CACHE_H

#include "base/cache_folder.h"
#include "core/code/image.h"
#include "core/code/rtc.h"

/* One compilation. */
struct cushim__cache_input {
    const struct cushim__driver *rtc;
    const char *name, *source;
    const struct cushim_compile_params *params;
    const struct cushim__rtc_options *options;
};

/* The cache as one compilation sees it. If folder is -1, nothing is looked for, and nothing kept.
 */
struct cushim__cache {
    int folder;
    uint64_t limit; /* in bytes */
    struct cushim__cache_input input;
    struct cushim__cache_key key;
};

/*
 * Opens the cache that the parameters or the environment name, and computes the key. Fails if they
 * are wrong, or if others may write to the folder. A cache that cannot be used for another reason
 * is not used; the log says why.
 */
cushim_status cushim__cache_open(const struct cushim__cache_input *input, const char *call,
                                 struct cushim__cache *ret_cache);

/* Returns the image of an earlier compilation, or NULL. The caller frees it. */
struct cushim__image *cushim__cache_find(const struct cushim__cache *cache);

/* Keeps an image. Nothing is kept if a header was changed since the cache was opened. */
void cushim__cache_keep(const struct cushim__cache *cache, const struct cushim__image *image);

void cushim__cache_close(struct cushim__cache *cache);

/* Copies the counts of this process. */
void cushim__cache_counts(struct cushim_cache_counts *ret_counts);

/*
 * Says what is in a folder, or if it is NULL in the one that the environment names, and makes and
 * removes nothing. All is 0 if none is named. Fails where cushim__cache_open() does, and where it
 * would not use the cache.
 */
cushim_status cushim__cache_look(const char *folder, const char *call,
                                 struct cushim_cache_state *ret_state);

/* --- cache_key.c --- */

/*
 * Computes the key from all that the result depends on. Returns false with a sentence in why if
 * that is not known.
 */
bool cushim__cache_key_make(const struct cushim__cache_input *input,
                            struct cushim__cache_key *ret_key, char *why, size_t why_size);

/* --- cache_entry.c --- */

/* Returns the bytes of a file with this image, or NULL when out of memory. The caller frees them.
 */
void *cushim__cache_entry_write(const struct cushim__cache_key *key,
                                const struct cushim__image *image, size_t *ret_bytes);

/* Returns the image in the bytes of a file; NULL if they are damaged, or out of memory. */
struct cushim__image *cushim__cache_entry_read(const struct cushim__cache_key *key,
                                               const void *bytes, size_t n_bytes);

#endif
