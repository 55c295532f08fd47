/* SPDX-License-Identifier: MIT */
/* What hardware answered, kept as text, so that other devices are compared with it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "text.h"

enum { FEW = 1024, FEW_INEXACT = 16384, MAX_BOUNDS = 64 };

static uint64_t hash_of(const uint8_t *data, size_t bytes)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ data[i]) * 0x100000001b3;
    return hash;
}

/* A result that may be some distance off is of no use as a hash. */
static bool kept_whole(const struct corpus_case *test, unsigned b)
{
    const size_t bytes = corpus_bytes(&test->buffers[b]);

    return bytes <= (test->n_bounds || test->contracts ? FEW_INEXACT : FEW);
}

static bool is_line_of(const char *line, const char *name)
{
    const size_t length = strlen(name);

    return !strncmp(line, name, length) && line[length] == '\t';
}

static void write_lines(FILE *file, const char *name, const struct corpus_case *test,
                        void *const *actual)
{
    for (unsigned b = 0; b < 8 && test->buffers[b].count; b++) {
        const size_t bytes = corpus_bytes(&test->buffers[b]);
        const uint8_t *data = actual[b];

        if (!test->buffers[b].out)
            continue;
        fprintf(file, "%s\t%u\t%016" PRIx64 "\t", name, b, hash_of(data, bytes));
        for (size_t i = 0; kept_whole(test, b) && i < bytes; i++)
            fprintf(file, "%02x", data[i]);
        fprintf(file, "\n");
    }
}

static void write_other_lines(FILE *file, char *text, const char *name)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (!is_line_of(line, name))
            fprintf(file, "%s\n", line);
}

unsigned corpus_record(const char *folder, const struct corpus_key *key,
                       const struct corpus_case *test, void *const *actual)
{
    char path[512], *text;
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s.tsv", folder, key->subject);
    text = corpus_read_file(path);
    file = fopen(path, "w");
    if (!file) {
        printf("    %s: %s\n", path, strerror(errno));
        free(text);
        return 1;
    }
    if (text)
        write_other_lines(file, text, key->name);
    write_lines(file, key->name, test, actual);
    free(text);
    return fclose(file) ? 1 : 0;
}

/* The recorded bytes of one buffer; NULL if it was kept as a hash only. */
static uint8_t *parse_bytes(const char *text, size_t bytes)
{
    uint8_t *data = strlen(text) >= 2 * bytes ? malloc(bytes) : NULL;

    for (size_t i = 0; data && i < bytes; i++) {
        const char digits[] = {text[2 * i], text[2 * i + 1], 0};

        data[i] = (uint8_t) strtoul(digits, NULL, 16);
    }
    return data;
}

static unsigned compare_twice_as_far(struct corpus_run *recorded, unsigned b, const void *actual)
{
    struct corpus_case test = *recorded->test;
    struct corpus_bound bounds[MAX_BOUNDS];

    for (unsigned i = 0; i < test.n_bounds && i < MAX_BOUNDS; i++) {
        bounds[i].ulps = 2 * test.bounds[i].ulps;
        bounds[i].absolute = 2 * test.bounds[i].absolute;
    }
    test.bounds = bounds;
    recorded->test = &test;
    return corpus_compare(recorded, NULL, b, actual);
}

/* What is exact has the same bits, those of NaNs as well. Elsewhere both results lie within the
 * bounds around the right one, so they are up to twice as far apart; and where two results are
 * right, the reference has judged already. */
static unsigned check_line(const struct corpus_case *test, char *line, void *const *actual)
{
    char *end;
    const unsigned b = (unsigned) strtoul(line, &end, 10);
    const uint64_t hash = strtoull(end, &end, 16);
    const bool exact = !test->n_bounds && !test->contracts;
    struct corpus_run recorded = {.test = test};
    unsigned wrong = exact;

    if (b >= 8 || !test->buffers[b].out || !actual[b])
        return printf("    the record names buffer %u, which is no output\n", b), 1;
    if (test->contracts || hash == hash_of(actual[b], corpus_bytes(&test->buffers[b])))
        return 0;
    if (exact)
        printf("    buffer %u: not what hardware answered\n", b);
    recorded.expect[b] = parse_bytes(end + strspn(end, "\t"), corpus_bytes(&test->buffers[b]));
    if (recorded.expect[b])
        wrong |= compare_twice_as_far(&recorded, b, actual[b]);
    free(recorded.expect[b]);
    return wrong;
}

unsigned corpus_check_recorded(const char *folder, const struct corpus_key *key,
                               const struct corpus_case *test, void *const *actual)
{
    char path[512], *line = NULL;
    FILE *file;
    size_t size = 0;
    unsigned wrong = 0;

    snprintf(path, sizeof(path), "%s/%s.tsv", folder, key->subject);
    file = fopen(path, "r");
    if (!file)
        return 0; /* nobody has run this subject on hardware yet */
    while (getline(&line, &size, file) > 0)
        if (is_line_of(line, key->name))
            wrong += check_line(test, line + strlen(key->name) + 1, actual);
    free(line);
    fclose(file);
    return wrong;
}
