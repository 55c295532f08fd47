/* SPDX-License-Identifier: MIT */
/*
 * The headers that come with NVRTC since CUDA 13.3: those of the real one. Recorded answers have
 * none, because the sources that include them were compiled before. functions.h declares these.
 */
#include <cushim/rows.h>

#include "standin/nvrtc/functions.h"
#include "standin/nvrtc/session.h"

static const char no_headers[] = "no headers come with recorded answers, or with this NVRTC";

static int fail(const char **log)
{
    if (log)
        *log = no_headers;
    return RTC_BUILTIN_OPERATION_FAILURE;
}

int nvrtcInstallBundledHeaders(const char *folder, unsigned flags, const char **log)
{
    const cushim_entry real =
        session_real("nvrtcInstallBundledHeaders", CUSHIM_ROW_nvrtcInstallBundledHeaders);

    if (!folder)
        return RTC_INVALID_INPUT;
    return real ? ((__typeof__(nvrtcInstallBundledHeaders) *) real)(folder, flags, log) : fail(log);
}

int nvrtcRemoveBundledHeaders(const char *folder, const char **log)
{
    const cushim_entry real =
        session_real("nvrtcRemoveBundledHeaders", CUSHIM_ROW_nvrtcRemoveBundledHeaders);

    if (!folder)
        return RTC_INVALID_INPUT;
    return real ? ((__typeof__(nvrtcRemoveBundledHeaders) *) real)(folder, log) : fail(log);
}

int nvrtcGetBundledHeadersInfo(struct bundled_headers *info, const char **log)
{
    const cushim_entry real =
        session_real("nvrtcGetBundledHeadersInfo", CUSHIM_ROW_nvrtcGetBundledHeadersInfo);

    if (!info)
        return RTC_INVALID_INPUT;
    if (real)
        return ((__typeof__(nvrtcGetBundledHeadersInfo) *) real)(info, log);
    *info = (struct bundled_headers){.available = 0};
    return RTC_SUCCESS;
}
