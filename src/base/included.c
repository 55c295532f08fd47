/* SPDX-License-Identifier: MIT */
#include "base/included.h"

#include <string.h>

#include "base/file.h"

enum { MOST_PATHS = 4096 };
#define LARGEST ((size_t) 64 << 20)

static const char *folder_of(struct cushim__arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? cushim__arena_printf(arena, "%.*s/", (int) (slash - path), path) : "";
}

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
    if (quotes && try(search, folder_of(search->arena, from), name))
        return;
    for (size_t i = 0; search->folders && search->folders[i]; i++)
        if (try(search, cushim__arena_printf(search->arena, "%s/", search->folders[i]), name))
            return;
    try(search, folder_of(search->arena, search->source), name);
}

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t");
}

/* Reads a line that may be #include "name" or #include <name>. */
static void read_line(struct cushim__included_search *search, const char *path, const char *line)
{
    const char *p = skip_blanks(line), *end;

    if (*p != '#')
        return;
    p = skip_blanks(p + 1);
    if (strncmp(p, "include", strlen("include")) != 0)
        return;
    p = skip_blanks(p + strlen("include"));
    if (*p != '"' && *p != '<')
        return;
    end = p + 1 + strcspn(p + 1, *p == '"' ? "\"\n" : ">\n");
    if (*end && *end != '\n')
        find(search, path, cushim__arena_printf(search->arena, "%.*s", (int) (end - p - 1), p + 1),
             *p == '"');
}

void cushim__included_scan(struct cushim__included_search *search, const char *path,
                           const char *text)
{
    const char *line = text;

    while (line) {
        read_line(search, path, line);
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
}
