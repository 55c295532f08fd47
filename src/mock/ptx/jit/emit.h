/* SPDX-License-Identifier: MIT */
/*
 * Writing a function: its slots as values (slot.c), operations that are computed (operation.c,
 * parts.c, members.c), loads and stores (access.c), additions that are gathered (atomic.c), those
 * that handlers do (handler.c), jumps (jump.c), lanes that part (wait.c, masked.c), all warps of a
 * block in one loop (sweep.c), and all of it together (function.c).
 */
#ifndef CUSHIM_MOCK_PTX_JIT_EMIT_H
#define CUSHIM_MOCK_PTX_JIT_EMIT_H

#include "base/arena.h"
#include "mock/ptx/jit/apart.h"
#include "mock/ptx/jit/flow.h"
#include "mock/ptx/jit/plain.h"
#include "mock/ptx/jit/spread.h"
#include "mock/ptx/machine/grid.h"

/* A value with its form. */
struct ptx__jit_operand {
    struct ptx__jit_form form;
    struct ptx__jit_value base, rows;
    bool any_nan; /* a number of .f32; where it is a NaN, it may be another one than the device's */
};

/* What is known of a slot in the piece of code that is being written. */
struct ptx__jit_known {
    bool valid; /* its value, */
    bool dirty; /* which is not yet where the slot belongs */
    struct ptx__jit_operand value;
};

/* A comparison of values with a step. If "same" holds, all lanes have the result of the first one.
 */
struct ptx__jit_comparison {
    struct ptx__jit_value lanes, same, first;
};

/* What is being written: code for a warp, or for all warps of a block in one loop (sweep.c). */
enum ptx__jit_sweep {
    PTX__JIT_NO_SWEEP,
    PTX__JIT_LOOKS, /* before the loop, for the first thread of the block and the last one */
    PTX__JIT_SWEEPS,
};

/* Bytes of the room for values that are handed to the engine. */
#define PTX__JIT_ROOM 1024

/* What is outside of the text: functions of the engine, and what they read. */
struct ptx__jit_addresses {
    uint64_t *list;
    size_t n, capacity;
    bool failed; /* out of memory */
};

struct ptx__jit_emit {
    struct ptx__jit_text text;
    const struct ptx__jit_flow *flow;
    unsigned kept;
    bool full;    /* all 32 lanes are active; else those of the mask, which labels read */
    bool goes_on; /* with the next warp of the block: see block.h */
    bool apart;   /* others may wait elsewhere */
    bool guarded; /* by the guard, which is a part of the mask */
    bool copying; /* a copy for lanes that are apart, while others wait for them: see masked.c */
    bool gathers; /* additions to global memory: see ptx__jit_gathers() */
    struct ptx__jit_value warp, op, entry, ops; /* the function's arguments, or of the next warp */
    struct ptx__jit_value again;                /* the first warp of the next block */
    struct ptx__jit_value worker, room;         /* room: for values that are handed to the engine */
    struct ptx__jit_value registers, mask, mask_word, first, hits, shared, shared_bytes, block;
    struct ptx__jit_value owner,
        reads; /* for notes: the block's number, where the warp's reads are */
    struct ptx__jit_value guard, guard_word;
    struct ptx__jit_value *constants; /* of each slot: its value, or its base */
    struct ptx__jit_value *row_steps;
    struct ptx__jit_value area; /* of the values with steps: see spread.h */
    /* For lanes that are apart, see wait.c. */
    struct ptx__jit_places *places;
    unsigned n_waits;
    /* Where the lanes are that come to a place, and those that have parted; and those that wait. */
    struct ptx__jit_value here, waits;
    struct ptx__jit_value everyone;   /* all lanes of the frame */
    struct ptx__jit_known *known;     /* of each slot */
    struct ptx__jit_known *unguarded; /* the same before a guard */
    struct ptx__jit_known *together;  /* and before lanes part */
    struct ptx__jit_known *passed;    /* and where none of them jumps: */
    size_t branch;                    /* at the last branch that was written */
    struct cushim__arena *arena;      /* of lists */
    struct ptx__jit_addresses *addresses;
    bool early;                          /* before a copy or a loop of all warps, */
    struct ptx__jit_value fits;          /* which is done if this holds */
    enum ptx__jit_sweep sweep;           /* and for that loop: */
    struct ptx__jit_value last_thread;   /* of the block, its number */
    struct ptx__jit_comparison compared; /* the last one that was written */
    size_t at;                           /* the current operation */
    size_t n_labels;
    const char *label; /* of the current piece of code */
    size_t label_number;
    /* A piece that is passed over if no lane does it: its operations, and the code before it. */
    size_t piece_first, piece_end, piece_label_number;
    const char *piece_label;
};

/* Returns a number of 64 bits. */
static inline struct ptx__jit_value ptx__jit_i64(uint64_t number)
{
    return ptx__jit_number(PTX__JIT_I64, number);
}

static inline unsigned ptx__jit_type_of_bits(unsigned bits)
{
    return bits == 1    ? PTX__JIT_I1
           : bits == 8  ? PTX__JIT_I8
           : bits == 16 ? PTX__JIT_I16
           : bits == 32 ? PTX__JIT_I32
                        : PTX__JIT_I64;
}

/* A branch that is rarely taken, or always, and the label that comes next. */
void ptx__jit_label(struct ptx__jit_emit *emit, const char *word, size_t number);
void ptx__jit_branch(struct ptx__jit_emit *emit, struct ptx__jit_value which, const char *yes,
                     size_t yes_number, const char *no, size_t no_number);
void ptx__jit_goto(struct ptx__jit_emit *emit, const char *word, size_t number);

/* --- slot.c --- */

/* Loads the constants that are the same for all warps of a block, or the others. */
void ptx__jit_load_constants(struct ptx__jit_emit *emit, bool of_block);

struct ptx__jit_operand ptx__jit_read_slot(struct ptx__jit_emit *emit, uint16_t number);

/* What the current operation reads or writes there; the first one may be any NaN. */
struct ptx__jit_operand ptx__jit_read_number(struct ptx__jit_emit *emit, uint32_t offset);
struct ptx__jit_operand ptx__jit_read(struct ptx__jit_emit *emit, uint32_t offset, unsigned bits);
void ptx__jit_write(struct ptx__jit_emit *emit, uint32_t offset,
                    const struct ptx__jit_operand *operand);
void ptx__jit_write_slot(struct ptx__jit_emit *emit, uint16_t number,
                         const struct ptx__jit_operand *operand);

/* Returns the values of all lanes. */
struct ptx__jit_value ptx__jit_vector(struct ptx__jit_emit *emit,
                                      const struct ptx__jit_operand *operand);

/* The same of a base and a step from each lane to the next. */
struct ptx__jit_value ptx__jit_row(struct ptx__jit_emit *emit,
                                   const struct ptx__jit_operand *operand);
struct ptx__jit_value ptx__jit_at(struct ptx__jit_emit *emit, struct ptx__jit_value base,
                                  uint64_t offset);

/* Puts a slot where it belongs if it is not yet there. */
void ptx__jit_flush_slot(struct ptx__jit_emit *emit, unsigned number);

/* Puts all slots there that an operation, or what comes after it, reads. */
void ptx__jit_flush(struct ptx__jit_emit *emit, size_t number);

/* The same of what one of two operations reads that may come next. */
void ptx__jit_flush_before(struct ptx__jit_emit *emit, size_t next, size_t other);

/* Nothing is known any more: what comes may be reached from elsewhere. */
void ptx__jit_know_nothing(struct ptx__jit_emit *emit);

/*
 * Tells whether an operation comes behind a branch of lanes that are together, and no jump leads
 * there. Then what is known before the branch is known behind it, too: where compiled code begins
 * there, it goes to "bring", and loads the same.
 */
bool ptx__jit_passes(const struct ptx__jit_emit *emit, size_t number);

/* Writes the label of such an operation, and what comes before it. */
void ptx__jit_pass(struct ptx__jit_emit *emit, size_t number);

/* Returns what a handler has written to a slot of the register file. */
struct ptx__jit_operand ptx__jit_written(struct ptx__jit_emit *emit, unsigned number);

/* Makes one value of those of two pieces of code. */
struct ptx__jit_value ptx__jit_phi(struct ptx__jit_emit *emit, struct ptx__jit_value a,
                                   const char *word_a, size_t number_a, struct ptx__jit_value b,
                                   const char *word_b, size_t number_b);

/* --- access.c --- */

void ptx__jit_write_access(struct ptx__jit_emit *emit, size_t number);

/* --- atomic.c --- */

/*
 * Tells whether additions to global memory are gathered: of a kernel that has some whose results
 * nothing uses, and nothing else that waits for others or has an order with what they do.
 */
bool ptx__jit_gathers(const struct ptx__jit_flow *flow);

/* Returns the slot of a result; PTX__JIT_NONE: there is none, or nothing uses it. */
uint16_t ptx__jit_result_slot(const struct ptx__jit_flow *flow, size_t number, uint32_t offset);

/* Adds what has been gathered, before a handler runs. */
void ptx__jit_add_gathered(struct ptx__jit_emit *emit);

/* --- operation.c --- */

void ptx__jit_plain(struct ptx__jit_emit *emit, size_t number);

/* --- parts.c --- */

void ptx__jit_pack(struct ptx__jit_emit *emit, size_t number);
void ptx__jit_unpack(struct ptx__jit_emit *emit, size_t number);
void ptx__jit_lop3(struct ptx__jit_emit *emit, size_t number);

/* --- members.c --- */

void ptx__jit_shuffle(struct ptx__jit_emit *emit, size_t number);
void ptx__jit_vote(struct ptx__jit_emit *emit, size_t number);
void ptx__jit_reduce(struct ptx__jit_emit *emit, size_t number);

/* --- handler.c --- */

/* Loads a field of a structure of the engine. */
struct ptx__jit_value ptx__jit_field(struct ptx__jit_emit *emit, struct ptx__jit_value base,
                                     size_t offset, unsigned type);
#define FIELD(emit, base, type, of, member)                                                        \
    ptx__jit_field(emit, base, offsetof(struct of, member), PTX__JIT_##type)

struct ptx__jit_value ptx__jit_op_address(struct ptx__jit_emit *emit, size_t number);

/* Returns the address of what is not a part of the text, and keeps the same for the process. */
struct ptx__jit_value ptx__jit_address(struct ptx__jit_emit *emit, const void *data);

/* Writes a call of a function with up to four words; result: its type in LLVM's language. */
void ptx__jit_call_engine(struct ptx__jit_emit *emit, uint64_t function, const char *result,
                          unsigned n, const struct ptx__jit_value *operands);

/* Calls a handler for an operation and the active lanes. Returns what it returns. */
struct ptx__jit_value ptx__jit_ask(struct ptx__jit_emit *emit, ptx__handler handler, size_t number);

/* Has an operation's own handler do it, with its operands in the register file. */
void ptx__jit_run_handler(struct ptx__jit_emit *emit, size_t number);

/* The same for an operation that is always done so. */
void ptx__jit_called(struct ptx__jit_emit *emit, size_t number);

/* Lists the values with steps that are needed at an operation. NULL: there are none. */
const struct ptx__jit_list *ptx__jit_list_live(struct ptx__jit_emit *emit, size_t number);

/* Where compiled code ends before an operation, which its handler does, and where it begins. */
void ptx__jit_leave(struct ptx__jit_emit *emit, size_t number);
void ptx__jit_enter(struct ptx__jit_emit *emit, size_t number);

/* Ends compiled code where it may begin, with all slots where they belong: another function goes
 * on.
 */
void ptx__jit_change(struct ptx__jit_emit *emit, size_t number);

/* Leaves unless the condition holds. What is known holds behind it as before. */
void ptx__jit_leave_unless(struct ptx__jit_emit *emit, size_t number, struct ptx__jit_value stay);

/* --- jump.c --- */

void ptx__jit_jump(struct ptx__jit_emit *emit, size_t number, size_t to);

/* Takes a jump backwards from the budget, or leaves. Returns what is left. */
struct ptx__jit_value ptx__jit_spend(struct ptx__jit_emit *emit, size_t number);

/* Returns which lanes a branch has jump, or a guard lets through: a value for each, or one. */
struct ptx__jit_value ptx__jit_predicate(struct ptx__jit_emit *emit, size_t number);

/*
 * A piece of code from one operation to before another, which is passed over unless the condition
 * holds. Behind it, slots have their values of inside or those of before.
 */
void ptx__jit_begin_piece(struct ptx__jit_emit *emit, size_t first, size_t end,
                          struct ptx__jit_value through);
void ptx__jit_end_piece(struct ptx__jit_emit *emit);

/* A branch, and an instruction's guard. */
void ptx__jit_divide(struct ptx__jit_emit *emit, size_t number);
void ptx__jit_guard(struct ptx__jit_emit *emit, size_t number);
void ptx__jit_unguard(struct ptx__jit_emit *emit);

/* --- masked.c: lanes of a full warp that part at a branch with a copy --- */

/* Does what is behind the branch for all lanes, and goes on where they are together again. */
void ptx__jit_write_copy(struct ptx__jit_emit *emit, size_t branch, struct ptx__jit_value taken);

/* --- wait.c: some lanes, which may part --- */

/* Tells whether lanes may wait at an operation. */
bool ptx__jit_may_wait(const struct ptx__jit_flow *flow, size_t number);

void ptx__jit_begin_waits(struct ptx__jit_emit *emit);

/* Has the operations that come next for the lanes of a mask. */
void ptx__jit_use_mask(struct ptx__jit_emit *emit, struct ptx__jit_value mask);

/* Tells the engine which lanes are active, before any of its functions is called. */
void ptx__jit_tell_mask(struct ptx__jit_emit *emit);

/* Begins a labelled operation: which lanes are there? */
void ptx__jit_begin_place(struct ptx__jit_emit *emit, size_t number);

/* Whether all 32 lanes are here, and none has parted from others since compiled code began. */
struct ptx__jit_value ptx__jit_whole(struct ptx__jit_emit *emit);

/* The same, or since the last time that it was asked. */
struct ptx__jit_value ptx__jit_whole_again(struct ptx__jit_emit *emit);

/* Writes the places where all lanes meet. */
void ptx__jit_meetings(struct ptx__jit_emit *emit);

/* Goes on at an operation with all active lanes, or, where they may be apart, has them wait there.
 */
void ptx__jit_go(struct ptx__jit_emit *emit, size_t number, size_t to);

/* The same from the begin of compiled code. */
void ptx__jit_arrive(struct ptx__jit_emit *emit, size_t number);

/* Has some lanes jump, and the others go on. */
void ptx__jit_part_lanes(struct ptx__jit_emit *emit, size_t number, size_t to,
                         struct ptx__jit_value taken);

/* --- function.c --- */

/* Writes an operation. False if it ends a piece of code. */
bool ptx__jit_write_op(struct ptx__jit_emit *emit, size_t number);

/*
 * Writes a function into the text, which begins with nothing: see the head of function.c. kept:
 * what the frame says when values stay in its area. False: out of memory. The caller frees the list
 * of addresses.
 */
bool ptx__jit_write_function(struct ptx__jit_text *text, const struct ptx__jit_flow *flow,
                             unsigned kept, struct cushim__arena *arena,
                             struct ptx__jit_addresses *ret_addresses);

/* Writes what comes behind the function, but for its attributes, and these. */
void ptx__jit_write_end(struct ptx__jit_text *text, const struct ptx__jit_addresses *addresses);
void ptx__jit_write_attributes(struct ptx__jit_text *text, const char *attributes);

#endif
