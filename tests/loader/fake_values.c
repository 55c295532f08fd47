/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

static int is_right(char letter, unsigned row, unsigned i, const void *arg)
{
#define RIGHT_CASE(c, name, type)                                                                  \
    case c: {                                                                                      \
        const type value = name(row, i);                                                           \
                                                                                                   \
        return !memcmp(&value, arg, sizeof(value));                                                \
    }
    switch (letter) {
        RIGHT_CASE('p', fake_p, void *const)
        RIGHT_CASE('l', fake_l, uint64_t)
        RIGHT_CASE('i', fake_i, uint32_t)
        RIGHT_CASE('h', fake_h, uint16_t)
        RIGHT_CASE('b', fake_b, uint8_t)
        RIGHT_CASE('f', fake_f, float)
        RIGHT_CASE('m', fake_m, struct cushim__arg8)
        RIGHT_CASE('H', fake_H, struct cushim__arg64)
    }
    return 0;
}

int fake_wrong_argument(unsigned row, const char *signature, void *const *args)
{
    for (unsigned i = 0; signature[i]; i++)
        if (!is_right(signature[i], row, i, args[i]))
            return (int) i + 1;
    return 0;
}

int fake_string_value(const char *text)
{
    return text ? atoi(text) : 0;
}
