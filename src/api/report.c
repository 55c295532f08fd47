/* SPDX-License-Identifier: MIT */
#include <cushim/report.h>

#include <stdlib.h>

#include "base/params.h"
#include "base/status.h"
#include "base/util.h"
#include "loader/open.h"

cushim_status cushim_report_create(enum cushim_library library,
                                   const struct cushim_open_params *params,
                                   const struct cushim_report **ret_report)
{
    const struct cushim__error before = *cushim__error();
    struct cushim__library *loaded = NULL;
    struct cushim__search_report *search_report;
    struct cushim_open_params given;

    if (!ret_report)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "cushim_report_create: ret_report is NULL");
    if ((unsigned) library > CUSHIM_LIBRARY_NVJITLINK)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "cushim_report_create: there is no library %d", (int) library);
    CUSHIM_TRY(PARAMS_READ(cushim_open_params, label, params, &given));
    search_report = malloc(sizeof(*search_report));
    if (!search_report)
        return cushim__fail(CUSHIM_ERROR_NO_MEMORY, "no memory for a report");
    cushim__load(library, &given, __func__, search_report, &loaded);
    if (search_report->arena.failed) {
        cushim__search_report_finish(search_report);
        free(search_report);
        return cushim__fail(CUSHIM_ERROR_NO_MEMORY, "no memory for a report");
    }
    /* If no library was found, that is part of the report, and not an error of this call. */
    *cushim__error() = before;
    *ret_report = &search_report->report;
    return CUSHIM_OK;
}

void cushim_report_free(const struct cushim_report **report)
{
    struct cushim__search_report *search_report;

    if (!report || !*report)
        return;
    search_report = (struct cushim__search_report *) TAKE_PTR(*report);
    cushim__search_report_finish(search_report);
    free(search_report);
}

const char *cushim_verdict_word(enum cushim_verdict verdict)
{
    return cushim__verdict_word(verdict);
}

const char *cushim_origin_word(enum cushim_origin origin)
{
    return cushim__origin_word(origin);
}
