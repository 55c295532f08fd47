/* SPDX-License-Identifier: MIT */
/*
 * Where a configuration is written down, and what its lines mean. Nothing here is shared between
 * threads: who calls has the list to itself.
 */
#ifndef CUSHIM_MOCK_CONFIG_CONFIG_SETTINGS_H
#define CUSHIM_MOCK_CONFIG_CONFIG_SETTINGS_H

#include "mock/config/config.h"

/* One "key = value". The strings are the list's own. */
struct mock__setting {
    char *where; /* the file and line, or the variable */
    char *key, *value;
};

struct mock__settings {
    struct mock__setting *list;
    size_t count;
    struct cushim__str error; /* the first thing that is wrong, with where it stands */
};

void mock__settings_finish(struct mock__settings *settings);

/* Appends "where: " and the text to the error, unless there is one. Returns false. */
bool mock__settings_fail(struct mock__settings *settings, const char *where, const char *format,
                         ...) CUSHIM_PRINTF(3, 4);

bool mock__settings_add(struct mock__settings *settings, const char *where, const char *key,
                        const char *value);

/* Lines as a file has them. where is what they are called in errors. */
bool mock__settings_text(struct mock__settings *settings, const char *where, const char *text);
bool mock__settings_file(struct mock__settings *settings, const char *where, const char *path);

/* What all of them together say; of two that contradict each other, the later one. */
bool mock__settings_apply(struct mock__settings *settings, struct mock__config *ret_config);

/* Values. Blanks around them are gone already. */
bool mock__parse_integer(const char *text, int64_t least, int64_t most, int64_t *ret_value);
bool mock__parse_seed(const char *text, uint64_t *ret_seed);
bool mock__parse_bytes(const char *text, uint64_t *ret_bytes); /* "8GiB", "512 MB", "4096" */
bool mock__parse_version(const char *text, int *ret_version);  /* "11.4" or "11040" */
bool mock__parse_capability(const char *text, int *major, int *minor); /* "8.6" */
bool mock__parse_bool(const char *text, bool *ret_value);

/*
 * CUDA_VISIBLE_DEVICES, as the driver reads it: writes the places of the visible devices in
 * the order the list has and returns how many there are. NULL is a variable that is not set.
 */
int mock__visible(const char *text, const struct mock__config *config,
                  int ret_visible[MOCK__MAX_DEVICES]);

#endif
