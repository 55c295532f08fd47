/* SPDX-License-Identifier: MIT */
/*
 * Drivers, an NVRTC and an nvJitLink made of functions of the tests, for
 * cushim_open_params.resolver. They do next to nothing, and say what they were asked.
 */
#ifndef CUSHIM_TESTS_INTERPOSE_FAKE_H
#define CUSHIM_TESTS_INTERPOSE_FAKE_H

#include <stdint.h>

#include <cushim/driver.h>
#include <cushim/rows.h>

/*
 * How many drivers there are. They differ in what cuDeviceGetCount() says: the n-th
 * has FAKE_COUNT(n) devices.
 */
enum { FAKE_DRIVERS = 6, FAKE_VERSION = 12080 };
#define FAKE_COUNT(n) (100 + (n))

/* What nvJitLinkComplete() answers: NVJITLINK_ERROR_FINALIZE. */
enum { FAKE_LINK_RESULT = 9 };

/* What the last call of each had for arguments, in this thread. */
struct fake_seen {
    unsigned init_flags;
    size_t alloc_size;
    uint64_t free_pointer;
    unsigned grid[3], block[3], shared;
    void *function, *stream, **params, **extra;
    struct {
        int type, id;
    } location;
    uint64_t ipc[8];
    float bias;
    uint16_t half;
    uint8_t byte;
    unsigned calls; /* of any of them */
};
struct fake_seen *fake_seen(void);

/* Opens the n-th driver, the NVRTC, or the nvJitLink. Aborts if that fails. */
cushim_driver fake_open(unsigned n);
cushim_nvrtc fake_nvrtc_open(void);
cushim_nvjitlink fake_nvjitlink_open(void);

/* What cushim_open_params needs. */
void *fake_resolve(const char *symbol, void *number);

/* Tables as they are called without CUDA's headers. */
typedef const cushim_entry *fake_table;

static inline fake_table fake_functions(cushim_driver driver)
{
    return cushim_driver_functions(driver, CUSHIM_CUDA_ROWS);
}

static inline int fake_init(fake_table t, unsigned flags)
{
    return ((int (*)(unsigned)) t[CUSHIM_ROW_cuInit])(flags);
}

/* The number of devices, or minus the result. */
static inline int fake_count(fake_table t)
{
    int count = -1;
    const int result = ((int (*)(int *)) t[CUSHIM_ROW_cuDeviceGetCount])(&count);

    return result ? -result : count;
}

static inline int fake_alloc(fake_table t, uint64_t *ret_pointer, size_t size)
{
    return ((int (*)(uint64_t *, size_t)) t[CUSHIM_ROW_cuMemAlloc_v2])(ret_pointer, size);
}

static inline int fake_free(fake_table t, uint64_t pointer)
{
    return ((int (*)(uint64_t)) t[CUSHIM_ROW_cuMemFree_v2])(pointer);
}

static inline int fake_synchronize(fake_table t)
{
    return ((int (*)(void)) t[CUSHIM_ROW_cuCtxSynchronize])();
}

#endif
