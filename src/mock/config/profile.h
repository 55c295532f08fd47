/* SPDX-License-Identifier: MIT */
/*
 * What models of device there are. A model is data only; a profile is one device of a model.
 * Profiles do not change after cuInit(), and are read without a lock.
 */
#ifndef CUSHIM_MOCK_CONFIG_PROFILE_H
#define CUSHIM_MOCK_CONFIG_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOCK__N_ATTRIBUTES 148
#define MOCK__ALL_KINDS    "h200, a100, t4 and rtx4090"

enum mock__model {
    MOCK__H200,
    MOCK__A100,
    MOCK__T4,
    MOCK__RTX4090,
    MOCK__N_MODELS,
};

/* How devices of one model reach each other's memory. Different models do not. */
enum mock__link {
    MOCK__NO_LINK,
    MOCK__PCIE,
    MOCK__NVLINK, /* with atomics */
};

struct mock__profile {
    enum mock__model model;
    unsigned place; /* among all configured devices, visible or not */
    char name[128]; /* what cuDeviceGetName() calls it */
    uint8_t uuid[16];
    uint64_t total_bytes;
    uint64_t context_bytes; /* what a context costs on its own */
    int priority_greatest;  /* the least is 0 */
    enum mock__link link;
    size_t limits[7]; /* the first values of CU_LIMIT_x; 0 and no support are the same here */
    int attributes[MOCK__N_ATTRIBUTES]; /* by CUdevice_attribute; place 0 is not used */
};

/* A device of the model that CUSHIM_MOCK_DEVICES calls key; false if there is no such model. */
bool mock__profile_make(const char *key, size_t length, unsigned place,
                        struct mock__profile *ret_profile);

#define MOCK__UUID_TEXT 41 /* "GPU-", 32 digits, 4 dashes and the end */

/* As nvidia-smi and CUDA_VISIBLE_DEVICES spell it. */
void mock__profile_uuid_text(const struct mock__profile *profile, char text[MOCK__UUID_TEXT]);

/* The table of attributes. Numbers are those of CUdevice_attribute, from 1 on. */
int mock__attribute_value(int number, enum mock__model model);

/* The first driver version that answers, 0 for all that the mock can be. */
int mock__attribute_since(int number);

/* The number of "multiprocessor_count" and the like, 0 if there is none. */
int mock__attribute_find(const char *name);

/*
 * What an attribute may be set to: what the mock can live with, which is more than any device has.
 * What it is divided by is never 0, and no product of sizes is more than a number can hold.
 */
struct mock__attribute_range {
    int least, most;
    bool power_of_two;
};

struct mock__attribute_range mock__attribute_range(int number);

#endif
