/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "corpus.h"
#include "number.h"

enum { TOLD = 5 }; /* a case that is all wrong need not fill the screen */

static uint64_t load(const void *data, enum corpus_type type, size_t i)
{
    uint64_t bits = 0;

    memcpy(&bits, (const uint8_t *) data + i * corpus_size_of(type), corpus_size_of(type));
    return bits;
}

static double value(enum corpus_type type, uint64_t bits)
{
    switch (type) {
    case F16:
        return half_value((uint16_t) bits);
    case BF16:
        return bfloat_value((uint16_t) bits);
    case F32:
        return (double) float_of((uint32_t) bits);
    default:
        return double_of(bits);
    }
}

/* A number's place among all numbers of its type: neighbours are 1 apart. */
static int64_t place(enum corpus_type type, uint64_t bits)
{
    const unsigned shift = 64 - 8 * (unsigned) corpus_size_of(type);
    const int64_t magnitude = (int64_t) (bits << shift << 1 >> 1 >> shift);

    return bits << shift >> 63 ? -magnitude : magnitude;
}

static bool within(enum corpus_type type, uint64_t expected, uint64_t actual,
                   const struct corpus_bound *bound)
{
    const double e = value(type, expected), a = value(type, actual);
    double apart;

    if (isnan(e) || isnan(a))
        return isnan(e) && isnan(a);
    if (!bound)
        return false;
    apart = fabs((double) (place(type, expected) - place(type, actual)));
    return apart <= bound->ulps || fabs(e - a) <= bound->absolute;
}

static bool right(const struct corpus_case *test, enum corpus_type type, size_t i,
                  uint64_t expected, uint64_t actual)
{
    const struct corpus_bound *bound = test->n_bounds ? &test->bounds[i % test->n_bounds] : NULL;

    return expected == actual || (type >= F16 && within(type, expected, actual, bound));
}

static void tell(const struct corpus_case *test, unsigned b, size_t i, uint64_t expected,
                 uint64_t actual)
{
    const enum corpus_type type = test->buffers[b].type;

    printf("    buffer %u, element %zu: expected 0x%" PRIx64 ", actual 0x%" PRIx64, b, i, expected,
           actual);
    if (type >= F16)
        printf(" (%.17g, %.17g)", value(type, expected), value(type, actual));
    printf("\n");
}

unsigned corpus_compare(const struct corpus_run *run, const struct corpus_run *other, unsigned b,
                        const void *actual)
{
    const struct corpus_buffer *buffer = &run->test->buffers[b];
    unsigned wrong = 0;

    for (size_t i = 0; i < buffer->count; i++) {
        const uint64_t a = load(actual, buffer->type, i);
        const uint64_t e = load(run->expect[b], buffer->type, i);

        if (right(run->test, buffer->type, i, e, a))
            continue;
        if (other && right(run->test, buffer->type, i, load(other->expect[b], buffer->type, i), a))
            continue;
        if (wrong++ < TOLD)
            tell(run->test, b, i, e, a);
    }
    if (wrong)
        printf("    %u of %u elements are wrong\n", wrong, buffer->count);
    return wrong;
}
