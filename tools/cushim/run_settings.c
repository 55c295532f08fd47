/* SPDX-License-Identifier: MIT */
/* What `cushim run` refuses before it runs a program that would be run on something else. */
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cushim/fault.h>
#include <cushim/mock.h>

#include "run.h"
#include "util.h"

/* Says what is wrong, by the name that the user has written. */
static bool refuse(const struct run_request *request, const char *variable, const char *text)
{
    for (int i = 0; i < RUN_N_SETTINGS; i++)
        if (!strcmp(run_settings[i].variable, variable) && request->given >> i & 1u) {
            fprintf(stderr, "cushim run: --%s: %s\n", run_settings[i].option, text);
            return false;
        }
    fprintf(stderr, "cushim run: %s%s%s\n", variable, *variable ? ": " : "", text);
    return false;
}

static const char *value_of(const char *variable)
{
    const char *value = getenv(variable);

    return value && *value ? value : NULL;
}

/* The name of the function that was called says nothing to a user. */
static const char *fault_error(void)
{
    static const char call[] = "cushim_faults_read: ";
    const char *text = cushim_error_text();

    return strncmp(text, call, sizeof(call) - 1) ? text : text + sizeof(call) - 1;
}

static bool check_faults(const struct run_request *request)
{
    static const char variable[] = "CUSHIM_MOCK_FAULTS";
    const char *rules = value_of(variable);
    cushim_faults faults = CUSHIM_NONE;
    bool good = true;

    if (!rules)
        return true;
    if (cushim_faults_create(NULL, &faults) ||
        (*rules == '@' ? cushim_faults_read_file(faults, rules + 1)
                       : cushim_faults_read(faults, rules)))
        good = refuse(request, variable, fault_error());
    cushim_faults_free(&faults);
    return good;
}

/* The file is written when the program ends, which is late to say that it cannot be. */
static bool check_trace(const struct run_request *request)
{
    static const char variable[] = "CUSHIM_MOCK_TRACE";
    const char *path = value_of(variable);
    char *copy, *folder, *text;
    bool good;

    if (!path)
        return true;
    copy = format("%s", path);
    folder = dirname(copy);
    good = !access(folder, W_OK);
    text = format("%s: %s", folder, strerror(errno));
    if (!good)
        refuse(request, variable, text);
    free(text);
    free(copy);
    return good;
}

/* A plug-in without a folder in its name may be anywhere in the library path. */
static bool check_kernels(const struct run_request *request)
{
    static const char variable[] = "CUSHIM_MOCK_KERNELS";
    const char *paths = value_of(variable);
    char *copy = format("%s", paths ? paths : ""), *rest = copy, *path;
    bool good = true;

    while (good && (path = strsep(&rest, ":"))) {
        if (strchr(path, '/') && access(path, R_OK)) {
            char *text = format("%s: %s", path, strerror(errno));

            good = refuse(request, variable, text);
            free(text);
        }
    }
    free(copy);
    return good;
}

bool run_check_paths(const struct run_request *request)
{
    return check_faults(request) && check_trace(request) && check_kernels(request);
}

/* Its text begins with the variable that is wrong, or with a file and a line. */
static bool refuse_settings(const struct run_request *request, const char *text)
{
    for (int i = 0; i < RUN_N_SETTINGS; i++) {
        const char *variable = run_settings[i].variable;
        const size_t length = strlen(variable);

        if (!strncmp(text, variable, length) && !strncmp(text + length, ": ", 2))
            return refuse(request, variable, text + length + 2);
    }
    return refuse(request, "", text);
}

/* What stands in for ptxas says that it is of this version. */
static bool tell_version(void *mock)
{
    int (*get_version)(int *version) = NULL;
    char text[16];
    int version = 0;

    *(void **) &get_version = dlsym(mock, "cuDriverGetVersion");
    if (!get_version || get_version(&version))
        return true;
    snprintf(text, sizeof(text), "%d.%d", version / 1000, version % 1000 / 10);
    return run_set("CUSHIM_TOOLKIT_VERSION", text);
}

bool run_check_settings(const struct run_request *request, const char *mock)
{
    /* It is loaded already: to find it was to load it. */
    void *library = dlopen(mock, RTLD_NOW | RTLD_LOCAL);
    __typeof__(cushim_mock_configure) *configure = NULL;
    __typeof__(cushim_mock_error_text) *error_text = NULL;

    if (library) {
        *(void **) &configure = dlsym(library, "cushim_mock_configure");
        *(void **) &error_text = dlsym(library, "cushim_mock_error_text");
    }
    /* A library by that name of an older version cannot be asked; the program will hear of it. */
    if (!configure || !error_text || configure(NULL) != CUSHIM_ERROR_INVALID_ARGUMENT)
        return !library || tell_version(library);
    return refuse_settings(request, error_text());
}
