/* SPDX-License-Identifier: MIT */
/*
 * What is found may be more than what is included, but never less. So comments, strings and
 * conditions are not taken into account: a line that looks like an include counts as one.
 */
#include "base/include_lines.h"

#include <ctype.h>
#include <string.h>

#include "base/util.h"

struct reading {
    const char *text; /* without backslashes at the ends of lines */
    cushim__include_fn *found;
    void *user;
};

static bool is_word(char c)
{
    return isalnum((unsigned char) c) || c == '_';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f' || c == '\v';
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r' || !c;
}

/* Joins lines that end with a backslash, as the compiler does before all else. */
static void join_lines(char *text)
{
    char *to = text;

    for (const char *from = text; *from;) {
        const char *after = from + 1;

        while (*from == '\\' && is_blank(*after))
            after++;
        if (*from == '\\' && *after == '\r')
            after++;
        if (*from == '\\' && *after == '\n')
            from = after + 1;
        else
            *to++ = *from++;
    }
    *to = 0;
}

/* Skips blanks and comments. A comment may go over several lines; a directive does not. */
static const char *skip(const char *p)
{
    for (;;) {
        p += strspn(p, " \t\f\v");
        if (p[0] != '/' || p[1] != '*')
            return p;
        p = strstr(p + 2, "*/");
        if (!p)
            return "";
        p += 2;
    }
}

/* Tells whether only blanks and comments can stand between the beginning of the line and here. */
static bool begins_line(const char *text, const char *p)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, at the beginning of a file */

    while (p > text && is_blank(p[-1]))
        p--;
    return p == text || is_line_end(p[-1]) || (p - text >= 2 && p[-1] == '/' && p[-2] == '*') ||
           (p - text == 3 && !memcmp(text, mark, 3));
}

/* Reads "name" or <name> at p. Returns what follows, or NULL if there is no such thing. */
static const char *read_name(const struct reading *reading, const char *p)
{
    const char end = *p == '<' ? '>' : '"';
    const char *name = p + 1, *q = name;

    if (*p != '<' && *p != '"')
        return NULL;
    while (!is_line_end(*q) && *q != end)
        q++;
    if (*q != end || q == name)
        return NULL;
    reading->found(name, (size_t) (q - name), end == '"', reading->user);
    return q + 1;
}

static bool is(const char *word, size_t length, const char *wanted)
{
    return strlen(wanted) == length && !memcmp(word, wanted, length);
}

/* Reads a directive whose # or %: is before p. */
static const char *directive(const struct reading *reading, const char *p)
{
    static const char *const words[] = {"include", "include_next", "import", "embed"};
    const char *word = skip(p);
    size_t length = 0;

    while (is_word(word[length]))
        length++;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (is(word, length, words[i]))
            return read_name(reading, skip(word + length))
                       ? NULL
                       : "a macro makes the name of a header that is included";
    return NULL;
}

/* Returns the first of two reasons, each of which may be NULL. */
static const char *first(const char *why, const char *another)
{
    return why ? why : another;
}

static const char *directives(const struct reading *reading)
{
    const char *text = reading->text, *why = NULL;

    for (const char *p = text; (p = strpbrk(p, "#%")); p++) {
        const size_t length = *p == '#' ? 1 : p[1] == ':' ? 2 : 0;

        if (length && begins_line(text, p))
            why = first(why, directive(reading, p + length));
    }
    return why;
}

/* Tells whether the word at p is asked for, and not used: #ifdef WORD, defined(WORD). */
static bool is_asked_for(const char *text, const char *p)
{
    static const char *const words[] = {"defined", "ifdef", "ifndef"};

    while (p > text && (is_blank(p[-1]) || p[-1] == '('))
        p--;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        const size_t length = strlen(words[i]);

        if ((size_t) (p - text) > length && !memcmp(p - length, words[i], length) &&
            !is_word(p[-(ptrdiff_t) length - 1]))
            return true;
    }
    return false;
}

/* Reads what follows __has_include at p, which begins at word. */
static const char *has_include(const struct reading *reading, const char *word, const char *p)
{
    const char *after = skip(p);

    if (*after == '(' && read_name(reading, skip(after + 1)))
        return NULL;
    return is_asked_for(reading->text, word) ? NULL
                                             : "__has_include asks for a header that a macro names";
}

/* Looks at a word of the language. */
static const char *word_at(const struct reading *reading, const char *word, size_t length)
{
    static const char *const times[] = {"__DATE__", "__TIME__", "__TIMESTAMP__"};
    static const char *const askers[] = {"__has_include", "__has_include_next", "__has_embed"};

    for (size_t i = 0; i < ARRAY_SIZE(times); i++)
        if (is(word, length, times[i]))
            return "the result depends on the time: __DATE__, __TIME__ or __TIMESTAMP__";
    for (size_t i = 0; i < ARRAY_SIZE(askers); i++)
        if (is(word, length, askers[i]))
            return has_include(reading, word, word + length);
    if ((is(word, length, "import") || is(word, length, "export")) &&
        begins_line(reading->text, word) && !is_line_end(*skip(word + length)))
        return "it may import a module";
    return NULL;
}

static const char *words(const struct reading *reading)
{
    const char *p = reading->text, *why = NULL;

    while (*p) {
        const char *word = p;

        if (!is_word(*p)) {
            p++;
            continue;
        }
        while (is_word(*p))
            p++;
        why = first(why, word_at(reading, word, (size_t) (p - word)));
    }
    return why;
}

/* Returns why this text cannot be read as the compiler reads it. */
static const char *not_plain(const char *text, size_t bytes)
{
    if (strlen(text) != bytes)
        return "a header has a NUL";
    if (strstr(text, "?\?=") || strstr(text, "?\?/"))
        return "a header has trigraphs";
    return NULL;
}

const char *cushim__include_lines(const char *text, size_t bytes, cushim__include_fn *found,
                                  void *user)
{
    SCOPED_FREE char *joined = malloc(bytes + 1);
    const struct reading reading = {joined, found, user};
    const char *why;

    if (!joined)
        return "there is no memory to read a header";
    memcpy(joined, text, bytes + 1);
    join_lines(joined);
    why = not_plain(text, bytes);
    why = first(why, directives(&reading));
    return first(why, words(&reading));
}

const char *cushim__include_folder(struct cushim__arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? cushim__arena_printf(arena, "%.*s", (int) (slash - path + 1), path) : "";
}
