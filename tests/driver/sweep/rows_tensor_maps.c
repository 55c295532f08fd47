/* SPDX-License-Identifier: MIT */
#include "objects.h"
#include "rows.h"
#include "shapes.h"
#include "world.h"

const struct row rows_tensor_maps[] = {
    {"cuTensorMapEncodeTiled",
     NULL,
     {IN(tensor_map), CHOICE(7, 0, 16), CHOICE(2, 0, 6), MEMORY, IN(u64_dims), IN(u64_strides),
      IN(u32_box), IN(u32_ones), CHOICE(0, 0, 3), CHOICE(0, 0, 7), CHOICE(0, 0, 4),
      CHOICE(0, 0, 2)}},
    {"cuTensorMapEncodeIm2col",
     NULL,
     {IN(tensor_map), CHOICE(7, 0, 16), CHOICE(4, 0, 6), MEMORY, IN(u64_dims), IN(u64_strides),
      IN(i32_corner), IN(i32_corner), NUMBER(8), NUMBER(8), IN(u32_ones), CHOICE(0, 0, 3),
      CHOICE(0, 0, 7), CHOICE(0, 0, 4), CHOICE(0, 0, 2)}},
    {"cuTensorMapEncodeIm2colWide",
     NULL,
     {IN(tensor_map), CHOICE(7, 0, 16), CHOICE(4, 0, 6), MEMORY, IN(u64_dims), IN(u64_strides),
      NUMBER(0), NUMBER(0), NUMBER(8), NUMBER(8), IN(u32_ones), CHOICE(0, 0, 3), CHOICE(0, 0, 3),
      CHOICE(0, 0, 7), CHOICE(0, 0, 4), CHOICE(0, 0, 2)}},
    {"cuTensorMapReplaceAddress", NULL, {IN(tensor_map), MEMORY}},
    {0},
};
