/* SPDX-License-Identifier: MIT */
/* A link, as nvJitLink's functions make and ask it. */
#ifndef CUSHIM_STANDIN_JITLINK_JITLINK_H
#define CUSHIM_STANDIN_JITLINK_JITLINK_H

#include "standin/code/code.h"

/* The results of nvJitLink that are returned here. */
enum {
    LINK_SUCCESS = 0,
    LINK_UNRECOGNIZED_OPTION = 1,
    LINK_MISSING_ARCH = 2,
    LINK_INVALID_INPUT = 3,
    LINK_PTX_COMPILE = 4,
    LINK_INTERNAL = 6,
    LINK_NULL_INPUT = 10,
    LINK_INCOMPATIBLE_OPTIONS = 11,
    LINK_INCORRECT_INPUT_TYPE = 12,
    LINK_MISSING_FATBIN = 15,
    LINK_UNRECOGNIZED_ARCH = 16,
};

/* The kinds of inputs. */
enum input_kind {
    INPUT_CUBIN = 1,
    INPUT_PTX,
    INPUT_LTOIR,
    INPUT_FATBIN,
    INPUT_OBJECT,
    INPUT_LIBRARY,
    INPUT_INDEX,
    INPUT_ANY = 10,
};

struct jitlink {
    struct code code;
    bool lto, ptx, verbose; /* options */
    bool refused;           /* there was an option that is unknown, so nothing is linked */
    char **options;         /* all of them, for the real nvJitLink */
    unsigned n_options;
    void *real;  /* the real one's link of LTO-IR, or NULL */
    char *image; /* once it is complete */
    size_t size;
};

/* Reads options into a new link. Returns the result of nvJitLinkCreate(). */
int options_read(struct jitlink *link, unsigned n, const char *const *options);

#endif
