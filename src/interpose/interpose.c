/* SPDX-License-Identifier: MIT */
#include "interpose/interpose.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/attention.h"
#include "base/fork.h"
#include "base/status.h"
#include "base/util.h"
#include "interpose/frame.h"
#include "interpose/tables.h"

struct cushim__hook_list {
    size_t count;
    struct cushim_hooks hooks[];
};

struct cushim__hook_slot cushim__slots[CUSHIM__LISTS][CUSHIM__SLOTS];

/*
 * Protects `taken` in the slots. Calls do not take it: they only read `below` and `hooks`, which
 * are atomic. So calls never wait for each other here.
 */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* How many hooks this thread is inside of. */
static _Thread_local unsigned depth;

CUSHIM__OPEN_IN_CHILD(mutex);

static void begin_hooks(void)
{
    depth++;
    atomic_fetch_add_explicit(&cushim__attention, 1, memory_order_relaxed);
}

static void end_hooks(void)
{
    atomic_fetch_sub_explicit(&cushim__attention, 1, memory_order_relaxed);
    depth--;
}

bool cushim__in_hook(void)
{
    return depth > 0;
}

/*
 * The number of fork()s that lead to this process. A child's thread has another id, so ids from
 * before a fork are not valid.
 */
static unsigned forks;

/*
 * The calls that other threads of the parent were inside of never end in the child, so nothing may
 * wait for them.
 */
static void in_child(void)
{
    forks++;
    for (unsigned library = 0; library < CUSHIM__LISTS; library++)
        for (unsigned i = 0; i < CUSHIM__SLOTS; i++)
            cushim__slots[library][i].lost = cushim__slots[library][i].inside;
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

/*
 * Asks the kernel once for each thread, because a system call would cost more than the whole rest
 * of a hook.
 */
static uint64_t thread_id(void)
{
    static _Thread_local uint64_t id;
    static _Thread_local unsigned forks_then;

    if (!id || forks_then != forks) {
        id = (uint64_t) syscall(SYS_gettid);
        forks_then = forks;
    }
    return id;
}

/*
 * A call first counts itself and then reads the list of hooks. The function that removes hooks
 * first clears the list and then reads the count. Both use one total order of atomic operations, so
 * at least one of the two sees the other: either the call finds no hooks, or the remover waits for
 * it. A mutex here would make the calls of all threads wait for each other.
 */
static struct cushim__hook_list *enter_hooks(struct cushim__hook_slot *slot)
{
    struct cushim__hook_list *hooks;

    __atomic_fetch_add(&slot->inside, 1, __ATOMIC_SEQ_CST);
    hooks = __atomic_load_n(&slot->hooks, __ATOMIC_SEQ_CST);
    if (!hooks)
        __atomic_fetch_sub(&slot->inside, 1, __ATOMIC_SEQ_CST);
    return hooks;
}

/*
 * Runs the hooks before a call, until one of them answers it. A call to the table from inside of a
 * hook runs no hooks (depth), so that a hook can use the driver without calling itself.
 */
static void run_before(struct cushim__frame *frame)
{
    struct cushim_call *call = &frame->call;

    begin_hooks();
    while (frame->ran < frame->hooks->count && !call->answered) {
        const struct cushim_hooks *pair = &frame->hooks->hooks[frame->ran++];

        if (pair->before)
            call->answered = pair->before(call, pair->user);
    }
    end_hooks();
}

cushim__entry *cushim__enter(struct cushim__frame *frame, struct cushim__place place,
                             void *const *args)
{
    const struct cushim__rows *rows = cushim__lists[place.library].rows;
    cushim__entry *const *below;

    frame->slot = &cushim__slots[place.library][place.slot];
    frame->ran = 0;
    frame->call.result = 0;
    below = CUSHIM__PUBLISHED(frame->slot->below);
    frame->hooks = depth ? NULL : enter_hooks(frame->slot);
    if (!frame->hooks)
        return below[place.row];
    frame->call = (struct cushim_call){
        .library = (enum cushim_library) place.library,
        .row = place.row,
        .name = cushim__row_symbol(rows, place.row),
        .args = args,
        .signature = cushim__row_signature(rows, place.row),
        .thread = thread_id(),
    };
    frame->call.n_args = strlen(frame->call.signature);
    run_before(frame);
    frame->call.start_ns = cushim__now_ns();
    return frame->call.answered ? NULL : below[place.row];
}

/* Runs the hooks after a call, in the opposite order, and only those that ran before it. */
intptr_t cushim__leave(struct cushim__frame *frame)
{
    struct cushim_call *call = &frame->call;

    if (!frame->hooks)
        return call->result;
    if (!call->answered)
        call->duration_ns = cushim__now_ns() - call->start_ns;
    begin_hooks();
    while (frame->ran) {
        const struct cushim_hooks *pair = &frame->hooks->hooks[--frame->ran];

        if (pair->after)
            pair->after(call, pair->user);
    }
    end_hooks();
    /* From here on, another thread may free the list. */
    __atomic_fetch_sub(&frame->slot->inside, 1, __ATOMIC_SEQ_CST);
    return call->result;
}

static struct cushim__hook_list *copy_hooks(const struct cushim_hooks *hooks, size_t n_hooks)
{
    struct cushim__hook_list *list;

    if (n_hooks > (PTRDIFF_MAX - sizeof(*list)) / sizeof(*hooks))
        return NULL;
    list = malloc(sizeof(*list) + n_hooks * sizeof(*hooks));
    if (list) {
        list->count = n_hooks;
        if (n_hooks)
            memcpy(list->hooks, hooks, n_hooks * sizeof(*hooks));
    }
    return list;
}

/*
 * Returns how well a slot suits a table, or 0 if it is taken. A program may still use the table of
 * a slot that was given back. So the best slot is one whose table leads to the same functions as
 * before, and the next best is one that was never used.
 */
static int suits(const struct cushim__hook_slot *slot, cushim__entry *const *below)
{
    enum { TAKEN, USED, UNUSED, SAME };

    if (slot->taken)
        return TAKEN;
    return slot->below == below ? SAME : slot->below ? USED : UNUSED;
}

static int take_slot(enum cushim_library library, cushim__entry *const *below)
{
    int found = -1, best = 0;

    pthread_mutex_lock(&mutex);
    for (int i = 0; i < CUSHIM__SLOTS; i++) {
        const int fit = suits(&cushim__slots[library][i], below);

        if (fit > best) {
            best = fit;
            found = i;
        }
    }
    if (found >= 0)
        cushim__slots[library][found].taken = true;
    pthread_mutex_unlock(&mutex);
    return found;
}

cushim_status cushim__interpose(const struct cushim__interposition *wanted, const char *call,
                                int *ret_slot, cushim__entry *const **ret_table)
{
    struct cushim__hook_list *list = copy_hooks(wanted->hooks, wanted->n_hooks);
    struct cushim__hook_slot *s;
    int slot;

    if (!list)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, NULL, "no memory for hooks");
    slot = take_slot(wanted->library, wanted->below);
    if (slot < 0) {
        free(list);
        return cushim__fail_at(CUSHIM_ERROR_LIMIT, call, NULL,
                               "%d tables are interposed already, which is as many as there can be",
                               CUSHIM__SLOTS);
    }
    s = &cushim__slots[wanted->library][slot];
    /*
     * This comes before the program knows the slot's table, so each of its calls finds the
     * functions to call.
     */
    CUSHIM__PUBLISH(s->below, wanted->below);
    /* Without hooks the table only passes calls on, at the lowest cost. */
    __atomic_store_n(&s->hooks, wanted->n_hooks ? list : NULL, __ATOMIC_SEQ_CST);
    if (!wanted->n_hooks)
        free(list);
    *ret_slot = slot;
    *ret_table = cushim__interposed[wanted->library][slot];
    return CUSHIM_OK;
}

void cushim__interpose_stop(enum cushim_library library, int slot)
{
    struct cushim__hook_slot *s = &cushim__slots[library][slot];
    struct cushim__hook_list *hooks = __atomic_exchange_n(&s->hooks, NULL, __ATOMIC_SEQ_CST);
    const struct timespec pause = {.tv_nsec = 50000};

    /*
     * A call can last long, for example cuCtxSynchronize(). So this sleeps between its looks, and
     * costs calls nothing: they need not wake anybody.
     */
    while ((int) (__atomic_load_n(&s->inside, __ATOMIC_SEQ_CST) - s->lost) > 0)
        nanosleep(&pause, NULL);
    free(hooks);
}

void cushim__interpose_end(enum cushim_library library, int slot)
{
    cushim__interpose_stop(library, slot);
    pthread_mutex_lock(&mutex);
    /*
     * The slot is free only after its last call has returned, because the next user changes its
     * table.
     */
    cushim__slots[library][slot].taken = false;
    pthread_mutex_unlock(&mutex);
}
