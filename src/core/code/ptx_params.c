/* SPDX-License-Identifier: MIT */
#include "core/code/ptx_params.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* A token is a word including its dots, or one other character. Length 0 is the end of the text. */
struct token {
    const char *text;
    size_t length;
};

static bool is_word(char c)
{
    return isalnum((unsigned char) c) || (c && strchr("_$.%", c));
}

static const char *skip_space(const char *p)
{
    for (;;) {
        if (isspace((unsigned char) *p))
            p++;
        else if (p[0] == '/' && p[1] == '/')
            p += strcspn(p, "\n");
        else if (p[0] == '/' && p[1] == '*')
            p = strstr(p + 2, "*/") ? strstr(p + 2, "*/") + 2 : p + strlen(p);
        else
            return p;
    }
}

static struct token next(const char **p)
{
    struct token token = {.text = skip_space(*p)};

    if (*token.text)
        token.length = 1;
    while (token.length && is_word(*token.text) && is_word(token.text[token.length]))
        token.length++;
    *p = token.text + token.length;
    return token;
}

static bool is(struct token token, const char *word)
{
    return strlen(word) == token.length && !memcmp(token.text, word, token.length);
}

/* Returns the size of a type such as ".u64", or 0 if the token is no type. */
static uint32_t type_size(struct token token)
{
    static const struct {
        const char *types;
        uint32_t size;
    } sizes[] = {
        {".u8 .s8 .b8 ", 1},
        {".u16 .s16 .b16 .f16 .bf16 ", 2},
        {".u32 .s32 .b32 .f32 .f16x2 .bf16x2 ", 4},
        {".u64 .s64 .b64 .f64 .texref .samplerref .surfref ", 8},
        {".b128 ", 16},
    };

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
        for (const char *type = sizes[i].types; *type; type += strcspn(type, " ") + 1)
            if (token.length == strcspn(type, " ") && !memcmp(type, token.text, token.length))
                return sizes[i].size;
    return 0;
}

/* Reads one declaration up to the "," or ")" that ends it, and returns that token. */
static struct token read_param(const char **p, struct token token, uint32_t *ret_align,
                               uint32_t *ret_size)
{
    uint32_t size = 0, count = 1, align = 0;
    bool pointer = false;

    for (; token.length && !is(token, ",") && !is(token, ")"); token = next(p)) {
        /* In ".ptr .global .align 4", the alignment is that of the memory, not of the pointer. */
        pointer |= is(token, ".ptr");
        if (is(token, ".align")) {
            token = next(p);
            align = pointer ? align : (uint32_t) strtoul(token.text, NULL, 0);
        } else if (is(token, "[")) {
            token = next(p);
            count = (uint32_t) strtoul(token.text, NULL, 0);
        } else if (!size) {
            size = type_size(token);
        }
    }
    *ret_align = align ? align : size;
    *ret_size = size * count;
    return token;
}

static int read_list(const char *p, struct cushim__param *params, size_t capacity)
{
    struct token token = next(&p);
    uint32_t offset = 0;
    size_t n = 0;

    if (!is(token, "("))
        return 0;
    token = next(&p);
    while (!is(token, ")")) {
        uint32_t align, size;

        token = read_param(&p, token, &align, &size);
        if (!token.length || !size || (align & (align - 1)))
            return -1;
        offset = (offset + align - 1) & ~(align - 1);
        if (n < capacity)
            params[n] = (struct cushim__param){offset, size};
        n++;
        offset += size;
        if (is(token, ","))
            token = next(&p);
    }
    return (int) n;
}

int cushim__ptx_params(const char *ptx, const char *entry, struct cushim__param *params,
                       size_t capacity)
{
    const char *p = ptx;

    for (struct token token = next(&p); token.length; token = next(&p))
        if (is(token, ".entry") && is(next(&p), entry))
            return read_list(p, params, capacity);
    return -1;
}
