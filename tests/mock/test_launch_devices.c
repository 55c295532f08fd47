/* SPDX-License-Identifier: MIT */
/* cuLaunchCooperativeKernelMultiDevice */
#include "mock/queue/schedule.h"
#include "watch.h"

enum { DEVICES = 2, BYTES = 64, SEEDS = 16 };

static CUcontext contexts[DEVICES];
static CUstream streams[DEVICES];
static CUdeviceptr memory[DEVICES];
static size_t bytes = BYTES;
static void *arguments[DEVICES][2];
static CUDA_LAUNCH_PARAMS list[DEVICES];

static void begin(void)
{
    CUmodule module = NULL;
    CUfunction function = NULL;

    start_watched();
    for (int i = 0; i < DEVICES; i++) {
        OK(mock_cuDevicePrimaryCtxRetain(&contexts[i], i));
        OK(mock_cuCtxSetCurrent(contexts[i]));
        OK(mock_cuModuleLoadData(&module, watch_ptx));
        OK(mock_cuModuleGetFunction(&function, module, "fill"));
        streams[i] = a_stream();
        memory[i] = allocate(BYTES);
        arguments[i][0] = &memory[i];
        arguments[i][1] = &bytes;
        list[i] = (CUDA_LAUNCH_PARAMS){function, 1, 1, 1, 1, 1, 1, 0, streams[i], arguments[i]};
    }
    OK(mock_cuCtxSetCurrent(contexts[0]));
}

TestSuite(launch_devices, .init = begin);

static void wait_for_all(void)
{
    for (int i = 0; i < DEVICES; i++)
        OK(mock_cuStreamSynchronize(streams[i]));
}

static CUresult launch(unsigned flags)
{
    return mock_cuLaunchCooperativeKernelMultiDevice(list, DEVICES, flags);
}

Test(launch_devices, each_has_the_kernel)
{
    unsigned char values[BYTES];

    OK(launch(0));
    for (int i = 0; i < DEVICES; i++) {
        OK(mock_cuCtxSetCurrent(contexts[i]));
        OK(mock_cuStreamSynchronize(streams[i]));
        OK(mock_cuMemcpyDtoH_v2(values, memory[i], BYTES));
        cr_expect(eq(int, values[BYTES - 1], 1), "device %d", i);
    }
    silent();
}

/* The kernel of the second device writes what the stream of the first one uses before and after. */
static void use_around(unsigned flags)
{
    OK(mock_cuMemcpyPeerAsync(memory[0], contexts[0], memory[1], contexts[1], BYTES, streams[0]));
    OK(launch(flags));
    OK(mock_cuMemcpyPeerAsync(memory[0], contexts[0], memory[1], contexts[1], BYTES, streams[0]));
    wait_for_all();
}

static size_t races(unsigned flags)
{
    const struct cushim_mock_finding *findings = NULL;
    size_t n;

    cushim_mock_findings_clear();
    use_around(flags);
    n = cushim_mock_findings(&findings);
    for (size_t i = 0; i < n; i++)
        cr_expect(eq(int, findings[i].kind, CUSHIM_MOCK_DATA_RACE), "%s", findings[i].text);
    return n;
}

Test(launch_devices, they_begin_and_end_as_one)
{
    OK(mock_cuCtxPushCurrent_v2(contexts[1]));
    OK(mock_cuMemsetD8_v2(memory[1], 0, BYTES));
    OK(mock_cuCtxSynchronize());
    OK(mock_cuCtxPopCurrent_v2(NULL));
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        mock__schedule_seed(seed);
        cr_expect(eq(sz, races(0), 0), "seed %u", seed);
        cr_expect(eq(sz, races(CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC), 1),
                  "seed %u", seed);
        cr_expect(eq(sz, races(CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC), 1),
                  "seed %u", seed);
    }
}

/* What the launch answers with something of it changed. */
#define WITH(expected, change)                                                                     \
    do {                                                                                           \
        const CUDA_LAUNCH_PARAMS good[DEVICES] = {list[0], list[1]};                               \
        change;                                                                                    \
        EXPECT(expected, launch(0));                                                               \
        memcpy(list, good, sizeof(good));                                                          \
    } while (0)

Test(launch_devices, misuse)
{
    CUstream same_device;

    same_device = a_stream();
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuLaunchCooperativeKernelMultiDevice(NULL, 1, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuLaunchCooperativeKernelMultiDevice(list, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuLaunchCooperativeKernelMultiDevice(list, 3, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(4));
    WITH(CUDA_ERROR_INVALID_HANDLE, list[1].function = GARBAGE);
    WITH(CUDA_ERROR_INVALID_HANDLE, list[1].function = list[0].function);
    WITH(CUDA_ERROR_INVALID_HANDLE, list[1].hStream = NULL);
    WITH(CUDA_ERROR_INVALID_HANDLE, list[1].hStream = CU_STREAM_PER_THREAD);
    WITH(CUDA_ERROR_INVALID_HANDLE, list[1].hStream = GARBAGE);
    WITH(CUDA_ERROR_INVALID_VALUE, list[1].gridDimX = 2);
    WITH(CUDA_ERROR_INVALID_VALUE, list[0].function = copy_function);
    WITH(CUDA_ERROR_INVALID_VALUE, list[1] = list[0]; list[1].hStream = same_device);
    WITH(CUDA_ERROR_INVALID_VALUE, list[1].kernelParams = NULL);
    WITH(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, list[0].gridDimX = list[1].gridDimX = 1 << 20);
    OK(launch(0));
    wait_for_all();
    silent();
}
