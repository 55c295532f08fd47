/* SPDX-License-Identifier: MIT */
#include "device.h"

#include <stdio.h>
#include <string.h>

struct execution {
    struct corpus_device *device;
    const struct cushim_cuda_api *cu;
    const struct corpus_run *run;
    CUmodule module;
    CUdeviceptr memory[8];
    CUtensorMap maps[8];
    struct corpus_placed placed[8];
};

CUresult corpus_told(struct corpus_device *device, const char *call, CUresult result)
{
    const size_t length = (size_t) (strcspn(call, "("));

    if (result != CUDA_SUCCESS && !device->text[0])
        snprintf(device->text, sizeof(device->text), "%.*s: %d %s", (int) length, call,
                 (int) result, cushim_status_name((int) result));
    return result;
}

#define TRY(e, call) CORPUS_TRY((e)->device, (e)->cu, call)

#define PASS(call)                                                                                 \
    do {                                                                                           \
        const CUresult pass_result = (call);                                                       \
        if (pass_result != CUDA_SUCCESS)                                                           \
            return pass_result;                                                                    \
    } while (0)

CUresult corpus_capability(struct corpus_device *device, int *ret_capability)
{
    struct execution e = {.device = device, .cu = device->cu};
    CUcontext context;
    int major, minor;

    TRY(&e, cuDevicePrimaryCtxRetain(&context, 0));
    TRY(&e, cuCtxSetCurrent(context));
    TRY(&e, cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 16 << 10));
    TRY(&e, cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    TRY(&e, cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
    *ret_capability = 10 * major + minor;
    return CUDA_SUCCESS;
}

static CUresult load(struct execution *e, const char *ptx)
{
    char log[400] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_OPTIMIZATION_LEVEL};
    void *values[] = {log, (void *) sizeof(log), (void *) (intptr_t) e->device->jit_level};
    const unsigned n = e->device->jit_level < 0 ? 2 : 3;
    const CUresult result =
        corpus_told(e->device, "cuModuleLoadDataEx",
                    e->cu->cuModuleLoadDataEx(&e->module, ptx, n, options, values));

    if (result != CUDA_SUCCESS) {
        const size_t used = strlen(e->device->text);

        snprintf(e->device->text + used, sizeof(e->device->text) - used, ": %s", log);
    }
    return result;
}

static CUtensorMapDataType data_type(enum corpus_type type)
{
    static const CUtensorMapDataType types[] = {
        [U8] = CU_TENSOR_MAP_DATA_TYPE_UINT8,    [U16] = CU_TENSOR_MAP_DATA_TYPE_UINT16,
        [U32] = CU_TENSOR_MAP_DATA_TYPE_UINT32,  [U64] = CU_TENSOR_MAP_DATA_TYPE_UINT64,
        [F16] = CU_TENSOR_MAP_DATA_TYPE_FLOAT16, [BF16] = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
        [F32] = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, [F64] = CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
    };

    return types[type];
}

static CUresult make_map(struct execution *e, unsigned b)
{
    const struct corpus_buffer *buffer = &e->run->test->buffers[b];
    const struct corpus_tensor *tensor = &e->run->test->tensors[b];
    cuuint64_t size[5], pitch[5], bytes = corpus_size_of(buffer->type);
    cuuint32_t box[5], steps[5];

    for (unsigned i = 0; i < tensor->rank; i++) {
        size[i] = tensor->size[i];
        box[i] = tensor->box[i];
        steps[i] = 1;
        bytes *= size[i];
        pitch[i] = bytes;
    }
    TRY(e, cuTensorMapEncodeTiled(
               &e->maps[b], data_type(buffer->type), tensor->rank,
               (void *) (uintptr_t) e->memory[b], size, pitch, box, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle) tensor->swizzle,
               CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    return CUDA_SUCCESS;
}

static CUresult make_buffer(struct execution *e, unsigned b)
{
    const struct corpus_buffer *buffer = &e->run->test->buffers[b];
    size_t bytes = corpus_bytes(buffer);

    if (buffer->role == TEXTURE || buffer->role == SURFACE)
        return corpus_image_make(e->device, e->module, buffer, e->run->in[b], &e->placed[b]);
    if (buffer->role == BY_VALUE)
        return CUDA_SUCCESS;
    if (buffer->role == SYMBOL)
        TRY(e, cuModuleGetGlobal(&e->memory[b], &bytes, e->module, buffer->symbol));
    else
        TRY(e, cuMemAlloc(&e->memory[b], bytes));
    TRY(e, cuMemcpyHtoD(e->memory[b], e->run->in[b], corpus_bytes(buffer)));
    return buffer->role == TENSOR ? make_map(e, b) : CUDA_SUCCESS;
}

static CUresult read_buffer(struct execution *e, unsigned b, void *actual)
{
    const struct corpus_buffer *buffer = &e->run->test->buffers[b];

    if (!buffer->out)
        return CUDA_SUCCESS;
    if (buffer->role == TEXTURE || buffer->role == SURFACE)
        return corpus_image_read(e->device, buffer, &e->placed[b], actual);
    TRY(e, cuMemcpyDtoH(actual, e->memory[b], corpus_bytes(buffer)));
    return CUDA_SUCCESS;
}

/* All buffers but those that the module names, then all values: the driver reads as many as the
 * kernel has parameters. */
static void fill_arguments(struct execution *e, void **arguments)
{
    const struct corpus_case *test = e->run->test;

    for (unsigned b = 0; b < 8 && test->buffers[b].count; b++)
        switch (test->buffers[b].role) {
        case MEMORY:
            *arguments++ = &e->memory[b];
            break;
        case BY_VALUE:
            *arguments++ = e->run->in[b];
            break;
        case TEXTURE:
            if (!test->buffers[b].symbol)
                *arguments++ = &e->placed[b].texture;
            break;
        case SURFACE:
            if (!test->buffers[b].symbol)
                *arguments++ = &e->placed[b].surface;
            break;
        case TENSOR:
            *arguments++ = &e->maps[b];
            break;
        case SYMBOL:
            break;
        }
    for (unsigned v = 0; v < 6; v++)
        *arguments++ = (void *) (uintptr_t) &test->values[v];
}

static CUresult launch(struct execution *e)
{
    const struct corpus_case *t = e->run->test;
    unsigned grid[3], block[3];
    void *arguments[8 + 6];
    CUfunction function;

    for (int i = 0; i < 3; i++) {
        grid[i] = t->grid[i] ? t->grid[i] : 1;
        block[i] = t->block[i] ? t->block[i] : 1;
    }
    TRY(e, cuModuleGetFunction(&function, e->module, t->kernel ? t->kernel : t->name));
    fill_arguments(e, arguments);
    if (t->shared > 48 << 10)
        TRY(e, cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                  (int) t->shared));
    if (t->cooperative)
        TRY(e, cuLaunchCooperativeKernel(function, grid[0], grid[1], grid[2], block[0], block[1],
                                         block[2], t->shared, NULL, arguments));
    else
        TRY(e, cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                              t->shared, NULL, arguments, NULL));
    return CUDA_SUCCESS;
}

static CUresult work(struct execution *e, const char *ptx, void *const *actual,
                     CUresult *ret_result)
{
    const struct corpus_case *test = e->run->test;

    PASS(load(e, ptx));
    for (unsigned b = 0; b < 8 && test->buffers[b].count; b++)
        PASS(make_buffer(e, b));
    PASS(launch(e));
    *ret_result = e->cu->cuCtxSynchronize();
    if (*ret_result == CUDA_SUCCESS)
        for (unsigned b = 0; b < 8 && test->buffers[b].count; b++)
            PASS(read_buffer(e, b, actual[b]));
    return CUDA_SUCCESS;
}

/* After a fault all of this fails, and changes nothing. */
static void give_back(struct execution *e)
{
    const struct corpus_case *test = e->run->test;

    for (unsigned b = 0; b < 8 && test->buffers[b].count; b++) {
        corpus_image_free(e->device, &e->placed[b]);
        if (e->memory[b] && (test->buffers[b].role == MEMORY || test->buffers[b].role == TENSOR))
            e->cu->cuMemFree(e->memory[b]);
    }
    if (e->module)
        e->cu->cuModuleUnload(e->module);
    e->cu->cuDevicePrimaryCtxRelease(0);
}

CUresult corpus_execute(struct corpus_device *device, const char *ptx, const struct corpus_run *run,
                        void *const *actual, CUresult *ret_result)
{
    struct execution e = {.device = device, .cu = device->cu, .run = run};
    const CUresult result = work(&e, ptx, actual, ret_result);

    give_back(&e);
    return result;
}
