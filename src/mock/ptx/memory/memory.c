/* SPDX-License-Identifier: MIT */
/*
 * Accesses that the fast paths cannot handle, one lane at a time. They find out what is wrong with
 * an access.
 */
#include "mock/ptx/memory/memory.h"

#include "mock/ptx/machine/grid.h"

/* Finds the range of an address by a binary search, or by the caller of the engine. */
static struct ptx__range *find(const struct ptx__launch *launch, uint64_t address)
{
    size_t low = 0, high = launch->n_ranges;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (launch->ranges[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low && address - launch->ranges[low - 1].begin < launch->ranges[low - 1].size)
        return &launch->ranges[low - 1];
    return launch->range ? launch->range(launch->user, address) : NULL;
}

/*
 * Makes the shadow memory of a range when it is first used. The lock is needed because other
 * workers may do the same.
 */
static void prepare(struct ptx__grid *grid, struct ptx__range *range)
{
    if (!range->shadowed || range->lines)
        return;
    range->check_blocks &= grid->launch->check_blocks && grid->n_blocks > 1;
    ptx__racecheck_range(range);
}

/* NULL if there is none that the device may use. */
static struct ptx__range *find_usable(struct ptx__grid *grid, uint64_t address)
{
    struct ptx__range *range;

    pthread_mutex_lock(&grid->lock);
    range = find(grid->launch, address);
    if (range && range->usable)
        prepare(grid, range);
    pthread_mutex_unlock(&grid->lock);
    return range && range->usable ? range : NULL;
}

bool ptx__range_cache_find(struct ptx__warp *warp, const struct ptx__op *op, uint64_t address,
                           enum ptx__use use)
{
    struct ptx__range_cache *hit = &warp->worker->hits[op->site];
    const bool stores = use & PTX__STORES;
    struct ptx__range *range;

    if (address - hit->begin < hit->size)
        return !(stores && hit->read_only);
    range = find_usable(warp->block->grid, address);
    if (!range || (stores && range->read_only))
        return false;
    *hit = (struct ptx__range_cache){.begin = range->begin,
                                     .size = range->size,
                                     .host = range->host,
                                     .range = range,
                                     .lines = range->lines,
                                     .owners = ptx__line_owners(range),
                                     .read_only = range->read_only};
    return true;
}

static const char *verb(enum ptx__use use)
{
    return use & PTX__LOADS ? use & PTX__STORES ? "updates" : "reads" : "writes";
}

/*
 * An access of one lane, for messages. Each function below returns the result that a driver gives
 * for the mistake.
 */
struct access {
    struct ptx__lane_op at;
    unsigned bytes;
    enum ptx__use use;
    uint64_t address; /* as the kernel wrote it */
};

static unsigned char *misaligned(const struct access *access)
{
    ptx__fault_misaligned(access->at, access->address, access->bytes, verb(access->use));
    return NULL;
}

static unsigned char *outside(const struct access *access, const char *space, uint64_t offset,
                              uint64_t size, enum ptx__result result)
{
    ptx__fault(access->at, result, PTX__OUT_OF_BOUNDS,
               "it %s %u bytes at offset %llu of %s, which has %llu bytes", verb(access->use),
               access->bytes, (unsigned long long) offset, space, (unsigned long long) size);
    return NULL;
}

/*
 * Tells whether an access to a block's shared memory reaches memory. Behind what the kernel has
 * asked for there may be more: that is a finding, and no fault.
 */
static bool is_shared(const struct access *access, const char *space, uint64_t offset)
{
    const struct ptx__grid *grid = access->at.warp->block->grid;

    if (offset > grid->shared_room || access->bytes > grid->shared_room - offset)
        return false;
    if (offset > grid->shared_bytes || access->bytes > grid->shared_bytes - offset)
        ptx__note(access->at, PTX__OUT_OF_BOUNDS,
                  "it %s %u bytes at offset %llu of %s, which has %u bytes", verb(access->use),
                  access->bytes, (unsigned long long) offset, space, grid->shared_bytes);
    return true;
}

/* Shared memory of another block of the cluster. */
static unsigned char *in_other(const struct access *access, uint64_t offset)
{
    static const char space[] = "a cluster's shared memory";
    const struct ptx__block *block = access->at.warp->block;
    const uint64_t rank = (offset >> PTX__RANK_SHIFT) - 1;
    const uint64_t rest = offset & ((1u << PTX__RANK_SHIFT) - 1);

    if (rank >= block->cluster->n_blocks)
        return outside(access, space, offset, block->grid->shared_bytes,
                       PTX__ERROR_ILLEGAL_INSTRUCTION);
    if (!is_shared(access, space, rest))
        return outside(access, space, rest, block->grid->shared_bytes, PTX__ERROR_ILLEGAL_ADDRESS);
    if (access->use & PTX__STORES)
        ptx__racecheck_shared_from(block->cluster->blocks[rank], rest, access->bytes);
    return block->cluster->blocks[rank]->shared + rest;
}

static unsigned char *in_shared(const struct access *access, uint64_t offset)
{
    static const char space[] = "shared memory";
    struct ptx__block *block = access->at.warp->block;

    if (offset >> PTX__RANK_SHIFT)
        return in_other(access, offset);
    if (!is_shared(access, space, offset))
        return outside(access, space, offset, block->grid->shared_bytes,
                       PTX__ERROR_ILLEGAL_ADDRESS);
    if (block->shadow)
        ptx__racecheck_shared_lane(access->at.warp, access->at.op, access->at.lane,
                                   (uint32_t) offset, access->bytes, access->use);
    return block->shared + offset;
}

static unsigned char *in_local(const struct access *access, uint64_t offset)
{
    struct ptx__warp *warp = access->at.warp;
    const uint64_t size = warp->local_bytes;

    if (offset > size || access->bytes > size - offset)
        return outside(access, "local memory", offset, size, PTX__ERROR_ILLEGAL_ADDRESS);
    if (warp->written)
        ptx__racecheck_local(warp, access->at.op, access->at.lane, offset, access->bytes,
                             access->use);
    return ptx__warp_local(warp, access->at.lane) + offset;
}

/*
 * Behind a kernel's parameters there are zeros, but an access by a generic address is a fault
 * there.
 */
static unsigned char *in_param(const struct access *access, uint64_t offset, bool generic)
{
    static const uint64_t zeros[8];
    const struct ptx__launch *launch = access->at.warp->block->grid->launch;

    if (offset <= launch->param_bytes && access->bytes <= launch->param_bytes - offset &&
        !(access->use & PTX__STORES))
        return (unsigned char *) (uintptr_t) (launch->params + offset);
    if (generic || access->use & PTX__STORES || access->bytes > sizeof(zeros))
        return outside(access, "the parameters", offset, launch->param_bytes,
                       PTX__ERROR_ILLEGAL_ADDRESS);
    ptx__note(access->at, PTX__OUT_OF_BOUNDS,
              "it reads %u bytes at offset %llu of the parameters, which have %zu bytes",
              access->bytes, (unsigned long long) offset, launch->param_bytes);
    return (unsigned char *) (uintptr_t) zeros;
}

/*
 * No range contains all of the bytes. This is a finding, and a fault only if a device has no memory
 * mapped there either.
 */
static unsigned char *beside(const struct access *access, uint64_t address)
{
    struct ptx__warp *warp = access->at.warp;
    const struct ptx__launch *launch = warp->block->grid->launch;
    unsigned char *host = launch->stray ? launch->stray(launch->user, address, access->bytes,
                                                        access->use & PTX__STORES)
                                        : NULL;

    if (host)
        ptx__note_stray(access->at, address, access->bytes, verb(access->use));
    else
        ptx__fault_at(access->at, address, access->bytes, verb(access->use));
    return host;
}

static unsigned char *in_global(const struct access *access, uint64_t address)
{
    struct ptx__warp *warp = access->at.warp;
    const struct ptx__range_cache *hit = &warp->worker->hits[access->at.op->site];

    if (!ptx__range_cache_find(warp, access->at.op, address, access->use) ||
        hit->size - (address - hit->begin) < access->bytes)
        return beside(access, address);
    if (hit->lines)
        ptx__racecheck_span(
            &(struct ptx__touch){warp, access->at.op, hit->range, access->use, access->at.lane, 0},
            address - hit->begin, access->bytes);
    return hit->host + (address - hit->begin);
}

static unsigned char *in_generic(const struct access *access, uint64_t address)
{
    const uint64_t offset = address & (PTX__SHARED_WINDOW - 1);

    switch (address >> PTX__WINDOW_SHIFT) {
    case PTX__SHARED_WINDOW >> PTX__WINDOW_SHIFT:
        return in_shared(access, offset);
    case PTX__LOCAL_WINDOW >> PTX__WINDOW_SHIFT:
        return in_local(access, offset);
    case PTX__PARAM_WINDOW >> PTX__WINDOW_SHIFT:
        return in_param(access, offset, true);
    default:
        return in_global(access, address);
    }
}

static unsigned char *find_lane(const struct access *access, enum ptx__access_space space)
{
    if (access->address & (access->bytes - 1))
        return misaligned(access);
    switch (space) {
    case PTX__IN_GLOBAL:
        return in_global(access, access->address);
    case PTX__IN_SHARED:
        return in_shared(access, access->address);
    case PTX__IN_LOCAL:
        return in_local(access, access->address);
    case PTX__IN_PARAM:
        return in_param(access, access->address, false);
    default:
        return in_generic(access, access->address);
    }
}

bool ptx__locate_lanes(struct ptx__warp *warp, const struct ptx__op *op, struct ptx__access access,
                       const uint64_t *addresses, struct ptx__where *where)
{
    for (uint32_t m = warp->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned) __builtin_ctz(m);
        const struct access of_lane = {{warp, op, lane}, access.bytes, access.use, addresses[lane]};

        where->each[lane] = find_lane(&of_lane, access.space);
        if (!where->each[lane])
            return false;
    }
    return true;
}

unsigned char *ptx__reach_in(struct ptx__lane_op at, enum ptx__access_space space, uint64_t address,
                             unsigned bytes, enum ptx__use use)
{
    const struct access access = {at, bytes, use, address};

    return find_lane(&access, space);
}

unsigned char *ptx__reach(struct ptx__lane_op at, uint64_t address, unsigned bytes,
                          enum ptx__use use)
{
    return ptx__reach_in(at, PTX__IN_GENERIC, address, bytes, use);
}
