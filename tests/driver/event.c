/* SPDX-License-Identifier: MIT */
/* Events, and the time between them. */
#include "ask.h"

static unsigned long long spin_ns = 20000000;
static CUfunction spin;

struct events {
    CUevent first, second;
    CUevent without_time;
};

static void spin_then_record(CUevent event, CUstream stream)
{
    launch(spin, 1, 1, stream, (void *[]){&spin_ns});
    CALL(cuEventRecord, (event, stream));
}

static struct events ask_create(void)
{
    struct events events = {.first = NULL};

    ASK("create_bad", cuEventCreate, (&events.first, 0x100));
    ASK("create_ipc_alone", cuEventCreate, (&events.first, CU_EVENT_INTERPROCESS));
    ASK("create_null", cuEventCreate, (NULL, 0));
    ASK("create", cuEventCreate, (&events.first, 0));
    CALL(cuEventCreate, (&events.second, 0));
    CALL(cuEventCreate, (&events.without_time, CU_EVENT_DISABLE_TIMING));
    return events;
}

static void ask_unrecorded(const struct events *events, CUstream stream)
{
    float ms = -1;

    ASK("query_unrecorded", cuEventQuery, (events->first));
    ASK("sync_unrecorded", cuEventSynchronize, (events->first));
    ASK("elapsed_unrecorded", cuEventElapsedTime_v2, (&ms, events->first, events->second));
    ASK("elapsed_unrecorded_v1", cuEventElapsedTime, (&ms, events->first, events->second));
    ASK("record", cuEventRecord, (events->first, stream));
    ASK("elapsed_half", cuEventElapsedTime_v2, (&ms, events->first, events->second));
}

static void ask_time(const struct events *events, CUstream stream)
{
    float ms = -1;

    spin_then_record(events->second, stream);
    ASK("query_busy", cuEventQuery, (events->second));
    ASK("elapsed_busy", cuEventElapsedTime_v2, (&ms, events->first, events->second));
    ASK("sync", cuEventSynchronize, (events->second));
    ASK("elapsed", cuEventElapsedTime_v2, (&ms, events->first, events->second));
    report("elapsed_ge_19ms", ms >= 19);
    report("elapsed_lt_100ms", ms < 100);
    ASK("elapsed_rev", cuEventElapsedTime_v2, (&ms, events->second, events->first));
    report("elapsed_rev_neg", ms < 0);
    CALL(cuEventRecord, (events->without_time, stream));
    wait_for(stream);
    ASK("elapsed_notiming", cuEventElapsedTime_v2, (&ms, events->first, events->without_time));
    ASK("elapsed_null", cuEventElapsedTime_v2, (NULL, events->first, events->second));
    ASK("elapsed_nullev", cuEventElapsedTime_v2, (&ms, NULL, events->second));
}

static void ask_nulls(const struct events *events, CUstream stream)
{
    ASK("record_null", cuEventRecord, (NULL, stream));
    ASK("query_null", cuEventQuery, (NULL));
    ASK("sync_null", cuEventSynchronize, (NULL));
    ASK("recordflags_bad", cuEventRecordWithFlags, (events->first, stream, 8));
}

void ask_event(void)
{
    struct events events;
    CUstream stream;

    begin();
    spin = get_kernel(load_kernels(), "spin");
    stream = new_stream();
    events = ask_create();
    ask_unrecorded(&events, stream);
    ask_time(&events, stream);
    ask_nulls(&events, stream);
    spin_then_record(events.second, stream);
    ASK("destroy_busy", cuEventDestroy_v2, (events.second));
    wait_for(stream);
    ASK("destroy_null", cuEventDestroy_v2, (NULL));
    ASK("destroy", cuEventDestroy_v2, (events.first));
}
