/* SPDX-License-Identifier: MIT */
#include "mock/base/context.h"

#include <string.h>

#include "mock/base/device_room.h"
#include "mock/base/finding.h"
#include "mock/base/green.h"
#include "mock/base/hint.h"
#include "mock/base/state.h"
#include "mock/base/upcalls.h"

#define SCHEDULING_FLAGS 0x07u
#define ALL_FLAGS        0xffu
#define MAX_DEPTH        256

/* Flags that older toolkits have no names for. */
#define COREDUMP 0x20u
#define BY_USER  0x40u

static uint64_t last_id;

static _Thread_local CUcontext stack[MAX_DEPTH];
static _Thread_local unsigned depth;

bool mock__context_flags_valid(unsigned flags)
{
    const unsigned scheduling = flags & SCHEDULING_FLAGS;

    /* At most one way of waiting. */
    return !(flags & ~ALL_FLAGS) && !(scheduling & (scheduling - 1));
}

/*
 * Host memory is always mapped where addresses are unified, but only a primary context says so.
 * A core dump that the program asks for is told as any.
 */
static unsigned initial_flags(const struct mock__context *context, unsigned flags)
{
    if (flags & BY_USER)
        flags = (flags & ~BY_USER) | COREDUMP;
    return context->primary ? flags | CU_CTX_MAP_HOST : flags;
}

void mock__context_set_flags(struct mock__context *context, unsigned flags)
{
    const unsigned kept = CU_CTX_MAP_HOST | COREDUMP;

    context->flags = (flags & ~(kept | BY_USER)) | (context->flags & kept);
}

static void reset_settings(struct mock__context *context, unsigned flags)
{
    context->flags = initial_flags(context, flags);
    context->fault = CUDA_SUCCESS;
    context->cache_config = CU_FUNC_CACHE_PREFER_NONE;
    context->coredump = mock__coredump_of(flags);
    context->peers = 0;
    memcpy(context->limits, context->device->profile->limits, sizeof(context->limits));
}

/* Contexts with addresses of 32 bits and others exclude each other, also of other devices. */
static bool is_excluded(const struct mock__context *context)
{
    const struct mock__context *other;

    for (size_t cursor = 0; (other = mock__object_next(MOCK__CONTEXT, &cursor));)
        if (other->alive && other->api_version != context->api_version)
            return true;
    return false;
}

static CUresult fill(struct mock__context *context, unsigned flags)
{
    MOCK__REQUIRE(!is_excluded(context), CUDA_ERROR_OUT_OF_MEMORY);
    MOCK__REQUIRE(mock__device_wants_room(context->device, context->device->profile->context_bytes),
                  CUDA_ERROR_OUT_OF_MEMORY);
    reset_settings(context, flags);
    context->alive = mock__upcalls.context_begin(context);
    context->device->used_bytes += context->device->profile->context_bytes;
    if (!context->alive) {
        mock__context_empty(context);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

/* Who has asked for a core would look for it. */
static void tell_of_coredump(const struct mock__coredump *wanted)
{
    if (wanted->enabled)
        mock__hint(MOCK__HINT_COREDUMP,
                   "no core of the device is written, though one is asked for: the mock has none");
}

void mock__context_break(struct mock__context *context, CUresult fault)
{
    if (fault && !context->fault) {
        if (fault != CUDA_ERROR_ASSERT) /* each thread has said so itself */
            mock__hint_fault(fault, mock__finding_last());
        tell_of_coredump(&context->coredump);
        context->fault = fault;
    }
    mock__finding_recall("");
}

/* While a context of a device is broken, the whole device is unusable. */
static CUresult device_fault(const struct mock__device *device)
{
    const struct mock__context *context;

    for (size_t cursor = 0; (context = mock__object_next(MOCK__CONTEXT, &cursor));) {
        if (context->device == device && context->alive && context->fault)
            return context->fault;
    }
    return CUDA_SUCCESS;
}

CUresult mock__context_create(struct mock__device *device, unsigned flags, bool primary,
                              unsigned api_version, struct mock__context **ret_context)
{
    struct mock__context *context;
    CUresult result;

    MOCK__TRY(device_fault(device));
    context = mock__object_new(MOCK__CONTEXT, sizeof(*context));
    MOCK__REQUIRE(context, CUDA_ERROR_OUT_OF_MEMORY);
    context->device = device;
    context->primary = primary;
    context->api_version = api_version;
    context->id = mock__context_new_id();
    result = fill(context, flags);
    if (result != CUDA_SUCCESS) {
        mock__object_free(context);
        return result;
    }
    *ret_context = context;
    return CUDA_SUCCESS;
}

/* The handle stays the same, because programs keep it across a release and a retain. */
CUresult mock__context_reactivate(struct mock__context *context)
{
    return context->alive ? CUDA_SUCCESS : fill(context, context->device->primary_flags);
}

void mock__context_empty(struct mock__context *context)
{
    mock__upcalls.context_end(context);
    mock__greens_end(context);
    context->alive = false;
    context->fault = CUDA_SUCCESS;
    context->device->used_bytes -= context->device->profile->context_bytes;
}

void mock__context_destroy(struct mock__context *context)
{
    mock__context_empty(context);
    mock__object_free(context);
}

CUresult mock__context_usable(const struct mock__context *context)
{
    return context->alive ? context->fault : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

struct mock__context *mock__context_find(CUcontext handle)
{
    const struct mock__green *green = mock__green_find(handle);

    return green ? green->primary : mock__object_find(MOCK__CONTEXT, handle);
}

uint64_t mock__context_new_id(void)
{
    return ++last_id;
}

CUresult mock__stranger(const void *handle, CUresult otherwise)
{
    return mock__object_any((uintptr_t) handle) ? CUDA_ERROR_CONTEXT_IS_DESTROYED : otherwise;
}

CUresult mock__context_current_broken(struct mock__context **ret_context)
{
    const CUcontext handle = mock__current_handle();
    struct mock__context *context = mock__context_find(handle);

    MOCK__TRY(mock__initialised());
    MOCK__REQUIRE(handle, CUDA_ERROR_INVALID_CONTEXT);
    /* Another thread may have destroyed the context that is current in this thread. */
    MOCK__REQUIRE(context && context->alive, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    *ret_context = context;
    return CUDA_SUCCESS;
}

CUresult mock__context_current(struct mock__context **ret_context)
{
    MOCK__TRY(mock__context_current_broken(ret_context));
    return mock__context_usable(*ret_context);
}

CUresult mock__context_narrow(void)
{
    const struct mock__context *context = mock__context_find(mock__current_handle());

    return context && context->api_version == MOCK__API_FIRST ? CUDA_SUCCESS
                                                              : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult mock__context_of(CUcontext handle, struct mock__context **ret_context)
{
    struct mock__context *context = mock__context_find(handle);

    if (!handle)
        return mock__context_current(ret_context);
    MOCK__REQUIRE(context, mock__stranger(handle, CUDA_ERROR_INVALID_CONTEXT));
    *ret_context = context;
    return CUDA_SUCCESS;
}

CUcontext mock__current_handle(void)
{
    return depth ? stack[depth - 1] : NULL;
}

/* A context is bound from when it is made current to when it is popped. */
static void bind(CUcontext handle, bool bound)
{
    struct mock__context *context = mock__context_find(handle);

    if (context)
        context->bound = bound;
}

bool mock__current_push(CUcontext handle)
{
    if (depth == MAX_DEPTH)
        return false;
    stack[depth++] = handle;
    bind(handle, true);
    return true;
}

bool mock__current_pop(CUcontext *ret_handle)
{
    if (!depth)
        return false;
    *ret_handle = stack[--depth];
    bind(*ret_handle, false);
    return true;
}

/* This is the driver's rule: setting replaces the top of the stack, and setting NULL removes it. */
void mock__current_replace(CUcontext handle)
{
    if (depth)
        depth--;
    if (handle)
        stack[depth++] = handle;
    bind(handle, true);
}
