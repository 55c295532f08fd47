/* SPDX-License-Identifier: MIT */
/* The bad values of each kind of argument. */
#ifndef CUSHIM_TESTS_SAFE_ARGUMENTS_BAD_H
#define CUSHIM_TESTS_SAFE_ARGUMENTS_BAD_H

#include "world.h"

struct bad {
    const char *what; /* "NULL", "a stale handle" */
    union value value;
    bool refused;    /* a call with this value, and good other ones, must fail */
    bool always;     /* it must fail whatever the other arguments are */
    bool is_foreign; /* of another context: objects of the context do not go with it */
    bool is_handle;  /* for a class with the address of a handle: value.bits is the handle */
};

struct bad_values {
    struct bad *list;
    size_t n;
};

/* Returns the bad values of a kind in a world. They live until the process ends. */
const struct bad_values *bad_values(const struct world *w, enum kind kind);

/* A field of a structure. Its bad values are those of a kind of argument. */
struct field {
    const char *name;
    size_t offset, bytes;
    enum kind kind;
};

struct fields {
    size_t bytes; /* of the structure, or of all structures of an array */
    const struct field *list;
    size_t n;
};

/* Returns the fields of a structure, or NULL if the kind is none. */
const struct fields *fields_of(enum kind kind);

#endif
