/* SPDX-License-Identifier: MIT */
/*
 * What a driver makes of tensor maps, and a device of copies that use them.
 *
 *   tensors LIBRARY FILE             compares with the answers of the file, behind a tab; names
 *                                    the questions that differ
 *   tensors LIBRARY FILE --every N   asks each Nth question alone
 *   tensors LIBRARY FILE --record    prints the file with the answers of this driver
 *   tensors LIBRARY FILE --dump TO   also writes what came out, for those who look at it
 *   tensors - FILE -k NUMBER         prints the module of a question
 *
 * tensors.h says what a question is. Each fault breaks a process, so processes of their own ask.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tensors.h"

#ifndef TENSORS_SECONDS
#define TENSORS_SECONDS 100
#endif

enum { MOST = 1 << 15, ANSWER = 512 };

static char *lines[MOST];
static const char *recorded[MOST];
static struct tensors_question *questions; /* rank 99: no question */
static bool asks[MOST];
static size_t n_lines;
static char (*answers)[ANSWER]; /* shared with the children */
static const char *dump_path;

static void read_file(const char *path)
{
    static char line[TENSORS_LINE + ANSWER];
    FILE *file = fopen(path, "r");

    if (!file) {
        perror(path);
        exit(2);
    }
    questions = calloc(MOST, sizeof(*questions));
    while (n_lines < MOST && fgets(line, sizeof(line), file)) {
        char *tab;

        line[strcspn(line, "\n")] = 0;
        tab = strchr(line, '\t');
        recorded[n_lines] = tab ? strdup(tab + 1) : "";
        if (tab)
            *tab = 0;
        lines[n_lines] = strdup(line);
        asks[n_lines] = *line && *line != '#' && tensors_read(line, &questions[n_lines]);
        n_lines++;
    }
    fclose(file);
}

/* Leaves the questions between each Nth one out. */
static void ask_every(size_t nth)
{
    size_t n = 0;

    for (size_t i = 0; i < n_lines; i++)
        asks[i] = asks[i] && n++ % nth == 0;
}

static void ask_map(const struct tensors_question *question, char *answer)
{
    unsigned char map[TENSORS_MAP];
    CUresult result;

    if (question->alone)
        CU(cuCtxSetCurrent)(NULL);
    result = tensors_map(question, question->at, map);
    answer += sprintf(answer, "%d", (int) result);
    if (result == CUDA_SUCCESS) {
        *answer++ = ' ';
        tensors_print_map(map, answer);
    }
    if (question->alone)
        tensors_begin();
}

static void ask_from(const char *library, size_t *at)
{
    FILE *dump = dump_path ? fopen(dump_path, "ab") : NULL;
    bool good = true;

    alarm(TENSORS_SECONDS);
    tensors_open(library);
    if (tensors_begin() != CUDA_SUCCESS)
        exit(77);
    while (good && *at < n_lines) {
        const size_t i = (*at)++;
        const uint32_t number = (uint32_t) i;

        if (!asks[i])
            continue;
        if (!*questions[i].what && !*questions[i].edit) {
            ask_map(&questions[i], answers[i]);
            continue;
        }
        if (dump)
            fwrite(&number, 4, 1, dump);
        good = tensors_run(&questions[i], answers[i], dump);
        if (dump && strncmp(answers[i], "0 ", 2))
            fwrite(&(uint32_t){0}, 4, 1, dump);
    }
    if (dump)
        fclose(dump);
    _exit(0);
}

static int ask_all(const char *library)
{
    size_t *at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    const time_t begin = time(NULL);

    answers = mmap(NULL, MOST * sizeof(*answers), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    while (*at < n_lines && time(NULL) - begin < TENSORS_SECONDS) {
        const size_t before = *at;
        const pid_t child = fork();
        int status = 0;

        if (!child)
            ask_from(library, at);
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            return 77;
        if (*at == before)
            (*at)++;
        if (WIFSIGNALED(status) && *at)
            sprintf(answers[*at - 1], "killed: %d", WTERMSIG(status));
    }
    return 0;
}

/* Where a driver crashes, an error will do. */
static bool agrees(const char *answer, const char *expected)
{
    if (!strncmp(expected, "killed", 6))
        return strcmp(answer, "0") && strncmp(answer, "0 ", 2) && strncmp(answer, "killed", 6);
    return !strcmp(answer, expected);
}

static int compare(void)
{
    size_t n = 0, wrong = 0;

    for (size_t i = 0; i < n_lines; i++) {
        if (!asks[i])
            continue;
        n++;
        if (agrees(answers[i], recorded[i]))
            continue;
        wrong++;
        printf("%zu: %s\n  recorded %s\n  answered %s\n", i + 1, lines[i], recorded[i], answers[i]);
    }
    printf("%zu questions, %zu answers differ\n", n, wrong);
    return wrong || !n;
}

static int record(void)
{
    for (size_t i = 0; i < n_lines; i++)
        printf(asks[i] ? "%s\t%s\n" : "%s\n", lines[i], answers[i]);
    return 0;
}

int main(int n, char **arguments)
{
    static char text[16384];
    int status;

    if (n < 3) {
        fprintf(stderr,
                "usage: tensors LIBRARY FILE [--every N | --record | --dump TO | -k NUMBER]\n");
        return 2;
    }
    read_file(arguments[2]);
    if (n > 4 && !strcmp(arguments[3], "-k")) {
        tensors_text(&questions[atoi(arguments[4]) - 1], text, sizeof(text));
        printf("%s", text);
        return 0;
    }
    if (n > 4 && !strcmp(arguments[3], "--every") && atoi(arguments[4]) > 0)
        ask_every((size_t) atoi(arguments[4]));
    else if (n > 4)
        dump_path = arguments[4];
    status = ask_all(arguments[1]);
    if (status)
        return status;
    return n > 3 && strcmp(arguments[3], "--every") ? record() : compare();
}
