/* SPDX-License-Identifier: MIT */
/*
 * The table of expressions. Each says in LLVM's words what the handler of that key says in C. a, b
 * and c are the operands as integers, imm is the operation's. "(f x)" takes the bits of x as an
 * .f32, "(w x)" those of an .f32 as an integer; g and d do so for .f64. "(? which yes no)" selects.
 * A name that is none of LLVM's is that of another expression, whose operand is x.
 */
#include "mock/ptx/jit/plain.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* An .f32 as the result of an operation: any NaN becomes the one of the hardware. */
#define NAN32(x) "(nan " x ")"
#define FA       "(f a)"
#define FB       "(f b)"
#define FC       "(f c)"
/* The same with subnormal numbers as zeros, before and after. */
#define FTZ(x) "(ftz (nan " x "))"
#define ZA     "(f (ftz a))"
#define ZB     "(f (ftz b))"
#define ZC     "(f (ftz c))"

#define COMPARED(prefix, type, a, b)                                                               \
    {"setp.eq." prefix type, "(oeq " a " " b ")"}, {"setp.ne." prefix type, "(one " a " " b ")"},  \
        {"setp.lt." prefix type, "(olt " a " " b ")"},                                             \
        {"setp.le." prefix type, "(ole " a " " b ")"},                                             \
        {"setp.gt." prefix type, "(ogt " a " " b ")"},                                             \
        {"setp.ge." prefix type, "(oge " a " " b ")"},                                             \
        {"setp.equ." prefix type, "(ueq " a " " b ")"},                                            \
        {"setp.neu." prefix type, "(une " a " " b ")"},                                            \
        {"setp.ltu." prefix type, "(ult " a " " b ")"},                                            \
        {"setp.leu." prefix type, "(ule " a " " b ")"},                                            \
        {"setp.gtu." prefix type, "(ugt " a " " b ")"},                                            \
        {"setp.geu." prefix type, "(uge " a " " b ")"},                                            \
        {"setp.num." prefix type, "(ord " a " " b ")"},                                            \
    {                                                                                              \
        "setp.nan." prefix type, "(uno " a " " b ")"                                               \
    }

#define WRAPPING(type)                                                                             \
    {"add." type, "(add a b)"}, {"sub." type, "(sub a b)"}, {"mul.lo." type, "(mul a b)"},         \
        {"mad.lo." type, "(add (mul a b) c)"}, {"neg." type, "(sub 0 a)"},                         \
        {"not." type, "(xor a -1)"}, {"mov." type, "a"}, {"and." type, "(and a b)"},               \
        {"or." type, "(or a b)"}, {"xor." type, "(xor a b)"}, {"setp.eq." type, "(eq a b)"},       \
    {                                                                                              \
        "setp.ne." type, "(ne a b)"                                                                \
    }

#define ORDERED(type, sign)                                                                        \
    {"min." type, "(? (" sign "lt a b) a b)"}, {"max." type, "(? (" sign "gt a b) a b)"},          \
        {"setp.lt." type, "(" sign "lt a b)"}, {"setp.le." type, "(" sign "le a b)"},              \
        {"setp.gt." type, "(" sign "gt a b)"},                                                     \
    {                                                                                              \
        "setp.ge." type, "(" sign "ge a b)"                                                        \
    }

static const struct ptx__expression rows[] = {
    /* used by others */
    {"nan", "(? (uno x x) 2147483647 (w x))"},
    {"ftz", "(? (ne (and x 2139095040) 0) x (and x 2147483648))"},
    {"u16", "(and x 65535)"},
    {"s16", "(ashr (shl x 16) 16)"},
    {"u8", "(and x 255)"},
    {"s8", "(ashr (shl x 24) 24)"},
    /* integers */
    WRAPPING("u32"),
    WRAPPING("u64"),
    ORDERED("u32", "u"),
    ORDERED("s32", "s"),
    ORDERED("u64", "u"),
    ORDERED("s64", "s"),
    {"add.u16", "(u16 (add a b))"},
    {"sub.u16", "(u16 (sub a b))"},
    {"mul.lo.u16", "(u16 (mul a b))"},
    {"mad.lo.u16", "(u16 (add (mul a b) c))"},
    {"mov.u16", "(u16 a)"},
    {"and.u16", "(u16 (and a b))"},
    {"or.u16", "(u16 (or a b))"},
    {"xor.u16", "(u16 (xor a b))"},
    {"not.u16", "(u16 (xor a -1))"},
    {"setp.eq.u16", "(eq (u16 a) (u16 b))"},
    {"setp.ne.u16", "(ne (u16 a) (u16 b))"},
    {"setp.lt.u16", "(ult (u16 a) (u16 b))"},
    {"setp.le.u16", "(ule (u16 a) (u16 b))"},
    {"setp.gt.u16", "(ugt (u16 a) (u16 b))"},
    {"setp.ge.u16", "(uge (u16 a) (u16 b))"},
    {"setp.lt.s16", "(slt (s16 a) (s16 b))"},
    {"setp.le.s16", "(sle (s16 a) (s16 b))"},
    {"setp.gt.s16", "(sgt (s16 a) (s16 b))"},
    {"setp.ge.s16", "(sge (s16 a) (s16 b))"},
    {"abs.s32", "(? (slt a 0) (sub 0 a) a)"},
    {"abs.s64", "(? (slt a 0) (sub 0 a) a)"},
    {"shl.u32", "(? (ult b 32) (shl a (and b 31)) 0)"},
    {"shr.u32", "(? (ult b 32) (lshr a (and b 31)) 0)"},
    {"shr.s32", "(ashr a (? (ult b 32) b 31))"},
    {"shl.u64", "(? (ult b 64) (shl a (zext (and b 63))) 0)"},
    {"shr.u64", "(? (ult b 64) (lshr a (zext (and b 63))) 0)"},
    {"shr.s64", "(ashr a (zext (? (ult b 64) b 63)))"},
    {"mul.wide.u32", "(mul (zext a) (zext b))"},
    {"mul.wide.s32", "(mul (sext a) (sext b))"},
    {"mad.wide.u32", "(add (mul (zext a) (zext b)) c)"},
    {"mad.wide.s32", "(add (mul (sext a) (sext b)) c)"},
    {"mul.wide.u16", "(mul (u16 a) (u16 b))"},
    {"mul.wide.s16", "(mul (s16 a) (s16 b))"},
    {"mul.hi.u32", "(trunc (lshr (mul (zext a) (zext b)) 32))"},
    {"mul.hi.s32", "(trunc (lshr (mul (sext a) (sext b)) 32))"},
    {"mad.hi.u32", "(add (trunc (lshr (mul (zext a) (zext b)) 32)) c)"},
    {"mad.hi.s32", "(add (trunc (lshr (mul (sext a) (sext b)) 32)) c)"},
    {"popc.u32", "(ctpop a)"},
    {"brev.u32", "(bitreverse a)"},
    {"selp.u32", "(? (xor c imm) a b)"},
    {"selp.u64", "(? (xor c imm) a b)"},
    {"and.pred", "(and (xor a imm1) (xor b imm2))"},
    {"or.pred", "(or (xor a imm1) (xor b imm2))"},
    {"xor.pred", "(xor (xor a imm1) (xor b imm2))"},
    {"not.pred", "(xor (xor a imm1) -1)"},
    {"mov.pred", "(xor a imm1)"},
    {"address.add", "(add a imm)"},
    /* conversions between integers */
    {"cvt.u32.u8", "(u8 a)"},
    {"cvt.u16.u8", "(u8 a)"},
    {"cvt.u32.s8", "(s8 a)"},
    {"cvt.u16.s8", "(u16 (s8 a))"},
    {"cvt.u32.u16", "(u16 a)"},
    {"cvt.u32.s16", "(s16 a)"},
    {"cvt.u64.u8", "(zext (u8 a))"},
    {"cvt.u64.s8", "(sext (s8 a))"},
    {"cvt.u64.u16", "(zext (u16 a))"},
    {"cvt.u64.s16", "(sext (s16 a))"},
    {"cvt.u64.u32", "(zext a)"},
    {"cvt.u64.s32", "(sext a)"},
    {"cvt.u32.u64", "(trunc a)"},
    {"cvt.u16.u64", "(u16 (trunc a))"},
    {"cvt.u8.u64", "(u8 (trunc a))"},
    {"cvt.u16.u32", "(u16 a)"},
    {"cvt.u8.u32", "(u8 a)"},
    /* .f32 */
    {"add.f32", NAN32("(fadd " FA " " FB ")")},
    {"sub.f32", NAN32("(fsub " FA " " FB ")")},
    {"mul.f32", NAN32("(fmul " FA " " FB ")")},
    {"div.f32", NAN32("(fdiv " FA " " FB ")")},
    {"div.full.f32", NAN32("(fdiv " FA " " FB ")")},
    {"fma.f32", NAN32("(fma " FA " " FB " " FC ")")},
    {"sqrt.f32", NAN32("(sqrt " FA ")")},
    {"sqrt.approx.f32", NAN32("(sqrt " FA ")")},
    {"rcp.f32", NAN32("(fdiv (f 1065353216) " FA ")")},
    {"rcp.approx.f32", NAN32("(fdiv (f 1065353216) " FA ")")},
    {"add.ftz.f32", FTZ("(fadd " ZA " " ZB ")")},
    {"sub.ftz.f32", FTZ("(fsub " ZA " " ZB ")")},
    {"mul.ftz.f32", FTZ("(fmul " ZA " " ZB ")")},
    {"div.ftz.f32", FTZ("(fdiv " ZA " " ZB ")")},
    {"div.full.ftz.f32", FTZ("(fdiv " ZA " " ZB ")")},
    {"fma.ftz.f32", FTZ("(fma " ZA " " ZB " " ZC ")")},
    {"sqrt.ftz.f32", FTZ("(sqrt " ZA ")")},
    {"sqrt.approx.ftz.f32", FTZ("(sqrt " ZA ")")},
    {"neg.f32", NAN32("(f (xor a 2147483648))")},
    {"abs.f32", NAN32("(f (and a 2147483647))")},
    {"neg.ftz.f32", FTZ("(f (xor a 2147483648))")},
    {"abs.ftz.f32", FTZ("(f (and a 2147483647))")},
    {"copysign.f32", "(or (and a 2147483648) (and b 2147483647))"},
    {"ftz.f32", "(ftz a)"},
    {"flush.f32", "(ftz (nan (f a)))"},
    COMPARED("", "f32", FA, FB),
    COMPARED("ftz.", "f32", ZA, ZB),
    COMPARED("", "f64", "(g a)", "(g b)"),
    /* conversions from integers: rounded to nearest, as the host does */
    {"cvt.rn.f32.s32", "(w (sitofp.f a))"},
    {"cvt.rn.f32.u32", "(w (uitofp.f a))"},
    {"cvt.rn.f64.s32", "(d (sitofp.g a))"},
    {"cvt.rn.f64.u32", "(d (uitofp.g a))"},
    {"cvt.rn.f32.s64", "(w (sitofp.f a))"},
    {"cvt.rn.f32.u64", "(w (uitofp.f a))"},
    {"cvt.rn.f64.s64", "(d (sitofp.g a))"},
    {"cvt.rn.f64.u64", "(d (uitofp.g a))"},
};

/* --- finding one --- */

static const struct ptx__expression *find(const char *key, size_t length)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (strlen(rows[i].key) == length && !memcmp(rows[i].key, key, length))
            return &rows[i];
    }
    return NULL;
}

const struct ptx__expression *ptx__plain_find(const char *key)
{
    return find(key, strlen(key));
}

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
    return names(expression->text, 'c') ? 3 : names(expression->text, 'b') ? 2 : 1;
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
    {"uitofp.g", "uitofp", PTX__JIT_DOUBLE},
};

static const char *const binaries[] = {"add",  "sub",  "mul",  "and",  "or",   "xor",
                                       "shl",  "lshr", "ashr", "fadd", "fsub", "fmul",
                                       "fdiv", "udiv", "sdiv", "urem", "srem"};
static const char *const intrinsics[] = {"fma", "sqrt", "ctpop", "bitreverse"};
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
    if ((name = among(intrinsics, ARRAY_SIZE(intrinsics), word, length)))
        return ptx__jit_intrinsic(writing->text, name, n, v);
    if (n == 2 && (name = among(binaries, ARRAY_SIZE(binaries), word, length)))
        return ptx__jit_binary(writing->text, name, v[0], v[1]);
    r = write_comparison(writing, word, length, v, &done);
    if (done)
        return r;
    inner.x = v[0];
    inner.at = find(word, length)->text;
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
