/* SPDX-License-Identifier: MIT */
#ifndef CUSHIM_BASE_ENV_H
#define CUSHIM_BASE_ENV_H

/*
 * A variable of the environment, NULL if it is unset or empty. A set-user-ID
 * program has none: whoever starts it must not choose what it loads.
 */
const char *cushim__env(const char *name);

#endif
