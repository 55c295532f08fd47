/* SPDX-License-Identifier: MIT */
/* What kinds of device there are. A kind is data only. */
#ifndef CUSHIM_MOCK_PROFILE_H
#define CUSHIM_MOCK_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#define MOCK__N_ATTRIBUTES 148

struct mock__profile {
    const char *key;  /* what CUSHIM_MOCK_DEVICES calls it */
    const char *name; /* what cuDeviceGetName() calls it */
    uint64_t total_bytes;
    uint64_t context_bytes; /* what a context costs on its own */
    int priority_greatest;  /* the least is 0 */
    size_t limits[7];       /* the first values of CU_LIMIT_x; 0 and no support are the same here */
    int attributes[MOCK__N_ATTRIBUTES]; /* by CUdevice_attribute; place 0 is not used */
};

/* NULL if no profile has this key. */
const struct mock__profile *mock__profile_find(const char *key, size_t length);

#endif
