/* SPDX-License-Identifier: MIT */
/* Brings operands that fit the form into the forms that later steps know. */
#include <string.h>

#include "mock/ptx/check/check.h"

/* Converts a constant to the format of the instruction. */
static void settle_constant(struct ptx__operand *operand, enum ptx__type type)
{
    const struct ptx__number number = {
        .real = true, .type = operand->type, .integer = operand->real};
    const double wide = ptx__number_value(&number);
    const float narrow = (float) wide;
    uint32_t bits;

    /* For .bN the bits stay as they are written. */
    if (operand->kind != PTX_REAL || !ptx__is_float(type) || operand->type == type)
        return;
    if (type == PTX_F64) {
        memcpy(&operand->real, &wide, sizeof(wide));
    } else {
        memcpy(&bits, &narrow, sizeof(bits));
        operand->real = bits;
    }
    operand->type = type == PTX_F64 ? PTX_F64 : PTX_F32;
}

/* Replaces "v" by "{v.x, v.y}", the only form of a vector in later steps. */
static bool spell_out(const struct ptx__check *check, struct ptx__operand *operand)
{
    const unsigned n = operand->kind == PTX_SPECIAL
                           ? ptx__specials[operand->special].vector
                           : check->parser->function->registers[operand->reg].vector;
    struct ptx__operand vector = {
        .kind = PTX_VECTOR, .place = operand->place, .component = -1, .elements = NULL};

    for (unsigned i = 0; i < n; i++) {
        struct ptx__operand *element =
            ptx__append(check->parser, &vector.elements, &vector.count, sizeof(*element));

        if (!element)
            return false;
        *element = *operand;
        element->component = (int8_t) i;
    }
    *operand = vector;
    return true;
}

bool ptx__settle_operands(const struct ptx__check *check, const struct ptx__form *form)
{
    struct ptx__instruction *instruction = check->instruction;

    if (instruction->opcode == PTX_OP_CALL)
        return true;
    for (unsigned i = 0; i < instruction->n_operands; i++) {
        const struct ptx__shape *shape = &ptx__shapes[form->first_shape + i];
        const enum ptx__type type = ptx__shape_type(instruction, shape);
        struct ptx__operand *operand = &instruction->operands[i];

        if ((ptx__is_vector_register(check, operand) || ptx__is_special_vector(operand)) &&
            !spell_out(check, operand))
            return false;
        if (shape->kind == PTX_SHAPE_MEMORY && operand->kind == PTX_ADDRESS) {
            operand->kind = PTX_MEMORY;
            operand->reg = PTX_NONE;
        }
        settle_constant(operand, type);
        for (uint32_t j = 0; operand->kind == PTX_VECTOR && j < operand->count; j++)
            settle_constant(&operand->elements[j], type);
    }
    return true;
}
