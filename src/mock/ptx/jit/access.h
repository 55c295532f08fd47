/* SPDX-License-Identifier: MIT */
/*
 * A load, store or atomic operation while it is written: how it is checked (access.c, fit.c), and
 * made (lanes.c, atomic.c). For the race check it is noted: see note.h.
 */
#ifndef CUSHIM_MOCK_PTX_JIT_ACCESS_H
#define CUSHIM_MOCK_PTX_JIT_ACCESS_H

#include "mock/ptx/jit/emit.h"

struct ptx__jit_access {
    struct ptx__jit_emit *emit;
    struct ptx__jit_text *text;
    const struct ptx__jit_op *op;
    const struct ptx__op *code;
    unsigned n, bytes, all; /* elements; bytes of one, and of all of them */
    bool load, atomic;
    const uint32_t *results;                 /* the slots that it writes, */
    unsigned n_results;                      /* and how many */
    struct ptx__jit_value begin, size, host; /* of the memory */
    struct ptx__jit_value offset;            /* of the first lane's address, if they have a step */
    struct ptx__jit_value address;           /* the first byte, or each lane's, in host memory */
    struct ptx__jit_operand device;          /* the address as the kernel has it, in 64 bits */
    struct ptx__jit_operand given;           /* and in its own bits */
    bool from_begin; /* each lane's address is an offset from the begin of shared memory */
    struct ptx__jit_value shadow; /* of global memory the words of its lines, or of the block */
    struct ptx__jit_value noted;  /* whether the access has to be noted */
};

/* The lanes of a row; all of them, if there are no rows. */
static inline unsigned ptx__jit_row_lanes(const struct ptx__jit_access *access)
{
    return access->emit->flow->row ? access->emit->flow->row : PTX__LANES;
}

/* The rows whose addresses differ; 1 if all lanes count as one row. */
static inline unsigned ptx__jit_n_rows(const struct ptx__jit_access *access)
{
    return access->device.form.rows ? PTX__LANES / ptx__jit_row_lanes(access) : 1;
}

/* An instruction with a value and a number. */
static inline struct ptx__jit_value ptx__jit_with(const struct ptx__jit_access *access,
                                                  const char *name, struct ptx__jit_value a,
                                                  uint64_t number)
{
    return ptx__jit_binary(access->text, name, a, ptx__jit_number(a.type, number));
}

/* Whether all lanes lie between the first address and the last, and are checked together. */
static inline bool ptx__jit_in_one_piece(const struct ptx__jit_access *access)
{
    return !access->device.form.vector && access->device.form.step % (int64_t) access->all == 0;
}

/* What the operation remembers of the memory that it used last, and a field of that. */
struct ptx__jit_value ptx__jit_hit(const struct ptx__jit_access *access);
struct ptx__jit_value ptx__jit_hit_field(const struct ptx__jit_access *access, size_t offset,
                                         unsigned type);
#define HIT_FIELD(access, type, member)                                                            \
    ptx__jit_hit_field(access, offsetof(struct ptx__range_cache, member), PTX__JIT_##type)

/* --- access.c --- */

/* Begins to write an access: its operands are read. */
void ptx__jit_begin_access(struct ptx__jit_access *access, struct ptx__jit_emit *emit,
                           size_t number);

/* Places the lanes of an access whose memory is known and that is made in one piece. */
void ptx__jit_place_access(struct ptx__jit_access *access);

/* Makes an access that is right. The elements are as the slots need them. */
void ptx__jit_make_access(struct ptx__jit_access *access, struct ptx__jit_operand *elements);

/* Writes to the slots what an access has loaded. */
void ptx__jit_write_elements(struct ptx__jit_access *access,
                             const struct ptx__jit_operand *elements);

/* --- fit.c: with one comparison --- */

/* Tells whether an access is checked so, if it can be. */
bool ptx__jit_counts_starts(const struct ptx__jit_access *access);

/* Whether all lanes' addresses are right. Else that may not be known yet. */
struct ptx__jit_value ptx__jit_is_start(const struct ptx__jit_access *access);

/*
 * The same of an operation of all warps of a block (sweep.c), for the first one and the last one,
 * of whose first lane this is the thread's number. Whether it can be so.
 */
bool ptx__jit_has_ends(struct ptx__jit_emit *emit, size_t number);
struct ptx__jit_value ptx__jit_fit_ends(struct ptx__jit_access *access, struct ptx__jit_value last);

/* Has the engine find out for the next time. */
void ptx__jit_count_starts(const struct ptx__jit_access *access);

/* --- lanes.c --- */

/* The address of an element in the first lane of a row. */
struct ptx__jit_value ptx__jit_place(const struct ptx__jit_access *access, unsigned row,
                                     uint64_t offset);

unsigned ptx__jit_memory_type(const struct ptx__jit_access *access);

/* An element as the slot has it: extended to its bits. */
struct ptx__jit_value ptx__jit_extended(const struct ptx__jit_access *access,
                                        struct ptx__jit_value value);

/*
 * Atomic operations of the lanes (atomic.c); returns what was there, if that is wanted. And an
 * operand of them: a vector, or what all lanes have.
 */
struct ptx__jit_value ptx__jit_write_atoms(const struct ptx__jit_access *access, bool wanted);
struct ptx__jit_value ptx__jit_operand_of_atom(const struct ptx__jit_access *access,
                                               unsigned number);

/*
 * What all lanes have is put into the room, list by list, from where each lane's is taken. That is
 * quicker than to take it from a vector, and than a gather of the processor, which many do slowly.
 */
void ptx__jit_put_list(const struct ptx__jit_access *access, unsigned list,
                       struct ptx__jit_value lanes);

/* Where a lane has its place in a list; what it has there; which address on the host that is. */
struct ptx__jit_value ptx__jit_list_at(const struct ptx__jit_access *access, unsigned list,
                                       struct ptx__jit_value lane, unsigned bytes);
struct ptx__jit_value ptx__jit_listed(const struct ptx__jit_access *access, unsigned list,
                                      struct ptx__jit_value lane, unsigned type);
struct ptx__jit_value ptx__jit_listed_address(const struct ptx__jit_access *access, unsigned list,
                                              struct ptx__jit_value lane);

/* The host addresses of all lanes. */
struct ptx__jit_value ptx__jit_host_addresses(const struct ptx__jit_access *access);

/* Loads an element of all lanes: by rows, or each lane from its own address. */
struct ptx__jit_value ptx__jit_load_rows(const struct ptx__jit_access *access, unsigned element);
struct ptx__jit_value ptx__jit_gather(const struct ptx__jit_access *access, unsigned element);

/* The same, each lane from its own address, or all at once if these turn out to be contiguous. */
struct ptx__jit_value ptx__jit_load_lanes(const struct ptx__jit_access *access, unsigned element);
void ptx__jit_store_each(const struct ptx__jit_access *access);

/* The lanes of an element that is stored, and both ways of storing them. */
struct ptx__jit_value ptx__jit_stored(const struct ptx__jit_access *access, unsigned element);
void ptx__jit_store_rows(const struct ptx__jit_access *access);
void ptx__jit_store_row_of_some(const struct ptx__jit_access *access);
void ptx__jit_scatter(const struct ptx__jit_access *access, unsigned element,
                      struct ptx__jit_value value);
void ptx__jit_store_by_lanes(const struct ptx__jit_access *access, unsigned element,
                         struct ptx__jit_value value);

#endif
