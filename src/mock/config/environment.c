/* SPDX-License-Identifier: MIT */
#include "mock/config/environment.h"

#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/str.h"
#include "base/util.h"
#include "mock/config/config_settings.h"
#include "mock/config/suppress.h"

/* A variable whose value is one of some words, or a number if it has no words. */
static const struct variable {
    const char *name, *wanted, *words[3];
    uint64_t most;
} variables[] = {
    {"CUSHIM_MOCK_CHECK", "neither 0 nor 1", {"0", "1"}, 0},
    {"CUSHIM_MOCK_PTX_COMPILE", "none of 0, 1 and always", {"0", "1", "always"}, 0},
    {"CUSHIM_MOCK_PTX_CPU", "none of base, avx2 and best", {"base", "avx2", "best"}, 0},
    {"CUSHIM_MOCK_PTX_STEPS", "no number of jumps", {NULL}, UINT64_MAX},
    {"CUSHIM_MOCK_PTX_WORKERS", "no number of threads up to 65535", {NULL}, 65535},
};

static bool is_right(const struct variable *variable, const char *text)
{
    uint64_t number;

    if (!variable->words[0])
        return mock__parse_seed(text, &number) && number <= variable->most;
    for (unsigned i = 0; i < 3 && variable->words[i]; i++) {
        if (!strcmp(text, variable->words[i]))
            return true;
    }
    return false;
}

bool mock__environment_check(struct cushim__str *error)
{
    for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
        const char *text = cushim__env(variables[i].name);

        if (text && !is_right(&variables[i], text)) {
            cushim__str_append(error, "%s: '%.60s' is %s", variables[i].name, text,
                               variables[i].wanted);
            return false;
        }
    }
    return mock__suppress_check(error);
}

uint64_t mock__environment_number(const char *variable, uint64_t otherwise)
{
    const char *text = cushim__env(variable);
    uint64_t number;

    return text && mock__parse_seed(text, &number) ? number : otherwise;
}
