/* SPDX-License-Identifier: MIT */
/*
 * What the compiled tier knows of a function before it writes anything: what each operation reads
 * and writes (operands.c), which registers are several slots (web.c), where compiled code may
 * begin, which slots are still needed where (flow.c, literal.c), which values are the same in all
 * lanes of a warp or have steps between them (form.c, known.c), where lanes may be apart
 * (region.c), and which pieces of code are there once more for lanes that part (copy.c).
 *
 * Lanes are taken as rows of equal length, as a block has them: in a block of 16 by 16 threads, a
 * warp is two rows of 16. A value may be a base, plus a constant step for each lane of a row, plus
 * a step for each row. tid.x is such a value, and so is what is computed from it, as the addresses
 * of an array are. Its base and the step of rows are scalars, so it is computed once for all lanes.
 */
#ifndef CUSHIM_MOCK_PTX_JIT_FLOW_H
#define CUSHIM_MOCK_PTX_JIT_FLOW_H

#include <assert.h>

#include "mock/ptx/machine/exec.h"

enum ptx__jit_kind {
    PTX__JIT_OUTSIDE, /* the interpreter does it, and compiled code begins anew behind it */
    PTX__JIT_CALLED,  /* its handler is called */
    PTX__JIT_PLAIN,   /* it is computed from its operands: jit/plain_table.c */
    PTX__JIT_WRITTEN, /* it has a function that writes it */
    PTX__JIT_ATOMIC,
    PTX__JIT_LOAD,
    PTX__JIT_STORE,
    PTX__JIT_JUMP,
    PTX__JIT_BRANCH,
    PTX__JIT_GUARD,
    PTX__JIT_UNGUARD,
    PTX__JIT_NOTHING,
};

#define PTX__JIT_MOST_SLOTS  4000
#define PTX__JIT_MOST_COPIED 100 /* operations of a piece */
#define PTX__JIT_OPERANDS    32
#define PTX__JIT_NONE        UINT16_MAX

struct ptx__jit_emit;

/* An operation. Slots are numbers in the list of the flow. */
struct ptx__jit_op {
    uint8_t kind;
    bool label, entry; /* code may come here from elsewhere; compiled code may begin here */
    bool target;       /* a jump leads here */
    bool together;     /* it may change which lanes are active, but not here */
    bool inside;       /* between a guard and its end */
    bool apart;        /* other lanes of the warp may wait elsewhere (region.c) */
    bool any, ends;    /* it may read and write any slot; nothing comes after it */
    bool pure;         /* its results follow from its operands alone, lane by lane */
    bool copied;       /* it belongs to a copy, in which lanes wait for each other: see copy.c */
    bool kept;         /* lanes that wait need what they have in the slots that it writes */
    bool early;        /* it may be done before the copy that it belongs to */
    uint8_t n_reads, n_writes;
    uint16_t reads[PTX__JIT_OPERANDS], writes[PTX__JIT_OPERANDS];
    const struct ptx__keyed *keyed;
    const struct ptx__expression *plain;
    void (*write)(struct ptx__jit_emit *emit, size_t number);
    /* Of an access: the space by its letter (see access.c), and bits. */
    char space, type;
    uint8_t memory_bits, slot_bits;
    uint32_t copy, end_of_copy; /* of a branch: what is behind it for lanes that part, if not 0 */
    uint32_t of;                /* of an operation that is copied: its number */
};

/* How the lanes' values are known. Without steps they are all the same. */
struct ptx__jit_form {
    bool known;  /* nothing else than this: there is at least one value */
    bool vector; /* each lane has a value of its own */
    bool rows;   /* there is a step for each row */
    /* Of values of 32 bits: the lowest bits of the base, and the highest of all lanes, that are 0.
     */
    uint8_t aligned, spare;
    int64_t step;
};

struct ptx__jit_slot {
    uint32_t offset;
    uint8_t bits; /* 1, 32 or 64 */
    bool written;
    const struct ptx__constant *constant; /* or NULL */
    struct ptx__jit_form form;
};

struct ptx__jit_flow {
    const struct ptx__code *code; /* with all copies behind it */
    const ptx__handler *runs;     /* the operations' own handlers */
    size_t n_ops;                 /* without the copies */
    unsigned row;                 /* lanes of a row: 32, or a smaller power of two; 0: not known */
    bool full;                    /* all 32 lanes take the same way; else some, and they may part */
    struct ptx__jit_op *ops;
    struct ptx__jit_slot *slots;
    unsigned n_slots, words;        /* words of a set of slots */
    uint64_t *written;              /* for each operation, the slots that have been written */
    uint64_t *live;                 /* and those of them that it or later ones read */
    uint16_t *numbers;              /* the first slot at each word of the register file */
    struct ptx__jit_longer *longer; /* the code, if there are copies */
};

/* Fills the flow. False: out of memory, or too large a function. */
bool ptx__jit_flow_make(struct ptx__jit_flow *flow, const struct ptx__code *code,
                        const ptx__handler *runs, unsigned row, bool full);
void ptx__jit_flow_free(struct ptx__jit_flow *flow);

/* Adds a slot to those that an operation reads or writes. False: it does not fit beside others. */
bool ptx__jit_add_read(struct ptx__jit_flow *flow, struct ptx__jit_op *op, uint32_t offset,
                       unsigned bits);
bool ptx__jit_add_write(struct ptx__jit_flow *flow, struct ptx__jit_op *op, uint32_t offset,
                        unsigned bits);

/* Describes an operation. */
void ptx__jit_describe(struct ptx__jit_flow *flow, size_t number);

/* Returns the number of the first slot at an offset, or PTX__JIT_NONE: it is a sink or not used. */
static inline uint16_t ptx__jit_slot_at(const struct ptx__jit_flow *flow, uint32_t offset)
{
    return offset < PTX__CARRY_SLOT ? PTX__JIT_NONE : flow->numbers[offset / 4];
}

static inline uint16_t ptx__jit_among(const struct ptx__jit_flow *flow, const uint16_t *slots,
                                      unsigned n, uint32_t offset)
{
    const uint16_t first = ptx__jit_slot_at(flow, offset);

    for (unsigned i = 0; i < n; i++) {
        if (slots[i] != PTX__JIT_NONE && flow->slots[slots[i]].offset == offset)
            return slots[i];
    }
    assert(first == PTX__JIT_NONE || flow->slots[first].constant);
    return first;
}

/* The same of the slot that an operation reads there, or writes. */
static inline uint16_t ptx__jit_read_at(const struct ptx__jit_flow *flow, size_t number,
                                        uint32_t offset)
{
    return ptx__jit_among(flow, flow->ops[number].reads, flow->ops[number].n_reads, offset);
}

static inline uint16_t ptx__jit_written_at(const struct ptx__jit_flow *flow, size_t number,
                                           uint32_t offset)
{
    return ptx__jit_among(flow, flow->ops[number].writes, flow->ops[number].n_writes, offset);
}

/* Finds one of the operations that may come after another one. False: there are no more. */
bool ptx__jit_successor(const struct ptx__jit_flow *flow, size_t number, size_t i, size_t *ret_to);

static inline bool ptx__jit_is_live(const struct ptx__jit_flow *flow, size_t op, unsigned slot)
{
    return flow->live[op * flow->words + slot / 64] >> slot % 64 & 1;
}

/* Tells whether values are kept in the area across an operation: a barrier that gives nothing. */
bool ptx__jit_keeps(const struct ptx__jit_flow *flow, size_t number);

/* Tells whether all lanes of a kernel that do an operation exit. */
bool ptx__jit_exits(const struct ptx__jit_flow *flow, size_t number);

static inline size_t ptx__jit_target(const struct ptx__jit_flow *flow, size_t op)
{
    return (size_t) (flow->code->ops[op].target - flow->code->ops);
}

/* --- web.c: registers that are used for several things --- */

/* Gives these several slots, and finds what has been written where. False: out of memory. */
bool ptx__jit_webs(struct ptx__jit_flow *flow);

/* --- form.c: how values are known --- */

/* Finds the forms of all slots. */
void ptx__jit_forms(struct ptx__jit_flow *flow);

/* Returns the form of an operation's only result. */
struct ptx__jit_form ptx__jit_form_of(const struct ptx__jit_flow *flow, size_t number);

/* --- known.c: bits that are known --- */

/* Fills in what is known of the bits of a constant, and of an operation's result without lanes. */
void ptx__jit_know_constant(const struct ptx__jit_flow *flow, const struct ptx__constant *constant,
                            struct ptx__jit_form *form);
void ptx__jit_know_result(const struct ptx__jit_flow *flow, size_t number,
                          struct ptx__jit_form *form);

/*
 * Tells whether an operation of a value with steps has a result that is the same in all lanes, or
 * has the same steps, because of the bits that are known; and its form without them.
 */
bool ptx__jit_takes_steps(const struct ptx__jit_flow *flow, size_t number,
                          struct ptx__jit_form *ret_form);

/* --- region.c: where lanes may be apart --- */

/*
 * Marks the operations between a branch whose lanes may part and the place where all of them are
 * together again. True: there are new ones.
 */
bool ptx__jit_part(struct ptx__jit_flow *flow);

/* Returns the first operation behind the marked ones around an operation; 0: it is not marked. */
size_t ptx__jit_end_of_part(const struct ptx__jit_flow *flow, size_t number);

/* --- copy.c: short pieces of code for lanes of a full warp that part --- */

/* Adds copies, of no more operations and work than that. False: out of memory. */
bool ptx__jit_add_copies(struct ptx__jit_flow *flow, size_t most_ops, unsigned most_work);

/*
 * Finds where lanes that wait need what they have, and what may be done before a copy. What is live
 * is known.
 */
void ptx__jit_settle_copies(struct ptx__jit_flow *flow);

/* Tells whether an operation of a copy is done before it: once for all lanes. */
bool ptx__jit_is_early(const struct ptx__jit_flow *flow, size_t number);

/* Tells whether lanes of a full warp may part at a branch that has a copy. */
bool ptx__jit_uses_copy(const struct ptx__jit_flow *flow, size_t number);

/* Returns where in its copy a branch leads to. */
size_t ptx__jit_in_copy(const struct ptx__jit_flow *flow, size_t branch);

void ptx__jit_free_copies(struct ptx__jit_flow *flow);

/* Returns the number of the operation in the function itself. */
static inline size_t ptx__jit_original(const struct ptx__jit_flow *flow, size_t number)
{
    return number < flow->n_ops ? number : flow->ops[number].of;
}

/* Estimates the work of compiling an operation. */
unsigned ptx__jit_work_of(const struct ptx__jit_op *op);

/* --- form.c, too --- */

/* Tells whether the result of an operation is a sum of its operands, times numbers. */
bool ptx__jit_is_sum(const struct ptx__jit_flow *flow, size_t number);

/* Returns the form of what an operation reads; that of a sink is not used. */
struct ptx__jit_form ptx__jit_form_at(const struct ptx__jit_flow *flow, size_t number,
                                      uint32_t offset);

/* Tells whether a slot has the same value in each launch, and which. */
bool ptx__jit_literal(const struct ptx__jit_flow *flow, uint32_t offset, uint64_t *ret_value);

/*
 * The same at an operation, also of a slot that only one other operation writes (literal.c). All
 * operations have been described.
 */
bool ptx__jit_literal_at(const struct ptx__jit_flow *flow, size_t number, uint32_t offset,
                         uint64_t *ret_value);

#endif
