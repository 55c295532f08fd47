/* SPDX-License-Identifier: MIT */
#include "core/code/includes.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/include_lines.h"
#include "base/util.h"

/* Far more than programs have. A program beyond it is compiled anew each time. */
enum { MOST_FILES = 20000, MOST_FILE_BYTES = 64 << 20, MOST_BYTES = 256 << 20 };

static void give_up(struct cushim__includes *includes, const char *where, const char *why)
{
    if (includes->why)
        return;
    includes->why = why;
    includes->where = cushim__arena_printf(&includes->arena, "%s", where);
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool make_room(struct cushim__includes *includes)
{
    const size_t capacity = includes->capacity ? 2 * includes->capacity : 64;
    const char **paths;

    if (includes->n_paths < includes->capacity)
        return true;
    paths = realloc(includes->paths, capacity * sizeof(*paths));
    if (!paths)
        return false;
    includes->paths = paths;
    includes->capacity = capacity;
    return true;
}

/* Adds a path unless it is there already. */
static void add_path(struct cushim__includes *includes, const char *path)
{
    void *node;

    if (includes->n_paths == MOST_FILES) {
        give_up(includes, path, "the program includes too many files");
        return;
    }
    node = make_room(includes) && !includes->arena.failed ? tsearch(path, &includes->seen, compare)
                                                          : NULL;
    if (!node)
        give_up(includes, path, "there is no memory for the paths of headers");
    else if (*(const char **) node == path)
        includes->paths[includes->n_paths++] = path;
}

/* Adds all files that the compiler may take for a header. */
static void found(const char *name, size_t length, bool quotes, void *user)
{
    struct cushim__includes *includes = user;
    struct cushim__arena *arena = &includes->arena;
    const int n = (int) length;

    (void) quotes; /* all folders count */
    if (length > 4096) {
        give_up(includes, "", "the name of a header is too long");
        return;
    }
    if (*name == '/') {
        add_path(includes, cushim__arena_printf(arena, "%.*s", n, name));
        return;
    }
    add_path(includes, cushim__arena_printf(arena, "%s%.*s", includes->folder, n, name));
    add_path(includes, cushim__arena_printf(arena, "%s%.*s", includes->home, n, name));
    for (size_t i = 0; includes->folders[i]; i++)
        add_path(includes, cushim__arena_printf(arena, "%s/%.*s", includes->folders[i], n, name));
}

static void look_into(struct cushim__includes *includes, const char *name, const char *text,
                      size_t bytes)
{
    const char *why;

    includes->folder = cushim__include_folder(&includes->arena, name);
    why = cushim__include_lines(text, bytes, found, includes);
    if (why)
        give_up(includes, name, why);
}

void cushim__includes_text(struct cushim__includes *includes, const char *name, const char *text)
{
    /* The first text is the program. */
    if (!includes->home)
        includes->home = cushim__include_folder(&includes->arena, name);
    look_into(includes, name, text, strlen(text));
}

void cushim__includes_header(struct cushim__includes *includes, const char *name)
{
    includes->folder = includes->home;
    found(name, strlen(name), true, includes);
}

/* Adds a file to the digest: its path, its size, and its bytes. One that is absent has no size. */
static void add_file(struct cushim__includes *includes, const char *path,
                     const struct cushim__file *file)
{
    const uint64_t size = file->bytes ? file->size : UINT64_MAX;

    cushim__sha256_add(includes->digest, path, strlen(path) + 1);
    cushim__sha256_add(includes->digest, &size, sizeof(size));
    if (!file->bytes)
        return;
    cushim__sha256_add(includes->digest, file->bytes, file->size);
    includes->bytes += file->size;
    look_into(includes, path, file->bytes, file->size);
}

static void read_file(struct cushim__includes *includes, const char *path)
{
    SCOPED_FILE file = {0};

    cushim__file_read(path, MOST_FILE_BYTES, &file);
    if (file.state == CUSHIM__FILE_FINE || file.state == CUSHIM__FILE_ABSENT ||
        file.state == CUSHIM__FILE_FOLDER)
        add_file(includes, path, &file);
    else
        give_up(includes, path, "it cannot be read as a file");
    if (includes->bytes > MOST_BYTES)
        give_up(includes, path, "the headers are too large");
}

void cushim__includes_read(struct cushim__includes *includes)
{
    while (!includes->why && includes->n_read < includes->n_paths)
        read_file(includes, includes->paths[includes->n_read++]);
}

static void keep_path(void *path)
{
    (void) path; /* the arena frees it */
}

void cushim__includes_finish(struct cushim__includes *includes)
{
    tdestroy(includes->seen, keep_path);
    free(includes->paths);
    cushim__arena_finish(&includes->arena);
}
