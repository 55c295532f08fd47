/* SPDX-License-Identifier: MIT */
#include "mock/check/access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock/allocation/label.h"
#include "mock/allocation/mem_map.h"
#include "mock/allocation/memory.h"
#include "mock/allocation/stream_attach.h"
#include "mock/base/finding.h"
#include "mock/queue/clock.h"
#include "mock/queue/work.h"

enum {
    MOST_RECORDS = 64, /* for each range; the oldest one is dropped */
    BITS = 8,
};

/* Larger ranges are not checked for reads of unwritten bytes, which needs a bit for each byte. */
#define LARGEST_WATCHED ((size_t) 16 << 30)

/* One access, with which later accesses must be ordered. */
struct record {
    size_t begin, end;
    unsigned slot;
    uint64_t number, ticket;
    bool write;
    bool atomic;               /* two such accesses are never a race */
    bool strong;               /* atomic, by a kernel; else it is a value of streams */
    const char *verb;          /* the use of the bytes in a word, such as "reads" */
    struct mock__clock *clock; /* of a write: everything before it, for work that waits for its
                                  value */
    struct mock__work_name accessor;
};

struct mock__history {
    size_t n, room;
    struct record *records; /* room for some; at most MOST_RECORDS */
    unsigned char *written; /* one bit for each byte, NULL before the first write */
    bool all_written;       /* all bytes are written, so nothing needs to be checked any more */
};

void mock__access_forget(struct mock__memory *memory)
{
    struct mock__history *history = memory->history;

    for (size_t i = 0; history && i < history->n; i++)
        mock__clock_unref(history->records[i].clock);
    if (history) {
        free(history->written);
        free(history->records);
    }
    free(history);
    memory->history = NULL;
}

static void report_race(const struct mock__memory *memory, const struct record *before,
                        const struct record *now)
{
    const size_t begin = before->begin > now->begin ? before->begin : now->begin;
    const size_t end = before->end < now->end ? before->end : now->end;

    mock__finding(CUSHIM_MOCK_DATA_RACE,
                  "%s %s %zu bytes at offset %zu of %s; %s %s the same bytes; nothing orders them. "
                  "Missing: an event recorded after the one and waited for by the other's stream, "
                  "or an edge within a graph",
                  mock__text_of_name(&now->accessor).text, now->verb, end - begin, begin,
                  mock__text_of_memory(memory).text, mock__text_of_name(&before->accessor).text,
                  before->verb);
}

static bool overlap(const struct record *a, const struct record *b)
{
    return a->begin < b->end && b->begin < a->end;
}

static bool covers(const struct record *a, const struct record *b)
{
    return a->begin <= b->begin && a->end >= b->end;
}

static void check_order(const struct mock__work *work, const struct mock__memory *memory,
                        const struct record *now)
{
    const struct mock__history *history = memory->history;

    for (size_t i = 0; i < history->n; i++) {
        const struct record *before = &history->records[i];

        if (overlap(before, now) && (before->write || now->write) &&
            !(before->atomic && now->atomic) && before->ticket > work->behind &&
            !mock__clock_reached(work->clock, before->slot, before->number) &&
            !mock__clock_reached(work->behind_too, before->slot, before->number))
            report_race(memory, before, now);
    }
}

/* Makes room for one more record. Without memory the oldest one has to go. */
static bool make_room(struct mock__history *history)
{
    const size_t room = history->room ? 2 * history->room : 2;
    struct record *records = NULL;

    if (history->n < history->room)
        return true;
    if (history->room < MOST_RECORDS)
        records = realloc(history->records, room * sizeof(*records));
    if (records) {
        history->records = records;
        history->room = room;
        return true;
    }
    if (!history->n)
        return false;
    mock__clock_unref(history->records[0].clock);
    memmove(&history->records[0], &history->records[1], --history->n * sizeof(*records));
    return true;
}

/*
 * Tells whether an access takes the place of an earlier one of bytes that it covers. A write does,
 * because later accesses ordered after it are ordered after the earlier one as well. A read does so
 * for the reads of its own stream. A strong access is in no order with those of other streams, and
 * later strong ones need not be ordered after it: it does so only for the strong ones of its own
 * stream.
 */
static bool replaces(const struct record *now, const struct record *old)
{
    const bool own = old->slot == now->slot;

    if (now->strong)
        return own && old->strong && (now->write || !old->write);
    if (now->atomic && old->strong)
        return own && now->write;
    return now->write || (own && !old->write);
}

/* Adds a record. */
static void remember(struct mock__history *history, const struct record *now)
{
    size_t kept = 0;

    for (size_t i = 0; i < history->n; i++) {
        const struct record *old = &history->records[i];
        const bool replaced = covers(now, old) && replaces(now, old);

        if (replaced)
            mock__clock_unref(old->clock);
        else if (kept++ != i)
            history->records[kept - 1] = *old;
    }
    history->n = kept;
    if (make_room(history))
        history->records[history->n++] = *now;
    else
        mock__clock_unref(now->clock);
}

static void mark_written(struct mock__memory *memory, size_t begin, size_t end)
{
    struct mock__history *history = memory->history;

    if (!history->written && memory->bytes <= LARGEST_WATCHED)
        history->written = calloc(memory->bytes / BITS + 1, 1);
    if (!history->written)
        return;
    for (; begin < end && begin % BITS; begin++)
        history->written[begin / BITS] |= (unsigned char) (1u << begin % BITS);
    memset(history->written + begin / BITS, 0xff, begin < end ? (end - begin) / BITS : 0);
    if (begin < end)
        begin += (end - begin) / BITS * BITS;
    for (; begin < end; begin++)
        history->written[begin / BITS] |= (unsigned char) (1u << begin % BITS);
}

/* Returns the first byte that nothing has written, or end. */
static size_t first_unwritten(const struct mock__memory *memory, size_t begin, size_t end)
{
    const unsigned char *written = memory->history->written;

    if (!written)
        return memory->bytes <= LARGEST_WATCHED ? begin : end;
    while (begin < end) {
        if (begin % BITS == 0 && end - begin >= BITS && written[begin / BITS] == 0xff)
            begin += BITS;
        else if (written[begin / BITS] >> begin % BITS & 1)
            begin++;
        else
            return begin;
    }
    return end;
}

static void check_written(const struct mock__memory *memory, const struct record *now)
{
    const size_t at = first_unwritten(memory, now->begin, now->end);

    if (at < now->end)
        mock__finding(
            CUSHIM_MOCK_UNINITIALISED_READ, "%s reads offset %zu of %s, which nothing has written",
            mock__text_of_name(&now->accessor).text, at, mock__text_of_memory(memory).text);
}

static bool have_history(struct mock__memory *memory)
{
    if (!memory->history)
        memory->history = calloc(1, sizeof(*memory->history));
    return memory->history;
}

/*
 * Only device memory begins unwritten, because only there the host cannot write without the driver.
 */
static void check_and_record(const struct mock__work *work, struct mock__memory *memory,
                             struct record *now, enum mock__access access)
{
    mock__name_work(work, &now->accessor);
    now->slot = work->queue->slot;
    now->number = work->queue->done + 1;
    now->ticket = work->ticket;
    now->write = access & MOCK__WRITE;
    now->verb = now->write ? "writes" : "reads";
    now->atomic = access & (MOCK__ATOMIC | MOCK__STRONG);
    now->strong = access & MOCK__STRONG;
    now->clock = now->write ? mock__clock_ref(work->clock) : NULL;
    check_order(work, memory, now);
    /* Variables of a module begin with their values, or with zeros. */
    if (memory->kind == MOCK__DEVICE_MEMORY && !memory->in_module && !memory->begins_written &&
        !(access & (MOCK__WRITE | MOCK__CHECKED)))
        check_written(memory, now);
    if (now->write)
        mark_written(memory, now->begin, now->end);
    remember(memory->history, now);
}

void mock__access(const struct mock__work *work, uint64_t address, size_t bytes,
                  enum mock__access access)
{
    while (mock__checking() && bytes) {
        size_t offset = 0, left = 0;
        struct mock__memory *memory = mock__memory_checked(address, &offset, &left);
        const size_t part = bytes < left ? bytes : left;
        struct record now = {.begin = offset, .end = offset + part};

        if (!memory || !have_history(memory))
            return;
        check_and_record(work, memory, &now, access);
        if (memory->kind == MOCK__MANAGED_MEMORY)
            mock__attach_check(work, memory);
        /*
         * An access may span several mappings, because mappings that follow each other are used as
         * one piece.
         */
        address += part;
        bytes -= part;
    }
}

const unsigned char *mock__access_written(struct mock__memory *memory)
{
    struct mock__history *history;

    /*
     * Bytes of a mapping belong to its handle, which may be mapped in several places, so this
     * allocation alone cannot know what is written.
     */
    if (memory->kind != MOCK__DEVICE_MEMORY || memory->in_module || memory->begins_written ||
        memory->mapping || memory->bytes > LARGEST_WATCHED || !have_history(memory))
        return NULL;
    history = memory->history;
    if (history->all_written)
        return NULL;
    if (!history->written)
        history->written = calloc(memory->bytes / BITS + 1, 1);
    history->all_written =
        history->written && first_unwritten(memory, 0, memory->bytes) == memory->bytes;
    return history->all_written ? NULL : history->written;
}

void mock__access_mark(uint64_t address, size_t bytes)
{
    size_t offset = 0, left = 0;
    struct mock__memory *memory = mock__memory_checked(address, &offset, &left);

    if (memory && have_history(memory))
        mark_written(memory, offset, offset + (bytes < left ? bytes : left));
}

void mock__access_free(const struct mock__work *work, struct mock__memory *memory)
{
    struct record now = {.end = memory->bytes, .verb = "frees"};

    if (!mock__checking() || !memory->history)
        return;
    mock__name_work(work, &now.accessor);
    now.write = true;
    check_order(work, memory, &now);
}

/*
 * Orders work after the writer of a value. Every writer except the host has a record. If the host
 * wrote the value, the work is ordered after everything that was done then, because the host could
 * not know more.
 */
static void acquire(const struct mock__memory *memory, const struct record *now,
                    struct mock__clock **clock)
{
    const struct mock__history *history = memory->history;

    for (size_t i = 0; history && i < history->n; i++)
        if (history->records[i].write && overlap(&history->records[i], now))
            mock__clock_join(clock, history->records[i].clock);
    if (memory->kind != MOCK__DEVICE_MEMORY)
        mock__clock_join_done(clock);
}

void mock__access_acquire(const struct mock__work *work, uint64_t address, size_t bytes)
{
    struct mock__clock *clock = NULL;
    struct record now = {0};
    size_t left = 0;
    const struct mock__memory *memory = mock__memory_checked(address, &now.begin, &left);

    if (!mock__checking() || !memory)
        return;
    now.end = now.begin + bytes;
    acquire(memory, &now, &clock);
    mock__clock_imply(work->queue->slot, work->queue->done + 1, clock);
}

/*
 * Work that is not ordered after the allocation may run before it with another seed, so that is an
 * error.
 */
void mock__access_allocate(const struct mock__work *work, struct mock__memory *memory)
{
    struct record now = {.end = memory->bytes, .write = true, .verb = "allocates"};

    if (!mock__checking() || !have_history(memory))
        return;
    mock__name_work(work, &now.accessor);
    now.slot = work->queue->slot;
    now.number = work->queue->done + 1;
    now.ticket = work->ticket;
    now.clock = mock__clock_ref(work->clock);
    remember(memory->history, &now);
}

void mock__access_waited(const struct mock__memory *memory)
{
    const struct mock__history *history = memory->history;
    struct mock__clock *known = NULL;

    for (size_t i = 0; history && i < history->n; i++) {
        const struct record *record = &history->records[i];

        mock__clock_join(&known, record->clock);
        if (!mock__clock_reached(known, record->slot, record->number))
            mock__clock_advance(&known, record->slot, record->number);
    }
    mock__host_waited(known);
    mock__clock_unref(known);
}

void mock__access_renew(const struct mock__work *work, struct mock__memory *memory)
{
    mock__access_free(work, memory);
    if (!memory->history)
        return;
    free(memory->history->written);
    memory->history->written = NULL;
}

void mock__report_use_after_free(const char *accessor, uint64_t address)
{
    mock__finding(CUSHIM_MOCK_USE_AFTER_FREE, "%s submitted to %s after its free was", accessor,
                  mock__text_of_memory(mock__memory_find(address)).text);
}

static void report_outside(const char *accessor, size_t bytes, const struct mock__memory *memory,
                           uint64_t address)
{
    const int64_t offset = (int64_t) (address - memory->address);

    mock__finding(CUSHIM_MOCK_OUT_OF_BOUNDS, "%s: %zu bytes at offset %lld of %s", accessor, bytes,
                  (long long) offset, mock__text_of_memory(memory).text);
}

/*
 * Returns the allocation that the program probably meant: the nearest one, if it is not far away.
 */
static const struct mock__memory *meant(uint64_t address, size_t bytes)
{
    enum { FAR = 4096 };
    const struct mock__memory *before = mock__memory_before(address);
    const struct mock__memory *after = mock__memory_after(address);
    const uint64_t end = before ? before->address + before->bytes : 0;
    const uint64_t past = !before ? UINT64_MAX : address > end ? address - end : 0;
    const uint64_t missing = after ? after->address - address : UINT64_MAX;
    const uint64_t far = bytes > FAR ? bytes : FAR;

    if (past < far && past <= missing)
        return before;
    return missing < FAR ? after : NULL;
}

/*
 * Directly behind an allocation the address is probably of that one, not of a freed one that was
 * there before.
 */
static bool just_behind(const struct mock__memory *memory, uint64_t address, size_t bytes)
{
    return memory && address - (memory->address + memory->bytes) < bytes;
}

static void report_absent(const char *accessor, size_t bytes, const struct mock__memory *memory,
                          uint64_t address)
{
    mock__finding(CUSHIM_MOCK_USE_AFTER_FREE,
                  "%s: %zu bytes at offset %llu of %s, which its graph has freed, or not allocated "
                  "yet",
                  accessor, bytes, (unsigned long long) (address - memory->address),
                  mock__text_of_memory(memory).text);
}

void mock__report_bad_address(const char *accessor, uint64_t address, size_t bytes)
{
    const struct mock__memory *in = mock__memory_find(address), *near = meant(address, bytes);
    const struct mock__freed *freed = mock__memory_freed(address);
    const char *why = mock__map_refuses(address, bytes);

    if (why)
        mock__finding(CUSHIM_MOCK_OUT_OF_BOUNDS, "%s: %zu bytes at 0x%llx, %s", accessor, bytes,
                      (unsigned long long) address, why);
    else if (in && in->absent)
        report_absent(accessor, bytes, in, address);
    else if (mock__memory_read_only(address) && mock__memory_contains(address, bytes))
        mock__finding(CUSHIM_MOCK_OUT_OF_BOUNDS,
                      "%s: %zu bytes at offset %llu of %s, which was registered for reading alone "
                      "(CU_MEMHOSTREGISTER_READ_ONLY)",
                      accessor, bytes, (unsigned long long) (address - in->address),
                      mock__text_of_memory(in).text);
    else if (in)
        report_outside(accessor, bytes, in, address);
    else if (freed && !just_behind(near, address, bytes))
        mock__finding(CUSHIM_MOCK_USE_AFTER_FREE,
                      "%s: %zu bytes at offset %llu of %s, which was freed", accessor, bytes,
                      (unsigned long long) (address - freed->address),
                      mock__text_of_freed(freed).text);
    else if (near)
        report_outside(accessor, bytes, near, address);
    else
        mock__finding(CUSHIM_MOCK_OUT_OF_BOUNDS,
                      "%s: %zu bytes at 0x%llx, which was never allocated", accessor, bytes,
                      (unsigned long long) address);
}
