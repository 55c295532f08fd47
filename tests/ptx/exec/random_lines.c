/* SPDX-License-Identifier: MIT */
/* Drawing, and writing lines with holes that are drawn. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "random_writer.h"

unsigned random_draw(struct writer *w, unsigned below)
{
    w->state = random_mixed(w->state);
    return (unsigned) (w->state >> 33) % below;
}

bool random_one_in(struct writer *w, unsigned n)
{
    return !random_draw(w, n);
}

void random_put(struct writer *w, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    w->at += vsnprintf(w->at, (size_t) (w->end - w->at), format, list);
    va_end(list);
    assert(w->at < w->end);
}

/* --- lines with holes --- */

static void put_text(struct writer *w, const char *text);

/* Puts one of "a|b>", and returns what is behind. */
static const char *put_choice(struct writer *w, const char *text)
{
    const char *end = strchr(text, '>');
    unsigned n = 1, chosen;
    char own[64];

    for (const char *at = text; at < end; at++)
        n += *at == '|';
    for (chosen = random_draw(w, n); chosen; chosen--)
        text = strchr(text, '|') + 1;
    snprintf(own, sizeof(own), "%.*s", (int) strcspn(text, "|>"), text);
    put_text(w, own);
    return end + 1;
}

static void put_text(struct writer *w, const char *text)
{
    for (const char *at = text; *at;) {
        if (*at == '<') {
            at = put_choice(w, at + 1);
            continue;
        }
        if (*at == '#')
            random_put(w, "%u", random_draw(w, strchr("abu", w->at[-1]) ? 4 : 8));
        else if (*at == '~')
            random_put(w, "%u", random_draw(w, 64));
        else
            random_put(w, "%c", *at);
        at++;
    }
}

void random_put_line(struct writer *w, const char *line)
{
    put_text(w, line);
    random_put(w, "\n");
}

void random_put_one(struct writer *w, const char *const *lines, unsigned n)
{
    random_put_line(w, lines[random_draw(w, n)]);
}
