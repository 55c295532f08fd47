/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"
#include "mock/config/config_settings.h"

bool mock__parse_integer(const char *text, int64_t least, int64_t most, int64_t *ret_value)
{
    char *end;
    long long value;

    errno = 0;
    value = strtoll(text, &end, 0);
    if (end == text || *end || errno || value < least || value > most)
        return false;
    *ret_value = value;
    return true;
}

bool mock__parse_seed(const char *text, uint64_t *ret_seed)
{
    char *end;
    unsigned long long seed;

    errno = 0;
    seed = strtoull(text, &end, 0);
    if (!isdigit((unsigned char) *text) || *end || errno)
        return false;
    *ret_seed = seed;
    return true;
}

static bool parse_unit(const char *unit, uint64_t *ret_factor)
{
    static const struct {
        const char *name;
        uint64_t factor;
    } units[] = {
        {"", 1},
        {"B", 1},
        {"kB", 1000},
        {"MB", 1000000},
        {"GB", 1000000000},
        {"KiB", (uint64_t) 1 << 10},
        {"MiB", (uint64_t) 1 << 20},
        {"GiB", (uint64_t) 1 << 30},
        {"TiB", (uint64_t) 1 << 40},
    };

    for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
        if (!strcasecmp(unit, units[i].name)) {
            *ret_factor = units[i].factor;
            return true;
        }
    }
    return false;
}

bool mock__parse_bytes(const char *text, uint64_t *ret_bytes)
{
    uint64_t factor;
    char *unit;
    unsigned long long count;

    errno = 0;
    count = strtoull(text, &unit, 0);
    if (!isdigit((unsigned char) *text) || errno)
        return false;
    unit += strspn(unit, " \t");
    if (!parse_unit(unit, &factor) || !count || count > INT64_MAX / factor)
        return false;
    *ret_bytes = count * factor;
    return true;
}

/* Reads "major.minor", each with one or two digits. */
static bool parse_pair(const char *text, int *ret_major, int *ret_minor)
{
    const size_t major = strspn(text, "0123456789");
    const size_t minor = text[major] == '.' ? strspn(text + major + 1, "0123456789") : 0;

    if (major < 1 || major > 2 || minor < 1 || minor > 2 || text[major + 1 + minor])
        return false;
    *ret_major = atoi(text);
    *ret_minor = atoi(text + major + 1);
    return true;
}

bool mock__parse_version(const char *text, int *ret_version)
{
    int64_t version;
    int major, minor;

    if (parse_pair(text, &major, &minor))
        version = 1000 * major + 10 * minor;
    else if (!mock__parse_integer(text, 0, MOCK__NEWEST_DRIVER, &version))
        return false;
    if (version < MOCK__OLDEST_DRIVER || version > MOCK__NEWEST_DRIVER)
        return false;
    *ret_version = (int) version;
    return true;
}

bool mock__parse_capability(const char *text, int *major, int *minor)
{
    return parse_pair(text, major, minor);
}

bool mock__parse_bool(const char *text, bool *ret_value)
{
    *ret_value = !strcasecmp(text, "yes") || !strcasecmp(text, "true") || !strcmp(text, "1");
    return *ret_value || !strcasecmp(text, "no") || !strcasecmp(text, "false") ||
           !strcmp(text, "0");
}
