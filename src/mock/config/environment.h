/* SPDX-License-Identifier: MIT */
/* Variables of the environment that are not settings of devices. Takes no lock. */
#ifndef CUSHIM_MOCK_CONFIG_ENVIRONMENT_H
#define CUSHIM_MOCK_CONFIG_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

struct cushim__str;

/*
 * Checks that all of them have valid values. If not, error gets a sentence about the first wrong
 * one.
 */
bool mock__environment_check(struct cushim__str *error);

/* Returns the number in a variable, or otherwise if the variable is not set. */
uint64_t mock__environment_number(const char *variable, uint64_t otherwise);

#endif
