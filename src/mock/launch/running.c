/* SPDX-License-Identifier: MIT */
#include "mock/launch/running.h"

#include <assert.h>
#include <stdlib.h>

#include "mock/allocation/memory.h"
#include "mock/base/finding.h"
#include "mock/base/host_room.h"
#include "mock/base/state.h"
#include "mock/check/access.h"
#include "mock/check/host_watch.h"
#include "mock/module/program.h"
#include "mock/ptx/racecheck/racecheck.h"
#include "mock/queue/work.h"

/* Records of blocks take some three times the room of the memory that several blocks use. */
#define LARGEST_FOR_BLOCKS ((size_t) 256 << 20)

/* More separate runs of bytes than this are looked at as one, from the first to the last. */
enum { MOST_RUNS = 4096 };

/* --- the memory that a launch may use --- */

struct use {
    struct ptx__range range;
    struct cushim__tree_node by_address;
};

static struct mock__memory *owner_of(const struct ptx__range *range)
{
    return range->owner;
}

static bool usable(const struct mock__context *context, const struct mock__memory *memory,
                   bool write)
{
    return memory->host && !memory->absent &&
           mock__memory_usable(context, memory->address, memory->bytes, write);
}

/* Room for parameters goes from one launch to the next, in whatever stream, and none waits for it.
 */
static bool is_room(const struct mock__running *running, const struct mock__memory *memory)
{
    return memory == running->children.module->program->launch_memory;
}

static struct ptx__range range_of(const struct mock__running *running, struct mock__memory *memory)
{
    struct ptx__range range = {.begin = memory->address,
                               .size = memory->bytes,
                               .host = memory->host,
                               .owner = memory,
                               .usable = usable(running->context, memory, false),
                               .read_only = !usable(running->context, memory, true)};

    range.shadowed = range.usable && mock__checking() && !is_room(running, memory);
    /* Memory that kernels allocate goes from one block to another without any order of theirs. */
    range.check_blocks =
        range.shadowed && memory != running->heap && memory->bytes <= LARGEST_FOR_BLOCKS;
    if (range.shadowed)
        range.written = mock__access_written(memory);
    return range;
}

static struct use *use_at(struct cushim__tree_node *node)
{
    return CUSHIM__TREE_MEMBER(node, struct use, by_address);
}

struct ptx__range *mock__running_range(void *user, uint64_t address)
{
    struct mock__running *running = user;
    struct use *use = use_at(cushim__tree_before(&running->uses, address, 1));
    struct mock__memory *memory;

    if (use && address - use->range.begin < use->range.size)
        return &use->range;
    memory = mock__memory_find(address);
    use = memory ? calloc(1, sizeof(*use)) : NULL;
    if (!use)
        return NULL;
    use->range = range_of(running, memory);
    cushim__tree_add(&running->uses, &use->by_address, memory->address, 0);
    mock__host_room_kernel(memory->bytes);
    return &use->range;
}

/* --- its accesses --- */

/* Lines that are alike are passed over in groups. */
enum { LINES_OF_GROUP = 16, BYTES_OF_GROUP = LINES_OF_GROUP * PTX__LINE_BYTES };

static_assert(PTX__PART_BYTES % BYTES_OF_GROUP == 0, "a group is in one part");

/* Tells whether a flag says nothing of the lines of a group, or the same of all of them. */
static bool are_alike(const uint64_t *lines, uint64_t flag, bool used)
{
    uint64_t any = 0, all = flag;

    for (unsigned i = 0; i < LINES_OF_GROUP; i++) {
        any |= lines[i];
        all &= lines[i];
    }
    return used ? !(any & flag) : all;
}

/* Tells whether the lines' words of a part say what plain accesses have used of it. */
static bool has_lines_alone(unsigned part)
{
    return (part & (PTX__PART_LINES | PTX__PART_BITS)) == PTX__PART_LINES;
}

/* Passes over groups none of which was used, or all of which were used as whole lines. */
static size_t behind_groups(const struct ptx__range *range, enum ptx__use use, size_t at, bool used)
{
    const uint64_t flag = use == PTX__LOADS ? PTX__LINE_ALL_READ : PTX__LINE_ALL_WRITTEN;

    if (use & PTX__STRONG)
        return at; /* no line's word says that strong accesses used it */
    while (at % BYTES_OF_GROUP == 0 && at < range->size && range->size - at >= BYTES_OF_GROUP &&
           (!used || has_lines_alone(range->parts[at / PTX__PART_BYTES])) &&
           are_alike(&range->lines[at / PTX__LINE_BYTES], flag, used))
        at += BYTES_OF_GROUP;
    return at;
}

/* Returns the first byte from here on that was used, or, at the end of a run, that was not. */
static size_t next_byte(const struct ptx__range *range, enum ptx__use use, size_t at, bool used)
{
    const unsigned parts = use & PTX__STRONG ? PTX__PART_STRONG : PTX__PART_LINES | PTX__PART_BITS;

    while ((at = behind_groups(range, use, at, used)) < range->size) {
        uint64_t bits;

        if (used && !(range->parts[at / PTX__PART_BYTES] & parts)) {
            at = (at / PTX__PART_BYTES + 1) * PTX__PART_BYTES;
            continue;
        }
        bits = ptx__line_used(range, at / PTX__LINE_BYTES, use);
        bits = (used ? bits : ~bits) >> at % PTX__LINE_BYTES;
        if (bits)
            return at + (size_t) __builtin_ctzll(bits);
        at = (at / PTX__LINE_BYTES + 1) * PTX__LINE_BYTES;
    }
    return range->size;
}

static bool next_run(const struct ptx__range *range, enum ptx__use use, size_t *begin, size_t *end)
{
    const size_t first = next_byte(range, use, *end, true);
    size_t behind;

    if (first >= range->size)
        return false;
    behind = next_byte(range, use, first, false);
    *begin = first;
    *end = behind < range->size ? behind : range->size;
    return true;
}

/* All that a launch did to a range goes into the check between streams, run by run. */
static void tell_access(const struct mock__running *running, const struct ptx__range *range,
                        enum ptx__use use, unsigned access)
{
    size_t begin = 0, end = 0;

    for (unsigned n = 0; n < MOST_RUNS && next_run(range, use, &begin, &end); n++) {
        mock__access(running->work, range->begin + begin, end - begin, (enum mock__access) access);
        if (!running->messages)
            mock__host_watch_used(running->work, range->begin + begin, end - begin,
                                  (enum mock__access) access);
    }
    /* The remaining bytes are at least known to be written. */
    while (use & PTX__STORES && next_run(range, use, &begin, &end))
        mock__access_mark(range->begin + begin, end - begin);
}

void mock__running_tell(struct mock__running *running)
{
    struct use *use;

    while ((use = use_at(cushim__tree_first(&running->uses)))) {
        struct ptx__range *range = &use->range;

        cushim__tree_remove(&running->uses, &use->by_address);
        if (range->lines) {
            const unsigned read =
                owner_of(range)->mapping ? MOCK__READ : MOCK__READ | MOCK__CHECKED;

            tell_access(running, range, PTX__LOADS, read);
            tell_access(running, range, PTX__LOADS | PTX__STRONG, read | MOCK__STRONG);
            tell_access(running, range, PTX__STORES, MOCK__WRITE);
            tell_access(running, range, PTX__STORES | PTX__STRONG, MOCK__WRITE | MOCK__STRONG);
        }
        ptx__racecheck_range_free(range);
        free(use);
    }
}
