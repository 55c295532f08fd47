/* SPDX-License-Identifier: MIT */
/*
 * ld and st of named things: local variables, parameters, results and arguments of calls. The
 * offset is a constant, so an access outside of the named thing is known here. ptxas accepts it,
 * and a device accesses what happens to lie there. Here it becomes an illegal address when a thread
 * executes it.
 */
#include <stdio.h>
#include <string.h>

#include "mock/ptx/exec/control.h"
#include "mock/ptx/lower/lower_memory.h"

enum { MOST_PIECES = 16 };

/* The registers of a load or store. */
struct pieces {
    uint32_t slots[MOST_PIECES];
    unsigned n, bytes; /* the size of each one in memory */
    unsigned bits;     /* the bits of its slot */
    char type[8];
};

/* .b128 is moved as two values of 64 bits. */
static struct pieces halves_of(uint32_t slot)
{
    return (struct pieces){
        .slots = {slot, slot + 2 * PTX__SLOT}, .n = 2, .bytes = 8, .bits = 64, .type = "u64"};
}

static struct pieces loaded(struct ptx__lowering *lower)
{
    const struct ptx__operand *value = &lower->at->operands[0], *elements, *first;
    const enum ptx__type type = ptx__type_of(lower->at, 0);
    struct pieces pieces = {.bytes = (unsigned) ptx__type_bytes(type)};
    unsigned n;

    if (type == PTX_B128)
        return halves_of(ptx__target(lower, value));
    elements = ptx__elements_of(value, &n);
    first = ptx__first_register(elements, n);
    pieces.n = n < MOST_PIECES ? n : MOST_PIECES;
    ptx__loaded_type(type, ptx__declared_bits(lower, first), pieces.type);
    pieces.bits = ptx__slot_word(lower, first, pieces.type);
    for (unsigned i = 0; i < pieces.n; i++)
        pieces.slots[i] = ptx__target(lower, &elements[i]);
    return pieces;
}

static struct pieces stored(struct ptx__lowering *lower)
{
    const struct ptx__operand *value = &lower->at->operands[1], *elements;
    const enum ptx__type type = ptx__type_of(lower->at, 0);
    struct pieces pieces = {.bytes = (unsigned) ptx__type_bytes(type)};
    unsigned n;

    if (type == PTX_B128)
        return halves_of(ptx__source(lower, value, PTX_B128));
    elements = ptx__elements_of(value, &n);
    pieces.n = n < MOST_PIECES ? n : MOST_PIECES;
    pieces.bits = ptx__stored(lower, elements, pieces.n, pieces.slots);
    return pieces;
}

/* --- the named thing --- */

struct named {
    const char *name;
    uint32_t at; /* in the frame */
    uint64_t bytes, alignment;
    bool local; /* in local memory, which is aligned; the others are registers on a device */
};

static bool find(const struct ptx__lowering *lower, const struct ptx__operand *memory,
                 struct named *ret_named)
{
    const struct ptx__symbol symbol = memory->symbol;
    const struct ptx__function *function = lower->function;
    const uint32_t number = symbol.number;

    if (memory->reg != PTX_NONE)
        return false;
    ret_named->at = ptx__frame_offset(lower, symbol);
    if (ret_named->at == PTX_NONE)
        return false;
    if (symbol.kind == PTX_FUNCTION_VARIABLE) {
        const struct ptx__variable *variable = &function->variables[number];

        *ret_named = (struct named){variable->name, ret_named->at, variable->bytes,
                                    variable->alignment, variable->space == PTX_LOCAL};
    } else {
        const struct ptx__parameter *parameter = symbol.kind == PTX_PARAMETER
                                                     ? &function->parameters[number]
                                                     : &function->results[number];

        *ret_named = (struct named){parameter->name, ret_named->at, parameter->bytes,
                                    parameter->alignment, false};
    }
    return true;
}

static bool is_inside(int64_t offset, uint64_t bytes, uint64_t all)
{
    return offset >= 0 && (uint64_t) offset <= all && bytes <= all - (uint64_t) offset;
}

static void emit_wrong(struct ptx__lowering *lower, enum ptx__wrong_access kind, const char *name,
                       const struct pieces *pieces, uint64_t all)
{
    const bool store = lower->at->opcode == PTX_OP_ST;
    struct ptx__wrong *wrong = ptx__keep(lower, sizeof(*wrong));

    *wrong = (struct ptx__wrong){.kind = (uint8_t) kind,
                                 .name = cushim__arena_printf(&lower->program->arena, "%s", name),
                                 .offset = lower->at->operands[store ? 0 : 1].offset,
                                 .bytes = pieces->n * pieces->bytes,
                                 .all = all,
                                 .verb = store ? "writes" : "reads"};
    ptx__emit(lower, ptx__do_wrong_access)->imm = (uintptr_t) wrong;
}

/* Checks that the access is inside. If it is not, a fault is emitted instead of it. */
static bool check(struct ptx__lowering *lower, const struct named *named,
                  const struct pieces *pieces, int64_t offset)
{
    const uint64_t bytes = (uint64_t) pieces->n * pieces->bytes;
    enum ptx__wrong_access kind = PTX__WRONG_PLACE;

    if (is_inside(offset, bytes, named->bytes)) {
        if (!named->local || named->alignment < bytes || !((uint64_t) offset % bytes))
            return true;
        kind = PTX__WRONG_ALIGNMENT;
    }
    emit_wrong(lower, kind, named->name, pieces, named->bytes);
    return false;
}

/* --- the frame --- */

static void load_frame(struct ptx__lowering *lower, const struct pieces *pieces, uint32_t at)
{
    for (unsigned i = 0; i < pieces->n; i++) {
        struct ptx__op *op = ptx__emit_key(lower, "ldf.%s.%u", pieces->type, pieces->bits);

        op->d = pieces->slots[i];
        op->imm = at + (uint64_t) i * pieces->bytes;
        /* A vector is one access. */
        op->a = at;
        op->b = pieces->n * pieces->bytes;
    }
}

static void store_frame(struct ptx__lowering *lower, const struct pieces *pieces, uint32_t at)
{
    for (unsigned i = 0; i < pieces->n; i++) {
        struct ptx__op *op = ptx__emit_key(lower, "stf.%u.%u", 8 * pieces->bytes, pieces->bits);

        op->a = pieces->slots[i];
        op->imm = at + (uint64_t) i * pieces->bytes;
    }
}

/* --- parameters of a kernel, which are constants --- */

static void load_constants(struct ptx__lowering *lower, const struct pieces *pieces,
                           uint64_t offset)
{
    const struct ptx__operand *value = &lower->at->operands[0], *elements;
    const unsigned bits = pieces->bits == 64 ? 64 : 32;
    unsigned n, to;
    char key[32];

    elements = ptx__elements_of(value, &n);
    to = ptx__declared_bits(lower, ptx__first_register(elements, n));
    for (unsigned i = 0; i < pieces->n; i++) {
        const bool sign = *pieces->type == 's';
        const uint32_t from =
            ptx__constant_slot(lower, sign ? 32 : bits, PTX__FILL_PARAM,
                               offset + (uint64_t) i * pieces->bytes, pieces->bytes);

        if (sign)
            snprintf(key, sizeof(key), "cvt.u%u.s%u", to, 8 * pieces->bytes);
        else
            snprintf(key, sizeof(key), "mov.u%u", bits);
        ptx__emit_slots(lower, key, pieces->slots[i], from, from, from);
    }
}

/* Loads a parameter. Behind the last one there are zeros, as on a device, but this is reported. */
static bool load_parameter(struct ptx__lowering *lower)
{
    const struct ptx__operand *memory = &lower->at->operands[1];
    const struct ptx__function *function = lower->function;
    const uint64_t all = function->usage.parameter_bytes;
    const struct ptx__parameter *parameter;
    struct pieces pieces;
    uint64_t bytes;
    int64_t at;

    if (!function->is_kernel || memory->reg != PTX_NONE || memory->symbol.kind != PTX_PARAMETER)
        return false;
    parameter = &function->parameters[memory->symbol.number];
    pieces = loaded(lower);
    bytes = (uint64_t) pieces.n * pieces.bytes;
    at = (int64_t) (parameter->offset + (uint64_t) memory->offset);
    if ((uint64_t) at % pieces.bytes) {
        emit_wrong(lower, PTX__WRONG_ALIGNMENT, parameter->name, &pieces, parameter->bytes);
        return true;
    }
    if (!is_inside(at, bytes, all))
        emit_wrong(lower, PTX__WRONG_PARAMETER, parameter->name, &pieces, parameter->bytes);
    load_constants(lower, &pieces, (uint64_t) at);
    return true;
}

bool ptx__lower_frame_load(struct ptx__lowering *lower)
{
    const struct ptx__operand *memory = &lower->at->operands[1];
    struct pieces pieces;
    struct named named;

    if (load_parameter(lower))
        return true;
    if (!find(lower, memory, &named))
        return false;
    pieces = loaded(lower);
    if (check(lower, &named, &pieces, memory->offset))
        load_frame(lower, &pieces, named.at + (uint32_t) memory->offset);
    return true;
}

bool ptx__lower_frame_store(struct ptx__lowering *lower)
{
    const struct ptx__operand *memory = &lower->at->operands[0];
    struct pieces pieces;
    struct named named;

    if (!find(lower, memory, &named))
        return false;
    pieces = stored(lower);
    if (check(lower, &named, &pieces, memory->offset))
        store_frame(lower, &pieces, named.at + (uint32_t) memory->offset);
    return true;
}
