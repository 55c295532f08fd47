/* SPDX-License-Identifier: MIT */
/* cuMemAdvise, and its results for cuMemRangeGetAttribute() (mem_range.c). */
#include "mock/allocation/mem_advise.h"

#include <stdlib.h>
#include <string.h>

#include "mock/allocation/memory.h"
#include "mock/base/state.h"

struct mock__advice {
    size_t n, room;
    struct mock__part *parts; /* without gaps, from the first byte to the last */
};

void mock__advice_forget(struct mock__memory *memory)
{
    if (memory->advice)
        free(memory->advice->parts);
    free(memory->advice);
    memory->advice = NULL;
}

static const struct mock__part nothing = {
    .preferred = {MOCK__NO_PLACE, MOCK__NO_DEVICE},
    .prefetched = {MOCK__NO_PLACE, MOCK__NO_DEVICE},
};

static bool have_room(struct mock__advice *advice)
{
    const size_t wanted = advice->room ? 2 * advice->room : 4;
    struct mock__part *larger;

    if (advice->n < advice->room)
        return true;
    larger = realloc(advice->parts, wanted * sizeof(*larger));
    if (!larger)
        return false;
    advice->parts = larger;
    advice->room = wanted;
    return true;
}

static struct mock__advice *advice_of(struct mock__memory *memory)
{
    if (memory->advice)
        return memory->advice;
    memory->advice = calloc(1, sizeof(*memory->advice));
    if (!memory->advice || !have_room(memory->advice)) {
        mock__advice_forget(memory);
        return NULL;
    }
    memory->advice->parts[0] = nothing;
    memory->advice->parts[0].end = memory->bytes;
    memory->advice->n = 1;
    return memory->advice;
}

/* Splits parts so that one begins at this offset. */
static bool split(struct mock__advice *advice, size_t at)
{
    size_t i = 0;

    while (i < advice->n && advice->parts[i].end <= at)
        i++;
    if (i == advice->n || advice->parts[i].begin == at)
        return true;
    if (!have_room(advice))
        return false;
    memmove(&advice->parts[i + 1], &advice->parts[i], (advice->n - i) * sizeof(*advice->parts));
    advice->parts[i].end = advice->parts[i + 1].begin = at;
    advice->n++;
    return true;
}

/* Returns the parts of a range. Their bounds are those of the range. */
static CUresult parts_of(struct mock__memory *memory, CUdeviceptr address, size_t bytes,
                         struct mock__part **ret_first, struct mock__part **ret_end)
{
    const size_t begin = address - memory->address, end = begin + bytes;
    struct mock__advice *advice = advice_of(memory);
    size_t i = 0;

    MOCK__REQUIRE(advice && split(advice, begin) && split(advice, end), CUDA_ERROR_OUT_OF_MEMORY);
    while (advice->parts[i].begin < begin)
        i++;
    *ret_first = &advice->parts[i];
    while (i < advice->n && advice->parts[i].end <= end)
        i++;
    *ret_end = &advice->parts[i];
    return CUDA_SUCCESS;
}

size_t mock__advice_parts(const struct mock__memory *memory, const struct mock__part **ret_parts)
{
    *ret_parts = memory->advice ? memory->advice->parts : &nothing;
    return memory->advice ? memory->advice->n : 1;
}

CUresult mock__advice_prefetched(struct mock__memory *memory, CUdeviceptr address, size_t bytes,
                                 struct mock__place place)
{
    struct mock__part *part = NULL, *end = NULL;

    MOCK__TRY(parts_of(memory, address, bytes, &part, &end));
    for (; part < end; part++)
        part->prefetched = place;
    return CUDA_SUCCESS;
}

struct mock__place mock__place_of(CUdevice device)
{
    return device == CU_DEVICE_CPU ? (struct mock__place){MOCK__ON_HOST, CU_DEVICE_CPU}
                                   : (struct mock__place){MOCK__ON_DEVICE, device};
}

CUresult mock__place_check(struct mock__place place)
{
    const struct mock__device *device =
        place.type == MOCK__ON_DEVICE ? mock__device_find(place.id) : NULL;

    MOCK__REQUIRE(place.type >= MOCK__ON_DEVICE && place.type <= MOCK__ON_HOST_NUMA_CURRENT,
                  CUDA_ERROR_INVALID_VALUE);
    if (place.type != MOCK__ON_DEVICE)
        return CUDA_SUCCESS;
    MOCK__REQUIRE(device && mock__attribute(device, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS),
                  CUDA_ERROR_INVALID_DEVICE);
    return CUDA_SUCCESS;
}

CUresult mock__managed_find(CUdeviceptr address, size_t bytes, struct mock__memory **ret_memory)
{
    struct mock__memory *memory = mock__memory_find(address);

    MOCK__REQUIRE(bytes && memory && memory->kind == MOCK__MANAGED_MEMORY &&
                      bytes <= memory->bytes - (address - memory->address),
                  CUDA_ERROR_INVALID_VALUE);
    *ret_memory = memory;
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

/* Checks the place. Some advice needs no place, and accepts any. */
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
    struct mock__part *part = NULL, *end = NULL;
    struct mock__memory *memory = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(advice >= CU_MEM_ADVISE_SET_READ_MOSTLY &&
                      advice <= CU_MEM_ADVISE_UNSET_ACCESSED_BY,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__managed_find(address, bytes, &memory));
    MOCK__TRY(check_place(advice, place));
    MOCK__TRY(parts_of(memory, address, bytes, &part, &end));
    for (; part < end; part++)
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
