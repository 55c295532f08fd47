/* SPDX-License-Identifier: MIT */
#include "mock/config/profile.h"

#include <stdio.h>
#include <string.h>

#include "mock/config/profile_tables.h"

/* Numbers of CUdevice_attribute. They are part of the ABI, so the header is not needed. */
enum {
    MULTIPROCESSOR_COUNT = 16,
    PCI_DEVICE_ID = 34,
    MAX_PERSISTING_L2_CACHE_SIZE = 108,
};

static bool is_word(const char *word, const char *key, size_t length)
{
    return strlen(word) == length && !strncmp(word, key, length);
}

/* "ci" is the first model, with as much memory as a machine for tests has. */
static bool find_model(const char *key, size_t length, int *ret_model, bool *ret_of_the_host)
{
    *ret_of_the_host = is_word("ci", key, length);
    if (*ret_of_the_host) {
        *ret_model = 0;
        return true;
    }
    for (int i = 0; i < mock__n_models; i++) {
        if (is_word(mock__models[i].key, key, length)) {
            *ret_model = i;
            return true;
        }
    }
    return false;
}

/* The finaliser of SplitMix64: every bit of the result depends on every bit of x. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/*
 * Makes a UUID that is the same in every run, so that programs may store it. UUIDs differ from the
 * first digit on, so that a short prefix identifies a device, as on hardware.
 */
static void make_uuid(struct mock__profile *profile)
{
    const uint64_t seed = (uint64_t) profile->model << 32 | profile->place;

    for (unsigned i = 0; i < sizeof(profile->uuid); i++) {
        const uint64_t half = mix(2 * seed + i / 8 + 0x9e3779b97f4a7c15u);

        profile->uuid[i] = (uint8_t) (half >> i % 8 * 8);
    }
}

static void make_limits(struct mock__profile *profile)
{
    /*
     * stack, printf, heap, launch depth (removed), pending launches, L2 fetch, L2 persisting. The
     * two that depend on the device do so in the same way as on an H200.
     */
    const size_t limits[] = {
        1024, (size_t) profile->attributes[MULTIPROCESSOR_COUNT] * 65536,          8388608, 0, 2048,
        64,   (size_t) profile->attributes[MAX_PERSISTING_L2_CACHE_SIZE] / 10 * 3,
    };

    memcpy(profile->limits, limits, sizeof(limits));
}

bool mock__profile_make(const char *key, size_t length, unsigned place,
                        struct mock__profile *ret_profile)
{
    struct mock__profile profile = {.place = place, .priority_greatest = -5};
    const struct mock__model *model;

    if (!find_model(key, length, &profile.model, &profile.of_the_host))
        return false;
    profile.share_of_host = profile.of_the_host;
    model = &mock__models[profile.model];
    snprintf(profile.name, sizeof(profile.name), "%s", model->name);
    profile.total_bytes = model->total_bytes;
    profile.context_bytes = model->context_bytes;
    profile.link = model->link;
    profile.last_driver = model->last_driver;
    memcpy(profile.attributes, model->attributes, sizeof(profile.attributes));
    profile.attributes[PCI_DEVICE_ID] += (int) place;
    make_uuid(&profile);
    make_limits(&profile);
    *ret_profile = profile;
    return true;
}

void mock__profile_uuid_text(const struct mock__profile *profile, char text[MOCK__UUID_TEXT])
{
    const uint8_t *u = profile->uuid;

    snprintf(text, MOCK__UUID_TEXT,
             "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1],
             u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14],
             u[15]);
}
