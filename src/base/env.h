/* SPDX-License-Identifier: MIT */
/* Variables of the environment. */
#ifndef CUSHIM_BASE_ENV_H
#define CUSHIM_BASE_ENV_H

/*
 * Returns a variable of the environment, or NULL if it is unset or empty. In a set-user-ID program
 * the result is always NULL, because the user who starts such a program must not choose what it
 * loads.
 */
const char *cushim__env(const char *name);

#endif
