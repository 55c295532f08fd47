/* SPDX-License-Identifier: MIT */
/* What devices.txt says, as tables that tools/gen_devices.py generates. */
#ifndef CUSHIM_MOCK_CONFIG_PROFILE_TABLES_H
#define CUSHIM_MOCK_CONFIG_PROFILE_TABLES_H

#include "mock/config/profile.h"

struct mock__model {
    const char *key, *name;
    uint64_t total_bytes, context_bytes;
    enum mock__link link;
    int last_driver;                    /* later drivers have no such devices */
    int attributes[MOCK__N_ATTRIBUTES]; /* by CUdevice_attribute; index 0 is not used */
};

extern const struct mock__model mock__models[];
extern const int mock__n_models;

/* Name, and the first version of the driver that has it, if that is after 11.0. */
struct mock__attribute_row {
    const char *name;
    int since;
};

extern const struct mock__attribute_row mock__attribute_rows[MOCK__N_ATTRIBUTES];

/* The words of all models, for a message. */
extern const char mock__all_kinds[];

#endif
