/* SPDX-License-Identifier: MIT */
/* cuMemAdvise, and its results for cuMemRangeGetAttribute() (mem_range.c). */
#include "mock/allocation/mem_advise.h"

#include <stdlib.h>

#include "mock/allocation/memory.h"
#include "mock/base/state.h"
#include "mock/stream/capture.h"

#define PAGE ((uint64_t) 4096)

struct mock__advice {
    struct cushim__tree parts; /* without gaps, from the first byte to the last */
};

static struct mock__part *part_of(struct cushim__tree_node *node)
{
    return CUSHIM__TREE_MEMBER(node, struct mock__part, by_begin);
}

static struct mock__part *next_part(const struct mock__part *part)
{
    return part_of(cushim__tree_next(&part->by_begin));
}

void mock__advice_forget(struct mock__memory *memory)
{
    struct mock__part *part;

    while (memory->advice && (part = part_of(cushim__tree_first(&memory->advice->parts)))) {
        cushim__tree_remove(&memory->advice->parts, &part->by_begin);
        free(part);
    }
    free(memory->advice);
    memory->advice = NULL;
}

static const struct mock__part nothing = {
    .preferred = {MOCK__NO_PLACE, MOCK__NO_DEVICE},
    .prefetched = {MOCK__NO_PLACE, MOCK__NO_DEVICE},
};

/* A part like another one, from an offset on to where that ends. */
static bool add_part(struct mock__advice *advice, const struct mock__part *like, size_t begin)
{
    struct mock__part *part = malloc(sizeof(*part));

    if (!part)
        return false;
    *part = *like;
    part->begin = begin;
    cushim__tree_add(&advice->parts, &part->by_begin, begin, 0);
    return true;
}

static struct mock__advice *advice_of(struct mock__memory *memory)
{
    struct mock__part whole = nothing;

    if (memory->advice)
        return memory->advice;
    whole.end = memory->bytes;
    memory->advice = calloc(1, sizeof(*memory->advice));
    if (!memory->advice || !add_part(memory->advice, &whole, 0)) {
        mock__advice_forget(memory);
        return NULL;
    }
    return memory->advice;
}

/* Splits parts so that one begins at this offset. */
static bool split(struct mock__advice *advice, size_t at)
{
    struct mock__part *part = part_of(cushim__tree_before(&advice->parts, at, 1));

    if (part->end <= at || part->begin == at)
        return true;
    if (!add_part(advice, part, at))
        return false;
    part->end = at;
    return true;
}

/* Returns the first part of a range. The parts are split at its begin and at its end. */
static CUresult first_part(const struct mock__managed_range *managed, struct mock__part **ret_first)
{
    struct mock__advice *advice = advice_of(managed->memory);

    MOCK__REQUIRE(advice && split(advice, managed->begin) && split(advice, managed->end),
                  CUDA_ERROR_OUT_OF_MEMORY);
    *ret_first = part_of(cushim__tree_find(&advice->parts, managed->begin, 0));
    return CUDA_SUCCESS;
}

const struct mock__part *mock__advice_at(const struct mock__memory *memory, size_t offset)
{
    return memory->advice ? part_of(cushim__tree_before(&memory->advice->parts, offset, 1))
                          : &nothing;
}

const struct mock__part *mock__advice_next(const struct mock__part *part)
{
    return part == &nothing ? NULL : next_part(part);
}

CUresult mock__advice_prefetched(const struct mock__managed_range *managed,
                                 struct mock__place place)
{
    struct mock__part *part = NULL;

    MOCK__TRY(first_part(managed, &part));
    for (; part && part->begin < managed->end; part = next_part(part))
        part->prefetched = place;
    return CUDA_SUCCESS;
}

struct mock__place mock__place_of(CUdevice device)
{
    return device == CU_DEVICE_CPU ? (struct mock__place){MOCK__ON_HOST, CU_DEVICE_CPU}
                                   : (struct mock__place){MOCK__ON_DEVICE, device};
}

static bool is_place(struct mock__place place)
{
    return place.type >= MOCK__ON_DEVICE && place.type <= MOCK__ON_HOST_NUMA_CURRENT;
}

CUresult mock__place_check(struct mock__place place)
{
    const struct mock__device *device =
        place.type == MOCK__ON_DEVICE ? mock__device_find(place.id) : NULL;

    MOCK__REQUIRE(is_place(place), CUDA_ERROR_INVALID_VALUE);
    if (place.type != MOCK__ON_DEVICE)
        return CUDA_SUCCESS;
    MOCK__REQUIRE(device && mock__attribute(device, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS),
                  CUDA_ERROR_INVALID_DEVICE);
    return CUDA_SUCCESS;
}

static uint64_t page_behind(uint64_t address)
{
    return (address + PAGE - 1) & ~(PAGE - 1);
}

CUresult mock__managed_find(CUdeviceptr address, size_t bytes,
                            struct mock__managed_range *ret_managed)
{
    struct mock__memory *memory = mock__memory_find(address);
    const uint64_t begin = address & ~(PAGE - 1), end = page_behind(address + bytes);

    MOCK__REQUIRE(bytes && memory && memory->kind == MOCK__MANAGED_MEMORY,
                  CUDA_ERROR_INVALID_VALUE);
    ret_managed->memory = memory;
    ret_managed->begin = begin > memory->address ? begin - memory->address : 0;
    ret_managed->end = ret_managed->begin;
    if (end <= begin)
        return CUDA_SUCCESS;
    /* What is smaller than its pages does not have all of them. */
    MOCK__REQUIRE(end <= page_behind(memory->address + memory->bytes), CUDA_ERROR_INVALID_VALUE);
    ret_managed->end =
        end - memory->address < memory->bytes ? end - memory->address : memory->bytes;
    return CUDA_SUCCESS;
}

/* Returns the bit of a place: the host's bit is above those of the devices. */
static uint32_t user_bit(struct mock__place place)
{
    return place.type == MOCK__ON_DEVICE ? (uint32_t) 1 << place.id : MOCK__HOST_BIT;
}

static void apply(struct mock__part *part, CUmem_advise advice, struct mock__place place)
{
    switch (advice) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
        part->read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
        break;
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
        part->preferred = place;
        break;
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
        part->preferred = nothing.preferred;
        break;
    case CU_MEM_ADVISE_SET_ACCESSED_BY:
        part->users |= user_bit(place);
        break;
    case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
        part->users &= ~user_bit(place);
        break;
    }
}

/* Some advice needs no place, and accepts any. */
static CUresult check_place(CUmem_advise advice, struct mock__place place)
{
    switch (advice) {
    case CU_MEM_ADVISE_SET_ACCESSED_BY:
    case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
        MOCK__REQUIRE(place.type == MOCK__ON_DEVICE || place.type == MOCK__ON_HOST,
                      CUDA_ERROR_INVALID_VALUE);
        return mock__place_check(place);
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
        return mock__place_check(place);
    default:
        return CUDA_SUCCESS;
    }
}

static CUresult advise(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                       struct mock__place place)
{
    struct mock__managed_range managed;
    struct mock__part *part = NULL;

    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE(advice >= CU_MEM_ADVISE_SET_READ_MOSTLY &&
                      advice <= CU_MEM_ADVISE_UNSET_ACCESSED_BY,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(is_place(place), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__managed_find(address, bytes, &managed));
    MOCK__REQUIRE(managed.begin < managed.end, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(check_place(advice, place));
    MOCK__TRY(first_part(&managed, &part));
    for (; part && part->begin < managed.end; part = next_part(part))
        apply(part, advice, place);
    return CUDA_SUCCESS;
}

CUresult mock_cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device)
{
    return advise(devPtr, count, advice, mock__place_of(device));
}

#if CUDA_VERSION >= 12020
CUresult mock_cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                             CUmemLocation location)
{
    return advise(devPtr, count, advice, (struct mock__place){(int) location.type, location.id});
}
#endif
