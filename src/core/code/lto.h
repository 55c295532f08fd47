/* SPDX-License-Identifier: MIT */
/* Linking through nvJitLink's table: lto.c. */
#ifndef CUSHIM_CORE_CODE_LTO_H
#define CUSHIM_CORE_CODE_LTO_H

#include <cushim/link.h>

#include "core/code/image.h"
#include "core/object/driver.h"

/* One running link. */
struct cushim__lto {
    const struct cushim__driver *linker;
    const struct cushim_lto_params *params;
    const char *call;
    bool optimises; /* an input is LTO-IR */
    void *handle;
};

/*
 * Starts a link. cushim__lto_end() ends it in any case. The caller has pinned the linker, and has
 * read the parameters.
 */
cushim_status cushim__lto_begin(struct cushim__lto *lto);
void cushim__lto_end(struct cushim__lto *lto);

/* Adds a piece. PTX ends with a NUL, which bytes does not count. */
cushim_status cushim__lto_add(struct cushim__lto *lto, enum cushim_link_kind kind, const void *data,
                              size_t bytes, const char *name);

/* Links, and returns the image, which the caller frees. */
cushim_status cushim__lto_complete(struct cushim__lto *lto, struct cushim__image **ret_image);

/* The name of the result in messages. */
const char *cushim__lto_name(const struct cushim__lto *lto);

#endif
