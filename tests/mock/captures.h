/* SPDX-License-Identifier: MIT */
/* What the tests of captures share. */
#ifndef CUSHIM_TESTS_MOCK_CAPTURES_H
#define CUSHIM_TESTS_MOCK_CAPTURES_H

#include "graphs.h"

static CUevent event;

static inline void begin_with_event(void)
{
    begin();
    OK(mock_cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
}

static inline void begin_capture(CUstream stream, CUstreamCaptureMode mode)
{
    OK(mock_cuStreamBeginCapture_v2(stream, mode));
}

static inline CUgraph end_capture(CUstream stream)
{
    CUgraph graph = NULL;

    OK(mock_cuStreamEndCapture(stream, &graph));
    cr_assert(ne(ptr, graph, NULL));
    return graph;
}

/* A capture that ends with a mistake: with which, and without a graph. */
static inline void end_badly(CUstream stream, CUresult expected)
{
    CUgraph graph = GARBAGE;

    EXPECT(expected, mock_cuStreamEndCapture(stream, &graph));
    cr_expect(eq(ptr, graph, NULL));
}

static inline CUstreamCaptureStatus status_of(CUstream stream)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus) 99;

    OK(mock_cuStreamIsCapturing(stream, &status));
    return status;
}

/* Makes `to` wait for what `from` has. */
static inline CUresult join(CUstream from, CUstream to)
{
    OK(mock_cuEventRecord(event, from));
    return mock_cuStreamWaitEvent(to, event, 0);
}

/* What is unsafe while something captures. */
static inline CUresult ask_alloc(void)
{
    CUdeviceptr p;

    return mock_cuMemAlloc_v2(&p, 16);
}

#endif
