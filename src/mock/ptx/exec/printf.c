/* SPDX-License-Identifier: MIT */
/*
 * printf() of kernels. The arguments are contiguous, each aligned to its size: 4 bytes for an int,
 * 8 bytes for long, pointers and doubles.
 */
#include "mock/ptx/exec/printf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/memory/memory.h"

bool ptx__text_at(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane, uint64_t address,
                  char *text, size_t size)
{
    size_t n = 0;

    while (n + 1 < size) {
        const unsigned char *byte =
            ptx__reach(ptx__lane_op(warp, op, lane), address + n, 1, PTX__LOADS);

        if (!byte)
            return false;
        text[n] = (char) *byte;
        if (!text[n])
            return true;
        n++;
    }
    text[n] = '\0';
    return true;
}

static bool take(struct ptx__printing *p, unsigned bytes, uint64_t *ret_value)
{
    const unsigned char *at;

    p->arguments = (p->arguments + bytes - 1) / bytes * bytes;
    at = ptx__reach(ptx__lane_op(p->warp, p->op, p->lane), p->arguments, bytes, PTX__LOADS);
    if (!at)
        return false;
    *ret_value = 0;
    memcpy(ret_value, at, bytes);
    p->arguments += bytes;
    p->n_arguments++;
    return true;
}

static void add(struct ptx__printing *p, const char *text, size_t length)
{
    const size_t room = sizeof(p->text) - p->length;

    length = length < room ? length : room;
    memcpy(p->text + p->length, text, length);
    p->length += length;
}

/* One conversion: flags, width, precision, length and letter. */
struct conversion {
    char flags[8];
    int width, precision; /* -1: none */
    bool is_long, is_short, is_char;
    char letter;
};

static bool number(struct ptx__printing *p, const char **format, int *ret_number)
{
    uint64_t value;

    if (**format == '*') {
        (*format)++;
        if (!take(p, 4, &value))
            return false;
        *ret_number = (int) (int32_t) value;
        return true;
    }
    *ret_number = -1;
    if (**format >= '0' && **format <= '9')
        *ret_number = (int) strtol(*format, (char **) format, 10);
    return true;
}

static bool parse(struct ptx__printing *p, const char **format, struct conversion *c)
{
    size_t n = 0;

    memset(c, 0, sizeof(*c));
    c->precision = -1;
    for (; **format && strchr("-+ #0", **format); (*format)++) {
        if (n + 1 < sizeof(c->flags))
            c->flags[n++] = **format;
    }
    if (!number(p, format, &c->width))
        return false;
    if (**format == '.') {
        (*format)++;
        if (!number(p, format, &c->precision))
            return false;
        c->precision = c->precision < 0 ? 0 : c->precision;
    }
    for (; **format && strchr("hlLjzt", **format); (*format)++) {
        c->is_char = c->is_char || (c->is_short && **format == 'h');
        c->is_short = c->is_short || **format == 'h';
        c->is_long = c->is_long || **format != 'h';
    }
    c->letter = **format;
    if (c->letter)
        (*format)++;
    /* Larger numbers are not sensible and would not fit. */
    c->width = c->width > 1024 ? 1024 : c->width;
    c->precision = c->precision > 1024 ? 1024 : c->precision;
    return true;
}

/* Writes the conversion for the host's printf(), with another length modifier. */
static void spell(const struct conversion *c, const char *length, char *text, size_t size)
{
    char width[16] = "", precision[16] = "";

    if (c->width >= 0)
        snprintf(width, sizeof(width), "%d", c->width);
    if (c->precision >= 0)
        snprintf(precision, sizeof(precision), ".%d", c->precision);
    snprintf(text, size, "%%%s%s%s%s%c", c->flags, width, precision, length, c->letter);
}

static uint64_t sized(const struct conversion *c, uint64_t value)
{
    const bool sign = c->letter == 'd' || c->letter == 'i';

    if (c->is_long)
        return value;
    if (c->is_char)
        return sign ? (uint64_t) (int8_t) value : (uint8_t) value;
    if (c->is_short)
        return sign ? (uint64_t) (int16_t) value : (uint16_t) value;
    return sign ? (uint64_t) (int32_t) value : (uint32_t) value;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static bool convert(struct ptx__printing *p, const struct conversion *c)
{
    char spec[64], text[2048], string[1024];
    uint64_t value;
    double real;
    int n = 0;

    switch (c->letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        if (!take(p, c->is_long ? 8 : 4, &value))
            return false;
        spell(c, "ll", spec, sizeof(spec));
        n = snprintf(text, sizeof(text), spec, (unsigned long long) sized(c, value));
        break;
    case 'c':
        if (!take(p, 4, &value))
            return false;
        spell(c, "", spec, sizeof(spec));
        n = snprintf(text, sizeof(text), spec, (int) value);
        break;
    case 'p':
        if (!take(p, 8, &value))
            return false;
        spell(c, "", spec, sizeof(spec));
        n = snprintf(text, sizeof(text), spec, (void *) (uintptr_t) value);
        break;
    case 's':
        if (!take(p, 8, &value) ||
            !ptx__text_at(p->warp, p->op, p->lane, value, string, sizeof(string)))
            return false;
        spell(c, "", spec, sizeof(spec));
        n = snprintf(text, sizeof(text), spec, string);
        break;
    default:
        if (!take(p, 8, &value))
            return false;
        memcpy(&real, &value, sizeof(real));
        spell(c, "", spec, sizeof(spec));
        n = snprintf(text, sizeof(text), spec, real);
        break;
    }
    if (n > 0)
        add(p, text, (size_t) n < sizeof(text) ? (size_t) n : sizeof(text) - 1);
    return true;
}
#pragma GCC diagnostic pop

bool ptx__print(struct ptx__printing *p)
{
    char format[2048];
    const char *at = format;

    if (!ptx__text_at(p->warp, p->op, p->lane, p->format, format, sizeof(format)))
        return false;
    while (*at) {
        const size_t plain = strcspn(at, "%");
        struct conversion conversion;

        add(p, at, plain);
        at += plain;
        if (!*at)
            break;
        at++;
        if (*at == '%') {
            add(p, at++, 1);
            continue;
        }
        if (!parse(p, &at, &conversion))
            return false;
        if (conversion.letter && strchr("diuxXocpsfFeEgGaA", conversion.letter)) {
            if (!convert(p, &conversion))
                return false;
        } else if (conversion.letter) {
            add(p, "%", 1);
            add(p, &conversion.letter, 1);
        }
    }
    return true;
}
