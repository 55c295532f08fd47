/* SPDX-License-Identifier: MIT */
#include "standin/nvrtc/answer.h"

#include <stdlib.h>
#include <string.h>

static void *grow(struct cushim__arena *arena, void *old, size_t n, size_t *capacity, size_t size)
{
    const size_t wanted = *capacity ? 2 * *capacity : 8;
    void *more;

    if (n < *capacity)
        return old;
    more = cushim__arena_alloc(arena, wanted * size);
    if (!more)
        return NULL;
    if (n)
        memcpy(more, old, n * size);
    *capacity = wanted;
    return more;
}

bool list_add(struct cushim__arena *arena, struct list *list, const char *text)
{
    const char **texts = grow(arena, list->texts, list->n, &list->capacity, sizeof(*texts));

    if (!texts)
        return false;
    list->texts = texts;
    list->texts[list->n++] = text;
    return true;
}

bool answers_add(struct answers *answers, struct answer *answer)
{
    struct answer **all =
        grow(&answers->arena, answers->all, answers->n, &answers->capacity, sizeof(*all));

    if (!all)
        return false;
    answers->all = all;
    answers->all[answers->n++] = answer;
    return true;
}

void answers_finish(struct answers *answers)
{
    cushim__arena_finish(&answers->arena);
    *answers = (struct answers){.n = 0};
}

static int compare_lists(const struct list *a, const struct list *b)
{
    for (size_t i = 0; i < a->n && i < b->n; i++) {
        const int order = strcmp(a->texts[i], b->texts[i]);

        if (order)
            return order;
    }
    return (a->n > b->n) - (a->n < b->n);
}

static int compare(const void *left, const void *right)
{
    const struct answer *a = *(struct answer *const *) left, *b = *(struct answer *const *) right;
    int order = strcmp(a->name, b->name);

    if (!order)
        order = compare_lists(&a->options, &b->options);
    if (!order)
        order = strcmp(a->key, b->key);
    return order ? order : compare_lists(&a->digests, &b->digests);
}

void answers_sort(struct answers *answers)
{
    if (answers->n)
        qsort(answers->all, answers->n, sizeof(struct answer *), compare);
}
