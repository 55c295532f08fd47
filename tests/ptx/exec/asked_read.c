/* SPDX-License-Identifier: MIT */
#include "asked.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What every kernel begins with. */
static const char beginning[] =
    ".reg .b64 %o, %a, %w, %d<20>; .reg .b32 %i, %t, %n, %r<40>; .reg .b16 %h<20>; .reg .pred "
    "%p<8>;\n"
    "ld.param.u64 %o, [p]; ld.param.u64 %a, [q]; mov.u32 %t, %tid.x; mov.u32 %i, %ctaid.x;\n"
    "mov.u32 %n, %ntid.x; mad.lo.u32 %i, %i, %n, %t; mul.wide.u32 %w, %i, 64;\n"
    "add.u64 %o, %o, %w; add.u64 %a, %a, %w;\n"
    "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%a]; ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%a+16];\n"
    "ld.global.v2.u64 {%d1, %d2}, [%a+32]; ld.global.v2.u64 {%d3, %d4}, [%a+48];\n";

char *asked_read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);

    if (!file || !text) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
    fclose(file);
    return text;
}

__attribute__((format(printf, 2, 3))) static void put(struct asked *asked, const char *format, ...)
{
    const size_t used = strlen(asked->text);
    va_list list;

    va_start(list, format);
    vsnprintf(asked->text + used, sizeof(asked->text) - used, format, list);
    va_end(list);
}

/* "key=3", or "key=8.8" as 88. */
static unsigned option(const char *line, const char *key, unsigned usual)
{
    char text[32], *end;
    const char *at;
    unsigned value;

    snprintf(text, sizeof(text), " %s=", key);
    at = strstr(line, text);
    if (!at)
        return usual;
    value = (unsigned) strtoul(at + strlen(text), &end, 10);
    return *end == '.' ? 10 * value + (unsigned) (end[1] - '0') : value;
}

static void begin(struct asked *asked, const char *line)
{
    sscanf(line, "ask %63s", asked->name);
    asked->version = option(line, "ptx", 88);
    asked->target = option(line, "sm", 90);
    asked->grid[0] = option(line, "grid", 1);
    asked->grid[1] = option(line, "rows", 1);
    asked->block = option(line, "block", 32);
    asked->cluster = option(line, "cluster", 0);
    asked->shared = option(line, "shared", 0);
    put(asked, ".version %u.%u\n.target sm_%u\n.address_size 64\n", asked->version / 10,
        asked->version % 10, asked->target);
}

/* What stands between "ask" and "--" is in front of the kernel, but for its directives. */
struct reading {
    struct asked *asked;
    char directives[128];
    bool inside;
};

static void finish(const struct reading *reading)
{
    if (reading->inside)
        put(reading->asked, "ret;\n}\n");
}

static void read_line(struct reading *reading, const char *line)
{
    if (!strncmp(line, "entry ", 6)) {
        snprintf(reading->directives, sizeof(reading->directives), "%s", line + 6);
    } else if (!strcmp(line, "--")) {
        put(reading->asked, ".visible .entry k(.param .u64 p, .param .u64 q) %s\n{\n%s",
            reading->directives, beginning);
        reading->inside = true;
    } else {
        put(reading->asked, "%s\n", line);
    }
}

size_t asked_read(const char *path, struct asked *list)
{
    struct reading reading = {.inside = false};
    char *text = asked_read_file(path);
    size_t n = 0;

    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == '#')
            continue;
        if (!strncmp(line, "ask ", 4)) {
            finish(&reading);
            if (n == MOST_ASKED)
                break;
            reading = (struct reading){.asked = &list[n++]};
            begin(reading.asked, line);
        } else if (reading.asked) {
            read_line(&reading, line);
        }
    }
    finish(&reading);
    free(text);
    return n;
}
