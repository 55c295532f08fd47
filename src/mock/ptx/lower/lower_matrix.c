/* SPDX-License-Identifier: MIT */
/* mma, wmma, ldmatrix, stmatrix, movmatrix; wgmma is in lower_wgmma.c. */
#include <string.h>

#include "mock/ptx/exec/control.h"
#include "mock/ptx/exec/matrix.h"
#include "mock/ptx/lower/lower.h"
#include "mock/ptx/lower/lower_matrix.h"
#include "mock/ptx/machine/memory_space.h"

bool ptx__element_type(enum ptx__type type, uint8_t *ret_element)
{
    static const struct {
        enum ptx__type type;
        enum ptx__element element;
    } elements[] = {
        {PTX_F16, PTX__ELEMENT_F16},   {PTX_BF16, PTX__ELEMENT_BF16}, {PTX_TF32, PTX__ELEMENT_TF32},
        {PTX_E4M3, PTX__ELEMENT_E4M3}, {PTX_E5M2, PTX__ELEMENT_E5M2}, {PTX_F32, PTX__ELEMENT_F32},
        {PTX_F64, PTX__ELEMENT_F64},   {PTX_U8, PTX__ELEMENT_U8},     {PTX_S8, PTX__ELEMENT_S8},
        {PTX_U4, PTX__ELEMENT_U4},     {PTX_S4, PTX__ELEMENT_S4},     {PTX_B1, PTX__ELEMENT_B1},
        {PTX_S32, PTX__ELEMENT_S32},   {PTX_E3M2, PTX__ELEMENT_E3M2}, {PTX_E2M3, PTX__ELEMENT_E2M3},
        {PTX_E2M1, PTX__ELEMENT_E2M1},
    };

    for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++) {
        if (elements[i].type == type) {
            *ret_element = elements[i].element;
            return true;
        }
    }
    return false;
}

bool ptx__matrix_shape(const struct ptx__instruction *at, struct ptx__matrix *matrix)
{
    for (unsigned i = 0; i < at->n_modifiers; i++) {
        unsigned numbers[3];

        if (ptx__shape_numbers(ptx__modifier_name(at->modifiers[i]), numbers)) {
            matrix->m = (uint16_t) numbers[0];
            matrix->n = (uint16_t) numbers[1];
            matrix->k = (uint16_t) numbers[2];
            return true;
        }
    }
    return false;
}

struct ptx__op *ptx__emit_matrix(struct ptx__lowering *lower, struct ptx__op *op,
                                 const struct ptx__matrix *matrix, const uint32_t *slots,
                                 unsigned n)
{
    struct ptx__matrix *kept = ptx__keep(lower, sizeof(*kept));

    *kept = *matrix;
    op->imm = (uintptr_t) kept;
    ptx__emit_list(lower, op, slots, n);
    return op;
}

unsigned ptx__add_registers(struct ptx__lowering *lower, const struct ptx__operand *operand,
                            enum ptx__type type, uint32_t *slots, unsigned n)
{
    const unsigned count = operand->kind == PTX_VECTOR ? operand->count : 1;

    for (unsigned i = 0; i < count && n < PTX__MATRIX_SLOTS; i++)
        slots[n++] =
            ptx__source(lower, operand->kind == PTX_VECTOR ? &operand->elements[i] : operand, type);
    return n;
}

/*
 * Reads the types in the order D A B C. For wmma.mma on .f16, only D and C are written, and A and B
 * are .f16.
 */
static bool types(const struct ptx__instruction *at, struct ptx__matrix *matrix)
{
    const bool short_form = at->opcode == PTX_OP_WMMA_MMA && at->n_types == 2;
    uint8_t *t = matrix->types;

    if (short_form) {
        t[PTX__PART_A] = t[PTX__PART_B] = PTX__ELEMENT_F16;
        return ptx__element_type(at->types[0], &t[PTX__PART_D]) &&
               ptx__element_type(at->types[1], &t[PTX__PART_C]);
    }
    return at->n_types >= 4 && ptx__element_type(at->types[0], &t[PTX__PART_D]) &&
           ptx__element_type(at->types[1], &t[PTX__PART_A]) &&
           ptx__element_type(at->types[2], &t[PTX__PART_B]) &&
           ptx__element_type(at->types[3], &t[PTX__PART_C]);
}

/*
 * Tells whether A (number 0) or B (number 1) is given by rows: ".row" and ".col" stand in this
 * order.
 */
static bool by_row(const struct ptx__instruction *at, unsigned number)
{
    for (unsigned i = 0; i < at->n_modifiers; i++) {
        const uint16_t modifier = at->modifiers[i];

        if ((modifier == PTX_MOD_ROW || modifier == PTX_MOD_COL) && !number--)
            return modifier == PTX_MOD_ROW;
    }
    return false;
}

/* The products of the oldest tensor cores have a special layout. */
static void find_quads(const struct ptx__instruction *at, struct ptx__matrix *matrix)
{
    matrix->quads =
        !matrix->fragments && matrix->k == 4 && matrix->types[PTX__PART_A] == PTX__ELEMENT_F16;
    matrix->a_by_column = !by_row(at, 0);
    matrix->b_by_row = by_row(at, 1);
}

static void refuse(struct ptx__lowering *lower)
{
    ptx__refuse_form(lower, "this shape and type");
}

/* Products of .f64, and of quads, are not those of product.h. */
static void emit_product(struct ptx__lowering *lower, const struct ptx__matrix *matrix,
                         const uint32_t *slots, unsigned n)
{
    const bool exact = matrix->quads || matrix->types[PTX__PART_D] == PTX__ELEMENT_F64;

    ptx__emit_matrix(lower,
                     exact ? ptx__emit(lower, ptx__do_mma_exact) : ptx__emit_key(lower, "mma"),
                     matrix, slots, n);
}

/* Of a sparse A: behind C there are its metadata, and the constant that selects lanes. */
static void take_metadata(struct ptx__lowering *lower, struct ptx__matrix *matrix)
{
    const struct ptx__instruction *at = lower->at;

    if (!matrix->sparse)
        return;
    matrix->metadata = ptx__source(lower, &at->operands[4], PTX_B32);
    matrix->selector = (uint8_t) at->operands[5].integer;
}

/* Tells how many scales there are for K. */
static uint8_t count_scales(const struct ptx__instruction *at)
{
    if (!ptx__has(at, PTX_MOD_BLOCK_SCALE))
        return 0;
    if (ptx__has(at, PTX_MOD_SCALE_VEC_4X))
        return 4;
    return ptx__has(at, PTX_MOD_KIND_MXF8F6F4) ? 1 : 2;
}

/* The last four operands: of A and of B, the scales, and where they are. */
static void take_scales(struct ptx__lowering *lower, struct ptx__matrix *matrix)
{
    const struct ptx__instruction *at = lower->at;
    const struct ptx__operand *operand = &at->operands[matrix->sparse ? 6 : 4];

    matrix->n_scales = count_scales(at);
    matrix->fine_scales = ptx__type_of(at, 4) == PTX_UE4M3;
    for (unsigned i = 0; i < 2 && matrix->n_scales; i++, operand += 2)
        matrix->scales[i] =
            (struct ptx__scales){ptx__source(lower, &operand[0], PTX_B32),
                                 ptx__source(lower, &operand[1].elements[0], PTX_U16),
                                 ptx__source(lower, &operand[1].elements[1], PTX_U16)};
}

/* Two elements of 4 bits are in a byte where there is no other type of element. */
static void pack_elements(const struct ptx__instruction *at, struct ptx__matrix *matrix)
{
    if (ptx__has(at, PTX_MOD_KIND_MXF4) || ptx__has(at, PTX_MOD_KIND_MXF4NVF4))
        matrix->types[PTX__PART_A] = matrix->types[PTX__PART_B] = PTX__ELEMENT_PACKED;
}

/* Products of e4m3 and e5m2 that came before those of a `kind` are done in .f16. */
static bool is_halved(const struct ptx__instruction *at, const struct ptx__matrix *matrix)
{
    const uint8_t type = matrix->types[PTX__PART_A];

    return (type == PTX__ELEMENT_E4M3 || type == PTX__ELEMENT_E5M2) &&
           !ptx__has(at, PTX_MOD_KIND_F8F6F4) && !ptx__has(at, PTX_MOD_KIND_MXF8F6F4);
}

static void lower_mma(struct ptx__lowering *lower)
{
    static const enum ptx__part parts[] = {PTX__PART_D, PTX__PART_A, PTX__PART_B, PTX__PART_C};
    const struct ptx__instruction *at = lower->at;
    struct ptx__matrix matrix = {.fragments = at->opcode == PTX_OP_WMMA_MMA,
                                 .finite = ptx__has(at, PTX_MOD_SATFINITE),
                                 .both = ptx__has(at, PTX_MOD_AND),
                                 .sparse =
                                     at->opcode != PTX_OP_MMA && at->opcode != PTX_OP_WMMA_MMA};
    uint32_t slots[PTX__MATRIX_SLOTS];
    unsigned n = 0;

    if (!ptx__matrix_shape(at, &matrix) || !types(at, &matrix)) {
        refuse(lower);
        return;
    }
    find_quads(at, &matrix);
    pack_elements(at, &matrix);
    matrix.halved = is_halved(at, &matrix);
    for (unsigned i = 0; i < 4; i++) {
        const unsigned before = n;

        n = ptx__add_registers(lower, &at->operands[i],
                               matrix.types[parts[i]] == PTX__ELEMENT_F64 ? PTX_F64 : PTX_B32,
                               slots, n);
        matrix.registers[parts[i]] = (uint8_t) (n - before);
    }
    take_metadata(lower, &matrix);
    take_scales(lower, &matrix);
    emit_product(lower, &matrix, slots, n);
}

static uint8_t space_of(const struct ptx__instruction *at)
{
    switch (ptx__space_of(at)) {
    case PTX_SHARED:
    case PTX_SHARED_CTA:
    case PTX_SHARED_CLUSTER:
        return PTX__IN_SHARED;
    case PTX_GLOBAL:
        return PTX__IN_GLOBAL;
    default:
        return PTX__IN_GENERIC;
    }
}

/* Sets slot a, and c if it has 64 bits. The offset is in the structure that imm points to. */
static void set_address(struct ptx__lowering *lower, const struct ptx__operand *memory,
                        struct ptx__op *op, uint32_t slot)
{
    op->a = slot;
    op->c = memory->reg == PTX_NONE ||
            ptx__type_bits(lower->function->registers[memory->reg].type) == 64;
}

static uint32_t base_of(struct ptx__lowering *lower, const struct ptx__operand *memory)
{
    if (memory->reg != PTX_NONE)
        return ptx__register_slot(lower, memory->reg);
    return ptx__symbol_slot(lower, memory->symbol, 0, 64);
}

static void lower_fragment(struct ptx__lowering *lower, bool load)
{
    const struct ptx__instruction *at = lower->at;
    const struct ptx__operand *memory = &at->operands[load ? 1 : 0];
    const struct ptx__operand *registers = &at->operands[load ? 0 : 1];
    struct ptx__matrix matrix = {.fragments = true,
                                 .offset = memory->offset,
                                 .space = space_of(at),
                                 .by_row = ptx__has(at, PTX_MOD_ROW),
                                 .part = ptx__has(at, PTX_MOD_A)   ? PTX__PART_A
                                         : ptx__has(at, PTX_MOD_B) ? PTX__PART_B
                                                                   : PTX__PART_C};
    const enum ptx__type type = ptx__type_of(at, 0);
    uint32_t slots[PTX__MATRIX_SLOTS], base;
    unsigned n;

    if (!ptx__matrix_shape(at, &matrix) || !ptx__element_type(type, &matrix.types[matrix.part])) {
        refuse(lower);
        return;
    }
    if (at->n_operands > 2 && at->operands[2].kind != PTX_NO_OPERAND)
        matrix.stride = ptx__source(lower, &at->operands[2], PTX_U32);
    n = ptx__add_registers(lower, registers, type == PTX_F64 ? PTX_F64 : PTX_B32, slots, 0);
    matrix.registers[matrix.part] = (uint8_t) n;
    base = base_of(lower, memory);
    set_address(lower, memory,
                ptx__emit_matrix(
                    lower, ptx__emit(lower, load ? ptx__do_fragment_load : ptx__do_fragment_store),
                    &matrix, slots, n),
                base);
}

static void lower_matrices(struct ptx__lowering *lower, bool load)
{
    const struct ptx__instruction *at = lower->at;
    const struct ptx__operand *memory = &at->operands[load ? 1 : 0];
    struct ptx__matrix matrix = {
        .offset = memory->offset, .space = space_of(at), .transposed = ptx__has(at, PTX_MOD_TRANS)};
    uint32_t slots[PTX__MATRIX_SLOTS], base;
    const unsigned n = ptx__add_registers(lower, &at->operands[load ? 0 : 1], PTX_B32, slots, 0);

    matrix.n_matrices = (uint8_t) n;
    if (ptx__type_of(at, 0) != PTX_B16 || n > 4) {
        refuse(lower);
        return;
    }
    base = base_of(lower, memory);
    set_address(lower, memory,
                ptx__emit_matrix(lower,
                                 ptx__emit(lower, load ? ptx__do_ldmatrix : ptx__do_stmatrix),
                                 &matrix, slots, n),
                base);
}

static void lower_movmatrix(struct ptx__lowering *lower)
{
    const uint32_t source = ptx__source(lower, &lower->at->operands[1], PTX_B32);
    const uint32_t target = ptx__target(lower, &lower->at->operands[0]);
    struct ptx__op *op = ptx__emit(lower, ptx__do_movmatrix);

    op->d = target;
    op->a = source;
}

bool ptx__lower_matrix(struct ptx__lowering *lower)
{
    switch (lower->at->opcode) {
    case PTX_OP_MMA:
    case PTX_OP_MMA_SP:
    case PTX_OP_MMA_SP_ORDERED_METADATA:
    case PTX_OP_WMMA_MMA:
        lower_mma(lower);
        return true;
    case PTX_OP_WMMA_LOAD:
        lower_fragment(lower, true);
        return true;
    case PTX_OP_WMMA_STORE:
        lower_fragment(lower, false);
        return true;
    case PTX_OP_LDMATRIX:
        lower_matrices(lower, true);
        return true;
    case PTX_OP_STMATRIX:
        lower_matrices(lower, false);
        return true;
    case PTX_OP_MOVMATRIX:
        lower_movmatrix(lower);
        return true;
    default:
        return false;
    }
}
