/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *read_all(FILE *file)
{
    char *text = NULL;
    long size;

    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0) {
        rewind(file);
        text = calloc(1, (size_t) size + 1);
        if (text && fread(text, 1, (size_t) size, file) != (size_t) size) {
            free(text);
            text = NULL;
        }
    }
    return text;
}

char *corpus_read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text;

    if (!file)
        return NULL;
    text = read_all(file);
    fclose(file);
    return text;
}

void corpus_catch(struct corpus_caught *ret_caught)
{
    fflush(NULL);
    *ret_caught = (struct corpus_caught){-1, tmpfile()};
    if (!ret_caught->file)
        return;
    ret_caught->out = dup(STDOUT_FILENO);
    dup2(fileno(ret_caught->file), STDOUT_FILENO);
}

char *corpus_caught(struct corpus_caught *caught)
{
    char *text;

    if (!caught->file)
        return NULL;
    fflush(NULL);
    dup2(caught->out, STDOUT_FILENO);
    close(caught->out);
    text = read_all(caught->file);
    fclose(caught->file);
    return text;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

/* The text is cut into its lines, which are put in order. NULL if there is no memory. */
static char **sorted_lines(char *text, size_t *ret_count)
{
    const size_t room = strlen(text) + 1;
    char **lines = calloc(room, sizeof(*lines));
    size_t n = 0;

    for (char *line = lines ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
        lines[n++] = line;
    if (lines)
        qsort(lines, n, sizeof(*lines), by_text);
    *ret_count = n;
    return lines;
}

bool corpus_differ(const char *expected, const char *actual)
{
    char *texts[] = {strdup(expected), strdup(actual)}, **lines[2] = {NULL, NULL};
    size_t counts[2] = {0, 0}, i = 0;
    bool differ = true;

    for (int t = 0; t < 2; t++)
        lines[t] = texts[t] ? sorted_lines(texts[t], &counts[t]) : NULL;
    if (lines[0] && lines[1]) {
        while (i < counts[0] && i < counts[1] && !strcmp(lines[0][i], lines[1][i]))
            i++;
        differ = i < counts[0] || i < counts[1];
        if (differ)
            printf("    printed: expected \"%s\", actual \"%s\"\n",
                   i < counts[0] ? lines[0][i] : "(nothing more)",
                   i < counts[1] ? lines[1][i] : "(nothing more)");
    }
    for (int t = 0; t < 2; t++) {
        free(lines[t]);
        free(texts[t]);
    }
    return differ;
}
