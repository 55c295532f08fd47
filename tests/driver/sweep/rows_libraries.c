/* SPDX-License-Identifier: MIT */
#include "objects.h"
#include "rows.h"
#include "shapes.h"
#include "world.h"

const struct row rows_libraries[] = {
    {"cuLibraryLoadData",
     NULL,
     {NEW(destroy_library), IMAGE, NOTHING, NOTHING, COUNT(0), NOTHING, NOTHING, COUNT(0)}},
    {"cuLibraryLoadFromFile",
     NULL,
     {NEW(destroy_library), TEXT(IMAGE_FILE), NOTHING, NOTHING, COUNT(0), NOTHING, NOTHING,
      COUNT(0)}},
    {"cuLibraryUnload", NULL, {LIBRARY}},
    {"cuLibraryGetKernel", NULL, {NEW_KNOWN, LIBRARY, TEXT("store")}},
    {"cuLibraryGetKernelCount", NULL, {OUT(4), LIBRARY}},
    {"cuLibraryEnumerateKernels", NULL, {NEW_KNOWN, CHOICE(1, 0, 4), LIBRARY}},
    {"cuLibraryGetModule", NULL, {NEW_KNOWN, LIBRARY}},
    {"cuKernelGetFunction", NULL, {NEW_KNOWN, KERNEL}},
    {"cuKernelGetLibrary", NULL, {NEW_KNOWN, KERNEL}},
    {"cuLibraryGetGlobal", NULL, {NEW_KNOWN, OUT(8), LIBRARY, TEXT("gvar")}},
    {"cuLibraryGetManaged", NULL, {NEW_KNOWN, OUT(8), LIBRARY, TEXT("mvar")}},
    {"cuLibraryGetUnifiedFunction", NULL, {NEW_KNOWN, LIBRARY, TEXT("absent")}},
    {"cuKernelGetAttribute", NULL, {OUT(4), CHOICE(0, 0, 18), KERNEL, DEVICE}},
    {"cuKernelSetAttribute", NULL, {CHOICE(8, 0, 18), CHOICE(0, 0, 1), KERNEL, DEVICE}},
    {"cuKernelSetCacheConfig", NULL, {KERNEL, CHOICE(0, 0, 3), DEVICE}},
    {"cuKernelGetName", NULL, {NEW_KNOWN, KERNEL}},
    {"cuKernelGetParamInfo", NULL, {KERNEL, INDEX(0), OUT(8), OUT(8)}},
    {0},
};
