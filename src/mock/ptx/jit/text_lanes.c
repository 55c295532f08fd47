/* SPDX-License-Identifier: MIT */
/* Instructions that take vectors apart, or put them together. */
#include <inttypes.h>

#include "mock/ptx/jit/text.h"

struct ptx__jit_value ptx__jit_lane(struct ptx__jit_text *text, struct ptx__jit_value vector,
                                    struct ptx__jit_value lane)
{
    struct ptx__jit_value r;

    if (!vector.lanes)
        return vector;
    r = ptx__jit_begin(text, vector.type, 0);
    ptx__jit_say(text, "extractelement ");
    ptx__jit_say_typed(text, vector);
    ptx__jit_say(text, ", ");
    ptx__jit_say_typed(text, lane);
    ptx__jit_say(text, "\n");
    return r;
}

struct ptx__jit_value ptx__jit_shuffled(struct ptx__jit_text *text, struct ptx__jit_value a,
                                        struct ptx__jit_value b, unsigned n, const unsigned *lanes)
{
    const struct ptx__jit_value r = ptx__jit_begin(text, a.type, n);

    ptx__jit_say(text, "shufflevector ");
    ptx__jit_say_typed(text, a);
    ptx__jit_say(text, ", ");
    ptx__jit_say_typed(text, b);
    ptx__jit_say(text, ", <%u x i32> ", n);
    for (unsigned i = 0; i < n; i++)
        ptx__jit_say(text, "%si32 %u", i ? ", " : "<", lanes[i]);
    ptx__jit_say(text, ">\n");
    return r;
}

struct ptx__jit_value ptx__jit_joined(struct ptx__jit_text *text, unsigned n,
                                      const struct ptx__jit_value *scalars)
{
    struct ptx__jit_value all = {.type = scalars[0].type, .lanes = (uint8_t) n, .literal = true};

    for (unsigned i = 0; i < n; i++) {
        const struct ptx__jit_value r = ptx__jit_begin(text, all.type, n);

        ptx__jit_say(text, "insertelement ");
        ptx__jit_say_typed(text, all);
        ptx__jit_say(text, ", ");
        ptx__jit_say_typed(text, scalars[i]);
        ptx__jit_say(text, ", i32 %u\n", i);
        all = r;
    }
    return all;
}

struct ptx__jit_value ptx__jit_reduced(struct ptx__jit_text *text, const char *name,
                                       struct ptx__jit_value values)
{
    const struct ptx__jit_value r = ptx__jit_begin(text, PTX__JIT_I32, 0);

    ptx__jit_say(text, "call i32 @llvm.vector.reduce.%s.v32i32(", name);
    ptx__jit_say_typed(text, values);
    ptx__jit_say(text, ")\n");
    return r;
}

/* One half of a vector, or the other one. */
static struct ptx__jit_value half(struct ptx__jit_text *text, struct ptx__jit_value vector,
                                  unsigned first)
{
    unsigned lanes[32];

    for (unsigned l = 0; l < vector.lanes / 2u; l++)
        lanes[l] = first + l;
    return ptx__jit_shuffled(text, vector, vector, vector.lanes / 2u, lanes);
}

enum { FOLDED = 256 }; /* bits */

struct ptx__jit_value ptx__jit_folded(struct ptx__jit_text *text, struct ptx__jit_value vector)
{
    while (vector.lanes * ptx__jit_bits(vector.type) > FOLDED)
        vector = ptx__jit_binary(text, "or", half(text, vector, 0),
                                 half(text, vector, vector.lanes / 2u));
    return vector;
}

/* Whether a vector is zero, as one number of so many bits. */
static struct ptx__jit_value is_zero(struct ptx__jit_text *text, struct ptx__jit_value vector,
                                     unsigned bits)
{
    const uint64_t number = text->next++;
    struct ptx__jit_value r;

    ptx__jit_say(text, "  %%v%" PRIu64 " = bitcast ", number);
    ptx__jit_say_typed(text, vector);
    ptx__jit_say(text, " to i%u\n", bits);
    r = ptx__jit_begin(text, PTX__JIT_I1, 0);
    ptx__jit_say(text, "icmp eq i%u %%v%" PRIu64 ", 0\n", bits, number);
    return r;
}

struct ptx__jit_value ptx__jit_all_zero(struct ptx__jit_text *text, struct ptx__jit_value vector)
{
    return is_zero(text, ptx__jit_folded(text, vector), FOLDED);
}

struct ptx__jit_value ptx__jit_none_negative(struct ptx__jit_text *text,
                                             struct ptx__jit_value vector)
{
    const struct ptx__jit_value negative = ptx__jit_compare(
        text, "icmp slt", ptx__jit_folded(text, vector), ptx__jit_number(PTX__JIT_ANY, 0));

    return is_zero(text, negative, negative.lanes);
}

struct ptx__jit_value ptx__jit_word(struct ptx__jit_text *text, struct ptx__jit_value lanes)
{
    const struct ptx__jit_value all = ptx__jit_splat(text, lanes, 32);
    const struct ptx__jit_value r = ptx__jit_begin(text, PTX__JIT_I32, 0);

    ptx__jit_say(text, "bitcast ");
    ptx__jit_say_typed(text, all);
    ptx__jit_say(text, " to i32\n");
    return r;
}

struct ptx__jit_value ptx__jit_lanes(struct ptx__jit_text *text, struct ptx__jit_value word)
{
    const struct ptx__jit_value words = ptx__jit_splat(text, word, 32);
    const struct ptx__jit_value bits = ptx__jit_begin(text, PTX__JIT_I32, 32);

    ptx__jit_say(text, "and ");
    ptx__jit_say_typed(text, words);
    for (unsigned l = 0; l < 32; l++)
        ptx__jit_say(text, ", %si32 %llu", l ? "" : "<", 1ull << l);
    ptx__jit_say(text, ">\n");
    return ptx__jit_compare(text, "icmp ne", bits, ptx__jit_number(PTX__JIT_I32, 0));
}
