/* SPDX-License-Identifier: MIT */
/* Video instructions: vadd, vadd2, vadd4 and similar ones. */
#include "mock/ptx/exec/control.h"
#include "mock/ptx/exec/video.h"
#include "mock/ptx/lower/lower.h"

static const struct {
    uint16_t opcode;
    uint8_t operation, n_lanes;
} instructions[] = {
    {PTX_OP_VADD, PTX__VIDEO_ADD, 1},          {PTX_OP_VADD2, PTX__VIDEO_ADD, 2},
    {PTX_OP_VADD4, PTX__VIDEO_ADD, 4},         {PTX_OP_VSUB, PTX__VIDEO_SUB, 1},
    {PTX_OP_VSUB2, PTX__VIDEO_SUB, 2},         {PTX_OP_VSUB4, PTX__VIDEO_SUB, 4},
    {PTX_OP_VABSDIFF, PTX__VIDEO_ABSDIFF, 1},  {PTX_OP_VABSDIFF2, PTX__VIDEO_ABSDIFF, 2},
    {PTX_OP_VABSDIFF4, PTX__VIDEO_ABSDIFF, 4}, {PTX_OP_VMIN, PTX__VIDEO_MIN, 1},
    {PTX_OP_VMIN2, PTX__VIDEO_MIN, 2},         {PTX_OP_VMIN4, PTX__VIDEO_MIN, 4},
    {PTX_OP_VMAX, PTX__VIDEO_MAX, 1},          {PTX_OP_VMAX2, PTX__VIDEO_MAX, 2},
    {PTX_OP_VMAX4, PTX__VIDEO_MAX, 4},         {PTX_OP_VAVRG2, PTX__VIDEO_AVERAGE, 2},
    {PTX_OP_VAVRG4, PTX__VIDEO_AVERAGE, 4},    {PTX_OP_VSHL, PTX__VIDEO_SHL, 1},
    {PTX_OP_VSHR, PTX__VIDEO_SHR, 1},          {PTX_OP_VMAD, PTX__VIDEO_MAD, 1},
    {PTX_OP_VSET, PTX__VIDEO_EQ, 1},           {PTX_OP_VSET2, PTX__VIDEO_EQ, 2},
    {PTX_OP_VSET4, PTX__VIDEO_EQ, 4},
};

static void read_operation(const struct ptx__instruction *at, struct ptx__video *video)
{
    static const struct {
        uint16_t modifier;
        uint8_t operation;
    } comparisons[] = {{PTX_MOD_EQ, PTX__VIDEO_EQ}, {PTX_MOD_NE, PTX__VIDEO_NE},
                       {PTX_MOD_LT, PTX__VIDEO_LT}, {PTX_MOD_LE, PTX__VIDEO_LE},
                       {PTX_MOD_GT, PTX__VIDEO_GT}, {PTX_MOD_GE, PTX__VIDEO_GE}};

    for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++) {
        if (video->operation == PTX__VIDEO_EQ && ptx__has(at, comparisons[i].modifier))
            video->operation = comparisons[i].operation;
    }
    video->second = ptx__has(at, PTX_MOD_ADD)   ? PTX__SECOND_ADD
                    : ptx__has(at, PTX_MOD_MIN) ? PTX__SECOND_MIN
                    : ptx__has(at, PTX_MOD_MAX) ? PTX__SECOND_MAX
                                                : PTX__SECOND_NONE;
    video->saturates = ptx__has(at, PTX_MOD_SAT);
    video->wraps = ptx__has(at, PTX_MOD_WRAP);
    video->plus_one = ptx__has(at, PTX_MOD_PO);
    video->shift = ptx__has(at, PTX_MOD_SHR7) ? 7 : ptx__has(at, PTX_MOD_SHR15) ? 15 : 0;
}

/* Reads the types. Comparisons have no type for the result, which is unsigned. */
static void read_types(const struct ptx__instruction *at, struct ptx__video *video)
{
    const unsigned first = at->n_types > 2;

    video->sign_d = first && ptx__is_signed(ptx__type_of(at, 0));
    video->sign_a = ptx__is_signed(ptx__type_of(at, first));
    video->sign_b = ptx__is_signed(ptx__type_of(at, first + 1));
}

/*
 * Reads the lanes of an operand. operand->lanes has four bits for each lane, lane 0 in the lowest
 * bits. If none are given, they are first, first + 1, ...
 */
static void read_lanes(const struct ptx__operand *operand, unsigned n, unsigned first,
                       uint8_t lanes[4])
{
    const bool given = operand->selector >= PTX_BYTE_LANES;

    for (unsigned i = 0; i < n; i++)
        lanes[i] = (uint8_t) (given ? operand->lanes >> 4 * i & 15 : first + i);
}

/* Returns the lanes of d that are written. A single lane is written as a part of a register. */
static uint8_t read_mask(const struct ptx__operand *operand, unsigned n)
{
    uint8_t mask = 0;
    uint16_t lanes = operand->lanes;

    if (!operand->selector)
        return (uint8_t) ((1u << n) - 1);
    if (operand->selector < PTX_BYTE_LANES)
        return (uint8_t) (1u << (operand->selector - (n == 2 ? 5 : 1)));
    do
        mask |= (uint8_t) (1u << (lanes & 15));
    while (lanes >>= 4);
    return mask;
}

static void read_operands(const struct ptx__instruction *at, struct ptx__video *video)
{
    const struct ptx__operand *o = at->operands;

    video->negative_a = o[1].negative;
    video->negative_b = o[2].negative;
    video->has_c = at->n_operands > 3 && o[3].kind != PTX_NO_OPERAND;
    video->negative_c = video->has_c && o[3].negative;
    if (video->n_lanes == 1) {
        video->select_d = o[0].selector;
        video->select_a = o[1].selector;
        video->select_b = o[2].selector;
        return;
    }
    video->mask = read_mask(&o[0], video->n_lanes);
    read_lanes(&o[1], video->n_lanes, 0, video->lanes[0]);
    read_lanes(&o[2], video->n_lanes, video->n_lanes, video->lanes[1]);
}

/*
 * Returns the slot of an operand. Its minus sign is part of the video operation, so it is removed
 * here.
 */
static uint32_t source(struct ptx__lowering *lower, const struct ptx__operand *operand)
{
    struct ptx__operand plain = *operand;

    plain.negative = false;
    return ptx__source(lower, &plain, PTX_B32);
}

bool ptx__lower_video(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    struct ptx__video *video;
    struct ptx__op *op;
    uint32_t a, b, c, d;
    size_t i = 0;

    while (i < sizeof(instructions) / sizeof(instructions[0]) &&
           instructions[i].opcode != at->opcode)
        i++;
    if (i == sizeof(instructions) / sizeof(instructions[0]))
        return false;
    video = ptx__keep(lower, sizeof(*video));
    video->operation = instructions[i].operation;
    video->n_lanes = instructions[i].n_lanes;
    read_operation(at, video);
    read_types(at, video);
    read_operands(at, video);
    a = source(lower, &at->operands[1]);
    b = source(lower, &at->operands[2]);
    c = video->has_c ? source(lower, &at->operands[3]) : PTX__SINK_SLOT;
    d = ptx__target(lower, &at->operands[0]);
    op = ptx__emit(lower, ptx__do_video);
    op->imm = (uintptr_t) video;
    op->d = d;
    op->a = a;
    op->b = b;
    op->c = c;
    return true;
}
