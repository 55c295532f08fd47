/* SPDX-License-Identifier: MIT */
#include "mock/config/config.h"
#include "base/params.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/status.h"
#include "base/util.h"
#include "mock/config/config_settings.h"
#include "mock/config/environment.h"
#include "mock/config/symbols.h"

/*
 * This lock is separate from the driver's lock and comes after it, because the version can be read
 * without the driver's lock.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The configuration from cushim_mock_configure(). The strings are copies. */
struct wish {
    char *devices, *settings, *file;
    int driver_version;
    uint64_t seed;
};

static struct wish wish;
static struct mock__config fixed;
static atomic_bool is_fixed;
static _Atomic(uint64_t) fixed_seed;

/* The result of cuDriverGetVersion(); 0 until it is read for the first time. */
static atomic_int version;

/* The version of the folder from which the driver was opened; 0 for the main folder. */
static atomic_int front_version;

static void finish_wish(struct wish *old)
{
    free(old->devices);
    free(old->settings);
    free(old->file);
    *old = (struct wish){0};
}

static bool copy_text(const char *text, char **ret_copy)
{
    *ret_copy = text ? strdup(text) : NULL;
    return *ret_copy || !text;
}

static bool make_wish(const struct cushim_mock_config *config, struct wish *ret_wish)
{
    struct wish made = {.driver_version = config->driver_version, .seed = config->seed};

    if (copy_text(config->devices, &made.devices) && copy_text(config->file, &made.file) &&
        copy_text(config->settings, &made.settings)) {
        *ret_wish = made;
        return true;
    }
    finish_wish(&made);
    return false;
}

static bool add_variable(struct mock__settings *settings, const char *variable, const char *key)
{
    const char *value = cushim__env(variable);

    return !value || mock__settings_add(settings, variable, key, value);
}

static bool add_environment(struct mock__settings *settings)
{
    const char *file = cushim__env("CUSHIM_MOCK_CONFIG");

    return (!file || mock__settings_file(settings, "CUSHIM_MOCK_CONFIG", file)) &&
           add_variable(settings, "CUSHIM_MOCK_DEVICES", "devices") &&
           add_variable(settings, "CUSHIM_MOCK_DRIVER_VERSION", "driver_version") &&
           add_variable(settings, "CUSHIM_MOCK_SEED", "seed") &&
           add_variable(settings, "CUSHIM_MOCK_IMAGE_LIMIT", "image_limit");
}

static bool add_number(struct mock__settings *settings, const char *where, const char *key,
                       uint64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%llu", (unsigned long long) value);
    return !value || mock__settings_add(settings, where, key, text);
}

static bool add_wish(struct mock__settings *settings, const struct wish *from)
{
    return (!from->file || mock__settings_file(settings, "file", from->file)) &&
           (!from->settings || mock__settings_text(settings, "settings", from->settings)) &&
           (!from->devices || mock__settings_add(settings, "devices", "devices", from->devices)) &&
           add_number(settings, "driver_version", "driver_version",
                      (uint64_t) (unsigned) from->driver_version) &&
           add_number(settings, "seed", "seed", from->seed);
}

/* A device that the driver is too new for is not there, as on hardware. */
static void drop_devices(struct mock__config *config)
{
    const int n = config->n_devices;

    config->n_devices = 0;
    for (int i = 0; i < n; i++) {
        if (config->devices[i].last_driver >= config->driver_version)
            config->devices[config->n_devices++] = config->devices[i];
        else if (!config->n_dropped++)
            config->dropped = config->devices[i];
    }
}

/*
 * The more general sources come first, because the later one of two that contradict each other
 * counts.
 */
static bool load(const struct wish *from, struct mock__config *ret_config,
                 struct cushim__str *error)
{
    struct mock__settings settings = {0};
    const bool good = add_environment(&settings) && add_wish(&settings, from) &&
                      mock__settings_apply(&settings, ret_config);

    if (!good)
        cushim__str_append(error, "%s", cushim__str_get(&settings.error));
    mock__settings_finish(&settings);
    if (good && atomic_load(&front_version))
        ret_config->driver_version = atomic_load(&front_version);
    if (good)
        drop_devices(ret_config);
    return good;
}

/* Both orders are that of the configuration. */
static bool order_valid(const char *order)
{
    return !order || !strcmp(order, "PCI_BUS_ID") || !strcmp(order, "FASTEST_FIRST");
}

bool mock__config_fix(const struct mock__config **ret_config, int ret_visible[MOCK__MAX_DEVICES],
                      int *ret_n_visible, struct cushim__str *error)
{
    bool good;

    pthread_mutex_lock(&lock);
    good = load(&wish, &fixed, error);
    if (good) {
        /*
         * cushim__env() cannot be used: for it an empty variable is unset, but here an empty list
         * hides all devices.
         */
        *ret_n_visible =
            order_valid(secure_getenv("CUDA_DEVICE_ORDER"))
                ? mock__visible(secure_getenv("CUDA_VISIBLE_DEVICES"), &fixed, ret_visible)
                : MOCK__VISIBLE_WRONG;
        *ret_config = &fixed;
        good = *ret_n_visible > 0;
        atomic_store(&version, fixed.driver_version);
        atomic_store(&fixed_seed, fixed.seed);
        atomic_store(&is_fixed, good);
    }
    pthread_mutex_unlock(&lock);
    return good;
}

bool mock__config_peers(const struct mock__profile *a, const struct mock__profile *b)
{
    return fixed.peers[a->place] >> b->place & 1u;
}

/* The configuration before cuInit(). If it is wrong, cuInit() reports that. */
static void preview(struct mock__config *ret_config)
{
    SCOPED_STR error = {0};

    pthread_mutex_lock(&lock);
    if (!load(&wish, ret_config, &error))
        *ret_config = (struct mock__config){.driver_version = MOCK__NEWEST_DRIVER};
    pthread_mutex_unlock(&lock);
}

int mock__driver_version(void)
{
    struct mock__config config;
    int known = atomic_load(&version);

    if (known)
        return known;
    preview(&config);
    atomic_compare_exchange_strong(&version, &known, config.driver_version);
    return config.driver_version;
}

uint64_t mock__seed(void)
{
    struct mock__config config;

    if (atomic_load(&is_fixed))
        return atomic_load(&fixed_seed);
    preview(&config);
    return config.seed;
}

size_t mock__image_limit(void)
{
    return fixed.image_limit;
}

/* Stores the configuration if cuInit() would accept it. */
static cushim_status accept(struct wish *wanted, struct cushim__str *error)
{
    struct mock__config config;

    if (atomic_load(&is_fixed)) {
        cushim__str_append(error, "the driver is initialised; its devices are what they are");
        return CUSHIM_ERROR_BUSY;
    }
    if (!mock__environment_check(error) || !load(wanted, &config, error))
        return CUSHIM_ERROR_INVALID_ARGUMENT;
    finish_wish(&wish);
    wish = *wanted;
    *wanted = (struct wish){0};
    atomic_store(&version, 0);
    return CUSHIM_OK;
}

cushim_status cushim_mock_configure(const struct cushim_mock_config *config)
{
    struct cushim_mock_config given;
    SCOPED_STR error = {0};
    struct wish wanted;
    cushim_status status;

    CUSHIM_TRY(PARAMS_READ(cushim_mock_config, settings, config, &given));
    if (!make_wish(&given, &wanted))
        return cushim__fail(CUSHIM_ERROR_NO_MEMORY, "the host is out of memory");
    pthread_mutex_lock(&lock);
    status = accept(&wanted, &error);
    pthread_mutex_unlock(&lock);
    finish_wish(&wanted);
    return status ? cushim__fail(status, "%s", cushim__str_get(&error)) : CUSHIM_OK;
}

const char *cushim_mock_error_text(void)
{
    return cushim__error()->text;
}

const void *cushim_mock_front(int driver_version)
{
    int none = 0;

    if (!atomic_load(&is_fixed) &&
        atomic_compare_exchange_strong(&front_version, &none, driver_version))
        atomic_store(&version, 0);
    return mock__exported;
}
