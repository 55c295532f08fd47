/* SPDX-License-Identifier: MIT */
#include "mock/queue/clock_parts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 4, WIDTH = 1 << BITS };

/*
 * A clock is a tree of parts; the clock itself is the root. Clocks share equal parts, so that a
 * copy and a join cost little.
 */
struct mock__clock {
    unsigned references;
    unsigned height; /* 0: it contains numbers; otherwise parts of the height below */
    unsigned n;      /* only in the root: slots from this one on have no number */
    union {
        uint64_t at[WIDTH];
        struct mock__clock *parts[WIDTH];
    };
};

static size_t n_parts;

size_t mock__clock_parts(void)
{
    return n_parts;
}

unsigned mock__clock_length(const struct mock__clock *clock)
{
    return clock ? clock->n : 0;
}

/* Returns the index in a part under which a slot is found. */
static unsigned place_of(const struct mock__clock *part, unsigned slot)
{
    return slot >> BITS * part->height & (WIDTH - 1);
}

/* Returns how many slots a part of this height has room for. */
static uint64_t room_of(unsigned height)
{
    return (uint64_t) WIDTH << BITS * height;
}

struct mock__clock *mock__clock_ref(struct mock__clock *clock)
{
    if (clock)
        clock->references++;
    return clock;
}

void mock__clock_unref(struct mock__clock *clock)
{
    if (!clock || --clock->references)
        return;
    for (unsigned i = 0; clock->height && i < WIDTH; i++)
        mock__clock_unref(clock->parts[i]);
    n_parts--;
    free(clock);
}

static struct mock__clock *new_part(unsigned height)
{
    struct mock__clock *part = calloc(1, sizeof(*part));

    if (!part)
        return NULL;
    part->references = 1;
    part->height = height;
    n_parts++;
    return part;
}

/*
 * Makes a part that only this clock uses, by copying it if it is shared. When out of memory it
 * returns false and changes nothing.
 */
static bool own(struct mock__clock **part)
{
    struct mock__clock *copy;

    if ((*part)->references == 1)
        return true;
    copy = new_part((*part)->height);
    if (!copy)
        return false;
    copy->n = (*part)->n;
    memcpy(copy->at, (*part)->at, sizeof(copy->at));
    for (unsigned i = 0; copy->height && i < WIDTH; i++)
        mock__clock_ref(copy->parts[i]);
    mock__clock_unref(*part);
    *part = copy;
    return true;
}

/*
 * Adds roots until the tree has this height. When out of memory, the height may be anything in
 * between.
 */
static bool raise_to(struct mock__clock **part, unsigned height)
{
    while ((*part)->height < height) {
        struct mock__clock *above = new_part((*part)->height + 1);

        if (!above)
            return false;
        above->n = (*part)->n;
        above->parts[0] = *part;
        *part = above;
    }
    return true;
}

uint64_t mock__clock_get(const struct mock__clock *clock, unsigned slot)
{
    const struct mock__clock *part = clock;

    if (!clock || slot >= clock->n)
        return 0;
    while (part && part->height)
        part = part->parts[place_of(part, slot)];
    return part ? part->at[place_of(part, slot)] : 0;
}

/* What a visit goes through, and what it is compared with. */
struct comparison {
    const struct mock__clock *before;
    mock__clock_visit *visit;
    void *user;
};

static bool each_number(const struct mock__clock *part, unsigned first,
                        const struct comparison *comparison)
{
    for (unsigned i = 0; i < WIDTH; i++)
        if (part->at[i] > mock__clock_get(comparison->before, first + i) &&
            !comparison->visit(comparison->user, first + i, part->at[i]))
            return false;
    return true;
}

/* The part that begins with a slot, and is of a height; NULL if the clock has none of its own. */
static const struct mock__clock *part_at(const struct mock__clock *clock, unsigned first,
                                         unsigned height)
{
    const struct mock__clock *part = clock;

    if (!clock || room_of(clock->height) <= first)
        return NULL;
    while (part && part->height > height)
        part = part->parts[place_of(part, first)];
    return part && part->height == height ? part : NULL;
}

static bool each_newer(const struct mock__clock *part, unsigned first,
                       const struct comparison *comparison)
{
    if (part == part_at(comparison->before, first, part->height))
        return true;
    if (!part->height)
        return each_number(part, first, comparison);
    for (unsigned i = 0; i < WIDTH; i++)
        if (part->parts[i] &&
            !each_newer(part->parts[i], first + i * (unsigned) room_of(part->height - 1),
                        comparison))
            return false;
    return true;
}

void mock__clock_each_newer(const struct mock__clock *clock, const struct mock__clock *before,
                            mock__clock_visit *visit, void *user)
{
    if (clock && clock != before)
        each_newer(clock, 0, &(struct comparison){before, visit, user});
}

static void put(struct mock__clock **part, unsigned slot, uint64_t number)
{
    while (own(part) && (*part)->height) {
        struct mock__clock **below = &(*part)->parts[place_of(*part, slot)];

        if (!*below)
            *below = new_part((*part)->height - 1);
        if (!*below)
            return;
        part = below;
    }
    if (!(*part)->height && (*part)->references == 1)
        (*part)->at[place_of(*part, slot)] = number;
}

void mock__clock_put(struct mock__clock **clock, unsigned slot, uint64_t number)
{
    unsigned height = 0;

    while (room_of(height) <= slot)
        height++;
    if (!*clock)
        *clock = new_part(height);
    if (!*clock || !raise_to(clock, height) || !own(clock))
        return;
    put(clock, slot, number);
    if ((*clock)->n <= slot)
        (*clock)->n = slot + 1;
}

/*
 * Replaces a part by another one that has at least the same numbers. The two are then one part, so
 * they need not be compared again.
 */
static void become(struct mock__clock **part, struct mock__clock *other)
{
    struct mock__clock *old = *part;

    *part = mock__clock_ref(other);
    mock__clock_unref(old);
}

static void merge_numbers(struct mock__clock **part, struct mock__clock *other)
{
    bool more = false;

    for (unsigned i = 0; i < WIDTH; i++)
        more = more || (*part)->at[i] > other->at[i];
    if (!more) {
        become(part, other);
        return;
    }
    for (unsigned i = 0; i < WIDTH; i++) {
        if ((*part)->at[i] >= other->at[i])
            continue;
        if (!own(part))
            return;
        (*part)->at[i] = other->at[i];
    }
}

/* The parts of what is known of two clocks, at a place where they are merged. */
struct known {
    const struct mock__clock *in_both, *in_first[2];
};

/* What is known below a part of the other clock. A clock that is lower is in its first part. */
static const struct mock__clock *below(const struct mock__clock *known,
                                       const struct mock__clock *other, unsigned i)
{
    if (!known || known->height > other->height)
        return NULL;
    return known->height == other->height ? known->parts[i] : i ? NULL : known;
}

static struct known known_below(const struct known *known, const struct mock__clock *other,
                                unsigned i)
{
    return (struct known){
        below(known->in_both, other, i),
        {below(known->in_first[0], other, i), below(known->in_first[1], other, i)}};
}

static void merge(struct mock__clock **part, struct mock__clock *other, const struct known *known);

/* Joins *below_it, which may be NULL, with the other part. The result has the given height. */
static void merge_into(struct mock__clock **below_it, unsigned height, struct mock__clock *other,
                       const struct known *known)
{
    struct mock__clock *raised;

    if (*below_it) {
        merge(below_it, other, known);
        return;
    }
    raised = mock__clock_ref(other);
    if (raise_to(&raised, height))
        *below_it = raised;
    else
        mock__clock_unref(raised);
}

/* Joins one child of a part. A shared part is copied only if the child really changes. */
static void merge_below(struct mock__clock **part, unsigned place, struct mock__clock *other,
                        const struct known *known)
{
    struct mock__clock *merged;

    if ((*part)->references == 1) {
        merge_into(&(*part)->parts[place], (*part)->height - 1, other, known);
        return;
    }
    merged = mock__clock_ref((*part)->parts[place]);
    merge_into(&merged, (*part)->height - 1, other, known);
    if (merged != (*part)->parts[place] && own(part)) {
        mock__clock_unref((*part)->parts[place]);
        (*part)->parts[place] = merged;
        return;
    }
    mock__clock_unref(merged);
}

static bool has_it_all(const struct mock__clock *part, const struct mock__clock *other,
                       const struct known *known)
{
    return part == other || other == known->in_both || other == known->in_first[0] ||
           other == known->in_first[1];
}

/* Joins two parts. *part must be at least as high as the other. */
static void merge(struct mock__clock **part, struct mock__clock *other, const struct known *known)
{
    if (has_it_all(*part, other, known))
        return;
    if (*part == known->in_both) {
        become(part, other);
        return;
    }
    if ((*part)->height > other->height) {
        merge_below(part, 0, other, known);
        return;
    }
    if (!(*part)->height) {
        merge_numbers(part, other);
        return;
    }
    for (unsigned i = 0; i < WIDTH; i++) {
        const struct known inside = known_below(known, other, i);

        if (other->parts[i])
            merge_below(part, i, other->parts[i], &inside);
    }
    if (!memcmp((*part)->parts, other->parts, sizeof(other->parts)))
        become(part, other);
}

void mock__clock_merge(struct mock__clock **clock, const struct mock__clock *other,
                       const struct mock__known *known)
{
    /* The parts of the other clock become parts of this one. They are only counted, not changed. */
    struct mock__clock *shared = (struct mock__clock *) (uintptr_t) other;
    const struct known all = {known->in_both, {known->in_first[0], known->in_first[1]}};

    if (*clock == other || !other)
        return;
    if (!*clock) {
        *clock = mock__clock_ref(shared);
        return;
    }
    if (!raise_to(clock, other->height))
        return;
    merge(clock, shared, &all);
    if (*clock != other && (*clock)->n < other->n && own(clock))
        (*clock)->n = other->n;
}

static void cut(struct mock__clock **part, uint64_t n)
{
    const uint64_t each = (*part)->height ? room_of((*part)->height - 1) : 1;

    if (!own(part))
        return;
    for (unsigned i = 0; i < WIDTH; i++) {
        if ((i + 1) * each <= n)
            continue;
        if (!(*part)->height) {
            (*part)->at[i] = 0;
        } else if ((*part)->parts[i] && i * each < n) {
            cut(&(*part)->parts[i], n - i * each);
        } else {
            mock__clock_unref((*part)->parts[i]);
            (*part)->parts[i] = NULL;
        }
    }
}

/* Removes roots of which only the first child is used. */
static void lower(struct mock__clock **clock)
{
    while ((*clock)->height && (*clock)->n <= room_of((*clock)->height - 1) && (*clock)->parts[0] &&
           own(&(*clock)->parts[0])) {
        struct mock__clock *below = mock__clock_ref((*clock)->parts[0]);

        below->n = (*clock)->n;
        mock__clock_unref(*clock);
        *clock = below;
    }
}

void mock__clock_cut(struct mock__clock **clock, unsigned n)
{
    if (!*clock || (*clock)->n <= n || !own(clock))
        return;
    cut(clock, n);
    (*clock)->n = n;
    lower(clock);
}
