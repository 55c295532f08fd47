/* SPDX-License-Identifier: MIT */
/*
 * Registers in a function's frame, through which parameters and results that are registers are
 * passed. In the frame, a predicate takes one byte, the elements of a vector are contiguous, and
 * 128 bits are two values of 64 bits.
 */
#include "mock/ptx/lower/lower_value.h"

struct piece {
    uint32_t slot, offset;
    unsigned bits;
};

/* Returns part i of a register, in which it is moved. False if there are fewer parts. */
static bool piece_of(uint32_t slot, enum ptx__type type, unsigned vector, unsigned i,
                     struct piece *ret_piece)
{
    const unsigned bits = ptx__type_bits(type), each = bits == 128 ? 64 : bits;
    const unsigned n = (vector ? vector : 1) * (bits / each);

    *ret_piece = (struct piece){slot + i * (each <= 32 ? 1 : 2) * PTX__SLOT, i * each / 8, each};
    return i < n;
}

static void put_predicate(struct ptx__lowering *lower, uint32_t slot, uint32_t at)
{
    const uint32_t yes = ptx__constant_slot(lower, 32, PTX__FILL_VALUE, 1, 0),
                   no = ptx__constant_slot(lower, 32, PTX__FILL_VALUE, 0, 0),
                   byte = ptx__new_slot(lower, 32);
    struct ptx__op *op;

    ptx__emit_slots(lower, "selp.u32", byte, yes, no, slot);
    op = ptx__emit_key(lower, "stf.8.32");
    op->a = byte;
    op->imm = at;
}

static void take_predicate(struct ptx__lowering *lower, uint32_t slot, uint32_t at)
{
    const uint32_t byte = ptx__new_slot(lower, 32),
                   no = ptx__constant_slot(lower, 32, PTX__FILL_VALUE, 0, 0);
    struct ptx__op *op = ptx__emit_key(lower, "ldf.u8.32");

    op->d = byte;
    op->imm = at;
    ptx__emit_slots(lower, "setp.ne.u32", slot, byte, no, 0);
}

void ptx__value_put(struct ptx__lowering *lower, uint32_t slot, enum ptx__type type,
                    unsigned vector, uint32_t at)
{
    struct piece piece;

    if (type == PTX_PRED) {
        put_predicate(lower, slot, at);
        return;
    }
    for (unsigned i = 0; piece_of(slot, type, vector, i, &piece); i++) {
        struct ptx__op *op =
            ptx__emit_key(lower, "stf.%u.%u", piece.bits, piece.bits <= 32 ? 32 : 64);

        op->a = piece.slot;
        op->imm = at + piece.offset;
    }
}

void ptx__value_take(struct ptx__lowering *lower, uint32_t slot, enum ptx__type type,
                     unsigned vector, uint32_t at)
{
    struct piece piece;

    if (type == PTX_PRED) {
        take_predicate(lower, slot, at);
        return;
    }
    for (unsigned i = 0; piece_of(slot, type, vector, i, &piece); i++) {
        struct ptx__op *op =
            ptx__emit_key(lower, "ldf.u%u.%u", piece.bits, piece.bits <= 32 ? 32 : 64);

        op->d = piece.slot;
        op->imm = at + piece.offset;
    }
}

void ptx__value_take_register(struct ptx__lowering *lower, const struct ptx__operand *operand,
                              uint32_t at)
{
    const struct ptx__register *reg = &lower->function->registers[operand->reg];

    ptx__value_take(lower, ptx__target(lower, operand), (enum ptx__type) reg->type,
                    operand->component < 0 ? reg->vector : 0, at);
}
