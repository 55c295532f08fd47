/* SPDX-License-Identifier: MIT */
#include "mock/module/jit_options.h"

#include "base/util.h"
#include "mock/base/state.h"
#include "mock/config/config.h"

/*
 * The numbers are written here, because a caller's toolkit may know more options than the one of
 * this build.
 */
enum {
    INFO_LOG = 3,
    INFO_LOG_SIZE = 4,
    ERROR_LOG = 5,
    ERROR_LOG_SIZE = 6,
    FALLBACK = 10,
    CACHE_MODE = 14,
    SYMBOL_NAMES = 17,
    SYMBOL_ADDRESSES = 18,
    SYMBOL_COUNT = 19,
    KERNEL_NAMES = 25,
    KERNEL_COUNT = 26,
    VARIABLE_NAMES = 27,
    VARIABLE_COUNT = 28,
    LOADER_THREADS = 35,
    N_OPTIONS = 36,
    LAST_CACHE_MODE = 2,
};

#define BIT(number) (1ull << (number))
#define ALL         (BIT(N_OPTIONS) - 1)

/*
 * A link does not choose between images. Its inputs take limits, optimization, debug information,
 * and what newer drivers have for one compilation (from 30 on).
 */
static const uint64_t taken[] = {
    [MOCK__JIT_LOAD] = ALL,
    [MOCK__JIT_LINK] = ALL & ~BIT(FALLBACK),
    [MOCK__JIT_OLD_LINK] = ALL,
    [MOCK__JIT_INPUT] = BIT(0) | BIT(1) | BIT(7) | BIT(11) | BIT(12) | BIT(13) | BIT(15) | BIT(16) |
                        (ALL & ~(BIT(30) - 1)),
};

/* An option, and the one that it cannot be without. */
static const struct {
    unsigned option, needed;
    bool in_loads; /* not in links alone */
} needs[] = {
    {INFO_LOG, INFO_LOG_SIZE, true},         {INFO_LOG_SIZE, INFO_LOG, true},
    {ERROR_LOG, ERROR_LOG_SIZE, true},       {ERROR_LOG_SIZE, ERROR_LOG, true},
    {SYMBOL_NAMES, SYMBOL_COUNT, true},      {SYMBOL_ADDRESSES, SYMBOL_NAMES, true},
    {SYMBOL_COUNT, SYMBOL_ADDRESSES, true},  {KERNEL_COUNT, KERNEL_NAMES, false},
    {VARIABLE_COUNT, VARIABLE_NAMES, false},
};

static bool lacks(enum mock__jit_use use, uint64_t given)
{
    for (size_t i = 0; i < ARRAY_SIZE(needs); i++) {
        if (given & BIT(needs[i].option) && !(given & BIT(needs[i].needed)) &&
            (needs[i].in_loads || use != MOCK__JIT_LOAD))
            return true;
    }
    return false;
}

static bool is_taken(enum mock__jit_use use, unsigned option, const void *value)
{
    if (option >= N_OPTIONS || !(taken[use] & BIT(option)))
        return false;
    if (option == LOADER_THREADS)
        return mock__driver_version() > 13000;
    return option != CACHE_MODE || (unsigned) (uintptr_t) value <= LAST_CACHE_MODE;
}

/* A log has a buffer, unless it has no bytes. */
static bool logs_valid(unsigned n, const CUjit_option *options, void *const *values)
{
    const void *buffers[N_OPTIONS] = {NULL};

    for (unsigned i = 0; i < n; i++)
        buffers[options[i]] = values[i];
    return (buffers[INFO_LOG] || !buffers[INFO_LOG_SIZE]) &&
           (buffers[ERROR_LOG] || !buffers[ERROR_LOG_SIZE]);
}

CUresult mock__jit_options_check(enum mock__jit_use use, unsigned n, const CUjit_option *options,
                                 void *const *values)
{
    uint64_t given = 0;

    MOCK__REQUIRE(!n || (options && values), CUDA_ERROR_INVALID_VALUE);
    for (unsigned i = 0; i < n; i++) {
        MOCK__REQUIRE(is_taken(use, (unsigned) options[i], values[i]), CUDA_ERROR_INVALID_VALUE);
        given |= BIT((unsigned) options[i]);
    }
    MOCK__REQUIRE(logs_valid(n, options, values), CUDA_ERROR_INVALID_VALUE);
    return lacks(use, given) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
