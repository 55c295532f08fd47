/* SPDX-License-Identifier: MIT */
#include "core/graph/paths.h"

#include <string.h>

static bool has(const struct cushim__recording *recording, const struct cushim__recorded *work,
                const unsigned char *paths, enum cushim__path path)
{
    for (size_t i = 0; i < work->n_before; i++) {
        const unsigned char p = paths[recording->before.items[work->first_before + i]];

        if (p == path || p == CUSHIM__PATH_SAME)
            return true;
    }
    return false;
}

static void mark_before(const struct cushim__recording *recording, unsigned number,
                        unsigned char *paths)
{
    const struct cushim__recorded *work = &recording->works[number];

    for (size_t i = 0; i < work->n_before; i++)
        paths[recording->before.items[work->first_before + i]] = CUSHIM__PATH_BEFORE;
}

/* Works come after works with smaller numbers only, so one way in each direction is enough. */
void cushim__paths_find(const struct cushim__recording *recording, unsigned number,
                        unsigned char *paths)
{
    memset(paths, CUSHIM__PATH_NONE, recording->n_works);
    paths[number] = CUSHIM__PATH_SAME;
    for (unsigned i = number + 1; i-- > 0;)
        if (paths[i])
            mark_before(recording, i, paths);
    for (size_t i = number + 1; i < recording->n_works; i++)
        if (has(recording, &recording->works[i], paths, CUSHIM__PATH_AFTER))
            paths[i] = CUSHIM__PATH_AFTER;
}

bool cushim__accesses_conflict(const struct cushim__access *a, const struct cushim__access *b)
{
    return a->buffer == b->buffer && a->begin < b->end && b->begin < a->end &&
           (a->write || b->write);
}
