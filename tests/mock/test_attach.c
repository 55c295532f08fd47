/* SPDX-License-Identifier: MIT */
/* Managed memory that is attached to a stream, on devices where that means something. */
#include "watch.h"

enum { BYTES = 64 };

static CUstream one, two;
static CUdeviceptr managed;

/* A device that cannot have managed memory at the same time as the host. */
static void begin(void)
{
    cr_assert(eq(int,
                 cushim_mock_configure(
                     cushim_mock_config(.settings = "device.*.concurrent_managed_access = 0")),
                 CUSHIM_OK));
    start_watched();
    one = a_stream();
    two = a_stream();
    OK(mock_cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
}

TestSuite(attach);

static CUresult attach_to(CUstream stream)
{
    return mock_cuStreamAttachMemAsync(stream, managed, 0, CU_MEM_ATTACH_SINGLE);
}

/* Fills in the stream, and waits, so that nothing but the attachment is wrong. */
static void fill_in(CUstream stream)
{
    launch_fill(stream, managed, BYTES);
    OK(mock_cuCtxSynchronize());
}

Test(attach, a_stream_has_memory_to_itself)
{
    begin();
    OK(attach_to(one));
    fill_in(one);
    silent();
    fill_in(two);
    found(CUSHIM_MOCK_ATTACHMENT, "(64 bytes, made by cuMemAllocManaged, the program's 1st), "
                                  "which is attached to stream");
    cushim_mock_findings_clear();
    OK(mock_cuStreamAttachMemAsync(one, managed, BYTES, CU_MEM_ATTACH_GLOBAL));
    fill_in(two);
    silent();
}

Test(attach, it_begins_in_its_turn)
{
    begin();
    launch_fill(one, managed, BYTES);
    OK(attach_to(two));
    OK(mock_cuStreamSynchronize(one));
    silent();
    OK(mock_cuStreamSynchronize(two));
    fill_in(one);
    found(CUSHIM_MOCK_ATTACHMENT, "which is attached to stream");
}

Test(attach, the_host_has_memory_to_itself)
{
    begin();
    OK(mock_cuMemFree_v2(managed));
    OK(mock_cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_HOST));
    fill_in(one);
    found(CUSHIM_MOCK_ATTACHMENT, "which is attached to the host");
    cushim_mock_findings_clear();
    OK(attach_to(one));
    fill_in(one);
    silent();
    /* With the stream goes its hold, and the memory is as it was made. */
    OK(mock_cuStreamDestroy_v2(one));
    fill_in(two);
    found(CUSHIM_MOCK_ATTACHMENT, "which is attached to the host");
}

Test(attach, it_means_nothing_where_all_can_have_it)
{
    start_watched();
    one = a_stream();
    two = a_stream();
    OK(mock_cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
    OK(attach_to(one));
    fill_in(two);
    silent();
}

Test(attach, misuse)
{
    CUdeviceptr p;
    char own[BYTES];

    begin();
    p = allocate(BYTES);
    EXPECT(CUDA_ERROR_INVALID_HANDLE, attach_to(GARBAGE));
    EXPECT(CUDA_ERROR_INVALID_VALUE, attach_to(NULL));
    OK(attach_to(CU_STREAM_LEGACY));
    OK(attach_to(CU_STREAM_PER_THREAD));
    OK(mock_cuStreamAttachMemAsync_ptsz(NULL, managed, 0, CU_MEM_ATTACH_SINGLE));
    OK(mock_cuStreamAttachMemAsync(NULL, managed, 0, CU_MEM_ATTACH_HOST));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamAttachMemAsync(one, managed, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamAttachMemAsync(one, managed, 0, 3));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamAttachMemAsync(one, managed, BYTES / 2, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamAttachMemAsync(one, managed + 1, 0, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamAttachMemAsync(one, p, 0, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamAttachMemAsync(one, 0, 0, 1));
    /* The program's own memory is for devices that can use it. */
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuStreamAttachMemAsync(one, (uintptr_t) own, BYTES, CU_MEM_ATTACH_SINGLE));
    /* Freed before the attachment's turn. */
    OK(attach_to(one));
    OK(mock_cuMemFree_v2(managed));
    EXPECT(CUDA_ERROR_INVALID_VALUE, attach_to(one));
    silent();
}

Test(attach, the_programs_own_memory)
{
    char own[BYTES];

    cr_assert(eq(int,
                 cushim_mock_configure(
                     cushim_mock_config(.settings = "device.*.pageable_memory_access = 1")),
                 CUSHIM_OK));
    start_watched();
    one = a_stream();
    OK(mock_cuStreamAttachMemAsync(one, (uintptr_t) own, BYTES, CU_MEM_ATTACH_SINGLE));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuStreamAttachMemAsync(one, (uintptr_t) own, 0, CU_MEM_ATTACH_SINGLE));
}
