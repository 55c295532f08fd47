/* SPDX-License-Identifier: MIT */
#include "mock/module/kernels.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linker/library_file.h"
#include "base/status.h"
#include "base/util.h"
#include "mock/ptx/syntax/name_index.h"

/* Apart from the driver's lock, as a kernel or a plug-in may register others. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Names are the registry's own; entries without a function are free. */
static struct cushim_mock_kernel *kernels;
static size_t n_kernels, room;
static struct ptx__name_index by_name;

static struct cushim_mock_kernel *find(const char *name)
{
    const uint32_t number = ptx__name_find(&by_name, 0, name);

    return number < n_kernels ? &kernels[number] : NULL;
}

static bool have_room(void)
{
    const size_t wanted = room ? 2 * room : 16;
    struct cushim_mock_kernel *larger;

    if (n_kernels < room)
        return true;
    larger = realloc(kernels, wanted * sizeof(*larger));
    if (!larger)
        return false;
    kernels = larger;
    room = wanted;
    return true;
}

static struct cushim_mock_kernel *add(const char *name)
{
    char *copy = have_room() ? strdup(name) : NULL;
    uint32_t *number = copy ? ptx__name_at(&by_name, 0, copy) : NULL;

    if (!number) {
        free(copy);
        return NULL;
    }
    *number = (uint32_t) n_kernels;
    kernels[n_kernels] = (struct cushim_mock_kernel){.name = copy};
    return &kernels[n_kernels++];
}

cushim_status cushim_mock_register_kernel(const char *name, cushim_mock_kernel_fn fn, void *user)
{
    struct cushim_mock_kernel *kernel;

    if (!name || !*name)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "cushim_mock_register_kernel: the name is %s", name ? "empty" : "NULL");
    pthread_mutex_lock(&lock);
    kernel = find(name);
    if (!kernel && fn)
        kernel = add(name);
    if (kernel) {
        kernel->fn = fn;
        kernel->user = user;
    }
    pthread_mutex_unlock(&lock);
    if (kernel || !fn)
        return CUSHIM_OK;
    return cushim__fail(CUSHIM_ERROR_NO_MEMORY,
                        "cushim_mock_register_kernel: the host is out of memory");
}

bool mock__kernel_find(const char *name, struct cushim_mock_kernel *ret_kernel)
{
    const struct cushim_mock_kernel *kernel;
    bool found;

    pthread_mutex_lock(&lock);
    kernel = find(name);
    found = kernel && kernel->fn;
    if (found)
        *ret_kernel = *kernel;
    pthread_mutex_unlock(&lock);
    return found;
}

static void complain(const char *path, const char *why)
{
    const size_t length = strlen(path);

    /* The linker's own text begins with the path as well. */
    if (!strncmp(why, path, length) && !strncmp(why + length, ": ", 2))
        why += length + 2;
    fprintf(stderr, "cushim mock: CUSHIM_MOCK_KERNELS: %s: %s\n", path, why);
}

static void load(const char *path)
{
    const struct cushim_mock_kernel *kernel;
    struct cushim__arena arena = {0};
    const char *why;
    void *library = cushim__library_open(path, &arena, &why);

    if (!library)
        complain(path, why);
    cushim__arena_finish(&arena);
    if (!library)
        return;
    kernel = dlsym(library, "cushim_mock_kernels");
    if (!kernel) {
        complain(path, "it does not export cushim_mock_kernels");
        dlclose(library);
        return;
    }
    for (; kernel->name; kernel++) {
        if (cushim_mock_register_kernel(kernel->name, kernel->fn, kernel->user) != CUSHIM_OK)
            complain(path, "a kernel could not be registered");
    }
}

void mock__kernels_load(const char *paths)
{
    SCOPED_FREE char *copy = paths ? strdup(paths) : NULL;
    char *rest = NULL;

    for (char *path = copy ? strtok_r(copy, ":", &rest) : NULL; path;
         path = strtok_r(NULL, ":", &rest))
        load(path);
}
