/* SPDX-License-Identifier: MIT */
/* cuMemRangeGetAttribute, cuMemRangeGetAttributes, cuMemGetLocationInfo */
#include "mock/allocation/mem_advise.h"

#include <string.h>

#include "mock/allocation/memory.h"
#include "mock/base/newer.h"
#include "mock/base/state.h"

/* The numbers are written here, because toolkits before 12.2 lack the last four names. */
enum {
    READ_MOSTLY = 1,
    PREFERRED = 2,
    ACCESSED_BY = 3,
    PREFETCHED = 4,
    PREFERRED_TYPE = 5,
    PREFERRED_ID = 6,
    PREFETCHED_TYPE = 7,
    PREFETCHED_ID = 8,
};

/*
 * Returns the advice that is common to all parts of a range. If the places differ, there is no
 * place.
 */
static struct mock__part common(const struct mock__managed_range *managed)
{
    const struct mock__place none = {MOCK__NO_PLACE, MOCK__NO_DEVICE};
    struct mock__part result = {
        .read_mostly = true, .users = UINT32_MAX, .preferred = none, .prefetched = none};
    const struct mock__part *part = mock__advice_at(managed->memory, managed->begin);
    bool first = true;

    if (managed->begin == managed->end)
        return result;
    for (; part && (first || part->begin < managed->end); part = mock__advice_next(part)) {
        if (first || memcmp(&result.preferred, &part->preferred, sizeof(none)))
            result.preferred = first ? part->preferred : none;
        if (first || memcmp(&result.prefetched, &part->prefetched, sizeof(none)))
            result.prefetched = first ? part->prefetched : none;
        result.read_mostly &= part->read_mostly;
        result.users &= part->users;
        first = false;
    }
    return result;
}

/*
 * Returns a place for the attributes that use ordinals: an ordinal, -1 for the host, or -2 for
 * none.
 */
static int as_device(struct mock__place place)
{
    if (place.type == MOCK__ON_DEVICE)
        return place.id;
    return place.type == MOCK__ON_HOST ? CU_DEVICE_CPU : MOCK__NO_DEVICE;
}

static CUresult put_int(void *data, size_t bytes, int value)
{
    MOCK__REQUIRE(bytes == sizeof(value), CUDA_ERROR_INVALID_VALUE);
    memcpy(data, &value, sizeof(value));
    return CUDA_SUCCESS;
}

/* Writes as many devices as fit. The rest of the output is filled with the number for no device. */
static CUresult put_users(int *data, size_t bytes, uint32_t users)
{
    const size_t room = bytes / sizeof(*data);
    size_t n = 0;

    MOCK__REQUIRE(room && bytes % sizeof(*data) == 0, CUDA_ERROR_INVALID_VALUE);
    for (int i = 0; i < mock__device_count() && n < room; i++)
        if (users & (uint32_t) 1 << i)
            data[n++] = i;
    if (users & MOCK__HOST_BIT && n < room)
        data[n++] = CU_DEVICE_CPU;
    while (n < room)
        data[n++] = MOCK__NO_DEVICE;
    return CUDA_SUCCESS;
}

static CUresult get(const struct mock__part *part, void *data, size_t bytes, int attribute)
{
    switch (attribute) {
    case READ_MOSTLY:
        return put_int(data, bytes, part->read_mostly);
    case PREFERRED:
        return put_int(data, bytes, as_device(part->preferred));
    case ACCESSED_BY:
        return put_users(data, bytes, part->users);
    case PREFETCHED:
        return put_int(data, bytes, as_device(part->prefetched));
    case PREFERRED_TYPE:
        return put_int(data, bytes, part->preferred.type);
    case PREFERRED_ID:
        return put_int(data, bytes, part->preferred.id);
    case PREFETCHED_TYPE:
        return put_int(data, bytes, part->prefetched.type);
    case PREFETCHED_ID:
        return put_int(data, bytes, part->prefetched.id);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult get_all(void **data, const size_t *sizes, const CUmem_range_attribute *attributes,
                        size_t n, CUdeviceptr address, size_t bytes)
{
    struct mock__managed_range managed;
    struct mock__part part;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(data && sizes && attributes && n, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__managed_find(address, bytes, &managed));
    part = common(&managed);
    for (size_t i = 0; i < n; i++) {
        MOCK__REQUIRE(data[i], CUDA_ERROR_INVALID_VALUE);
        MOCK__TRY(get(&part, data[i], sizes[i], (int) attributes[i]));
    }
    return CUDA_SUCCESS;
}

CUresult mock_cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute,
                                     CUdeviceptr devPtr, size_t count)
{
    return get_all(&data, &dataSize, &attribute, 1, devPtr, count);
}

CUresult mock_cuMemRangeGetAttributes(void **data, size_t *dataSizes,
                                      CUmem_range_attribute *attributes, size_t numAttributes,
                                      CUdeviceptr devPtr, size_t count)
{
    return get_all(data, dataSizes, attributes, numAttributes, devPtr, count);
}

/* --- cuMemGetLocationInfo --- */

#define MOST_PLACES 64 /* more than a machine has */

/* How many samples of a range are at a place. */
struct tally {
    struct mock__place place;
    size_t n;
};

static void count(struct tally tallies[MOST_PLACES], struct mock__place place, size_t n)
{
    for (size_t i = 0; i < MOST_PLACES; i++)
        if (!tallies[i].n || !memcmp(&tallies[i].place, &place, sizeof(place))) {
            tallies[i].place = place;
            tallies[i].n += n;
            return;
        }
}

/* How many of the offsets begin, begin + step and so on are less than the end. */
static size_t n_samples(size_t begin, size_t end, size_t step)
{
    return end > begin ? (end - begin - 1) / step + 1 : 0;
}

/*
 * The place of most samples; of several, that of the first one. Memory is where it was prefetched
 * to, as it moves nowhere else.
 */
static struct mock__place most_common(const struct mock__memory *memory, size_t begin, size_t end,
                                      size_t step)
{
    const struct mock__part *part = mock__advice_at(memory, begin);
    struct tally tallies[MOST_PLACES], best = {{MOCK__NO_PLACE, 0}, 0};

    memset(tallies, 0, sizeof(tallies));
    for (; part && part->begin < end; part = mock__advice_next(part)) {
        const size_t from = part->begin > begin ? part->begin : begin;
        const size_t to = part->end < end ? part->end : end;

        count(tallies, part->prefetched, n_samples(begin, to, step) - n_samples(begin, from, step));
    }
    for (size_t i = 0; i < MOST_PLACES; i++)
        if (tallies[i].n > best.n)
            best = tallies[i];
    return best.place;
}

static CUresult check_granularity(size_t bytes, size_t summary, size_t sampling)
{
    MOCK__REQUIRE(summary && summary <= bytes && sampling <= summary, CUDA_ERROR_INVALID_VALUE);
    for (int i = 0; i < mock__device_count(); i++)
        MOCK__REQUIRE(
            mock__attribute(mock__device_find(i), CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS),
            CUDA_ERROR_NOT_SUPPORTED);
    return CUDA_SUCCESS;
}

/* The host's own memory, which the driver does not know, is on the host. */
static CUresult find_pageable(CUdeviceptr address, size_t bytes)
{
    const struct mock__memory *next = mock__memory_after(address);

    MOCK__REQUIRE(address && !mock__memory_find(address) &&
                      (!next || next->address - address >= bytes),
                  CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

CUresult mock_cuMemGetLocationInfo(CUdeviceptr ptr, size_t size, size_t summaryGranularity,
                                   size_t samplingGranularity, CUmemLocation *location_out)
{
    const size_t step = samplingGranularity ? samplingGranularity : summaryGranularity;
    struct mock__managed_range managed = {.memory = NULL};
    const struct mock__memory *memory;

    MOCK__ENTER();
    MOCK__REQUIRE(location_out, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(check_granularity(size, summaryGranularity, samplingGranularity));
    if (mock__managed_find(ptr, size, &managed) != CUDA_SUCCESS)
        MOCK__TRY(find_pageable(ptr, size));
    memory = managed.memory;
    MOCK__REQUIRE(!memory || managed.begin < managed.end, CUDA_ERROR_INVALID_VALUE);
    for (size_t at = 0; at < size; at += summaryGranularity) {
        const size_t end = size - at < summaryGranularity ? size : at + summaryGranularity;
        const size_t begin = memory ? ptr - memory->address : 0;
        const struct mock__place place = memory ? most_common(memory, begin + at, begin + end, step)
                                                : (struct mock__place){MOCK__ON_HOST, 0};

        *location_out++ = (CUmemLocation){.type = (CUmemLocationType) place.type, .id = place.id};
        if (size - at <= summaryGranularity)
            break;
    }
    return CUDA_SUCCESS;
}
