/* SPDX-License-Identifier: MIT */
/*
 * Injecting faults. Rules are added but never removed, so calls read them without a lock. Each
 * function has a mask with one bit for each rule. A bit is set only after its rule is complete.
 */
#include "interpose/fault.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fork.h"
#include "base/status.h"
#include "base/util.h"
#include "interpose/fault_rows.h"

struct rule {
    struct cushim_fault fault;
    _Atomic uint64_t seen; /* calls that this rule has examined */
    _Atomic uint64_t hit;
};

struct function {
    _Atomic uint64_t rules; /* mask of the rules for this function */
    _Atomic uint64_t calls; /* calls of the function while it had rules */
    _Atomic uint64_t injected;
};

struct cushim__faults {
    const uint8_t *kinds;
    _Atomic uint64_t seed, launches;
    atomic_int lost; /* the result of a lost device, 0 if no device is lost */
    struct function functions[CUSHIM__FAULT_PLACES];

    /* Under the mutex. */
    size_t n_rules;
    struct rule rules[CUSHIM_FAULTS_MAX];
};

_Static_assert(CUSHIM_FAULTS_MAX <= 64, "one bit a rule");

/*
 * One mutex for all sets, so that a child can open it. A rule that another thread of the parent was
 * about to add has no bits yet, or is complete.
 */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

CUSHIM__OPEN_IN_CHILD(mutex);

struct cushim__faults *cushim__faults_new(const struct cushim_faults_params *params)
{
    struct cushim__faults *faults = calloc(1, sizeof(*faults));

    if (!faults)
        return NULL;
    faults->kinds = cushim__fault_kinds();
    atomic_store(&faults->seed, params ? params->seed : 0);
    return faults;
}

void cushim__faults_free(struct cushim__faults *faults)
{
    free(faults);
}

/*
 * Under the mutex. The release order makes the complete rule visible to a thread that sees its bit.
 */
static void add_rule(struct cushim__faults *faults, const struct cushim__fault_rule *from)
{
    const uint64_t bit = UINT64_C(1) << faults->n_rules;

    faults->rules[faults->n_rules++].fault = from->fault;
    for (size_t i = 0; i < CUSHIM__FAULT_PLACES; i++)
        if (from->set->has[i])
            atomic_fetch_or_explicit(&faults->functions[i].rules, bit, memory_order_release);
}

cushim_status cushim__faults_add(struct cushim__faults *faults,
                                 const struct cushim__fault_rule *rules, size_t n_rules,
                                 const uint64_t *seed, const char *call)
{
    bool fits;

    pthread_mutex_lock(&mutex);
    /* All rules of one call are added, or none. */
    fits = n_rules <= CUSHIM_FAULTS_MAX - faults->n_rules;
    for (size_t i = 0; fits && i < n_rules; i++)
        add_rule(faults, &rules[i]);
    if (fits && seed)
        atomic_store(&faults->seed, *seed);
    pthread_mutex_unlock(&mutex);
    if (fits)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_LIMIT, call, NULL, "%s: more than %d rules", call,
                           CUSHIM_FAULTS_MAX);
}

/* Mixes a number: if one of its bits changes, about half of the bits of the result change. */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/*
 * Draws whether a call is hit. The result depends on the number of the call only, so it does not
 * depend on the order in which threads make other calls.
 */
static bool draw(struct cushim__faults *faults, double probability, size_t rule, size_t place,
                 uint64_t call)
{
    const uint64_t bits = mix(mix(mix(atomic_load(&faults->seed)) + rule * 65536 + place) + call);

    return (double) (bits >> 11) * 0x1p-53 < probability;
}

/* One call while the rules examine it. */
struct look {
    struct cushim__faults *faults;
    const struct cushim_call *call;
    size_t place;
    uint64_t index;    /* the number of the call among the calls of its function */
    uint64_t launches; /* the number of launches before it */
};

static bool is_hit(const struct look *look, size_t number)
{
    struct rule *rule = &look->faults->rules[number];
    const struct cushim_fault *f = &rule->fault;
    uint64_t seen;

    /*
     * The order of the checks matters: the counters of a rule count only calls that its conditions
     * allow.
     */
    if (look->launches < f->after_launches)
        return false;
    if (f->above_bytes && cushim__fault_bytes(look->call) <= f->above_bytes)
        return false;
    seen = atomic_fetch_add_explicit(&rule->seen, 1, memory_order_relaxed) + 1;
    if ((f->nth && seen != f->nth) || (f->every && seen % f->every))
        return false;
    if (f->probability > 0 && !draw(look->faults, f->probability, number, look->place, look->index))
        return false;
    return !f->count || atomic_fetch_add_explicit(&rule->hit, 1, memory_order_relaxed) < f->count;
}

static void wait_ns(uint64_t ns)
{
    const uint64_t end = cushim__now_ns() + ns;
    const struct timespec until = {.tv_sec = (time_t) (end / 1000000000u),
                                   .tv_nsec = (long) (end % 1000000000u)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        continue;
}

/*
 * Examines the rules of a mask, and waits for their delays. Returns the result of the first rule
 * that hits and has one, or 0.
 */
static int ask(const struct look *look, uint64_t mask)
{
    uint64_t delay_ns = 0;
    bool hit = false;
    int result = 0;

    for (; mask && !result; mask &= mask - 1) {
        const size_t number = (size_t) __builtin_ctzll(mask);
        const struct cushim_fault *f = &look->faults->rules[number].fault;

        if (!is_hit(look, number))
            continue;
        hit = true;
        delay_ns += f->delay_ns;
        result = f->result;
        if (f->sticky)
            atomic_compare_exchange_strong(&look->faults->lost, &(int){0}, result);
    }
    if (hit)
        atomic_fetch_add_explicit(&look->faults->functions[look->place].injected, 1,
                                  memory_order_relaxed);
    if (delay_ns)
        wait_ns(delay_ns);
    return result;
}

/* Decides what happens to a call. Returns the result to inject, or 0. */
static int decide(struct cushim__faults *faults, const struct cushim_call *call, size_t place)
{
    struct function *function = &faults->functions[place];
    struct look look = {.faults = faults, .call = call, .place = place};
    const int lost = atomic_load_explicit(&faults->lost, memory_order_relaxed);
    uint64_t mask;

    /*
     * Launches are counted even while no rule exists, because a later rule may say "after n
     * launches".
     */
    if (faults->kinds[place] & CUSHIM__FAULT_LAUNCH)
        look.launches = atomic_fetch_add_explicit(&faults->launches, 1, memory_order_relaxed);
    if (lost && faults->kinds[place] & CUSHIM__FAULT_REFUSED) {
        atomic_fetch_add_explicit(&function->injected, 1, memory_order_relaxed);
        return lost;
    }
    /* Acquire order: the rule of each bit in the mask is complete. */
    mask = atomic_load_explicit(&function->rules, memory_order_acquire);
    if (!mask)
        return 0;
    if (!(faults->kinds[place] & CUSHIM__FAULT_LAUNCH))
        look.launches = atomic_load_explicit(&faults->launches, memory_order_relaxed);
    look.index = atomic_fetch_add_explicit(&function->calls, 1, memory_order_relaxed);
    return ask(&look, mask);
}

/*
 * A function that releases something, or waits, is called in any case, and only its result is
 * changed: otherwise a fault would leak memory or skip the wait. cushim__faults_after() does that.
 */
bool cushim__faults_before(struct cushim__faults *faults, struct cushim_call *call)
{
    const size_t place = cushim__fault_place(call);
    int result;

    if (faults->kinds[place] & CUSHIM__FAULT_MADE)
        return false;
    result = decide(faults, call, place);
    if (result)
        call->result = result;
    return result;
}

void cushim__faults_after(struct cushim__faults *faults, struct cushim_call *call)
{
    const size_t place = cushim__fault_place(call);
    int result;

    if (!(faults->kinds[place] & CUSHIM__FAULT_MADE))
        return;
    result = decide(faults, call, place);
    if (result)
        call->result = result;
}

static bool before(struct cushim_call *call, void *user)
{
    return cushim__faults_before(user, call);
}

static void after(struct cushim_call *call, void *user)
{
    cushim__faults_after(user, call);
}

struct cushim_hooks cushim__faults_hooks(struct cushim__faults *faults)
{
    return (struct cushim_hooks){before, after, faults};
}

uint64_t cushim__faults_injected(struct cushim__faults *faults, const struct cushim__fault_set *set)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < CUSHIM__FAULT_PLACES; i++)
        if (!set || set->has[i])
            sum += atomic_load_explicit(&faults->functions[i].injected, memory_order_relaxed);
    return sum;
}

void cushim__faults_reset(struct cushim__faults *faults)
{
    for (size_t i = 0; i < CUSHIM__FAULT_PLACES; i++) {
        atomic_store(&faults->functions[i].calls, 0);
        atomic_store(&faults->functions[i].injected, 0);
    }
    for (size_t i = 0; i < CUSHIM_FAULTS_MAX; i++) {
        atomic_store(&faults->rules[i].seen, 0);
        atomic_store(&faults->rules[i].hit, 0);
    }
    atomic_store(&faults->launches, 0);
    atomic_store(&faults->lost, 0);
}
