/* SPDX-License-Identifier: MIT */
/*
 * Every form of every instruction that computes, alone in a kernel, over special and drawn values.
 * What comes out is written down as one number a form, and compared with what an H200 gave.
 *
 *   forms FILE      compares with the numbers in the file; names the forms that differ
 *   forms           prints the file
 *   forms -p FILE   compares and prints
 *   forms -e K/N FILE  compares each Nth form, from number K on
 *   forms -v FORM   prints the operands and results of a form, to look at
 *   forms -k FORM   prints its kernel
 *   forms -a        how far approximate results are from what is right
 *   forms -d FILE   prints all results of the forms that differ from the file
 *   forms -s FILE   reads what -d printed elsewhere: operands, result here, result there
 *
 * Built with FORMS_DRIVER it asks the driver that the program is linked with, so that the file
 * can be made on hardware by the very same code: forms*.c, the engine's isa.c and types.c, and the
 * table that the build makes of isa.txt. A file with a line "# partial" may lack answers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forms_run.h"

/* FNV-1a */
static uint64_t hash(void)
{
    const uint64_t *result = forms_result();
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (unsigned i = 0; i < FORMS_VALUES; i++)
        for (unsigned b = 0; b < 64; b += 8)
            h = (h ^ (result[i] >> b & 0xff)) * UINT64_C(0x100000001b3);
    return h;
}

static void print_values(const struct form *form)
{
    const unsigned n = (unsigned) strlen(form->operands) - 1;

    if (forms_run(form))
        printf("refused\n");
    for (unsigned i = 0; i < FORMS_VALUES; i++) {
        for (unsigned o = 0; o < n; o++)
            printf("%llx ", (unsigned long long) forms_source(form, o)[i]);
        printf("%llx\n", (unsigned long long) forms_result()[i]);
    }
}

static void print_kernel(const struct form *form)
{
    char text[KERNEL_BYTES];

    write_kernel(form, text);
    fputs(text, stdout);
}

/* --- the file --- */

/* What a form answers, as it stands in the file. */
static void answer(const struct form *form, char text[32])
{
    const int r = forms_run(form);

    if (r)
        snprintf(text, 32, "refused %d", r);
    else
        snprintf(text, 32, "%016llx", (unsigned long long) hash());
}

static char *read_all(const char *path)
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

static int order(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

/* The lines "NAME<TAB>ANSWER", sorted. */
struct answers {
    char *lines[MOST_FORMS];
    size_t n;
    bool partial; /* some are yet to be recorded */
};

static void read_answers(struct answers *answers, char *text)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        answers->partial |= !strncmp(line, "# partial", 9);
        if (line[0] != '#' && answers->n < MOST_FORMS)
            answers->lines[answers->n++] = line;
    }
    qsort(answers->lines, answers->n, sizeof(answers->lines[0]), order);
}

/* NULL if there is none. */
static const char *recorded(const struct answers *answers, const char *name)
{
    const size_t length = strlen(name);
    size_t low = 0, high = answers->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const char *line = answers->lines[middle];
        const int c = strncmp(line, name, length);

        if (!c && line[length] == '\t')
            return line + length + 1;
        if (c < 0 || (!c && (unsigned char) line[length] < '\t'))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

struct comparison {
    struct answers answers;
    unsigned compared, differ, missing, newer;
};

/* Which forms are compared: one of so many. */
static unsigned which, of_so_many = 1;

static void compare_one(struct comparison *c, const struct form *form, const char *actual)
{
    const char *expected = recorded(&c->answers, form->name);

    if (!expected) {
        c->newer += form->target > 90;
        c->missing += form->target <= 90;
        if (form->target <= 90 && !c->answers.partial)
            fprintf(stderr, "%s: was not recorded\n", form->name);
        return;
    }
    c->compared++;
    if (strcmp(expected, actual) != 0) {
        fprintf(stderr, "%s: %s, the hardware has %s\n", form->name, actual, expected);
        c->differ++;
    }
}

/* Every form that this device and that of the file can have must have its answer. */
static int compare(const struct form *forms, size_t n, const char *path, bool print)
{
    static struct comparison c;
    char *text = read_all(path);

    read_answers(&c.answers, text);
    for (size_t i = 0; i < n; i++) {
        char actual[32] = "";

        if (i % of_so_many != which)
            continue;
        if (forms[i].target <= forms_capability())
            answer(&forms[i], actual);
        if (print && actual[0])
            printf("%s\t%s\n", forms[i].name, actual);
        compare_one(&c, &forms[i], actual);
    }
    fprintf(
        stderr,
        "%u forms, %u differ, %u without an answer, %u for newer devices, %zu answers to none\n",
        c.compared, c.differ, c.missing, c.newer, c.answers.n - c.compared);
    free(text);
    return c.differ || (c.answers.n != c.compared && of_so_many == 1) || !c.compared ||
           (c.missing && !c.answers.partial);
}

static void print_different(const struct form *forms, size_t n, const char *path)
{
    static struct answers answers;
    char *text = read_all(path);

    read_answers(&answers, text);
    for (size_t i = 0; i < n; i++) {
        const char *expected = recorded(&answers, forms[i].name);
        char actual[32];

        if (!expected)
            continue;
        answer(&forms[i], actual);
        if (!strcmp(expected, actual))
            continue;
        printf("= %s\n", forms[i].name);
        for (unsigned v = 0; actual[0] != 'r' && v < FORMS_VALUES; v++)
            printf("%llx\n", (unsigned long long) forms_result()[v]);
    }
    free(text);
}

static void print_side(const struct form *form, unsigned i, unsigned long long there)
{
    if (forms_result()[i] == there)
        return;
    for (unsigned o = 0; o + 1 < strlen(form->operands); o++)
        printf("%llx ", (unsigned long long) forms_source(form, o)[i]);
    printf("here %llx, there %llx\n", (unsigned long long) forms_result()[i], there);
}

static void print_sides(const struct form *forms, size_t n, const char *path)
{
    FILE *file = fopen(path, "r");
    const struct form *form = NULL;
    char line[128];
    unsigned at = 0;

    while (file && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        if (form && line[0] != '=' && at < FORMS_VALUES)
            print_side(form, at++, strtoull(line, NULL, 16));
        if (line[0] != '=')
            continue;
        puts(line);
        form = NULL;
        at = 0;
        for (size_t i = 0; i < n; i++)
            if (!strcmp(forms[i].name, line + 2) && !forms_run(&forms[i]))
                form = &forms[i];
    }
    if (file)
        fclose(file);
}

/* Who answers: the file begins with it. */
static void print_head(void)
{
    char version[256] = "";
    FILE *file = fopen("/proc/driver/nvidia/version", "r");

    printf("# SPDX-License-Identifier: MIT\n");
    forms_print_device();
    if (file && fgets(version, sizeof(version), file))
        printf("# %s", version);
    if (file)
        fclose(file);
}

static void print_all(const struct form *forms, size_t n)
{
    print_head();
    for (size_t i = 0; i < n; i++) {
        char text[32];

        if (forms[i].target > forms_capability())
            continue;
        answer(&forms[i], text);
        printf("%s\t%s\n", forms[i].name, text);
    }
}

int main(int argc, char **argv)
{
    static struct form forms[MOST_FORMS];
    const size_t n = list_forms(forms);
    int status = 0;

    forms_begin();
    if (argc == 3 && !strcmp(argv[1], "-d")) {
        print_different(forms, n, argv[2]);
    } else if (argc == 3 && !strcmp(argv[1], "-s")) {
        print_sides(forms, n, argv[2]);
    } else if (argc == 3 && !strcmp(argv[1], "-p")) {
        status = compare(forms, n, argv[2], true);
    } else if (argc == 4 && sscanf(argv[2], "%u/%u", &which, &of_so_many) == 2 && of_so_many) {
        status = compare(forms, n, argv[3], false);
    } else if (argc == 3) {
        for (size_t i = 0; i < n; i++)
            if (!strcmp(forms[i].name, argv[2]))
                (strcmp(argv[1], "-k") ? print_values : print_kernel)(&forms[i]);
    } else if (argc == 2 && !strcmp(argv[1], "-a")) {
        status = forms_judge_approximate(forms, n);
    } else if (argc == 2) {
        status = compare(forms, n, argv[1], false);
    } else {
        print_all(forms, n);
    }
    forms_end();
    return status;
}
