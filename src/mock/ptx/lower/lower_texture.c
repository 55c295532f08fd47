/* SPDX-License-Identifier: MIT */
/* tex, tld4, txq, suq, istypep, suld, sust, sured. */
#include <string.h>

#include "mock/ptx/lower/lower.h"
#include "mock/ptx/texture/texture.h"

struct geometry {
    uint16_t modifier;
    uint8_t dimensions;
    bool layered, cube, sampled; /* sampled: the first coordinate is the number of a sample */
};

static const struct geometry geometries[] = {
    {PTX_MOD_1D, 1, false, false, false},  {PTX_MOD_2D, 2, false, false, false},
    {PTX_MOD_3D, 3, false, false, false},  {PTX_MOD_A1D, 1, true, false, false},
    {PTX_MOD_A2D, 2, true, false, false},  {PTX_MOD_CUBE, 2, false, true, false},
    {PTX_MOD_ACUBE, 2, true, true, false}, {PTX_MOD_2DMS, 2, false, false, true},
    {PTX_MOD_A2DMS, 2, true, false, true},
};

static const struct geometry *geometry_of(const struct ptx__instruction *at)
{
    size_t i = 0;

    while (!ptx__has(at, geometries[i].modifier))
        i++;
    return &geometries[i];
}

/* Returns element i of a vector; a single register counts as its only element. */
static struct ptx__operand element_of(const struct ptx__operand *operand, unsigned i)
{
    struct ptx__operand element = *operand;

    if (operand->kind == PTX_VECTOR)
        return operand->elements[i < operand->count ? i : operand->count - 1];
    if (operand->kind == PTX_REGISTER && operand->component < 0 && i)
        element.component = (int8_t) i;
    return element;
}

static unsigned count_of(const struct ptx__lowering *lower, const struct ptx__operand *operand)
{
    if (operand->kind == PTX_VECTOR)
        return operand->count;
    if (operand->kind == PTX_REGISTER && operand->component < 0 &&
        lower->function->registers[operand->reg].vector)
        return lower->function->registers[operand->reg].vector;
    return 1;
}

static void refuse_size(struct ptx__lowering *lower)
{
    ptx__refuse_form(lower, "a register of this size");
}

static bool has_bits(const struct ptx__lowering *lower, const struct ptx__operand *operand,
                     unsigned bits)
{
    return (operand->kind != PTX_REGISTER && operand->kind != PTX_SPECIAL) ||
           ptx__slot_bits(lower, operand) == bits;
}

/* Converts a constant such as "1.5" in braces to 32 bits: there it has no type. */
static struct ptx__operand narrowed(struct ptx__operand operand)
{
    double wide;
    float narrow;
    uint32_t bits;

    if (operand.kind != PTX_REAL || operand.type != PTX_F64)
        return operand;
    memcpy(&wide, &operand.real, sizeof(wide));
    narrow = (float) wide;
    memcpy(&bits, &narrow, sizeof(bits));
    operand.real = bits;
    return operand;
}

/* Returns the slot of a value of 32 bits, such as a number of an element or a coordinate. */
static uint32_t source(struct ptx__lowering *lower, const struct ptx__operand *operand, unsigned i,
                       enum ptx__type type)
{
    const struct ptx__operand element = narrowed(element_of(operand, i));

    if (!has_bits(lower, &element, 32))
        refuse_size(lower);
    return ptx__source(lower, &element, type);
}

/* Returns the slot of a handle, which is a register's value or the address of a variable. */
static uint32_t handle_of(struct ptx__lowering *lower, const struct ptx__operand *operand)
{
    struct ptx__operand plain = *operand;

    if (plain.kind == PTX_MEMORY)
        plain.kind = plain.reg != PTX_NONE ? PTX_REGISTER : PTX_ADDRESS;
    if (!has_bits(lower, &plain, 64))
        refuse_size(lower);
    if (plain.kind == PTX_ADDRESS && plain.symbol.kind != PTX_MODULE_VARIABLE)
        ptx__refuse_form(lower, "a parameter as a texture");
    return ptx__source(lower, &plain, PTX_B64);
}

/* --- tex, tld4 --- */

static bool has_mode(const struct ptx__tex *tex, enum ptx__level_mode mode)
{
    return tex->level_mode == mode;
}

/*
 * Reads what follows the brackets: the level or the gradients, offsets, and a value to compare
 * with.
 */
static void read_rest(struct ptx__lowering *lower, struct ptx__tex *tex)
{
    const struct ptx__instruction *at = lower->at;
    const unsigned n = tex->cube ? 3 : tex->dimensions;
    unsigned next = 2;

    if (has_mode(tex, PTX__LEVEL_GIVEN) && at->n_operands > next)
        tex->level = source(lower, &at->operands[next++], 0, tex->whole ? PTX_S32 : PTX_F32);
    if (has_mode(tex, PTX__LEVEL_GRADIENT) && at->n_operands > next + 1) {
        for (unsigned i = 0; i < n; i++) {
            tex->dx[i] = source(lower, &at->operands[next], i, PTX_F32);
            tex->dy[i] = source(lower, &at->operands[next + 1], i, PTX_F32);
        }
        next += 2;
    }
    /* Offsets are a vector of integers; for a line, one integer. */
    if (at->n_operands > next && (at->operands[next].kind == PTX_VECTOR || n == 1)) {
        tex->has_offset = true;
        for (unsigned i = 0; i < n; i++)
            tex->offset[i] = source(lower, &at->operands[next], i, PTX_S32);
        next++;
    }
    if (at->n_operands > next && at->operands[next].kind != PTX_NO_OPERAND)
        ptx__refuse_form(lower, "comparing with a depth");
}

static void read_brackets(struct ptx__lowering *lower, struct ptx__tex *tex)
{
    const struct ptx__operand *brackets = &lower->at->operands[1];
    const struct ptx__operand *place = &brackets->elements[brackets->count - 1];
    const enum ptx__type type = tex->whole ? PTX_S32 : PTX_F32;
    const unsigned n = tex->cube ? 3 : tex->dimensions;
    /* No array has several samples, so the number of the sample is ignored. */
    const unsigned sample = geometry_of(lower->at)->sampled, first = sample + tex->layered;

    tex->handle = handle_of(lower, &brackets->elements[0]);
    tex->has_sampler = brackets->count > 2;
    if (tex->has_sampler)
        tex->sampler = handle_of(lower, &brackets->elements[1]);
    if (tex->layered)
        tex->layer = source(lower, place, sample, PTX_U32);
    for (unsigned i = 0; i < n; i++)
        tex->at[i] = source(lower, place, first + i, type);
}

static void read_results(struct ptx__lowering *lower, struct ptx__tex *tex)
{
    const struct ptx__operand *result = &lower->at->operands[0];

    tex->present = PTX__SINK_SLOT;
    if (result->kind == PTX_PAIR) {
        tex->present = ptx__target(lower, &result->elements[1]);
        result = &result->elements[0];
    }
    for (unsigned i = 0; i < 4; i++) {
        const struct ptx__operand element = element_of(result, i);

        tex->d[i] = i < count_of(lower, result) ? ptx__target(lower, &element) : PTX__SINK_SLOT;
    }
}

static void lower_tex(struct ptx__lowering *lower, bool gather)
{
    static const uint16_t channels[] = {PTX_MOD_R, PTX_MOD_G, PTX_MOD_B, PTX_MOD_A};
    const struct ptx__instruction *at = lower->at;
    const struct geometry *geometry = geometry_of(at);
    struct ptx__tex *tex = ptx__keep(lower, sizeof(*tex));
    struct ptx__op *op;

    *tex = (struct ptx__tex){.dimensions = geometry->dimensions,
                             .layered = geometry->layered,
                             .cube = geometry->cube,
                             .gathered = -1};
    tex->whole = ptx__type_of(at, 1) == PTX_S32;
    tex->halves = ptx__type_of(at, 0) == PTX_F16X2;
    tex->level_mode = ptx__has(at, PTX_MOD_LEVEL)  ? PTX__LEVEL_GIVEN
                      : ptx__has(at, PTX_MOD_GRAD) ? PTX__LEVEL_GRADIENT
                                                   : PTX__LEVEL_BASE;
    for (int8_t i = 0; gather && i < 4; i++)
        tex->gathered = ptx__has(at, channels[i]) ? i : tex->gathered;
    read_brackets(lower, tex);
    read_rest(lower, tex);
    read_results(lower, tex);
    op = ptx__emit(lower, gather ? ptx__do_gather : ptx__do_tex);
    op->imm = (uintptr_t) tex;
}

/* --- surfaces --- */

static void read_place(struct ptx__lowering *lower, struct ptx__surface *surface,
                       const struct ptx__operand *brackets)
{
    const struct ptx__operand *place = &brackets->elements[brackets->count - 1];

    surface->handle = handle_of(lower, &brackets->elements[0]);
    if (surface->layered)
        surface->layer = source(lower, place, 0, PTX_U32);
    for (unsigned i = 0; i < surface->dimensions; i++)
        surface->at[i] = source(lower, place, surface->layered + i, PTX_S32);
}

static struct ptx__surface *new_surface(struct ptx__lowering *lower,
                                        const struct ptx__operand *brackets)
{
    const struct ptx__instruction *at = lower->at;
    const enum ptx__type type = ptx__type_of(at, 0);
    const struct geometry *geometry = geometry_of(at);
    struct ptx__surface *surface = ptx__keep(lower, sizeof(*surface));

    *surface = (struct ptx__surface){.dimensions = geometry->dimensions,
                                     .layered = geometry->layered,
                                     .formatted = ptx__has(at, PTX_MOD_P)};
    surface->bytes = (uint8_t) ptx__type_bytes(type);
    surface->sign = ptx__is_signed(type);
    surface->n_values = at->vector ? at->vector : 1;
    surface->out = ptx__has(at, PTX_MOD_TRAP)    ? PTX__OUT_TRAPS
                   : ptx__has(at, PTX_MOD_CLAMP) ? PTX__OUT_CLAMPS
                                                 : PTX__OUT_IS_ZERO;
    read_place(lower, surface, brackets);
    return surface;
}

/* Slots have 32 or 64 bits, and only .b64 needs the wider ones. */
static void read_values(struct ptx__lowering *lower, struct ptx__surface *surface,
                        const struct ptx__operand *values, bool load)
{
    const enum ptx__type type = ptx__type_of(lower->at, 0);

    for (unsigned i = 0; i < surface->n_values; i++) {
        const struct ptx__operand element = element_of(values, i);

        surface->wide |= surface->bytes == 8 || !has_bits(lower, &element, 32);
    }
    for (unsigned i = 0; i < surface->n_values; i++) {
        const struct ptx__operand element = element_of(values, i);

        if (!has_bits(lower, &element, surface->wide ? 64 : 32))
            refuse_size(lower);
        surface->values[i] =
            load ? ptx__target(lower, &element) : ptx__source(lower, &element, type);
    }
}

static void lower_surface(struct ptx__lowering *lower, ptx__handler run, bool load)
{
    const struct ptx__operand *operands = lower->at->operands;
    struct ptx__surface *surface = new_surface(lower, &operands[load]);
    struct ptx__op *op;

    surface->reduction = ptx__has(lower->at, PTX_MOD_MIN)   ? PTX__REDUCE_MIN
                         : ptx__has(lower->at, PTX_MOD_MAX) ? PTX__REDUCE_MAX
                         : ptx__has(lower->at, PTX_MOD_AND) ? PTX__REDUCE_AND
                         : ptx__has(lower->at, PTX_MOD_OR)  ? PTX__REDUCE_OR
                                                            : PTX__REDUCE_ADD;
    read_values(lower, surface, &operands[!load], load);
    op = ptx__emit(lower, run);
    op->imm = (uintptr_t) surface;
    op->waits = load;
}

/* --- queries --- */

static const struct {
    uint16_t modifier;
    uint8_t query;
} queries[] = {
    {PTX_MOD_WIDTH, PTX__QUERY_WIDTH},
    {PTX_MOD_HEIGHT, PTX__QUERY_HEIGHT},
    {PTX_MOD_DEPTH, PTX__QUERY_DEPTH},
    {PTX_MOD_CHANNEL_DATA_TYPE, PTX__QUERY_TYPE},
    {PTX_MOD_CHANNEL_ORDER, PTX__QUERY_ORDER},
    {PTX_MOD_NORMALIZED_COORDS, PTX__QUERY_NORMALISED},
    {PTX_MOD_ARRAY_SIZE, PTX__QUERY_LAYERS},
    {PTX_MOD_NUM_MIPMAP_LEVELS, PTX__QUERY_LEVELS},
    {PTX_MOD_NUM_SAMPLES, PTX__QUERY_SAMPLES},
    {PTX_MOD_MEMORY_LAYOUT, PTX__QUERY_LAYOUT},
    {PTX_MOD_FILTER_MODE, PTX__QUERY_FILTER},
    {PTX_MOD_ADDR_MODE_0, PTX__QUERY_MODE_0},
    {PTX_MOD_ADDR_MODE_1, PTX__QUERY_MODE_1},
    {PTX_MOD_ADDR_MODE_2, PTX__QUERY_MODE_2},
    {PTX_MOD_FORCE_UNNORMALIZED_COORDS, PTX__QUERY_UNNORMALISED},
};

static void lower_query(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const uint32_t handle = handle_of(lower, &at->operands[1]);
    const bool of_level = at->n_operands > 2;
    const uint32_t level = of_level ? ptx__source(lower, &at->operands[2], PTX_U32) : 0;
    const uint32_t target = ptx__target(lower, &at->operands[0]);
    struct ptx__op *op = ptx__emit(lower, ptx__do_image_query);

    op->d = target;
    op->a = handle;
    op->b = level;
    op->c = of_level;
    for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
        if (ptx__has(at, queries[i].modifier))
            op->imm = queries[i].query;
}

static void lower_test(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const uint32_t handle = handle_of(lower, &at->operands[1]);
    const uint32_t target = ptx__target(lower, &at->operands[0]);
    struct ptx__op *op = ptx__emit(lower, ptx__do_image_test);

    op->d = target;
    op->a = handle;
    op->imm = at->n_types && ptx__type_of(at, 0) == PTX_SURFREF      ? PTX__USE_SURFACE
              : at->n_types && ptx__type_of(at, 0) == PTX_SAMPLERREF ? PTX__USE_SAMPLER
                                                                     : PTX__USE_TEXTURE;
}

bool ptx__lower_texture(struct ptx__lowering *lower)
{
    switch (lower->at->opcode) {
    case PTX_OP_TEX:
        lower_tex(lower, false);
        return true;
    case PTX_OP_TLD4:
        lower_tex(lower, true);
        return true;
    case PTX_OP_SULD:
        lower_surface(lower, ptx__do_surface_load, true);
        return true;
    case PTX_OP_SUST:
        lower_surface(lower, ptx__do_surface_store, false);
        return true;
    case PTX_OP_SURED:
        lower_surface(lower, ptx__do_surface_reduce, false);
        return true;
    case PTX_OP_TXQ:
    case PTX_OP_SUQ:
        lower_query(lower);
        return true;
    case PTX_OP_ISTYPEP:
        lower_test(lower);
        return true;
    default:
        return false;
    }
}
