/* SPDX-License-Identifier: MIT */
/* What the tests of modules, launches and compilation have in common. */
#ifndef CUSHIM_TESTS_MODULES_H
#define CUSHIM_TESTS_MODULES_H

#include <stdlib.h>

static inline void no_nvrtc(void)
{
    setenv("CUSHIM_LIBNVRTC", "none", 1);
}

#endif
