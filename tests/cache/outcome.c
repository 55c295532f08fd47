/* SPDX-License-Identifier: MIT */
#include "outcome.h"

cushim_nvrtc nvrtc;
char folder[64], log_text[4096];

static void keep_log(enum cushim_log_level level, const char *message, void *user)
{
    (void) level, (void) user;
    snprintf(log_text, sizeof(log_text), "%s", message);
}

void open_nvrtc(const char *path, cushim_nvrtc *ret_nvrtc)
{
    NEED(!cushim_nvrtc_open(cushim_open_params(.library = path), ret_nvrtc));
}

void setup(void)
{
    new_folder(folder);
    open_nvrtc(FAKE_NVRTC, &nvrtc);
    cushim_log_set(CUSHIM_LOG_INFO, keep_log, NULL);
    log_text[0] = 0;
}

void teardown(void)
{
    cushim_nvrtc_close(&nvrtc);
    remove_folder(folder);
    cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
}

enum outcome outcome_of(const char *source, const struct cushim_compile_params *given)
{
    struct cushim_compile_params params = *given;
    CUSHIM_SCOPED(cushim_image) image = CUSHIM_NONE;
    const struct cushim_cache_counts before = counts_now();
    struct cushim_cache_counts after;

    params.nvrtc = nvrtc;
    if (!params.cache)
        params.cache = folder;
    if (cushim_compile(source, &params, &image))
        return FAILED;
    after = counts_now();
    cr_assert(eq(u64, after.hits + after.misses + after.bypasses,
                 before.hits + before.misses + before.bypasses + 1));
    return after.hits > before.hits ? HIT : after.misses > before.misses ? MISS : BYPASS;
}
