/* SPDX-License-Identifier: MIT */
/* The numbers that are asked, the good one first; one that is there already is left out. */
#include "kinds.h"

static unsigned add(uint64_t *numbers, unsigned n, uint64_t number)
{
    for (unsigned i = 0; i < n; i++)
        if (numbers[i] == number)
            return n;
    numbers[n] = number;
    return n + 1;
}

static unsigned add_all(uint64_t *numbers, const uint64_t *more, unsigned n_more)
{
    unsigned n = 1;

    for (unsigned i = 0; i < n_more; i++)
        n = add(numbers, n, more[i]);
    return n;
}

#define ADD_ALL(...)                                                                               \
    add_all(ret_numbers, (const uint64_t[]){__VA_ARGS__},                                          \
            sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

#define NUMBERS_ARE(function, label, ...)                                                          \
    static unsigned function(const struct param *param, uint64_t *ret_numbers)                     \
    {                                                                                              \
        uint64_t good = param->good;                                                               \
                                                                                                   \
        ret_numbers[0] = good;                                                                     \
        return ADD_ALL(__VA_ARGS__);                                                               \
    }                                                                                              \
    const struct kind kind_##label = {.name = #label, .kind_class = NUMBERS, .numbers = function}

/* Nothing between the memory of a small device and a terabyte: others use the device, too. */
NUMBERS_ARE(sizes, size, 0, 1, good - 1, good + 1, good + 4096, (uint64_t) 1 << 40,
            (uint64_t) 1 << 63, -1);
NUMBERS_ARE(small_sizes, small_size, 0, 1, good - 1, good + 1);
NUMBERS_ARE(any_numbers, number, 0, 1, good + 1, 0x7fffffff, 0xffffffff);
NUMBERS_ARE(words, word, 0, 0xffffffff);
NUMBERS_ARE(counts, count, 0, good + 1);
NUMBERS_ARE(indices, index, good + 1, 100, 0x7fffffff, 0xffffffff);
NUMBERS_ARE(extents, extent, 0, 2, 1025, 65536, 0x80000000, 0xffffffff);
NUMBERS_ARE(devices, device, 1, 2, 0xffffffff);

static unsigned only(const struct param *param, uint64_t *ret_numbers)
{
    ret_numbers[0] = param->good;
    return 1;
}
const struct kind kind_fixed = {.name = "fixed", .kind_class = NUMBERS, .numbers = only};

static unsigned choices(const struct param *param, uint64_t *ret_numbers)
{
    unsigned n = 1;

    ret_numbers[0] = param->good;
    for (uint64_t i = param->first; i <= param->last; i++)
        if (i != param->good)
            ret_numbers[n++] = i;
    n = add(ret_numbers, n, (uint32_t) (param->first - 1));
    n = add(ret_numbers, n, param->last + 1);
    return add(ret_numbers, n, 0x7fffffff);
}
const struct kind kind_choice = {.name = "choice", .kind_class = NUMBERS, .numbers = choices};

static unsigned flags_of(const struct param *param, uint64_t all, uint64_t *ret_numbers)
{
    unsigned n = 1;

    ret_numbers[0] = param->good;
    n = add(ret_numbers, n, 0);
    for (unsigned i = 0; i <= param->last; i++)
        n = add(ret_numbers, n, (uint64_t) 1 << i);
    n = add(ret_numbers, n, ((uint64_t) 1 << param->last) - 1);
    n = add(ret_numbers, n, (all >> 1) + 1);
    return add(ret_numbers, n, all);
}

static unsigned flags(const struct param *param, uint64_t *ret_numbers)
{
    return flags_of(param, UINT32_MAX, ret_numbers);
}
const struct kind kind_flags = {.name = "flags", .kind_class = NUMBERS, .numbers = flags};

static unsigned large_flags(const struct param *param, uint64_t *ret_numbers)
{
    return flags_of(param, UINT64_MAX, ret_numbers);
}
const struct kind kind_large_flags = {
    .name = "flags", .kind_class = NUMBERS, .numbers = large_flags};

/* Whole ones: their numbers are those of a 32-bit integer, and the last has no value. */
NUMBERS_ARE(floats_asked, plain_float, 0, 1, 100, 0xffffffff);
const struct kind kind_float = {.name = "float", .kind_class = FLOATS, .numbers = floats_asked};

const struct kind kind_output = {.name = "out", .kind_class = OUTPUTS};
const struct kind kind_structure = {.name = "in", .kind_class = STRUCTURES};
const struct kind kind_in_out = {.name = "in_out", .kind_class = IN_AND_OUT};
const struct kind kind_by_value = {.name = "by_value", .kind_class = STRUCTURES_BY_VALUE};
