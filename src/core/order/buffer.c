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
                                      .ranges = &buffer->one,
                                      .n_ranges = 1,
                                      .max_ranges = 1};
    return buffer;
}

/*
 * Most ranges have at most two readers, which are in the range itself. Only more of them need an
 * allocation.
 */
static struct cushim__point *reader(struct cushim__range *range, unsigned i)
{
    const unsigned n = ARRAY_SIZE(range->first_readers);

    return i < n ? &range->first_readers[i] : &range->more_readers[i - n];
}

/* A write comes after all reads, so later work that comes after the write need not know them. */
static void drop_readers(struct cushim__range *range)
{
    for (unsigned i = 0; i < range->n_readers; i++)
        cushim__timeline_unref(reader(range, i)->timeline);
    range->n_readers = 0;
}

static void finish_range(struct cushim__range *range)
{
    drop_readers(range);
    cushim__timeline_unref(range->write.timeline);
    free(range->more_readers);
}

/* The context goes last: the timelines and the object that are released here may need it. */
void cushim__buffer_delete(struct cushim__buffer *buffer)
{
    struct cushim__context *context = buffer->context;

    for (size_t i = 0; i < buffer->n_ranges; i++)
        finish_range(&buffer->ranges[i]);
    if (buffer->ranges != &buffer->one)
        free(buffer->ranges);
    cushim__timeline_unref(buffer->home);
    cushim__timeline_unref(buffer->attached);
    if (buffer->keep)
        cushim__object_unref(buffer->keep);
    free(buffer);
    cushim__context_unref(context);
}

/* Returns the index of the range that contains a byte. */
static size_t find_range(const struct cushim__buffer *buffer, size_t offset)
{
    size_t low = 0, high = buffer->n_ranges;

    while (high - low > 1) {
        const size_t middle = (low + high) / 2;

        if (buffer->ranges[middle].begin <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

struct cushim__range *cushim__buffer_exact_range(const struct cushim__buffer *buffer, size_t begin,
                                                 size_t end)
{
    const size_t i = find_range(buffer, begin);
    const size_t range_end = i + 1 < buffer->n_ranges ? buffer->ranges[i + 1].begin : buffer->bytes;

    return buffer->ranges[i].begin == begin && range_end == end && begin != end ? &buffer->ranges[i]
                                                                                : NULL;
}

/* The first range is in the buffer itself, because most buffers never have a second one. */
static bool grow_ranges(struct cushim__buffer *buffer)
{
    const size_t max = 2 * buffer->max_ranges + 2;
    struct cushim__range *ranges;

    if (buffer->n_ranges < buffer->max_ranges)
        return true;
    ranges = calloc(max, sizeof(*ranges));
    if (!ranges)
        return false;
    memcpy(ranges, buffer->ranges, buffer->n_ranges * sizeof(*ranges));
    if (buffer->ranges != &buffer->one)
        free(buffer->ranges);
    buffer->ranges = ranges;
    buffer->max_ranges = max;
    return true;
}

static bool copy_range(const struct cushim__range *from, struct cushim__range *ret_to)
{
    struct cushim__range to = *from;

    if (from->max_more) {
        to.more_readers = calloc(from->max_more, sizeof(*to.more_readers));
        if (!to.more_readers)
            return false;
        memcpy(to.more_readers, from->more_readers, from->max_more * sizeof(*to.more_readers));
    }
    if (to.write.timeline)
        cushim__timeline_ref(to.write.timeline);
    for (unsigned i = 0; i < to.n_readers; i++)
        cushim__timeline_ref(reader(&to, i)->timeline);
    *ret_to = to;
    return true;
}

/* Splits ranges so that one begins at offset. */
static bool split_at(struct cushim__buffer *buffer, size_t offset)
{
    const size_t i = find_range(buffer, offset);
    struct cushim__range copy;

    if (offset == buffer->bytes || buffer->ranges[i].begin == offset)
        return true;
    if (!grow_ranges(buffer) || !copy_range(&buffer->ranges[i], &copy))
        return false;
    copy.begin = offset;
    memmove(&buffer->ranges[i + 2], &buffer->ranges[i + 1],
            (buffer->n_ranges - i - 1) * sizeof(copy));
    buffer->ranges[i + 1] = copy;
    buffer->n_ranges++;
    return true;
}

/* Returns the reading point of a timeline, or NULL. */
static struct cushim__point *find_reader(struct cushim__range *range,
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
            cushim__timeline_unref(reader(range, i)->timeline);
            *reader(range, i) = *reader(range, range->n_readers - 1);
            range->n_readers--;
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

    if (find_reader(range, timeline) || range->n_readers < n + range->max_more)
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
    for (size_t i = find_range(buffer, begin);
         !write && i < buffer->n_ranges && buffer->ranges[i].begin < end; i++)
        if (!reserve_reader(&buffer->ranges[i], timeline))
            return false;
    return true;
}

/* Points that are done are included: cushim__lock_all() needs their contexts. */
bool cushim__buffer_each(const struct cushim__buffer *buffer, size_t begin, size_t end, bool write,
                         bool (*see)(const struct cushim__point *point, void *user), void *user)
{
    if (begin == end)
        return true;
    for (size_t i = find_range(buffer, begin);
         i < buffer->n_ranges && buffer->ranges[i].begin < end; i++) {
        struct cushim__range *range = &buffer->ranges[i];

        if (range->write.timeline && !see(&range->write, user))
            return false;
        for (unsigned k = 0; write && k < range->n_readers; k++)
            if (!see(reader(range, k), user))
                return false;
    }
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
    struct cushim__point *point = find_reader(range, timeline);

    if (!point) {
        point = reader(range, range->n_readers++);
        *point = (struct cushim__point){cushim__timeline_ref(timeline), 0};
    }
    point->number = timeline->submitted;
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

/* Merges neighbours among ranges first to last that have the same points. */
static void merge(struct cushim__buffer *buffer, size_t first, size_t last)
{
    size_t kept = first;

    for (size_t i = first + 1; i <= last; i++)
        if (agree(&buffer->ranges[kept], &buffer->ranges[i]))
            finish_range(&buffer->ranges[i]);
        else
            buffer->ranges[++kept] = buffer->ranges[i];
    memmove(&buffer->ranges[kept + 1], &buffer->ranges[last + 1],
            (buffer->n_ranges - last - 1) * sizeof(buffer->ranges[0]));
    buffer->n_ranges -= last - kept;
}

/*
 * This must not fail: the work would then be unordered. Neighbours of the used ranges may agree
 * with them now. They are merged as well if there are many ranges.
 */
void cushim__buffer_note(struct cushim__buffer *buffer, size_t begin, size_t end, bool write,
                         struct cushim__timeline *timeline)
{
    size_t first, i;

    if (begin == end)
        return;
    first = find_range(buffer, begin);
    for (i = first; i < buffer->n_ranges && buffer->ranges[i].begin < end; i++)
        if (write) {
            drop_readers(&buffer->ranges[i]);
            cushim__point_set(&buffer->ranges[i].write, timeline);
        } else {
            note_read(&buffer->ranges[i], timeline);
        }
    if (buffer->n_ranges > MANY_RANGES)
        merge(buffer, first ? first - 1 : 0, i < buffer->n_ranges ? i : i - 1);
    else if (i - first > 1)
        merge(buffer, first, i - 1);
}
