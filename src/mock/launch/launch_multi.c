/* SPDX-License-Identifier: MIT */
/*
 * cuLaunchCooperativeKernelMultiDevice: a kernel on several devices. All of its launches begin and
 * end together.
 */
#include <string.h>

#include "mock/base/state.h"
#include "mock/launch/launch.h"
#include "mock/module/module.h"
#include "mock/stream/capture.h"
#include "mock/stream/stream.h"

enum {
    NO_PRE_SYNC = 1,
    NO_POST_SYNC = 2,
    MOST = 16,                /* the maximum number of devices */
    MULTI_DEVICE_LAUNCH = 96, /* the device's attribute; newer headers have another name for it */
};

/* The launch on one of the devices. */
struct part {
    struct mock__stream *stream;
    struct mock__work *work;
};

static CUresult find(const CUDA_LAUNCH_PARAMS *p, struct part *part,
                     struct mock__function **ret_function)
{
    MOCK__TRY(mock__function_find(p->function, ret_function));
    MOCK__REQUIRE(p->hStream && p->hStream != CU_STREAM_LEGACY &&
                      p->hStream != CU_STREAM_PER_THREAD,
                  CUDA_ERROR_INVALID_HANDLE);
    MOCK__TRY(mock__stream_find(p->hStream, &part->stream));
    MOCK__REQUIRE((*ret_function)->module->context == part->stream->context,
                  CUDA_ERROR_INVALID_HANDLE);
    MOCK__REQUIRE(
        mock__attribute(part->stream->context->device, (CUdevice_attribute) MULTI_DEVICE_LAUNCH),
        CUDA_ERROR_NOT_SUPPORTED);
    return mock__capture_refuse(part->stream);
}

static bool same_shape(const CUDA_LAUNCH_PARAMS *a, const CUDA_LAUNCH_PARAMS *b)
{
    return a->gridDimX == b->gridDimX && a->gridDimY == b->gridDimY && a->gridDimZ == b->gridDimZ &&
           a->blockDimX == b->blockDimX && a->blockDimY == b->blockDimY &&
           a->blockDimZ == b->blockDimZ && a->sharedMemBytes == b->sharedMemBytes;
}

/* Checks that each launch is on another device, and that all have the same kernel. */
static CUresult check(const CUDA_LAUNCH_PARAMS *list, unsigned n, struct part *parts)
{
    struct mock__function *function = NULL, *first = NULL;

    for (unsigned i = 0; i < n; i++) {
        MOCK__TRY(find(&list[i], &parts[i], &function));
        first = i ? first : function;
        MOCK__REQUIRE(same_shape(&list[i], &list[0]) &&
                          !strcmp(function->entry->name, first->entry->name),
                      CUDA_ERROR_INVALID_VALUE);
        for (unsigned k = 0; k < i; k++)
            MOCK__REQUIRE(parts[i].stream->context->device != parts[k].stream->context->device,
                          CUDA_ERROR_INVALID_VALUE);
    }
    return CUDA_SUCCESS;
}

static CUresult describe(const CUDA_LAUNCH_PARAMS *p, struct part *part)
{
    return mock__kernel_work(
        &(struct mock__request){
            .function = p->function,
            .grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
            .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
            .shared_bytes = p->sharedMemBytes,
            .params = p->kernelParams,
            .cooperative = true,
        },
        &part->work);
}

/* Makes work wait for all earlier work of all these streams. */
static bool wait_for_all(struct mock__work *work, const struct part *parts, unsigned n)
{
    bool done = work;

    for (unsigned i = 0; done && i < n; i++) {
        struct mock__point end = mock__queue_end(parts[i].stream->queue);

        done = mock__work_wait_for(work, &end);
        mock__point_clear(&end);
    }
    return done;
}

/*
 * Makes the work of all launches before the first one is submitted, so that each one waits for
 * earlier work and not for the others.
 */
static CUresult describe_all(const CUDA_LAUNCH_PARAMS *list, unsigned n, unsigned flags,
                             struct part *parts)
{
    for (unsigned i = 0; i < n; i++) {
        MOCK__TRY(describe(&list[i], &parts[i]));
        MOCK__REQUIRE((flags & NO_PRE_SYNC) || wait_for_all(parts[i].work, parts, n),
                      CUDA_ERROR_OUT_OF_MEMORY);
    }
    return CUDA_SUCCESS;
}

static CUresult submit_all(struct part *parts, unsigned n)
{
    CUresult result = CUDA_SUCCESS;

    for (unsigned i = 0; result == CUDA_SUCCESS && i < n; i++) {
        struct mock__work *work = parts[i].work;

        parts[i].work = NULL;
        result = mock__stream_submit(parts[i].stream, work);
    }
    return result;
}

/* Makes later work of these streams wait for all of the kernels. */
static CUresult join(const struct part *parts, unsigned n)
{
    struct part joins[MOST] = {0};
    CUresult result = CUDA_SUCCESS;

    for (unsigned i = 0; i < n; i++) {
        joins[i] = (struct part){parts[i].stream, mock__work_nothing()};
        if (!wait_for_all(joins[i].work, parts, n))
            result = CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (result == CUDA_SUCCESS)
        result = submit_all(joins, n);
    for (unsigned i = 0; i < n; i++)
        mock__work_free(joins[i].work);
    return result;
}

static CUresult launch(const CUDA_LAUNCH_PARAMS *list, unsigned n, unsigned flags,
                       struct part *parts)
{
    MOCK__TRY(check(list, n, parts));
    MOCK__TRY(describe_all(list, n, flags, parts));
    MOCK__TRY(submit_all(parts, n));
    return flags & NO_POST_SYNC ? CUDA_SUCCESS : join(parts, n);
}

CUresult mock_cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launchParamsList,
                                                   unsigned int numDevices, unsigned int flags)
{
    struct part parts[MOST] = {0};
    CUresult result;

    MOCK__ENTER();
    MOCK__REQUIRE(launchParamsList && numDevices && numDevices <= (unsigned) mock__device_count() &&
                      numDevices <= MOST && !(flags & ~(unsigned) (NO_PRE_SYNC | NO_POST_SYNC)),
                  CUDA_ERROR_INVALID_VALUE);
    result = launch(launchParamsList, numDevices, flags, parts);
    for (unsigned i = 0; i < numDevices; i++)
        mock__work_free(parts[i].work);
    return result;
}
