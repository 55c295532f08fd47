/* SPDX-License-Identifier: MIT */
/* Applies the settings to a configuration. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "mock/config/config_settings.h"
#include "mock/config/host_memory.h"
#include "mock/config/profile_tables.h"

enum {
    COMPUTE_CAPABILITY_MAJOR = 75,
    COMPUTE_CAPABILITY_MINOR = 76,
};

#define DEFAULT_DEVICES "h200"

/* The settings, and the current one. */
struct reader {
    struct mock__settings *settings;
    const struct mock__setting *now;
    struct mock__config *config;
};

#define FAIL(reader, ...) mock__settings_fail((reader)->settings, (reader)->now->where, __VA_ARGS__)

static bool add_device(struct reader *reader, const char *model, size_t length)
{
    struct mock__config *config = reader->config;

    if (config->n_devices == MOCK__MAX_DEVICES)
        return FAIL(reader, "more than %d devices", MOCK__MAX_DEVICES);
    if (!mock__profile_make(model, length, (unsigned) config->n_devices,
                            &config->devices[config->n_devices]))
        return FAIL(reader, "there is no device '%.*s'; there are %s", (int) length, model,
                    mock__all_kinds);
    config->n_devices++;
    return true;
}

static bool add_devices(struct reader *reader)
{
    const char *word = reader->now->value;

    while (word) {
        const char *comma = strchr(word, ',');
        size_t length;

        word += strspn(word, " \t");
        length = strcspn(word, ", \t");
        if (word[length + strspn(word + length, " \t")] != (comma ? ',' : '\0'))
            length = comma ? (size_t) (comma - word) : strlen(word);
        if (!add_device(reader, word, length))
            return false;
        word = comma ? comma + 1 : NULL;
    }
    return true;
}

/* Connects devices of one model in the way in which their boards usually are. */
static void connect_devices(struct mock__config *config)
{
    for (int i = 0; i < config->n_devices; i++) {
        for (int j = 0; j < config->n_devices; j++) {
            if (i != j && config->devices[i].model == config->devices[j].model &&
                config->devices[i].link != MOCK__NO_LINK)
                config->peers[i] |= (uint16_t) (1u << j);
        }
    }
}

/*
 * Gives the devices of the host's memory half of what is free, all together, in whole pages. A
 * context takes an eighth of its device at most, so that there is room for memory.
 */
static void share_host(struct mock__config *config)
{
    const uint64_t page = 2 << 20;
    uint64_t n = 0, most = 0;

    for (int i = 0; i < config->n_devices; i++)
        n += config->devices[i].share_of_host;
    if (n)
        most = mock__host_memory().memory / 2 / n / page * page;
    for (int i = 0; i < config->n_devices; i++) {
        struct mock__profile *device = &config->devices[i];

        if (!device->share_of_host)
            continue;
        if (device->total_bytes > most)
            device->total_bytes = most;
        if (device->context_bytes > device->total_bytes / 8)
            device->context_bytes = device->total_bytes / 8;
    }
}

/*
 * Applies `devices` first, wherever it stands, because the other settings are about these devices.
 */
static bool apply_devices(struct reader *reader)
{
    static const struct mock__setting none = {.where = (char *) "",
                                              .value = (char *) DEFAULT_DEVICES};

    reader->now = &none;
    for (size_t i = 0; i < reader->settings->count; i++) {
        if (!strcmp(reader->settings->list[i].key, "devices"))
            reader->now = &reader->settings->list[i];
    }
    if (!add_devices(reader))
        return false;
    connect_devices(reader->config);
    return true;
}

static bool apply_memory(struct reader *reader, struct mock__profile *device)
{
    device->share_of_host = !strcmp(reader->now->value, "host");
    device->of_the_host = device->of_the_host || device->share_of_host;
    if (!device->share_of_host && !mock__parse_bytes(reader->now->value, &device->total_bytes))
        return FAIL(reader, "'%s' is not a size such as 8GiB", reader->now->value);
    return true;
}

static bool apply_name(struct reader *reader, struct mock__profile *device)
{
    if (!*reader->now->value || strlen(reader->now->value) >= sizeof(device->name))
        return FAIL(reader, "a name has 1 to %zu characters", sizeof(device->name) - 1);
    snprintf(device->name, sizeof(device->name), "%s", reader->now->value);
    return true;
}

static bool in_range(int attribute, int64_t value)
{
    const struct mock__attribute_range range = mock__attribute_range(attribute);

    return value >= range.least && value <= range.most &&
           !(range.power_of_two && value & (value - 1));
}

static bool apply_capability(struct reader *reader, struct mock__profile *device)
{
    int major, minor;

    if (!mock__parse_capability(reader->now->value, &major, &minor) ||
        !in_range(COMPUTE_CAPABILITY_MAJOR, major) || !in_range(COMPUTE_CAPABILITY_MINOR, minor))
        return FAIL(reader, "'%s' is not a compute capability such as 8.6", reader->now->value);
    device->attributes[COMPUTE_CAPABILITY_MAJOR] = major;
    device->attributes[COMPUTE_CAPABILITY_MINOR] = minor;
    return true;
}

static bool fail_range(struct reader *reader, int attribute)
{
    const struct mock__attribute_range range = mock__attribute_range(attribute);

    if (range.least == range.most)
        return FAIL(reader, "'%s' is not %d, which is all that it can be here", reader->now->value,
                    range.most);
    return FAIL(reader, "'%s' is not %s from %d to %d", reader->now->value,
                range.power_of_two ? "a power of two" : "an integer", range.least, range.most);
}

/* Sets an attribute, by its number or its name. */
static bool apply_attribute(struct reader *reader, struct mock__profile *device, const char *which)
{
    int64_t number, value;

    if (!mock__parse_integer(which, 1, MOCK__N_ATTRIBUTES - 1, &number))
        number = mock__attribute_find(which);
    if (!number)
        return FAIL(reader, "a device has no '%s'", which);
    if (!mock__parse_integer(reader->now->value, INT32_MIN, INT32_MAX, &value))
        return FAIL(reader, "'%s' is not an integer", reader->now->value);
    if (!in_range((int) number, value))
        return fail_range(reader, (int) number);
    device->attributes[number] = (int) value;
    return true;
}

static bool apply_to_device(struct reader *reader, struct mock__profile *device, const char *what)
{
    static const struct {
        const char *name;
        bool (*apply)(struct reader *reader, struct mock__profile *device);
    } others[] = {
        {"memory", apply_memory},
        {"name", apply_name},
        {"compute_capability", apply_capability},
    };

    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        if (!strcmp(what, others[i].name))
            return others[i].apply(reader, device);
    }
    if (!strncmp(what, "attribute.", 10))
        what += 10;
    return apply_attribute(reader, device, what);
}

/* Reads the index of a device. On failure the error is set. */
static bool parse_place(struct reader *reader, const char *text, size_t length, int *ret_place)
{
    char word[16];
    int64_t place;

    snprintf(word, sizeof(word), "%.*s", (int) length, text);
    if (length >= sizeof(word) || !mock__parse_integer(word, 0, MOCK__MAX_DEVICES - 1, &place))
        return FAIL(reader, "'%.*s' is not the number of a device", (int) length, text);
    if (place >= reader->config->n_devices)
        return FAIL(reader, "there is no device %s, as there %s", word,
                    reader->config->n_devices == 1 ? "is only one" : "are fewer");
    *ret_place = (int) place;
    return true;
}

/* Applies "0.memory", or "*.memory" for all devices. */
static bool apply_device(struct reader *reader, const char *rest)
{
    const char *dot = strchr(rest, '.');
    int place;

    if (!dot)
        return FAIL(reader, "'%s' does not say what of the device", reader->now->key);
    if (strncmp(rest, "*.", 2)) {
        return parse_place(reader, rest, (size_t) (dot - rest), &place) &&
               apply_to_device(reader, &reader->config->devices[place], dot + 1);
    }
    for (int i = 0; i < reader->config->n_devices; i++) {
        if (!apply_to_device(reader, &reader->config->devices[i], dot + 1))
            return false;
    }
    return true;
}

/* Applies "0 1", in both directions. */
static bool apply_peer(struct reader *reader, const char *rest)
{
    uint16_t *peers = reader->config->peers;
    const size_t first = strcspn(rest, " ");
    int a, b;
    bool yes;

    if (!rest[first])
        return FAIL(reader, "'%s' does not name two devices", reader->now->key);
    if (!parse_place(reader, rest, first, &a) ||
        !parse_place(reader, rest + first + 1, strlen(rest + first + 1), &b))
        return false;
    if (a == b)
        return FAIL(reader, "device %d is no peer of itself", a);
    if (!mock__parse_bool(reader->now->value, &yes))
        return FAIL(reader, "'%s' is neither yes nor no", reader->now->value);
    peers[a] = (uint16_t) (yes ? peers[a] | 1u << b : peers[a] & ~(1u << b));
    peers[b] = (uint16_t) (yes ? peers[b] | 1u << a : peers[b] & ~(1u << a));
    return true;
}

static bool apply_version(struct reader *reader)
{
    if (!mock__parse_version(reader->now->value, &reader->config->driver_version))
        return FAIL(reader, "'%s' is not a CUDA version from %d.%d to %d.%d", reader->now->value,
                    MOCK__OLDEST_DRIVER / 1000, MOCK__OLDEST_DRIVER % 1000 / 10,
                    MOCK__NEWEST_DRIVER / 1000, MOCK__NEWEST_DRIVER % 1000 / 10);
    return true;
}

static bool apply_seed(struct reader *reader)
{
    if (!mock__parse_seed(reader->now->value, &reader->config->seed))
        return FAIL(reader, "'%s' is not a seed, a number of 64 bits", reader->now->value);
    return true;
}

static bool apply_image_limit(struct reader *reader)
{
    if (!mock__parse_bytes(reader->now->value, &reader->config->image_limit))
        return FAIL(reader, "'%s' is not a size such as 512MiB", reader->now->value);
    return true;
}

static bool apply_watch(struct reader *reader)
{
    if (!mock__parse_bool(reader->now->value, &reader->config->watch_host))
        return FAIL(reader, "'%s' is neither yes nor no", reader->now->value);
    return true;
}

static bool apply(struct reader *reader)
{
    const char *key = reader->now->key;

    if (!strcmp(key, "devices"))
        return true;
    if (!strcmp(key, "driver_version"))
        return apply_version(reader);
    if (!strcmp(key, "seed"))
        return apply_seed(reader);
    if (!strcmp(key, "watch_host"))
        return apply_watch(reader);
    if (!strcmp(key, "image_limit"))
        return apply_image_limit(reader);
    if (!strncmp(key, "device.", 7))
        return apply_device(reader, key + 7);
    if (!strncmp(key, "peer ", 5))
        return apply_peer(reader, key + 5);
    return FAIL(reader, "there is no setting '%s'", key);
}

/* The newest driver that has all the devices. */
static int newest_driver(const struct mock__config *config)
{
    int newest = MOCK__NEWEST_DRIVER;

    for (int i = 0; i < config->n_devices; i++)
        if (config->devices[i].last_driver < newest)
            newest = config->devices[i].last_driver;
    return newest;
}

bool mock__settings_apply(struct mock__settings *settings, struct mock__config *ret_config)
{
    struct reader reader = {.settings = settings, .config = ret_config};

    *ret_config = (struct mock__config){.image_limit = MOCK__IMAGE_LIMIT};
    if (!apply_devices(&reader))
        return false;
    ret_config->driver_version = newest_driver(ret_config);
    for (size_t i = 0; i < settings->count; i++) {
        reader.now = &settings->list[i];
        if (!apply(&reader))
            return false;
    }
    share_host(ret_config);
    return true;
}
