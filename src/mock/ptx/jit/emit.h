/* SPDX-License-Identifier: MIT */
/*
 * Writing a function: its slots as values (slot.c), operations that are computed (operation.c),
 * loads and stores (access.c), those that handlers do (handler.c), jumps (jump.c), and all of it
 * together (function.c).
 */
#ifndef CUSHIM_MOCK_PTX_JIT_EMIT_H
#define CUSHIM_MOCK_PTX_JIT_EMIT_H

#include "base/arena.h"
#include "mock/ptx/jit/flow.h"
#include "mock/ptx/jit/plain.h"
#include "mock/ptx/jit/spread.h"
#include "mock/ptx/machine/grid.h"

/* A value with its form. */
struct ptx__jit_operand {
    struct ptx__jit_form form;
    struct ptx__jit_value base, rows;
};

/* What is known of a slot in the piece of code that is being written. */
struct ptx__jit_known {
    bool valid; /* its value, */
    bool dirty; /* which is not yet where the slot belongs */
    struct ptx__jit_operand value;
};

struct ptx__jit_emit {
    struct ptx__jit_text text;
    const struct ptx__jit_flow *flow;
    bool full;    /* all 32 lanes are active; else those of the mask */
    bool guarded; /* by the guard, which is a part of the mask */
    struct ptx__jit_value warp, op, entry, ops; /* the function's arguments */
    struct ptx__jit_value registers, mask, mask_word, first, hits, shared, shared_bytes, shadow;
    struct ptx__jit_value guard, guard_word;
    struct ptx__jit_value *constants; /* of each slot: its value, or its base */
    struct ptx__jit_value *row_steps;
    struct ptx__jit_value area;       /* of the values with steps: see spread.h */
    struct ptx__jit_known *known;     /* of each slot */
    struct ptx__jit_known *unguarded; /* the same before a guard */
    struct cushim__arena *arena;      /* of lists */
    size_t n_labels;
    const char *label; /* of the current piece of code */
    size_t label_number, guard_at, guard_label_number;
    const char *guard_label;
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

void ptx__jit_load_constants(struct ptx__jit_emit *emit);

struct ptx__jit_operand ptx__jit_read(struct ptx__jit_emit *emit, uint32_t offset, unsigned bits);
void ptx__jit_write(struct ptx__jit_emit *emit, uint32_t offset,
                    const struct ptx__jit_operand *operand);

/* Returns the values of all lanes. */
struct ptx__jit_value ptx__jit_vector(struct ptx__jit_emit *emit,
                                      const struct ptx__jit_operand *operand);
struct ptx__jit_value ptx__jit_at(struct ptx__jit_emit *emit, struct ptx__jit_value base,
                                  uint64_t offset);

/* Puts a slot where it belongs if it is not yet there. */
void ptx__jit_flush_slot(struct ptx__jit_emit *emit, unsigned number);

/* Puts all slots there that an operation, or what comes after it, reads. */
void ptx__jit_flush(struct ptx__jit_emit *emit, size_t number);

/* Nothing is known any more: what comes may be reached from elsewhere. */
void ptx__jit_know_nothing(struct ptx__jit_emit *emit);

/* Returns what a handler has written to a slot of the register file. */
struct ptx__jit_operand ptx__jit_written(struct ptx__jit_emit *emit, unsigned number);

/* Makes one value of those of two pieces of code. */
struct ptx__jit_value ptx__jit_phi(struct ptx__jit_emit *emit, struct ptx__jit_value a,
                                   const char *word_a, size_t number_a, struct ptx__jit_value b,
                                   const char *word_b, size_t number_b);

/* --- access.c --- */

void ptx__jit_write_access(struct ptx__jit_emit *emit, size_t number);

/* --- operation.c --- */

void ptx__jit_plain(struct ptx__jit_emit *emit, size_t number);

/* --- handler.c --- */

/* Loads a field of a structure of the engine. */
struct ptx__jit_value ptx__jit_field(struct ptx__jit_emit *emit, struct ptx__jit_value base,
                                     size_t offset, unsigned type);
#define FIELD(emit, base, type, of, member)                                                        \
    ptx__jit_field(emit, base, offsetof(struct of, member), PTX__JIT_##type)

struct ptx__jit_value ptx__jit_op_address(struct ptx__jit_emit *emit, size_t number);

/* A call of a function with the warp and an operation; result: its type in LLVM's language. */
void ptx__jit_call(struct ptx__jit_emit *emit, uint64_t function, const char *result,
                   struct ptx__jit_value op);

/* Has an operation's own handler do it, with its operands in the register file. */
void ptx__jit_run_handler(struct ptx__jit_emit *emit, size_t number);

/* The same for an operation that is always done so. */
void ptx__jit_called(struct ptx__jit_emit *emit, size_t number);

/* Where compiled code ends before an operation, which its handler does, and where it begins. */
void ptx__jit_leave(struct ptx__jit_emit *emit, size_t number);
void ptx__jit_enter(struct ptx__jit_emit *emit, size_t number);

/* Leaves unless the condition holds. What is known holds behind it as before. */
void ptx__jit_leave_unless(struct ptx__jit_emit *emit, size_t number, struct ptx__jit_value stay);

/* --- jump.c --- */

void ptx__jit_jump(struct ptx__jit_emit *emit, size_t number, size_t to);

/* A branch: lanes that go different ways are the interpreter's to part. */
void ptx__jit_divide(struct ptx__jit_emit *emit, size_t number);
void ptx__jit_guard(struct ptx__jit_emit *emit, size_t number);
void ptx__jit_unguard(struct ptx__jit_emit *emit, size_t number);

/* --- function.c --- */

/*
 * Writes a function into the text, which begins with nothing: see the head of function.c. False:
 * out of memory.
 */
bool ptx__jit_write_function(struct ptx__jit_text *text, const struct ptx__jit_flow *flow,
                             bool full, struct cushim__arena *arena);

/* Writes what comes behind all functions. */
void ptx__jit_write_end(struct ptx__jit_text *text, const char *attributes);

#endif
