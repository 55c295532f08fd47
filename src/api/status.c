/* SPDX-License-Identifier: MIT */
#include <cushim/status.h>

#include "base/status.h"

const char *cushim_status_name(cushim_status status)
{
    return cushim__status_name(status);
}

const char *cushim_status_text(cushim_status status)
{
    return cushim__status_text(status);
}

cushim_status cushim_error_status(void)
{
    return cushim__error()->status;
}

const char *cushim_error_text(void)
{
    return cushim__error()->text;
}

const char *cushim_error_call(void)
{
    return cushim__error()->call;
}

const char *cushim_error_label(void)
{
    return cushim__error()->label;
}

const char *cushim_error_log(void)
{
    return cushim__error_log();
}

void cushim_error_clear(void)
{
    *cushim__error() = (struct cushim__error){0};
}
