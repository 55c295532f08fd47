/* SPDX-License-Identifier: MIT */
/* Checks whether a rule makes sense. */
#include <string.h>

#include "base/status.h"
#include "interpose/fault.h"
#include "interpose/fault_rows.h"

enum {
    LAUNCH_FAILED = 719, /* CUDA_ERROR_LAUNCH_FAILED */
    MAX_RESULT = 9999,   /* the largest result of a driver, see cushim/status.h */
};

/* Eleven days. A longer delay is a mistake, and sums of delays must not overflow. */
#define MAX_DELAY_NS UINT64_C(1000000000000000)

/* Keeps only the functions with a flag. Returns false if there are none. */
static bool keep(struct cushim__fault_set *set, uint8_t flag)
{
    const uint8_t *kinds = cushim__fault_kinds();
    bool left = false;

    for (size_t i = 0; i < CUSHIM__FAULT_PLACES; i++) {
        set->has[i] &= !!(kinds[i] & flag);
        left |= set->has[i];
    }
    return left;
}

static bool has_kind(const struct cushim__fault_set *set, uint8_t flag)
{
    const uint8_t *kinds = cushim__fault_kinds();

    for (size_t i = 0; i < CUSHIM__FAULT_PLACES; i++)
        if (set->has[i] && kinds[i] & flag)
            return true;
    return false;
}

static const char *bad_sticky(const struct cushim_fault *fault, const struct cushim__fault_set *set)
{
    if (!fault->sticky)
        return NULL;
    if (set->compilers)
        return "a fault of NVRTC or nvJitLink cannot be sticky";
    if (!fault->result)
        return "a sticky fault needs a result";
    return fault->count ? "count and sticky exclude each other" : NULL;
}

/* Returns what is wrong with the rule, or NULL. */
static const char *bad(const struct cushim_fault *fault, const struct cushim__fault_set *set)
{
    if (fault->result < 0 || fault->result > MAX_RESULT)
        return "the result must be from 1 to 9999";
    if (!fault->result && !fault->delay_ns)
        return "neither result nor delay is said";
    if (fault->nth && fault->every)
        return "nth and every exclude each other";
    /* The comparison is written in this way because it is false for NaN. */
    if (!(fault->probability >= 0 && fault->probability <= 1))
        return "the probability must be above 0 and at most 1";
    if (fault->delay_ns > MAX_DELAY_NS)
        return "the delay is longer than eleven days";
    if (fault->result && has_kind(set, CUSHIM__FAULT_STRING))
        return "the function returns a text: it has no result";
    return bad_sticky(fault, set);
}

cushim_status cushim__fault_check(const char *function, struct cushim_fault *fault,
                                  struct cushim__fault_set *set, const char *call,
                                  const char *where)
{
    const char *what;

    if (!cushim__fault_find(function, set))
        return cushim__fail_at(CUSHIM_ERROR_UNKNOWN_SYMBOL, call, NULL,
                               "%s: no function '%s' is known", where, function);
    if (!strcmp(function, CUSHIM__DEVICE_LOST)) {
        fault->sticky = true;
        fault->result = fault->result ? fault->result : LAUNCH_FAILED;
    }
    what = bad(fault, set);
    if (!what && fault->above_bytes && !keep(set, CUSHIM__FAULT_ALLOCATE))
        what = "above is for functions that allocate memory";
    if (!what)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL, "%s: '%s': %s", where,
                           function, what);
}
