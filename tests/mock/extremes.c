/* SPDX-License-Identifier: MIT */
/*
 * Every attribute at the least and at the most that a configuration may say, and the other
 * settings at theirs: whatever the calls answer, each of them answers. A configuration is for
 * a whole process, so that each has a process of its own.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/mock.h>

#include "mock/config/profile.h"
#include "mock/functions.h"

static const char ptx[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
    ".reg .b32 %r<4>; .reg .b64 %a<2>; .shared .align 4 .b8 s[256];\n"
    "ld.param.u64 %a1, [p]; mov.u32 %r1, %smid; mov.u32 %r2, %nsmid; mov.u32 %r3, %nwarpid;\n"
    "st.shared.u32 [s], %r1; bar.sync 0; ld.shared.u32 %r2, [s]; st.global.u32 [%a1], %r2;\n"
    "ret; }\n";

static void ask_device(void)
{
    CUdevprop properties;
    size_t width;
    char bus[8];
    int value;

    for (int i = 1; i < MOCK__N_ATTRIBUTES; i++)
        mock_cuDeviceGetAttribute(&value, (CUdevice_attribute) i, 0);
    mock_cuDeviceGetProperties(&properties, 0);
    mock_cuDeviceGetPCIBusId(bus, sizeof(bus), 0);
    mock_cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 4, 0);
    mock_cuDeviceComputeCapability(&value, &value, 0);
}

static void ask_occupancy(CUfunction function)
{
    size_t bytes;
    int blocks, threads;

    for (int size = 1; size <= 1024; size *= 32) {
        mock_cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, size, 0);
        mock_cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, size, size);
    }
    mock_cuOccupancyMaxPotentialBlockSize(&blocks, &threads, function, NULL, 0, 0);
    mock_cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, INT_MAX);
    mock_cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20);
}

static void launch(CUfunction function, CUdeviceptr memory)
{
    void *params[] = {&memory};

    for (unsigned size = 1; size <= 1024; size *= 4) {
        mock_cuLaunchKernel(function, 2, 2, 2, size, 1, 1, 0, NULL, params, NULL);
        mock_cuLaunchKernel(function, 1, 1, 1, 1, size, 1, 4096, NULL, params, NULL);
        mock_cuLaunchCooperativeKernel(function, 2, 1, 1, size, 1, 1, 0, NULL, params);
    }
    mock_cuCtxSynchronize();
}

/* Of the largest sizes that there are, which no memory is large enough for. */
static void make_arrays(void)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {.Format = CU_AD_FORMAT_FLOAT, .NumChannels = 4};
    static const size_t sizes[] = {1, 64, 1 << 17, (size_t) 1 << 31, (size_t) 1 << 62};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        for (unsigned flags = 0; flags < 16; flags++) {
            CUarray array;

            descriptor.Width = sizes[i];
            descriptor.Height = flags & 4 ? sizes[i] : 0;
            descriptor.Depth = flags & 8 ? sizes[i] : 0;
            descriptor.Flags = flags & 3 ? CUDA_ARRAY3D_SURFACE_LDST : 0;
            if (mock_cuArray3DCreate_v2(&array, &descriptor) == CUDA_SUCCESS)
                mock_cuArrayDestroy(array);
        }
    }
}

static void make_textures(CUdeviceptr memory)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D};
    const CUDA_TEXTURE_DESC texture = {.filterMode = CU_TR_FILTER_MODE_POINT};
    CUtexObject object;

    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
    resource.res.pitch2D.numChannels = 1;
    resource.res.pitch2D.width = resource.res.pitch2D.height = 8;
    resource.res.pitch2D.pitchInBytes = 512;
    mock_cuTexObjectCreate(&object, &resource, &texture, NULL);
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.sizeInBytes = 4096;
    mock_cuTexObjectCreate(&object, &resource, &texture, NULL);
}

static void use(void)
{
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory = 0;
    size_t value;

    ask_device();
    if (mock_cuDevicePrimaryCtxRetain(&context, 0) || mock_cuCtxSetCurrent(context))
        return;
    for (int i = 0; i < 10; i++) {
        mock_cuCtxGetLimit(&value, (CUlimit) i);
        mock_cuCtxSetLimit((CUlimit) i, value);
    }
    mock_cuMemAlloc_v2(&memory, (size_t) 1 << 62);
    mock_cuMemAlloc_v2(&memory, 1 << 20);
    make_arrays();
    make_textures(memory);
    if (mock_cuModuleLoadData(&module, ptx) || mock_cuModuleGetFunction(&function, module, "k"))
        return;
    ask_occupancy(function);
    launch(function, memory);
    mock_cuDevicePrimaryCtxRelease_v2(0);
}

static bool in_child(const char *settings)
{
    const pid_t child = fork();
    int status = 1;

    if (child == 0) {
        if (cushim_mock_configure(cushim_mock_config(.settings = settings)) || mock_cuInit(0)) {
            fprintf(stderr, "%s: %s\n", settings, cushim_mock_error_text());
            _exit(1);
        }
        use();
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status) {
        fprintf(stderr, "with '%s' a process ends with status %d\n", settings, status);
        return false;
    }
    return true;
}

static bool with(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool with(const char *format, ...)
{
    char settings[128];
    va_list list;

    va_start(list, format);
    vsnprintf(settings, sizeof(settings), format, list);
    va_end(list);
    return in_child(settings);
}

/* All of them at one end. */
static bool together(bool most)
{
    char settings[MOCK__N_ATTRIBUTES * 48] = "";

    for (int i = 1; i < MOCK__N_ATTRIBUTES; i++) {
        const struct mock__attribute_range range = mock__attribute_range(i);

        snprintf(settings + strlen(settings), sizeof(settings) - strlen(settings),
                 "device.0.attribute.%d = %d\n", i, most ? range.most : range.least);
    }
    return in_child(settings);
}

int main(void)
{
    bool good = true;

    unsetenv("CUSHIM_MOCK_CHECK");
    setenv("CUSHIM_LOG", "none", 1);
    good &= together(false);
    good &= together(true);
    for (int i = 1; i < MOCK__N_ATTRIBUTES; i++) {
        const struct mock__attribute_range range = mock__attribute_range(i);

        good &= with("device.0.attribute.%d = %d", i, range.least);
        good &= with("device.0.attribute.%d = %d", i, range.most);
    }
    good &= with("device.0.memory = 1");
    good &= with("device.0.memory = %lld", (long long) INT64_MAX);
    good &= with("image_limit = 1");
    good &= with("image_limit = %lld", (long long) INT64_MAX);
    good &= with("driver_version = 10.0");
    good &= with("seed = %llu", ULLONG_MAX);
    return good ? 0 : 1;
}
