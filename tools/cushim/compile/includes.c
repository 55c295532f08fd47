/* SPDX-License-Identifier: MIT */
#include "includes.h"

#include "base/included.h"
#include "base/str.h"
#include "command.h"
#include "output.h"

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

static void add_file(const struct cushim__included *file, void *rule)
{
    cushim__str_append(rule, " \\\n  ");
    add_path(rule, file->path);
}

int write_dependencies(const struct request *request, const char *text)
{
    struct cushim__str rule = {0};
    struct cushim__included_search search = {
        .arena = request->arena,
        .source = request->source,
        .folders = request->include_paths,
        .see = add_file,
        .user = &rule,
    };
    bool written;

    add_path(&rule, request->output);
    cushim__str_append(&rule, ": ");
    add_path(&rule, request->source);
    cushim__included_scan(&search, request->source, text);
    cushim__str_append(&rule, "\n");
    written = !rule.failed && write_whole(request->dependencies, rule.text, rule.length);
    cushim__str_finish(&rule);
    return written ? -1 : COMMAND_FAILED;
}
