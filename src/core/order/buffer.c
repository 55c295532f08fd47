/* SPDX-License-Identifier: MIT */
/*
 * The last uses of each byte of a buffer (see buffer.h). All functions except those that make and
 * delete a buffer are called under the context lock of its context.
 */
#include "core/order/buffer.h"

#include <stdlib.h>
#include <string.h>

enum { MANY_RANGES = 8 };

struct cushim__buffer *cushim__buffer_new(struct cushim__context *context,
                                          enum cushim__memory memory, CUdeviceptr address,
                                          void *host, size_t bytes, struct cushim__timeline *home,
                                          struct cushim__object *keep)
{
    struct cushim__buffer *buffer = cushim__zalloc_lines(sizeof(*buffer));

    if (!buffer)
        return NULL;
    atomic_init(&buffer->references, 1);
    cushim__context_ref(context);
    if (keep)
        cushim__object_ref(keep);
    *buffer = (struct cushim__buffer){.references = 1,
                                      .context = context,
                                      .memory = memory,
                                      .address = address,
                                      .host = host,
                                      .bytes = bytes,
                                      .home = home ? cushim__timeline_ref(home) : NULL,
                                      .keep = keep,
                                      .n_ranges = 1};
    buffer->first.end = bytes;
    cushim__tree_add(&buffer->ranges, &buffer->first.node, 0, 0);
    return buffer;
}

/*
 * Most ranges have at most two readers, which are in the range itself. Only more of them need an
 * allocation.
 */
static struct cushim__point *place_of_reader(struct cushim__range *range, unsigned i)
{
    const unsigned n = ARRAY_SIZE(range->first_readers);

    return i < n ? &range->first_readers[i] : &range->more_readers[i - n];
}

/* Tells whether a timeline notes its reads of a range for itself. */
static bool reads_again(const struct cushim__timeline *timeline, const struct cushim__range *range)
{
    return timeline->context == range->again_in && timeline->again == range;
}

/* Returns a reader, with what its timeline has noted for itself. */
static struct cushim__point *reader(struct cushim__range *range, unsigned i)
{
    struct cushim__point *point = place_of_reader(range, i);

    if (reads_again(point->timeline, range) && point->timeline->again_number > point->number)
        point->number = point->timeline->again_number;
    return point;
}

static void drop_reader(struct cushim__range *range, struct cushim__timeline *timeline)
{
    if (reads_again(timeline, range))
        timeline->again = NULL;
    cushim__timeline_unref(timeline);
}

/* A write comes after all reads, so later work that comes after the write need not know them. */
static void drop_readers(struct cushim__range *range)
{
    for (unsigned i = 0; i < range->n_readers; i++)
        drop_reader(range, reader(range, i)->timeline);
    range->n_readers = 0;
}

void cushim__buffer_forget_readers(struct cushim__buffer *buffer)
{
    drop_readers(&buffer->first);
}

/* The range that was read until now gets what was noted of it. */
void cushim__range_read_again(struct cushim__range *range, struct cushim__timeline *timeline)
{
    if (timeline->again)
        cushim__range_reader(timeline->again, timeline);
    timeline->again = range;
    timeline->again_number = timeline->submitted;
    range->again_in = timeline->context;
}

static struct cushim__range *range_of(struct cushim__tree_node *node)
{
    return CUSHIM__TREE_MEMBER(node, struct cushim__range, node);
}

static struct cushim__range *first_range(const struct cushim__buffer *buffer)
{
    return range_of(cushim__tree_first(&buffer->ranges));
}

static struct cushim__range *next_range(const struct cushim__range *range)
{
    return range_of(cushim__tree_next(&range->node));
}

/* Returns the range that contains a byte. */
static struct cushim__range *find_range(const struct cushim__buffer *buffer, size_t offset)
{
    return range_of(buffer->n_ranges > 1
                        ? cushim__tree_before(&buffer->ranges, (uint64_t) offset + 1, 0)
                        : buffer->ranges.root);
}

static size_t begin_of(const struct cushim__range *range)
{
    return (size_t) range->node.major;
}

static void remove_range(struct cushim__buffer *buffer, struct cushim__range *range)
{
    cushim__tree_remove(&buffer->ranges, &range->node);
    buffer->n_ranges--;
    drop_readers(range);
    cushim__timeline_unref(range->write.timeline);
    free(range->more_readers);
    if (range != &buffer->first)
        free(range);
}

/* The context goes last: the timelines and the object that are released here may need it. */
void cushim__buffer_delete(struct cushim__buffer *buffer)
{
    struct cushim__context *context = buffer->context;

    while (buffer->n_ranges)
        remove_range(buffer, first_range(buffer));
    cushim__timeline_unref(buffer->home);
    cushim__timeline_unref(buffer->attached);
    if (buffer->keep)
        cushim__object_unref(buffer->keep);
    free(buffer->spare);
    free(buffer);
    cushim__context_unref(context);
}

/* Makes a range with the points of another one. NULL when out of memory. */
static struct cushim__range *copy_range(const struct cushim__range *from)
{
    struct cushim__range *to = malloc(sizeof(*to));

    if (!to)
        return NULL;
    *to = *from;
    memset(&to->node, 0, sizeof(to->node));
    if (from->max_more) {
        to->more_readers = calloc(from->max_more, sizeof(*to->more_readers));
        if (!to->more_readers) {
            free(to);
            return NULL;
        }
        memcpy(to->more_readers, from->more_readers, from->max_more * sizeof(*to->more_readers));
    }
    if (to->write.timeline)
        cushim__timeline_ref(to->write.timeline);
    for (unsigned i = 0; i < to->n_readers; i++)
        cushim__timeline_ref(reader(to, i)->timeline);
    return to;
}

/* Splits a range so that one begins at offset. False when out of memory. */
static bool split_at(struct cushim__buffer *buffer, size_t offset)
{
    struct cushim__range *range, *right;

    if (offset == buffer->bytes)
        return true;
    range = find_range(buffer, offset);
    if (begin_of(range) == offset)
        return true;
    right = copy_range(range);
    if (!right)
        return false;
    range->end = offset;
    cushim__tree_add(&buffer->ranges, &right->node, offset, 0);
    buffer->n_ranges++;
    return true;
}

struct cushim__point *cushim__range_reader(struct cushim__range *range,
                                           const struct cushim__timeline *timeline)
{
    for (unsigned i = 0; i < range->n_readers; i++)
        if (reader(range, i)->timeline == timeline)
            return reader(range, i);
    return NULL;
}

/* Removes readers that are done, so that the list of readers stays short. */
static void forget_done_readers(struct cushim__range *range)
{
    for (unsigned i = range->n_readers; i-- > 0;)
        if (cushim__point_done(reader(range, i))) {
            struct cushim__timeline *timeline = reader(range, i)->timeline;

            *place_of_reader(range, i) = *reader(range, range->n_readers - 1);
            range->n_readers--;
            drop_reader(range, timeline);
        }
}

/*
 * Makes room for one more reader. Readers that are done are removed first: in a program with many
 * streams, a buffer that is only read would otherwise grow.
 */
static bool reserve_reader(struct cushim__range *range, const struct cushim__timeline *timeline)
{
    const unsigned n = ARRAY_SIZE(range->first_readers);
    struct cushim__point *more;

    if (cushim__range_reader(range, timeline) || range->n_readers < n + range->max_more)
        return true;
    forget_done_readers(range);
    if (range->n_readers < n + range->max_more)
        return true;
    more = realloc(range->more_readers, (2 * range->max_more + 2) * sizeof(*more));
    if (!more)
        return false;
    range->more_readers = more;
    range->max_more = 2 * range->max_more + 2;
    return true;
}

/*
 * Does everything that may fail, before the work is submitted. A write needs no room for readers,
 * because it replaces them all.
 */
bool cushim__buffer_prepare(struct cushim__buffer *buffer, size_t begin, size_t end, bool write,
                            const struct cushim__timeline *timeline)
{
    if (begin == end)
        return true;
    if (!split_at(buffer, begin) || !split_at(buffer, end))
        return false;
    for (struct cushim__range *range = find_range(buffer, begin);
         !write && range && begin_of(range) < end; range = next_range(range))
        if (!reserve_reader(range, timeline))
            return false;
    return true;
}

bool cushim__range_each(struct cushim__range *range, bool write,
                        bool (*see)(const struct cushim__point *point, void *user), void *user)
{
    if (range->write.timeline && !see(&range->write, user))
        return false;
    for (unsigned k = 0; write && k < range->n_readers; k++)
        if (!see(reader(range, k), user))
            return false;
    return true;
}

/* Points that are done are included: cushim__lock_all() needs their contexts. */
bool cushim__buffer_each(const struct cushim__buffer *buffer, size_t begin, size_t end, bool write,
                         bool (*see)(const struct cushim__point *point, void *user), void *user)
{
    if (begin == end)
        return true;
    for (struct cushim__range *range = find_range(buffer, begin); range && begin_of(range) < end;
         range = next_range(range))
        if (!cushim__range_each(range, write, see, user))
            return false;
    return true;
}

struct waiting {
    const struct cushim__scope *scope;
    struct cushim__timeline *timeline;
    bool early;
    struct cushim__point *busy;
    cushim_status status;
};

static bool wait_for(const struct cushim__point *point, void *user)
{
    struct waiting *w = user;

    w->status = cushim__timeline_wait(w->scope, w->timeline, point, &w->early, w->busy);
    return !w->status && !w->busy->timeline;
}

cushim_status cushim__buffer_wait(const struct cushim__scope *scope, struct cushim__buffer *buffer,
                                  size_t begin, size_t end, bool write,
                                  struct cushim__timeline *timeline, struct cushim__point *ret_busy)
{
    struct waiting w = {.scope = scope, .timeline = timeline, .busy = ret_busy};

    cushim__buffer_each(buffer, begin, end, write, wait_for, &w);
    /*
     * The mark was early, or was late and covers too much: the next work on this buffer is marked
     * early.
     */
    if (w.early)
        buffer->eager_event = true;
    return w.status;
}

void cushim__point_set(struct cushim__point *point, struct cushim__timeline *timeline)
{
    if (point->timeline != timeline) {
        cushim__timeline_unref(point->timeline);
        point->timeline = cushim__timeline_ref(timeline);
    }
    point->number = timeline->submitted;
}

/*
 * A timeline has one reading point for each range: its latest read comes after its earlier ones.
 * prepare() has made room for it.
 */
static void note_read(struct cushim__range *range, struct cushim__timeline *timeline)
{
    struct cushim__point *point = cushim__range_reader(range, timeline);

    if (!point) {
        point = place_of_reader(range, range->n_readers++);
        *point = (struct cushim__point){cushim__timeline_ref(timeline), 0};
    }
    point->number = timeline->submitted;
}

static void note(struct cushim__range *range, bool write, struct cushim__timeline *timeline)
{
    if (write) {
        drop_readers(range);
        cushim__point_set(&range->write, timeline);
    } else {
        note_read(range, timeline);
    }
}

cushim_status cushim__range_use(const struct cushim__scope *scope, struct cushim__buffer *buffer,
                                struct cushim__range *range, bool write,
                                struct cushim__timeline *timeline, bool *ret_noted)
{
    struct cushim__point busy = {NULL, 0};
    struct waiting w = {.scope = scope, .timeline = timeline, .busy = &busy};

    *ret_noted = false;
    if (!write && !reserve_reader(range, timeline))
        return CUSHIM_OK;
    cushim__range_each(range, write, wait_for, &w);
    buffer->eager_event |= w.early;
    cushim__timeline_unref(busy.timeline);
    *ret_noted = !w.status && !busy.timeline;
    if (*ret_noted)
        note(range, write, timeline);
    return w.status;
}

static bool same_point(const struct cushim__point *a, const struct cushim__point *b)
{
    return a->timeline == b->timeline && a->number == b->number;
}

/*
 * Readers are compared in their order. Two equal sets in different orders are not merged, which
 * costs only memory.
 */
static bool agree(struct cushim__range *a, struct cushim__range *b)
{
    if (!same_point(&a->write, &b->write) || a->n_readers != b->n_readers)
        return false;
    for (unsigned i = 0; i < a->n_readers; i++)
        if (!same_point(reader(a, i), reader(b, i)))
            return false;
    return true;
}

/* Merges neighbours that have the same points, from the range first to the one before end. */
static void merge(struct cushim__buffer *buffer, struct cushim__range *first,
                  const struct cushim__range *end)
{
    struct cushim__range *next;

    while ((next = next_range(first)) != end)
        if (agree(first, next)) {
            first->end = next->end;
            remove_range(buffer, next);
        } else {
            first = next;
        }
}

/* Merges also with the neighbours of the ranges from first to before end. */
static void merge_around(struct cushim__buffer *buffer, struct cushim__range *first,
                         const struct cushim__range *end)
{
    struct cushim__range *before = range_of(cushim__tree_previous(&first->node));

    merge(buffer, before ? before : first, end ? next_range(end) : NULL);
}

/*
 * This must not fail: the work would then be unordered. Neighbours of the used ranges may agree
 * with them now. They are merged as well if there are many ranges.
 */
void cushim__buffer_note(struct cushim__buffer *buffer, size_t begin, size_t end, bool write,
                         struct cushim__timeline *timeline)
{
    struct cushim__range *first, *range;

    if (begin == end)
        return;
    first = find_range(buffer, begin);
    for (range = first; range && begin_of(range) < end; range = next_range(range))
        note(range, write, timeline);
    if (buffer->n_ranges > MANY_RANGES)
        merge_around(buffer, first, range);
    else if (buffer->n_ranges > 1)
        merge(buffer, first, range);
}

cushim_status cushim__buffer_use(const struct cushim__scope *scope, struct cushim__buffer *buffer,
                                 size_t begin, size_t end, bool write,
                                 struct cushim__timeline *timeline, bool *ret_noted)
{
    struct cushim__point busy = {NULL, 0};
    cushim_status status;

    *ret_noted = false;
    if (!cushim__buffer_prepare(buffer, begin, end, write, timeline))
        return CUSHIM_OK;
    status = cushim__buffer_wait(scope, buffer, begin, end, write, timeline, &busy);
    cushim__timeline_unref(busy.timeline);
    *ret_noted = !status && !busy.timeline;
    if (*ret_noted)
        cushim__buffer_note(buffer, begin, end, write, timeline);
    return status;
}
