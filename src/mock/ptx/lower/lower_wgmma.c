/* SPDX-License-Identifier: MIT */
/* wgmma, and the instructions that use registers of its products. */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/exec/wgmma.h"
#include "mock/ptx/lower/lower_matrix.h"

enum { MOST_WATCHED = 32 }; /* registers of one instruction */

static bool is_product(const struct ptx__instruction *at)
{
    return at->opcode == PTX_OP_WGMMA_MMA_ASYNC || at->opcode == PTX_OP_WGMMA_MMA_ASYNC_SP;
}

/* --- the instruction --- */

/* The operands: D, A, B, of a sparse A its metadata and a constant, a predicate, and constants. */
struct operands {
    const struct ptx__operand *d, *a, *b, *adds, *constants;
    unsigned n_constants;
};

static struct operands operands_of(const struct ptx__instruction *at, bool sparse)
{
    const unsigned adds = sparse ? 5 : 3;

    return (struct operands){&at->operands[0],        &at->operands[1],
                             &at->operands[2],        &at->operands[adds],
                             &at->operands[adds + 1], at->n_operands - adds - 1};
}

/* Reads the signs of A and B, and whether they are MN-major: A only if it is in shared memory. */
static bool take_constants(struct ptx__lowering *lower, const struct operands *operands,
                           struct ptx__matrix *matrix)
{
    const bool from_registers = operands->a->kind == PTX_VECTOR;
    const struct ptx__operand *constants = operands->constants;

    for (unsigned i = 0; i < 2 && i < operands->n_constants; i++) {
        const int64_t sign = (int64_t) constants[i].integer;

        if (sign != 1 && sign != -1) {
            ptx__refuse(lower, "A factor's scale is 1 or -1, and not %lld", (long long) sign);
            return false;
        }
        matrix->negative[i] = sign < 0;
    }
    for (unsigned i = 2; i < operands->n_constants; i++)
        matrix->mn_major[from_registers ? 1 : i - 2] = constants[i].integer & 1;
    return true;
}

/* D A B: the types of C are those of D. */
static bool take_types(const struct ptx__instruction *at, struct ptx__matrix *matrix)
{
    uint8_t *types = matrix->types;
    const bool known = ptx__element_type(ptx__type_of(at, 0), &types[PTX__PART_D]) &&
                       ptx__element_type(ptx__type_of(at, 1), &types[PTX__PART_A]) &&
                       ptx__element_type(ptx__type_of(at, 2), &types[PTX__PART_B]);

    types[PTX__PART_C] = types[PTX__PART_D];
    return known;
}

/* D is C, too: its registers are twice in the list. */
static void lower_product(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    struct ptx__matrix matrix = {.sparse = at->opcode == PTX_OP_WGMMA_MMA_ASYNC_SP,
                                 .finite = ptx__has(at, PTX_MOD_SATFINITE),
                                 .both = true};
    const struct operands operands = operands_of(at, matrix.sparse);
    uint32_t slots[PTX__MATRIX_SLOTS];
    unsigned n, n_d;

    if (!ptx__matrix_shape(at, &matrix) || !take_types(at, &matrix) ||
        !take_constants(lower, &operands, &matrix))
        return;
    matrix.m = 16;
    n = n_d = ptx__add_registers(lower, operands.d, PTX_B32, slots, 0);
    matrix.registers[PTX__PART_D] = matrix.registers[PTX__PART_C] = (uint8_t) n_d;
    if (operands.a->kind == PTX_VECTOR) {
        n = ptx__add_registers(lower, operands.a, PTX_B32, slots, n);
        matrix.registers[PTX__PART_A] = (uint8_t) (n - n_d);
    } else {
        matrix.descriptors[PTX__PART_A] = ptx__source(lower, operands.a, PTX_B64);
    }
    memcpy(slots + n, slots, n_d * sizeof(*slots));
    matrix.descriptors[PTX__PART_B] = ptx__source(lower, operands.b, PTX_B64);
    matrix.adds = ptx__source(lower, operands.adds, PTX_PRED);
    if (matrix.sparse) {
        matrix.metadata = ptx__source(lower, &at->operands[3], PTX_B32);
        matrix.selector = (uint8_t) at->operands[4].integer;
    }
    ptx__emit_matrix(lower, ptx__emit_key(lower, "wgmma"), &matrix, slots, n + n_d);
}

bool ptx__lower_wgmma(struct ptx__lowering *lower)
{
    switch (lower->at->opcode) {
    case PTX_OP_WGMMA_MMA_ASYNC:
    case PTX_OP_WGMMA_MMA_ASYNC_SP:
        lower_product(lower);
        return true;
    case PTX_OP_WGMMA_FENCE:
        ptx__emit(lower, ptx__do_wgmma_fence);
        return true;
    case PTX_OP_WGMMA_COMMIT_GROUP:
        ptx__emit(lower, ptx__do_wgmma_commit);
        return true;
    case PTX_OP_WGMMA_WAIT_GROUP:
        ptx__emit(lower, ptx__do_wgmma_wait)->imm = lower->at->operands[0].integer;
        return true;
    default:
        return false;
    }
}

/* --- other instructions --- */

static void mark(struct ptx__lowering *lower, const struct ptx__operand *operand)
{
    for (uint32_t i = 0; operand->kind == PTX_VECTOR && i < operand->count; i++) {
        if (operand->elements[i].kind == PTX_REGISTER)
            lower->of_products[operand->elements[i].reg] = true;
    }
}

void ptx__wgmma_find(struct ptx__lowering *lower)
{
    const struct ptx__function *function = lower->function;

    for (uint32_t i = 0; i < function->n_instructions; i++) {
        const struct ptx__instruction *at = &function->instructions[i];

        if (!is_product(at))
            continue;
        if (!lower->of_products)
            lower->of_products = calloc(function->n_registers + 1, sizeof(*lower->of_products));
        if (!lower->of_products)
            ptx__out_of_memory(lower);
        mark(lower, &at->operands[0]);
        mark(lower, &at->operands[1]);
    }
}

static unsigned add_watched(struct ptx__lowering *lower, const struct ptx__operand *operand,
                            uint32_t *slots, unsigned n)
{
    if (operand->kind == PTX_REGISTER && lower->of_products[operand->reg] && n < MOST_WATCHED)
        slots[n++] = ptx__register_slot(lower, operand->reg);
    for (uint32_t i = 0; operand->kind == PTX_VECTOR && i < operand->count; i++)
        n = add_watched(lower, &operand->elements[i], slots, n);
    return n;
}

/* A `mov` is no use: compilers write it where ptxas finds that both registers are the same. */
static bool is_watched(const struct ptx__lowering *lower)
{
    const unsigned opcode = lower->at->opcode;

    return lower->of_products && !is_product(lower->at) && opcode != PTX_OP_MOV &&
           opcode != PTX_OP_CALL;
}

void ptx__wgmma_watch(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const bool has_result = ptx__shapes[ptx__forms[at->form].first_shape].result;
    uint32_t slots[MOST_WATCHED];
    unsigned n = 0, n_written = 0;
    struct ptx__op *op;

    if (!is_watched(lower))
        return;
    for (uint32_t i = 0; i < at->n_operands; i++) {
        n = add_watched(lower, &at->operands[i], slots, n);
        n_written = i == 0 && has_result ? n : n_written;
    }
    if (!n)
        return;
    op = ptx__emit(lower, ptx__do_wgmma_watch);
    op->imm = n_written;
    ptx__emit_list(lower, op, slots, n);
}
