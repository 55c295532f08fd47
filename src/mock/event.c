/* SPDX-License-Identifier: MIT */
/* cuEvent* */
#include "mock/event.h"

#include "base/util.h"
#include "mock/state.h"
#include "mock/stream.h"

/* The flags of cuEventCreate(). */
#define FLAGS (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS)

CUresult mock__event_find(CUevent handle, struct mock__event **ret_event)
{
    struct mock__event *event = mock__object_find(MOCK__EVENT, handle);

    MOCK__REQUIRE(event, CUDA_ERROR_INVALID_HANDLE);
    *ret_event = event;
    return mock__context_usable(event->context);
}

void mock__event_record(struct mock__event *event)
{
    event->recorded = true;
    event->time_ns = cushim__now_ns();
}

void mock__events_destroy(const struct mock__context *context)
{
    struct mock__event *event;

    for (size_t cursor = 0; (event = mock__object_next(MOCK__EVENT, &cursor));) {
        if (event->context == context)
            mock__object_free(event);
    }
}

static bool flags_valid(unsigned flags)
{
    /* What another process can see has no time. */
    return !(flags & ~(unsigned) FLAGS) &&
           (!(flags & CU_EVENT_INTERPROCESS) || (flags & CU_EVENT_DISABLE_TIMING));
}

CUresult mock_cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
    struct mock__event *event;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(phEvent && flags_valid(Flags), CUDA_ERROR_INVALID_VALUE);
    event = mock__object_new(MOCK__EVENT, sizeof(*event));
    MOCK__REQUIRE(event, CUDA_ERROR_OUT_OF_MEMORY);
    event->context = context;
    event->flags = Flags;
    *phEvent = MOCK__HANDLE(event);
    return CUDA_SUCCESS;
}

static CUresult destroy(CUevent hEvent)
{
    struct mock__event *event;

    MOCK__ENTER();
    event = mock__object_find(MOCK__EVENT, hEvent);
    MOCK__REQUIRE(event, CUDA_ERROR_INVALID_HANDLE);
    mock__object_free(event);
    return CUDA_SUCCESS;
}

CUresult mock_cuEventDestroy(CUevent hEvent)
{
    return destroy(hEvent);
}

CUresult mock_cuEventDestroy_v2(CUevent hEvent)
{
    return destroy(hEvent);
}

static CUresult record(CUevent hEvent, CUstream hStream, unsigned flags)
{
    struct mock__event *event = NULL;
    struct mock__stream *stream = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__event_find(hEvent, &event));
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__REQUIRE(event->context == stream->context, CUDA_ERROR_INVALID_HANDLE);
    MOCK__REQUIRE(!(flags & ~(unsigned) CU_EVENT_RECORD_EXTERNAL), CUDA_ERROR_INVALID_VALUE);
    mock__event_record(event);
    return CUDA_SUCCESS;
}

CUresult mock_cuEventRecord(CUevent hEvent, CUstream hStream)
{
    return record(hEvent, hStream, 0);
}

CUresult mock_cuEventRecord_ptsz(CUevent hEvent, CUstream hStream)
{
    return record(hEvent, mock__ptsz(hStream), 0);
}

CUresult mock_cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags)
{
    return record(hEvent, hStream, flags);
}

CUresult mock_cuEventRecordWithFlags_ptsz(CUevent hEvent, CUstream hStream, unsigned int flags)
{
    return record(hEvent, mock__ptsz(hStream), flags);
}

/* Waiting and asking are one: what was recorded is over, what was not never began. */
static CUresult finish(CUevent hEvent)
{
    struct mock__event *event = NULL;

    MOCK__ENTER();
    return mock__event_find(hEvent, &event);
}

CUresult mock_cuEventQuery(CUevent hEvent)
{
    return finish(hEvent);
}

CUresult mock_cuEventSynchronize(CUevent hEvent)
{
    return finish(hEvent);
}

static bool has_time(const struct mock__event *event)
{
    return event->recorded && !(event->flags & CU_EVENT_DISABLE_TIMING);
}

static CUresult elapsed_time(float *milliseconds, CUevent hStart, CUevent hEnd)
{
    struct mock__event *start = NULL, *end = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__event_find(hStart, &start));
    MOCK__TRY(mock__event_find(hEnd, &end));
    MOCK__REQUIRE(milliseconds && has_time(start) && has_time(end), CUDA_ERROR_INVALID_HANDLE);
    *milliseconds = (float) ((double) (int64_t) (end->time_ns - start->time_ns) / 1e6);
    return CUDA_SUCCESS;
}

CUresult mock_cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    return elapsed_time(pMilliseconds, hStart, hEnd);
}

#if CUDA_VERSION >= 12080
CUresult mock_cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    return elapsed_time(pMilliseconds, hStart, hEnd);
}
#endif
