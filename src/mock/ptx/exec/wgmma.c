/* SPDX-License-Identifier: MIT */
#include "mock/ptx/exec/wgmma.h"

#include "mock/ptx/exec/product_room.h"
#include "mock/ptx/exec/smem_matrix.h"
#include "mock/ptx/warps/warpgroup.h"

enum { KEPT = 25, KEPT_OF_8_BITS = 13, FRACTION = 23 };

/* --- shared memory --- */

/* The chunks of A or B that a warp reads. */
struct region {
    struct ptx__smem_matrix matrix;
    bool mn_major;
    unsigned first_line, n_lines, first_chunk, n_chunks;
};

static unsigned per_chunk(const struct ptx__matrix *matrix, enum ptx__part part)
{
    return PTX__CHUNK_BYTES * 8 / ptx__element_bits(matrix->types[part]);
}

/* first and n are rows of A, or columns of B. */
static struct region region_of(const struct ptx__matrix *matrix, enum ptx__part part,
                               uint64_t descriptor, unsigned first, unsigned n)
{
    const unsigned each = per_chunk(matrix, part);
    const unsigned depth = part == PTX__PART_A ? ptx__depth(matrix) : matrix->k;
    struct region region = {ptx__smem_matrix_of(descriptor, matrix->mn_major[part]),
                            matrix->mn_major[part],
                            first,
                            n,
                            0,
                            depth / each};

    if (region.mn_major) {
        region.first_line = 0;
        region.n_lines = depth;
        region.first_chunk = first / each;
        region.n_chunks = n / each;
    }
    return region;
}

static struct region region_of_part(const struct ptx__matrix *matrix, enum ptx__part part,
                                    uint64_t descriptor, unsigned warp)
{
    return part == PTX__PART_A ? region_of(matrix, part, descriptor, warp * matrix->m, matrix->m)
                               : region_of(matrix, part, descriptor, 0, matrix->n);
}

/* Checks the first n of 32 chunks for races, as if as many lanes read one each. */
static void check_chunks(struct ptx__warp *w, const struct ptx__op *op, const uint32_t *offsets,
                         unsigned n)
{
    const uint32_t mask = w->mask;

    if (!n || !w->block->shadow)
        return;
    w->mask = n < PTX__LANES ? (1u << n) - 1 : PTX__ALL;
    ptx__racecheck_shared(w, op, offsets, PTX__CHUNK_BYTES, PTX__LOADS);
    w->mask = mask;
}

static bool tell_outside(struct ptx__warp *w, const struct ptx__op *op, uint32_t offset)
{
    return ptx__fault(ptx__lane_op(w, op, 0), PTX__ERROR_ILLEGAL_ADDRESS, PTX__OUT_OF_BOUNDS,
                      "its matrix is also at offset %u of shared memory, which has %u bytes",
                      offset, w->block->grid->shared_bytes);
}

/* Checks that all of a region is in shared memory, and that no access to it is a race. */
static bool check_region(struct ptx__warp *w, const struct ptx__op *op, const struct region *region)
{
    const uint32_t size = w->block->grid->shared_bytes;
    uint32_t offsets[PTX__LANES] __attribute__((aligned(64))) = {0};
    unsigned n = 0;

    for (unsigned line = 0; line < region->n_lines; line++) {
        for (unsigned chunk = 0; chunk < region->n_chunks; chunk++) {
            const uint32_t offset = ptx__smem_chunk(&region->matrix, region->first_line + line,
                                                    region->first_chunk + chunk);

            if (offset > size || size - offset < PTX__CHUNK_BYTES)
                return tell_outside(w, op, offset);
            offsets[n++] = offset;
            if (n == PTX__LANES) {
                check_chunks(w, op, offsets, n);
                n = 0;
            }
        }
    }
    check_chunks(w, op, offsets, n);
    return true;
}

/* Reads a region, whose places are in shared memory. */
static void read_region(struct ptx__product *product, const struct ptx__matrix *matrix,
                        enum ptx__part part, const struct region *region,
                        const unsigned char *shared)
{
    /* Lines are rows of A by K, and rows of B by N. */
    const bool along_row = (part == PTX__PART_A) != region->mn_major;

    for (unsigned line = 0; line < region->n_lines; line++) {
        for (unsigned chunk = 0; chunk < region->n_chunks; chunk++) {
            const unsigned begin = chunk * per_chunk(matrix, part);
            const uint32_t offset = ptx__smem_chunk(&region->matrix, region->first_line + line,
                                                    region->first_chunk + chunk);

            uint32_t words[PTX__CHUNK_BYTES / 4];

            memcpy(words, shared + offset, sizeof(words));
            ptx__product_set(product, matrix, part,
                             along_row ? (struct place){line, begin} : (struct place){begin, line},
                             along_row, words, PTX__CHUNK_BYTES / 4);
        }
    }
}

/* --- what is running --- */

/* Tells whether a slot is one that a product writes, or reads A from. */
static bool has_slot(const struct ptx__op *op, uint32_t slot, bool a_too)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const unsigned n =
        matrix->registers[PTX__PART_D] + (a_too ? matrix->registers[PTX__PART_A] : 0u);

    for (unsigned i = 0; i < n; i++) {
        if (op->list[i] == slot)
            return true;
    }
    return false;
}

static void check_fence(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__flights *flights = &w->flights;

    if (!flights->fenced)
        ptx__note(ptx__lane_op(w, op, 0), PTX__RACE,
                  "it is the first product of its warp, and no wgmma.fence is before it");
    else if (flights->wrote && has_slot(op, flights->slot, true))
        ptx__note(ptx__lane_op(w, op, 0), PTX__RACE,
                  "it uses a register that line %u wrote; no wgmma.fence is between",
                  ptx__line_of(w, flights->wrote));
}

static void begin_flight(struct ptx__warp *w, const struct ptx__op *op, const uint64_t *descriptors)
{
    struct ptx__flights *flights = &w->flights;
    const unsigned most = sizeof(flights->list) / sizeof(flights->list[0]);

    if (flights->n < most)
        flights->list[flights->n++] = (struct ptx__flight){
            .op = op, .descriptors = {descriptors[0], descriptors[1]}, .group = flights->n_groups};
}

const struct ptx__op *ptx__do_wgmma_fence(struct ptx__warp *w, const struct ptx__op *op)
{
    TOGETHER();
    w->flights.fenced = true;
    w->flights.wrote = NULL;
    return op + 1;
}

const struct ptx__op *ptx__do_wgmma_commit(struct ptx__warp *w, const struct ptx__op *op)
{
    TOGETHER();
    w->flights.n_groups++;
    return op + 1;
}

/* A write to what a product read, at any time until now, is a race. */
static void end_flight(struct ptx__warp *w, const struct ptx__flight *flight)
{
    const struct ptx__matrix *matrix = matrix_of(flight->op);

    for (unsigned part = PTX__PART_A; part <= PTX__PART_B; part++) {
        const struct region region =
            region_of_part(matrix, (enum ptx__part) part, flight->descriptors[part], w->number % 4);

        if (matrix->descriptors[part])
            check_region(w, flight->op, &region);
    }
}

const struct ptx__op *ptx__do_wgmma_wait(struct ptx__warp *w, const struct ptx__op *op)
{
    struct ptx__flights *flights = &w->flights;
    unsigned n = 0;

    TOGETHER();
    for (unsigned i = 0; i < flights->n; i++) {
        if (flights->list[i].group + op->imm < flights->n_groups)
            end_flight(w, &flights->list[i]);
        else
            flights->list[n++] = flights->list[i];
    }
    flights->n = n;
    return op + 1;
}

const struct ptx__op *ptx__do_wgmma_watch(struct ptx__warp *w, const struct ptx__op *op)
{
    struct ptx__flights *flights = &w->flights;

    for (unsigned i = 0; i < op->n_list; i++) {
        const bool writes = i < op->imm;

        for (unsigned j = 0; j < flights->n; j++) {
            if (has_slot(flights->list[j].op, op->list[i], writes))
                ptx__note(ptx__first_lane_op(w, op), PTX__RACE,
                          "it %s a register of the product at line %u, which may still be running; "
                          "no wgmma.wait_group is between",
                          writes ? "writes" : "reads", ptx__line_of(w, flights->list[j].op));
        }
        if (writes) {
            flights->wrote = op;
            flights->slot = op->list[i];
        }
    }
    return op + 1;
}

/* --- products --- */

static void find_descriptors(const struct ptx__matrix *matrix, const unsigned char *registers,
                             uint64_t *ret_descriptors)
{
    for (unsigned part = PTX__PART_A; part <= PTX__PART_B; part++)
        ret_descriptors[part] =
            matrix->descriptors[part]
                ? *(const uint64_t *) (const void *) (registers + matrix->descriptors[part])
                : 0;
}

/* Reads A or B for a warp of the group, unless it is there. */
static bool read_part(struct ptx__product *product, const struct ptx__op *op, enum ptx__part part,
                      struct ptx__warp *warp, uint64_t descriptor, bool is_there)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const struct region region =
        region_of_part(matrix, part, descriptor, warp->number % PTX__WARPGROUP);

    if (!check_region(warp, op, &region))
        return false;
    if (!is_there)
        read_region(product, matrix, part, &region, warp->block->shared);
    return true;
}

/*
 * The product of one warp. B is that of the warp before, if there is one, unless its descriptor,
 * *b, is another.
 */
static bool multiply_one(struct ptx__product_room *room, const struct ptx__op *op,
                         struct ptx__warp *warp, unsigned char *registers, bool first, uint64_t *b)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    struct ptx__product *product = &room->product;
    uint64_t descriptors[2];

    find_descriptors(matrix, registers, descriptors);
    check_fence(warp, op);
    if (!read_part(product, op, PTX__PART_B, warp, descriptors[1], !first && *b == descriptors[1]))
        return false;
    *b = descriptors[1];
    product->a.special = false;
    if (!matrix->descriptors[PTX__PART_A])
        ptx__product_take(product, op, PTX__PART_A, registers);
    else if (!read_part(product, op, PTX__PART_A, warp, descriptors[0], false))
        return false;
    ptx__product_take_lines(room, matrix, registers);
    if (*(const uint32_t *) (const void *) (registers + matrix->adds) & 1)
        ptx__product_take_c(product, op, registers);
    else
        memset(room->c, 0, product->m * product->n * sizeof(*room->c));
    product->arithmetic->multiply(product);
    ptx__product_give_d(product, op, registers);
    begin_flight(warp, op, descriptors);
    return true;
}

static bool is_8_bits(const struct ptx__matrix *matrix)
{
    return ptx__element_bits(matrix->types[PTX__PART_A]) == 8;
}

const struct ptx__op *ptx__wgmma(struct ptx__warp *w, const struct ptx__op *op,
                                 const struct ptx__arithmetic *arithmetic)
{
    const struct ptx__matrix *matrix = matrix_of(op);
    const unsigned kept = is_8_bits(matrix) ? KEPT_OF_8_BITS : KEPT;
    const struct ptx__op *next = NULL;
    struct ptx__product_room room;
    uint64_t b = 0;

    TOGETHER();
    if (!ptx__warpgroup_together(w, op, &next))
        return next;
    ptx__product_begin(&room, matrix, arithmetic, kept, kept < FRACTION ? kept : FRACTION);
    for (unsigned i = 0; i < PTX__WARPGROUP; i++) {
        if (!multiply_one(&room, op, ptx__warpgroup_member(w, i), ptx__warpgroup_registers(w, i),
                          !i, &b))
            return NULL;
    }
    ptx__warpgroup_go(w);
    return op + 1;
}
