/* SPDX-License-Identifier: MIT */
/*
 * What the mock was asked to be, by a program in C, by a file, or by the environment. A
 * configuration is fixed by the first cuInit() that succeeds. It has a lock of its own, and is read
 * without one after that.
 */
#ifndef CUSHIM_MOCK_CONFIG_CONFIG_H
#define CUSHIM_MOCK_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include <cushim/mock.h>

#include "base/str.h"
#include "mock/config/profile.h"

#define MOCK__MAX_DEVICES   16
#define MOCK__OLDEST_DRIVER 10000
#define MOCK__NEWEST_DRIVER 13000

/* Several times the largest module there is. Much more can be made of few bytes. */
#define MOCK__IMAGE_LIMIT ((uint64_t) 512 << 20)

struct mock__config {
    int n_devices;
    struct mock__profile devices[MOCK__MAX_DEVICES];
    uint16_t peers[MOCK__MAX_DEVICES]; /* bit j of peers[i]: device i can use j's memory */
    int driver_version;                /* as cuDriverGetVersion() answers it */
    uint64_t seed;
    uint64_t image_limit; /* the most bytes of a file of code, or of a text that comes of one */
    bool watch_host;      /* the accesses of the host to memory that copies use */
};

/*
 * Reads the configuration and fixes it. *ret_visible gets, in the order that the program
 * sees, the places of the devices that CUDA_VISIBLE_DEVICES leaves.
 *
 * On failure, the sentence is appended to error. Called under the process-wide lock.
 */
bool mock__config_fix(const struct mock__config **ret_config, int ret_visible[MOCK__MAX_DEVICES],
                      int *ret_n_visible, struct cushim__str *error);

/* Can a use b's memory? Both are devices of the fixed configuration. */
bool mock__config_peers(const struct mock__profile *a, const struct mock__profile *b);

/* These two answer before cuInit() as well, with what it would find. */
int mock__driver_version(void);

/* After cuInit(): the most bytes that a file of code, or a text, may have. */
size_t mock__image_limit(void);

/* What choices that CUDA leaves open are drawn from; 0 when nothing says. */
uint64_t mock__seed(void);

#endif
