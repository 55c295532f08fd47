/* SPDX-License-Identifier: MIT */
/* Events in recordings. */
#include "core/order/recording_works.h"

static cushim_status fail_memory(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                           "%s: no memory to record", scope->call);
}

/* Every launch records the event, so what cushim knows of it says nothing any more. */
static void note(struct cushim__event *event, const struct cushim__recording *recording)
{
    cushim__lock(event->object.context);
    event->foreign = true;
    event->recordings++;
    event->recording = recording->id;
    event->recorded = cushim__recording_last(recording);
    cushim__unlock(event->object.context);
}

cushim_status cushim__recording_event(const struct cushim__scope *scope,
                                      struct cushim__timeline *timeline,
                                      struct cushim__event *event)
{
    struct cushim__recording *recording = timeline->branch->recording;

    CUSHIM_TRY(cushim__recording_check_outside(scope, timeline, "the recording of an event"));
    CUSHIM_TRY(CU_CALL(scope, cuEventRecordWithFlags,
                       (event->cu, recording->cu, CU_EVENT_RECORD_EXTERNAL)));
    cushim__recording_keep(recording, &event->object);
    note(event, recording);
    return CUSHIM_OK;
}

/* Returns false if the event is no part of the recording of a branch. */
static bool find_event(const struct cushim__branch *branch, struct cushim__event *event,
                       unsigned *ret_number)
{
    bool is_part;

    cushim__lock(event->object.context);
    is_part = event->recording == branch->recording->id;
    *ret_number = event->recorded;
    cushim__unlock(event->object.context);
    return is_part;
}

/* Every launch waits for what has recorded the event last. */
static cushim_status wait_outside(struct cushim__scope *scope, struct cushim__timeline *timeline,
                                  struct cushim__event *event)
{
    struct cushim__submission s = {
        .scope = scope, .timeline = timeline, .recordable = true, .in_order = true};
    struct cushim__recording *recording;
    cushim_status status;

    CUSHIM_TRY(cushim__submit_begin(&s));
    /* Another thread may have ended the recording. */
    recording = timeline->branch ? timeline->branch->recording : NULL;
    status = cushim__recording_check_outside(scope, timeline, "a wait for an event");
    if (!status)
        status = CU_CALL(scope, cuStreamWaitEvent,
                         (timeline->cu, event->cu, recording ? CU_EVENT_WAIT_EXTERNAL : 0));
    if (!status && recording)
        cushim__recording_keep(recording, &event->object);
    cushim__submit_end(&s);
    return status;
}

cushim_status cushim__recording_wait(struct cushim__scope *scope, struct cushim__timeline *timeline,
                                     struct cushim__event *event)
{
    cushim_status status = CUSHIM_OK;
    bool is_part = false;
    unsigned number;

    CUSHIM_TRY(cushim__check_driver(scope, event->object.context, "event"));
    cushim__timeline_lock(timeline);
    if (timeline->branch)
        is_part = find_event(timeline->branch, event, &number);
    if (is_part && !cushim__branch_after(timeline->branch, number))
        status = fail_memory(scope);
    cushim__timeline_unlock(timeline);
    return is_part ? status : wait_outside(scope, timeline, event);
}
