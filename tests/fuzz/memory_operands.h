/* SPDX-License-Identifier: MIT */
/* A text that grows, and the operands in it: registers, and addresses in every form. */
#ifndef CUSHIM_TESTS_FUZZ_MEMORY_OPERANDS_H
#define CUSHIM_TESTS_FUZZ_MEMORY_OPERANDS_H

#include "memory_kernels.h"
#include "mock/ptx/syntax/isa.h"
#include "mock/ptx/syntax/types.h"

struct writer {
    struct choices *choices;
    char *text;
    size_t size, length;
    unsigned labels;
    bool kernel; /* what is written is the body of one, and of no function */
};

/* An instruction under way: what was chosen for its words. */
struct picked {
    const struct ptx__form *form;
    uint16_t types[4], spaces[4];
    unsigned n_types, n_spaces, vector, n_memory;
    uint16_t words[16];
    unsigned n_words;
};

void put(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
unsigned draw(struct writer *writer, unsigned below);
bool one_in(struct writer *writer, unsigned n);

/* An offset: small, near the end of something, beyond it, or wild. */
long long hostile(struct writer *writer);

/* "+8", "+-8", or nothing */
void put_offset(struct writer *writer);

/* A name that lies in a space: PTX_NO_SPACE stands for any that has generic addresses. */
const char *symbol_in(struct writer *writer, enum ptx__space space);

/* "[x+1000000]", "[%a1+-4]", "[%n2]", "[64]" */
void put_address(struct writer *writer, enum ptx__space space);

bool picked_has(const struct picked *picked, unsigned word);

/* The operand of a shape. False: it is of a kind that is not written here. */
bool put_operand(struct writer *writer, struct picked *picked, const struct ptx__shape *shape);

#endif
