/* SPDX-License-Identifier: MIT */
/* Writing the expressions of plain_table.c. */
#include "mock/ptx/jit/plain.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* Tells whether a letter stands alone in an expression: an operand, and not part of a name. */
static bool names(const char *text, char letter)
{
    for (const char *at = text; (at = strchr(at, letter)); at++) {
        const char before = at == text ? ' ' : at[-1];

        if (before == ' ' && (!at[1] || at[1] == ' ' || at[1] == ')'))
            return true;
    }
    return false;
}

unsigned ptx__plain_operands(const struct ptx__expression *expression)
{
    return names(expression->text, 'e')   ? 4
           : names(expression->text, 'c') ? 3
           : names(expression->text, 'b') ? 2
                                          : 1;
}

/* --- numbers of .f32 --- */

static const char device_nan[] = "(nan ";

bool ptx__plain_makes_number(const struct ptx__expression *expression)
{
    return !strncmp(expression->text, device_nan, strlen(device_nan));
}

static bool is_behind(const char *text, const char *at, const char *what)
{
    const size_t length = strlen(what);

    return (size_t) (at - text) >= length && !memcmp(at - length, what, length);
}

/* Each operand is "(f a)" or "(f (ftz a))", and what comes of a NaN does not depend on its bits. */
bool ptx__plain_takes_numbers(const struct ptx__expression *expression)
{
    const char *text = expression->text;

    for (const char *at = text; *at; at++) {
        const bool operand = strchr("abce", *at) && at != text && strchr(" ", at[-1]) &&
                             (!at[1] || strchr(" )", at[1]));

        if (operand && !is_behind(text, at, "(f ") && !is_behind(text, at, "(f (ftz "))
            return false;
    }
    return strncmp(text, "(w ", 3) && strlen(text) > 1;
}

/* --- writing it --- */

struct writing {
    struct ptx__jit_text *text;
    const struct ptx__jit_operands *operands;
    struct ptx__jit_value x; /* of an expression that another one uses */
    const char *at;
};

static struct ptx__jit_value write_one(struct writing *writing);

static size_t word_length(const char *at)
{
    return strcspn(at, " ()");
}

static bool is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && !memcmp(word, name, length);
}

/* A bit of imm as a predicate's lanes are negated. */
static struct ptx__jit_value negation(const struct writing *writing, unsigned bit)
{
    return ptx__jit_number(PTX__JIT_I1, writing->operands->imm & bit ? 1 : 0);
}

static struct ptx__jit_value write_atom(struct writing *writing)
{
    const char *word = writing->at;
    const size_t length = word_length(word);

    writing->at += length;
    if (length == 1 && *word >= 'a' && *word <= 'c')
        return writing->operands->slots[*word - 'a'];
    if (is(word, length, "e"))
        return writing->operands->slots[3];
    if (is(word, length, "x"))
        return writing->x;
    if (is(word, length, "imm"))
        return ptx__jit_number(PTX__JIT_ANY, writing->operands->imm);
    if (is(word, length, "imm1"))
        return negation(writing, 1);
    if (is(word, length, "imm2"))
        return negation(writing, 2);
    return ptx__jit_number(PTX__JIT_ANY, strtoull(word, NULL, 10));
}

static const struct cast {
    const char *name, *instruction;
    uint8_t type;
} casts[] = {
    {"f", "bitcast", PTX__JIT_FLOAT},        {"w", "bitcast", PTX__JIT_I32},
    {"g", "bitcast", PTX__JIT_DOUBLE},       {"d", "bitcast", PTX__JIT_I64},
    {"zext", "zext", PTX__JIT_I64},          {"sext", "sext", PTX__JIT_I64},
    {"trunc", "trunc", PTX__JIT_I32},        {"sitofp.f", "sitofp", PTX__JIT_FLOAT},
    {"uitofp.f", "uitofp", PTX__JIT_FLOAT},  {"sitofp.g", "sitofp", PTX__JIT_DOUBLE},
    {"uitofp.g", "uitofp", PTX__JIT_DOUBLE}, {"fptosi.w", "fptosi", PTX__JIT_I32},
    {"fptoui.w", "fptoui", PTX__JIT_I32},    {"fptosi.d", "fptosi", PTX__JIT_I64},
    {"fptoui.d", "fptoui", PTX__JIT_I64},    {"fpext", "fpext", PTX__JIT_DOUBLE},
    {"fptrunc", "fptrunc", PTX__JIT_FLOAT},
};

static const char *const binaries[] = {"add",  "sub",  "mul",  "and",  "or",   "xor",
                                       "shl",  "lshr", "ashr", "fadd", "fsub", "fmul",
                                       "fdiv", "udiv", "sdiv", "urem", "srem"};
static const struct intrinsic {
    const char *name, *of_llvm;
} intrinsics[] = {{"fma", "fma"},
                  {"sqrt", "sqrt"},
                  {"ctpop", "ctpop"},
                  {"fshl", "fshl"},
                  {"bitreverse", "bitreverse"},
                  {"fshr", "fshr"},
                  {"rint", "rint"},
                  {"truncate", "trunc"},
                  {"floor", "floor"},
                  {"ceil", "ceil"},
                  {"ctlz", "ctlz"}};
static const char *const of_integers[] = {"eq",  "ne",  "ult", "ule", "ugt",
                                          "uge", "slt", "sle", "sgt", "sge"};
static const char *const of_floats[] = {"oeq", "one", "olt", "ole", "ogt", "oge", "ueq",
                                        "une", "ult", "ule", "ugt", "uge", "ord", "uno"};

static const char *among(const char *const *names_of, size_t n, const char *word, size_t length)
{
    for (size_t i = 0; i < n; i++) {
        if (is(word, length, names_of[i]))
            return names_of[i];
    }
    return NULL;
}

/* Comparisons of numbers and of integers share names; the operands tell which is meant. */
static struct ptx__jit_value write_comparison(struct writing *writing, const char *word,
                                              size_t length, const struct ptx__jit_value *v,
                                              bool *ret_done)
{
    const bool floats = v[0].type >= PTX__JIT_FLOAT;
    const char *name = floats ? among(of_floats, ARRAY_SIZE(of_floats), word, length)
                              : among(of_integers, ARRAY_SIZE(of_integers), word, length);
    char text[16] = "";

    *ret_done = name;
    if (!name)
        return v[0];
    strcat(strcpy(text, floats ? "fcmp " : "icmp "), name);
    return ptx__jit_compare(writing->text, text, v[0], v[1]);
}

static struct ptx__jit_value apply(struct writing *writing, const char *word, size_t length,
                                   unsigned n, const struct ptx__jit_value *v)
{
    const char *name;
    struct ptx__jit_value r;
    struct writing inner = *writing;
    bool done;

    if (is(word, length, "?"))
        return ptx__jit_select(writing->text, v[0], v[1], v[2]);
    for (size_t i = 0; n == 1 && i < ARRAY_SIZE(casts); i++) {
        if (is(word, length, casts[i].name))
            return ptx__jit_cast(writing->text, casts[i].instruction, v[0], casts[i].type);
    }
    for (size_t i = 0; i < ARRAY_SIZE(intrinsics); i++) {
        if (is(word, length, intrinsics[i].name))
            return ptx__jit_intrinsic(writing->text, intrinsics[i].of_llvm, n, v);
    }
    if (n == 2 && (name = among(binaries, ARRAY_SIZE(binaries), word, length)))
        return ptx__jit_binary(writing->text, name, v[0], v[1]);
    r = write_comparison(writing, word, length, v, &done);
    if (done)
        return r;
    inner.x = v[0];
    inner.at = ptx__plain_row(word, length)->text;
    return write_one(&inner);
}

static struct ptx__jit_value write_one(struct writing *writing)
{
    struct ptx__jit_value v[3], r;
    const char *word;
    size_t length;
    unsigned n = 0;

    while (*writing->at == ' ')
        writing->at++;
    if (*writing->at != '(')
        return write_atom(writing);
    word = ++writing->at;
    length = word_length(word);
    writing->at += length;
    while (*writing->at == ' ' && n < 3)
        v[n++] = write_one(writing);
    writing->at++;
    r = apply(writing, word, length, n, v);
    return r;
}

struct ptx__jit_value ptx__plain_write(struct ptx__jit_text *text,
                                       const struct ptx__expression *expression,
                                       const struct ptx__jit_operands *operands)
{
    struct writing writing = {.text = text, .operands = operands, .at = expression->text};

    return write_one(&writing);
}

struct ptx__jit_value ptx__plain_write_number(struct ptx__jit_text *text,
                                              const struct ptx__expression *expression,
                                              const struct ptx__jit_operands *operands)
{
    struct writing writing = {
        .text = text, .operands = operands, .at = expression->text + strlen(device_nan)};

    return ptx__jit_cast(text, "bitcast", write_one(&writing), PTX__JIT_I32);
}

struct ptx__jit_value ptx__plain_settle(struct ptx__jit_text *text, struct ptx__jit_value value)
{
    struct writing writing = {.text = text,
                              .x = ptx__jit_cast(text, "bitcast", value, PTX__JIT_FLOAT),
                              .at = ptx__plain_row("nan", 3)->text};

    return write_one(&writing);
}
