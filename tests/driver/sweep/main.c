/* SPDX-License-Identifier: MIT */
/*
 * sweep list
 *     lists all questions
 * sweep LIBRARY WORKERS SECONDS [TEXT [FILE]]
 *     asks them for so long: those of the family TEXT, or with TEXT in the function, the parameter or
 *     the value; but not those that FILE, an earlier output, has an answer to
 *
 * An answer is a line "family<TAB>function<TAB>parameter<TAB>value<TAB>answer".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "workers.h"
#include "world.h"

static void print(const struct question *question, const char *answer)
{
    char label[2 * LABEL_BYTES];

    label_question(question, label);
    printf("%s\t%s\t%s\n", question->family, label, answer);
}

static char *read_file(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "r");

    if (!file || getdelim(&text, &size, '\0', file) < 0)
        exit(2);
    fclose(file);
    return text;
}

static unsigned drop_answered(const char *output, struct question *questions, unsigned n)
{
    char label[2 * LABEL_BYTES], line[3 * LABEL_BYTES];
    unsigned n_kept = 0;

    for (unsigned i = 0; i < n; i++) {
        label_question(&questions[i], label);
        snprintf(line, sizeof(line), "%s\t%s\t", questions[i].family, label);
        if (!strstr(output, line))
            questions[n_kept++] = questions[i];
    }
    return n_kept;
}

static unsigned keep_those_with(const char *text, const struct question *all, unsigned n,
                                struct question *ret_kept)
{
    char label[2 * LABEL_BYTES];
    unsigned n_kept = 0;

    for (unsigned i = 0; i < n; i++) {
        label_question(&all[i], label);
        if (!text || strstr(label, text) || !strcmp(all[i].family, text))
            ret_kept[n_kept++] = all[i];
    }
    return n_kept;
}

/* Processes of their own for each stage. */
static void ask_and_print(const char *library, const struct question *questions, unsigned n,
                          unsigned workers, time_t deadline)
{
    unsigned end;

    for (unsigned begin = 0; begin < n; begin = end) {
        char(*answers)[ANSWER_BYTES];

        for (end = begin; end < n && stage_of(&questions[end]) == stage_of(&questions[begin]);
             end++)
            ;
        answers = ask_all(library, questions + begin, end - begin, workers, deadline);
        for (unsigned i = begin; i < end; i++)
            if (answers[i - begin][0])
                print(&questions[i], answers[i - begin]);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    const struct question *all;
    unsigned n = list_questions(&all);
    struct question *kept = malloc(n * sizeof(*kept));

    if (argc == 2 && !strcmp(argv[1], "list")) {
        for (unsigned i = 0; i < n; i++)
            print(&all[i], "");
        free(kept);
        return 0;
    }
    if (argc < 4) {
        fprintf(stderr, "usage: sweep LIBRARY WORKERS SECONDS [TEXT] | sweep list\n");
        return 2;
    }
    world_write_file();
    n = keep_those_with(argc > 4 ? argv[4] : NULL, all, n, kept);
    if (argc > 5)
        n = drop_answered(read_file(argv[5]), kept, n);
    ask_and_print(argv[1], kept, n, (unsigned) atoi(argv[2]), time(NULL) + atoi(argv[3]));
    free(kept);
    return 0;
}
