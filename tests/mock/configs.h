/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the mock's configuration. */
#ifndef CUSHIM_TESTS_MOCK_CONFIGS_H
#define CUSHIM_TESTS_MOCK_CONFIGS_H

#include <criterion/redirect.h>

#include "mock/config/config_settings.h"

#include "support.h"

#define S(text) ((char *) (text))

/* Removes all variables that configure the mock. */
static inline void clean(void)
{
    static const char *const names[] = {"CUSHIM_MOCK_DEVICES",        "CUSHIM_MOCK_CONFIG",
                                        "CUSHIM_MOCK_DRIVER_VERSION", "CUSHIM_MOCK_SEED",
                                        "CUSHIM_MOCK_IMAGE_LIMIT",    "CUDA_VISIBLE_DEVICES"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        unsetenv(names[i]);
}

static inline void clean_and_quiet(void)
{
    clean();
    cr_redirect_stderr();
}

static inline cushim_status configure(const char *settings)
{
    return cushim_mock_configure(cushim_mock_config(.settings = settings));
}

static inline int device_count(void)
{
    int n = -1;

    OK(mock_cuDeviceGetCount(&n));
    return n;
}

static inline int attribute(int number, int device)
{
    int value = -12345;

    OK(mock_cuDeviceGetAttribute(&value, (CUdevice_attribute) number, device));
    return value;
}

static inline int driver_version(void)
{
    int version = 0;

    OK(mock_cuDriverGetVersion(&version));
    return version;
}

#endif
