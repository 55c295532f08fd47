/* SPDX-License-Identifier: MIT */
/* Shared by the files lower_*.c: the state of one function while it is lowered. */
#ifndef CUSHIM_MOCK_PTX_LOWER_LOWER_H
#define CUSHIM_MOCK_PTX_LOWER_LOWER_H

#include <setjmp.h>

#include "mock/ptx/machine/code.h"
#include "mock/ptx/syntax/ast.h"
#include "mock/ptx/syntax/log.h"

#define PTX__NO_SLOT UINT32_MAX

struct ptx__lowering {
    const struct ptx__module *module;
    const struct ptx__function *function;
    struct ptx__program *program;
    struct ptx__code *code;
    struct ptx__log *log;
    jmp_buf out_of_memory; /* where ptx__out_of_memory() continues */
    bool refused;

    const struct ptx__instruction *at; /* the instruction that is being lowered */
    uint32_t site, n_sites, sites_capacity;
    const char **paths; /* paths of the module's files; NULL until one is needed */

    struct ptx__op *ops;
    size_t n_ops, ops_capacity;
    struct ptx__fixup *fixups; /* operations whose target is a block */
    size_t n_fixups, fixups_capacity;
    size_t constants_capacity;
    uint32_t *constants; /* the numbers of constants, in a hash table */
    size_t constants_rows;

    uint32_t *slots;    /* the slot of each register */
    uint32_t next_slot; /* the end of the register file so far */
    uint32_t next_pred, preds_end;
    uint32_t frame_params, frame_parameters, frame_results, frame_end; /* in local memory */

    struct ptx__flow *flow; /* the function's blocks, see lower_flow.c */

    /*
     * For each register, the line of the tcgen05.ld of this block that loads it with no
     * tcgen05.wait::ld since, or 0. NULL until there is one.
     */
    uint32_t *loading;

    bool *of_products; /* for each register: wgmma uses it; NULL: there is no wgmma */
    bool *open;        /* for each register: it may be read before it is written (lower_begin.c) */
};

struct ptx__fixup {
    size_t op;
    uint32_t block;
};

/* --- lower.c --- */

/* Reports that something cannot be executed, as an error at the instruction's place. */
void ptx__refuse(struct ptx__lowering *lower, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for the instruction as a whole: why it, or this form of it, cannot be executed. */
void ptx__refuse_form(struct ptx__lowering *lower, const char *why);

/*
 * Gives up the function and does not return; lower_function() in lower.c has the reason. A caller
 * of it, or of a function that may call it, must own no memory: memory belongs to the lists of
 * *lower and *lower->flow, or to the arena of the program.
 */
_Noreturn void ptx__out_of_memory(struct ptx__lowering *lower);

/* Grows a list by one zeroed element. Does not return when out of memory. */
void *ptx__grow(struct ptx__lowering *lower, void *list_pointer, size_t *n, size_t *capacity,
                size_t size);

/* Allocates memory of the program. When out of memory it does not return (longjmp). */
void *ptx__keep(struct ptx__lowering *lower, size_t size);

/* --- lower_emit.c: operations --- */

struct ptx__op *ptx__emit(struct ptx__lowering *lower, ptx__handler run);

/*
 * Emits the operation with this key. If there is no such handler, the instruction is refused. Never
 * NULL.
 */
struct ptx__op *ptx__emit_key(struct ptx__lowering *lower, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same, and sets the slots. */
struct ptx__op *ptx__emit_slots(struct ptx__lowering *lower, const char *key, uint32_t d,
                                uint32_t a, uint32_t b, uint32_t c);

void ptx__emit_list(struct ptx__lowering *lower, struct ptx__op *op, const uint32_t *slots,
                    unsigned n);
void ptx__jump_to(struct ptx__lowering *lower, struct ptx__op *op, uint32_t block);

/* --- lower_operand.c, lower_constant.c: slots --- */

uint32_t ptx__new_slot(struct ptx__lowering *lower, unsigned bits);
uint32_t ptx__constant_slot(struct ptx__lowering *lower, unsigned bits, enum ptx__preload fill,
                            uint64_t value, unsigned of_param);

/* Sorts the constants: those that each block has of its own come last. There are no more of them.
 */
void ptx__constants_finish(struct ptx__lowering *lower);

/*
 * Returns the slot of an operand that is read as this type. An operand without a slot is first
 * computed into one.
 */
uint32_t ptx__source(struct ptx__lowering *lower, const struct ptx__operand *operand,
                     enum ptx__type type);

/* Returns the slot of an operand that is written. For "_" it is a slot that is never read. */
uint32_t ptx__target(struct ptx__lowering *lower, const struct ptx__operand *operand);

/* Returns the slot of a register with its declared type. */
uint32_t ptx__register_slot(struct ptx__lowering *lower, uint32_t reg);

/*
 * Returns how many bits one lane of the operand's register has: 32 or 64, but 128 for .b128 and 1
 * for .pred.
 */
unsigned ptx__slot_bits(const struct ptx__lowering *lower, const struct ptx__operand *operand);

/*
 * Returns the offset of a .param variable, a parameter or a result in the frame; PTX_NONE if it is
 * not in the frame.
 */
uint32_t ptx__frame_offset(const struct ptx__lowering *lower, struct ptx__symbol symbol);

/* Returns a slot with the address of a symbol in its own state space, with 32 or 64 bits. */
uint32_t ptx__symbol_slot(struct ptx__lowering *lower, struct ptx__symbol symbol, int64_t offset,
                          unsigned bits);

/* --- instructions: each function returns false if its file does not handle the instruction --- */

bool ptx__lower_flow_instruction(struct ptx__lowering *lower);
bool ptx__lower_memory(struct ptx__lowering *lower);
bool ptx__lower_matrix(struct ptx__lowering *lower);
bool ptx__lower_wgmma(struct ptx__lowering *lower);
bool ptx__lower_async(struct ptx__lowering *lower);
bool ptx__lower_texture(struct ptx__lowering *lower);
bool ptx__lower_tensor(struct ptx__lowering *lower);

/* Emits findings for what the instruction does with registers that are being loaded. */
void ptx__lower_tensor_uses(struct ptx__lowering *lower);

/* All that is being loaded counts as loaded: at a wait, and where a block begins. */
void ptx__lower_tensor_loaded(struct ptx__lowering *lower);
bool ptx__lower_stack(struct ptx__lowering *lower);
bool ptx__lower_bulk(struct ptx__lowering *lower);
bool ptx__lower_multimem(struct ptx__lowering *lower);
bool ptx__lower_tensormap(struct ptx__lowering *lower);
bool ptx__lower_video(struct ptx__lowering *lower);
bool ptx__lower_data(struct ptx__lowering *lower);
void ptx__lower_cvt(struct ptx__lowering *lower);
void ptx__lower_isspacep(struct ptx__lowering *lower);
bool ptx__lower_warp(struct ptx__lowering *lower);
bool ptx__lower_plain(struct ptx__lowering *lower);

/*
 * Finds the registers of products, and emits a check before an instruction that uses some of them.
 */
void ptx__wgmma_find(struct ptx__lowering *lower);
void ptx__wgmma_watch(struct ptx__lowering *lower);

/* Emitted at the beginning of a function that uses these instructions: nothing is allocated yet. */
void ptx__stack_begin(struct ptx__lowering *lower);

/* Emitted at the beginning: registers that may be read before they are written are zero. */
void ptx__begin_registers(struct ptx__lowering *lower);

/*
 * Tells whether lanes may have to wait inside of the instruction. Its guard must then be a branch
 * around it.
 */
bool ptx__may_wait(const struct ptx__instruction *instruction);

/* --- lower_flow.c, lower_order.c --- */

struct ptx__block_of_code {
    uint32_t first, end; /* instructions */
    uint32_t *successors;
    uint32_t n_successors, n_predecessors;
    uint32_t op; /* its first operation, after it is lowered */
};

struct ptx__flow {
    struct ptx__block_of_code *blocks;
    uint32_t n_blocks;
    uint32_t *block_at; /* the block of each instruction */
    uint32_t *order;    /* the blocks that can be reached; the blocks of a loop are consecutive */
    uint32_t n_order;
};

/* Makes the blocks of the function. */
void ptx__flow_find(struct ptx__lowering *lower);
void ptx__flow_order(struct ptx__lowering *lower);

/* Lowers the blocks in their order. */
void ptx__flow_lower(struct ptx__lowering *lower);

/* Lowers one instruction with its guard. */
void ptx__lower_instruction(struct ptx__lowering *lower, const struct ptx__instruction *at);

#endif
