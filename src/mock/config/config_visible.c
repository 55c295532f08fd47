/* SPDX-License-Identifier: MIT */
/*
 * CUDA_VISIBLE_DEVICES. NVIDIA's programming guide defines lists of ordinals and of abbreviated
 * UUIDs, and that the first invalid entry ends a list. The rest is as recorded drivers do it: with an
 * entry that appears twice cuInit() fails, characters after a number or a whole UUID are ignored,
 * and an entry of another kind than the first one is invalid.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "mock/config/config_settings.h"

/* Returns -1 if no device has this ordinal. */
static int by_ordinal(const char *entry, const struct mock__config *config)
{
    /* Of a number that is too large, a driver takes the low half. */
    const int ordinal = (int) strtol(entry, NULL, 10);

    if (!isdigit((unsigned char) entry[*entry == '+' || *entry == '-']))
        return -1;
    return ordinal >= 0 && ordinal < config->n_devices ? ordinal : -1;
}

/* Returns -1 if the UUIDs of no device, or of several devices, begin in this way. */
static int by_uuid(const char *entry, size_t length, const struct mock__config *config)
{
    int found = -1;

    for (int i = 0; i < config->n_devices; i++) {
        char uuid[MOCK__UUID_TEXT];

        mock__profile_uuid_text(&config->devices[i], uuid);
        if (strncmp(uuid, entry, length < sizeof(uuid) - 1 ? length : sizeof(uuid) - 1))
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

static bool is_uuid(const char *entry)
{
    return !strncmp(entry, "GPU-", 4);
}

static bool contains(const int *list, int count, int place)
{
    for (int i = 0; i < count; i++) {
        if (list[i] == place)
            return true;
    }
    return false;
}

static int all_visible(const struct mock__config *config, int ret_visible[MOCK__MAX_DEVICES])
{
    for (int i = 0; i < config->n_devices; i++)
        ret_visible[i] = i;
    return config->n_devices;
}

int mock__visible(const char *text, const struct mock__config *config,
                  int ret_visible[MOCK__MAX_DEVICES])
{
    bool uuids;
    int n = 0;

    if (!text)
        return all_visible(config, ret_visible);
    uuids = is_uuid(text); /* not behind a blank */
    while (text) {
        const char *comma = strchr(text, ',');
        const char *entry = text + strspn(text, " \t");
        const int place =
            uuids ? by_uuid(entry, strcspn(entry, ", \t"), config) : by_ordinal(entry, config);

        if (place < 0)
            break;
        if (contains(ret_visible, n, place))
            return MOCK__VISIBLE_WRONG;
        ret_visible[n++] = place;
        text = comma ? comma + 1 : NULL;
    }
    return n;
}
