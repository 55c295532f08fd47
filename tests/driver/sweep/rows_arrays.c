/* SPDX-License-Identifier: MIT */
#include "objects.h"
#include "rows.h"
#include "shapes.h"
#include "world.h"

const struct row rows_arrays[] = {
    {"cuArrayCreate_v2", NULL, {NEW(destroy_array), IN(array_desc)}},
    {"cuArrayGetDescriptor_v2", NULL, {OUT(24), ARRAY}},
    {"cuArrayGetSparseProperties", NULL, {OUT(0), ARRAY}},
    {"cuMipmappedArrayGetSparseProperties", NULL, {OUT(0), MIPMAP}},
    {"cuArrayGetMemoryRequirements", NULL, {OUT(0), ARRAY, DEVICE}},
    {"cuMipmappedArrayGetMemoryRequirements", NULL, {OUT(0), MIPMAP, DEVICE}},
    {"cuArrayGetPlane", NULL, {NEW_KNOWN, ARRAY, INDEX(0)}},
    {"cuArrayDestroy", NULL, {ARRAY}},
    {"cuArray3DCreate_v2", NULL, {NEW(destroy_array), IN(array_3d_desc)}},
    {"cuArray3DGetDescriptor_v2", NULL, {OUT(40), ARRAY}},
    {"cuMipmappedArrayCreate", NULL, {NEW(destroy_mipmap), IN(mipmap_desc), CHOICE(3, 0, 7)}},
    {"cuMipmappedArrayGetLevel", NULL, {NEW_KNOWN, MIPMAP, INDEX(0)}},
    {"cuMipmappedArrayDestroy", NULL, {MIPMAP}},
    {"cuArrayCreate", NULL, {NEW(destroy_array), IN(array_desc_v1)}},
    {"cuArrayGetDescriptor", NULL, {OUT(16), ARRAY}},
    {"cuArray3DCreate", NULL, {NEW(destroy_array), IN(array_3d_desc_v1)}},
    {"cuArray3DGetDescriptor", NULL, {OUT(24), ARRAY}},
    {0},
};
