/* SPDX-License-Identifier: MIT */
#include "objects.h"
#include "rows.h"
#include "shapes.h"
#include "world.h"

const struct row rows_pools[] = {
    {"cuMemFreeAsync_ptsz", NULL, {POOL_MEMORY, STREAM}},
    {"cuMemAllocAsync_ptsz", NULL, {NEW(destroy_memory), SIZE(4096), STREAM}},
    {"cuMemPoolTrimTo", NULL, {POOL, SIZE(0)}},
    {"cuMemPoolSetAttribute", NULL, {POOL, CHOICE(4, 0, 12), IN(u64_value)}},
    {"cuMemPoolGetAttribute", NULL, {POOL, CHOICE(1, 0, 12), OUT(8)}},
    {"cuMemPoolSetAccess", NULL, {POOL, IN(access_desc), COUNT(1)}},
    {"cuMemPoolGetAccess", NULL, {OUT(4), POOL, IN(location)}},
    {"cuMemPoolCreate", NULL, {NEW(destroy_pool), IN(pool_props)}},
    {"cuMemPoolDestroy", NULL, {POOL}},
    {"cuMemGetDefaultMemPool", NULL, {NEW_KNOWN, IN(location), CHOICE(1, 0, 3)}},
    {"cuMemGetMemPool", NULL, {NEW_KNOWN, IN(location), CHOICE(1, 0, 3)}},
    {"cuMemSetMemPool", NULL, {IN(location), CHOICE(1, 0, 3), POOL}, CHANGES},
    {"cuMemAllocFromPoolAsync_ptsz", NULL, {NEW(destroy_memory), SIZE(4096), POOL, STREAM}},
    {"cuMemPoolExportToShareableHandle", NULL, {OUT(0), POOL, CHOICE(1, 0, 8), FLAGS64(0, 2)}},
    {"cuMemPoolImportFromShareableHandle",
     NULL,
     {NEW_KNOWN, STRANGER, CHOICE(1, 0, 8), FLAGS64(0, 2)}},
    {"cuMemPoolExportPointer", NULL, {OUT(0), SHARED_MEMORY}},
    {"cuMemPoolImportPointer", NULL, {NEW_KNOWN, POOL, POINTER}},
    {"cuMemFreeAsync", NULL, {POOL_MEMORY, STREAM}},
    {"cuMemAllocAsync", NULL, {NEW(destroy_memory), SIZE(4096), STREAM}},
    {"cuMemAllocFromPoolAsync", NULL, {NEW(destroy_memory), SIZE(4096), POOL, STREAM}},
    {0},
};
