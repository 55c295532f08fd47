/* SPDX-License-Identifier: MIT */
/*
 * What libFuzzer calls with its inputs: configurations of the mock. Before a form feed stands what
 * CUDA_VISIBLE_DEVICES says. What is taken holds what the mock relies on.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock/config/config_settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

static void check_device(const struct mock__profile *device)
{
    require(device->total_bytes && device->total_bytes <= INT64_MAX, "memory of no size");
    require(*device->name && memchr(device->name, '\0', sizeof(device->name)), "no name");
    for (int i = 1; i < MOCK__N_ATTRIBUTES; i++) {
        const struct mock__attribute_range range = mock__attribute_range(i);
        const int value = device->attributes[i];

        require(value >= range.least && value <= range.most, "an attribute is out of its range");
        require(!range.power_of_two || !(value & (value - 1)), "an attribute is no power of two");
    }
}

static void check(const struct mock__config *config, const char *list)
{
    int visible[MOCK__MAX_DEVICES];
    int n;

    require(config->n_devices >= 1 && config->n_devices <= MOCK__MAX_DEVICES, "devices");
    require(config->driver_version >= MOCK__OLDEST_DRIVER &&
                config->driver_version <= MOCK__NEWEST_DRIVER,
            "a version that there is not");
    require(config->image_limit > 0, "no image is small enough");
    for (int i = 0; i < config->n_devices; i++) {
        check_device(&config->devices[i]);
        require(!(config->peers[i] >> i & 1), "a device is its own peer");
        require(config->peers[i] >> config->n_devices == 0, "a peer that is not there");
    }
    n = mock__visible(list, config, visible);
    require(n >= MOCK__VISIBLE_WRONG && n <= config->n_devices, "more devices are visible than there are");
    for (int i = 0; i < n; i++)
        require(visible[i] >= 0 && visible[i] < config->n_devices, "a device that is not there");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = calloc(1, size + 1), *settings;
    struct mock__settings list = {0};
    struct mock__config config;

    if (!text)
        return 0;
    memcpy(text, data, size);
    settings = strchr(text, '\f');
    if (settings)
        *settings++ = '\0';
    if (mock__settings_text(&list, "fuzz", settings ? settings : text) &&
        mock__settings_apply(&list, &config))
        check(&config, settings ? text : NULL);
    else
        require(list.error.length, "refused without a reason");
    mock__settings_finish(&list);
    free(text);
    return 0;
}
