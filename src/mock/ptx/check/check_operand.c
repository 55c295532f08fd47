/* SPDX-License-Identifier: MIT */
/* Checks the operands against the form. */
#include "mock/ptx/check/check.h"

#define TYPE_SLOT  100
#define AS_VECTOR  255
#define ANY_NUMBER 254
#define HALF_OF_N  253
#define PART_OF_N  252
#define AS_TENSOR  251
#define AS_PIXELS  250
#define NO_SIZE    UINT32_MAX

static enum ptx__type widened(enum ptx__type type)
{
    switch (type) {
    case PTX_U16:
        return PTX_U32;
    case PTX_U32:
        return PTX_U64;
    case PTX_S16:
        return PTX_S32;
    case PTX_S32:
        return PTX_S64;
    default:
        return type;
    }
}

enum ptx__type ptx__shape_type(const struct ptx__instruction *instruction,
                               const struct ptx__shape *shape)
{
    const enum ptx__type type = shape->type >= TYPE_SLOT
                                    ? ptx__type_of(instruction, shape->type - TYPE_SLOT)
                                    : (enum ptx__type) shape->type;

    return shape->wide ? widened(type) : type;
}

/*
 * Tells whether a value of one type may be used as another of the same size: untyped bits fit all,
 * signed fits unsigned, floating point only itself.
 */
static bool classes_fit(enum ptx__type has, enum ptx__type wanted)
{
    const enum ptx__type_class a = ptx__type_class(has), b = ptx__type_class(wanted);

    if (a == PTX_BITS || b == PTX_BITS || has == wanted)
        return true;
    return (a == PTX_SIGNED || a == PTX_UNSIGNED) && (b == PTX_SIGNED || b == PTX_UNSIGNED);
}

bool ptx__type_fits(enum ptx__type has, enum ptx__type wanted, bool loose, bool any_class)
{
    const unsigned bits = ptx__type_bits(has), wanted_bits = ptx__type_bits(wanted);

    if ((has == PTX_PRED) != (wanted == PTX_PRED))
        return false;
    if (bits < wanted_bits || (bits > wanted_bits && !loose))
        return false;
    /* A floating-point number cannot be in a part of a floating-point register. */
    if (bits > wanted_bits && ptx__is_float(has) && wanted_bits && !any_class &&
        ptx__type_class(wanted) != PTX_BITS)
        return false;
    return any_class || classes_fit(has, wanted);
}

static bool register_fits(const struct ptx__check *check, const struct ptx__shape *shape,
                          enum ptx__type type, const struct ptx__operand *operand)
{
    const struct ptx__register *reg = &check->parser->function->registers[operand->reg];

    if (reg->vector && operand->component < 0)
        return false;
    if (operand->selector && !shape->part)
        return false;
    if (operand->sum && (shape->result || ptx__is_float((enum ptx__type) reg->type) ||
                         reg->type == PTX_PRED || reg->type == PTX_B128))
        return false;
    if (operand->negative && type != PTX_PRED && check->instruction->opcode != PTX_OP_VMAD)
        return false;
    return ptx__type_fits((enum ptx__type) reg->type, type, shape->loose, shape->bits);
}

static bool constant_fits(const struct ptx__check *check, const struct ptx__operand *operand,
                          enum ptx__type type)
{
    switch (ptx__type_class(type)) {
    case PTX_PREDICATE:
    case PTX_SIGNED:
    case PTX_UNSIGNED:
        return operand->kind == PTX_INTEGER;
    case PTX_FLOAT:
        return operand->kind == PTX_REAL && type != PTX_F16;
    case PTX_BITS:
        return operand->kind == PTX_INTEGER ||
               ptx__type_bits((enum ptx__type) operand->type) == ptx__type_bits(type);
    default:
        (void) check;
        return false;
    }
}

static bool moves(const struct ptx__check *check)
{
    return check->instruction->opcode == PTX_OP_MOV;
}

static enum ptx__type special_type(const struct ptx__operand *operand)
{
    return (enum ptx__type) ptx__specials[operand->special].type;
}

bool ptx__is_special_vector(const struct ptx__operand *operand)
{
    return operand->kind == PTX_SPECIAL && operand->component < 0 &&
           ptx__specials[operand->special].vector;
}

/* Outside of braces, special registers are read only by `mov`, and by `cvt` between integers. */
static bool special_fits(const struct ptx__check *check, const struct ptx__shape *shape,
                         enum ptx__type type, const struct ptx__operand *operand)
{
    const enum ptx__type has = special_type(operand);

    if (ptx__is_special_vector(operand))
        return false;
    if (check->instruction->opcode == PTX_OP_CVT)
        return ptx__is_integer(type) && ptx__is_integer(ptx__type_of(check->instruction, 0)) &&
               ptx__type_fits(has, type, shape->loose, false);
    return moves(check) && !ptx__is_float(type) &&
           (ptx__type_fits(has, type, false, false) ||
            (ptx__type_bits(has) == 32 && ptx__type_bits(type) == 16));
}

/* In braces, all instructions read special registers, as if those were registers of bits. */
static bool special_element_fits(const struct ptx__shape *shape, enum ptx__type type,
                                 const struct ptx__operand *element)
{
    return !ptx__is_special_vector(element) &&
           ptx__type_fits(special_type(element), type, shape->loose, true);
}

/* Where one element is a special register, none is a constant. */
static bool mixes_constants(const struct ptx__operand *vector)
{
    bool constant = false, special = false;

    for (uint32_t i = 0; i < vector->count; i++) {
        const unsigned kind = vector->elements[i].kind;

        constant |= kind == PTX_INTEGER || kind == PTX_REAL;
        special |= kind == PTX_SPECIAL;
    }
    return constant && special;
}

/* The address of a variable or function has 32 or 64 bits. */
static bool address_fits(const struct ptx__check *check, enum ptx__type type)
{
    const unsigned bits = ptx__type_bits(type);

    return (moves(check) || check->instruction->opcode == PTX_OP_CVTA) &&
           (bits == 64 || bits == 32) && !ptx__is_float(type);
}

static bool scalar_fits(const struct ptx__check *check, const struct ptx__shape *shape,
                        enum ptx__type type, const struct ptx__operand *operand)
{
    switch ((enum ptx__operand_kind) operand->kind) {
    case PTX_REGISTER:
        return register_fits(check, shape, type, operand);
    case PTX_INTEGER:
    case PTX_REAL:
        return !shape->result && constant_fits(check, operand, type);
    case PTX_SPECIAL:
        return !shape->result && special_fits(check, shape, type, operand);
    case PTX_ADDRESS:
        return !shape->result && address_fits(check, type);
    default:
        return false;
    }
}

/* Returns the bits of an element of a vector; 0 for one that takes the size of the others. */
static unsigned element_bits(const struct ptx__check *check, const struct ptx__operand *element)
{
    if (element->kind == PTX_SPECIAL)
        return ptx__type_bits(special_type(element));
    if (element->kind != PTX_REGISTER)
        return 0;
    return ptx__type_bits((enum ptx__type) check->parser->function->registers[element->reg].type);
}

/* Returns the common size of all elements; 0 if none has a size, NO_SIZE if they differ. */
static unsigned common_bits(const struct ptx__check *check, const struct ptx__operand *vector)
{
    unsigned known = 0;

    for (uint32_t i = 0; i < vector->count; i++) {
        const unsigned bits = element_bits(check, &vector->elements[i]);

        if (bits && known && bits != known)
            return NO_SIZE;
        known = bits ? bits : known;
    }
    return known;
}

static bool element_fits(const struct ptx__check *check, const struct ptx__shape *shape,
                         enum ptx__type type, const struct ptx__operand *element)
{
    if (element->kind == PTX_SINK)
        return shape->result || shape->sink;
    if (element->kind == PTX_SPECIAL)
        return !shape->result && special_element_fits(shape, type, element);
    return scalar_fits(check, shape, type, element);
}

/* Checks "{a, b}", or a register that is a vector. */
static bool vector_fits(const struct ptx__check *check, const struct ptx__shape *shape,
                        unsigned count, const struct ptx__operand *operand)
{
    const enum ptx__type type = ptx__shape_type(check->instruction, shape);

    if (operand->kind == PTX_REGISTER) {
        const struct ptx__register *reg = &check->parser->function->registers[operand->reg];

        return operand->component < 0 && reg->vector == count &&
               ptx__type_fits((enum ptx__type) reg->type, type, shape->loose, shape->bits);
    }
    if (operand->kind == PTX_SPECIAL)
        return operand->component < 0 && ptx__specials[operand->special].vector == count &&
               !shape->result && moves(check) &&
               ptx__type_fits(special_type(operand), type, false, false);
    if (operand->kind != PTX_VECTOR || (count != ANY_NUMBER && operand->count != count) ||
        common_bits(check, operand) == NO_SIZE || mixes_constants(operand))
        return false;
    for (uint32_t i = 0; i < operand->count; i++) {
        if (!element_fits(check, shape, type, &operand->elements[i]))
            return false;
    }
    return true;
}

static bool may_be_packed(const struct ptx__operand *element, bool result)
{
    if (element->kind == PTX_REGISTER)
        return element->type != PTX_PRED;
    if (element->kind == PTX_SPECIAL)
        return !result && !ptx__is_special_vector(element) && special_type(element) != PTX_PRED;
    return result ? element->kind == PTX_SINK
                  : element->kind == PTX_INTEGER || element->kind == PTX_REAL;
}

bool ptx__is_vector_register(const struct ptx__check *check, const struct ptx__operand *operand)
{
    return operand->kind == PTX_REGISTER && operand->component < 0 && !operand->negative &&
           check->parser->function->registers[operand->reg].vector;
}

/*
 * For packing or unpacking by `mov`: the elements have one size, and together that of the
 * instruction.
 */
static bool packed_fits(const struct ptx__check *check, const struct ptx__shape *shape,
                        const struct ptx__operand *operand)
{
    const unsigned bits = ptx__type_bits(ptx__type_of(check->instruction, 0));
    unsigned common;

    if (ptx__is_vector_register(check, operand)) {
        const struct ptx__register *reg = &check->parser->function->registers[operand->reg];

        return reg->vector * ptx__type_bits((enum ptx__type) reg->type) == bits;
    }
    if (ptx__is_special_vector(operand))
        return !shape->result &&
               ptx__specials[operand->special].vector * ptx__type_bits(special_type(operand)) ==
                   bits;
    if (operand->kind != PTX_VECTOR || !operand->count || operand->count > 4 ||
        mixes_constants(operand))
        return false;
    for (uint32_t i = 0; i < operand->count; i++) {
        if (!may_be_packed(&operand->elements[i], shape->result))
            return false;
    }
    common = common_bits(check, operand);
    return common ? common * operand->count == bits : bits % operand->count == 0;
}

/* Checks "p|q", of which the second is always a predicate. */
static bool pair_fits(const struct ptx__check *check, const struct ptx__shape *shape,
                      unsigned count, const struct ptx__operand *operand)
{
    const struct ptx__shape second = {.kind = PTX_SHAPE_TYPED, .result = shape->result};
    const enum ptx__type type = ptx__shape_type(check->instruction, shape);
    const struct ptx__operand *a = &operand->elements[0], *b = &operand->elements[1];

    if (b->kind != PTX_SINK && !scalar_fits(check, &second, PTX_PRED, b))
        return false;
    if (count)
        return vector_fits(check, shape, count, a);
    return a->kind == PTX_SINK ? shape->sink : scalar_fits(check, shape, type, a);
}

/* Returns the N of a modifier ".mMnNkK"; 0 if there is none. */
static unsigned columns_of(const struct ptx__instruction *instruction)
{
    unsigned numbers[3];

    for (unsigned i = 0; i < instruction->n_modifiers; i++) {
        if (ptx__shape_numbers(ptx__modifier_name(instruction->modifiers[i]), numbers))
            return numbers[1];
    }
    return 0;
}

static unsigned dimensions_of(const struct ptx__instruction *instruction)
{
    static const enum ptx__modifier all[] = {PTX_MOD_1D, PTX_MOD_2D, PTX_MOD_3D, PTX_MOD_4D,
                                             PTX_MOD_5D};

    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (ptx__has(instruction, all[i]))
            return i + 1;
    }
    return 0;
}

/* Returns the number of elements of an operand; 0: it is no vector. */
static unsigned elements_of(const struct ptx__check *check, const struct ptx__shape *shape)
{
    switch (shape->elements) {
    case AS_VECTOR:
        return check->instruction->vector;
    case HALF_OF_N:
        return columns_of(check->instruction) / 2;
    case PART_OF_N:
        return columns_of(check->instruction) / 4;
    case AS_TENSOR:
        return dimensions_of(check->instruction);
    case AS_PIXELS:
        return dimensions_of(check->instruction) - 2;
    default:
        return shape->elements;
    }
}

/* Checks "[map, {x, y}]". The brackets of textures, whose number is 0, are lowering's business. */
static bool brackets_fit(const struct ptx__check *check, const struct ptx__shape *shape,
                         const struct ptx__operand *operand)
{
    static const struct ptx__shape coordinate = {.kind = PTX_SHAPE_TYPED, .type = PTX_B32};
    const unsigned count = elements_of(check, shape);

    if (operand->kind != PTX_BRACKETS || !count)
        return operand->kind == PTX_BRACKETS;
    if (operand->count != 2)
        return false;
    if (count == 1 && operand->elements[1].kind != PTX_VECTOR)
        return scalar_fits(check, &coordinate, PTX_B32, &operand->elements[1]);
    return vector_fits(check, &coordinate, count, &operand->elements[1]);
}

static bool typed_fits(const struct ptx__check *check, const struct ptx__shape *shape,
                       const struct ptx__operand *operand)
{
    const unsigned count = elements_of(check, shape);

    if (shape->both && operand->kind != PTX_PAIR)
        return false;
    if (operand->kind == PTX_SINK)
        return shape->sink;
    if (operand->kind == PTX_PAIR)
        return shape->pair && pair_fits(check, shape, count, operand);
    /* A vector of one element, such as "{%r1}". */
    if (shape->elements == AS_VECTOR && !count && operand->kind == PTX_VECTOR)
        return vector_fits(check, shape, 1, operand);
    if (count)
        return vector_fits(check, shape, count, operand);
    return scalar_fits(check, shape, ptx__shape_type(check->instruction, shape), operand);
}

static enum ptx__type register_type(const struct ptx__check *check,
                                    const struct ptx__operand *operand)
{
    return (enum ptx__type) check->parser->function->registers[operand->reg].type;
}

static bool operand_fits(const struct ptx__check *check, const struct ptx__shape *shape,
                         const struct ptx__operand *operand)
{
    switch ((enum ptx__shape_kind) shape->kind) {
    case PTX_SHAPE_TYPED:
        return typed_fits(check, shape, operand);
    case PTX_SHAPE_IMMEDIATE:
        return operand->kind == PTX_INTEGER;
    case PTX_SHAPE_MEMORY:
        return operand->kind == PTX_MEMORY || (operand->kind == PTX_ADDRESS && operand->indexed);
    case PTX_SHAPE_TENSOR:
        return operand->kind == PTX_MEMORY && operand->reg != PTX_NONE &&
               ptx__type_bits(register_type(check, operand)) == 32;
    case PTX_SHAPE_BRACKETS:
        return brackets_fit(check, shape, operand);
    case PTX_SHAPE_LABEL:
        return operand->kind == PTX_LABEL;
    case PTX_SHAPE_TABLE:
        return operand->kind == PTX_TABLE;
    case PTX_SHAPE_ANY:
        return shape->elements != ANY_NUMBER || packed_fits(check, shape, operand);
    case PTX_SHAPE_SINK:
        return operand->kind == PTX_SINK;
    case PTX_SHAPE_CALL:
        return true;
    }
    return false;
}

/* Checks that there is a cache policy if the instruction says so. */
static bool policy_fits(const struct ptx__instruction *instruction, const struct ptx__shape *shapes,
                        unsigned n_shapes)
{
    for (unsigned i = 0; i < n_shapes; i++) {
        if (shapes[i].policy)
            return ptx__has(instruction, PTX_MOD_L2_CACHE_HINT) == (i < instruction->n_operands);
    }
    return true;
}

bool ptx__form_takes_operands(const struct ptx__check *check, const struct ptx__form *form)
{
    const struct ptx__instruction *instruction = check->instruction;
    const struct ptx__shape *shapes = &ptx__shapes[form->first_shape];

    /* The four operands of a call are one operand in the table. */
    if (instruction->opcode == PTX_OP_CALL)
        return true;
    if (instruction->n_operands > form->n_shapes ||
        !policy_fits(instruction, shapes, form->n_shapes))
        return false;
    for (unsigned i = 0; i < form->n_shapes; i++) {
        if (i >= instruction->n_operands) {
            if (!shapes[i].optional)
                return false;
        } else if (!operand_fits(check, &shapes[i], &instruction->operands[i])) {
            return false;
        }
    }
    return true;
}
