/* SPDX-License-Identifier: MIT */
/* Variables of the environment that are no settings of devices. Takes no lock. */
#ifndef CUSHIM_MOCK_CONFIG_ENVIRONMENT_H
#define CUSHIM_MOCK_CONFIG_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

struct cushim__str;

/* Has each of them a value that it can have? If not, a sentence says which one has not. */
bool mock__environment_check(struct cushim__str *error);

/* The number that a variable has; another one where it is unset. */
uint64_t mock__environment_number(const char *variable, uint64_t otherwise);

#endif
