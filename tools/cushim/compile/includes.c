/* SPDX-License-Identifier: MIT */
#include "includes.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "command.h"
#include "output.h"

enum { MOST_FILES = 4096 };
#define LARGEST ((size_t) 64 << 20)

struct search {
    const struct request *request;
    const char *files[MOST_FILES]; /* without the source */
    size_t n;
};

static const char *folder_of(struct cushim__arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? cushim__arena_printf(arena, "%.*s/", (int) (slash - path), path) : "";
}

static void scan(struct search *search, const char *path, const char *text);

static bool is_known(const struct search *search, const char *path)
{
    for (size_t i = 0; i < search->n; i++)
        if (!strcmp(search->files[i], path))
            return true;
    return !strcmp(search->request->source, path);
}

/* Adds a file and what it includes. Returns false if there is no such file. */
static bool try(struct search *search, const char *folder, const char *name)
{
    const char *path = cushim__arena_printf(search->request->arena, "%s%s", folder, name);
    struct cushim__file file;

    if (is_known(search, path))
        return true;
    if (search->n == MOST_FILES || !cushim__file_read_text(path, LARGEST, &file))
        return false;
    search->files[search->n++] = path;
    scan(search, path, file.bytes);
    cushim__file_finish(&file);
    return true;
}

/* Quotes are first looked up beside the file that includes. */
static void find(struct search *search, const char *from, const char *name, bool quotes)
{
    struct cushim__arena *arena = search->request->arena;

    if (*name == '/') {
        try(search, "", name);
        return;
    }
    if (quotes && try(search, folder_of(arena, from), name))
        return;
    for (size_t i = 0; i < search->request->n_include_paths; i++)
        if (try(search, cushim__arena_printf(arena, "%s/", search->request->include_paths[i]),
                name))
            return;
    try(search, folder_of(arena, search->request->source), name);
}

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t");
}

/* Reads a line that may be #include "name" or #include <name>. */
static void read_line(struct search *search, const char *path, const char *line)
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
        find(search, path,
             cushim__arena_printf(search->request->arena, "%.*s", (int) (end - p - 1), p + 1),
             *p == '"');
}

static void scan(struct search *search, const char *path, const char *text)
{
    const char *line = text;

    while (line) {
        read_line(search, path, line);
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
}

/* Appends a path as make and ninja read it. */
static void add_path(struct cushim__str *str, const char *path)
{
    for (; *path; path++) {
        if (*path == '$')
            cushim__str_append(str, "$");
        else if (*path == ' ' || *path == '#')
            cushim__str_append(str, "\\");
        cushim__str_append(str, "%c", *path);
    }
}

int write_dependencies(const struct request *request, const char *text)
{
    struct search search = {.request = request};
    struct cushim__str rule = {0};
    bool written;

    scan(&search, request->source, text);
    add_path(&rule, request->output);
    cushim__str_append(&rule, ": ");
    add_path(&rule, request->source);
    for (size_t i = 0; i < search.n; i++) {
        cushim__str_append(&rule, " \\\n  ");
        add_path(&rule, search.files[i]);
    }
    cushim__str_append(&rule, "\n");
    written = !rule.failed && write_whole(request->dependencies, rule.text, rule.length);
    cushim__str_finish(&rule);
    return written ? -1 : COMMAND_FAILED;
}
