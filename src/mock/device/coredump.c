/* SPDX-License-Identifier: MIT */
/* cuCoredumpGetAttribute, cuCoredumpSetAttribute, and the same for the process */
#include "mock/base/coredump.h"

#include <stdio.h>
#include <string.h>

#include "mock/base/state.h"

#if CUDA_VERSION >= 12010

/* CUcoredumpSettings; headers before 12.5 lack the last. */
enum {
    ENABLED = 1,
    OF_HOST = 2,
    LIGHT = 3,
    BY_USER = 4,
    FILE_NAME = 5,
    PIPE_NAME = 6,
    FLAGS = 7,
};

enum {
    SKIP_ABORT = 0x10,
    LIGHT_FLAGS = 0x2f, /* all others */
};

/* Bytes of a setting; 0: there is none, or it is the process's alone. */
static size_t size_of(int setting, bool global)
{
    switch (setting) {
    case ENABLED:
    case OF_HOST:
    case LIGHT:
        return sizeof(bool);
    case BY_USER:
        return global ? sizeof(bool) : 0;
    case FILE_NAME:
        return MOCK__COREDUMP_NAME;
    case PIPE_NAME:
        return global ? MOCK__COREDUMP_NAME : 0;
    case FLAGS:
        return sizeof(unsigned);
    default:
        return 0;
    }
}

static char *name_of(struct mock__coredump *settings, int setting)
{
    return setting == FILE_NAME   ? settings->file
           : setting == PIPE_NAME ? settings->pipe
                                  : NULL;
}

static bool read_switch(const struct mock__coredump *settings, int setting)
{
    switch (setting) {
    case ENABLED:
        return settings->enabled;
    case OF_HOST:
        return !(settings->flags & SKIP_ABORT);
    case LIGHT:
        return (settings->flags & LIGHT_FLAGS) == LIGHT_FLAGS;
    default:
        return settings->by_user;
    }
}

static void set_flags(struct mock__coredump *settings, unsigned flags, bool on)
{
    settings->flags = on ? settings->flags | flags : settings->flags & ~flags;
}

static void write_switch(struct mock__coredump *settings, int setting, bool on)
{
    if (setting == OF_HOST)
        set_flags(settings, SKIP_ABORT, !on);
    else if (setting == LIGHT)
        set_flags(settings, LIGHT_FLAGS, on);
    else
        *(setting == ENABLED ? &settings->enabled : &settings->by_user) = on;
}

/* Names may be read into more room, and all others into as much as they need. */
static CUresult get(struct mock__coredump *settings, bool global, int setting, void *value,
                    size_t *size)
{
    const size_t bytes = size_of(setting, global);
    const char *name = name_of(settings, setting);

    MOCK__REQUIRE(size && bytes, CUDA_ERROR_INVALID_VALUE);
    if (!value)
        *size = bytes;
    MOCK__REQUIRE(!value || *size == bytes || (name && *size > bytes), CUDA_ERROR_INVALID_VALUE);
    if (value && name)
        snprintf(value, bytes, "%s", name);
    else if (value && setting == FLAGS)
        memcpy(value, &settings->flags, bytes);
    else if (value)
        *(bool *) value = read_switch(settings, setting);
    return CUDA_SUCCESS;
}

/* The names of the process are expanded at once. */
static void set_name(struct mock__coredump *settings, bool global, int setting, const char *value,
                     size_t size)
{
    char name[MOCK__COREDUMP_NAME];

    snprintf(name, sizeof(name), "%.*s", (int) size, value);
    if (global)
        mock__coredump_expand(name, name_of(settings, setting));
    else
        snprintf(name_of(settings, setting), sizeof(name), "%s", name);
}

static CUresult set(struct mock__coredump *settings, bool global, int setting, const void *value,
                    size_t *size)
{
    const size_t bytes = size_of(setting, global);
    const bool is_name = name_of(settings, setting);

    MOCK__REQUIRE(size && bytes, CUDA_ERROR_INVALID_VALUE);
    if (!value)
        *size = bytes;
    MOCK__REQUIRE(*size == bytes || (is_name && *size && *size < bytes), CUDA_ERROR_INVALID_VALUE);
    if (value && is_name)
        set_name(settings, global, setting, value, *size);
    else if (value && setting == FLAGS)
        memcpy(&settings->flags, value, bytes);
    else if (value)
        write_switch(settings, setting, *(const unsigned char *) value != 0); /* may be any byte */
    return CUDA_SUCCESS;
}

CUresult mock_cuCoredumpGetAttribute(CUcoredumpSettings attrib, void *value, size_t *size)
{
    MOCK__ENTER_CONTEXT(context);
    return get(&context->coredump, false, (int) attrib, value, size);
}

CUresult mock_cuCoredumpSetAttribute(CUcoredumpSettings attrib, void *value, size_t *size)
{
    MOCK__ENTER_CONTEXT(context);
    return set(&context->coredump, false, (int) attrib, value, size);
}

/* These two are for before cuInit(), too. */
CUresult mock_cuCoredumpGetAttributeGlobal(CUcoredumpSettings attrib, void *value, size_t *size)
{
    CUresult result;

    mock__lock();
    result = get(mock__coredump_global(), true, (int) attrib, value, size);
    mock__unlock();
    return result;
}

CUresult mock_cuCoredumpSetAttributeGlobal(CUcoredumpSettings attrib, void *value, size_t *size)
{
    CUresult result;

    mock__lock();
    result = set(mock__coredump_global(), true, (int) attrib, value, size);
    mock__unlock();
    return result;
}

#endif
