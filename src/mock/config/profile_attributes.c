/* SPDX-License-Identifier: MIT */
/* What attributes are called, and which values they may have. The devices' own are in devices.txt.
 */
#include "mock/config/profile.h"

#include <limits.h>
#include <string.h>

#include "base/util.h"
#include "mock/config/profile_tables.h"

/* Other attributes may have any value that is not negative. */
static const struct {
    int first, last; /* by number */
    struct mock__attribute_range range;
} ranges[] = {
    {1, 4, {1, 1024, false}},              /* threads of a block, and its sizes */
    {5, 5, {1, INT_MAX, false}},           /* a grid's width */
    {6, 7, {1, 65535, false}},             /* its other sizes */
    {8, 8, {0, 1 << 20, false}},           /* shared memory */
    {10, 10, {32, 32, false}},             /* a warp */
    {14, 14, {1, 1 << 20, true}},          /* texture_alignment */
    {16, 16, {1, 1 << 16, false}},         /* multiprocessors */
    {20, 20, {0, 3, false}},               /* compute_mode */
    {21, 29, {0, 1 << 17, false}},         /* sizes of textures */
    {30, 30, {1, 1 << 20, true}},          /* surface_alignment */
    {33, 34, {0, 255, false}},             /* pci_bus_id, pci_device_id */
    {39, 39, {32, 1 << 16, false}},        /* threads of a multiprocessor */
    {42, 43, {0, 1 << 17, false}},         /* sizes of textures */
    {45, 49, {0, 1 << 17, false}},         /* sizes of textures */
    {50, 50, {0, 65535, false}},           /* pci_domain_id */
    {51, 51, {1, 1 << 20, true}},          /* texture_pitch_alignment */
    {52, 68, {0, 1 << 17, false}},         /* sizes of textures and surfaces */
    {69, 69, {0, 1 << 28, false}},         /* of a texture in plain memory */
    {70, 71, {0, 1 << 17, false}},         /* of one with rows */
    {73, 74, {0, 1 << 17, false}},         /* of one with levels */
    {75, 75, {1, 99, false}},              /* compute_capability_major */
    {76, 76, {0, 9, false}},               /* compute_capability_minor */
    {77, 77, {0, 1 << 17, false}},         /* sizes of textures */
    {81, 81, {0, 1 << 24, false}},         /* shared memory of a multiprocessor */
    {97, 97, {0, 1 << 20, false}},         /* shared memory */
    {106, 106, {1, 1024, false}},          /* blocks of a multiprocessor */
    {111, 111, {0, 1 << 20, false}},       /* shared memory */
    {131, 131, {-1, INT_MAX, false}},      /* numa_id */
    {134, 134, {-1, INT_MAX, false}},      /* host_numa_id */
    {139, 140, {INT_MIN, INT_MAX, false}}, /* bits */
};

struct mock__attribute_range mock__attribute_range(int number)
{
    for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
        if (number >= ranges[i].first && number <= ranges[i].last)
            return ranges[i].range;
    }
    return (struct mock__attribute_range){0, INT_MAX, false};
}

int mock__attribute_since(int number)
{
    return mock__attribute_rows[number].since;
}

int mock__attribute_find(const char *name)
{
    for (int i = 1; i < MOCK__N_ATTRIBUTES; i++) {
        if (!strcmp(mock__attribute_rows[i].name, name))
            return i;
    }
    return 0;
}
