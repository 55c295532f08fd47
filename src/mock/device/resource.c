/* SPDX-License-Identifier: MIT */
/*
 * cuDevice*DevResource, cu*GetDevResource, cuDevSmResourceSplitByCount: the multiprocessors of a
 * device as a resource that is divided. A CUdevResource that a caller holds has the handle of its
 * share in it, so that one which is made up or changed is found out.
 */
#include "mock/device/resource.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "mock/base/gpc.h"
#include "mock/base/newer.h"
#include "mock/stream/stream.h"

#if CUDA_VERSION >= 12040

#define INVALID_TYPE          ((CUresult) 914) /* CUDA_ERROR_INVALID_RESOURCE_TYPE */
#define INVALID_CONFIGURATION ((CUresult) 915) /* CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION */

/* CUdevSmResourceSplit_flags */
enum {
    IGNORE_COSCHEDULING = 1,
    LARGEST_CLUSTERS = 2,
};

/* --- shares --- */

/* What tells shares apart. */
static bool is_same(const struct mock__share *a, const struct mock__share *b)
{
    return a->device == b->device && a->from == b->from && a->size == b->size &&
           a->n_parts == b->n_parts && a->n_spans == b->n_spans &&
           !memcmp(a->spans, b->spans, a->n_spans * sizeof(*a->spans));
}

/* Makes a share, if there is none like it: so there are only as many as there are different ones.
 */
static CUresult have(const struct mock__share *wanted, struct mock__share **ret_share)
{
    const size_t bytes = sizeof(*wanted) + wanted->n_spans * sizeof(*wanted->spans);
    struct mock__share *share;

    for (size_t cursor = 0; (share = mock__object_next(MOCK__SHARE, &cursor));)
        if (is_same(share, wanted)) {
            *ret_share = share;
            return CUDA_SUCCESS;
        }
    share = mock__object_new(MOCK__SHARE, bytes);
    MOCK__REQUIRE(share, CUDA_ERROR_OUT_OF_MEMORY);
    memcpy((char *) share + sizeof(share->object), (const char *) wanted + sizeof(wanted->object),
           bytes - sizeof(share->object));
    for (size_t i = 0; i < share->n_spans; i++)
        share->n += share->spans[i].n;
    *ret_share = share;
    return CUDA_SUCCESS;
}

/* An empty share with room for spans. */
static struct mock__share *new_share(struct mock__device *device, size_t room)
{
    struct mock__share *share = calloc(1, sizeof(*share) + room * sizeof(*share->spans));

    if (share)
        share->device = device;
    return share;
}

/* Adds what begins at no lower number than all that it has, and may have a part of that. */
static void add_span(struct mock__share *share, struct mock__span span)
{
    struct mock__span *last = share->n_spans ? &share->spans[share->n_spans - 1] : NULL;
    const unsigned end = span.first + span.n;

    if (!last || span.first > last->first + last->n)
        share->spans[share->n_spans++] = span;
    else if (end > last->first + last->n)
        last->n = end - last->first;
}

CUresult mock__share_whole(struct mock__device *device, struct mock__share **ret_share)
{
    SCOPED_FREE struct mock__share *whole = new_share(device, 1);

    MOCK__REQUIRE(whole, CUDA_ERROR_OUT_OF_MEMORY);
    add_span(whole, (struct mock__span){0, mock__multiprocessors(NULL, device)});
    return have(whole, ret_share);
}

CUresult mock__share_find(CUdevResourceDesc desc, struct mock__share **ret_share)
{
    *ret_share = mock__object_find(MOCK__SHARE, desc);
    /* The device of what is something else is none. */
    MOCK__REQUIRE(*ret_share, mock__object_any((uintptr_t) desc) ? CUDA_ERROR_INVALID_DEVICE
                                                                 : CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

/* --- resources --- */

/* The least part that a device is divided into, and what sizes of parts are a multiple of. */
struct grain {
    unsigned least, multiple;
};

static struct grain grain_of(const struct mock__device *device, unsigned flags)
{
    const int major = mock__attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);

    if (flags & IGNORE_COSCHEDULING)
        return (struct grain){2, 2};
    return major >= 9   ? (struct grain){8, 8}
           : major == 8 ? (struct grain){4, 2}
                        : (struct grain){2, 2};
}

/* What is behind `sm` belongs to later headers, and to the caller. */
static void put(CUdevResource *resource, const struct mock__share *share)
{
    memset(resource, 0, offsetof(CUdevResource, sm) + sizeof(resource->sm));
    if (!share)
        return;
    resource->type = CU_DEV_RESOURCE_TYPE_SM;
    memcpy(resource->_internal_padding, &share->object.handle, sizeof(share->object.handle));
    resource->sm.smCount = share->n;
#if CUDA_VERSION >= 13000
    if (!share->from) {
        resource->sm.minSmPartitionSize = grain_of(share->device, 0).least;
        resource->sm.smCoscheduledAlignment = grain_of(share->device, 0).multiple;
    }
#endif
}

static CUresult take(const CUdevResource *resource, struct mock__share **ret_share)
{
    uintptr_t handle;

    MOCK__REQUIRE(resource->type == CU_DEV_RESOURCE_TYPE_SM, INVALID_TYPE);
    memcpy(&handle, resource->_internal_padding, sizeof(handle));
    *ret_share = mock__object_find(MOCK__SHARE, (void *) handle);
    MOCK__REQUIRE(*ret_share && (*ret_share)->n == resource->sm.smCount, INVALID_CONFIGURATION);
    return CUDA_SUCCESS;
}

static CUresult get(CUdevResource *resource, CUdevResourceType type, struct mock__device *device,
                    const struct mock__green *green)
{
    struct mock__share *share = green ? green->share : NULL;

    MOCK__REQUIRE(resource, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(type == CU_DEV_RESOURCE_TYPE_SM, INVALID_TYPE);
    if (!share)
        MOCK__TRY(mock__share_whole(device, &share));
    put(resource, share);
    return CUDA_SUCCESS;
}

CUresult mock_cuDeviceGetDevResource(CUdevice device, CUdevResource *resource,
                                     CUdevResourceType type)
{
    MOCK__ENTER();
    MOCK__REQUIRE(mock__device_find(device), CUDA_ERROR_INVALID_DEVICE);
    return get(resource, type, mock__device_find(device), NULL);
}

/* The current context has to be named. */
CUresult mock_cuCtxGetDevResource(CUcontext hCtx, CUdevResource *resource, CUdevResourceType type)
{
    const struct mock__context *context;

    MOCK__ENTER();
    context = mock__context_find(hCtx);
    MOCK__REQUIRE(context, mock__stranger(hCtx, CUDA_ERROR_INVALID_CONTEXT));
    MOCK__TRY(mock__context_usable(context));
    return get(resource, type, context->device, mock__green_find(hCtx));
}

CUresult mock_cuGreenCtxGetDevResource(CUgreenCtx hCtx, CUdevResource *resource,
                                       CUdevResourceType type)
{
    struct mock__green *green = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__green_of(hCtx, &green));
    MOCK__TRY(green->primary ? mock__context_usable(green->primary) : CUDA_SUCCESS);
    return get(resource, type, NULL, green);
}

CUresult mock_cuStreamGetDevResource(CUstream hStream, CUdevResource *resource,
                                     CUdevResourceType type)
{
    struct mock__stream *stream = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    return get(resource, type, stream->context->device, mock__stream_green(hStream));
}

/* --- parts --- */

/* The multiprocessors of a share from one on; that one is counted in the share. */
static CUresult part(const struct mock__share *share, struct mock__span wanted, unsigned size,
                     unsigned n_parts, struct mock__share **ret_part)
{
    SCOPED_FREE struct mock__share *result = new_share(share->device, share->n_spans);
    unsigned begin = 0;

    MOCK__REQUIRE(result, CUDA_ERROR_OUT_OF_MEMORY);
    result->from = share->object.handle;
    result->size = size;
    result->n_parts = n_parts;
    for (size_t i = 0; i < share->n_spans && wanted.n; i++) {
        const struct mock__span *span = &share->spans[i];
        const unsigned skipped = wanted.first - begin;
        const unsigned left = skipped < span->n ? span->n - skipped : 0;
        const unsigned n = left < wanted.n ? left : wanted.n;

        if (n)
            add_span(result, (struct mock__span){span->first + skipped, n});
        wanted.first += n;
        wanted.n -= n;
        begin += span->n;
    }
    return have(result, ret_part);
}

static unsigned round_up(unsigned n, unsigned multiple)
{
    return (n + multiple - 1) / multiple * multiple;
}

/* Parts of the least size have to be within groups; larger ones are put together of any. */
static unsigned most_parts(const struct mock__share *share, unsigned size, struct grain grain)
{
    unsigned parts = 0, group;

    if (size != grain.least || grain.least < 8 ||
        share->n != mock__multiprocessors(NULL, share->device))
        return share->n / size;
    for (unsigned i = 0; (group = mock__gpc(NULL, share->device, i)); i++)
        parts += group / size;
    return parts;
}

static CUresult size_of_parts(const struct mock__share *share, unsigned flags, unsigned count,
                              unsigned *ret_size, unsigned *ret_parts)
{
    const struct grain grain = grain_of(share->device, flags);
    unsigned size;

    MOCK__REQUIRE(!share->from && count <= share->n, INVALID_CONFIGURATION);
    size = round_up(count > grain.least ? count : grain.least, grain.multiple);
    *ret_size = size < share->n ? size : share->n;
    *ret_parts = most_parts(share, *ret_size, grain);
    return CUDA_SUCCESS;
}

static CUresult put_part(CUdevResource *resource, const struct mock__share *share,
                         struct mock__span span, unsigned size, unsigned n_parts)
{
    struct mock__share *found = NULL;

    if (span.n)
        MOCK__TRY(part(share, span, size, n_parts, &found));
    put(resource, found);
    return CUDA_SUCCESS;
}

CUresult mock_cuDevSmResourceSplitByCount(CUdevResource *result, unsigned int *nbGroups,
                                          const CUdevResource *input, CUdevResource *remaining,
                                          unsigned int useFlags, unsigned int minCount)
{
    const unsigned both = IGNORE_COSCHEDULING | LARGEST_CLUSTERS;
    struct mock__share *share = NULL;
    unsigned size = 0, n = 0;

    MOCK__ENTER();
    MOCK__REQUIRE(nbGroups && input && (!result || *nbGroups) && useFlags != both,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(take(input, &share));
    MOCK__TRY(size_of_parts(share, useFlags, minCount, &size, &n));
    if (result && n > *nbGroups)
        n = *nbGroups;
    for (unsigned i = 0; result && i < n; i++)
        MOCK__TRY(put_part(&result[i], share, (struct mock__span){i * size, size}, size, n));
    if (remaining)
        MOCK__TRY(put_part(remaining, share, (struct mock__span){n * size, share->n - n * size},
                           size, n));
    *nbGroups = n;
    return CUDA_SUCCESS;
}

/* --- descriptions --- */

static int compare_spans(const void *a, const void *b)
{
    const struct mock__span *first = a, *second = b;

    return (first->first > second->first) - (first->first < second->first);
}

static CUresult join(const CUdevResource *resources, unsigned n, struct mock__share **ret_share)
{
    SCOPED_FREE struct mock__span *spans = NULL;
    SCOPED_FREE struct mock__share *result = NULL;
    struct mock__share *first = NULL, *share = NULL;
    size_t n_spans = 0;

    MOCK__TRY(take(&resources[0], &first));
    for (unsigned i = 0; i < n; i++) {
        struct mock__span *more;

        MOCK__TRY(take(&resources[i], &share));
        MOCK__REQUIRE(share->device == first->device, INVALID_CONFIGURATION);
        more = realloc(spans, (n_spans + share->n_spans) * sizeof(*spans));
        MOCK__REQUIRE(more, CUDA_ERROR_OUT_OF_MEMORY);
        spans = more;
        memcpy(&spans[n_spans], share->spans, share->n_spans * sizeof(*spans));
        n_spans += share->n_spans;
    }
    qsort(spans, n_spans, sizeof(*spans), compare_spans);
    result = new_share(first->device, n_spans);
    MOCK__REQUIRE(result, CUDA_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < n_spans; i++)
        add_span(result, spans[i]);
    return have(result, ret_share);
}

CUresult mock_cuDevResourceGenerateDesc(CUdevResourceDesc *phDesc, CUdevResource *resources,
                                        unsigned int nbResources)
{
    struct mock__share *share = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(phDesc && resources && nbResources, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(join(resources, nbResources, &share));
    *phDesc = MOCK__HANDLE(share);
    return CUDA_SUCCESS;
}

#endif
