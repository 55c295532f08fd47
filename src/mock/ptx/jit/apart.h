/* SPDX-License-Identifier: MIT */
/*
 * Lanes that are apart in compiled code. It does operations in their order, each for the lanes that
 * are there, and goes back where lanes jump backwards: that is what the engine does, which runs the
 * group that is furthest behind. The lanes that wait at a place ahead are a word for that place
 * (wait.c). Where compiled code begins and ends, the groups of the warp become these words and the
 * words become groups.
 *
 * Compiled code may begin only where all other groups of the frame wait between there and the place
 * where the lanes meet. It does not, where one went ahead: it had waited for long, or it is at a
 * barrier. So a value with steps is the same for all groups: nothing writes it where lanes are
 * apart (region.c).
 */
#ifndef CUSHIM_MOCK_PTX_JIT_APART_H
#define CUSHIM_MOCK_PTX_JIT_APART_H

#include "mock/ptx/jit/spread.h"

#define PTX__JIT_NO_WAIT UINT16_MAX

/* An operation as a place where a group may wait. */
struct ptx__jit_place {
    const struct ptx__jit_list *list; /* the values with steps that are needed there, or NULL */
    uint32_t end;                     /* where its lanes are together again; 0: they are here */
    uint16_t wait;                    /* the number of its word, or PTX__JIT_NO_WAIT */
};

/* The places of a function, by the numbers of its operations. */
struct ptx__jit_places {
    const struct ptx__op *ops;
    size_t n;
    struct ptx__jit_place of[];
};

/*
 * Takes the values with steps of all groups from the register file, before an operation, and makes
 * words of the groups. 0: compiled code cannot begin here, and nothing has changed.
 */
uint64_t ptx__jit_take_groups(struct ptx__warp *warp, const struct ptx__jit_places *places,
                              uint64_t number, uint64_t words);

/* Makes groups of the words, and puts their values into the register file. */
void ptx__jit_give_groups(struct ptx__warp *warp, const struct ptx__jit_places *places,
                          uint64_t number, uint64_t words);

/* Stores elements of up to 8 bytes for the lanes of a mask, in their order. */
void ptx__jit_store_lanes(const uint64_t *addresses, const void *elements, uint64_t bytes,
                          uint64_t mask);

#endif
