/* SPDX-License-Identifier: MIT */
#include <cushim/report.h>

#include <stdlib.h>

#include "base/status.h"
#include "base/util.h"
#include "loader/open.h"

cushim_status cushim_report_create(enum cushim_library library,
                                   const struct cushim_open_params *params,
                                   const struct cushim_report **ret_report)
{
    const struct cushim__error before = *cushim__error();
    struct cushim__library *loaded = NULL;
    struct cushim__story *story;

    if (!ret_report)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "cushim_report_create: ret_report is NULL");
    if (library != CUSHIM_LIBRARY_CUDA && library != CUSHIM_LIBRARY_NVRTC)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "cushim_report_create: there is no library %d", (int) library);
    story = malloc(sizeof(*story));
    if (!story)
        return cushim__fail(CUSHIM_ERROR_NO_MEMORY, "no memory for a report");
    cushim__load(library, params, __func__, story, &loaded);
    if (story->arena.failed) {
        cushim__story_finish(story);
        free(story);
        return cushim__fail(CUSHIM_ERROR_NO_MEMORY, "no memory for a report");
    }
    /* A library that was not found is what the report says, and no error of this call. */
    *cushim__error() = before;
    *ret_report = &story->report;
    return CUSHIM_OK;
}

void cushim_report_free(const struct cushim_report **report)
{
    struct cushim__story *story;

    if (!report || !*report)
        return;
    story = (struct cushim__story *) TAKE_PTR(*report);
    cushim__story_finish(story);
    free(story);
}

const char *cushim_verdict_word(enum cushim_verdict verdict)
{
    return cushim__verdict_word(verdict);
}

const char *cushim_origin_word(enum cushim_origin origin)
{
    return cushim__origin_word(origin);
}
