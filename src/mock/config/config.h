/* SPDX-License-Identifier: MIT */
/*
 * The configuration of the mock, from a program in C, a file, or the environment. The first
 * cuInit() that succeeds fixes it. It has its own lock, and is read without a lock after that.
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
#define MOCK__NEWEST_DRIVER 13050

/*
 * Several times the size of the largest real module. A small compressed file can contain a much
 * larger text.
 */
#define MOCK__IMAGE_LIMIT ((uint64_t) 512 << 20)

struct mock__config {
    int n_devices;
    struct mock__profile devices[MOCK__MAX_DEVICES];
    uint16_t peers[MOCK__MAX_DEVICES]; /* bit j of peers[i] is set if device i can use j's memory */
    int driver_version;                /* in the form of cuDriverGetVersion() */
    int n_dropped;                     /* devices that this driver is too new for */
    struct mock__profile dropped;      /* the first of them */
    uint64_t seed;
    uint64_t image_limit; /* the maximum size of a file of code, and of a text from it */
    bool watch_host;      /* check the host's accesses to memory of unfinished work */
};

/* Instead of a number of devices: with what is in the variables, there is no list of devices. */
#define MOCK__VISIBLE_WRONG (-1)

/*
 * Reads the configuration and fixes it. *ret_visible gets the indices of the devices that
 * CUDA_VISIBLE_DEVICES leaves, in the order that the program sees.
 *
 * On failure, a sentence is appended to error. Called under the process-wide lock.
 */
bool mock__config_fix(const struct mock__config **ret_config, int ret_visible[MOCK__MAX_DEVICES],
                      int *ret_n_visible, struct cushim__str *error);

/* Tells whether a can use b's memory. Both must be devices of the fixed configuration. */
bool mock__config_peers(const struct mock__profile *a, const struct mock__profile *b);

/* These two also work before cuInit(), and then return what it would set. */
int mock__driver_version(void);

/* Returns the maximum size of a file of code, or of a text. Only after cuInit(). */
size_t mock__image_limit(void);

/* Returns the seed for choices that CUDA leaves open, or 0 if there is none. */
uint64_t mock__seed(void);

#endif
