/* SPDX-License-Identifier: MIT */
/*
 * Checks constants of which only some values are allowed, and instructions that newer targets do
 * not allow.
 */
#include <string.h>

#include "mock/ptx/check/check.h"

static const struct ptx__operand *operand_at(const struct ptx__check *check, uint32_t number)
{
    return number < check->instruction->n_operands ? &check->instruction->operands[number] : NULL;
}

static const char *name_of(const struct ptx__check *check)
{
    return ptx__opcode_name((enum ptx__opcode) check->instruction->opcode);
}

/*
 * Tells whether the operand is a constant with none of these values. A value of 0 stands for no
 * value.
 */
static bool check_one_of(const struct ptx__check *check, uint32_t number, uint64_t a, uint64_t b,
                         uint64_t c)
{
    const struct ptx__operand *operand = operand_at(check, number);

    if (!operand || operand->kind != PTX_INTEGER || operand->integer == a ||
        (b && operand->integer == b) || (c && operand->integer == c))
        return true;
    return ptx__error(check->parser, check->instruction->place,
                      "Argument %u of instruction '%s': unexpected value '%lld'", number,
                      name_of(check), (long long) operand->integer);
}

static bool check_range(const struct ptx__check *check, uint32_t number, uint64_t first,
                        uint64_t last)
{
    const struct ptx__operand *operand = operand_at(check, number);

    if (!operand || operand->kind != PTX_INTEGER ||
        (operand->integer >= first && operand->integer <= last))
        return true;
    return ptx__error(check->parser, check->instruction->place,
                      "Argument %u of instruction '%s': value '%lld' out of range, expected to be "
                      "in range [%llu..%llu]",
                      number, name_of(check), (long long) operand->integer,
                      (unsigned long long) first, (unsigned long long) last);
}

static bool check_multiple(const struct ptx__check *check, uint32_t number, uint64_t of)
{
    const struct ptx__operand *operand = operand_at(check, number);

    if (!operand || operand->kind != PTX_INTEGER || operand->integer % of == 0)
        return true;
    return ptx__error(check->parser, check->instruction->place,
                      "Argument %u of instruction '%s': unexpected value '%lld', expected to be a "
                      "multiple of %llu",
                      number, name_of(check), (long long) operand->integer,
                      (unsigned long long) of);
}

static bool check_power(const struct ptx__check *check, uint32_t number, uint64_t first,
                        uint64_t last)
{
    const struct ptx__operand *operand = operand_at(check, number);

    if (!operand || operand->kind != PTX_INTEGER ||
        (operand->integer && !(operand->integer & (operand->integer - 1))))
        return check_range(check, number, first, last);
    return ptx__error(check->parser, check->instruction->place,
                      "Argument %u of instruction '%s': unexpected value '%lld', expected to be a "
                      "power of 2",
                      number, name_of(check), (long long) operand->integer);
}

/* "bar.sync 1, 64": for a reduction, the barrier is after the result. */
static bool check_barrier(const struct ptx__check *check)
{
    const uint32_t first = ptx__has(check->instruction, PTX_MOD_RED);
    const struct ptx__operand *barrier = operand_at(check, first),
                              *threads = operand_at(check, first + 1);

    if (barrier && barrier->kind == PTX_INTEGER && barrier->integer > 15)
        return ptx__error(check->parser, check->instruction->place,
                          "Barrier number '%lld' out of range, expected to be in range [0..15]",
                          (long long) barrier->integer);
    if (threads && threads->kind == PTX_INTEGER && threads->integer % 32)
        return ptx__error(check->parser, check->instruction->place,
                          "Number of threads participating in barrier must be in multiple of "
                          "warp size");
    return true;
}

/*
 * On newer targets, threads of a warp run independently, so the instruction must name its members.
 */
static bool check_sync(const struct ptx__check *check)
{
    const struct ptx__parser *parser = check->parser;

    if (ptx__has(check->instruction, PTX_MOD_SYNC) || parser->version < 64 || parser->target < 70)
        return true;
    return ptx__error(check->parser, check->instruction->place,
                      "Instruction '%s' without '.sync' is not supported on .target sm_70 and "
                      "higher from PTX ISA version 6.4",
                      name_of(check));
}

/* Returns the number of values that a video instruction processes: the end of its name. */
static unsigned lanes_of(const struct ptx__check *check)
{
    const char *name = name_of(check), last = name[strlen(name) - 1];

    return last == '2' || last == '4' ? (unsigned) (last - '0') : 1;
}

static bool selector_fits(const struct ptx__operand *operand, unsigned n, bool result)
{
    const unsigned most = result ? n : 2 * n; /* sources select among the lanes of both */
    const bool alone = n == 2 ? operand->selector == 5 || operand->selector == 6
                              : operand->selector >= 1 && operand->selector <= 4;

    if (!operand->selector)
        return true;
    if (n == 1)
        return operand->selector < PTX_BYTE_LANES;
    if (operand->selector < PTX_BYTE_LANES)
        return result && alone;
    for (unsigned lanes = operand->lanes; lanes; lanes >>= 4) {
        if ((lanes & 15) >= most)
            return false;
    }
    return operand->selector == (n == 2 ? PTX_HALF_LANES : PTX_BYTE_LANES);
}

static bool check_selectors(const struct ptx__check *check)
{
    const struct ptx__instruction *at = check->instruction;

    for (uint32_t i = 0; i < at->n_operands; i++) {
        if (!selector_fits(&at->operands[i], lanes_of(check), i == 0))
            return ptx__error(check->parser, at->place, "Incorrect video selector for operand %u",
                              i);
    }
    return true;
}

/* The field of a tensor map, or its number, and the numbers that mean something. */
static bool check_replace(const struct ptx__check *check)
{
    const struct ptx__instruction *at = check->instruction;
    const struct ptx__parser *parser = check->parser;
    const bool newer = parser->target >= 100 && parser->version >= 88;

    if (ptx__has(at, PTX_MOD_ELEMTYPE))
        return check_range(check, 1, 0, newer ? 15 : 12);
    if (ptx__has(at, PTX_MOD_INTERLEAVE_LAYOUT))
        return check_range(check, 1, 0, 2);
    if (ptx__has(at, PTX_MOD_SWIZZLE_MODE))
        return check_range(check, 1, 0, newer && parser->target == 103 ? 4 : 3);
    if (ptx__has(at, PTX_MOD_SWIZZLE_ATOMICITY))
        return check_range(check, 1, 0, 3);
    if (ptx__has(at, PTX_MOD_FILL_MODE))
        return check_range(check, 1, 0, 1);
    return ptx__has(at, PTX_MOD_GLOBAL_ADDRESS) || ptx__has(at, PTX_MOD_RANK) ||
           check_range(check, 1, 0, 4);
}

/* --- sparse products --- */

static bool is_wide(enum ptx__type type)
{
    return type == PTX_F16 || type == PTX_BF16 || type == PTX_TF32;
}

/*
 * The selector tells which lanes of a quad have the metadata. A register of metadata serves two
 * registers of a lane's A, or one if its elements have 8 bits or less; so the more registers there
 * are, the less there is to select.
 */
static bool check_sparse(const struct ptx__check *check)
{
    const struct ptx__instruction *at = check->instruction;
    const struct ptx__operand *selector = operand_at(check, 5);
    const enum ptx__type a = ptx__type_of(at, 1);
    const unsigned lanes = at->operands[1].count / (is_wide(a) ? 2 : 1);
    const unsigned last = lanes && lanes < 4 ? 4 / lanes - 1 : 0;

    if (!selector || selector->kind != PTX_INTEGER || selector->integer <= last)
        return true;
    if (!is_wide(a) && ptx__type_of(at, 0) != PTX_S32)
        return check_range(check, 5, 0, 0);
    return ptx__error(check->parser, at->place,
                      "Argument 6 of instruction 'Sparse mma': value '%lld' out of range, expected "
                      "to be in range [0..%u]",
                      (long long) selector->integer, last);
}

/* A has four registers, whether they are registers or not. */
static bool check_sparse_wgmma(const struct ptx__check *check)
{
    const struct ptx__instruction *at = check->instruction;
    const struct ptx__operand *selector = operand_at(check, 4);
    const bool wide = is_wide(ptx__type_of(at, 1)), whole = ptx__type_of(at, 0) == PTX_S32;

    if (!selector || selector->kind != PTX_INTEGER || selector->integer <= wide)
        return true;
    return ptx__error(
        check->parser, at->place,
        "Argument 4 of instruction 'Sparse wgmma.mma_async with %s types': unexpected "
        "value '%lld', expected to be 0%s",
        wide    ? "floating point"
        : whole ? "integer"
                : "FP8",
        (long long) selector->integer, wide ? " or 1" : "");
}

bool ptx__check_values(const struct ptx__check *check)
{
    switch ((enum ptx__opcode) check->instruction->opcode) {
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
        return check_barrier(check);
    case PTX_OP_SHFL:
    case PTX_OP_VOTE:
        return check_sync(check);
    case PTX_OP_CP_ASYNC:
        return ptx__has(check->instruction, PTX_MOD_CG) ? check_one_of(check, 2, 16, 0, 0)
                                                        : check_one_of(check, 2, 4, 8, 16);
    case PTX_OP_APPLYPRIORITY:
    case PTX_OP_DISCARD:
    case PTX_OP_FENCE:
        return check_one_of(check, 1, 128, 0, 0);
    case PTX_OP_TENSORMAP_CP_FENCEPROXY:
        return check_one_of(check, 2, 128, 0, 0);
    case PTX_OP_TENSORMAP_REPLACE:
        return check_replace(check);
    case PTX_OP_PMEVENT:
        return check_range(check, 0, 0, ptx__has(check->instruction, PTX_MOD_MASK) ? 0xffff : 15);
    case PTX_OP_SETMAXNREG:
        return check_range(check, 0, 24, 256) && check_multiple(check, 0, 8);
    case PTX_OP_ST_BULK:
        return check_range(check, 2, 0, 0);
    case PTX_OP_ALLOCA:
        return check_power(check, 2, 1, UINT64_C(1) << 23);
    case PTX_OP_MMA_SP:
    case PTX_OP_MMA_SP_ORDERED_METADATA:
        return check_sparse(check);
    case PTX_OP_WGMMA_MMA_ASYNC_SP:
        return check_sparse_wgmma(check);
    case PTX_OP_TCGEN05_ALLOC:
    case PTX_OP_TCGEN05_DEALLOC:
        return check_power(check, 1, 32, 512);
    case PTX_OP_TCGEN05_MMA:
    case PTX_OP_TCGEN05_MMA_SP:
        return check_range(check, check->instruction->n_operands - 1, 0, 15);
    default:
        return check_selectors(check);
    }
}
