/* SPDX-License-Identifier: MIT */
/* The spaces that the engine tells apart. */
#ifndef CUSHIM_MOCK_PTX_MEMORY_SPACE_H
#define CUSHIM_MOCK_PTX_MEMORY_SPACE_H

/* Where the bytes of an access are. */
enum ptx__where_space {
    PTX__IN_GENERIC,
    PTX__IN_GLOBAL,
    PTX__IN_SHARED,
    PTX__IN_LOCAL,
    PTX__IN_PARAM,
};

#endif
