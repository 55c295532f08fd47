/* SPDX-License-Identifier: MIT */
/* cuLaunch*, except cuLaunchKernelEx, which is in launch_ex.c. */
#include "mock/launch/launch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/util.h"
#include "mock/base/finding.h"
#include "mock/base/green.h"
#include "mock/base/newer.h"
#include "mock/base/state.h"
#include "mock/base/stats.h"
#include "mock/check/host_watch.h"
#include "mock/launch/control.h"
#include "mock/launch/program_run.h"
#include "mock/module/cluster.h"
#include "mock/module/kernels.h"
#include "mock/module/module.h"
#include "mock/module/occupancy.h"
#include "mock/module/program.h"
#include "mock/queue/schedule.h"
#include "mock/stream/event.h"
#include "mock/stream/stream.h"

/* The most local variables that a thread may have. */
#define MOST_LOCAL_BYTES ((size_t) 512 << 10)

/* The toolkit of the build may not have its name. */
#define INVALID_CLUSTER_SIZE ((CUresult) 912)

static bool within(const unsigned *size, const struct mock__device *device,
                   CUdevice_attribute limit_of_x)
{
    /* The attributes of y and z follow that of x. */
    for (unsigned i = 0; i < 3; i++) {
        const unsigned most = (unsigned) device->profile->attributes[limit_of_x + i];

        if (!size[i] || size[i] > most)
            return false;
    }
    return true;
}

static size_t threads_of(const struct mock__request *request)
{
    return (size_t) request->block[0] * request->block[1] * request->block[2];
}

static CUresult check_sizes(const struct mock__request *request,
                            const struct mock__function *function)
{
    const struct mock__device *device = function->module->context->device;
    const int *attributes = function->attributes;

    MOCK__REQUIRE(within(request->grid, device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) &&
                      within(request->block, device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(threads_of(request) <=
                      (size_t) attributes[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK],
                  CUDA_ERROR_INVALID_VALUE);
    return request->shared_bytes <= INT_MAX ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult check_shared(const struct mock__request *request,
                             const struct mock__function *function)
{
    const int most = function->attributes[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES];

    return request->shared_bytes <= (unsigned) most ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* All blocks of a cooperative launch have to be on the device together. */
static CUresult check_cooperative(const struct mock__request *request,
                                  const struct mock__function *function)
{
    const size_t resident =
        (size_t) mock__occupancy_at_most(function, threads_of(request), request->shared_bytes) *
        mock__multiprocessors(request->share, function->module->context->device);
    const size_t rows = (size_t) request->grid[1] * request->grid[2];

    MOCK__REQUIRE(!request->cooperative || request->grid[0] <= resident / rows,
                  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    return CUDA_SUCCESS;
}

/* Returns the value of an attribute with three dimensions, or NULL if it is not set or zeros. */
static const unsigned *dimensions(const struct mock__attributes *attributes, int id,
                                  unsigned room[3])
{
    if (!attributes || !(attributes->set >> id & 1))
        return NULL;
    memcpy(room, attributes->values[id], 3 * sizeof(*room));
    return room[0] ? room : NULL;
}

/*
 * A launch has the cluster that it asks for, which was checked when it was set, or that the kernel
 * was compiled for. A size that it prefers is a multiple of that.
 */
static CUresult check_cluster(const struct mock__request *request,
                              const struct mock__function *function)
{
    enum { CLUSTER_DIMENSION = 4, PREFERRED_CLUSTER_DIMENSION = 11 };
    unsigned own[3], asked_for[3], preferred_room[3];
    const unsigned *cluster = dimensions(request->attributes, CLUSTER_DIMENSION, asked_for);
    const unsigned *preferred =
        dimensions(request->attributes, PREFERRED_CLUSTER_DIMENSION, preferred_room);

    for (unsigned i = 0; i < 3; i++)
        own[i] = (unsigned) function->attributes[MOCK__CLUSTER_WIDTH + i];
    if (!cluster && own[0])
        cluster = own;
    if (!cluster)
        return function->attributes[MOCK__CLUSTER_MUST_BE_SET] || preferred ? INVALID_CLUSTER_SIZE
                                                                            : CUDA_SUCCESS;
    for (unsigned i = 0; preferred && i < 3; i++)
        MOCK__REQUIRE(preferred[i] && preferred[i] % cluster[i] == 0, INVALID_CLUSTER_SIZE);
    return mock__cluster_check(function, request->grid, cluster);
}

/*
 * A replacement kernel that is registered under the kernel's name is called instead. It is looked
 * up at each launch, so that it may be registered after the module is loaded. All others run from
 * PTX.
 */
static struct cushim_mock_kernel find_kernel(const struct mock__function *function)
{
    struct cushim_mock_kernel kernel = {.fn = mock__program_run};

    mock__kernel_find(function->entry->name, &kernel);
    return kernel;
}

/*
 * The launching call has succeeded already. An error of the kernel is kept in the context, and
 * later calls return it.
 */
static void run_kernel(struct mock__work *work)
{
    const struct mock__kernel_work *kernel = (const struct mock__kernel_work *) work;
    struct mock__context *context = work->queue->context;

    mock__stats.launches++;
    mock__finding_recall(""); /* what was found before is no reason */
    mock__context_break(
        context, (CUresult) mock__kernel_run(work, kernel->fn, &kernel->launch, kernel->values));
}

static void finish_kernel(struct mock__work *work)
{
    struct mock__kernel_work *kernel = (struct mock__kernel_work *) work;

    free(kernel->values);
    free(kernel->sizes);
    free(kernel->attributes);
}

struct mock__request mock__kernel_request(const struct mock__work *work)
{
    const struct mock__kernel_work *kernel = (const struct mock__kernel_work *) work;
    const struct cushim_mock_launch *launch = &kernel->launch;

    return (struct mock__request){
        .function = kernel->function,
        .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
        .block = {launch->block[0], launch->block[1], launch->block[2]},
        .shared_bytes = (unsigned) launch->shared_bytes,
        .params = kernel->values,
        .cooperative = kernel->cooperative,
        .share = kernel->share,
        .attributes = kernel->attributes,
    };
}

/* The function is looked up again: its module may be gone since the graph was made. */
static CUresult describe(const struct mock__request *request, struct mock__function *function,
                         struct mock__kernel_work **ret_work);

/* Also of a context that has had a fault: only a launch is refused there. */
static CUresult copy_kernel(const struct mock__work *work, struct mock__work **ret_copy)
{
    const struct mock__request request = mock__kernel_request(work);
    struct mock__function *function = mock__object_find(MOCK__FUNCTION, request.function);
    struct mock__kernel_work *copy = NULL;

    MOCK__REQUIRE(function, CUDA_ERROR_INVALID_HANDLE);
    MOCK__TRY(describe(&request, function, &copy));
    *ret_copy = &copy->work;
    return CUDA_SUCCESS;
}

/* The multiprocessors that its blocks would be on, if there is room for all of them at once. */
static struct mock__load load_of_kernel(const struct mock__work *work)
{
    const struct mock__kernel_work *kernel = (const struct mock__kernel_work *) work;
    const struct cushim_mock_launch *launch = &kernel->launch;
    struct mock__load load = {MOCK__MULTIPROCESSORS, MOCK__WHOLE_UNIT};
    struct mock__function *function = NULL;
    uint64_t resident, blocks = (uint64_t) launch->grid[0] * launch->grid[1] * launch->grid[2];

    if (mock__function_find(kernel->function, &function))
        return load;
    resident = (uint64_t) mock__occupancy_at_most(
        function, (size_t) launch->block[0] * launch->block[1] * launch->block[2],
        launch->shared_bytes);
    resident *= mock__multiprocessors(kernel->share, function->module->context->device);
    if (blocks < resident)
        load.part = (unsigned) (1 + blocks * (MOCK__WHOLE_UNIT - 1) / resident);
    return load;
}

static const struct mock__work_type kernel_type = {
    .name = "kernel",
    .any_memory = true,
    .node = CU_GRAPH_NODE_TYPE_KERNEL,
    .run = run_kernel,
    .load = load_of_kernel,
    .finish = finish_kernel,
    .copy = copy_kernel,
};

static bool copy_sizes(struct mock__kernel_work *work, const struct mock__entry *entry)
{
    work->sizes = calloc(entry->n_parameters + 1, sizeof(*work->sizes));
    for (size_t i = 0; work->sizes && i < entry->n_parameters; i++)
        work->sizes[i] = entry->parameters[i].size;
    return work->sizes;
}

static bool copy_attributes(struct mock__kernel_work *work, const struct mock__request *request)
{
    if (!request->attributes)
        return true;
    work->attributes = malloc(sizeof(*work->attributes));
    if (work->attributes)
        *work->attributes = *request->attributes;
    return work->attributes;
}

/* A module waits for its kernels before it is unloaded, so that the name may be its own. */
static struct mock__kernel_work *new_kernel(const struct mock__request *request,
                                            const struct mock__function *function,
                                            const struct cushim_mock_kernel *kernel)
{
    const struct mock__entry *entry = function->entry;
    struct mock__kernel_work *work = mock__work_new(&kernel_type, sizeof(*work));

    if (!work || !copy_sizes(work, entry) || !copy_attributes(work, request)) {
        mock__work_free(work);
        return NULL;
    }
    work->function = MOCK__HANDLE(function);
    work->cooperative = request->cooperative;
    work->share = request->share;
    work->fn = kernel->fn;
    work->work.label = entry->name;
    work->work.context = MOCK__HANDLE(function->module->context);
    work->launch = (struct cushim_mock_launch){
        .kernel = entry->name,
        .user = kernel->user,
        .device = function->module->context->device->ordinal,
        .grid = {request->grid[0], request->grid[1], request->grid[2]},
        .block = {request->block[0], request->block[1], request->block[2]},
        .shared_bytes = request->shared_bytes,
        .n_args = entry->n_parameters,
        .arg_bytes = work->sizes,
    };
    return work;
}

/* Tells whether an argument is an address of memory whose use by the host is watched. */
static bool has_watched(const struct mock__kernel_work *work)
{
    for (size_t i = 0; i < work->launch.n_args; i++)
        for (size_t at = 0; at + sizeof(uint64_t) <= work->sizes[i]; at += sizeof(uint64_t)) {
            uint64_t word;

            memcpy(&word, (const char *) work->values[i] + at, sizeof(word));
            if (mock__host_watches(word))
                return true;
        }
    return false;
}

/* A kernel that may be waiting for the host has all the time that there is. */
static bool is_hurried(const struct mock__kernel_work *work, const struct mock__function *function)
{
    return work->fn == mock__program_run && has_watched(work) &&
           !mock__program_messages(function->module);
}

static CUresult describe(const struct mock__request *request, struct mock__function *function,
                         struct mock__kernel_work **ret_work)
{
    const struct cushim_mock_kernel kernel = find_kernel(function);
    void **values = NULL;

    MOCK__TRY(check_sizes(request, function));
    MOCK__TRY(check_cooperative(request, function));
    MOCK__TRY(check_shared(request, function));
    /* Its replacement kernel was removed after the module was loaded. */
    MOCK__REQUIRE(kernel.fn != mock__program_run || !function->module->ptx.unread,
                  CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE(kernel.fn != mock__program_run ||
                      function->entry->local_bytes <= MOST_LOCAL_BYTES,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__arguments_read(function, request->params, request->extra, &values));
    *ret_work = new_kernel(request, function, &kernel);
    if (!*ret_work) {
        free(values);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    (*ret_work)->values = values;
    (*ret_work)->work.hurried = is_hurried(*ret_work, function);
    return CUDA_SUCCESS;
}

CUresult mock__kernel_work(const struct mock__request *request, struct mock__work **ret_work)
{
    struct mock__function *function = NULL;
    struct mock__kernel_work *work = NULL;

    MOCK__TRY(mock__function_find(request->function, &function));
    MOCK__TRY(describe(request, function, &work));
    *ret_work = &work->work;
    return CUDA_SUCCESS;
}

/* Launches wait for their end, if CUDA_LAUNCH_BLOCKING is 1. */
static bool blocking(void)
{
    const char *value = cushim__env("CUDA_LAUNCH_BLOCKING");

    return value && !strcmp(value, "1");
}

CUresult mock__launch(const struct mock__request *request)
{
    struct mock__function *function = NULL;
    struct mock__stream *stream = NULL;
    struct mock__kernel_work *work = NULL;
    struct mock__request here = *request;

    MOCK__TRY(mock__function_find(request->function, &function));
    MOCK__TRY(mock__stream_find(request->stream, &stream));
    here.share = mock__green_share(mock__stream_green(request->stream));
    MOCK__REQUIRE(function->module->context == stream->context, CUDA_ERROR_INVALID_HANDLE);
    MOCK__TRY(check_cluster(request, function));
    MOCK__TRY(describe(&here, function, &work));
    MOCK__TRY(mock__stream_submit(stream, work));
    for (unsigned i = 0; i < request->n_events; i++)
        MOCK__TRY(mock__event_record(request->events[i], stream));
    return blocking() && !stream->capture ? mock__wait_queue(stream->queue) : CUDA_SUCCESS;
}

static CUresult launch(const struct mock__request *request)
{
    MOCK__ENTER();
    return mock__launch(request);
}

CUresult mock_cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                             unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                             unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                             void **kernelParams, void **extra)
{
    return launch(&(struct mock__request){
        .function = f,
        .stream = hStream,
        .grid = {gridDimX, gridDimY, gridDimZ},
        .block = {blockDimX, blockDimY, blockDimZ},
        .shared_bytes = sharedMemBytes,
        .params = kernelParams,
        .extra = extra,
    });
}

CUresult mock_cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                        unsigned int gridDimZ, unsigned int blockDimX,
                                        unsigned int blockDimY, unsigned int blockDimZ,
                                        unsigned int sharedMemBytes, CUstream hStream,
                                        void **kernelParams)
{
    return launch(&(struct mock__request){
        .function = f,
        .stream = hStream,
        .grid = {gridDimX, gridDimY, gridDimZ},
        .block = {blockDimX, blockDimY, blockDimZ},
        .shared_bytes = sharedMemBytes,
        .params = kernelParams,
        .cooperative = true,
    });
}

struct host_work {
    struct mock__work work;
    CUDA_HOST_NODE_PARAMS call;
};

static void run_host(struct mock__work *work)
{
    const struct host_work *host = (const struct host_work *) work;

    if (work->status == CUDA_SUCCESS)
        host->call.fn(host->call.userData);
}

static CUresult copy_host(const struct mock__work *work, struct mock__work **ret_copy)
{
    return mock__host_work(mock__host_of_work(work), ret_copy);
}

static const struct mock__work_type host_type = {
    .name = "host function",
    .host = true,
    .node = CU_GRAPH_NODE_TYPE_HOST,
    .run = run_host,
    .copy = copy_host,
};

const CUDA_HOST_NODE_PARAMS *mock__host_of_work(const struct mock__work *work)
{
    return &((const struct host_work *) work)->call;
}

CUresult mock__host_work(const CUDA_HOST_NODE_PARAMS *call, struct mock__work **ret_work)
{
    struct host_work *work;

    MOCK__REQUIRE(call && call->fn, CUDA_ERROR_INVALID_VALUE);
    work = mock__work_new(&host_type, sizeof(*work));
    MOCK__REQUIRE(work, CUDA_ERROR_OUT_OF_MEMORY);
    work->call = *call;
    *ret_work = &work->work;
    return CUDA_SUCCESS;
}

/* How the driver's thread waits for its next function, asleep or awake, shows nowhere. */
CUresult mock_cuLaunchHostFunc_v2(CUstream hStream, CUhostFn fn, void *userData,
                                  unsigned int syncMode)
{
    enum { SPINS = 1 }; /* CU_HOST_TASK_SPINWAIT */

    MOCK__REQUIRE(syncMode <= SPINS, CUDA_ERROR_INVALID_VALUE);
    return mock_cuLaunchHostFunc(hStream, fn, userData);
}

CUresult mock_cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
    struct mock__stream *stream = NULL;
    struct mock__work *work = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(fn, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__TRY(mock__host_work(&(CUDA_HOST_NODE_PARAMS){fn, userData}, &work));
    return mock__stream_submit(stream, work);
}
