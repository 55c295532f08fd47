/* SPDX-License-Identifier: MIT */
/*
 * Instruction descriptors, as the tables of the PTX manual have them. Bits that must be zero are
 * not ignored: a descriptor that was made for another kind of product has them set.
 */
#include "mock/ptx/tensor/product.h"

static uint32_t field(uint32_t descriptor, unsigned bit, unsigned n)
{
    return descriptor >> bit & ((1u << n) - 1);
}

static bool is_scaled(const struct ptx__tensor_product *product)
{
    return product->kind >= PTX__KIND_MXF8F6F4;
}

static bool is_packed(const struct ptx__tensor_product *product)
{
    return product->kind >= PTX__KIND_MXF4;
}

/* --- types --- */

enum { NO_ELEMENT = 255 };

static uint8_t input_type(enum ptx__tensor_kind kind, uint32_t code)
{
    static const uint8_t small[8] = {PTX__ELEMENT_E4M3, PTX__ELEMENT_E5M2, NO_ELEMENT,
                                     PTX__ELEMENT_E2M3, PTX__ELEMENT_E3M2, PTX__ELEMENT_E2M1,
                                     NO_ELEMENT,        NO_ELEMENT};
    static const uint8_t halves[8] = {PTX__ELEMENT_F16, PTX__ELEMENT_BF16, NO_ELEMENT, NO_ELEMENT,
                                      NO_ELEMENT,       NO_ELEMENT,        NO_ELEMENT, NO_ELEMENT};

    switch (kind) {
    case PTX__KIND_F16:
        return halves[code];
    case PTX__KIND_TF32:
        return code == 2 ? PTX__ELEMENT_TF32 : NO_ELEMENT;
    case PTX__KIND_I8:
        return code > 1 ? NO_ELEMENT : code ? PTX__ELEMENT_S8 : PTX__ELEMENT_U8;
    case PTX__KIND_MXF4:
    case PTX__KIND_MXF4NVF4:
        return code == 1 ? PTX__ELEMENT_E2M1 : NO_ELEMENT;
    default:
        return small[code];
    }
}

static uint8_t output_type(enum ptx__tensor_kind kind, uint32_t code)
{
    if (kind == PTX__KIND_I8)
        return code == 2 ? PTX__ELEMENT_S32 : NO_ELEMENT;
    if (code == 1)
        return PTX__ELEMENT_F32;
    return code == 0 && (kind == PTX__KIND_F16 || kind == PTX__KIND_F8F6F4) ? PTX__ELEMENT_F16
                                                                            : NO_ELEMENT;
}

static uint8_t bits_of(enum ptx__tensor_kind kind)
{
    switch (kind) {
    case PTX__KIND_F16:
        return 16;
    case PTX__KIND_TF32:
        return 32;
    case PTX__KIND_MXF4:
    case PTX__KIND_MXF4NVF4:
        return 4;
    default:
        return 8;
    }
}

static const char *plan_types(const struct ptx__tensor_product *product, uint32_t descriptor,
                              struct ptx__tensor_plan *plan)
{
    const enum ptx__tensor_kind kind = (enum ptx__tensor_kind) product->kind;

    plan->a = input_type(kind, field(descriptor, 7, 3));
    plan->b = input_type(kind, field(descriptor, 10, 3));
    plan->d = is_scaled(product) ? PTX__ELEMENT_F32 : output_type(kind, field(descriptor, 4, 2));
    plan->bits_a = plan->bits_b = bits_of(kind);
    plan->negates_a = field(descriptor, 13, 1);
    plan->negates_b = field(descriptor, 14, 1);
    plan->a_by_m = field(descriptor, 15, 1);
    plan->b_by_n = field(descriptor, 16, 1);
    if (plan->a == NO_ELEMENT)
        return "bits 7 to 9 are no type of A for this kind";
    if (plan->b == NO_ELEMENT)
        return "bits 10 to 12 are no type of B for this kind";
    if (plan->d == NO_ELEMENT)
        return "bits 4 and 5 are no type of D for this kind";
    if (kind == PTX__KIND_F16 && plan->d == PTX__ELEMENT_F16 &&
        (plan->a == PTX__ELEMENT_BF16 || plan->b == PTX__ELEMENT_BF16))
        return "D is .f16, and A or B is .bf16";
    if (kind == PTX__KIND_I8 && (plan->negates_a || plan->negates_b))
        return "integers cannot be negated";
    return NULL;
}

/* Elements of less than a byte have only one order, and so has A in tensor memory. */
static const char *check_orders(const struct ptx__tensor_product *product,
                                const struct ptx__tensor_plan *plan)
{
    const bool small_a = plan->a >= PTX__ELEMENT_E3M2 && plan->a <= PTX__ELEMENT_E2M1;
    const bool small_b = plan->b >= PTX__ELEMENT_E3M2 && plan->b <= PTX__ELEMENT_E2M1;

    if ((plan->a_by_m && small_a) || (plan->b_by_n && small_b))
        return "elements of 4 and 6 bits cannot be transposed";
    if (plan->a_by_m && product->a_in_tensor)
        return "A is in tensor memory, where it cannot be transposed";
    if (plan->b_by_n && plan->bits_b == 8 && plan->n % (product->group == 2 ? 32u : 16u))
        return "N does not go with a transposed B of 8 bits";
    return NULL;
}

/* --- shapes --- */

static bool is_n(const struct ptx__tensor_product *product, unsigned n)
{
    const bool integers = product->kind == PTX__KIND_I8;

    if (product->stationary)
        return n == 64 || n == 128 || (n == 256 && !product->sparse);
    if (product->group == 2)
        return n && n <= 256 && n % (integers ? 32 : 16) == 0;
    return n && n <= 256 && n % 8 == 0 && (!integers || n <= 32 || n % 16 == 0);
}

static bool is_m(const struct ptx__tensor_product *product, unsigned m)
{
    if (product->stationary)
        return m == 32 || m == 64 || m == 128;
    if (product->group == 2)
        return m == 256 || (m == 128 && !(is_scaled(product) && product->sparse));
    return m == 128 || (m == 64 && !is_scaled(product));
}

static void plan_layout(const struct ptx__tensor_product *product, struct ptx__tensor_plan *plan)
{
    const bool quarter = plan->m == 32, half = plan->rows == 64;

    plan->layout = PTX__LAYOUT_FULL;
    if (quarter)
        plan->layout = PTX__LAYOUT_FOUR;
    else if (half && (product->stationary || (product->group == 2 && !product->sparse)))
        plan->layout = PTX__LAYOUT_TWO;
    else if (half)
        plan->layout = PTX__LAYOUT_HALF;
    plan->splits = plan->layout == PTX__LAYOUT_FOUR ? 4 : plan->layout == PTX__LAYOUT_TWO ? 2 : 1;
}

static const char *plan_shape(const struct ptx__tensor_product *product, uint32_t descriptor,
                              struct ptx__tensor_plan *plan)
{
    plan->m = (uint16_t) (field(descriptor, 24, 5) << 4);
    plan->n = (uint16_t) (field(descriptor, 17, 6) << 3);
    plan->k = (uint16_t) (256 / plan->bits_a * (product->sparse ? 2 : 1));
    plan->rows = (uint16_t) (plan->m / product->group);
    if (!is_m(product, plan->m))
        return "bits 24 to 28 are no M of this instruction";
    if (!is_n(product, plan->n))
        return "bits 17 to 22 are no N of this instruction";
    if (product->sparse && plan->rows != 128)
        return "where the metadata of less than 128 rows lies is not known to this device";
    if (is_scaled(product) && plan->rows != 128)
        return "where the scale factors of less than 128 rows lie is not known to this device";
    if (product->a_shifted && plan->rows != 128)
        return ".ashift is for M = 128 and M = 256";
    plan_layout(product, plan);
    return NULL;
}

/* --- what only some kinds have --- */

static const char *plan_plain(const struct ptx__tensor_product *product, uint32_t descriptor,
                              struct ptx__tensor_plan *plan)
{
    plan->selector = (uint8_t) field(descriptor, 0, 2);
    plan->saturates = field(descriptor, 3, 1);
    plan->most_shift = (uint8_t) field(descriptor, 30, 2);
    if (plan->saturates && product->kind != PTX__KIND_I8)
        return "bit 3 is for integers";
    if (field(descriptor, 6, 1) || field(descriptor, 23, 1) || field(descriptor, 29, 1))
        return "bits 6, 23 and 29 are to be 0";
    if (plan->most_shift && !product->stationary)
        return "bits 30 and 31 are for .ws";
    if (plan->selector && !product->sparse)
        return "bits 0 and 1 are for .sp";
    if (plan->selector && product->kind != PTX__KIND_F16 && product->kind != PTX__KIND_TF32)
        return "bits 0 and 1 are to be 0 for this kind";
    return NULL;
}

/* Which bytes of a cell are factors: any one, a half, or all. */
static bool is_scale_id(const struct ptx__tensor_product *product, unsigned id)
{
    return id % product->scales == 0;
}

static const char *plan_scales(const struct ptx__tensor_product *product, uint32_t descriptor,
                               struct ptx__tensor_plan *plan)
{
    plan->scale_b = (uint8_t) field(descriptor, 4, 2);
    plan->scale_a = (uint8_t) field(descriptor, 29, 2);
    plan->ue4m3 = !field(descriptor, 23, 1);
    if (field(descriptor, 0, 2) || field(descriptor, 3, 1) || field(descriptor, 6, 1))
        return "bits 0, 1, 3 and 6 are to be 0";
    if (field(descriptor, 31, 1))
        return is_packed(product) ? "K = 96 is not executed by this device" : "bit 31 is to be 0";
    if (plan->ue4m3 && product->scales != 4)
        return "bit 23 is to be 1: the scale factors are .ue8m0";
    if (is_packed(product) && field(descriptor, 15, 2))
        return "bits 15 and 16 are to be 0";
    if (!is_scale_id(product, plan->scale_a))
        return "bits 29 and 30 are no place of scale factors";
    if (!is_scale_id(product, plan->scale_b))
        return "bits 4 and 5 are no place of scale factors";
    return NULL;
}

const char *ptx__tensor_plan(const struct ptx__tensor_product *product, uint32_t descriptor,
                             struct ptx__tensor_plan *ret_plan)
{
    const char *mistake;

    *ret_plan = (struct ptx__tensor_plan){.m = 0};
    if (field(descriptor, 2, 1) != product->sparse)
        return product->sparse ? "bit 2 is to be 1, with .sp" : "bit 2 is to be 0, without .sp";
    mistake = is_scaled(product) ? plan_scales(product, descriptor, ret_plan)
                                 : plan_plain(product, descriptor, ret_plan);
    if (!mistake)
        mistake = plan_types(product, descriptor, ret_plan);
    if (!mistake)
        mistake = plan_shape(product, descriptor, ret_plan);
    return mistake ? mistake : check_orders(product, ret_plan);
}
