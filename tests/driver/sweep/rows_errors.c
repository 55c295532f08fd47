/* SPDX-License-Identifier: MIT */
#include "objects.h"
#include "rows.h"
#include "shapes.h"
#include "world.h"

const struct row rows_errors[] = {
    {"cuGetErrorString", NULL, {CHOICE(1, 0, 60), NEW_KNOWN}},
    {"cuGetErrorName", NULL, {CHOICE(1, 0, 60), NEW_KNOWN}},
    {"cuInit", NULL, {FLAGS(0, 3)}, CHANGES},
    {"cuDriverGetVersion", NULL, {OUT(4)}},
    {"cuGetProcAddress_v2",
     NULL,
     {TEXT("cuMemAlloc"), NEW_KNOWN, CHOICE(12000, 0, 1), FLAGS64(0, 4), OUT(4)}},
    {"cuGetExportTable", NULL, {NEW_KNOWN, POINTER}},
    {"cuGetProcAddress", NULL, {TEXT("cuMemAlloc"), NEW_KNOWN, CHOICE(12000, 0, 1), FLAGS64(0, 4)}},
    {0},
};
