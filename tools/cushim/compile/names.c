/* SPDX-License-Identifier: MIT */
#include "names.h"

#include <ctype.h>
#include <string.h>

#include "base/util.h"

/* A word, or one other character. Length 0 is the end of the text. */
struct token {
    const char *text;
    size_t length;
};

static bool is_word(char c)
{
    return isalnum((unsigned char) c) || c == '_';
}

/* A directive of the preprocessor ends with its line, unless a backslash continues it. */
static const char *skip_directive(const char *p)
{
    while (*p && *p != '\n')
        p += p[0] == '\\' && p[1] ? 2 : 1;
    return p;
}

static const char *skip_string(const char *p)
{
    const char quote = *p++;

    while (*p && *p != quote && *p != '\n')
        p += p[0] == '\\' && p[1] ? 2 : 1;
    return *p == quote ? p + 1 : p;
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
        else if (*p == '#')
            p = skip_directive(p);
        else
            return p;
    }
}

static struct token next(const char **p)
{
    struct token token = {.text = skip_space(*p)};

    if (is_word(*token.text))
        while (is_word(token.text[token.length]))
            token.length++;
    else if (*token.text == '"' || *token.text == '\'')
        token.length = (size_t) (skip_string(token.text) - token.text);
    else
        token.length = *token.text ? 1 : 0;
    *p = token.text + token.length;
    return token;
}

static bool is(struct token token, const char *word)
{
    return strlen(word) == token.length && !memcmp(token.text, word, token.length);
}

static bool is_name(struct token token)
{
    return token.length && is_word(*token.text) && !isdigit((unsigned char) *token.text);
}

/* Reads on to the "(" of a kernel's parameters, or to what ends the beginning of another kernel. */
static bool is_list_of(const char **p, const char *name)
{
    struct token before, token = next(p);

    while (token.length && !is(token, ";") && !is(token, "{")) {
        before = token;
        token = next(p);
        if (is(before, name) && is(token, "("))
            return true;
    }
    return false;
}

/* Finds the "(" of the parameters of a kernel, behind the next "__global__ ... name". */
static bool find_list(const char **p, const char *name)
{
    for (struct token token = next(p); token.length; token = next(p))
        if (is(token, "__global__") && is_list_of(p, name))
            return true;
    return false;
}

/* Words that a parameter without a name may end with. */
static bool is_type_word(struct token token)
{
    static const char *const words[] = {"bool",   "char",     "short",  "int",         "long",
                                        "signed", "unsigned", "float",  "double",      "void",
                                        "const",  "volatile", "struct", "__restrict__"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (is(token, words[i]))
            return true;
    return false;
}

/*
 * Reads up to the "," or ")" that ends a parameter. Its name is the last word before "=" or "[", or
 * the word behind "(*". The first word is part of the type.
 */
static struct token read_parameter(const char **p, struct token *ret_name)
{
    struct token token = next(p), before = {.length = 0}, name = {.length = 0};
    bool complete = false;
    int depth = 0;

    for (; token.length; before = token, token = next(p)) {
        if (!depth && (is(token, ",") || is(token, ")")))
            break;
        depth += strchr("(<[{", *token.text) != NULL;
        complete |= is(token, "=") || is(token, "[");
        if (!complete && (!depth || is(before, "*"))) {
            name = (struct token){.length = 0};
            if (is_name(token) && before.length && !is_type_word(token))
                name = token;
            complete = depth && name.length;
        }
        depth -= strchr(")>]}", *token.text) != NULL;
    }
    *ret_name = name;
    return token;
}

static size_t read_list(const char *p, struct token *names)
{
    struct token end;
    size_t n = 0;

    do {
        if (n == MOST_PARAMETERS)
            return 0;
        end = read_parameter(&p, &names[n++]);
    } while (is(end, ","));
    return is(end, ")") ? n : 0;
}

/* Words that the written macro uses itself, and that C has and C++ does not. */
static bool is_taken(const char *name)
{
    static const char *const words[] = {"stream", "config", "arguments", "restrict"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (!strcmp(name, words[i]))
            return true;
    return !strncmp(name, "CUSHIM_", strlen("CUSHIM_")) ||
           !strncmp(name, "cushim__", strlen("cushim__"));
}

/* Takes the names over if each is one, and all differ: "float x" without a name ends with a type.
 */
static bool take_names(struct cushim__arena *arena, const struct token *names,
                       struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->n; i++) {
        const char *name =
            cushim__arena_printf(arena, "%.*s", (int) names[i].length, names[i].text);

        if (!*name)
            return false;
        for (size_t k = 0; k < i; k++)
            if (!strcmp(kernel->parameters[k], name))
                return false;
        kernel->parameters[i] = is_taken(name) ? cushim__arena_printf(arena, "%s_", name) : name;
    }
    return true;
}

void name_parameters(struct cushim__arena *arena, const char *text, const char *name,
                     struct kernel *kernel)
{
    struct token names[MOST_PARAMETERS];
    const char *p = text;

    while (find_list(&p, name))
        if (read_list(p, names) == kernel->n && take_names(arena, names, kernel))
            return;
    for (size_t i = 0; i < kernel->n; i++)
        kernel->parameters[i] = cushim__arena_printf(arena, "argument_%zu", i);
}
