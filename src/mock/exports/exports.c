/* SPDX-License-Identifier: MIT */
/*
 * The exported functions of the mock. They jump through mock__forward, which leads directly to the
 * implementations, or through hooks that the environment asks for. So a program that does not know
 * cushim can be traced, and can get faults:
 *
 *     CUSHIM_MOCK_TRACE=calls.json LD_LIBRARY_PATH=.../cushim ./program
 *     CUSHIM_MOCK_FAULTS='cuMemAlloc nth=2 result=out_of_memory' LD_LIBRARY_PATH=...
 *
 * A test in C asks for faults with cushim_mock_fail(), whose first call adds the hooks.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cushim/mock.h>

#include "base/env.h"
#include "base/fork.h"
#include "base/forward.h"
#include "base/params.h"
#include "base/status.h"
#include "interpose/fault.h"
#include "interpose/fault_rows.h"
#include "interpose/interpose.h"
#include "interpose/trace.h"
#include "mock/config/symbols.h"
#include "mock/exports/logs.h"

enum { INVALID_VALUE = 1 }; /* CUDA_ERROR_INVALID_VALUE */

extern CUSHIM__HIDDEN cushim__forward mock__forward;
cushim__forward mock__forward = mock__functions;

/*
 * These are made when the library is loaded, and never freed, because calls may come until the
 * process ends.
 */
static struct cushim__trace *trace;
static const char *file;
static int process;
static struct cushim__faults *faults;

/*
 * A hook for the case that the requested faults cannot be made: cuInit() fails, because the program
 * must not run without them.
 */
static bool refuse(struct cushim_call *call, void *user)
{
    (void) user;
    call->result = INVALID_VALUE;
    return call->row == CUSHIM_ROW_cuInit;
}

static void write_at_exit(void)
{
    /*
     * A child of fork() has a copy of its parent's calls, and must not write them to the parent's
     * file.
     */
    if ((int) getpid() == process && cushim__trace_write(trace, file, "CUSHIM_MOCK_TRACE"))
        fprintf(stderr, "cushim mock: CUSHIM_MOCK_TRACE: %s\n", cushim__error()->text);
}

static struct cushim_hooks trace_hooks(const char *path)
{
    file = path;
    trace = cushim__trace_new(NULL);
    process = (int) getpid();
    if (!trace)
        return (struct cushim_hooks){0};
    atexit(write_at_exit);
    return cushim__trace_hooks(trace);
}

static struct cushim_hooks fault_hooks(const char *rules)
{
    faults = cushim__faults_new(NULL);
    if (faults && !cushim__faults_read_variable(faults, "CUSHIM_MOCK_FAULTS", rules))
        return cushim__faults_hooks(faults);
    fprintf(stderr, "cushim mock: %s\n",
            faults ? cushim__error()->text : "CUSHIM_MOCK_FAULTS: no memory for faults");
    return (struct cushim_hooks){.before = refuse};
}

/* --- faults from cushim_mock_fail() --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool hooked; /* under the lock */

static atomic_uint inside; /* calls that may be using a set */
static unsigned lost;      /* those that other threads of the parent were inside of at a fork */

static void open_in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    lost = atomic_load(&inside);
}

__attribute__((constructor)) static void at_fork(void)
{
    pthread_atfork(NULL, NULL, open_in_child);
}

/*
 * Rules are never removed from a set. The whole set is removed, and freed when no call can use it
 * any more.
 */
struct set {
    struct cushim__faults *faults;
    struct set *next; /* among the sets that were removed */
};

static _Atomic(struct set *) asked;
static struct set *retired;

static bool asked_before(struct cushim_call *call, void *user)
{
    const struct set *set;
    bool answered;

    (void) user;
    atomic_fetch_add(&inside, 1);
    set = atomic_load(&asked);
    answered = set && cushim__faults_before(set->faults, call);
    atomic_fetch_sub(&inside, 1);
    return answered;
}

static void asked_after(struct cushim_call *call, void *user)
{
    const struct set *set;

    (void) user;
    atomic_fetch_add(&inside, 1);
    set = atomic_load(&asked);
    if (set)
        cushim__faults_after(set->faults, call);
    atomic_fetch_sub(&inside, 1);
}

/* Puts hooks around all that are there. */
static cushim_status put_around(const struct cushim_hooks *hooks, size_t n)
{
    cushim__entry *const *table;
    int slot;
    const cushim_status status = cushim__interpose(
        &(struct cushim__interposition){CUSHIM_LIBRARY_CUDA, mock__forward, hooks, n},
        "cushim mock", &slot, &table);

    if (status == CUSHIM_OK)
        CUSHIM__PUBLISH(mock__forward, table);
    return status;
}

/* The trace comes first, so that it sees what the program sees, including faults. */
static cushim_status put_hooks(const char *path, const char *rules)
{
    struct cushim_hooks hooks[3];
    cushim_status status;
    size_t n = 0;

    if (path)
        hooks[n++] = trace_hooks(path);
    if (rules)
        hooks[n++] = fault_hooks(rules);
    hooks[n++] = (struct cushim_hooks){.before = asked_before, .after = asked_after};
    status = put_around(hooks, n);
    hooked = status == CUSHIM_OK;
    return status;
}

void mock__hook_calls(const struct cushim_hooks *wanted)
{
    pthread_mutex_lock(&lock);
    if (put_around(wanted, 1))
        fprintf(stderr, "cushim mock: %s\n", cushim__error()->text);
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void put_hooks_of_environment(void)
{
    const char *path = cushim__env("CUSHIM_MOCK_TRACE"), *rules = cushim__env("CUSHIM_MOCK_FAULTS");

    if ((path || rules) && put_hooks(path, rules))
        fprintf(stderr, "cushim mock: %s\n", cushim__error()->text);
}

static struct set *new_set(void)
{
    struct set *set = calloc(1, sizeof(*set));

    if (set && !(set->faults = cushim__faults_new(NULL))) {
        free(set);
        return NULL;
    }
    return set;
}

static cushim_status add_rule(const struct cushim__fault_rule *rule)
{
    struct set *set = atomic_load(&asked);

    if (!hooked)
        CUSHIM_TRY(put_hooks(NULL, NULL));
    if (!set)
        set = new_set();
    if (!set)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, "cushim_mock_fail", NULL,
                               "no memory for faults");
    atomic_store(&asked, set);
    return cushim__faults_add(set->faults, rule, 1, NULL, "cushim_mock_fail");
}

cushim_status cushim_mock_fail(const char *function, const struct cushim_fault *fault)
{
    struct cushim__fault_set places;
    struct cushim__fault_rule rule = {.set = &places};
    cushim_status status;

    if (!function || !fault)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_mock_fail: %s is NULL",
                            function ? "fault" : "function");
    CUSHIM_TRY(PARAMS_READ(cushim_fault, count, fault, &rule.fault));
    CUSHIM_TRY(cushim__fault_check(function, &rule.fault, &places, __func__, __func__));
    if (places.compilers)
        return cushim__fail(
            CUSHIM_ERROR_INVALID_ARGUMENT,
            "cushim_mock_fail: '%s': the mock has no NVRTC and no nvJitLink, so the rule "
            "could never have its effect",
            function);
    pthread_mutex_lock(&lock);
    status = add_rule(&rule);
    pthread_mutex_unlock(&lock);
    return status;
}

static void free_retired(void)
{
    struct set *set;

    while ((set = retired)) {
        retired = set->next;
        cushim__faults_free(set->faults);
        free(set);
    }
}

/*
 * Calls that come later find no set. Calls that came before are counted in `inside`, so the set is
 * freed after them.
 */
void cushim_mock_faults_clear(void)
{
    struct set *set;

    pthread_mutex_lock(&lock);
    set = atomic_exchange(&asked, NULL);
    if (set) {
        set->next = retired;
        retired = set;
    }
    if (atomic_load(&inside) == lost)
        free_retired();
    pthread_mutex_unlock(&lock);
}
