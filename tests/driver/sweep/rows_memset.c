/* SPDX-License-Identifier: MIT */
#include "objects.h"
#include "rows.h"
#include "shapes.h"
#include "world.h"

const struct row rows_memset[] = {
    {"cuMemsetD8_v2_ptds", NULL, {MEMORY, WORD(1), SIZE(64)}},
    {"cuMemsetD16_v2_ptds", NULL, {MEMORY, WORD(1), SIZE(64)}},
    {"cuMemsetD32_v2_ptds", NULL, {MEMORY, WORD(1), SIZE(64)}},
    {"cuMemsetD2D8_v2_ptds", NULL, {MEMORY, SIZE(128), WORD(1), SIZE(16), SIZE(2)}},
    {"cuMemsetD2D16_v2_ptds", NULL, {MEMORY, SIZE(128), WORD(1), SIZE(16), SIZE(2)}},
    {"cuMemsetD2D32_v2_ptds", NULL, {MEMORY, SIZE(128), WORD(1), SIZE(16), SIZE(2)}},
    {"cuMemsetD8Async_ptsz", NULL, {MEMORY, WORD(1), SIZE(64), STREAM}},
    {"cuMemsetD16Async_ptsz", NULL, {MEMORY, WORD(1), SIZE(64), STREAM}},
    {"cuMemsetD32Async_ptsz", NULL, {MEMORY, WORD(1), SIZE(64), STREAM}},
    {"cuMemsetD2D8Async_ptsz", NULL, {MEMORY, SIZE(128), WORD(1), SIZE(16), SIZE(2), STREAM}},
    {"cuMemsetD2D16Async_ptsz", NULL, {MEMORY, SIZE(128), WORD(1), SIZE(16), SIZE(2), STREAM}},
    {"cuMemsetD2D32Async_ptsz", NULL, {MEMORY, SIZE(128), WORD(1), SIZE(16), SIZE(2), STREAM}},
    {"cuMemsetD8", NULL, {MEMORY_LOW, WORD(1), COUNT(64)}},
    {"cuMemsetD16", NULL, {MEMORY_LOW, WORD(1), COUNT(64)}},
    {"cuMemsetD32", NULL, {MEMORY_LOW, WORD(1), COUNT(64)}},
    {"cuMemsetD2D8", NULL, {MEMORY_LOW, NUMBER(128), WORD(1), COUNT(16), COUNT(2)}},
    {"cuMemsetD2D16", NULL, {MEMORY_LOW, NUMBER(128), WORD(1), COUNT(16), COUNT(2)}},
    {"cuMemsetD2D32", NULL, {MEMORY_LOW, NUMBER(128), WORD(1), COUNT(16), COUNT(2)}},
    {"cuMemsetD8_v2", NULL, {MEMORY, WORD(1), SIZE(64)}},
    {"cuMemsetD16_v2", NULL, {MEMORY, WORD(1), SIZE(64)}},
    {"cuMemsetD32_v2", NULL, {MEMORY, WORD(1), SIZE(64)}},
    {"cuMemsetD2D8_v2", NULL, {MEMORY, SIZE(128), WORD(1), SIZE(16), SIZE(2)}},
    {"cuMemsetD2D16_v2", NULL, {MEMORY, SIZE(128), WORD(1), SIZE(16), SIZE(2)}},
    {"cuMemsetD2D32_v2", NULL, {MEMORY, SIZE(128), WORD(1), SIZE(16), SIZE(2)}},
    {"cuMemsetD8Async", NULL, {MEMORY, WORD(1), SIZE(64), STREAM}},
    {"cuMemsetD16Async", NULL, {MEMORY, WORD(1), SIZE(64), STREAM}},
    {"cuMemsetD32Async", NULL, {MEMORY, WORD(1), SIZE(64), STREAM}},
    {"cuMemsetD2D8Async", NULL, {MEMORY, SIZE(128), WORD(1), SIZE(16), SIZE(2), STREAM}},
    {"cuMemsetD2D16Async", NULL, {MEMORY, SIZE(128), WORD(1), SIZE(16), SIZE(2), STREAM}},
    {"cuMemsetD2D32Async", NULL, {MEMORY, SIZE(128), WORD(1), SIZE(16), SIZE(2), STREAM}},
    {0},
};
