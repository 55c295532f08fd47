/* SPDX-License-Identifier: MIT */
/*
 * The instructions of PTX. All of this is generated from isa.txt: opcodes, modifiers and special
 * registers with their names, and the forms of each instruction.
 */
#ifndef CUSHIM_MOCK_PTX_SYNTAX_ISA_H
#define CUSHIM_MOCK_PTX_SYNTAX_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * enum ptx__opcode: PTX_OP_ADD, PTX_OP_CP_ASYNC_BULK ("cp.async.bulk"); the longest name wins.
 * enum ptx__modifier: PTX_MOD_RN, PTX_MOD_L1_EVICT_LAST ("L1::evict_last").
 * enum ptx__special: PTX_SREG_TID, PTX_SREG_LANEMASK_LT, ...
 * Of each, 0 is none and PTX_N_OPCODES, PTX_N_MODIFIERS, PTX_N_SPECIALS their number.
 */
#include "mock/ptx/isa_names.h"

/* A modifier, type, space or ".v4" as one number. */
enum {
    PTX_WORD_TYPE = 1000,
    PTX_WORD_SPACE = 1100,
    PTX_WORD_VECTOR = 1200, /* + 2, 4 or 8 */
};

/* A position in the name of a form. It has one of some words, or none if it is optional. */
struct ptx__slot {
    uint16_t first, n; /* in ptx__slot_words */
    bool optional;
};

/* The kinds of operand. */
enum ptx__shape_kind {
    PTX_SHAPE_TYPED,     /* register or constant of a type */
    PTX_SHAPE_IMMEDIATE, /* integer constant */
    PTX_SHAPE_MEMORY,    /* "[base+offset]" */
    PTX_SHAPE_TENSOR,    /* "[register+offset]", an address of 32 bits in tensor memory */
    PTX_SHAPE_BRACKETS,  /* "[tensorMap, {x, y}]" */
    PTX_SHAPE_LABEL,
    PTX_SHAPE_TABLE,
    PTX_SHAPE_SINK, /* only "_" */
    PTX_SHAPE_CALL, /* the operands of `call`, which have their own rules */
    PTX_SHAPE_ANY,
};

struct ptx__shape {
    uint8_t kind;
    uint8_t type;     /* enum ptx__type, or 100 + the index of the instruction's type */
    uint8_t elements; /* of a vector; 255: those of ".vN", or no vector; 254: any number; 253, 252:
                         a half, a quarter of the N of ".mMnNkK"; 251: as ".1d" to ".5d" say, 250:
                         two fewer. Of brackets: of their last vector */
    bool wide;        /* twice the type's size */
    bool loose;       /* registers may be larger than the type */
    bool result;      /* is written, so it cannot be a constant */
    bool optional;    /* all operands behind it are optional, too */
    bool sink;        /* may be "_" */
    bool pair;        /* may be "p|q" */
    bool both;        /* must be "p|q" */
    bool bits;        /* any class of type with this size */
    bool part;        /* may be negated, or a byte or half of the register: "-%r1.h0" */
    bool policy;      /* is there if and only if .L2::cache_hint is */
};

struct ptx__form {
    uint16_t opcode;
    uint16_t first_slot, n_slots;         /* in ptx__slots */
    uint16_t first_shape, n_shapes;       /* in ptx__shapes */
    uint16_t version;                     /* the version that introduced it, as 10 * major +
                                             minor */
    uint16_t target;                      /* 80 for sm_80 */
    char suffix;                          /* 'a' or 'f' if it exists only for targets of that
                                             kind */
    uint16_t early_version, early_target; /* these targets have it from this version on; 0: none */
};

struct ptx__opcode_row {
    const char *name;
    uint8_t tier;        /* 1 to 4 */
    const char *refused; /* why it is not executed; NULL: it is executed */
    uint16_t first_form, n_forms;
};

/* A special register. */
struct ptx__special_row {
    const char *name; /* "tid", without the percent sign */
    uint8_t type;     /* enum ptx__type */
    uint8_t vector;   /* 4 if it has .x, .y, .z */
    uint16_t version, target;
};

/* A word with its own version and target, in addition to those of its forms; sorted by word. */
struct ptx__gate {
    uint16_t word, version, target;
};

extern const struct ptx__gate ptx__gates[];
extern const size_t ptx__n_gates;

/* A name and its number; the lists are sorted by name. */
struct ptx__named {
    const char *name;
    uint16_t number;
};

extern const struct ptx__named ptx__opcodes_by_name[], ptx__words_by_name[],
    ptx__specials_by_name[];
extern const size_t ptx__n_opcodes_by_name, ptx__n_words_by_name, ptx__n_specials_by_name;

extern const struct ptx__opcode_row ptx__opcodes[PTX_N_OPCODES];
extern const char *const ptx__modifiers[PTX_N_MODIFIERS];
extern const struct ptx__special_row ptx__specials[PTX_N_SPECIALS];
extern const struct ptx__form ptx__forms[];
extern const size_t ptx__n_forms;
extern const struct ptx__slot ptx__slots[];
extern const uint16_t ptx__slot_words[];
extern const struct ptx__shape ptx__shapes[];

/* Return names such as "cp.async", "rn" and "tid". */
const char *ptx__opcode_name(enum ptx__opcode opcode);
const char *ptx__modifier_name(enum ptx__modifier modifier);
const char *ptx__special_name(enum ptx__special special);

/* Reads the numbers of a shape such as "m16n8k16". False if it is none. */
bool ptx__shape_numbers(const char *name, unsigned numbers[3]);

/* Find a number by a name, which needs no NUL; 0 if there is none. */
enum ptx__opcode ptx__opcode_find(const char *text, size_t length);
enum ptx__special ptx__special_find(const char *text, size_t length);

/* Returns a modifier, type, space or vector by its name without the dot; 0 if there is none. */
unsigned ptx__word_find(const char *text, size_t length);

#endif
