/* SPDX-License-Identifier: MIT */
/* Rules as text. cushim/fault.h describes the syntax. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/status.h"
#include "base/util.h"
#include "interpose/fault.h"
#include "interpose/fault_rows.h"
#include "interpose/lists.h"

/* A larger file is a mistake: there are few rules, and they are short. */
#define LARGEST_FILE ((size_t) 1 << 20)

struct reader {
    const char *call;
    const char *from; /* the source of the text: a function, a variable or a file */
    bool is_file;
    unsigned line;
    char where[512]; /* the beginning of error texts */
    uint64_t seed;
    bool has_seed;
    size_t n_rules;
    struct cushim__fault_rule rules[CUSHIM_FAULTS_MAX];
    struct cushim__fault_set sets[CUSHIM_FAULTS_MAX];
};

/* A unit that may follow a number. */
struct unit {
    const char *name;
    uint64_t factor;
};

static const struct unit no_units[] = {{"", 1}, {NULL, 0}};
static const struct unit byte_units[] = {
    {"", 1},
    {"KiB", UINT64_C(1) << 10},
    {"MiB", UINT64_C(1) << 20},
    {"GiB", UINT64_C(1) << 30},
    {"TiB", UINT64_C(1) << 40},
    {NULL, 0},
};
static const struct unit time_units[] = {
    {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {NULL, 0},
};

/* The conditions of a rule, in the order of their bits in `said`. */
static const struct condition {
    const char *key;
    const struct unit *units; /* NULL: a separate function reads the value */
    size_t offset;            /* of the number in struct cushim_fault */
    uint64_t least;
    const char *wants;
} conditions[] = {
#define NUMBER(key, field, units, least, wants)                                                    \
    {                                                                                              \
        key, units, offsetof(struct cushim_fault, field), least, wants                             \
    }
    NUMBER("nth", nth, no_units, 1, "a number from 1 on"),
    NUMBER("every", every, no_units, 1, "a number from 1 on"),
    NUMBER("count", count, no_units, 1, "a number from 1 on"),
    NUMBER("after", after_launches, no_units, 0, "a number of launches"),
    NUMBER("above", above_bytes, byte_units, 1, "a number of bytes, such as 1048576 or 1GiB"),
    NUMBER("delay", delay_ns, time_units, 1, "a time with its unit, such as 2ms"),
#undef NUMBER
    {"probability", NULL, 0, 0, "a share above 0 and at most 1, such as 0.01"},
    {"result", NULL, 0, 0, "a number from 1 on, or a name such as out_of_memory"},
};

static cushim_status refuse(const struct reader *r, const char *word, const char *what)
{
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, r->call, NULL, "%s: '%s': %s", r->where,
                           word, what);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads digits up to the first other character. Returns false if the number is too large. */
static bool read_digits(const char **text, uint64_t *ret_value)
{
    uint64_t value = 0;

    for (; is_digit(**text); ++*text)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t) (**text - '0'), &value))
            return false;
    *ret_value = value;
    return true;
}

static bool read_number(const char *text, const struct unit *units, uint64_t *ret_value)
{
    uint64_t value = 0;

    if (!is_digit(*text) || !read_digits(&text, &value))
        return false;
    while (units->name && strcmp(text, units->name))
        units++;
    return units->name && !__builtin_mul_overflow(value, units->factor, ret_value);
}

/*
 * Reads a probability without strtod(), because that depends on the language that the program has
 * set.
 */
static bool read_probability(const char *text, double *ret_value)
{
    uint64_t whole = 0;
    double value, digit = 1;

    if (!is_digit(*text) || !read_digits(&text, &whole))
        return false;
    value = (double) whole;
    if (*text == '.')
        for (text++; is_digit(*text); text++)
            value += (*text - '0') * (digit /= 10);
    *ret_value = value;
    return !*text && value > 0 && value <= 1;
}

/* Returns the list whose names begin like this one. The driver's, if none does. */
static const struct cushim__list *list_of(const char *function)
{
    const struct cushim__list *list = &cushim__lists[CUSHIM__LISTS - 1];

    while (list > cushim__lists && strncmp(function, list->prefix, strlen(list->prefix)) != 0)
        list--;
    return list;
}

/* Tells whether a word is the full name of a result, or the part after the common prefix. */
static bool names_result(const char *word, const char *name, const char *prefix)
{
    const size_t length = strlen(prefix);

    return name && (!strcasecmp(word, name) ||
                    (!strncmp(name, prefix, length) && !strcasecmp(word, name + length)));
}

static bool read_result(const char *text, const struct cushim__list *list, int *ret_result)
{
    enum { RESULTS = 1000 };
    uint64_t number = 0;

    if (is_digit(*text)) {
        if (!read_number(text, no_units, &number) || !number || number > INT32_MAX)
            return false;
        *ret_result = (int) number;
        return true;
    }
    for (int i = 1; i < RESULTS; i++)
        if (names_result(text, list->result_name(i), list->results)) {
            *ret_result = i;
            return true;
        }
    return false;
}

static bool read_value(const struct condition *condition, const char *text,
                       const struct cushim__list *list, struct cushim_fault *fault)
{
    uint64_t number = 0;

    if (condition->units) {
        if (!read_number(text, condition->units, &number) || number < condition->least)
            return false;
        *(uint64_t *) (void *) ((char *) fault + condition->offset) = number;
        return true;
    }
    return *condition->key == 'p' ? read_probability(text, &fault->probability)
                                  : read_result(text, list, &fault->result);
}

/* Reads one word after the function. said has a bit for each condition that was read. */
static cushim_status read_word(const struct reader *r, const char *function, const char *word,
                               struct cushim_fault *fault, unsigned *said)
{
    const size_t length = strcspn(word, "=");
    char text[128];
    size_t i = 0;

    if (!strcmp(word, "sticky")) {
        fault->sticky = true;
        return CUSHIM_OK;
    }
    while (i < ARRAY_SIZE(conditions) &&
           (strlen(conditions[i].key) != length || strncmp(word, conditions[i].key, length)))
        i++;
    if (i == ARRAY_SIZE(conditions) || !word[length])
        return refuse(r, word,
                      "not one of result=, nth=, every=, probability=, above=, after=, delay=, "
                      "count= and sticky");
    if (*said & 1u << i)
        return refuse(r, word, "said twice");
    *said |= 1u << i;
    if (read_value(&conditions[i], word + length + 1, list_of(function), fault))
        return CUSHIM_OK;
    snprintf(text, sizeof(text), "%s wants %s", conditions[i].key, conditions[i].wants);
    return refuse(r, word, text);
}

static cushim_status read_seed(struct reader *r, const char *word, const char *next)
{
    if (next)
        return refuse(r, next, "a seed stands alone");
    if (!read_number(word + strlen("seed="), no_units, &r->seed))
        return refuse(r, word, "seed wants a number");
    r->has_seed = true;
    return CUSHIM_OK;
}

/* Reads one rule. The text is changed while it is split into words. */
static cushim_status read_rule(struct reader *r, char *text)
{
    static const char blanks[] = " \t\r\v\f";
    struct cushim__fault_rule *rule = &r->rules[r->n_rules];
    char *rest = NULL, *function = strtok_r(text, blanks, &rest), *word;
    unsigned said = 0;

    if (!function)
        return CUSHIM_OK;
    if (!strncmp(function, "seed=", 5))
        return read_seed(r, function, strtok_r(NULL, blanks, &rest));
    if (r->n_rules == CUSHIM_FAULTS_MAX)
        return cushim__fail_at(CUSHIM_ERROR_LIMIT, r->call, NULL, "%s: more than %d rules",
                               r->where, CUSHIM_FAULTS_MAX);
    rule->fault = (struct cushim_fault){0};
    rule->set = &r->sets[r->n_rules];
    while ((word = strtok_r(NULL, blanks, &rest)))
        CUSHIM_TRY(read_word(r, function, word, &rule->fault, &said));
    CUSHIM_TRY(cushim__fault_check(function, &rule->fault, rule->set, r->call, r->where));
    r->n_rules++;
    return CUSHIM_OK;
}

static void set_where(struct reader *r)
{
    snprintf(r->where, sizeof(r->where), r->is_file ? "%s:%u" : "%s: line %u", r->from, r->line);
}

/* Reads all rules. The text is changed while it is split. */
static cushim_status read_rules(struct reader *r, char *text)
{
    for (r->line = 1;;) {
        char *end = text + strcspn(text, ";\n#");
        const char last = *end;

        *end = '\0';
        set_where(r);
        CUSHIM_TRY(read_rule(r, text));
        if (!last)
            return CUSHIM_OK;
        text = end + 1;
        if (last == '#')
            text += strcspn(text, "\n");
        r->line += last == '\n';
    }
}

/* Reads a text. from is the beginning of error texts; the line number is added. */
static cushim_status read_text(struct cushim__faults *faults, const char *text, const char *from,
                               bool is_file, const char *call)
{
    SCOPED_FREE char *copy = strdup(text);
    SCOPED_FREE struct reader *r = calloc(1, sizeof(*r));

    if (!copy || !r)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, NULL, "no memory for rules");
    r->call = call;
    r->from = from;
    r->is_file = is_file;
    CUSHIM_TRY(read_rules(r, copy));
    return cushim__faults_add(faults, r->rules, r->n_rules, r->has_seed ? &r->seed : NULL, call);
}

cushim_status cushim__faults_read(struct cushim__faults *faults, const char *text, const char *call)
{
    return read_text(faults, text, call, false, call);
}

cushim_status cushim__faults_read_file(struct cushim__faults *faults, const char *path,
                                       const char *call)
{
    SCOPED_FILE file;

    if (!cushim__file_read_text(path, LARGEST_FILE, &file))
        return cushim__fail_at(CUSHIM_ERROR_SYSTEM, call, NULL, "%s%s%s", path, *path ? ": " : "",
                               file.why);
    return read_text(faults, file.bytes, path, true, call);
}

cushim_status cushim__faults_read_variable(struct cushim__faults *faults, const char *name,
                                           const char *value)
{
    cushim_status status;

    if (*value != '@')
        return read_text(faults, value, name, false, name);
    status = cushim__faults_read_file(faults, value + 1, name);
    if (status)
        cushim__fail_at(status, name, NULL, "%s: %s", name, cushim__error()->text);
    return status;
}
