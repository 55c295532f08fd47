/* SPDX-License-Identifier: MIT */
/*
 * The libraries cushim/11.4/libcuda.so.1 and similar ones: drivers of older versions, in front of
 * the mock. Their exports are generated, so that dlsym() finds exactly the functions of such a
 * driver. For the same reason the mock is opened and not linked: dlsym() would also search linked
 * libraries.
 *
 * MOCK_FRONT_VERSION is the version in the form of cuDriverGetVersion().
 */
#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>

#include <cushim/mock.h>
#include <cushim/rows.h>

#include "base/forward.h"
#include "base/str.h"
#include "base/util.h"

#define SHARED_OBJECT_INIT_FAILED 303

extern CUSHIM__HIDDEN cushim__forward front_forward;
cushim__forward front_forward;

/* The functions to use if the mock cannot be opened. */
static cushim__entry *no_mock[CUSHIM_CUDA_ROWS];

/* The mock's own functions, or NULL without a mock. */
static __typeof__(cushim_mock_error_text) *error_text;
static __typeof__(cushim_mock_kernels_text) *kernels_text;
static __typeof__(cushim_mock_checks) *checks;
static __typeof__(cushim_mock_configure) *configure;

/* These are for cushim and its command, which get this library and not the mock. */
const char *cushim_mock_error_text(void)
{
    return error_text ? error_text() : "";
}

const char *cushim_mock_kernels_text(void)
{
    return kernels_text ? kernels_text() : "";
}

bool cushim_mock_checks(void)
{
    return checks && checks();
}

cushim_status cushim_mock_configure(const struct cushim_mock_config *config)
{
    return configure ? configure(config) : CUSHIM_ERROR_MISSING_SYMBOL;
}

static int unavailable(void)
{
    return SHARED_OBJECT_INIT_FAILED;
}

static void no_functions(const char *why)
{
    fprintf(stderr, "cushim mock: the driver of this version does not find the mock: %s\n", why);
    for (size_t i = 0; i < ARRAY_SIZE(no_mock); i++)
        no_mock[i] = (cushim__entry *) (intptr_t) unavailable;
    CUSHIM__PUBLISH(front_forward, no_mock);
}

/*
 * Opens the mock: the libcuda.so.1 of the folder above, or the one that the dynamic linker finds.
 */
static void *open_mock(void)
{
    SCOPED_STR path = {0};
    SCOPED_FREE char *own = NULL;
    void *library = NULL;
    Dl_info info;

    if (dladdr(no_mock, &info) && info.dli_fname)
        own = strdup(info.dli_fname);
    if (own)
        cushim__str_append(&path, "%s/../libcuda.so.1", dirname(own));
    if (path.length)
        library = dlopen(cushim__str_get(&path), RTLD_NOW | RTLD_LOCAL);
    return library ? library : dlopen("libcushim-mock.so.0", RTLD_NOW | RTLD_LOCAL);
}

__attribute__((constructor)) static void open_functions(void)
{
    void *mock = open_mock();
    __typeof__(cushim_mock_front) *front;

    /* It is never closed: a driver stays in the process. */
    *(void **) &error_text = mock ? dlsym(mock, "cushim_mock_error_text") : NULL;
    *(void **) &kernels_text = mock ? dlsym(mock, "cushim_mock_kernels_text") : NULL;
    *(void **) &checks = mock ? dlsym(mock, "cushim_mock_checks") : NULL;
    *(void **) &configure = mock ? dlsym(mock, "cushim_mock_configure") : NULL;
    *(void **) &front = mock ? dlsym(mock, "cushim_mock_front") : NULL;
    if (front)
        CUSHIM__PUBLISH(front_forward, (cushim__forward) front(MOCK_FRONT_VERSION));
    else
        no_functions(dlerror());
}
