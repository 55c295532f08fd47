/* SPDX-License-Identifier: MIT */
/*
 * The models of devices. A model is only data, in devices.txt; a profile is one device of a model.
 * Profiles do not change after cuInit(), and are read without a lock. profile_attributes.c knows
 * the attributes of devices.
 */
#ifndef CUSHIM_MOCK_CONFIG_PROFILE_H
#define CUSHIM_MOCK_CONFIG_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOCK__N_ATTRIBUTES 148

/* How devices of one model reach each other's memory. Different models do not. */
enum mock__link {
    MOCK__NO_LINK,
    MOCK__PCIE,
    MOCK__NVLINK, /* with atomics */
};

struct mock__profile {
    int model;      /* its place in devices.txt */
    unsigned place; /* index among all configured devices, visible or not */
    char name[128]; /* the result of cuDeviceGetName() */
    uint8_t uuid[16];
    uint64_t total_bytes;
    uint64_t context_bytes; /* the memory that a context takes */
    bool of_the_host;       /* it has no more memory than the host can give */
    bool share_of_host;     /* how much is a share of what the host has: config_apply.c */
    int priority_greatest;  /* the least is 0 */
    enum mock__link link;
    int last_driver;  /* later drivers do not have the device */
    size_t limits[7]; /* the initial values of CU_LIMIT_x; 0 also stands for a limit that is not
                         supported */
    int attributes[MOCK__N_ATTRIBUTES]; /* by CUdevice_attribute; index 0 is not used */
};

/*
 * Makes a device of the model with this name in CUSHIM_MOCK_DEVICES. False if there is no such
 * model.
 */
bool mock__profile_make(const char *key, size_t length, unsigned place,
                        struct mock__profile *ret_profile);

#define MOCK__UUID_TEXT 41 /* "GPU-", 32 digits, 4 dashes and the end */

/* Writes the UUID in the form of nvidia-smi and CUDA_VISIBLE_DEVICES. */
void mock__profile_uuid_text(const struct mock__profile *profile, char text[MOCK__UUID_TEXT]);

/*
 * Returns the first driver version that has the attribute, or 0 if all versions of the mock have
 * it.
 */
int mock__attribute_since(int number);

/* Returns the number of an attribute such as "multiprocessor_count", or 0 if there is none. */
int mock__attribute_find(const char *name);

/*
 * The values that a setting may give an attribute. The mock works with all of them, and they
 * include those of all devices. An attribute that is a divisor cannot be 0, and no product of sizes
 * overflows.
 */
struct mock__attribute_range {
    int least, most;
    bool power_of_two;
};

struct mock__attribute_range mock__attribute_range(int number);

#endif
