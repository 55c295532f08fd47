/* SPDX-License-Identifier: MIT */
#include <cushim/log.h>

#include "base/log.h"

void cushim_log_set(enum cushim_log_level level, cushim_log_fn fn, void *user)
{
    cushim__log_set(level, fn, user);
}
