/* SPDX-License-Identifier: MIT */
/* Where a program that `cushim run` runs finds the mock, and what stands in for NVIDIA's compilers.
 */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cushim/report.h>

#include "run.h"
#include "util.h"

char *run_find_mock(void)
{
    const struct cushim_open_params *params =
        cushim_open_params(.library = "mock", .load_only = true);
    const struct cushim_report *report = NULL;
    char *path = NULL;

    if (cushim_report_create(CUSHIM_LIBRARY_CUDA, params, &report)) {
        fprintf(stderr, "cushim run: %s\n", cushim_error_text());
        return NULL;
    }
    /* The path must contain a folder, which goes into the library path. */
    if (report->chosen && strchr(report->chosen->path, '/'))
        path = format("%s", report->chosen->path);
    if (!path)
        fprintf(stderr, "cushim run: the mock is not installed; %s\n", report->text);
    cushim_report_free(&report);
    return path;
}

/* Puts words before those that a variable has. */
static bool prepend(const char *name, const char *words)
{
    const char *before = getenv(name);
    char *all =
        format("%s%s%s", words, before && *before ? ":" : "", before && *before ? before : "");
    const bool done = run_set(name, all);

    free(all);
    return done;
}

/*
 * Tells the stand-ins what they would find if they were not in the library path themselves. A
 * compiler that is not there needs no variable.
 */
static bool tell_found(enum cushim_library library, const char *name)
{
    const struct cushim_report *report = NULL;
    bool done = true;

    if (getenv(name) || cushim_report_create(library, NULL, &report))
        return true;
    if (report->chosen && strchr(report->chosen->path, '/'))
        done = run_set(name, report->chosen->path);
    cushim_report_free(&report);
    return done;
}

/* Returns PLACE/toolkit if it has what stands in for NVIDIA's compilers. The caller frees it. */
static char *toolkit_in(const char *place)
{
    char *redirect = format("%s/toolkit/redirect.so", place);
    const bool there = !access(redirect, R_OK);

    free(redirect);
    return there ? format("%s/toolkit", place) : NULL;
}

/* It is beside the mock, or beside the folder of a mock that is an older driver. */
static char *find_toolkit(const char *folder)
{
    char *toolkit = toolkit_in(folder), *inner = format("%s", folder);

    if (!toolkit)
        toolkit = toolkit_in(dirname(inner));
    if (!toolkit)
        fprintf(stderr,
                "cushim run: what stands in for NVIDIA's compilers is not in %s/toolkit; a program "
                "that asks for machine code will not run\n",
                folder);
    free(inner);
    return toolkit;
}

/*
 * In place of NVIDIA's compilers the program finds those that keep the PTX. Where they were not
 * built, it uses its own.
 */
static bool lead_to_compilers(const char *folder)
{
    char *toolkit = find_toolkit(folder), *redirect;
    bool done;

    if (!toolkit)
        return true;
    redirect = format("%s/redirect.so", toolkit);
    done = tell_found(CUSHIM_LIBRARY_NVRTC, "CUSHIM_NVRTC_FOUND") &&
           tell_found(CUSHIM_LIBRARY_NVJITLINK, "CUSHIM_NVJITLINK_FOUND") &&
           prepend("LD_LIBRARY_PATH", toolkit) && prepend("LD_PRELOAD", redirect) &&
           prepend("PATH", toolkit) && run_set("CUSHIM_NVRTC_KEEP_PTX", "1") &&
           /* It wants to be the first library of a program, which a preloaded one is. */
           prepend("ASAN_OPTIONS", "verify_asan_link_order=0");
    free(redirect);
    free(toolkit);
    return done;
}

bool run_lead_to(char *mock, bool own_compilers)
{
    const char *folder;

    if (!run_set("CUSHIM_LIBCUDA", mock))
        return false;
    folder = dirname(mock);
    return prepend("LD_LIBRARY_PATH", folder) && (own_compilers || lead_to_compilers(folder));
}
