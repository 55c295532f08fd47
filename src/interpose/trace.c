/* SPDX-License-Identifier: MIT */
#include "interpose/trace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/fork.h"
#include "base/util.h"
#include "interpose/lists.h"
#include "interpose/note.h"

enum { DEFAULT_MAX_CALLS = 1 << 20 };

struct cushim__trace {
    uint64_t start_ns;
    size_t max_calls;
    _Atomic uint64_t counts[CUSHIM__ALL_ROWS];

    struct cushim__traced *calls; /* the log, protected by the mutex */
    size_t n_calls, capacity;
};

/*
 * One mutex for all traces, so that it can be held across fork(). Then the log is complete in the
 * child, and its mutex is free.
 */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

CUSHIM__HOLD_ACROSS_FORK(mutex);

struct cushim__trace *cushim__trace_new(const struct cushim_trace_params *params)
{
    struct cushim__trace *trace = calloc(1, sizeof(*trace));

    if (!trace)
        return NULL;
    trace->start_ns = cushim__now_ns();
    trace->max_calls = params && params->max_calls ? params->max_calls : DEFAULT_MAX_CALLS;
    if (params && params->count_only)
        trace->max_calls = 0;
    return trace;
}

/* Under the mutex, or when nobody uses the trace any more. */
static void forget(struct cushim__trace *trace)
{
    for (size_t i = 0; i < trace->n_calls; i++)
        cushim__note_unref(trace->calls[i].note);
    trace->n_calls = 0;
}

void cushim__trace_free(struct cushim__trace *trace)
{
    if (!trace)
        return;
    forget(trace);
    free(trace->calls);
    free(trace);
}

/*
 * Adds an entry to the log, under the mutex. If the log is full or cannot grow, it returns NULL,
 * but the call is still counted. The log doubles, so that entries cost the same on average however
 * many there are.
 */
static struct cushim__traced *new_entry(struct cushim__trace *trace)
{
    if (trace->n_calls == trace->max_calls)
        return NULL;
    if (trace->n_calls == trace->capacity) {
        const size_t capacity = trace->capacity ? 2 * trace->capacity : 256;
        struct cushim__traced *calls = realloc(trace->calls, capacity * sizeof(trace->calls[0]));

        if (!calls)
            return NULL;
        trace->calls = calls;
        trace->capacity = capacity;
    }
    return &trace->calls[trace->n_calls++];
}

/* Some functions of NVRTC return a string, whose address is not a result. */
static bool returns_string(const struct cushim_call *call)
{
    return cushim__lists[call->library].rows->rows[call->row].flags & CUSHIM__ROW_STRING;
}

void cushim__trace_record(struct cushim__trace *trace, const struct cushim_call *call)
{
    struct cushim__traced *entry;
    struct cushim__note *note;

    /*
     * The counters are atomic and take no lock, so that a trace that only counts slows no thread
     * down.
     */
    atomic_fetch_add_explicit(&trace->counts[cushim__lists[call->library].first + call->row], 1,
                              memory_order_relaxed);
    if (!trace->max_calls)
        return;
    note = cushim__note_of_call();
    pthread_mutex_lock(&mutex);
    entry = new_entry(trace);
    if (entry) {
        entry->note = cushim__note_ref(note);
        entry->call = (struct cushim_traced_call){
            .name = call->name,
            .library = call->library,
            .row = call->row,
            .result = returns_string(call) ? 0 : (int) call->result,
            .answered = call->answered,
            .thread = call->thread,
            .start_ns = call->start_ns - trace->start_ns,
            .duration_ns = call->duration_ns,
        };
    }
    pthread_mutex_unlock(&mutex);
    cushim__note_unref(note);
}

static void record(struct cushim_call *call, void *user)
{
    cushim__trace_record(user, call);
}

struct cushim_hooks cushim__trace_hooks(struct cushim__trace *trace)
{
    return (struct cushim_hooks){.after = record, .user = trace};
}

/*
 * A row that is the number of rows means all rows. The sum is exact only while no calls are made.
 */
uint64_t cushim__trace_count(struct cushim__trace *trace, enum cushim_library library, size_t row)
{
    const size_t rows = cushim__lists[library].rows->count;
    _Atomic uint64_t *counts = trace->counts + cushim__lists[library].first;
    uint64_t sum = 0;

    for (size_t i = row == rows ? 0 : row; i < (row == rows ? rows : row + 1); i++)
        sum += atomic_load_explicit(&counts[i], memory_order_relaxed);
    return sum;
}

size_t cushim__trace_calls(struct cushim__trace *trace, size_t first,
                           struct cushim_traced_call *calls, size_t max)
{
    size_t available;

    pthread_mutex_lock(&mutex);
    /* The entries are copied under the mutex, because the log moves when it grows. */
    available = first < trace->n_calls ? trace->n_calls - first : 0;
    for (size_t i = 0; i < available && i < max; i++)
        calls[i] = trace->calls[first + i].call;
    pthread_mutex_unlock(&mutex);
    return available;
}

size_t cushim__trace_entries(struct cushim__trace *trace, size_t first,
                             struct cushim__traced *entries, size_t max)
{
    size_t n = 0;

    pthread_mutex_lock(&mutex);
    for (; n < max && first + n < trace->n_calls; n++) {
        entries[n] = trace->calls[first + n];
        cushim__note_ref(entries[n].note);
    }
    pthread_mutex_unlock(&mutex);
    return n;
}

void cushim__trace_reset(struct cushim__trace *trace)
{
    pthread_mutex_lock(&mutex);
    /* The memory of the log is kept, because a trace that is reset is usually used again. */
    forget(trace);
    for (size_t i = 0; i < CUSHIM__ALL_ROWS; i++)
        atomic_store_explicit(&trace->counts[i], 0, memory_order_relaxed);
    pthread_mutex_unlock(&mutex);
}
