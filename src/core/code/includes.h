/* SPDX-License-Identifier: MIT */
/* All files that a compilation may read: includes.c. */
#ifndef CUSHIM_CORE_CODE_INCLUDES_H
#define CUSHIM_CORE_CODE_INCLUDES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/sha256.h"

/*
 * A search for files. All that is found goes into the digest: the path of each file that the
 * compiler may look for, whether it is there, and what it contains.
 *
 * NVRTC looks for a header in the folder of the file that includes it, and in the folders of its
 * options. Here all of these files count, and not only the first one: so a file that appears before
 * another one, or in its place, changes the digest, too.
 */
struct cushim__includes {
    struct cushim__sha256 *digest;
    const char *const *folders; /* of the options; ends with NULL */
    const char *why;            /* why not all files are known, or NULL */
    const char *where;          /* the file that is the reason */
    /* The rest belongs to includes.c. */
    const char *home;   /* the folder of the program */
    const char *folder; /* the folder of the file that is being read */
    void *seen;         /* the paths, as tsearch() keeps them */
    const char **paths; /* the same in order; the first n_read of them were read */
    size_t n_paths, n_read, capacity, bytes;
    struct cushim__arena arena;
};

/* Looks for what a text includes. name is the name of the program or of a header in memory. */
void cushim__includes_text(struct cushim__includes *includes, const char *name, const char *text);

/* Looks for one header, as if the program included it. */
void cushim__includes_header(struct cushim__includes *includes, const char *name);

/* Reads all files that were found, and those that they include. */
void cushim__includes_read(struct cushim__includes *includes);

void cushim__includes_finish(struct cushim__includes *includes);

#endif
