/* SPDX-License-Identifier: MIT */
#include "objects.h"
#include "rows.h"
#include "shapes.h"
#include "world.h"

const struct row rows_virtual[] = {
    {"cuMemGetHandleForAddressRange",
     NULL,
     {OUT(4), MAPPED, SIZE(2 << 20), CHOICE(1, 0, 2), FLAGS64(0, 2)}},
    {"cuMemAddressReserve",
     NULL,
     {NEW(destroy_range), SIZE(2 << 20), SIZE(0), NOTHING, FLAGS64(0, 2)}},
    {"cuMemAddressFree", NULL, {RESERVED, SIZE(2 << 20)}},
    {"cuMemCreate",
     NULL,
     {NEW(destroy_memory_handle), SIZE(2 << 20), IN(allocation_prop), FLAGS64(0, 2)}},
    {"cuMemRelease", NULL, {MEMORY_HANDLE}},
    {"cuMemMap", NULL, {RESERVED, SIZE(2 << 20), SIZE(0), MEMORY_HANDLE, FLAGS64(0, 2)}},
    {"cuMemMapArrayAsync_ptsz", NULL, {POINTER, COUNT(0), STREAM}},
    {"cuMemUnmap", NULL, {MAPPED, SIZE(2 << 20)}},
    {"cuMemSetAccess", NULL, {MAPPED, SIZE(2 << 20), IN(access_desc), COUNT(1)}},
    {"cuMemGetAccess", NULL, {OUT(8), IN(location), MAPPED}},
    {"cuMemExportToShareableHandle", NULL, {OUT(0), MEMORY_HANDLE, CHOICE(1, 0, 8), FLAGS64(0, 2)}},
    {"cuMemImportFromShareableHandle", NULL, {NEW_KNOWN, STRANGER, CHOICE(1, 0, 8)}},
    {"cuMemGetAllocationGranularity", NULL, {OUT(8), IN(allocation_prop), CHOICE(0, 0, 1)}},
    {"cuMemGetAllocationPropertiesFromHandle", NULL, {OUT(40), MEMORY_HANDLE}},
    {"cuMemRetainAllocationHandle", NULL, {NEW(destroy_memory_handle), MAPPED}},
    {"cuMulticastAddDevice", NULL, {STRANGER, DEVICE}},
    {"cuMulticastBindMem",
     NULL,
     {STRANGER, SIZE(0), MEMORY_HANDLE, SIZE(0), SIZE(2 << 20), FLAGS64(0, 2)}},
    {"cuMulticastBindAddr", NULL, {STRANGER, SIZE(0), MEMORY, SIZE(2 << 20), FLAGS64(0, 2)}},
    {"cuMulticastUnbind", NULL, {STRANGER, DEVICE, SIZE(0), SIZE(2 << 20)}},
    {"cuMulticastGetGranularity", NULL, {OUT(8), IN(multicast_prop), CHOICE(0, 0, 1)}},
    {"cuMemMapArrayAsync", NULL, {POINTER, COUNT(0), STREAM}},
    {0},
};
