/* SPDX-License-Identifier: MIT */
/* ld, st, atom, red, and computations with addresses. */
#include <stdio.h>
#include <string.h>

#include "mock/ptx/exec/control.h"
#include "mock/ptx/lower/lower_memory.h"

/* Returns the name of a state space in the keys of handlers. */
static const char *space_word(const struct ptx__lowering *lower, enum ptx__space space)
{
    switch (space) {
    case PTX_NO_SPACE:
        return "generic";
    case PTX_SHARED:
    case PTX_SHARED_CTA:
    case PTX_SHARED_CLUSTER:
        return "shared";
    case PTX_LOCAL:
        return "local";
    case PTX_PARAM:
    case PTX_PARAM_ENTRY:
    case PTX_PARAM_FUNC:
        return lower->function->is_kernel ? "param" : "local";
    default: /* constants are in global memory */
        return "global";
    }
}

/* Tells whether other threads may make or see the access at the same time; local memory is a
 * thread's own. */
static bool is_strong(const struct ptx__instruction *at)
{
    if (ptx__space_of(at) == PTX_LOCAL)
        return false;
    return ptx__has(at, PTX_MOD_VOLATILE) || ptx__has(at, PTX_MOD_RELAXED) ||
           ptx__has(at, PTX_MOD_ACQUIRE) || ptx__has(at, PTX_MOD_RELEASE);
}

/*
 * Returns what to add to the symbol's address: the shared window if the instruction takes generic
 * addresses and the variable is shared, otherwise 0.
 */
static uint64_t window_of_symbol(const struct ptx__lowering *lower, struct ptx__symbol symbol)
{
    const struct ptx__variable *variable =
        symbol.kind == PTX_MODULE_VARIABLE     ? &lower->module->variables[symbol.number]
        : symbol.kind == PTX_FUNCTION_VARIABLE ? &lower->function->variables[symbol.number]
                                               : NULL;
    const bool shared =
        variable && (variable->space == PTX_SHARED || variable->space == PTX_SHARED_CTA);

    return shared && ptx__space_of(lower->at) == PTX_NO_SPACE ? PTX__SHARED_WINDOW : 0;
}

static uint32_t base_slot(struct ptx__lowering *lower, const struct ptx__operand *memory,
                          bool *ret_wide)
{
    *ret_wide = true;
    if (memory->reg != PTX_NONE) {
        const struct ptx__register *base = &lower->function->registers[memory->reg];

        *ret_wide = ptx__type_bits(base->type) == 64;
        return ptx__register_slot(lower, memory->reg);
    }
    if (memory->symbol.kind != PTX_NO_SYMBOL)
        return ptx__symbol_slot(lower, memory->symbol,
                                (int64_t) window_of_symbol(lower, memory->symbol), 64);
    return ptx__constant_slot(lower, 64, PTX__FILL_VALUE, 0, 0);
}

struct ptx__address_of {
    uint32_t slot;
    bool wide;
    int64_t offset;
};

static struct ptx__address_of address_of(struct ptx__lowering *lower,
                                         const struct ptx__operand *memory)
{
    struct ptx__address_of address = {.offset = memory->offset};

    address.slot = base_slot(lower, memory, &address.wide);
    return address;
}

static void set_address(struct ptx__op *op, const struct ptx__address_of *address)
{
    op->a = address->slot;
    op->c = address->wide;
    op->imm = (uint64_t) address->offset;
}

void ptx__loaded_type(enum ptx__type type, unsigned declared, char text[8])
{
    const unsigned bits = ptx__type_bits(type);
    const bool sign = ptx__is_signed(type) && bits < declared;

    snprintf(text, 8, "%c%u", sign ? 's' : 'u', bits);
}

unsigned ptx__declared_bits(const struct ptx__lowering *lower, const struct ptx__operand *operand)
{
    if (operand->kind != PTX_REGISTER)
        return 32;
    return ptx__type_bits(lower->function->registers[operand->reg].type);
}

const struct ptx__operand *ptx__elements_of(const struct ptx__operand *operand, unsigned *ret_n)
{
    *ret_n = operand->kind == PTX_VECTOR ? operand->count : 1;
    return operand->kind == PTX_VECTOR ? operand->elements : operand;
}

const struct ptx__operand *ptx__first_register(const struct ptx__operand *elements, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (elements[i].kind == PTX_REGISTER)
            return &elements[i];
    }
    return elements;
}

unsigned ptx__slot_word(const struct ptx__lowering *lower, const struct ptx__operand *operand,
                        const char *type)
{
    if (!strcmp(type, "s8") && ptx__declared_bits(lower, operand) == 16)
        return 16;
    return ptx__slot_bits(lower, operand) == 64 ? 64 : 32;
}

/* Accesses all 16 bytes at once, because other threads may see or change them. */
static void lower_strong_wide(struct ptx__lowering *lower, bool load)
{
    const struct ptx__instruction *at = lower->at;
    const struct ptx__operand *memory = &at->operands[load ? 1 : 0];
    const struct ptx__operand *value = &at->operands[load ? 0 : 1];
    const struct ptx__address_of address = address_of(lower, memory);
    const uint32_t slot = load ? ptx__target(lower, value) : ptx__source(lower, value, PTX_B128);
    struct ptx__op *op = ptx__emit_key(lower, load ? "lds.%s.b128" : "sts.%s.b128",
                                       space_word(lower, ptx__space_of(at)));

    set_address(op, &address);
    op->d = load ? slot : PTX__SINK_SLOT;
    op->waits = true;
    ptx__emit_list(lower, op, (const uint32_t[]){slot, slot}, 2);
}

/* .b128 is moved as two values of 64 bits. */
static void lower_wide(struct ptx__lowering *lower, bool load)
{
    const struct ptx__instruction *at = lower->at;
    const struct ptx__operand *memory = &at->operands[load ? 1 : 0];
    const struct ptx__operand *value = &at->operands[load ? 0 : 1];
    const struct ptx__address_of address = address_of(lower, memory);
    const uint32_t slot = load ? ptx__target(lower, value) : ptx__source(lower, value, PTX_B128);
    const uint32_t slots[2] = {slot, slot + 2 * PTX__SLOT};
    struct ptx__op *op = ptx__emit_key(lower, load ? "ld.%s.u64.64" : "st.%s.64.64",
                                       space_word(lower, ptx__space_of(at)));

    set_address(op, &address);
    ptx__emit_list(lower, op, slots, 2);
}

static void lower_load(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const enum ptx__type type = ptx__type_of(at, 0);
    const struct ptx__operand *memory = &at->operands[1], *elements, *first;
    struct ptx__address_of address;
    uint32_t slots[16];
    struct ptx__op *op;
    unsigned n;
    char word[8];

    if (ptx__lower_frame_load(lower))
        return;
    if (type == PTX_B128) {
        (is_strong(at) ? lower_strong_wide : lower_wide)(lower, true);
        return;
    }
    elements = ptx__elements_of(&at->operands[0], &n);
    first = ptx__first_register(elements, n);
    ptx__loaded_type(type, ptx__declared_bits(lower, first), word);
    address = address_of(lower, memory);
    for (unsigned i = 0; i < n && i < 16; i++)
        slots[i] =
            elements[i].kind == PTX_REGISTER ? ptx__target(lower, &elements[i]) : PTX__SINK_SLOT;
    op = ptx__emit_key(lower, "%s.%s.%s.%u", is_strong(at) ? "lds" : "ld",
                       space_word(lower, ptx__space_of(at)), word,
                       ptx__slot_word(lower, first, word));
    set_address(op, &address);
    op->waits = is_strong(at);
    ptx__emit_list(lower, op, slots, n < 16 ? n : 16);
}

unsigned ptx__stored(struct ptx__lowering *lower, const struct ptx__operand *elements, unsigned n,
                     uint32_t *slots)
{
    const enum ptx__type type = ptx__type_of(lower->at, 0);
    const struct ptx__operand *first = ptx__first_register(elements, n);
    const bool has_size = first->kind == PTX_REGISTER || first->kind == PTX_SPECIAL;
    const unsigned bits = has_size                     ? ptx__slot_bits(lower, first)
                          : ptx__type_bits(type) == 64 ? 64
                                                       : 32;

    for (unsigned i = 0; i < n && i < 16; i++)
        slots[i] = ptx__source(
            lower, &elements[i],
            elements[i].kind == PTX_REGISTER || ptx__type_bits(type) > 8 ? type : PTX_U8);
    return bits;
}

static void lower_store(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const enum ptx__type type = ptx__type_of(at, 0);
    const unsigned bytes = (unsigned) ptx__type_bytes(type);
    const struct ptx__operand *memory = &at->operands[0], *elements;
    struct ptx__address_of address;
    uint32_t slots[16];
    struct ptx__op *op;
    unsigned n, bits;

    if (ptx__lower_frame_store(lower))
        return;
    if (type == PTX_B128) {
        (is_strong(at) ? lower_strong_wide : lower_wide)(lower, false);
        return;
    }
    elements = ptx__elements_of(&at->operands[1], &n);
    bits = ptx__stored(lower, elements, n, slots);
    address = address_of(lower, memory);
    op = ptx__emit_key(lower, "%s.%s.%u.%u", is_strong(at) ? "sts" : "st",
                       space_word(lower, ptx__space_of(at)), 8 * bytes, bits);
    set_address(op, &address);
    ptx__emit_list(lower, op, slots, n < 16 ? n : 16);
}

/* --- atomics --- */

static const enum ptx__modifier operations[] = {
    PTX_MOD_ADD, PTX_MOD_MIN, PTX_MOD_MAX, PTX_MOD_AND,  PTX_MOD_OR,
    PTX_MOD_XOR, PTX_MOD_INC, PTX_MOD_DEC, PTX_MOD_EXCH, PTX_MOD_CAS,
};

static const char *operation_of(const struct ptx__instruction *at)
{
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (ptx__has(at, operations[i]))
            return ptx__modifier_name(operations[i]);
    }
    return "?";
}

/* Returns the type for the key: an unsigned one, except for min and max, where the sign matters. */
static const char *atomic_type(const struct ptx__instruction *at)
{
    const enum ptx__type type = ptx__type_of(at, 0);

    if (type == PTX_F32 && ptx__has(at, PTX_MOD_NOFTZ))
        return "noftz.f32";
    if (ptx__has(at, PTX_MOD_MIN) || ptx__has(at, PTX_MOD_MAX) || ptx__is_float(type))
        return ptx__type_name(type);
    switch (ptx__type_bits(type)) {
    case 16:
        return "u16";
    case 32:
        return "u32";
    case 64:
        return "u64";
    default:
        return ptx__type_name(type);
    }
}

static bool orders_more(const struct ptx__instruction *at)
{
    return ptx__has(at, PTX_MOD_ACQUIRE) || ptx__has(at, PTX_MOD_RELEASE) ||
           ptx__has(at, PTX_MOD_ACQ_REL) || ptx__has(at, PTX_MOD_SYS);
}

struct atomic {
    const struct ptx__operand *memory, *values, *results;
    struct ptx__address_of address;
    bool sink;
};

/*
 * Emits one atomic operation. c holds the width of the address, so the third operand of cas is in
 * the list.
 */
static void atomic_element(struct ptx__lowering *lower, const struct atomic *atomic, unsigned i,
                           uint32_t d)
{
    const struct ptx__instruction *at = lower->at;
    const enum ptx__type type = ptx__type_of(at, 0);
    struct ptx__address_of address = atomic->address;
    uint32_t slots[2];
    struct ptx__op *op;

    slots[0] = ptx__source(lower, &atomic->values[i], type);
    slots[1] = ptx__has(at, PTX_MOD_CAS) ? ptx__source(lower, atomic->memory + 2, type) : slots[0];
    op = ptx__emit_key(lower, "atom.%s.%s.%s", space_word(lower, ptx__space_of(at)),
                       operation_of(at), atomic_type(at));
    address.offset = (int64_t) ((uint64_t) address.offset + i * ptx__type_bytes(type));
    set_address(op, &address);
    op->d = d;
    op->waits = true;
    op->relaxed = !orders_more(at);
    ptx__emit_list(lower, op, slots, 2);
}

/*
 * Emits an atomic operation for each element of a vector. A result may be an operand of a later
 * element, so results are copied last.
 */
static void lower_atomic(struct ptx__lowering *lower, bool result)
{
    const struct ptx__instruction *at = lower->at;
    struct atomic atomic = {.memory = &at->operands[result ? 1 : 0],
                            .sink = !result || at->operands[0].kind == PTX_SINK};
    uint32_t slots[8];
    unsigned n, m;

    atomic.address = address_of(lower, atomic.memory);
    atomic.values = ptx__elements_of(atomic.memory + 1, &n);
    atomic.results = ptx__elements_of(&at->operands[0], &m);
    for (unsigned i = 0; i < n && i < 8; i++) {
        slots[i] = atomic.sink ? PTX__SINK_SLOT
                   : n > 1     ? ptx__new_slot(lower, 32)
                               : ptx__target(lower, &atomic.results[i]);
        atomic_element(lower, &atomic, i, slots[i]);
    }
    for (unsigned i = 0; !atomic.sink && n > 1 && i < n && i < 8; i++)
        ptx__emit_slots(lower, "mov.u32", ptx__target(lower, &atomic.results[i]), slots[i],
                        slots[i], 0);
}

/* --- addresses --- */

static uint64_t window_of(const struct ptx__lowering *lower, enum ptx__space space)
{
    switch (space) {
    case PTX_SHARED:
    case PTX_SHARED_CTA:
    case PTX_SHARED_CLUSTER:
        return PTX__SHARED_WINDOW;
    case PTX_LOCAL:
        return PTX__LOCAL_WINDOW;
    case PTX_PARAM:
    case PTX_PARAM_ENTRY:
    case PTX_PARAM_FUNC:
        return lower->function->is_kernel ? PTX__PARAM_WINDOW : PTX__LOCAL_WINDOW;
    default:
        return 0;
    }
}

static void lower_cvta(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const enum ptx__type type = ptx__type_of(at, 0);
    const uint64_t window = window_of(lower, ptx__space_of(at));
    const uint32_t source = ptx__source(lower, &at->operands[1], type);
    const uint32_t target = ptx__target(lower, &at->operands[0]);
    struct ptx__op *op;

    if (!window || ptx__type_bits(type) == 32) {
        ptx__emit_slots(lower, ptx__type_bits(type) == 32 ? "mov.u32" : "mov.u64", target, source,
                        source, source);
        return;
    }
    op = ptx__emit_slots(lower, "address.add", target, source, source, source);
    op->imm = ptx__has(at, PTX_MOD_TO) ? 0 - window : window;
}

bool ptx__lower_memory(struct ptx__lowering *lower)
{
    switch (lower->at->opcode) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
        lower_load(lower);
        return true;
    case PTX_OP_ST:
        lower_store(lower);
        return true;
    case PTX_OP_ATOM:
        lower_atomic(lower, true);
        return true;
    case PTX_OP_RED:
        lower_atomic(lower, false);
        return true;
    case PTX_OP_CVTA:
        lower_cvta(lower);
        return true;
    case PTX_OP_ISSPACEP:
        ptx__lower_isspacep(lower);
        return true;
    case PTX_OP_PREFETCH:
    case PTX_OP_PREFETCHU:
    case PTX_OP_PMEVENT:
        return true;
    default:
        return false;
    }
}
