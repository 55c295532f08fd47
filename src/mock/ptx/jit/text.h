/* SPDX-License-Identifier: MIT */
/*
 * Writing text in LLVM's language: values, and the instructions that make them (text.c), those that
 * take vectors apart among them (text_lanes.c).
 */
#ifndef CUSHIM_MOCK_PTX_JIT_TEXT_H
#define CUSHIM_MOCK_PTX_JIT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* The kind of a value, or of each lane's. */
enum ptx__jit_type {
    PTX__JIT_I1,
    PTX__JIT_I8,
    PTX__JIT_I16,
    PTX__JIT_I32,
    PTX__JIT_I64,
    PTX__JIT_FLOAT,
    PTX__JIT_DOUBLE,
    PTX__JIT_ANY, /* of a literal: that of the other operand */
};

struct ptx__jit_value {
    uint8_t type;
    uint8_t lanes;   /* of a vector; 0: a scalar */
    bool literal;    /* a number, also as the same number in all lanes */
    bool address;    /* a literal, whose number is that of an address outside of the text */
    uint64_t number; /* the literal, or the value's number */
};

struct ptx__jit_text {
    struct cushim__str text;
    uint64_t next; /* the number of the next value */
    bool typed;    /* pointers have types, as in version 14 */
};

/* Appends text as it stands. */
void ptx__jit_say(struct ptx__jit_text *text, const char *format, ...) CUSHIM_PRINTF(2, 3);

/* Appends a type, or a pointer to it; a value; or both. */
void ptx__jit_say_type(struct ptx__jit_text *text, unsigned type, unsigned lanes);
void ptx__jit_say_pointer(struct ptx__jit_text *text, unsigned type, unsigned lanes);
void ptx__jit_say_value(struct ptx__jit_text *text, struct ptx__jit_value value);
void ptx__jit_say_typed(struct ptx__jit_text *text, struct ptx__jit_value value);

struct ptx__jit_value ptx__jit_number(unsigned type, uint64_t number);

/*
 * An address outside of the text, by its number: @a0, @a1 and so on, which whoever loads the
 * machine code knows. So the text is the same in all processes.
 */
struct ptx__jit_value ptx__jit_outside(uint64_t number);

/* Begins an instruction that makes a value: what comes after "=" is the caller's. */
struct ptx__jit_value ptx__jit_begin(struct ptx__jit_text *text, unsigned type, unsigned lanes);

/* Returns the value in all lanes, if it is a scalar. */
struct ptx__jit_value ptx__jit_splat(struct ptx__jit_text *text, struct ptx__jit_value value,
                                     unsigned lanes);

/*
 * Instructions. A literal takes the type of the other operand, and a scalar beside a vector is put
 * into all lanes.
 */
struct ptx__jit_value ptx__jit_binary(struct ptx__jit_text *text, const char *name,
                                      struct ptx__jit_value a, struct ptx__jit_value b);
struct ptx__jit_value ptx__jit_compare(struct ptx__jit_text *text, const char *name,
                                       struct ptx__jit_value a, struct ptx__jit_value b);
struct ptx__jit_value ptx__jit_cast(struct ptx__jit_text *text, const char *name,
                                    struct ptx__jit_value value, unsigned type);
struct ptx__jit_value ptx__jit_select(struct ptx__jit_text *text, struct ptx__jit_value which,
                                      struct ptx__jit_value yes, struct ptx__jit_value no);
struct ptx__jit_value ptx__jit_intrinsic(struct ptx__jit_text *text, const char *name, unsigned n,
                                         const struct ptx__jit_value *operands);

/* A scalar of a vector. */
struct ptx__jit_value ptx__jit_lane(struct ptx__jit_text *text, struct ptx__jit_value vector,
                                    struct ptx__jit_value lane);

/*
 * Some lanes of one vector, and then some of another; a vector of scalars; and all 32 lanes of .b32
 * as one value.
 */
struct ptx__jit_value ptx__jit_shuffled(struct ptx__jit_text *text, struct ptx__jit_value a,
                                        struct ptx__jit_value b, unsigned n, const unsigned *lanes);
struct ptx__jit_value ptx__jit_joined(struct ptx__jit_text *text, unsigned n,
                                      const struct ptx__jit_value *scalars);
struct ptx__jit_value ptx__jit_reduced(struct ptx__jit_text *text, const char *name,
                                       struct ptx__jit_value values);

/*
 * Puts the parts of a vector together by "or", each of 256 bits. Whether all bits are zero, or the
 * highest one of each lane.
 */
struct ptx__jit_value ptx__jit_folded(struct ptx__jit_text *text, struct ptx__jit_value vector);
struct ptx__jit_value ptx__jit_all_zero(struct ptx__jit_text *text, struct ptx__jit_value vector);
struct ptx__jit_value ptx__jit_none_negative(struct ptx__jit_text *text,
                                             struct ptx__jit_value vector);

/* A predicate's 32 lanes as a word, and a word as lanes. */
struct ptx__jit_value ptx__jit_word(struct ptx__jit_text *text, struct ptx__jit_value lanes);
struct ptx__jit_value ptx__jit_lanes(struct ptx__jit_text *text, struct ptx__jit_value word);

/* A load or store at a host address, which is an i64. flags: "volatile " or "". */
struct ptx__jit_value ptx__jit_load(struct ptx__jit_text *text, const char *flags,
                                    struct ptx__jit_value address, unsigned type, unsigned lanes,
                                    unsigned alignment);
void ptx__jit_store(struct ptx__jit_text *text, const char *flags, struct ptx__jit_value address,
                    struct ptx__jit_value value, unsigned alignment);

/* A store of some lanes of a vector of integers; the name of LLVM's function for that. */
void ptx__jit_store_some(struct ptx__jit_text *text, struct ptx__jit_value address,
                         struct ptx__jit_value value, struct ptx__jit_value which,
                         unsigned alignment);
void ptx__jit_say_masked_store(struct ptx__jit_text *text, unsigned type, unsigned lanes);

/* An atomic operation of the host. Returns what was there. */
struct ptx__jit_value ptx__jit_atomic(struct ptx__jit_text *text, const char *name,
                                      struct ptx__jit_value address, struct ptx__jit_value value);

/* Replaces a value if it is as expected; seen becomes what was there. Returns whether it did. */
struct ptx__jit_value ptx__jit_exchange(struct ptx__jit_text *text, struct ptx__jit_value address,
                                        struct ptx__jit_value expected, struct ptx__jit_value value,
                                        struct ptx__jit_value seen);

/* The number of the lowest bit of a word that is not 0, and the word without it, as a value that
 * has its number already. */
struct ptx__jit_value ptx__jit_first_bit(struct ptx__jit_text *text, struct ptx__jit_value word);
void ptx__jit_drop_bit(struct ptx__jit_text *text, struct ptx__jit_value word,
                       struct ptx__jit_value ret);

unsigned ptx__jit_bits(unsigned type);

#endif
