/* SPDX-License-Identifier: MIT */
/* cuCtx* */
#include "mock/base/green.h"
#include "mock/base/state.h"
#include "mock/base/stats.h"
#include "mock/queue/schedule.h"
#include "mock/stream/capture.h"

/* `refused` is what is wrong with other arguments. */
static CUresult create(CUcontext *pctx, unsigned flags, CUdevice dev, unsigned api_version,
                       CUresult refused)
{
    struct mock__device *device;
    struct mock__context *context = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(pctx, CUDA_ERROR_INVALID_VALUE);
    device = mock__device_find(dev);
    MOCK__REQUIRE(device, CUDA_ERROR_INVALID_DEVICE);
    MOCK__TRY(refused);
    MOCK__REQUIRE(mock__context_flags_valid(flags), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__context_create(device, flags, false, api_version, &context));
    if (!mock__current_push(MOCK__HANDLE(context))) {
        mock__context_destroy(context);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    mock__made(&context->object.made, "cuCtxCreate");
    *pctx = MOCK__HANDLE(context);
    return CUDA_SUCCESS;
}

CUresult mock_cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    return create(pctx, flags, dev, MOCK__API_FIRST, CUDA_SUCCESS);
}

CUresult mock_cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    return create(pctx, flags, dev, MOCK__API, CUDA_SUCCESS);
}

#if CUDA_VERSION >= 11040
/* A driver has none of them but with its service for several processes (MPS). */
static CUresult check_affinity(const CUexecAffinityParam *params, int n)
{
    MOCK__REQUIRE(params || n <= 0, CUDA_ERROR_INVALID_VALUE);
    return n > 0 ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : CUDA_SUCCESS;
}

CUresult mock_cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams,
                             unsigned int flags, CUdevice dev)
{
    return create(pctx, flags, dev, MOCK__API, check_affinity(paramsArray, numParams));
}
#endif

#if CUDA_VERSION >= 12050
CUresult mock_cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams,
                             unsigned int flags, CUdevice dev)
{
    const CUctxCreateParams none = {0}, *p = ctxCreateParams ? ctxCreateParams : &none;

    /* Nothing is shared with graphics. */
    return create(pctx, flags, dev, MOCK__API,
                  p->cigParams ? CUDA_ERROR_NOT_SUPPORTED
                               : check_affinity(p->execAffinityParams, p->numExecAffinityParams));
}
#endif

CUresult mock_cuCtxDestroy_v2(CUcontext ctx)
{
    struct mock__context *context;
    CUcontext popped;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(ctx, CUDA_ERROR_INVALID_VALUE);
    context = mock__object_find(MOCK__CONTEXT, ctx);
    MOCK__REQUIRE(context || mock__green_find(ctx),
                  mock__stranger(ctx, CUDA_ERROR_INVALID_CONTEXT));
    MOCK__REQUIRE(context && !context->primary, CUDA_ERROR_INVALID_CONTEXT);
    MOCK__TRY(mock__initialised());
    mock__finish_context(context);
    /* Found anew: waiting gives up the lock, and another thread may have been faster. */
    context = mock__object_find(MOCK__CONTEXT, ctx);
    MOCK__REQUIRE(context, CUDA_ERROR_INVALID_CONTEXT);
    if (mock__current_handle() == ctx)
        mock__current_pop(&popped);
    mock__context_destroy(context);
    return CUDA_SUCCESS;
}

CUresult mock_cuCtxPushCurrent_v2(CUcontext ctx)
{
    MOCK__ENTER();
    MOCK__REQUIRE(ctx, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(mock__context_find(ctx), CUDA_ERROR_INVALID_CONTEXT);
    return mock__current_push(ctx) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* When there was only the first version, a context could be current to one thread alone. */
CUresult mock_cuCtxPushCurrent(CUcontext ctx)
{
    const struct mock__context *context;

    MOCK__ENTER();
    MOCK__REQUIRE(ctx, CUDA_ERROR_INVALID_VALUE);
    context = mock__object_find(MOCK__CONTEXT, ctx);
    MOCK__REQUIRE(context && !context->bound, CUDA_ERROR_INVALID_CONTEXT);
    return mock__current_push(ctx) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult mock_cuCtxPopCurrent_v2(CUcontext *pctx)
{
    CUcontext popped;

    MOCK__ENTER();
    MOCK__REQUIRE(mock__current_pop(&popped), CUDA_ERROR_INVALID_CONTEXT);
    if (pctx)
        *pctx = popped;
    return CUDA_SUCCESS;
}

CUresult mock_cuCtxSetCurrent(CUcontext ctx)
{
    MOCK__ENTER();
    MOCK__REQUIRE(!ctx || mock__context_find(ctx), CUDA_ERROR_INVALID_CONTEXT);
    mock__current_replace(ctx);
    return CUDA_SUCCESS;
}

CUresult mock_cuCtxGetCurrent(CUcontext *pctx)
{
    MOCK__ENTER();
    MOCK__REQUIRE(pctx, CUDA_ERROR_INVALID_VALUE);
    *pctx = mock__current_handle();
    return CUDA_SUCCESS;
}

static CUresult get_device(CUdevice *device, CUcontext ctx)
{
    struct mock__context *context = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(device, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(ctx ? mock__context_of(ctx, &context) : mock__context_current_broken(&context));
    *device = context->device->ordinal;
    return CUDA_SUCCESS;
}

CUresult mock_cuCtxGetDevice(CUdevice *device)
{
    return get_device(device, NULL);
}

static CUresult synchronize(CUcontext ctx)
{
    struct mock__context *context = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__context_of(ctx, &context));
    MOCK__TRY(mock__context_usable(context));
    MOCK__TRY(mock__capture_context_refuse(context));
    mock__stats.waits++;
    mock__wait_context(context);
    MOCK__TRY(mock__context_of(ctx, &context));
    return mock__context_usable(context);
}

CUresult mock_cuCtxSynchronize(void)
{
    return synchronize(NULL);
}

#if CUDA_VERSION >= 13000
CUresult mock_cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx)
{
    return get_device(device, ctx);
}

CUresult mock_cuCtxSynchronize_v2(CUcontext ctx)
{
    return synchronize(ctx);
}
#endif

CUresult mock_cuCtxGetFlags(unsigned int *flags)
{
    struct mock__context *context = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__context_current_broken(&context));
    MOCK__REQUIRE(flags, CUDA_ERROR_INVALID_VALUE);
    *flags = context->flags;
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 12010
CUresult mock_cuCtxSetFlags(unsigned int flags)
{
    struct mock__context *context = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__context_current_broken(&context));
    MOCK__REQUIRE(mock__context_flags_valid(flags), CUDA_ERROR_INVALID_VALUE);
    mock__context_set_flags(context, flags);
    return CUDA_SUCCESS;
}
#endif

#if CUDA_VERSION >= 12000
CUresult mock_cuCtxGetId(CUcontext ctx, unsigned long long *ctxId)
{
    const struct mock__green *green;
    struct mock__context *context = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(ctxId, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__context_of(ctx, &context));
    green = ctx ? mock__green_find(ctx) : mock__green_current();
    *ctxId = green ? green->id : context->id;
    return CUDA_SUCCESS;
}
#endif

CUresult mock_cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
    struct mock__context *context = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(!ctx || mock__context_find(ctx), CUDA_ERROR_INVALID_CONTEXT);
    MOCK__TRY(mock__context_of(ctx, &context));
    MOCK__REQUIRE(version, CUDA_ERROR_INVALID_VALUE);
    *version = context->api_version;
    return CUDA_SUCCESS;
}

CUresult mock_cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    MOCK__ENTER_CONTEXT(context);
    if (leastPriority)
        *leastPriority = 0;
    if (greatestPriority)
        *greatestPriority = context->device->profile->priority_greatest;
    return CUDA_SUCCESS;
}

CUresult mock_cuCtxGetCacheConfig(CUfunc_cache *pconfig)
{
    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(pconfig, CUDA_ERROR_INVALID_VALUE);
    *pconfig = (CUfunc_cache) context->cache_config;
    return CUDA_SUCCESS;
}

CUresult mock_cuCtxSetCacheConfig(CUfunc_cache config)
{
    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE((unsigned) config <= CU_FUNC_CACHE_PREFER_EQUAL, CUDA_ERROR_INVALID_VALUE);
    context->cache_config = (int) config;
    return CUDA_SUCCESS;
}

/* The width of a shared memory bank was a choice once; the getter tells what it is now. */
CUresult mock_cuCtxGetSharedMemConfig(CUsharedconfig *pConfig)
{
    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(pConfig, CUDA_ERROR_INVALID_VALUE);
    *pConfig = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return CUDA_SUCCESS;
}

CUresult mock_cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE((unsigned) config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE,
                  CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

CUresult mock_cuCtxResetPersistingL2Cache(void)
{
    MOCK__ENTER_CONTEXT(context);
    return CUDA_SUCCESS;
}
