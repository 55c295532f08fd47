/* SPDX-License-Identifier: MIT */
/*
 * The types of a kernel's parameters, read from a mangled name. NVRTC writes them there after it
 * has read the source, with all macros, typedefs and templates resolved. The form is that of the
 * Itanium C++ ABI.
 */
#ifndef CUSHIM_TOOL_COMPILE_TYPES_H
#define CUSHIM_TOOL_COMPILE_TYPES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum type_kind {
    TYPE_INTEGER,
    TYPE_FLOAT,
    TYPE_STRUCTURE, /* a structure, a union or an enumeration: the name does not say which */
    TYPE_MEMORY,    /* a pointer */
};

struct type {
    enum type_kind kind;
    const char *c;    /* the type in C, such as "unsigned long"; of a pointer what it points to */
    size_t bytes;     /* of a value; 0: the name does not say */
    bool is_half;     /* c is a type of cushim/half.h */
    bool is_const;    /* a pointer to const */
    size_t element;   /* bytes of what a pointer points to; 0: not known, or raw bytes */
    bool of_integers; /* what the elements are; neither: not known */
    bool of_floats;
};

enum { MOST_PARAMETERS = 256 };

/* The result of a kernel's name: its name in C++ and its parameters. */
struct mangled {
    const char *name; /* "ns::scale" */
    struct type *types;
    size_t n;
};

/*
 * Reads the mangled name of a kernel that is no template. On failure returns false and a sentence
 * that says what is wrong with it, which belongs to the arena.
 */
bool mangled_kernel(struct cushim__arena *arena, const char *mangled, struct mangled *ret_kernel,
                    const char **ret_why);

/* The name of the template that signatures are asked with, and its definition. */
#define SIGNATURE_TEMPLATE "cushim_signature_of"
#define SIGNATURE_SOURCE   "\ntemplate <class kernel> __global__ void " SIGNATURE_TEMPLATE "() {}\n"

/* The same for the mangled name of the instance of that template for a kernel's type. */
bool mangled_signature(struct cushim__arena *arena, const char *mangled, struct mangled *ret_kernel,
                       const char **ret_why);

#endif
