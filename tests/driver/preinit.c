/* SPDX-License-Identifier: MIT */
/* Before cuInit(). */
#include "ask.h"

#include "kernels.ptx.h"

static void ask_version(void)
{
    int version = 0;

    ASK("version", cuDriverGetVersion, (&version));
    report("version_positive", version > 0);
    ASK("version_null", cuDriverGetVersion, (NULL));
}

static void ask_devices(void)
{
    CUdevice device;
    char name[64];
    size_t bytes;

    ASK("device_get", cuDeviceGet, (&device, 0));
    ASK("name", cuDeviceGetName, (name, sizeof(name), 0));
    ASK("mem", cuDeviceTotalMem_v2, (&bytes, 0));
}

static void ask_contexts_and_memory(void)
{
    CUcontext context;
    CUdeviceptr p;

    ASK("ctx_current", cuCtxGetCurrent, (&context));
    ASK("ctx_set_null", cuCtxSetCurrent, (NULL));
    ASK("alloc", cuMemAlloc_v2, (&p, 16));
    ASK("free0", cuMemFree_v2, (0));
    ASK("retain", cuDevicePrimaryCtxRetain, (&context, 0));
}

static void ask_error_texts(void)
{
    const char *text = NULL;

    ASK("errname", cuGetErrorName, (CUDA_ERROR_INVALID_VALUE, &text));
    report_text("errname_s", text);
    ASK("errstr", cuGetErrorString, (CUDA_ERROR_OUT_OF_MEMORY, &text));
    report_text("errstr_s", text);
    text = "";
    ASK("errname_bad", cuGetErrorName, (123456, &text));
    report("errname_bad_null", !text);
}

static void ask_the_rest(void)
{
    void *function = NULL;
    CUmodule module;
    CUevent event;

    ASK("gpa", cuGetProcAddress_v2, ("cuInit", &function, 12000, 0, NULL));
    ASK("stream_sync", cuStreamSynchronize, (NULL));
    ASK("ctx_sync", cuCtxSynchronize, ());
    ASK("event", cuEventCreate, (&event, 0));
    ASK("modload", cuModuleLoadData, (&module, kernels_ptx));
}

void ask_preinit(void)
{
    int count = 0;

    ASK("count", cuDeviceGetCount, (&count));
    ASK("count_null", cuDeviceGetCount, (NULL));
    ask_version();
    ask_devices();
    ask_contexts_and_memory();
    ask_error_texts();
    ask_the_rest();
    ASK("init_bad_flags", cuInit, (1));
    ASK("init", cuInit, (0));
    ASK("init_twice", cuInit, (0));
    ASK("count2", cuDeviceGetCount, (&count));
    report("count_ge1", count >= 1);
}
