/* SPDX-License-Identifier: MIT */
#include "base/status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/attention.h"
#include "base/results.h"
#include "base/str.h"
#include "base/util.h"

atomic_uint cushim__attention;

enum {
    NVRTC_BASE = CUSHIM_STATUS_NVRTC(1) - 1,
    NVJITLINK_BASE = CUSHIM_STATUS_NVJITLINK(1) - 1,
};

#define NAME_CASE(number, name, text)                                                              \
    case number:                                                                                   \
        return #name;
#define TEXT_CASE(number, name, text)                                                              \
    case number:                                                                                   \
        return text;

const char *cushim__cuda_result_name(int result)
{
    switch (result) {
        CUSHIM__CUDA_RESULT_MAP(NAME_CASE)
    default:
        return NULL;
    }
}

const char *cushim__cuda_result_text(int result)
{
    switch (result) {
        CUSHIM__CUDA_RESULT_MAP(TEXT_CASE)
    default:
        return NULL;
    }
}

const char *cushim__nvrtc_result_name(int result)
{
    switch (result) {
        CUSHIM__NVRTC_RESULT_MAP(NAME_CASE)
    default:
        return NULL;
    }
}

const char *cushim__nvrtc_result_text(int result)
{
    switch (result) {
        CUSHIM__NVRTC_RESULT_MAP(TEXT_CASE)
    default:
        return NULL;
    }
}

const char *cushim__nvjitlink_result_name(int result)
{
    switch (result) {
        CUSHIM__NVJITLINK_RESULT_MAP(NAME_CASE)
    default:
        return NULL;
    }
}

const char *cushim__nvjitlink_result_text(int result)
{
    switch (result) {
        CUSHIM__NVJITLINK_RESULT_MAP(TEXT_CASE)
    default:
        return NULL;
    }
}

static const char *own_name(cushim_status status)
{
#define OWN_NAME_CASE(name, value, text) NAME_CASE(value, name, text)
    switch (status) {
        CUSHIM_STATUS_MAP(OWN_NAME_CASE)
    default:
        return NULL;
    }
}

static const char *own_text(cushim_status status)
{
#define OWN_TEXT_CASE(name, value, text) TEXT_CASE(value, name, text)
    switch (status) {
        CUSHIM_STATUS_MAP(OWN_TEXT_CASE)
    default:
        return NULL;
    }
}

const char *cushim__status_name(cushim_status status)
{
    const char *name = status <= 0 ? own_name(status)
                       : status > NVJITLINK_BASE
                           ? cushim__nvjitlink_result_name(status - NVJITLINK_BASE)
                       : status > NVRTC_BASE ? cushim__nvrtc_result_name(status - NVRTC_BASE)
                                             : cushim__cuda_result_name(status);

    return name ? name : "CUSHIM_STATUS_UNKNOWN";
}

const char *cushim__status_text(cushim_status status)
{
    const char *text = status <= 0 ? own_text(status)
                       : status > NVJITLINK_BASE
                           ? cushim__nvjitlink_result_text(status - NVJITLINK_BASE)
                       : status > NVRTC_BASE ? cushim__nvrtc_result_text(status - NVRTC_BASE)
                                             : cushim__cuda_result_text(status);

    return text ? text : "a result that this version of cushim does not know";
}

struct cushim__error *cushim__error(void)
{
    static _Thread_local struct cushim__error error;

    return &error;
}

cushim_status cushim__fail_at(cushim_status status, const char *call, const char *label,
                              const char *format, ...)
{
    /*
     * The arguments may point into the last error, so the new error is complete before it replaces
     * the old one.
     */
    struct cushim__error error = {.status = status};
    va_list list;

    va_start(list, format);
    vsnprintf(error.text, sizeof(error.text), format, list);
    va_end(list);
    cushim__str_one_line(error.text);
    snprintf(error.call, sizeof(error.call), "%s", call ? call : "");
    snprintf(error.label, sizeof(error.label), "%s", label ? label : "");
    cushim__str_one_line(error.label);
    *cushim__error() = error;
    return status;
}

static bool is_public(const char *call)
{
    return !strncmp(call, "cushim_", strlen("cushim_"));
}

void cushim__error_as(const char *call)
{
    struct cushim__error *error = cushim__error();
    const struct cushim__error before = *error;
    const size_t name = strspn(before.text, "abcdefghijklmnopqrstuvwxyz0123456789_");

    if (is_public(before.call))
        snprintf(error->call, sizeof(error->call), "%s", call);
    if (is_public(before.text))
        snprintf(error->text, sizeof(error->text), "%s%s", call, before.text + name);
}

void cushim__error_append(const char *format, ...)
{
    struct cushim__error *error = cushim__error();
    const size_t used = strlen(error->text);
    va_list list;

    va_start(list, format);
    vsnprintf(error->text + used, sizeof(error->text) - used, format, list);
    va_end(list);
    cushim__str_one_line(error->text);
}
