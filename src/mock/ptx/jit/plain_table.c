/* SPDX-License-Identifier: MIT */
/*
 * The table of expressions. Each says in LLVM's words what the handler of that key says in C. a, b,
 * c and e are the operands as integers, imm is the operation's. "(f x)" takes the bits of x as an
 * .f32, "(w x)" those of an .f32 as an integer; g and d do so for .f64. "(? which yes no)" selects.
 * A name that is none of LLVM's is that of another expression, whose operand is x; a, b, c and e
 * are those of the operation there, too.
 */
#include "mock/ptx/jit/plain.h"

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

/* A result of .f64: a NaN is the first of some operands that is one, but quiet; else a new one. */
#define FIRST_NAN(x, others) "(? (uno (g " x ") (g " x ")) " x " " others ")"
#define NEW_NAN              "18444492273895866368"
#define NAN64(others)        "(? (uno x x) (or " others " 2251799813685248) (d x))"
#define GA                   "(g a)"
#define GB                   "(g b)"
#define GC                   "(g c)"

/* Of two numbers the less or greater one; -0 is less than +0. Of a number and a NaN, the number. */
#define LIMIT(f, before, of_equals, a, b)                                                          \
    "(? (uno (" f " " a ") (" f " " a ")) " b " (? (uno (" f " " b ") (" f " " b ")) " a           \
    " (? (or (" before " (" f " " a ") (" f " " b ")) (and (oeq (" f " " a ") (" f " " b           \
    ")) (" of_equals " " a " 0))) " a " " b ")))"
#define EITHER_NAN(a, b, r) "(? (uno (f " a ") (f " b ")) 2147483647 " r ")"
#define LIMITS(name, before, of_equals)                                                            \
    {name ".f32", NAN32("(f " LIMIT("f", before, of_equals, "a", "b") ")")},                       \
        {name ".ftz.f32", NAN32("(f " LIMIT("f", before, of_equals, "(ftz a)", "(ftz b)") ")")},   \
        {name ".NaN.f32", EITHER_NAN("a", "b", LIMIT("f", before, of_equals, "a", "b"))},          \
        {name ".ftz.NaN.f32",                                                                      \
         EITHER_NAN("(ftz a)", "(ftz b)", LIMIT("f", before, of_equals, "(ftz a)", "(ftz b)"))},   \
    {                                                                                              \
        name ".f64", "(quiet " LIMIT("g", before, of_equals, "a", "b") ")"                         \
    }

/*
 * To an integer, from a number that is rounded already: limited to the range of numbers. Of a NaN
 * it is what the caller says.
 */
#define LIMITED(r, nan, low_number, low, high_number, high, convert)                               \
    "(? (uno " r " " r ") " nan " (? (ole " r " " low_number ") " low " (? (oge " r                \
    " " high_number ") " high " (" convert " " r "))))"
#define TO_INTEGERS(mode, r32, r64)                                                                \
    {"cvt." mode ".s32.f32", LIMITED(r32, "0", "(f 3472883712)", "2147483648", "(f 1325400064)",   \
                                     "2147483647", "fptosi.w")},                                   \
        {"cvt." mode ".u32.f32",                                                                   \
         LIMITED(r32, "0", "(f 0)", "0", "(f 1333788672)", "-1", "fptoui.w")},                     \
        {"cvt." mode ".s64.f32",                                                                   \
         LIMITED(r32, "9223372036854775808", "(f 3741319168)", "9223372036854775808",              \
                 "(f 1593835520)", "9223372036854775807", "fptosi.d")},                            \
        {"cvt." mode ".u64.f32",                                                                   \
         LIMITED(r32, "9223372036854775808", "(f 0)", "0", "(f 1602224128)", "-1", "fptoui.d")},   \
        {"cvt." mode ".s32.f64",                                                                   \
         LIMITED(r64, "2147483648", "(g 13970166044103278592)", "2147483648",                      \
                 "(g 4746794007244308480)", "2147483647", "fptosi.w")},                            \
        {"cvt." mode ".u32.f64",                                                                   \
         LIMITED(r64, "2147483648", "(g 0)", "0", "(g 4751297606873776128)", "-1", "fptoui.w")},   \
        {"cvt." mode ".s64.f64",                                                                   \
         LIMITED(r64, "9223372036854775808", "(g 14114281232179134464)", "9223372036854775808",    \
                 "(g 4890909195324358656)", "9223372036854775807", "fptosi.d")},                   \
    {                                                                                              \
        "cvt." mode ".u64.f64", LIMITED(r64, "9223372036854775808", "(g 0)", "0",                  \
                                        "(g 4895412794951729152)", "-1", "fptoui.d")               \
    }

/* Rounded to an integer that stays a number. */
#define ROUNDINGS(mode, how)                                                                       \
    {"cvt." mode ".f32.f32", NAN32("(" how " " FA ")")},                                           \
        {"cvt." mode ".f64.f64", "(nan.a (" how " " GA "))"},                                      \
        TO_INTEGERS(mode, "(" how " " FA ")", "(" how " " GA ")")

/* Divisions; by zero: all ones. */
#define DIVISIONS(type)                                                                            \
    {"div.u" type, "(? (eq b 0) -1 (udiv a (? (eq b 0) 1 b)))"},                                   \
        {"rem.u" type, "(? (eq b 0) -1 (urem a (? (eq b 0) 1 b)))"},                               \
        {"div.s" type, "(? (eq b 0) -1 (? (eq b -1) (sub 0 a) (sdiv a " SAFE_DIVISOR ")))"},       \
    {                                                                                              \
        "rem.s" type, "(? (eq b 0) -1 (srem a " SAFE_DIVISOR "))"                                  \
    }
#define SAFE_DIVISOR "(? (or (eq b 0) (eq b -1)) 1 b)"

/* The high half of a product of 64 bits, from products of halves. */
#define LOW(x)  "(and " x " 4294967295)"
#define HIGH(x) "(lshr " x " 32)"
#define MIDDLE  "(add (mul " HIGH("a") " " LOW("b") ") " HIGH("(mul " LOW("a") " " LOW("b") ")") ")"
#define HIGH_U64                                                                                   \
    "(add (mul " HIGH("a") " " HIGH("b") ") (add " HIGH(MIDDLE) " " HIGH(                          \
        "(add (mul " LOW("a") " " HIGH("b") ") " LOW(MIDDLE) ")") "))"
#define HIGH_S64 "(sub (sub " HIGH_U64 " (? (slt a 0) b 0)) (? (slt b 0) a 0))"

/* bfe and bfi use the low 8 bits of positions and lengths, and of .b64 all of them. */
#define ONES_32(n) "(? (ult (and " n " 255) 32) (sub (shl 1 (and " n " 31)) 1) -1)"
#define ONES_64(n) "(? (ult " n " 64) (sub (shl 1 (zext (and " n " 63))) 1) -1)"
#define P32        "(and b 255)"
#define N32        "(and c 255)"
#define WIDTH      "(? (ult " N32 " (sub 32 " P32 ")) " N32 " (sub 32 " P32 "))"
#define FIELD_32   "(shl " ONES_32("e") " (and c 31))"
#define FIELD_64   "(shl " ONES_64("e") " (zext (and c 63)))"

/* prmt: x is a selector, see exec_bits.c. */
#define CHOSEN "(trunc (lshr (or (shl (zext b) 32) (zext a)) (zext (shl (and x 7) 3))))"

/* .f16 as .f32: numbers are moved to where .f32 has them, and then have the right exponent. */
#define HALF_NUMBER "(w (fmul (f (shl (and x 32767) 13)) (f 2004877312)))"
/* .f32 as .f16, without its sign: subnormal ones are rounded by an addition. */
#define MAGNITUDE "(and x 2147483647)"
#define TO_HALF                                                                                    \
    "(? (ugt " MAGNITUDE " 2139095040) 32767 (? (uge " MAGNITUDE                                   \
    " 1199570944) 31744 (? (ult " MAGNITUDE " 947912704) (sub (w (fadd (f " MAGNITUDE              \
    ") (f 1056964608))) 1056964608) "                                                              \
    "(lshr (add (sub " MAGNITUDE " 939520001) (and (lshr x 13) 1)) 13))))"

static const struct ptx__expression rows[] = {
    /* used by others */
    {"nan", "(? (uno x x) 2147483647 (w x))"},
    {"ftz", "(? (ne (and x 2139095040) 0) x (and x 2147483648))"},
    {"u16", "(and x 65535)"},
    {"s16", "(ashr (shl x 16) 16)"},
    {"u8", "(and x 255)"},
    {"s8", "(ashr (shl x 24) 24)"},
    {"quiet", "(? (uno (g x) (g x)) (or x 2251799813685248) x)"},
    {"nan.a", NAN64(FIRST_NAN("a", NEW_NAN))},
    {"nan.ab", NAN64(FIRST_NAN("a", FIRST_NAN("b", NEW_NAN)))},
    {"nan.ba", NAN64(FIRST_NAN("b", FIRST_NAN("a", NEW_NAN)))},
    {"nan.bca", NAN64(FIRST_NAN("b", FIRST_NAN("c", FIRST_NAN("a", NEW_NAN))))},
    /* 2^x of an .f64, as exec_math.c says it */
    {"power.limited", "(? (olt (g x) (g 13875379345695965184)) 13875379345695965184 (? (ogt "
                      "(g x) (g 4652007308841189376)) 4652007308841189376 x))"},
    {"power.shifted", "(d (fadd (g x) (g 4843621399236968448)))"},
    {"power.rest", "(d (fsub (g x) (fsub (g (power.shifted x)) (g 4843621399236968448))))"},
    {"power.sum", "(d (fadd (fmul (fadd (fmul (fadd (fmul (fadd (fmul (fadd (fmul (fadd "
                  "(fmul (fadd (fmul (fadd (fmul (fadd (fmul (fadd (fmul (fadd (fmul "
                  "(fadd (fmul (fadd (fmul (g 4429314530977698041) (g x)) (g "
                  "4448496323602950534)) (g x)) (g 4467162552695110437)) (g x)) (g "
                  "4485106894419758794)) (g x)) (g 4502282772472522692)) (g x)) (g "
                  "4518847663812495396)) (g x)) (g 4535121250368401607)) (g x)) (g "
                  "4549814923676796807)) (g x)) (g 4563791841266919217)) (g x)) (g "
                  "4576698095722188407)) (g x)) (g 4588159806095007936)) (g x)) (g "
                  "4597823092348339599)) (g x)) (g 4604418534313441775)) (g x)) (g "
                  "4607182418800017408)))"},
    {"power", "(? (uno (g x) (g x)) x (add (power.sum (power.rest (power.limited "
              "x))) (shl (power.shifted (power.limited x)) 52)))"},
    {"upper", "(cut (and x 18446744069414584320))"},
    {"cut", "(? (uno (g x) (g x)) 9223372032559808512 (? (eq (and x 9218868437227405312) 0) (and x "
            "9223372036854775808) x))"},
    {"byte", "(and (? (ne (and x 8) 0) (ashr (shl " CHOSEN " 24) 31) " CHOSEN ") 255)"},
    {"half", "(or (shl (and x 32768) 16) (? (uge (and x 32767) 31744) (or (shl (and x 32767) 13) "
             "2139095040) " HALF_NUMBER "))"},
    {"to.half",
     "(? (ugt " MAGNITUDE " 2139095040) 32767 (or (and (lshr x 16) 32768) " TO_HALF "))"},
    {"to.bfloat", "(? (ugt " MAGNITUDE " 2139095040) 32767 (lshr (add (add x 32767) (and (lshr x "
                  "16) 1)) 16))"},
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
    {"neg.u16", "(u16 (sub 0 a))"},
    {"min.u16", "(u16 (? (ult (u16 a) (u16 b)) a b))"},
    {"max.u16", "(u16 (? (ugt (u16 a) (u16 b)) a b))"},
    {"min.s16", "(u16 (? (slt (s16 a) (s16 b)) a b))"},
    {"max.s16", "(u16 (? (sgt (s16 a) (s16 b)) a b))"},
    {"shl.u16", "(? (ult b 16) (u16 (shl a (and b 15))) 0)"},
    {"shr.u16", "(? (ult b 16) (lshr (u16 a) (and b 15)) 0)"},
    {"shr.s16", "(u16 (ashr (s16 a) (? (ult b 16) b 15)))"},
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
    {"mad.wide.u16", "(add (mul (u16 a) (u16 b)) c)"},
    {"mad.wide.s16", "(add (mul (s16 a) (s16 b)) c)"},
    {"mul.hi.u64", HIGH_U64},
    {"mul.hi.s64", HIGH_S64},
    {"mad.hi.u64", "(add " HIGH_U64 " c)"},
    {"mad.hi.s64", "(add " HIGH_S64 " c)"},
    DIVISIONS("32"),
    DIVISIONS("64"),
    {"mul.hi.u32", "(trunc (lshr (mul (zext a) (zext b)) 32))"},
    {"mul.hi.s32", "(trunc (lshr (mul (sext a) (sext b)) 32))"},
    {"mad.hi.u32", "(add (trunc (lshr (mul (zext a) (zext b)) 32)) c)"},
    {"mad.hi.s32", "(add (trunc (lshr (mul (sext a) (sext b)) 32)) c)"},
    {"popc.u32", "(ctpop a)"},
    {"popc.u64", "(trunc (ctpop a))"},
    {"brev.u32", "(bitreverse a)"},
    {"brev.u64", "(bitreverse a)"},
    {"clz.u32", "(ctlz a)"},
    {"clz.u64", "(trunc (ctlz a))"},
    {"shf.l.wrap.u32", "(fshl b a c)"},
    {"shf.r.wrap.u32", "(fshr b a c)"},
    {"shf.l.clamp.u32", "(? (ult c 32) (fshl b a c) a)"},
    {"shf.r.clamp.u32", "(? (ult c 32) (fshr b a c) b)"},
    {"bfe.u32", "(? (ult " P32 " 32) (and (lshr a (and b 31)) " ONES_32("c") ") 0)"},
    {"bfe.s32", "(? (eq " N32 " 0) 0 (? (ult " P32 " 32) (ashr (shl a (and (sub (sub 32 " P32
                ") " WIDTH ") 31)) (and (sub 32 " WIDTH ") 31)) (ashr a 31)))"},
    {"bfi.u32", "(? (ult " N32 " 32) (or (and b (xor " FIELD_32
                " -1)) (and (shl a (and c 31)) " FIELD_32 ")) b)"},
    {"bfi.u64", "(? (ult c 64) (or (and b (xor " FIELD_64
                " -1)) (and (shl a (zext (and c 63))) " FIELD_64 ")) b)"},
    {"prmt.u32", "(or (or (byte c) (shl (byte (lshr c 4)) 8)) (or (shl (byte (lshr c 8)) 16) (shl "
                 "(byte (lshr c 12)) 24)))"},
    {"selp.u32", "(? (xor c imm) a b)"},
    {"selp.u64", "(? (xor c imm) a b)"},
    {"and.pred", "(and (xor a imm1) (xor b imm2))"},
    {"or.pred", "(or (xor a imm1) (xor b imm2))"},
    {"xor.pred", "(xor (xor a imm1) (xor b imm2))"},
    {"not.pred", "(xor (xor a imm1) -1)"},
    {"mov.pred", "(xor a imm1)"},
    {"address.add", "(add a imm)"},
    /* atomic operations: a is what was there */
    {"atom.exch.u32", "b"},
    {"atom.exch.u64", "b"},
    {"atom.cas.u32", "(? (eq a b) c a)"},
    {"atom.cas.u64", "(? (eq a b) c a)"},
    {"atom.inc.u32", "(? (uge a b) 0 (add a 1))"},
    {"atom.dec.u32", "(? (or (eq a 0) (ugt a b)) b (sub a 1))"},
    {"atom.add.f64", "(nan.ab (fadd " GA " " GB "))"},
    {"atom.kept.f64",
     "(? (uno " GB " " GB ") b (? (uno " GA " " GA ") a (nan.a (fadd " GA " " GB ")))"
     ")"},
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
    {"rcp.ftz.f32", FTZ("(fdiv (f 1065353216) " ZA ")")},
    {"rcp.approx.ftz.f32", FTZ("(fdiv (f 1065353216) " ZA ")")},
    {"rsqrt.f32", NAN32("(fptrunc (fdiv (g 4607182418800017408) (sqrt (fpext " FA "))))")},
    {"rsqrt.ftz.f32", FTZ("(fptrunc (fdiv (g 4607182418800017408) (sqrt (fpext " ZA "))))")},
    {"ex2.f32", NAN32("(fptrunc (g (power (d (fpext " FA ")))))")},
    {"ex2.ftz.f32", FTZ("(fptrunc (g (power (d (fpext " ZA ")))))")},
    {"sat.f32", "(? (ogt " FA " (f 0)) (? (olt " FA " (f 1065353216)) a 1065353216) 0)"},
    LIMITS("min", "olt", "slt"),
    LIMITS("max", "ogt", "sge"),
    /* .f64 */
    {"add.f64", "(nan.ba (fadd " GA " " GB "))"},
    {"sub.f64", "(nan.ba (fsub " GA " " GB "))"},
    {"mul.f64", "(nan.ba (fmul " GA " " GB "))"},
    {"div.f64", "(nan.ab (fdiv " GA " " GB "))"},
    {"fma.f64", "(nan.bca (fma " GA " " GB " " GC "))"},
    {"sqrt.f64", "(nan.a (sqrt " GA "))"},
    {"rcp.f64", "(nan.a (fdiv (g 4607182418800017408) " GA "))"},
    {"rcp.approx.ftz.f64", "(upper (d (fdiv (g 4607182418800017408) (g (upper a)))))"},
    {"neg.f64", "(? (uno " GA " " GA ") (or a 2251799813685248) (xor a 9223372036854775808))"},
    {"abs.f64", "(? (uno " GA " " GA ") (or a 2251799813685248) (and a 9223372036854775807))"},
    {"copysign.f64", "(or (and a 9223372036854775808) (and b 9223372036854775807))"},
    {"sat.f64",
     "(? (ogt " GA " (g 0)) (? (olt " GA " (g 4607182418800017408)) a 4607182418800017408) 0)"},
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
    /* conversions of numbers; what becomes of a NaN is said here, as LLVM leaves that open */
    {"cvt.f64.f32", "(? (uno " FA " " FA ") (or (shl (zext (and a 2147483648)) 32) (or "
                    "9221120237041090560 (shl (zext (and a 8388607)) 29))) (d (fpext " FA ")))"},
    {"cvt.rn.f32.f64", "(? (uno " GA " " GA
                       ") (or (or (trunc (lshr (and a 9223372036854775808) 32)) 2143289344) (and "
                       "(trunc (lshr a 29)) 8388607)) (w (fptrunc " GA ")))"},
    {"cvt.f32.f16", "(nan (f (half a)))"},
    {"cvt.f32.bf16", "(shl a 16)"},
    {"cvt.rn.f16.f32", "(to.half a)"},
    {"cvt.rn.bf16.f32", "(to.bfloat a)"},
    ROUNDINGS("rni", "rint"),
    ROUNDINGS("rzi", "truncate"),
    ROUNDINGS("rmi", "floor"),
    ROUNDINGS("rpi", "ceil"),
};

const struct ptx__expression *ptx__plain_row(const char *key, size_t length)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (strlen(rows[i].key) == length && !memcmp(rows[i].key, key, length))
            return &rows[i];
    }
    return NULL;
}
