/* SPDX-License-Identifier: MIT */
#include "async/gate.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/fork.h"

enum state { CLOSED, RUNNING, OPEN, FAILED };

/*
 * One lock for all gates, so that a thread that is about to wait sees whom the others wait for. It
 * is held for a moment only.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CUSHIM__OPEN_IN_CHILD(lock);

/* A thread, by what it waits for: a gate that another thread runs; or NULL. Under the lock. */
struct thread {
    const struct cushim__gate *waits_for;
};

static _Thread_local struct thread this_thread;

struct cushim__gate {
    atomic_uint references;
    size_t parts; /* 0: shared */
    pthread_cond_t changed;
    /* Under the lock. */
    enum state state;
    bool is_looked_at;            /* CLOSED: nobody enters */
    struct cushim__node *op;      /* CLOSED */
    const struct thread *runner;  /* RUNNING */
    uint64_t recorder;            /* of the run that has entered; 0: it does not record */
    struct cushim_output *output; /* OPEN */
    struct cushim__error *error;  /* FAILED; NULL: there was no memory for it */
    cushim_status status;         /* FAILED */
};

struct cushim__gate *cushim__gate_new(cushim_op op, size_t parts, const char *call)
{
    struct cushim__gate *gate = calloc(1, sizeof(*gate));

    if (!gate) {
        cushim__ops_drop(&op, 1);
        cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, NULL, "no memory for an operation");
        return NULL;
    }
    gate->op = cushim__node_take(op.id, call);
    if (!gate->op) {
        free(gate);
        return NULL;
    }
    atomic_init(&gate->references, 1);
    gate->parts = parts;
    pthread_cond_init(&gate->changed, NULL);
    return gate;
}

struct cushim__gate *cushim__gate_ref(struct cushim__gate *gate)
{
    atomic_fetch_add_explicit(&gate->references, 1, memory_order_relaxed);
    return gate;
}

void cushim__gate_unref(struct cushim__gate *gate)
{
    if (atomic_fetch_sub_explicit(&gate->references, 1, memory_order_acq_rel) != 1)
        return;
    cushim__node_unref(gate->op);
    /* Its readers may still have the output: it stays shared. */
    cushim__output_unref(&gate->output);
    free(gate->error);
    pthread_cond_destroy(&gate->changed);
    free(gate);
}

static cushim_status fail_again(const struct cushim__gate *gate)
{
    if (gate->error)
        *cushim__error() = *gate->error;
    else
        cushim__fail_at(gate->status, NULL, NULL, "the shared operation has failed before");
    return gate->status;
}

/* Tells whether the thread that runs a gate waits, through others, for the calling thread. */
static bool waits_for_me(const struct cushim__gate *gate)
{
    while (gate && gate->state == RUNNING) {
        if (gate->runner == &this_thread)
            return true;
        gate = gate->runner->waits_for;
    }
    return false;
}

/* Waits while another thread runs the operation, or looks at it. */
static cushim_status wait_for(struct cushim__gate *gate)
{
    while (gate->is_looked_at || gate->state == RUNNING) {
        if (waits_for_me(gate))
            return cushim__fail_at(CUSHIM_ERROR_BUSY, NULL, NULL,
                                   "a callback of the operation submits the operation itself, or "
                                   "one that waits for it in another thread");
        this_thread.waits_for = gate;
        pthread_cond_wait(&gate->changed, &lock);
        this_thread.waits_for = NULL;
    }
    return CUSHIM_OK;
}

/* What was recorded has not run, and is in one graph only. */
static cushim_status check_recorder(const struct cushim__gate *gate, uint64_t recorder)
{
    if (!gate->recorder || gate->recorder == recorder)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_CAPTURING, NULL, NULL,
                           "the shared operation was recorded into a graph by cushim_op_record(), "
                           "and has not run");
}

cushim_status cushim__gate_enter(struct cushim__gate *gate, uint64_t recorder,
                                 struct cushim__node **ret_node)
{
    cushim_status status;

    *ret_node = NULL;
    pthread_mutex_lock(&lock);
    status = wait_for(gate);
    if (!status && gate->state == FAILED) {
        status = fail_again(gate);
    } else if (!status && gate->state == OPEN) {
        status = check_recorder(gate, recorder);
    } else if (!status) {
        gate->state = RUNNING;
        gate->runner = &this_thread;
        gate->recorder = recorder;
        *ret_node = TAKE_PTR(gate->op);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static void change(struct cushim__gate *gate, enum state state)
{
    gate->state = state;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&lock);
}

void cushim__gate_open(struct cushim__gate *gate, struct cushim_output *output)
{
    if (!gate->parts)
        cushim__output_share(output);
    pthread_mutex_lock(&lock);
    gate->output = output;
    change(gate, OPEN);
}

void cushim__gate_fail(struct cushim__gate *gate)
{
    struct cushim__error *error = malloc(sizeof(*error));

    if (error)
        *error = *cushim__error();
    pthread_mutex_lock(&lock);
    gate->error = error;
    gate->status = cushim__error()->status;
    change(gate, FAILED);
}

struct cushim_output *cushim__gate_output(struct cushim__gate *gate)
{
    /* It was open when the caller entered it, and then it does not change. */
    return cushim__output_ref(gate->output);
}

cushim_status cushim__gate_take(struct cushim__gate *gate, size_t index,
                                struct cushim_output **ret_output)
{
    struct cushim_output *list = gate->output;
    const size_t n = list && list->kind == CUSHIM_OUTPUT_LIST ? list->u.list.n : 0;

    if (n != gate->parts)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, NULL, NULL,
                               "the operation gives %zu output%s, and was split into %zu", n,
                               n == 1 ? "" : "s", gate->parts);
    if (cushim__output_is_shared(list)) {
        *ret_output = cushim__output_ref(list->u.list.items[index]);
        return CUSHIM_OK;
    }
    /* Each index belongs to one node, so no lock is needed. */
    *ret_output = TAKE_PTR(list->u.list.items[index]);
    return CUSHIM_OK;
}

cushim_status cushim__gate_unshare(struct cushim__gate *gate, struct cushim_output **ret_output)
{
    if (atomic_load_explicit(&gate->references, memory_order_acquire) != 2)
        return cushim__fail_at(CUSHIM_ERROR_BUSY, NULL, NULL,
                               "the shared operation has other users");
    if (cushim__output_has_readers(gate->output))
        return cushim__fail_at(CUSHIM_ERROR_BUSY, NULL, NULL,
                               "a future still has the output of the shared operation, or a part "
                               "of it");
    cushim__output_unshare(gate->output);
    *ret_output = TAKE_PTR(gate->output);
    return CUSHIM_OK;
}

const struct cushim__node *cushim__gate_look(struct cushim__gate *gate)
{
    const struct cushim__node *op = NULL;

    pthread_mutex_lock(&lock);
    if (gate->state == CLOSED && !gate->is_looked_at) {
        gate->is_looked_at = true;
        op = gate->op;
    }
    pthread_mutex_unlock(&lock);
    return op;
}

void cushim__gate_leave_alone(struct cushim__gate *gate)
{
    pthread_mutex_lock(&lock);
    gate->is_looked_at = false;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&lock);
}
