/* SPDX-License-Identifier: MIT */
/*
 * What the tests of the safe layer share: a driver, and a log of what is asked of it. It is the
 * mock, with two devices, unless CUSHIM_TEST_LIBRARY names another (support/driver.h).
 */
#ifndef CUSHIM_TESTS_SAFE_SUPPORT_H
#define CUSHIM_TESTS_SAFE_SUPPORT_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

#include "../support/driver.h"
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

/* The mock is configured once in a process. */
static inline void configure_mock_once(const char *settings)
{
    static char before[512];
    char now[sizeof(before)];

    snprintf(now, sizeof(now), "configured: %s", settings ? settings : "");
    if (strcmp(now, before) == 0)
        return;
    run_in_new_process();
    cr_assert(
        eq(int,
           cushim_mock_configure(cushim_mock_config(.devices = "h200,h200", .settings = settings)),
           CUSHIM_OK));
    memcpy(before, now, sizeof(before));
}

static inline void configure_mock(const char *settings)
{
    if (on_the_mock())
        configure_mock_once(settings);
    else if (settings)
        cr_skip("only on the mock: it sets %s", settings);
}

/*
 * With settings of the mock's, such as "device.*.memory_pools_supported = 0". The mock's checks
 * turn off what a context keeps of freed memory, so on other drivers the context keeps none, and
 * the same calls are made.
 */
static inline void open_world_with(struct world *w, const char *settings)
{
    struct cushim_hooks hooks[2];

    *w = (struct world){0};
    configure_mock(settings);
    assert_ok(cushim_open(cushim_open_params(.library = test_library()), &w->below));
    assert_ok(cushim_trace_create(NULL, &w->trace));
    assert_ok(cushim_faults_create(NULL, &w->faults));
    hooks[0] = cushim_trace_hooks(w->trace);
    hooks[1] = cushim_faults_hooks(w->faults);
    assert_ok(cushim_interpose(w->below, hooks, 2, &w->driver));
    assert_ok(cushim_context_primary(w->driver, 0, &w->context));
    if (!on_the_mock())
        assert_ok(cushim_memory_set_limit(w->context, 0));
}

static inline void open_world(struct world *w)
{
    open_world_with(w, NULL);
}

/* The mock has two devices, another driver has what the machine has. */
static inline int count_devices(const struct world *w)
{
    int n = 0;

    assert_ok(cushim_device_count(w->below, &n));
    return n;
}

/* Device 1, or the only one. */
static inline int other_device(const struct world *w)
{
    return count_devices(w) > 1;
}

/* The primary context of device 1, or a second context of the only device. */
static inline void open_other_context(const struct world *w, cushim_context *ret_context)
{
    if (other_device(w))
        assert_ok(cushim_context_primary(w->driver, 1, ret_context));
    else
        assert_ok(cushim_context_create(w->driver, 0, 0, ret_context));
}

#define NEEDS_TWO_DEVICES(w)                                                                       \
    do {                                                                                           \
        if (count_devices(w) < 2)                                                                  \
            cr_skip("there is one device, and it needs two");                                      \
    } while (0)

/* 10 times the major number of device 0's compute capability, and the minor one. */
static inline int compute_capability(const struct world *w)
{
    int major = 0, minor = 0;

    assert_ok(cushim_device_compute_capability(w->below, 0, &major, &minor));
    return 10 * major + minor;
}

static inline void inject(struct world *w, const char *rules)
{
    assert_ok(cushim_faults_read(w->faults, rules));
}

/* The mock found nothing wrong, and everything was given back. */
static inline void expect_no_findings(void)
{
    const struct cushim_mock_finding *findings = NULL;
    size_t n;

    cushim_mock_leaks();
    n = cushim_mock_findings(&findings);
    cr_expect(eq(sz, n, 0), "the first is: %s", n ? findings[0].text : "");
}

static inline void close_world(struct world *w)
{
    cushim_context_free(&w->context);
    cushim_close(&w->driver);
    cushim_close(&w->below);
    cushim_trace_free(&w->trace);
    cushim_faults_free(&w->faults);
    if (on_the_mock())
        expect_no_findings();
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
