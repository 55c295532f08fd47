/* SPDX-License-Identifier: MIT */
/* Slots of constants. Equal constants of a function share a slot. */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/lower/lower.h"

static bool same(const struct ptx__constant *a, const struct ptx__constant *b)
{
    return a->fill == b->fill && a->value == b->value && a->bytes == b->bytes &&
           a->of_param == b->of_param;
}

/* Returns the row with the number of this constant, or the free row where it belongs. */
static uint32_t *find_row(const struct ptx__lowering *lower, const struct ptx__constant *constant)
{
    const uint64_t what =
        constant->value * UINT64_C(0x9e3779b97f4a7c15) +
        ((uint64_t) constant->fill << 16 | constant->of_param << 8 | constant->bytes);
    size_t row = (what * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (lower->constants_rows - 1);

    while (lower->constants[row] != PTX_NONE &&
           !same(&lower->code->constants[lower->constants[row]], constant))
        row = (row + 1) & (lower->constants_rows - 1);
    return &lower->constants[row];
}

/* Makes the table larger when half of its rows are used. */
static void make_rows(struct ptx__lowering *lower)
{
    const struct ptx__code *code = lower->code;
    const size_t rows = lower->constants_rows ? 2 * lower->constants_rows : 32;

    if (code->n_constants < lower->constants_rows / 2)
        return;
    free(lower->constants);
    lower->constants = malloc(rows * sizeof(*lower->constants));
    if (!lower->constants)
        ptx__out_of_memory(lower);
    memset(lower->constants, 0xff, rows * sizeof(*lower->constants));
    lower->constants_rows = rows;
    for (size_t i = 0; i < code->n_constants; i++)
        *find_row(lower, &code->constants[i]) = (uint32_t) i;
}

static struct ptx__constant *add(struct ptx__lowering *lower)
{
    struct ptx__code *code = lower->code;

    if (code->n_constants == lower->constants_capacity) {
        const size_t capacity = lower->constants_capacity ? 2 * lower->constants_capacity : 16;
        struct ptx__constant *larger = ptx__keep(lower, capacity * sizeof(*larger));

        if (code->n_constants)
            memcpy(larger, code->constants, code->n_constants * sizeof(*larger));
        code->constants = larger;
        lower->constants_capacity = capacity;
    }
    return &code->constants[code->n_constants++];
}

uint32_t ptx__constant_slot(struct ptx__lowering *lower, unsigned bits, enum ptx__preload fill,
                            uint64_t value, unsigned of_param)
{
    struct ptx__constant constant = {.bytes = (uint8_t) (bits == 1    ? 0
                                                         : bits <= 32 ? 4
                                                                      : 8),
                                     .fill = (uint8_t) fill,
                                     .of_param = (uint8_t) of_param,
                                     .value = value};
    uint32_t *row;

    make_rows(lower);
    row = find_row(lower, &constant);
    if (*row == PTX_NONE) {
        constant.slot = ptx__new_slot(lower, bits);
        *add(lower) = constant;
        *row = (uint32_t) (lower->code->n_constants - 1);
    }
    return lower->code->constants[*row].slot;
}

static bool is_of_block(const struct ptx__constant *constant)
{
    return constant->fill >= PTX__FILL_OF_BLOCK;
}

void ptx__constants_finish(struct ptx__lowering *lower)
{
    struct ptx__code *code = lower->code;
    struct ptx__constant *sorted = ptx__keep(lower, code->n_constants * sizeof(*sorted));
    size_t n = 0;

    for (unsigned of_block = 0; of_block < 2; of_block++) {
        code->of_block = of_block ? n : 0;
        for (size_t i = 0; i < code->n_constants; i++) {
            if (is_of_block(&code->constants[i]) == of_block)
                sorted[n++] = code->constants[i];
        }
    }
    code->constants = sorted;
}
