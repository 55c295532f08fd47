/* SPDX-License-Identifier: MIT */
#include "base/env.h"

#include <stdlib.h>

const char *cushim__env(const char *name)
{
    const char *value = secure_getenv(name);

    return value && *value ? value : NULL;
}
