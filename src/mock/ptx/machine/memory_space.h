/* SPDX-License-Identifier: MIT */
/* The state spaces that the engine distinguishes, and the kinds of access. */
#ifndef CUSHIM_MOCK_PTX_MACHINE_MEMORY_SPACE_H
#define CUSHIM_MOCK_PTX_MACHINE_MEMORY_SPACE_H

/* The state space of an access. */
enum ptx__access_space {
    PTX__IN_GENERIC,
    PTX__IN_GLOBAL,
    PTX__IN_SHARED,
    PTX__IN_LOCAL,
    PTX__IN_PARAM,
};

enum ptx__use {
    PTX__LOADS = 1,
    PTX__STORES = 2,
    PTX__STRONG = 4, /* volatile, relaxed, atomic: two of them are not a race */
    PTX__UPDATES = PTX__LOADS | PTX__STORES | PTX__STRONG,
};

#endif
