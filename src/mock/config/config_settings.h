/* SPDX-License-Identifier: MIT */
/*
 * The settings of a configuration: reading and applying them. A list belongs to one thread.
 * config_read.c reads texts, config_values.c single values, config_apply.c knows what settings
 * mean, and config_visible.c which devices are seen.
 */
#ifndef CUSHIM_MOCK_CONFIG_CONFIG_SETTINGS_H
#define CUSHIM_MOCK_CONFIG_CONFIG_SETTINGS_H

#include "mock/config/config.h"

/* One "key = value". The list owns the strings. */
struct mock__setting {
    char *where; /* the file and line, or the variable */
    char *key, *value;
};

struct mock__settings {
    struct mock__setting *list;
    size_t count;
    struct cushim__str error; /* the first mistake, with its place */
};

void mock__settings_finish(struct mock__settings *settings);

/* Sets the error to "where: " and the text, unless there is one already. Returns false. */
bool mock__settings_fail(struct mock__settings *settings, const char *where, const char *format,
                         ...) CUSHIM_PRINTF(3, 4);

bool mock__settings_add(struct mock__settings *settings, const char *where, const char *key,
                        const char *value);

/* Read the lines of a text or a file. where is its name in errors. */
bool mock__settings_text(struct mock__settings *settings, const char *where, const char *text);
bool mock__settings_file(struct mock__settings *settings, const char *where, const char *path);

/* Applies all settings. If two contradict each other, the later one counts. */
bool mock__settings_apply(struct mock__settings *settings, struct mock__config *ret_config);

/* Read values without blanks around them. */
bool mock__parse_integer(const char *text, int64_t least, int64_t most, int64_t *ret_value);
bool mock__parse_seed(const char *text, uint64_t *ret_seed);
bool mock__parse_bytes(const char *text, uint64_t *ret_bytes); /* "8GiB", "512 MB", "4096" */
bool mock__parse_version(const char *text, int *ret_version);  /* "11.4" or "11040" */
bool mock__parse_capability(const char *text, int *major, int *minor); /* "8.6" */
bool mock__parse_bool(const char *text, bool *ret_value);

/*
 * Reads CUDA_VISIBLE_DEVICES as the driver does. Writes the indices of the visible devices in the
 * order of the list, and returns their number; MOCK__VISIBLE_WRONG if a device is there twice. NULL
 * stands for an unset variable.
 */
int mock__visible(const char *text, const struct mock__config *config,
                  int ret_visible[MOCK__MAX_DEVICES]);

#endif
