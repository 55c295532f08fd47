/* SPDX-License-Identifier: MIT */
#include "mock/base/device_room.h"

#include "mock/base/context.h"
#include "mock/base/hint.h"

static unsigned contexts_of(const struct mock__device *device)
{
    const struct mock__context *context;
    unsigned n = 0;

    for (size_t cursor = 0; (context = mock__object_next(MOCK__CONTEXT, &cursor));)
        n += context->device == device && context->alive;
    return n;
}

/* A size in MiB, rounded up, so that nothing looks like none. */
static unsigned long long mebibytes(uint64_t bytes)
{
    return (bytes >> 20) + ((bytes & 0xfffff) != 0);
}

static void tell(const struct mock__device *device, uint64_t bytes)
{
    const struct mock__profile *profile = device->profile;
    const unsigned n = contexts_of(device);
    const uint64_t of_contexts = n * profile->context_bytes;
    const char *more = bytes <= profile->total_bytes - device->used_bytes
                           ? "the host cannot give more"
                           : "device.N.memory sets how much it has";

    mock__hint(
        MOCK__HINT_DEVICE_MEMORY,
        "out of memory: %llu MiB are asked for, and device %d (%s) has %llu MiB, of which %u "
        "context%s %s %llu and memory takes %llu; each context takes %llu MiB, as on "
        "hardware; %s",
        mebibytes(bytes), device->ordinal, profile->name, mebibytes(profile->total_bytes), n,
        n == 1 ? "" : "s", n == 1 ? "takes" : "take", mebibytes(of_contexts),
        mebibytes(device->used_bytes - of_contexts), mebibytes(profile->context_bytes), more);
}

bool mock__device_wants_room(const struct mock__device *device, uint64_t bytes)
{
    const bool has_room = mock__device_has_room(device, bytes);

    if (!has_room)
        tell(device, bytes);
    return has_room;
}
