/* SPDX-License-Identifier: MIT */
/* Handlers by key, for the best instruction set of this processor. */
#include "mock/ptx/exec/handlers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "mock/ptx/machine/exec.h"

/* A section exists only if its files were compiled for this kind of processor. */
#define HIDDEN_WEAK __attribute__((weak, visibility("hidden")))
#define SECTION(name)                                                                              \
    extern const struct ptx__keyed __start_ptx_##name[] HIDDEN_WEAK;                               \
    extern const struct ptx__keyed __stop_ptx_##name[] HIDDEN_WEAK;

SECTION(base)
SECTION(avx2)
SECTION(avx512)

static struct ptx__keyed *sorted, *by_address;
static size_t n_sorted;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct ptx__keyed *) a)->key, ((const struct ptx__keyed *) b)->key);
}

static int compare_address(const void *a, const void *b)
{
    const uintptr_t of_a = (uintptr_t) ((const struct ptx__keyed *) a)->run;
    const uintptr_t of_b = (uintptr_t) ((const struct ptx__keyed *) b)->run;

    return of_a < of_b ? -1 : of_a > of_b;
}

#if defined(__x86_64__)
static bool has_avx2(void)
{
    return __start_ptx_avx2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
}

static bool has_avx512(void)
{
    return __start_ptx_avx512 && has_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq");
}
#else
static bool has_avx2(void)
{
    return false;
}

static bool has_avx512(void)
{
    return false;
}
#endif

/*
 * CUSHIM_MOCK_PTX_CPU=base or avx2 selects a smaller instruction set, so that tests can compare
 * them.
 */
static const struct ptx__keyed *choose(const struct ptx__keyed **ret_end)
{
    const char *most = cushim__env("CUSHIM_MOCK_PTX_CPU");
    const bool base = most && !strcmp(most, "base"), avx2 = most && !strcmp(most, "avx2");

    if (has_avx512() && !base && !avx2) {
        *ret_end = __stop_ptx_avx512;
        return __start_ptx_avx512;
    }
    if (has_avx2() && !base) {
        *ret_end = __stop_ptx_avx2;
        return __start_ptx_avx2;
    }
    *ret_end = __stop_ptx_base;
    return __start_ptx_base;
}

static void sort(void)
{
    const struct ptx__keyed *end, *begin = choose(&end);
    const size_t n = (size_t) (end - begin);

    sorted = malloc(2 * n * sizeof(*sorted));
    if (!sorted)
        return;
    by_address = sorted + n;
    memcpy(sorted, begin, n * sizeof(*sorted));
    memcpy(by_address, begin, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), compare);
    qsort(by_address, n, sizeof(*sorted), compare_address);
    n_sorted = n;
}

ptx__handler ptx__handler_find(const char *key)
{
    const struct ptx__keyed wanted = {.key = key}, *found;

    pthread_once(&once, sort);
    found = sorted ? bsearch(&wanted, sorted, n_sorted, sizeof(*sorted), compare) : NULL;
    return found ? found->run : NULL;
}

const struct ptx__keyed *ptx__handler_keyed(ptx__handler run)
{
    const struct ptx__keyed wanted = {.run = run};

    pthread_once(&once, sort);
    return sorted ? bsearch(&wanted, by_address, n_sorted, sizeof(*sorted), compare_address) : NULL;
}
