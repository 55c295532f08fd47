/* SPDX-License-Identifier: MIT */
/* Streams, events, and the program's functions that run in them. */
#include <string.h>

#include "mock/base/newer.h"
#include "support.h"

TestSuite(stream);

Test(stream, create_and_destroy)
{
    CUstream stream = NULL;
    unsigned flags = 9;
    int priority = 9;

    start();
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamCreate(&stream, 2));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamCreate(NULL, 0));
    OK(mock_cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -100));
    OK(mock_cuStreamGetPriority(stream, &priority));
    cr_expect(eq(int, priority, -5));
    OK(mock_cuStreamGetFlags(stream, &flags));
    cr_expect(eq(uint, flags, CU_STREAM_NON_BLOCKING));
    OK(mock_cuStreamDestroy_v2(stream));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuStreamDestroy_v2(stream));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuStreamSynchronize(stream));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuStreamDestroy_v2(NULL));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuStreamDestroy_v2(CU_STREAM_LEGACY));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuStreamDestroy_v2(GARBAGE));
}

Test(stream, a_handle_is_not_taken_for_a_newer_one)
{
    CUstream first = NULL, stream = NULL;

    start();
    OK(mock_cuStreamCreate(&first, 0));
    OK(mock_cuStreamDestroy_v2(first));
    for (int i = 0; i < 200; i++) {
        OK(mock_cuStreamCreate(&stream, 0));
        cr_assert(ne(ptr, stream, first));
        OK(mock_cuStreamDestroy_v2(stream));
    }
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuStreamQuery(first));
}

Test(stream, special_handles)
{
    CUcontext context = start(), found = NULL;

    OK(mock_cuStreamQuery(NULL));
    OK(mock_cuStreamSynchronize(CU_STREAM_LEGACY));
    OK(mock_cuStreamSynchronize_ptsz(NULL));
    OK(mock_cuStreamGetCtx(CU_STREAM_PER_THREAD, &found));
    cr_expect(eq(ptr, found, context));
}

Test(stream, a_handle_brings_its_context)
{
    CUstream stream = NULL;
    CUevent event = NULL;

    start();
    OK(mock_cuStreamCreate(&stream, 0));
    OK(mock_cuEventCreate(&event, 0));
    OK(mock_cuCtxSetCurrent(NULL));
    OK(mock_cuEventRecord(event, stream));
    OK(mock_cuStreamSynchronize(stream));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuStreamSynchronize(NULL));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuEventRecord(event, NULL));
}

Test(stream, events)
{
    CUevent a = NULL, b = NULL, untimed = NULL;
    float milliseconds = -1;

    start();
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuEventCreate(&a, 0x100));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuEventCreate(&a, CU_EVENT_INTERPROCESS));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuEventCreate(NULL, 0));
    OK(mock_cuEventCreate(&a, 0));
    OK(mock_cuEventCreate(&b, 0));
    OK(mock_cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    OK(mock_cuEventQuery(a));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuEventElapsedTime(&milliseconds, a, b));
    OK(mock_cuEventRecord(a, NULL));
    OK(mock_cuEventRecordWithFlags(b, NULL, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuEventRecordWithFlags(b, NULL, 8));
    OK(mock_cuEventSynchronize(b));
    OK(mock_cuEventElapsedTime(&milliseconds, a, b));
    cr_expect(ge(flt, milliseconds, 0.0f));
    OK(mock_cuEventRecord(untimed, NULL));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuEventElapsedTime(&milliseconds, a, untimed));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuEventElapsedTime(NULL, a, b));
    OK(mock_cuStreamWaitEvent(NULL, a, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamWaitEvent(NULL, a, 8));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuStreamWaitEvent(NULL, NULL, 0));
    OK(mock_cuEventDestroy_v2(a));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuEventDestroy_v2(a));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuEventQuery(NULL));
}

Test(stream, an_event_stays_in_its_context)
{
    CUcontext other = NULL;
    CUstream stream = NULL;
    CUevent event = NULL;

    start();
    OK(mock_cuEventCreate(&event, 0));
    OK(mock_cuCtxCreate_v2(&other, 0, 0));
    OK(mock_cuStreamCreate(&stream, 0));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuEventRecord(event, stream));
    OK(mock_cuStreamWaitEvent(stream, event, 0)); /* waiting may cross */
}

static long order;
static CUresult inside;

static void CUDA_CB note(void *digit)
{
    order = order * 10 + (long) (intptr_t) digit;
}

static void CUDA_CB call_driver(void *unused)
{
    (void) unused;
    inside = mock_cuCtxSynchronize();
}

static void CUDA_CB note_status(CUstream stream, CUresult status, void *user)
{
    (void) stream;
    *(CUresult *) user = status;
}

Test(stream, host_functions)
{
    CUstream stream = NULL;
    CUresult status = CUDA_ERROR_UNKNOWN;

    start();
    OK(mock_cuStreamCreate(&stream, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuLaunchHostFunc(stream, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuLaunchHostFunc_v2(stream, note, NULL, 2));
    for (intptr_t i = 1; i <= 3; i++)
        OK(i % 2 ? mock_cuLaunchHostFunc_v2(stream, note, (void *) i, (unsigned) i / 2 % 2)
                 : mock_cuLaunchHostFunc(stream, note, (void *) i));
    OK(mock_cuStreamSynchronize(stream));
    cr_expect(eq(long, order, 123));
    OK(mock_cuLaunchHostFunc(stream, call_driver, NULL));
    OK(mock_cuStreamSynchronize(stream));
    cr_expect(eq(int, (int) inside, CUDA_ERROR_NOT_PERMITTED));
    OK(mock_cuStreamAddCallback(stream, note_status, &status, 0));
    OK(mock_cuStreamSynchronize(stream));
    cr_expect(eq(int, (int) status, CUDA_SUCCESS));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamAddCallback(stream, note_status, &status, 1));
}

#if CUDA_VERSION >= 12080
Test(stream, device)
{
    CUcontext second = NULL;
    CUstream stream = NULL;
    CUdevice device = -1;

    start();
    OK(mock_cuStreamGetDevice(NULL, &device));
    cr_expect(eq(int, device, 0));
    OK(mock_cuDevicePrimaryCtxRetain(&second, 1));
    OK(mock_cuCtxSetCurrent(second));
    OK(mock_cuStreamCreate(&stream, 0));
    OK(mock_cuStreamGetDevice(stream, &device));
    cr_expect(eq(int, device, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamGetDevice(stream, NULL));
}
#endif

Test(stream, attributes)
{
    CUstreamAttrValue value = {.syncPolicy = (CUsynchronizationPolicy) 0};
    CUstream a = NULL, b = NULL;

    start();
    OK(mock_cuStreamCreate(&a, 0));
    OK(mock_cuStreamCreate(&b, 0));
    OK(mock_cuStreamGetAttribute(a, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    cr_expect(eq(int, (int) value.syncPolicy, -1));
    value.syncPolicy = CU_SYNC_POLICY_YIELD;
    OK(mock_cuStreamSetAttribute(a, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    OK(mock_cuStreamCopyAttributes(b, a));
    value.syncPolicy = (CUsynchronizationPolicy) 99;
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuStreamSetAttribute(a, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    OK(mock_cuStreamGetAttribute(b, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    cr_expect(eq(int, (int) value.syncPolicy, CU_SYNC_POLICY_YIELD));
}

/* What an H200 accepts. */
Test(stream, attributes_that_are_refused)
{
    CUstreamAttrValue value;
    CUstream stream = NULL;

    start();
    OK(mock_cuStreamCreate(&stream, 0));
    memset(&value, 0, sizeof(value));
    value.accessPolicyWindow.hitRatio = 1;
    value.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
    OK(mock_cuStreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
    value.accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_PERSISTING;
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuStreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
    for (unsigned char domain = 0; domain < 6; domain++) {
        const int wanted = domain < 4 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        const unsigned char local[2] = {domain, 0}, remote[2] = {0, domain};

        /* By number: not all toolkits have the name. */
        memcpy(&value, local, 2);
        EXPECT(wanted, mock_cuStreamSetAttribute(stream, (CUstreamAttrID) 9, &value));
        memcpy(&value, remote, 2);
        EXPECT(wanted, mock_cuStreamSetAttribute(stream, (CUstreamAttrID) 9, &value));
    }
}
