/* SPDX-License-Identifier: MIT */
/*
 * What NVRTC answered for a program, and its form as text.
 *
 * A file of answers is text that shows well what has changed: one line for each fact, the lines of
 * logs and of PTX behind "|" (or ">", for a last line that does not end), and binary images as
 * base64. The answers are in a fixed order, so it does not matter who recorded first.
 */
#ifndef CUSHIM_STANDIN_NVRTC_ANSWER_H
#define CUSHIM_STANDIN_NVRTC_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

/* What can be asked of a compiled program. */
enum blob_kind {
    BLOB_LOG,
    BLOB_PTX,
    BLOB_CUBIN,
    BLOB_LTOIR,
    BLOB_OPTIXIR,
    BLOB_NVVM,
    BLOB_TILEIR,
    BLOB_KINDS
};

/* Bytes. A NUL that NVRTC counts at the end of a text is not part of them. */
struct blob {
    const char *bytes;
    size_t n;
};

/* Whether a blob is a text, whose size in NVRTC includes a NUL. */
static inline bool is_text(enum blob_kind kind)
{
    return kind == BLOB_LOG || kind == BLOB_PTX;
}

struct list {
    const char **texts;
    size_t n, capacity;
};

/* Adds a text, which stays the caller's. Returns false when out of memory. */
bool list_add(struct cushim__arena *arena, struct list *list, const char *text);

struct answer {
    const char *name;           /* of the program */
    const char *key;            /* digest of the source and all that is below, but the files */
    struct list options;        /* without folders for #include */
    struct list headers;        /* names of those in memory */
    struct list files, digests; /* that the source includes, as it spells them */
    struct list expressions, lowered; /* lowered: "" for one without a name */
    int result;                       /* of nvrtcCompileProgram() */
    struct blob blobs[BLOB_KINDS];
};

/* All answers, and what NVRTC says of itself. What they point to belongs to the arena. */
struct answers {
    struct cushim__arena arena;
    int major, minor; /* 0: nothing was recorded */
    int *archs;
    size_t n_archs;
    struct answer **all;
    size_t n, capacity;
};

bool answers_add(struct answers *answers, struct answer *answer);
void answers_finish(struct answers *answers);

/* Sorts by what is asked for. */
void answers_sort(struct answers *answers);

/* Appends the text of a file. */
void answers_write(struct cushim__str *str, const struct answers *answers);

/* Says what is wrong with the form of a whole file, or returns NULL. */
const char *answers_wrong_form(const char *text);

/*
 * Reads the text of a file. On failure returns false and the number of the line that is wrong; 0
 * when out of memory. The caller calls answers_finish() in both cases.
 */
bool answers_read(const char *text, struct answers *ret_answers, unsigned *ret_line);

#endif
