/* SPDX-License-Identifier: MIT */
#include "base/included.h"

#include <string.h>

#include "base/file.h"
#include "base/include_lines.h"

enum { MOST_PATHS = 4096 };
#define LARGEST ((size_t) 64 << 20)

static bool is_known(const struct cushim__included_search *search, const char *path)
{
    for (size_t i = 0; i < search->n_paths; i++)
        if (!strcmp(search->paths[i], path))
            return true;
    return !strcmp(search->source, path);
}

static bool note(struct cushim__included_search *search, const char *path)
{
    if (search->n_paths == search->capacity) {
        const size_t capacity = search->capacity ? 2 * search->capacity : 16;
        const char **paths = cushim__arena_alloc(search->arena, capacity * sizeof(*paths));

        if (!paths)
            return false;
        if (search->n_paths)
            memcpy(paths, search->paths, search->n_paths * sizeof(*paths));
        search->paths = paths;
        search->capacity = capacity;
    }
    search->paths[search->n_paths++] = path;
    return true;
}

/* Sees a file and what it includes. Returns false if there is no such file. */
static bool try(struct cushim__included_search *search, const char *folder, const char *name)
{
    const char *path = cushim__arena_printf(search->arena, "%s%s", folder, name);
    struct cushim__file file;

    if (is_known(search, path))
        return true;
    if (search->n_paths == MOST_PATHS || !cushim__file_read_text(path, LARGEST, &file))
        return false;
    if (note(search, path)) {
        const struct cushim__included found = {name, path, file.bytes, (size_t) file.size};

        search->see(&found, search->user);
        cushim__included_scan(search, path, file.bytes);
    }
    cushim__file_finish(&file);
    return true;
}

/* Quotes are first looked up beside the file that includes. */
static void find(struct cushim__included_search *search, const char *from, const char *name,
                 bool quotes)
{
    if (*name == '/') {
        try(search, "", name);
        return;
    }
    if (quotes && try(search, cushim__include_folder(search->arena, from), name))
        return;
    for (size_t i = 0; search->folders && search->folders[i]; i++)
        if (try(search, cushim__arena_printf(search->arena, "%s/", search->folders[i]), name))
            return;
    try(search, cushim__include_folder(search->arena, search->source), name);
}

/* A text whose headers are looked for. */
struct text {
    struct cushim__included_search *search;
    const char *path;
};

static void found(const char *name, size_t length, bool quotes, void *user)
{
    const struct text *text = user;
    struct cushim__included_search *search = text->search;

    find(search, text->path, cushim__arena_printf(search->arena, "%.*s", (int) length, name),
         quotes);
}

void cushim__included_scan(struct cushim__included_search *search, const char *path,
                           const char *text)
{
    struct text scanned = {search, path};

    /* What is not sure is not found: see included.h. */
    cushim__include_lines(text, strlen(text), found, &scanned);
}
