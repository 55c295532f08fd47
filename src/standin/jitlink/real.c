/* SPDX-License-Identifier: MIT */
#include "standin/jitlink/real.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/cushim.h>
#include <cushim/rows.h>

#include "base/env.h"
#include "base/util.h"
#include "standin/jitlink/functions.h"

#define FUNCTION(type, name) ((__typeof__(type) *) real.table[CUSHIM_ROW_##name])

typedef int get(void *link, void *ret);

static struct {
    const cushim_entry *table; /* NULL: there is none, and why says so */
    struct cushim__str why;
} real;

static _Thread_local bool is_searching;

bool real_is_searched(void)
{
    return is_searching;
}

static void search(void)
{
    const char *named = cushim__env("CUSHIM_NVJITLINK_REAL");
    const char *library = named ? named : cushim__env("CUSHIM_NVJITLINK_FOUND");
    cushim_nvjitlink found;

    is_searching = true;
    if (cushim_nvjitlink_open(
            cushim_open_params(.library = library ? library : "auto", .label = "real"), &found))
        cushim__str_append(&real.why, "%s", cushim_error_text());
    else
        real.table = cushim_nvjitlink_functions(found, CUSHIM_NVJITLINK_ROWS);
    is_searching = false;
    if (real.table && real.table[CUSHIM_ROW_nvJitLinkCreate] == (cushim_entry) nvJitLinkCreate) {
        real.table = NULL;
        cushim__str_append(&real.why, "the nvJitLink that was found is this library: "
                                      "CUSHIM_NVJITLINK_REAL names the real one");
    }
}

static bool is_there(struct jitlink *link)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, search);
    if (!real.table)
        cushim__str_append(&link->code.errors,
                           "error   : LTO-IR is compiled by the real nvJitLink alone: %s\n",
                           cushim__str_get(&real.why));
    return real.table;
}

/* Appends the real one's log of errors to the link's. */
static void copy_log(struct jitlink *link)
{
    size_t size = 0;
    char *text;

    if (!link->real || FUNCTION(get, nvJitLinkGetErrorLogSize)(link->real, &size) || !size)
        return;
    text = calloc(1, size + 1);
    if (text && !FUNCTION(get, nvJitLinkGetErrorLog)(link->real, text))
        cushim__str_append(&link->code.errors, "%s\n", text);
    free(text);
}

/* The options of the link, and -ptx. */
static int create(struct jitlink *link)
{
    const char **options = calloc(link->n_options + 1, sizeof(*options));
    unsigned n = link->n_options;
    int result;

    if (!options)
        return LINK_INTERNAL;
    memcpy(options, link->options, n * sizeof(*options));
    if (!link->ptx)
        options[n++] = "-ptx";
    result =
        FUNCTION(int(void **, uint32_t, const char **), nvJitLinkCreate)(&link->real, n, options);
    free(options);
    if (result)
        copy_log(link);
    return result;
}

int real_add(struct jitlink *link, const void *data, size_t size, const char *name)
{
    int result = LINK_SUCCESS;

    if (!is_there(link))
        return LINK_INTERNAL;
    if (!link->real)
        result = create(link);
    if (result)
        return result;
    result = FUNCTION(int(void *, int, const void *, size_t, const char *),
                      nvJitLinkAddData)(link->real, INPUT_LTOIR, data, size, name);
    if (result)
        copy_log(link);
    return result;
}

static int take_ptx(struct jitlink *link, enum ptx__status *ret_status)
{
    size_t size = 0;
    int result = FUNCTION(get, nvJitLinkGetLinkedPtxSize)(link->real, &size);
    SCOPED_FREE char *text = result ? NULL : calloc(1, size + 1);

    if (!result && !text)
        result = LINK_INTERNAL;
    if (!result)
        result = FUNCTION(get, nvJitLinkGetLinkedPtx)(link->real, text);
    if (!result)
        *ret_status = code_add(&link->code, text, size + 1, "the PTX of LTO-IR");
    return result;
}

int real_complete(struct jitlink *link)
{
    enum ptx__status status = PTX_OK;
    int result;

    if (!link->real)
        return LINK_SUCCESS;
    result = FUNCTION(int(void *), nvJitLinkComplete)(link->real);
    if (!result)
        result = take_ptx(link, &status);
    if (result)
        copy_log(link);
    return result || status == PTX_OK ? result : LINK_PTX_COMPILE;
}

void real_finish(struct jitlink *link)
{
    if (link->real)
        FUNCTION(int(void **), nvJitLinkDestroy)(&link->real);
}
