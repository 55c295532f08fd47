/* SPDX-License-Identifier: MIT */
/* tcgen05: tensor memory. */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/lower/lower_memory.h"
#include "mock/ptx/tensor/product.h"
#include "mock/ptx/tensor/tensor.h"

enum { MOST_REGISTERS = 128 };

static uint8_t group_of(const struct ptx__instruction *at)
{
    return ptx__has(at, PTX_MOD_CTA_GROUP_2) ? 2 : 1;
}

static struct ptx__op *emit(struct ptx__lowering *lower, ptx__handler run, const void *what)
{
    struct ptx__op *op = ptx__emit(lower, run);

    op->imm = (uintptr_t) what;
    op->waits = true;
    return op;
}

/* --- allocating, and telling barriers --- */

static struct ptx__tensor_call *call(struct ptx__lowering *lower)
{
    struct ptx__tensor_call *what = ptx__keep(lower, sizeof(*what));

    *what = (struct ptx__tensor_call){.group = group_of(lower->at)};
    return what;
}

static void lower_alloc(struct ptx__lowering *lower)
{
    const struct ptx__operand *operands = lower->at->operands;
    struct ptx__tensor_call *what = call(lower);

    what->to = ptx__place_of(lower, &operands[0], ptx__space_of(lower->at));
    what->columns = ptx__source(lower, &operands[1], PTX_B32);
    emit(lower, ptx__do_tensor_alloc, what);
}

static void lower_dealloc(struct ptx__lowering *lower)
{
    const struct ptx__operand *operands = lower->at->operands;
    struct ptx__tensor_call *what = call(lower);

    what->address = ptx__source(lower, &operands[0], PTX_B32);
    what->columns = ptx__source(lower, &operands[1], PTX_B32);
    emit(lower, ptx__do_tensor_dealloc, what);
}

static void lower_commit(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    struct ptx__tensor_call *what = call(lower);

    what->to = ptx__place_of(lower, &at->operands[0], ptx__space_of(at));
    if (ptx__has(at, PTX_MOD_MULTICAST_CLUSTER))
        what->blocks = ptx__source(lower, &at->operands[1], PTX_B16);
    emit(lower, ptx__do_tensor_commit, what);
}

/* --- registers that are being loaded --- */

void ptx__lower_tensor_loaded(struct ptx__lowering *lower)
{
    if (lower->loading)
        memset(lower->loading, 0, lower->function->n_registers * sizeof(*lower->loading));
}

/* Code for a debugger moves results before the wait of the next statement; compilers let it. */
static void begin_loading(struct ptx__lowering *lower, const struct ptx__operand *operand)
{
    if (operand->kind != PTX_REGISTER || lower->module->debug)
        return;
    if (!lower->loading)
        lower->loading = calloc(lower->function->n_registers, sizeof(*lower->loading));
    if (!lower->loading)
        ptx__out_of_memory(lower);
    lower->loading[operand->reg] = lower->at->place.line;
}

/* Each register is told once. */
static void tell_use(struct ptx__lowering *lower, uint32_t reg)
{
    struct ptx__tensor_use *use;

    if (reg == PTX_NONE || !lower->loading[reg])
        return;
    use = ptx__keep(lower, sizeof(*use));
    use->line = lower->loading[reg];
    use->name =
        cushim__arena_printf(&lower->program->arena, "%s", lower->function->registers[reg].name);
    lower->loading[reg] = 0;
    ptx__emit(lower, ptx__do_tensor_early_use)->imm = (uintptr_t) use;
}

static void tell_uses(struct ptx__lowering *lower, const struct ptx__operand *operand)
{
    switch ((enum ptx__operand_kind) operand->kind) {
    case PTX_REGISTER:
    case PTX_MEMORY:
        tell_use(lower, operand->reg);
        break;
    case PTX_PAIR:
        tell_uses(lower, &operand->elements[0]);
        tell_uses(lower, &operand->elements[1]);
        break;
    case PTX_VECTOR:
    case PTX_LIST:
    case PTX_BRACKETS:
        for (uint32_t i = 0; i < operand->count; i++)
            tell_uses(lower, &operand->elements[i]);
        break;
    default:
        break;
    }
}

void ptx__lower_tensor_uses(struct ptx__lowering *lower)
{
    for (uint32_t i = 0; lower->loading && i < lower->at->n_operands; i++)
        tell_uses(lower, &lower->at->operands[i]);
}

/* --- tcgen05.ld and .st --- */

static enum ptx__tensor_shape shape_of(const struct ptx__instruction *at)
{
    static const enum ptx__modifier names[] = {
        [PTX__TENSOR_32X32B] = PTX_MOD_32X32B,     [PTX__TENSOR_16X64B] = PTX_MOD_16X64B,
        [PTX__TENSOR_16X128B] = PTX_MOD_16X128B,   [PTX__TENSOR_16X256B] = PTX_MOD_16X256B,
        [PTX__TENSOR_16X32BX2] = PTX_MOD_16X32BX2,
    };
    unsigned i = 0;

    while (!ptx__has(at, names[i]))
        i++;
    return (enum ptx__tensor_shape) i;
}

/* Of a register that is not wanted, too, a reduction needs the value. */
static uint32_t target(struct ptx__lowering *lower, const struct ptx__operand *operand)
{
    return operand->kind == PTX_SINK ? ptx__new_slot(lower, 32) : ptx__target(lower, operand);
}

/* Operands of a load: registers, the one of .red, the address, the split; of a store the registers
 * are last. */
static void lower_move(struct ptx__lowering *lower, bool load)
{
    const struct ptx__instruction *at = lower->at;
    const bool reduces = at->opcode == PTX_OP_TCGEN05_LD_RED;
    const bool splits = ptx__has(at, PTX_MOD_16X32BX2);
    const struct ptx__operand *address = &at->operands[load ? 1 + reduces : 0];
    const struct ptx__operand *registers = &at->operands[load ? 0 : 1 + splits];
    struct ptx__tensor_move *move = ptx__keep(lower, sizeof(*move));
    uint32_t slots[MOST_REGISTERS];
    struct ptx__op *op;

    *move = (struct ptx__tensor_move){.at = ptx__place_of(lower, address, PTX_NO_SPACE),
                                      .shape = (uint8_t) shape_of(at),
                                      .packed = ptx__has(at, PTX_MOD_PACK_16B) ||
                                                ptx__has(at, PTX_MOD_UNPACK_16B),
                                      .split = splits ? (uint16_t) address[1].integer : 0,
                                      .reduces = reduces,
                                      .most = ptx__has(at, PTX_MOD_MAX),
                                      .magnitudes = ptx__has(at, PTX_MOD_ABS),
                                      .passes_nan = ptx__has(at, PTX_MOD_PROPAGATE_NAN),
                                      .type = (uint8_t) ptx__type_of(at, 0)};
    for (unsigned i = 0; i < registers->count && i < MOST_REGISTERS; i++)
        slots[i] = load ? target(lower, &registers->elements[i])
                        : ptx__source(lower, &registers->elements[i], PTX_B32);
    op = emit(lower, load ? ptx__do_tensor_load : ptx__do_tensor_store, move);
    if (reduces)
        op->d = ptx__target(lower, &at->operands[1]);
    ptx__emit_list(lower, op, slots, registers->count);
    for (unsigned i = 0; load && i < registers->count; i++)
        begin_loading(lower, &registers->elements[i]);
    if (reduces)
        begin_loading(lower, &at->operands[1]);
}

/* --- tcgen05.cp and .shift --- */

static struct ptx__tensor_copy *copy(struct ptx__lowering *lower)
{
    struct ptx__tensor_copy *what = ptx__keep(lower, sizeof(*what));

    *what =
        (struct ptx__tensor_copy){.at = ptx__place_of(lower, &lower->at->operands[0], PTX_NO_SPACE),
                                  .group = group_of(lower->at)};
    return what;
}

static uint8_t rows_of(const struct ptx__instruction *at)
{
    return ptx__has(at, PTX_MOD_4X256B)    ? 4
           : ptx__has(at, PTX_MOD_32X128B) ? 32
           : ptx__has(at, PTX_MOD_64X128B) ? 64
                                           : 128;
}

static void lower_copy(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    struct ptx__tensor_copy *what = copy(lower);

    what->descriptor = ptx__source(lower, &at->operands[1], PTX_B64);
    what->rows = rows_of(at);
    what->chunks = ptx__has(at, PTX_MOD_128X256B) || ptx__has(at, PTX_MOD_4X256B) ? 2 : 1;
    what->bits = ptx__has(at, PTX_MOD_B6X16_P32) ? 6 : ptx__has(at, PTX_MOD_B4X16_P64) ? 4 : 0;
    what->neighbours = ptx__has(at, PTX_MOD_WARPX2_01_23);
    emit(lower, ptx__do_tensor_copy, what);
}

/* --- products --- */

static enum ptx__tensor_kind kind_of(const struct ptx__instruction *at)
{
    static const enum ptx__modifier names[] = {
        [PTX__KIND_F16] = PTX_MOD_KIND_F16,           [PTX__KIND_TF32] = PTX_MOD_KIND_TF32,
        [PTX__KIND_F8F6F4] = PTX_MOD_KIND_F8F6F4,     [PTX__KIND_I8] = PTX_MOD_KIND_I8,
        [PTX__KIND_MXF8F6F4] = PTX_MOD_KIND_MXF8F6F4, [PTX__KIND_MXF4] = PTX_MOD_KIND_MXF4,
        [PTX__KIND_MXF4NVF4] = PTX_MOD_KIND_MXF4NVF4,
    };
    unsigned i = 0;

    while (!ptx__has(at, names[i]))
        i++;
    return (enum ptx__tensor_kind) i;
}

/* How many scale factors a row has. */
static uint8_t scales_of(const struct ptx__instruction *at)
{
    if (ptx__has(at, PTX_MOD_SCALE_VEC_4X) || ptx__has(at, PTX_MOD_BLOCK16))
        return 4;
    return kind_of(at) == PTX__KIND_MXF8F6F4 ? 1 : kind_of(at) > PTX__KIND_MXF8F6F4 ? 2 : 0;
}

static struct ptx__place_in in_tensor(struct ptx__lowering *lower,
                                      const struct ptx__operand *operand)
{
    return ptx__place_of(lower, operand, PTX_NO_SPACE);
}

/* The operands after the instruction descriptor, without those of scale factors. */
static void lower_rest(struct ptx__lowering *lower, struct ptx__tensor_product *product,
                       const struct ptx__operand *operand)
{
    const struct ptx__instruction *at = lower->at;
    const struct ptx__operand *mask = operand->kind == PTX_VECTOR ? operand++ : NULL;
    const struct ptx__operand *last = &at->operands[at->n_operands - 1];
    uint32_t slots[8];
    struct ptx__op *op;

    product->adds = ptx__source(lower, operand, PTX_PRED);
    if (last > operand && product->stationary)
        product->zero_columns = ptx__source(lower, last, PTX_B64);
    else if (last > operand)
        product->shift_d = (uint8_t) last->integer;
    for (unsigned i = 0; mask && i < mask->count; i++)
        slots[i] = ptx__source(lower, &mask->elements[i], PTX_B32);
    op = emit(lower, ptx__do_tensor_product, product);
    if (mask)
        ptx__emit_list(lower, op, slots, mask->count);
}

static void lower_product(struct ptx__lowering *lower, bool sparse, bool stationary)
{
    const struct ptx__instruction *at = lower->at;
    const struct ptx__operand *operand = at->operands;
    struct ptx__tensor_product *product = ptx__keep(lower, sizeof(*product));

    *product = (struct ptx__tensor_product){.sparse = sparse,
                                            .stationary = stationary,
                                            .kind = (uint8_t) kind_of(at),
                                            .group = group_of(at),
                                            .scales = scales_of(at),
                                            .a_shifted = ptx__has(at, PTX_MOD_ASHIFT)};
    product->d = in_tensor(lower, operand++);
    product->a_in_tensor = operand->kind == PTX_MEMORY;
    if (product->a_in_tensor)
        product->a = in_tensor(lower, operand++);
    else
        product->a_descriptor = ptx__source(lower, operand++, PTX_B64);
    product->b_descriptor = ptx__source(lower, operand++, PTX_B64);
    if (sparse)
        product->metadata = in_tensor(lower, operand++);
    product->instruction = ptx__source(lower, operand++, PTX_B32);
    if (product->scales) {
        product->scale_a = in_tensor(lower, operand++);
        product->scale_b = in_tensor(lower, operand++);
    }
    lower_rest(lower, product, operand);
}

bool ptx__lower_tensor(struct ptx__lowering *lower)
{
    switch (lower->at->opcode) {
    case PTX_OP_TCGEN05_ALLOC:
        lower_alloc(lower);
        return true;
    case PTX_OP_TCGEN05_DEALLOC:
        lower_dealloc(lower);
        return true;
    case PTX_OP_TCGEN05_RELINQUISH_ALLOC_PERMIT:
        emit(lower, ptx__do_tensor_relinquish, call(lower));
        return true;
    case PTX_OP_TCGEN05_COMMIT:
        lower_commit(lower);
        return true;
    case PTX_OP_TCGEN05_LD:
    case PTX_OP_TCGEN05_LD_RED:
        lower_move(lower, true);
        return true;
    case PTX_OP_TCGEN05_ST:
        lower_move(lower, false);
        return true;
    case PTX_OP_TCGEN05_WAIT_LD:
        ptx__lower_tensor_loaded(lower);
        emit(lower, ptx__do_tensor_loaded, NULL);
        return true;
    case PTX_OP_TCGEN05_WAIT_ST:
        emit(lower, ptx__do_tensor_stored, NULL);
        return true;
    case PTX_OP_TCGEN05_CP:
        lower_copy(lower);
        return true;
    case PTX_OP_TCGEN05_MMA:
        lower_product(lower, false, false);
        return true;
    case PTX_OP_TCGEN05_MMA_SP:
        lower_product(lower, true, false);
        return true;
    case PTX_OP_TCGEN05_MMA_WS:
        lower_product(lower, false, true);
        return true;
    case PTX_OP_TCGEN05_MMA_WS_SP:
        lower_product(lower, true, true);
        return true;
    case PTX_OP_TCGEN05_SHIFT:
        emit(lower, ptx__do_tensor_shift, copy(lower));
        return true;
    /* Operations are done in the order of their issue. */
    case PTX_OP_TCGEN05_FENCE_BEFORE_THREAD_SYNC:
    case PTX_OP_TCGEN05_FENCE_AFTER_THREAD_SYNC:
        return true;
    default:
        return false;
    }
}
