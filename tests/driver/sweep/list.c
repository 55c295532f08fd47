/* SPDX-License-Identifier: MIT */
/* Which questions there are, and what they are called. */
#include "question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"

static unsigned count_values(const struct param *param)
{
    uint64_t numbers[MAX_NUMBERS];
    unsigned n = 0;

    switch (param->kind->kind_class) {
    case OBJECTS:
        while (param->kind->values[n].name)
            n++;
        return n;
    case NUMBERS:
    case FLOATS:
        return param->kind->numbers(param, numbers);
    case STRUCTURES_BY_VALUE:
        return 1;
    default:
        return 2; /* and NULL */
    }
}

/* Calls visit() for a parameter, and for those in it, in one order. It answers whether to stop. */
struct walk {
    int position;
    bool (*visit)(struct walk *walk, const struct param *param, const char *name);
    int sought;
    char *text;
    const struct param *found;
    void *user;
};

static bool walk_param(struct walk *walk, const struct param *param, const char *name)
{
    char inner[LABEL_BYTES];

    if (walk->visit(walk, param, name))
        return true;
    walk->position++;
    if (!param->shape)
        return false;
    for (const struct field *f = param->shape->fields; f->name; f++) {
        snprintf(inner, sizeof(inner), "%s.%s", name, f->name);
        if (walk_param(walk, &f->param, inner))
            return true;
    }
    return false;
}

static void walk_row(struct walk *walk, const struct row *row)
{
    char name[32];

    for (unsigned i = 0; i < MAX_PARAMS && row->params[i].kind; i++) {
        snprintf(name, sizeof(name), "%u.%s", i, row->params[i].kind->name);
        if (walk_param(walk, &row->params[i], name))
            return;
    }
}

static bool is_sought(struct walk *walk, const struct param *param, const char *name)
{
    if (walk->position != walk->sought)
        return false;
    walk->found = param;
    if (walk->text)
        strcpy(walk->text, name);
    return true;
}

static const struct param *param_of(const struct question *question, char *ret_name)
{
    struct walk walk = {.visit = is_sought, .sought = question->position, .text = ret_name};

    walk_row(&walk, question->row);
    return walk.found;
}

static bool is_risky(const struct question *question)
{
    static const char *const names[] = {"zeros", "another_kind", "event", "nowhere"};
    const struct param *param = question->position < 0 ? NULL : param_of(question, NULL);
    const struct value *value;

    if (!param || param->kind->kind_class != OBJECTS)
        return false;
    value = &param->kind->values[question->value];
    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (!strcmp(value->name, names[i]))
            return true;
    return value->way == FREED;
}

/* It differs from another function in what it takes for the default stream. */
static bool is_stream_variant(const char *function)
{
    return strstr(function, "_ptds") || strstr(function, "_ptsz");
}

static struct question *all;
static unsigned n_all;

static void add_question(struct question question)
{
    if (!(n_all & (n_all - 1)))
        all = realloc(all, (n_all ? 2 * n_all : 1) * sizeof(*all));
    all[n_all++] = question;
}

static bool add_values(struct walk *walk, const struct param *param, const char *name)
{
    struct question question = *(const struct question *) walk->user;
    unsigned n = count_values(param);

    (void) name;
    for (unsigned i = 1; i < n; i++) {
        question.position = walk->position;
        question.value = (int) i;
        if (!is_stream_variant(question.row->function) || param->kind == &kind_stream)
            add_question(question);
    }
    return false;
}

static void add_row(const char *family, const struct row *row)
{
    struct question question = {.family = family, .row = row, .position = -1};
    struct walk walk = {.visit = add_values, .user = &question};

    for (int i = 0; i < N_SITUATIONS; i++) {
        question.situation = (enum situation) i;
        add_question(question);
    }
    question.situation = ORDINARY;
    walk_row(&walk, row);
}

unsigned stage_of(const struct question *question)
{
    if (question->situation != ORDINARY)
        return (unsigned) question->situation;
    if (question->row->flags & SLOW)
        return SLOW_STAGE;
    return is_risky(question) ? RISKY_STAGE : PLAIN_STAGE;
}

/* Those of a stage follow each other, so that one process can ask many. */
static void sort_questions(void)
{
    struct question *sorted = malloc(n_all * sizeof(*sorted));
    unsigned n = 0;

    for (unsigned stage = 0; stage < N_STAGES; stage++)
        for (unsigned i = 0; i < n_all; i++)
            if (stage_of(&all[i]) == stage)
                sorted[n++] = all[i];
    memcpy(all, sorted, n_all * sizeof(*all));
    free(sorted);
}

unsigned list_questions(const struct question **ret_questions)
{
    for (const struct family *family = families; family->name; family++)
        for (const struct row *row = family->rows; row->function; row++)
            add_row(family->name, row);
    sort_questions();
    *ret_questions = all;
    return n_all;
}

static void name_number(uint64_t number, char *ret_text)
{
    if ((int64_t) number < 0 && (int64_t) number > -100)
        sprintf(ret_text, "%lld", (long long) number);
    else
        sprintf(ret_text, number < 100000 ? "%llu" : "%#llx", (unsigned long long) number);
}

static void name_value(const struct param *param, int value, char *ret_text)
{
    uint64_t numbers[MAX_NUMBERS];

    switch (param->kind->kind_class) {
    case OBJECTS:
        strcpy(ret_text, param->kind->values[value].name);
        break;
    case NUMBERS:
    case FLOATS:
        param->kind->numbers(param, numbers);
        name_number(numbers[value], ret_text);
        break;
    default:
        strcpy(ret_text, value ? "null" : "good");
        break;
    }
}

static const char *const situations[] = {
    "good",         "before_init",     "no_context", "other_context",
    "other_device", "while_capturing", "in_child",   "after_fault",
};

void label_question(const struct question *question, char *ret_text)
{
    char name[LABEL_BYTES] = "-", value[64];
    const struct row *row = question->row;

    if (question->position < 0)
        strcpy(value, situations[question->situation]);
    else
        name_value(param_of(question, name), question->value, value);
    snprintf(ret_text, 2 * LABEL_BYTES, "%s%s%s\t%s\t%s", row->function, row->variant ? "/" : "",
             row->variant ? row->variant : "", name, value);
}

bool needs_two_devices(const struct question *question)
{
    const struct param *param;

    if (question->situation == OTHER_DEVICE_CURRENT)
        return true;
    if (question->position < 0)
        return false;
    param = param_of(question, NULL);
    return param->kind->kind_class == OBJECTS &&
           param->kind->values[question->value].way == ON_OTHER_DEVICE;
}
