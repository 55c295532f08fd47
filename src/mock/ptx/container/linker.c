/* SPDX-License-Identifier: MIT */
#include "mock/ptx/container/linker.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "mock/ptx/container/device_runtime.h"
#include "mock/ptx/container/joined.h"
#include "mock/ptx/link/link.h"
#include "mock/ptx/link/read.h"

/* Takes over the string. */
static bool add_string(char ***list, size_t *n, char *string)
{
    char **larger = *list;

    /* It doubles whenever its length is a power of two. */
    if (!(*n & (*n - 1)))
        larger = realloc(*list, (*n ? 2 * *n : 1) * sizeof(*larger));
    if (larger)
        *list = larger;
    if (!larger || !string) {
        free(string);
        return false;
    }
    larger[(*n)++] = string;
    return true;
}

static bool add_name(struct ptx__linker *linker, const char *name)
{
    uint32_t *number;

    if (!add_string(&linker->names, &linker->n_names, strdup(name)))
        return false;
    number = ptx__name_at(&linker->by_name, 0, linker->names[linker->n_names - 1]);
    if (number)
        *number = 0;
    return number;
}

static bool is_kernel(const struct ptx__function *function)
{
    return function->is_kernel && function->has_body && !function->replaced;
}

/* Kernels are seen by all inputs, so that a second one of a name is a mistake. */
static enum ptx__status add_names(struct ptx__linker *linker, const struct ptx__module *module,
                                  struct ptx__log *log)
{
    for (uint32_t i = 0; i < module->n_functions; i++) {
        const struct ptx__function *function = &module->functions[i];

        if (!is_kernel(function) || ptx__name_find(&linker->by_name, 0, function->name) == PTX_NONE)
            continue;
        ptx__report(log, PTX_ERROR, (struct ptx__place){0, 0}, "Multiple definition of '%.100s'",
                    function->name);
        return PTX_DEFINED_TWICE;
    }
    for (uint32_t i = 0; i < module->n_functions; i++)
        if (is_kernel(&module->functions[i]) && !add_name(linker, module->functions[i].name))
            return PTX_OUT_OF_MEMORY;
    return PTX_OK;
}

static enum ptx__status add_part(struct ptx__linker *linker, const char *text, struct ptx__log *log)
{
    struct ptx__module module = {.n_functions = 0};
    enum ptx__status status = ptx__read_part(text, strlen(text), linker->capability, &module, log);

    if (status == PTX_OK)
        status = add_names(linker, &module, log);
    ptx__finish(&module);
    return status;
}

enum ptx__status ptx__linker_add(struct ptx__linker *linker, const char *text, struct ptx__log *log)
{
    enum ptx__status status = add_part(linker, text, log);
    char *copy;

    if (status != PTX_OK)
        return status;
    copy = strdup(text);
    if (copy && !ptx__limits_write(&linker->limits, &copy)) {
        free(copy);
        return PTX_OUT_OF_MEMORY;
    }
    return add_string(&linker->texts, &linker->n_texts, copy) ? PTX_OK : PTX_OUT_OF_MEMORY;
}

/* A library's functions come last: they count only where nothing else defines them. */
static char *join(const struct ptx__linker *linker, size_t *ret_length)
{
    const size_t n = linker->n_texts;
    SCOPED_FREE const char **texts = calloc(n + 2, sizeof(*texts));
    bool launches = false;

    if (!texts)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        texts[i] = linker->texts[i];
        launches = launches || ptx__uses_launches(texts[i]);
    }
    texts[n] = ptx__device_runtime;
    texts[n + 1] = ptx__device_launches;
    return ptx__join(texts, linker->has_runtime ? n + 1 + launches : n, ret_length);
}

enum ptx__status ptx__linker_complete(const struct ptx__linker *linker, char **ret_image,
                                      size_t *ret_length, struct ptx__log *log)
{
    SCOPED_FREE char *image = join(linker, ret_length);
    struct ptx__module module = {.n_functions = 0};
    enum ptx__status status;

    if (!image)
        return PTX_OUT_OF_MEMORY;
    /* All texts as one module, to hear now what does not fit together. */
    status = ptx__read_image(image, linker->capability, &module, log);
    ptx__finish(&module);
    if (status == PTX_OK)
        *ret_image = TAKE_PTR(image);
    return status;
}

static void free_strings(char **list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(list[i]);
    free(list);
}

void ptx__linker_finish(struct ptx__linker *linker)
{
    ptx__name_index_finish(&linker->by_name);
    free_strings(linker->names, linker->n_names);
    free_strings(linker->texts, linker->n_texts);
    *linker = (struct ptx__linker){.capability = linker->capability};
}

enum ptx__status ptx__read_image(const char *image, int capability, struct ptx__module *module,
                                 struct ptx__log *log)
{
    struct ptx__parts parts;
    enum ptx__status status = ptx__split(image, &parts);

    if (status == PTX_OK)
        status = ptx__read(parts.texts, parts.lengths, parts.n, capability, module, log);
    ptx__parts_finish(&parts);
    return status;
}
