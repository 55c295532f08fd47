/* SPDX-License-Identifier: MIT */
/*
 * Questions to a driver that are written by rule. A table (rows_*.c) has the driver's functions
 * with the kinds of their parameters. Each function is called once with good arguments, then with
 * one bad value after another, one parameter at a time, and once in each situation. The fields of
 * structures are parameters, too.
 */
#ifndef CUSHIM_TESTS_DRIVER_SWEEP_H
#define CUSHIM_TESTS_DRIVER_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../ask.h"

struct kind;
struct shape;

/* A parameter, or a field of a structure. What the numbers mean depends on the kind. */
struct param {
    const struct kind *kind;
    uint64_t good;        /* a number: the good value */
    uint64_t first, last; /* an enumeration: its ends; flags: `last` is how many bits; an output:
                             its bytes, and whether it is a handle */
    const struct shape *shape; /* a structure */
    const char *text;          /* a name that is found */
    void (*destroy)(uint64_t); /* an output: what destroys it */
};

enum way {
    AS_IT_IS,
    FREED,            /* made and destroyed */
    IN_OTHER_CONTEXT, /* of the same device */
    ON_OTHER_DEVICE,
};

/* A value that is made for one question. */
struct value {
    const char *name;
    enum way way;
    uint64_t (*make)(const struct param *param);
};

enum kind_class { OBJECTS, NUMBERS, OUTPUTS, STRUCTURES, IN_AND_OUT, STRUCTURES_BY_VALUE, FLOATS };

struct kind {
    const char *name;
    enum kind_class kind_class;
    const struct value *values; /* objects: up to one without a name */
    unsigned (*numbers)(const struct param *param,
                        uint64_t *ret_numbers); /* numbers: the good one first */
};

#define MAX_NUMBERS 1024

struct field {
    const char *name;
    unsigned short offset, bytes;
    struct param param;
};

struct shape {
    size_t bytes;
    const struct field *fields; /* up to one without a name */
};

#define MAX_PARAMS 17

enum row_flags {
    CHANGES = 1, /* the call may change what is current, limits and the like, which are set anew */
    SLOW = 2,    /* it makes contexts: asked last */
};

struct row {
    const char *function;
    const char *variant; /* tells rows of one function apart */
    struct param params[MAX_PARAMS];
    unsigned flags;
};

struct family {
    const char *name;
    const struct row *rows; /* up to one without a name */
};

extern const struct family families[];

#endif
