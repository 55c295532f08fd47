/* SPDX-License-Identifier: MIT */
#include "mock/config.h"

#include <stdlib.h>

#include "base/env.h"

uint64_t mock__seed(void)
{
    const char *text = cushim__env("CUSHIM_MOCK_SEED");

    return text ? strtoull(text, NULL, 0) : 0;
}
