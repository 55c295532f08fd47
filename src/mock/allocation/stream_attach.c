/* SPDX-License-Identifier: MIT */
/*
 * cuStreamAttachMemAsync(). The program promises which streams will use managed memory. The promise
 * matters on devices that cannot use the memory at the same time as the host. A device does not
 * detect that it is broken.
 */
#include "mock/allocation/stream_attach.h"
#include "mock/allocation/label.h"
#include "mock/allocation/memory.h"
#include "mock/base/finding.h"
#include "mock/base/state.h"
#include "mock/queue/work.h"
#include "mock/stream/capture.h"
#include "mock/stream/stream.h"

struct attach_work {
    struct mock__work work;
    uint64_t address, id; /* not a pointer: the memory may go before */
    unsigned flags;
};

static void run_attach(struct mock__work *work)
{
    const struct attach_work *attach = (const struct attach_work *) work;
    struct mock__memory *memory = mock__memory_at(attach->address);

    if (!memory || memory->id != attach->id)
        return;
    memory->attached = attach->flags;
    memory->attached_to = work->queue->stream_id;
    mock__queue_unref(memory->attached_queue);
    memory->attached_queue = work->queue;
    work->queue->references++;
}

static const struct mock__work_type attach_type = {.name = "attach", .run = run_attach};

/* A stream that was destroyed has its memory until its work is done. */
static bool stream_is_there(const struct mock__queue *queue)
{
    return queue->owned || queue->first;
}

static unsigned attachment_of(const struct mock__memory *memory)
{
    const bool lapsed =
        memory->attached == CU_MEM_ATTACH_SINGLE && !stream_is_there(memory->attached_queue);

    return memory->attached && !lapsed ? memory->attached : memory->flags;
}

/* Which stream a graph was launched into is not known where its nodes are done. */
void mock__attach_check(const struct mock__work *work, const struct mock__memory *memory)
{
    const struct mock__queue *queue = work->queue;
    unsigned attachment;

    if (queue->of_graph ||
        mock__attribute(queue->context->device, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS))
        return;
    attachment = attachment_of(memory);
    if (attachment == CU_MEM_ATTACH_HOST)
        mock__finding(CUSHIM_MOCK_ATTACHMENT, "%s uses %s, which is attached to the host",
                      mock__text_of_work(work).text, mock__text_of_memory(memory).text);
    else if (attachment == CU_MEM_ATTACH_SINGLE && memory->attached_to != queue->stream_id)
        mock__finding(CUSHIM_MOCK_ATTACHMENT, "%s uses %s, which is attached to stream %llu",
                      mock__text_of_work(work).text, mock__text_of_memory(memory).text,
                      (unsigned long long) memory->attached_to);
}

static bool flags_valid(unsigned flags)
{
    return flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ||
           flags == CU_MEM_ATTACH_SINGLE;
}

/* Managed memory is attached as a whole. */
static bool is_whole(const struct mock__memory *memory, CUdeviceptr address, size_t length)
{
    return memory->kind == MOCK__MANAGED_MEMORY && memory->address == address &&
           (!length || length == memory->bytes);
}

CUresult mock_cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length,
                                     unsigned int flags)
{
    const struct mock__memory *memory;
    struct mock__stream *stream = NULL;
    struct attach_work *work;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__capture_unsafe());
    memory = mock__memory_find(dptr);
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__REQUIRE(flags_valid(flags), CUDA_ERROR_INVALID_VALUE);
    /* NULL as the legacy stream stands for all others, and is none by itself. */
    MOCK__REQUIRE(flags != CU_MEM_ATTACH_SINGLE || hStream || !stream->queue->legacy,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__capture_refuse(stream));
    /* The program's own memory, where a device can use it: the promise holds by itself. */
    if (!memory && dptr && length &&
        mock__attribute(stream->context->device, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS))
        return CUDA_SUCCESS;
    MOCK__REQUIRE(memory && is_whole(memory, dptr, length), CUDA_ERROR_INVALID_VALUE);
    work = mock__work_new(&attach_type, sizeof(*work));
    MOCK__REQUIRE(work, CUDA_ERROR_OUT_OF_MEMORY);
    work->address = dptr;
    work->id = memory->id;
    work->flags = flags;
    return mock__stream_submit(stream, work);
}
