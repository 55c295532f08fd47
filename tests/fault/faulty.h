/* SPDX-License-Identifier: MIT */
/*
 * A driver made of functions of the tests, and the same with faults in front. The functions are
 * those of tests/interpose/fake.h and some more; all of them count in fake_seen()->calls.
 */
#ifndef CUSHIM_TESTS_FAULT_FAULTY_H
#define CUSHIM_TESTS_FAULT_FAULTY_H

#include <cushim/fault.h>

#include "fake.h"

struct faulty {
    cushim_driver below, driver;
    cushim_faults faults;
    fake_table table;
};

/* Opens the driver with faults that have no rules yet. Aborts if that fails. */
void faulty_open(struct faulty *f, uint64_t seed);
void faulty_close(struct faulty *f);

/* The driver without faults. */
cushim_driver faulty_below(void);

/* Calls a function of a table: CALL(table, cuMemFree_v2, (uint64_t), pointer). */
#define CALL(table, name, types, ...) (((int(*) types)(table)[CUSHIM_ROW_##name])(__VA_ARGS__))

/* What the tests call most. All return the result. */

static inline int call_alloc(fake_table t, size_t bytes)
{
    uint64_t pointer = 0;

    return fake_alloc(t, &pointer, bytes);
}

static inline int call_count(fake_table t)
{
    const int count = fake_count(t);

    return count > 0 ? 0 : -count;
}

static inline int call_launch(fake_table t)
{
    typedef int launch(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       void *, void **, void **);

    return ((launch *) t[CUSHIM_ROW_cuLaunchKernel])(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
}

static inline int call_upload(fake_table t)
{
    return CALL(t, cuMemcpyHtoD_v2, (uint64_t, const void *, size_t), 0x1000, "", 1);
}

static inline int call_download(fake_table t)
{
    return CALL(t, cuMemcpyDtoH_v2, (void *, uint64_t, size_t), NULL, 0x1000, 1);
}

#endif
