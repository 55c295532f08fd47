/* SPDX-License-Identifier: MIT */
/*
 * Every allocation fails once: the first of a call, the second, and so on until the call
 * gets through. Linked with --wrap, so that only the library's own allocations are
 * counted and fail; those of the dynamic linker are its business.
 */
#include "plain.h"

#include <dlfcn.h>

#include "../support/failing_alloc.h"
#include "loader/library.h"

enum { MOST = 1000 };

/* What the loader keeps for ever: a library is a structure and its path. */
static long kept(void)
{
    long n = 0;

    for (const struct cushim__library *l = cushim__libraries(); l; l = l->next)
        n += 2;
    return n;
}

struct attempt {
    const char *name;
    enum cushim_library library;
    const struct cushim_open_params *params;
    int wanted; /* its status with memory enough */
};

static int open_once(const struct attempt *attempt)
{
    cushim_driver driver = CUSHIM_NONE;
    cushim_nvrtc nvrtc = CUSHIM_NONE;
    int status;

    if (attempt->library == CUSHIM_LIBRARY_CUDA) {
        status = cushim_open(attempt->params, &driver);
        CHECK_INT(!driver.id, status != CUSHIM_OK);
        if (!status)
            CHECK_TEXT(cushim_driver_path(driver),
                       attempt->params->resolver ? "" : attempt->params->library);
        cushim_close(&driver);
    } else {
        status = cushim_nvrtc_open(attempt->params, &nvrtc);
        CHECK_INT(!nvrtc.id, status != CUSHIM_OK);
        if (!status)
            CHECK_TEXT(cushim_nvrtc_path(nvrtc), attempt->params->library);
        cushim_nvrtc_close(&nvrtc);
    }
    return status;
}

static int report_once(const struct attempt *attempt)
{
    const struct cushim_report *report = NULL;
    int status = cushim_report_create(attempt->library, attempt->params, &report);

    CHECK_INT(!report, status != CUSHIM_OK);
    if (!status)
        status = report->status;
    cushim_report_free(&report);
    return status;
}

/* Tries with the n-th allocation failing. True if there were not so many. */
static int try_nth(const struct attempt *attempt, int (*once)(const struct attempt *), int n)
{
    const long before = outstanding - kept();
    int status, through;

    countdown = n;
    status = once(attempt);
    through = countdown >= 0;
    countdown = NEVER;
    if (through || status != CUSHIM_ERROR_NO_MEMORY)
        CHECK_INT(status, attempt->wanted);
    if (status)
        CHECK_INT(strlen(cushim_error_text()) > 0 || once == report_once, 1);
    if (outstanding - kept() != before)
        fprintf(stderr, "%s, allocation %d: a leak\n", attempt->name, n);
    CHECK_INT(outstanding - kept(), before);
    return through;
}

static void try_all(const struct attempt *attempt, int (*once)(const struct attempt *))
{
    int n = 0;

    while (n < MOST && !failures() && !try_nth(attempt, once, n))
        n++;
    if (failures())
        fprintf(stderr, "%s, allocation %d\n", attempt->name, n);
    CHECK_INT(n < MOST, 1);
    CHECK_INT(n > 0, 1);
}

static void *resolve(const char *symbol, void *user)
{
    return dlsym(*(void **) user, symbol);
}

/* Memory that stays: the table of handles grows by a chunk that is never given back. */
static void warm_up(void)
{
    cushim_driver driver = CUSHIM_NONE;

    CHECK_INT(cushim_open(cushim_open_params(.library = FAKE("few")), &driver), CUSHIM_OK);
    cushim_close(&driver);
}

int main(void)
{
    void *handle = dlopen(FAKE("answers"), RTLD_NOW | RTLD_LOCAL);
    void *user = handle;
    const char *bad = FAKE("none") ":" FAKE("some") ":" FAKE("stub") ":" FAKE(
        "dangling") ":" FAKE_DIR "/bad/other.so:" FAKE_DIR "/bad/truncated.so:libcushim-no-such.so";
    /* Each begins with a library that is not known yet, and then goes on with a known one. */
    const struct attempt attempts[] = {
        {"path", CUSHIM_LIBRARY_CUDA, cushim_open_params(.library = FAKE("old"), .label = "label"),
         CUSHIM_OK},
        {"known", CUSHIM_LIBRARY_CUDA, cushim_open_params(.library = FAKE("few")), CUSHIM_OK},
        {"resolver", CUSHIM_LIBRARY_CUDA,
         cushim_open_params(.resolver = resolve, .resolver_user = &user), CUSHIM_OK},
        {"nvrtc", CUSHIM_LIBRARY_NVRTC, cushim_open_params(.library = FAKE("nvrtc")), CUSHIM_OK},
        {"bad ones", CUSHIM_LIBRARY_CUDA, cushim_open_params(.library = bad),
         CUSHIM_ERROR_NO_DRIVER},
        {"none", CUSHIM_LIBRARY_NVRTC, cushim_open_params(.library = "none"),
         CUSHIM_ERROR_NO_NVRTC},
    };

    warm_up();
    for (size_t i = 0; i < ARRAY_SIZE(attempts); i++) {
        try_all(&attempts[i], report_once);
        try_all(&attempts[i], open_once);
    }
    dlclose(handle);
    return failures();
}
