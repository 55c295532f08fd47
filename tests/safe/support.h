/* SPDX-License-Identifier: MIT */
/*
 * What the tests of the safe layer share: a driver, the mock, with two devices, and a log of
 * what is asked of it.
 */
#ifndef CUSHIM_TESTS_SAFE_SUPPORT_H
#define CUSHIM_TESTS_SAFE_SUPPORT_H

#include <stdbool.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

#include "../unit/support.h"

#define assert_text(part) assert_contains(cushim_error_text(), part)

/* A call that must be refused with a status and a sentence that has a part. */
#define assert_refused(expr, wanted, part)                                                         \
    do {                                                                                           \
        cushim_error_clear();                                                                      \
        assert_status(expr, wanted);                                                               \
        assert_text(part);                                                                         \
    } while (0)

struct world {
    cushim_driver below, driver;
    cushim_trace trace;
    cushim_faults faults;
    cushim_context context; /* the primary one of device 0 */
};

/* With settings of the mock's, such as "device.*.memory_pools_supported = 0". */
static inline void open_world_with(struct world *w, const char *settings)
{
    const struct cushim_mock_config *config =
        cushim_mock_config(.devices = "h200,h200", .settings = settings);
    struct cushim_hooks hooks[2];

    *w = (struct world){0};
    cr_assert(eq(int, cushim_mock_configure(config), CUSHIM_OK));
    assert_ok(cushim_open(cushim_open_params(.library = MOCK), &w->below));
    assert_ok(cushim_trace_create(NULL, &w->trace));
    assert_ok(cushim_faults_create(NULL, &w->faults));
    hooks[0] = cushim_trace_hooks(w->trace);
    hooks[1] = cushim_faults_hooks(w->faults);
    assert_ok(cushim_interpose(w->below, hooks, 2, &w->driver));
    assert_ok(cushim_context_primary(w->driver, 0, &w->context));
}

static inline void open_world(struct world *w)
{
    open_world_with(w, NULL);
}

static inline void inject(struct world *w, const char *rules)
{
    assert_ok(cushim_faults_read(w->faults, rules));
}

/* Everything was given back, and the mock found nothing wrong. */
static inline void close_world(struct world *w)
{
    const struct cushim_mock_finding *findings = NULL;
    size_t n;

    cushim_context_free(&w->context);
    cushim_close(&w->driver);
    cushim_close(&w->below);
    cushim_trace_free(&w->trace);
    cushim_faults_free(&w->faults);
    cushim_mock_leaks();
    n = cushim_mock_findings(&findings);
    cr_expect(eq(sz, n, 0), "the first is: %s", n ? findings[0].text : "");
}

static inline uint64_t count(const struct world *w, const char *name)
{
    uint64_t n = 0;

    assert_ok(cushim_trace_count(w->trace, name, &n));
    return n;
}

/* All calls but the question for the current context. */
static inline uint64_t count_all(const struct world *w)
{
    return count(w, NULL) - count(w, "cuCtxGetCurrent");
}

static inline void forget_calls(const struct world *w)
{
    assert_ok(cushim_trace_reset(w->trace));
}

/* Driver calls of the test itself, below the hooks. */
#define RAW(w, name, types, ...)                                                                   \
    ((int(*) types) cushim_driver_functions((w)->below, CUSHIM_CUDA_ROWS)[CUSHIM_ROW_##name])(     \
        __VA_ARGS__)

static inline void *current(const struct world *w)
{
    void *cu = NULL;

    cr_assert(eq(int, RAW(w, cuCtxGetCurrent, (void **), &cu), 0));
    return cu;
}

static inline void *raw_context(cushim_context context)
{
    void *cu = NULL;

    assert_ok(cushim_context_raw(context, &cu));
    return cu;
}

#endif
