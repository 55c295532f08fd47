/* SPDX-License-Identifier: MIT */
#include "core/code/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

struct cushim__image *cushim__image_new(void)
{
    struct cushim__image *image = calloc(1, sizeof(*image));

    if (image)
        image->log = image->name = "";
    return image;
}

void cushim__image_free(struct cushim__image *image)
{
    if (!image)
        return;
    cushim__arena_finish(&image->arena);
    free(image);
}

void cushim__image_destroy(void *image)
{
    cushim__image_free(image);
}

const char *cushim__image_lowered(const struct cushim__image *image, const char *expression)
{
    for (size_t i = 0; i < image->n_lowered; i++)
        if (!strcmp(image->lowered[i].expression, expression))
            return image->lowered[i].name;
    return NULL;
}

/*
 * Finds the first line that reports an error. NVRTC and ptxas write "error", and ptxas writes
 * "fatal" for errors after which it stops.
 */
static const char *find_error(const char *log)
{
    const char *error = strstr(log, "error"), *fatal = strstr(log, "fatal");

    if (!error || (fatal && fatal < error))
        error = fatal;
    if (!error)
        return log;
    while (error > log && error[-1] != '\n')
        error--;
    return error;
}

const char *cushim__log_first_error(const char *log, char *buffer, size_t size)
{
    const char *line = find_error(log);
    size_t length;

    line += strspn(line, " \n\t");
    length = strcspn(line, "\n");
    while (length && line[length - 1] == ' ')
        length--;
    snprintf(buffer, size, "%.*s", (int) length, line);
    return buffer;
}
