/* SPDX-License-Identifier: MIT */
/*
 * Parameter structures that programs pass by address. A structure grows at its end only, and its
 * first field is its size as the program was compiled. So a program and this library may have been
 * compiled with different versions of a header.
 */
#ifndef CUSHIM_BASE_PARAMS_H
#define CUSHIM_BASE_PARAMS_H

#include <stddef.h>

#include <cushim/status.h>

struct cushim__params_type {
    const char *name;   /* of the structure, which is also the name of its macro */
    size_t bytes;       /* its size in this version */
    size_t first_bytes; /* its size in the first version that had it */
};

/*
 * Copies a structure of type struct NAME to *ret_copy, with the size of this version; what the
 * caller's structure does not have is zero. params may be NULL: then all fields are zero. last is
 * the last field of the structure's first version.
 *
 * Fails with CUSHIM_ERROR_INVALID_ARGUMENT if the structure has no size, or has fields that this
 * version does not know and that are set.
 */
#define PARAMS_READ(name, last, params, ret_copy)                                                  \
    PARAMS_READ_FOR(__func__, name, last, params, ret_copy)

/* The same for a public function that is not the calling one. */
#define PARAMS_READ_FOR(call, name, last, params, ret_copy)                                        \
    cushim__params_read((call), PARAMS_TYPE(name, last), (const struct name *){params},            \
                        (struct name *){ret_copy})

/* What follows the last field could not be told from a later field, so nothing may follow it. */
#define PARAMS_TYPE(name, last)                                                                    \
    __extension__({                                                                                \
        static const struct cushim__params_type params_type = {                                    \
            #name, sizeof(struct name),                                                            \
            offsetof(struct name, last) + sizeof(((struct name *) NULL)->last)};                   \
        _Static_assert((offsetof(struct name, last) + sizeof(((struct name *) NULL)->last)) %      \
                               _Alignof(struct name) ==                                            \
                           0,                                                                      \
                       "padding at the end of struct " #name);                                     \
        &params_type;                                                                              \
    })

/*
 * Copies a structure of this version to one of the caller, whose size the caller has set. What the
 * caller's version does not have is left out, and what this version does not have becomes zero.
 */
#define PARAMS_WRITE(name, last, from, ret_params)                                                 \
    cushim__params_write(__func__, PARAMS_TYPE(name, last), (const struct name *){from},           \
                         (struct name *){ret_params})

cushim_status cushim__params_write(const char *call, const struct cushim__params_type *type,
                                   const void *from, void *ret_params);

cushim_status cushim__params_read(const char *call, const struct cushim__params_type *type,
                                  const void *params, void *ret_copy);

#endif
