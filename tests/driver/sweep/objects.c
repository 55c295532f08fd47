/* SPDX-License-Identifier: MIT */
/* Contexts, streams, events, functions of the program, and what else is small. */
#include "make.h"

#include "world.h"

#define PAGE 4096

DESTROY(destroy_stream, CUstream, cuStreamDestroy_v2)
DESTROY(destroy_event, CUevent, cuEventDestroy_v2)
DESTROY(destroy_context, CUcontext, cuCtxDestroy_v2)
DESTROY(destroy_graph, CUgraph, cuGraphDestroy)
DESTROY(destroy_exec, CUgraphExec, cuGraphExecDestroy)
DESTROY(destroy_green, CUgreenCtx, cuGreenCtxDestroy)

void destroy_user_object(uint64_t handle)
{
    CALL(cuUserObjectRelease, ((CUuserObject) handle, 1));
}

void destroy_capture(uint64_t handle)
{
    CUgraph graph = NULL;

    CALL(cuStreamEndCapture, ((CUstream) handle, &graph));
    if (graph)
        CALL(cuGraphDestroy, (graph));
}

uint64_t make_null(const struct param *param)
{
    (void) param;
    return 0;
}

uint64_t make_one(const struct param *param)
{
    (void) param;
    return 1;
}

uint64_t make_two(const struct param *param)
{
    (void) param;
    return 2;
}

uint64_t make_minus_one(const struct param *param)
{
    (void) param;
    return UINT64_MAX;
}

/* Memory of the host that is no object. */
uint64_t make_zeros(const struct param *param)
{
    (void) param;
    return (uint64_t) scratch(PAGE);
}

uint64_t make_context(const struct param *param)
{
    CUcontext context = NULL;

    (void) param;
    made(CALL(cuCtxGetCurrent, (&context)));
    return (uint64_t) context;
}

uint64_t make_fresh_context(const struct param *param)
{
    CUcontext context = NULL, popped;

    (void) param;
    if (!made(CALL(cuCtxCreate_v2, (&context, 0, 0))))
        return 0;
    CALL(cuCtxPopCurrent_v2, (&popped));
    later(destroy_context, (uint64_t) context);
    return (uint64_t) context;
}

/* To be detached: whether a context can be that never was attached is not asked. */
uint64_t make_attached_context(const struct param *param)
{
    CUcontext context = NULL;

    (void) param;
    return made(CALL(cuCtxAttach, (&context, 0))) ? (uint64_t) context : 0;
}

uint64_t make_stream(const struct param *param)
{
    (void) param;
    MAKE(CUstream, destroy_stream, cuStreamCreate, (&object, CU_STREAM_NON_BLOCKING));
}

uint64_t make_capturing_stream(const struct param *param)
{
    uint64_t stream = make_stream(param);

    if (made(CALL(cuStreamBeginCapture_v2, ((CUstream) stream, CU_STREAM_CAPTURE_MODE_RELAXED))))
        later(destroy_capture, stream);
    return stream;
}

uint64_t make_event(const struct param *param)
{
    (void) param;
    MAKE(CUevent, destroy_event, cuEventCreate, (&object, CU_EVENT_DEFAULT));
}

uint64_t make_untimed_event(const struct param *param)
{
    (void) param;
    MAKE(CUevent, destroy_event, cuEventCreate, (&object, CU_EVENT_DISABLE_TIMING));
}

uint64_t make_recorded_event(const struct param *param)
{
    uint64_t event = make_event(param);

    made(CALL(cuEventRecord, ((CUevent) event, NULL)));
    made(CALL(cuEventSynchronize, ((CUevent) event)));
    return event;
}

uint64_t make_garbage(const struct param *param)
{
    (void) param;
    return (uint64_t) "this is no program\n";
}

uint64_t make_empty_text(const struct param *param)
{
    (void) param;
    return (uint64_t) "";
}

uint64_t make_absent(const struct param *param)
{
    (void) param;
    return (uint64_t) "absent";
}

uint64_t make_text(const struct param *param)
{
    return (uint64_t) param->text;
}

static void CUDA_CB do_nothing(void *unused)
{
    (void) unused;
}

static size_t CUDA_CB no_shared_memory(int block)
{
    (void) block;
    return 0;
}

uint64_t make_callback(const struct param *param)
{
    (void) param;
    return (uint64_t) (uintptr_t) do_nothing;
}

uint64_t make_block_callback(const struct param *param)
{
    (void) param;
    return (uint64_t) (uintptr_t) no_shared_memory;
}

uint64_t make_user_object(const struct param *param)
{
    (void) param;
    MAKE(CUuserObject, destroy_user_object, cuUserObjectCreate,
         (&object, NULL, do_nothing, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
}

static void CUDA_CB note_nothing(CUstream stream, CUresult status, void *unused)
{
    (void) stream, (void) status, (void) unused;
}

uint64_t make_stream_callback(const struct param *param)
{
    (void) param;
    return (uint64_t) (uintptr_t) note_nothing;
}

uint64_t make_sm_desc(const struct param *param)
{
    CUdevResource all = {0}, part = {0}, rest = {0};
    CUdevResourceDesc desc = NULL;
    unsigned groups = 1;

    (void) param;
    made(CALL(cuDeviceGetDevResource, (0, &all, CU_DEV_RESOURCE_TYPE_SM)));
    made(CALL(cuDevSmResourceSplitByCount, (&part, &groups, &all, &rest, 0, 8)));
    made(CALL(cuDevResourceGenerateDesc, (&desc, &part, 1)));
    return (uint64_t) desc;
}

uint64_t make_green(const struct param *param)
{
    CUdevResourceDesc desc = (CUdevResourceDesc) make_sm_desc(param);
    MAKE(CUgreenCtx, destroy_green, cuGreenCtxCreate,
         (&object, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM));
}

uint64_t make_pci_id(const struct param *param)
{
    char *id = scratch(64);

    (void) param;
    made(CALL(cuDeviceGetPCIBusId, (id, 64, 0)));
    return (uint64_t) id;
}

uint64_t make_peer(const struct param *param)
{
    (void) param;
    return world_has_two_devices() ? (uint64_t) world_other_device() : 0;
}

uint64_t make_ipc_event(const struct param *param)
{
    (void) param;
    MAKE(CUevent, destroy_event, cuEventCreate,
         (&object, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
}
