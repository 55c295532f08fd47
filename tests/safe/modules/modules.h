/* SPDX-License-Identifier: MIT */
/* What the tests of modules, launches and compilation have in common. */
#ifndef CUSHIM_TESTS_MODULES_H
#define CUSHIM_TESTS_MODULES_H

#include <stdlib.h>

#ifdef MOCK
#include <stdio.h>
#include <string.h>

#include "../support.h"

/*
 * open_world(), with the mock's library of an older driver version, which lacks what came later. On
 * another driver the test is skipped.
 */
static inline void open_old_world(struct world *w, const char *version)
{
    char path[512];

    MOCK_ONLY("it opens a driver of an older version");
    run_alone();
    snprintf(path, sizeof(path), "%.*s/%s/libcuda.so.1", (int) (strrchr(MOCK, '/') - MOCK), MOCK,
             version);
    *w = (struct world){0};
    assert_ok(cushim_open(cushim_open_params(.library = path), &w->driver));
    assert_ok(cushim_trace_create(NULL, &w->trace));
    assert_ok(cushim_faults_create(NULL, &w->faults));
    assert_ok(cushim_context_primary(w->driver, 0, &w->context));
}
#endif

static inline void no_nvrtc(void)
{
    run_alone();
    setenv("CUSHIM_LIBNVRTC", "none", 1);
}

#endif
