/* SPDX-License-Identifier: MIT */
/*
 * What recorded work comes after.
 *
 * Work comes after the last work on its memory, and after what its branch demands. Of these only
 * the direct ones become edges: what another of them comes after already is left out.
 */
#include "core/order/recording_works.h"

#include <stdlib.h>
#include <string.h>

/*
 * How many works before the last one are searched for those that come after others. An edge that is
 * not found to be unnecessary does no harm.
 */
enum { SEARCHED = 4096 };

bool cushim__grow(void *array_of_items, size_t *max, size_t n, size_t size)
{
    size_t wanted = 2 * *max;
    void *items;

    if (n <= *max)
        return true;
    if (wanted < n)
        wanted = n < 4 ? 4 : n;
    memcpy(&items, array_of_items, sizeof(items));
    items = realloc(items, wanted * size);
    if (!items)
        return false;
    memcpy(array_of_items, &items, sizeof(items));
    *max = wanted;
    return true;
}

bool cushim__numbers_reserve(struct cushim__numbers *numbers, size_t n)
{
    return cushim__grow(&numbers->items, &numbers->max, n, sizeof(*numbers->items));
}

/* --- what the next work comes after --- */

bool cushim__search_add(struct cushim__recording *recording, unsigned number)
{
    struct cushim__recorded *work = &recording->works[number];

    if (work->listed == recording->searches)
        return true;
    if (!cushim__numbers_reserve(&recording->found, recording->found.n + 1))
        return false;
    work->listed = recording->searches;
    recording->found.items[recording->found.n++] = number;
    return true;
}

bool cushim__search_add_all(struct cushim__recording *recording,
                            const struct cushim__numbers *numbers)
{
    for (size_t i = 0; i < numbers->n; i++)
        if (!cushim__search_add(recording, numbers->items[i]))
            return false;
    return true;
}

void cushim__search_begin(struct cushim__recording *recording)
{
    recording->searches++;
    recording->found.n = 0;
}

/* Forgets the works of a branch that others of the same branch come after. */
static void shorten(struct cushim__branch *branch)
{
    struct cushim__numbers *ends = &branch->ends;
    size_t n = 0;

    for (size_t i = 0; i < ends->n; i++)
        if (!branch->recording->works[ends->items[i]].followed)
            ends->items[n++] = ends->items[i];
    ends->n = n;
}

/* Finds what comes after all that a branch has recorded. */
bool cushim__search_add_branch(struct cushim__branch *branch)
{
    shorten(branch);
    return cushim__search_add_all(branch->recording, &branch->ends) &&
           cushim__search_add_all(branch->recording, &branch->after);
}

bool cushim__search_add_everything(struct cushim__recording *recording)
{
    for (struct cushim__branch *b = recording->branches; b; b = b->next)
        if (!cushim__search_add_branch(b))
            return false;
    return true;
}

static int newest_first(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *) a, y = *(const unsigned *) b;

    return (x < y) - (x > y);
}

static void reach(struct cushim__recording *recording, const struct cushim__recorded *work)
{
    for (size_t i = 0; i < work->n_before; i++)
        recording->works[recording->before.items[work->first_before + i]].reached =
            recording->searches;
}

/* Works come after works with smaller numbers only, so one way through the numbers is enough. */
void cushim__search_reach(struct cushim__recording *recording, unsigned smallest)
{
    const unsigned search = recording->searches;
    unsigned number = 0;

    for (size_t i = 0; i < recording->found.n; i++)
        if (recording->found.items[i] > number)
            number = recording->found.items[i];
    for (; number > smallest; number--) {
        const struct cushim__recorded *work = &recording->works[number];

        if (work->listed == search || work->reached == search)
            reach(recording, work);
    }
}

void cushim__search_leave_out(struct cushim__recording *recording)
{
    struct cushim__numbers *found = &recording->found;
    unsigned last;
    size_t n = 0;

    if (found->n < 2)
        return;
    qsort(found->items, found->n, sizeof(*found->items), newest_first);
    last = found->items[found->n - 1];
    if (found->items[0] - last > SEARCHED)
        last = found->items[0] - SEARCHED;
    cushim__search_reach(recording, last);
    for (size_t i = 0; i < found->n; i++)
        if (recording->works[found->items[i]].reached != recording->searches)
            found->items[n++] = found->items[i];
    found->n = n;
}

/* --- branches --- */

/* The found works become those that all next work of a branch comes after. */
static bool set_after(struct cushim__branch *branch)
{
    struct cushim__recording *recording = branch->recording;

    cushim__search_leave_out(recording);
    if (!cushim__numbers_reserve(&branch->after, recording->found.n + 1))
        return false;
    branch->after.n = recording->found.n;
    if (recording->found.n)
        memcpy(branch->after.items, recording->found.items,
               recording->found.n * sizeof(*recording->found.items));
    return true;
}

bool cushim__branch_join(struct cushim__branch *branch, struct cushim__branch *other)
{
    cushim__search_begin(branch->recording);
    return cushim__search_add_all(branch->recording, &branch->after) &&
           cushim__search_add_branch(other) && set_after(branch);
}

bool cushim__branch_after(struct cushim__branch *branch, unsigned number)
{
    cushim__search_begin(branch->recording);
    return cushim__search_add_all(branch->recording, &branch->after) &&
           cushim__search_add(branch->recording, number) && set_after(branch);
}
