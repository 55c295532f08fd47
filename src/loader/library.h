/* SPDX-License-Identifier: MIT */
/*
 * A library that was found, accepted and resolved, and the two kinds there are.
 *
 * A library lives until the process ends and never changes after it was
 * published, but for who initialised it. So its table can be read without a lock, and
 * a pointer to it cannot dangle.
 */
#ifndef CUSHIM_LOADER_LIBRARY_H
#define CUSHIM_LOADER_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>

#include <cushim/driver.h>

#include "base/rows.h"

/*
 * Tables are longer than the lists are today. A program that was compiled with a later
 * cushim finds functions that say they are missing where its rows are beyond ours.
 */
enum { CUSHIM__TABLE_ROWS = 1024 };

struct cushim__library;

/* What differs between libcuda and libnvrtc. */
struct cushim__kind {
    enum cushim_library id;
    const char *noun;     /* in sentences: "CUDA driver" */
    const char *variable; /* of the environment */
    cushim_status absent; /* when none is found */
    const struct cushim__rows *rows;
    const char *const *names; /* for the dynamic linker, best first, NULL-ended */
    const unsigned *required; /* rows without which it is of no use */
    size_t n_required;
    /* Gives every usual place to try(), as a path. */
    void (*places)(void (*try)(const char *path, void *user), void *user);
    /* Asks the function of required[0] for the CUDA version: a result, and 0 on success. */
    int (*version)(cushim__entry *function, int *ret_version);
    /* Another way to a function that dlsym() does not know. May be NULL. */
    cushim__entry *(*look_up)(const struct cushim__library *library, size_t row);
    /* What has to be done once it is accepted. May be NULL. */
    void (*accepted)(const struct cushim__library *library);
};

const struct cushim__kind *cushim__kind(enum cushim_library id);

struct cushim__library {
    const struct cushim__kind *kind;
    struct cushim__library *next; /* of all libraries of this process, of both kinds */
    void *handle;                 /* dlopen()'s; NULL if a resolver stands in */
    cushim_resolver resolver;
    void *resolver_user;
    char *path;    /* never NULL, "" with a resolver */
    int version;   /* CUDA version */
    size_t found;  /* rows that it has */
    int loaded_by; /* process ids; 0: not yet */
    atomic_int initialised_by;
    bool has[CUSHIM__TABLE_ROWS];
    cushim__entry *table[CUSHIM__TABLE_ROWS];
};

/* All libraries so far, newest first. */
const struct cushim__library *cushim__libraries(void);

/* The table for when there is no library of this kind. */
cushim__entry *const *cushim__closed_table(const struct cushim__kind *kind);

/* Where a row's function is in a library, NULL if it has none: the exact symbol. */
cushim__entry *cushim__library_symbol(const struct cushim__library *library, size_t row);

/* Finds every function. Afterwards table has no NULL. Needs handle or resolver, and version. */
void cushim__library_resolve(struct cushim__library *library);

void cushim__library_free(struct cushim__library *library);

/* Adds it to the libraries of this process. From here on it lives for ever. */
void cushim__library_publish(struct cushim__library *library);

void cushim__note_anchor(void);

#endif
