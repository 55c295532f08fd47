/* SPDX-License-Identifier: MIT */
#include "mock/ptx/container/joined.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/*
 * The beginning of a joined text's first line, which then has the length of each part. No PTX
 * begins with this character, so a program's own text is never mistaken for a joined one.
 */
#define JOINED "\x16 cushim: joined texts of "

char *ptx__join(const char *const *texts, size_t n, size_t *ret_length)
{
    struct cushim__str joined = {.text = NULL};

    cushim__str_append(&joined, JOINED);
    for (size_t i = 0; i < n; i++)
        cushim__str_append(&joined, "%zu ", strlen(texts[i]));
    cushim__str_append(&joined, "bytes\n");
    for (size_t i = 0; i < n; i++)
        cushim__str_append(&joined, "%s", texts[i]);
    if (joined.failed) {
        cushim__str_finish(&joined);
        return NULL;
    }
    *ret_length = joined.length;
    return joined.text;
}

void ptx__parts_finish(struct ptx__parts *parts)
{
    free(parts->texts);
    free(parts->lengths);
}

static bool add_part(struct ptx__parts *parts, const char *text, size_t length)
{
    const size_t n = parts->n, room = n ? 2 * n : 1;
    const char **texts = n & (n - 1) ? parts->texts : realloc(parts->texts, room * sizeof(*texts));
    size_t *lengths;

    if (!texts)
        return false;
    parts->texts = texts;
    lengths = n & (n - 1) ? parts->lengths : realloc(parts->lengths, room * sizeof(*lengths));
    if (!lengths)
        return false;
    parts->lengths = lengths;
    texts[n] = text;
    lengths[n] = length;
    parts->n++;
    return true;
}

enum ptx__status ptx__split(const char *text, struct ptx__parts *ret_parts)
{
    const char *line = strchr(text, '\n'), *at = text + strlen(JOINED);
    size_t left = strlen(text);
    char *end;

    *ret_parts = (struct ptx__parts){.n = 0};
    if (strncmp(text, JOINED, strlen(JOINED)) != 0 || !line)
        return add_part(ret_parts, text, left) ? PTX_OK : PTX_OUT_OF_MEMORY;
    left -= (size_t) (++line - text);
    for (; *at >= '0' && *at <= '9'; at = end + 1) {
        const size_t length = strtoull(at, &end, 10);

        if (length > left || *end != ' ')
            return PTX_NO_PTX;
        if (!add_part(ret_parts, line, length))
            return PTX_OUT_OF_MEMORY;
        line += length;
        left -= length;
    }
    return ret_parts->n ? PTX_OK : PTX_NO_PTX;
}
