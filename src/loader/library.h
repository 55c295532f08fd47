/* SPDX-License-Identifier: MIT */
/*
 * A library that was found, accepted and resolved, and the kinds of libraries.
 *
 * A library is never freed and, once published, never changes, except for the process that
 * initialised it. So its table is read without a lock, and pointers to it stay valid. The kinds are
 * in kind.c; note.c tells packagers of them.
 */
#ifndef CUSHIM_LOADER_LIBRARY_H
#define CUSHIM_LOADER_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>

#include <cushim/driver.h>

#include "base/rows.h"

/*
 * Tables are longer than the lists are today. A program may be compiled with a later version of
 * cushim that has more rows. In those rows it finds functions that report that they are missing.
 */
enum { CUSHIM__TABLE_ROWS = 1024 };

struct cushim__library;

/* The differences between libcuda, libnvrtc and libnvJitLink. */
struct cushim__kind {
    enum cushim_library id;
    const char *noun;     /* the name in sentences: "CUDA driver" */
    const char *variable; /* the variable of the environment */
    cushim_status absent; /* the status if no library is found */
    const struct cushim__rows *rows;
    const char *const *names; /* names for the dynamic linker, the best one first, ending with
                                 NULL */
    const unsigned *required; /* a library without these rows is rejected */
    size_t n_required;
    /* Calls try() with the path of each usual place. */
    void (*places)(void (*try)(const char *path, void *user), void *user);
    /* Asks for the CUDA version. Returns 0 on success. */
    int (*version)(const struct cushim__library *library, int *ret_version);
    /*
     * Finds a function that is not there under the name of the row. The version of the library is 0
     * while it is not known. May be NULL.
     */
    cushim__entry *(*look_up)(const struct cushim__library *library, size_t row);
    /* Is called after a library is accepted. May be NULL. */
    void (*accepted)(const struct cushim__library *library);
    /* The stand-ins of all rows: in the table of a library that lacks them, and without a library.
     */
    cushim__entry *const *missing, *const *closed;
};

const struct cushim__kind *cushim__kind(enum cushim_library id);

/* Returns the kind with this list. */
const struct cushim__kind *cushim__kind_of(const struct cushim__rows *rows);

struct cushim__library {
    const struct cushim__kind *kind;
    struct cushim__library *next; /* in the list of all libraries of this process, of all kinds */
    void *handle;                 /* from dlopen(); NULL if there is a resolver instead */
    cushim_resolver resolver;
    void *resolver_user;
    char *path;    /* never NULL, "" with a resolver */
    int version;   /* CUDA version */
    size_t found;  /* the number of rows that it has */
    int loaded_by; /* the process that loaded it; 0: none yet */
    atomic_int initialised_by;
    bool held_before; /* see hold_before() in open.c */
    bool has[CUSHIM__TABLE_ROWS];
    cushim__entry *table[CUSHIM__TABLE_ROWS];
};

/* Returns a symbol of a library that is in no list of rows, or NULL; also NULL with a resolver. */
void *cushim__library_own_symbol(const struct cushim__library *library, const char *name);

/*
 * How many forks of processes that had initialised a driver lead to this one; usually 0. Objects
 * that were made before the last of them cannot be used here, and threads that held locks of theirs
 * do not exist.
 */
extern atomic_uint cushim__forked;

/* Tells whether the library was initialised by a process that this one was forked from. */
bool cushim__library_is_parents(const struct cushim__library *library);

/* Fails with CUSHIM_ERROR_FORKED, for an object of such a process. */
cushim_status cushim__fail_forked(const char *call);

/* Returns the list of all libraries, the newest first. */
const struct cushim__library *cushim__libraries(void);

/* Returns the table to use while no library of this kind is open. */
cushim__entry *const *cushim__closed_table(const struct cushim__kind *kind);

/* Returns a row's function in a library, by its exact symbol, or NULL. */
cushim__entry *cushim__library_symbol(const struct cushim__library *library, size_t row);

/* Returns the function of any exported name, or NULL. */
cushim__entry *cushim__library_named(const struct cushim__library *library, const char *symbol);

/* Returns a row's function, also if the library has it under another name, or NULL. */
cushim__entry *cushim__library_function(const struct cushim__library *library, size_t row);

/*
 * Finds all functions. Afterwards the table contains no NULL. handle or resolver, and version, must
 * be set.
 */
void cushim__library_resolve(struct cushim__library *library);

void cushim__library_free(struct cushim__library *library);

/* Adds the library to those of this process. It is never freed after that. */
void cushim__library_publish(struct cushim__library *library);

/* Makes the linker include the notes of loader/note.c. */
void cushim__note_anchor(void);

#endif
