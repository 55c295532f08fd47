/* SPDX-License-Identifier: MIT */
/*
 * Each device's memory has an address of its own, which the caller of the engine knows; accesses to
 * it are checked as any others. Sums of a load are made in the order of the devices: the documents
 * leave it open.
 */
#include "mock/ptx/exec/multimem.h"

#include <string.h>

#include "mock/ptx/exec/async.h"
#include "mock/ptx/machine/exec.h"
#include "mock/ptx/machine/grid.h"
#include "mock/ptx/machine/softfloat.h"
#include "mock/ptx/memory/memory.h"

enum { MOST_BYTES = 16, MOST_NUMBERS = 8 };

static const struct ptx__multimem *multimem_of(const struct ptx__op *op)
{
    return (const struct ptx__multimem *) (uintptr_t) op->imm;
}

static unsigned bytes_of(const struct ptx__multimem *how)
{
    return (unsigned) how->n_values * how->value_bytes;
}

/* Finds the memory of the device with this number. Returns false if there are no more. */
static bool find_member(struct ptx__lane_op at, uint64_t address, unsigned number,
                        uint64_t *ret_address)
{
    const struct ptx__multimem *how = multimem_of(at.op);
    const struct ptx__launch *launch = at.warp->block->grid->launch;

    return launch->multicast && launch->multicast(launch->user, address, bytes_of(how),
                                                  how->use & PTX__STORES, number, ret_address);
}

static bool report_none(struct ptx__lane_op at, uint64_t address)
{
    ptx__fault(
        at, PTX__ERROR_ILLEGAL_ADDRESS, PTX__OTHER,
        "it uses %u bytes at 0x%llx for all devices, and no multicast object is mapped there "
        "that this device may use and all of whose devices have memory there",
        bytes_of(multimem_of(at.op)), (unsigned long long) address);
    return false;
}

/* --- loads --- */

/* The numbers of a lane so far: as they are in memory, or as .f32. */
struct numbers {
    uint64_t bits[MOST_NUMBERS];
    float sums[MOST_NUMBERS];
};

static float widened(uint8_t type, uint64_t bits)
{
    return type == PTX_F16 ? ptx__float_of_half((uint16_t) bits)
                           : ptx__float_of_bfloat((uint16_t) bits);
}

static uint16_t narrowed(uint8_t type, float sum)
{
    return type == PTX_F16 ? ptx__half_of_float(sum) : ptx__bfloat_of_float(sum);
}

static void take(const struct ptx__multimem *how, struct numbers *all, bool first,
                 const unsigned char *at)
{
    const unsigned bytes = how->reduction.bytes;

    for (unsigned i = 0; i < bytes_of(how) / bytes; i++) {
        uint64_t number = 0;

        memcpy(&number, at + i * bytes, bytes);
        if (how->wide_sums)
            all->sums[i] = widened(how->reduction.type, number) + (first ? 0 : all->sums[i]);
        if (how->wide_sums)
            number = narrowed(how->reduction.type, all->sums[i]);
        else if (!first)
            number = ptx__reduced(&how->reduction, all->bits[i], number);
        all->bits[i] = number;
    }
}

/* A slot is as wide as its register, and at least 32 bits. */
static void give(struct ptx__warp *w, const struct ptx__op *op, unsigned lane,
                 const struct numbers *all)
{
    const struct ptx__multimem *how = multimem_of(op);
    unsigned char bytes[MOST_BYTES];

    for (unsigned i = 0; i < bytes_of(how) / how->reduction.bytes; i++)
        memcpy(bytes + i * how->reduction.bytes, &all->bits[i], how->reduction.bytes);
    for (unsigned i = 0; i < how->n_values; i++) {
        uint64_t value = 0;

        memcpy(&value, bytes + i * how->value_bytes, how->value_bytes);
        if (how->value_bytes == sizeof(value))
            REG(uint64_t, op->list[i])[lane] = value;
        else
            REG(uint32_t, op->list[i])[lane] = (uint32_t) value;
    }
}

static bool load_lane(struct ptx__lane_op at)
{
    const struct ptx__multimem *how = multimem_of(at.op);
    const uint64_t address = ptx__place_address(at.warp, &how->at, at.lane);
    struct numbers all = {.bits = {0}};
    uint64_t member;
    unsigned n;

    for (n = 0; find_member(at, address, n, &member); n++) {
        const unsigned char *bytes =
            ptx__reach(at, member, bytes_of(how), (enum ptx__use) how->use);

        if (!bytes)
            return false;
        take(how, &all, !n, bytes);
    }
    give(at.warp, at.op, at.lane, &all);
    return n || report_none(at, address);
}

const struct ptx__op *ptx__do_multimem_load(struct ptx__warp *w, const struct ptx__op *op)
{
    for (uint32_t m = w->mask; m; m &= m - 1)
        if (!load_lane(ptx__lane_op(w, op, (unsigned) __builtin_ctz(m))))
            return NULL;
    return op + 1;
}

/* --- stores and reductions --- */

static void read_values(struct ptx__lane_op at, unsigned char bytes[MOST_BYTES])
{
    const struct ptx__multimem *how = multimem_of(at.op);
    struct ptx__warp *w = at.warp;

    for (unsigned i = 0; i < how->n_values; i++) {
        const uint64_t value = how->value_bytes == sizeof(value)
                                   ? REG(uint64_t, at.op->list[i])[at.lane]
                                   : REG(uint32_t, at.op->list[i])[at.lane];

        memcpy(bytes + i * how->value_bytes, &value, how->value_bytes);
    }
}

static void put(const struct ptx__multimem *how, unsigned char *to, const unsigned char *values)
{
    if (!how->reduction.kind)
        memcpy(to, values, bytes_of(how));
    else
        for (unsigned i = 0; i < bytes_of(how); i += how->reduction.bytes)
            ptx__reduce(&how->reduction, to + i, values + i);
}

static bool store_lane(struct ptx__lane_op at)
{
    const struct ptx__multimem *how = multimem_of(at.op);
    const uint64_t address = ptx__place_address(at.warp, &how->at, at.lane);
    unsigned char values[MOST_BYTES];
    uint64_t member;
    unsigned n;

    read_values(at, values);
    for (n = 0; find_member(at, address, n, &member); n++) {
        unsigned char *to = ptx__reach(at, member, bytes_of(how), (enum ptx__use) how->use);

        if (!to)
            return false;
        put(how, to, values);
    }
    return n || report_none(at, address);
}

const struct ptx__op *ptx__do_multimem_store(struct ptx__warp *w, const struct ptx__op *op)
{
    for (uint32_t m = w->mask; m; m &= m - 1)
        if (!store_lane(ptx__lane_op(w, op, (unsigned) __builtin_ctz(m))))
            return NULL;
    return op + 1;
}
