/* SPDX-License-Identifier: MIT */
#include "mock/config/profile.h"

#include <stdio.h>
#include <string.h>

/* Numbers of CUdevice_attribute. They are part of the ABI, so the header is not needed. */
enum {
    MULTIPROCESSOR_COUNT = 16,
    PCI_DEVICE_ID = 34,
    MAX_PERSISTING_L2_CACHE_SIZE = 108,
};

/*
 * The figures of the H200 were read from one. The memory of the others is that of public outputs of
 * deviceQuery (drivers of CUDA 12.2 and 13.0); it differs by some MiB between drivers. The memory
 * that a context takes is not documented; for the others it is a typical value of nvidia-smi.
 */
static const struct {
    const char *key, *name;
    uint64_t total_bytes, context_bytes;
    enum mock__link link;
} models[MOCK__N_MODELS] = {
    [MOCK__H200] = {"h200", "NVIDIA H200", 150109880320, 552402944, MOCK__NVLINK},
    [MOCK__A100] = {"a100", "NVIDIA A100-SXM4-40GB", 42298834944, 434110464, MOCK__NVLINK},
    [MOCK__T4] = {"t4", "Tesla T4", 15655829504, 109051904, MOCK__PCIE},
    [MOCK__RTX4090] = {"rtx4090", "NVIDIA GeForce RTX 4090", 25250627584, 406847488, MOCK__NO_LINK},
};

static bool is_word(const char *word, const char *key, size_t length)
{
    return strlen(word) == length && !strncmp(word, key, length);
}

/* "ci" is the default model, with as much memory as a machine for tests has. */
static bool find_model(const char *key, size_t length, enum mock__model *ret_model,
                       bool *ret_of_the_host)
{
    *ret_of_the_host = is_word("ci", key, length);
    if (*ret_of_the_host) {
        *ret_model = MOCK__H200;
        return true;
    }
    for (int i = 0; i < MOCK__N_MODELS; i++) {
        if (is_word(models[i].key, key, length)) {
            *ret_model = (enum mock__model) i;
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

    if (!find_model(key, length, &profile.model, &profile.of_the_host))
        return false;
    snprintf(profile.name, sizeof(profile.name), "%s", models[profile.model].name);
    profile.total_bytes = models[profile.model].total_bytes;
    profile.context_bytes = models[profile.model].context_bytes;
    profile.link = models[profile.model].link;
    for (int i = 1; i < MOCK__N_ATTRIBUTES; i++)
        profile.attributes[i] = mock__attribute_value(i, profile.model);
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
