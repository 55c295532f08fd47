/* SPDX-License-Identifier: MIT */
/*
 * A folder that keeps what was compiled, with one file for each entry: by choice of the program or
 * of the user, who names it in CUSHIM_CACHE.
 */
#ifndef CUSHIM_BASE_CACHE_FOLDER_H
#define CUSHIM_BASE_CACHE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/compile.h>

#include "base/sha256.h"

struct cushim__cache_key {
    unsigned char bytes[CUSHIM__SHA256_BYTES];
};

/* Returns the folder that the program or else the environment names, or NULL. */
const char *cushim__cache_path(const char *given);

/* How many bytes a folder may keep: given, or what the environment says if it is 0. */
cushim_status cushim__cache_limit(uint64_t given, const char *call, uint64_t *ret_limit);

/*
 * Opens a folder, and makes it if it is absent. If others may write to it, the call fails. If it
 * cannot be made, or opened, *ret_folder is -1, and errno and the log say why.
 */
cushim_status cushim__cache_folder_open(const char *path, const char *call, int *ret_folder);

/* Returns the bytes of an entry, or NULL. The entry then counts as used last. */
void *cushim__cache_folder_read(int folder, const struct cushim__cache_key *key, size_t *ret_bytes);

/* Adds what is in a folder, if it is there, to state, and says whether it can be written. */
cushim_status cushim__cache_folder_look(const char *path, const char *call,
                                        struct cushim_cache_state *state);

/* Removes an entry. */
void cushim__cache_folder_remove(int folder, const struct cushim__cache_key *key);

/*
 * Writes an entry, so that no reader ever sees a part of it, and then removes the entries that were
 * not used for longest until no more than limit bytes are left. Returns false if nothing was
 * written, and counts what was removed.
 */
bool cushim__cache_folder_write(int folder, const struct cushim__cache_key *key, const void *bytes,
                                size_t n_bytes, uint64_t limit, uint64_t *ret_removed);

#endif
