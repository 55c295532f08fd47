/* SPDX-License-Identifier: MIT */
#include "mock/allocation/host_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The list is asked for one mapping by an ioctl(), which Linux has since 6.11, and which costs the
 * same however many mappings there are. An older kernel refuses it. There the list is read as text,
 * up to the address: some 0.4 microseconds for each mapping below it.
 */
struct query {
    __u64 size, flags, address;                   /* asked */
    __u64 begin, end, allowed, page_size, offset; /* answered */
    __u64 file;
    __u32 major, minor, name_size, id_size;
    __u64 name, id;
};
enum { COVERING_OR_NEXT = 0x10, READABLE = 1, WRITABLE = 2, EXECUTABLE = 4 };
#define ASK_FOR_PAGES _IOWR('f', 17, struct query)

/* The descriptor that is held, and what fstat() said of it. The program may close it. */
static atomic_int held = -1;
static dev_t held_device;
static ino_t held_number;

/* Of the calling thread: the list of the process cannot be read after its first thread has ended.
 */
static int open_list(void)
{
    int file;

    do
        file = open("/proc/thread-self/maps", O_RDONLY | O_CLOEXEC);
    while (file < 0 && errno == EINTR);
    return file >= 0 ? file : open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
}

/* Returns the descriptor that is held, or -1 if there is none any more. */
static int held_list(void)
{
    const int file = atomic_load(&held);
    struct stat now;

    return file >= 0 && !fstat(file, &now) && now.st_dev == held_device && now.st_ino == held_number
               ? file
               : -1;
}

void mock__host_pages_hold(void)
{
    struct stat now;
    int file;

    if (held_list() >= 0)
        return;
    file = open_list();
    if (file >= 0 && !fstat(file, &now)) {
        held_device = now.st_dev;
        held_number = now.st_ino;
    }
    atomic_store(&held, file);
}

/* --- the text, with lines like "55d0c8a00000-55d0c8a21000 rw-p 00000000 00:00 0  [heap]" --- */

struct reader {
    int file;
    bool own; /* the file is closed at the end */
    off_t offset;
    ssize_t n, at;
    char text[1024]; /* the stack of a signal handler may be small */
};

/*
 * Begins at the start of the list. The held descriptor is used only if there is no other: two
 * threads that read it in turns may get lines of different times.
 */
static bool start(struct reader *reader)
{
    reader->file = open_list();
    reader->own = reader->file >= 0;
    reader->n = reader->at = reader->offset = 0;
    if (!reader->own)
        reader->file = held_list();
    return reader->file >= 0;
}

static void finish(const struct reader *reader)
{
    if (reader->own)
        close(reader->file);
}

static int next_char(struct reader *reader)
{
    if (reader->at == reader->n) {
        do
            reader->n = pread(reader->file, reader->text, sizeof(reader->text), reader->offset);
        while (reader->n < 0 && errno == EINTR);
        reader->offset += reader->n > 0 ? reader->n : 0;
        reader->at = 0;
    }
    if (reader->n <= 0) {
        reader->n = 0;
        return -1;
    }
    return (unsigned char) reader->text[reader->at++];
}

static int digit(int c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Reads a number and the character behind it. */
static bool next_number(struct reader *reader, int base, int behind, uint64_t *ret_number)
{
    uint64_t number = 0;
    int c;

    while ((c = next_char(reader)) >= 0 && c != behind) {
        if (digit(c) >= base)
            return false;
        number = number * (uint64_t) base + (uint64_t) digit(c);
    }
    *ret_number = number;
    return c == behind;
}

static void skip(struct reader *reader, int behind)
{
    int c;

    do
        c = next_char(reader);
    while (c >= 0 && c != behind);
}

static bool next_line(struct reader *reader, struct mock__host_pages *ret_pages)
{
    uint64_t begin, end, offset, major, minor;

    if (!next_number(reader, 16, '-', &begin) || !next_number(reader, 16, ' ', &end))
        return false;
    ret_pages->begin = (uintptr_t) begin;
    ret_pages->end = (uintptr_t) end;
    ret_pages->protection = next_char(reader) == 'r' ? PROT_READ : 0;
    ret_pages->protection |= next_char(reader) == 'w' ? PROT_WRITE : 0;
    ret_pages->protection |= next_char(reader) == 'x' ? PROT_EXEC : 0;
    skip(reader, ' ');
    if (!next_number(reader, 16, ' ', &offset) || !next_number(reader, 16, ':', &major) ||
        !next_number(reader, 16, ' ', &minor) || !next_number(reader, 10, ' ', &ret_pages->file))
        return false;
    ret_pages->device = mock__host_device((unsigned) major, (unsigned) minor);
    skip(reader, '\n');
    return true;
}

static enum mock__host_answer read_from(uintptr_t address, struct mock__host_pages *ret_pages)
{
    enum mock__host_answer answer = MOCK__HOST_UNKNOWN;
    struct reader reader;

    if (!start(&reader))
        return MOCK__HOST_UNKNOWN;
    while (answer != MOCK__HOST_YES && next_line(&reader, ret_pages))
        answer = ret_pages->end > address ? MOCK__HOST_YES : MOCK__HOST_NO;
    finish(&reader);
    return answer;
}

/* --- questions --- */

uint64_t mock__host_device(unsigned major, unsigned minor)
{
    return (uint64_t) major << 32 | minor;
}

static int protection_of(const struct query *query)
{
    return (query->allowed & READABLE ? PROT_READ : 0) |
           (query->allowed & WRITABLE ? PROT_WRITE : 0) |
           (query->allowed & EXECUTABLE ? PROT_EXEC : 0);
}

static enum mock__host_answer ask(int file, uintptr_t address, struct mock__host_pages *ret_pages)
{
    struct query query = {.size = sizeof(query), .flags = COVERING_OR_NEXT, .address = address};

    if (ioctl(file, ASK_FOR_PAGES, &query))
        return errno == ENOENT ? MOCK__HOST_NO : MOCK__HOST_UNKNOWN;
    *ret_pages = (struct mock__host_pages){(uintptr_t) query.begin, (uintptr_t) query.end,
                                           protection_of(&query), query.file,
                                           mock__host_device(query.major, query.minor)};
    return MOCK__HOST_YES;
}

enum mock__host_answer mock__host_pages_from(uintptr_t address, struct mock__host_pages *ret_pages)
{
    const int file = held_list();
    enum mock__host_answer answer = MOCK__HOST_UNKNOWN;

    if (file >= 0)
        answer = ask(file, address, ret_pages);
    return answer == MOCK__HOST_UNKNOWN ? read_from(address, ret_pages) : answer;
}

static bool allow_by_text(uintptr_t address, uintptr_t end, int protection)
{
    struct mock__host_pages pages;
    struct reader reader;
    bool any = false;

    if (!start(&reader))
        return true;
    while (address < end && next_line(&reader, &pages)) {
        any = true;
        if (pages.end <= address)
            continue;
        if (pages.begin > address || (pages.protection & protection) != protection)
            break;
        address = pages.end;
    }
    finish(&reader);
    return address >= end || !any;
}

bool mock__host_pages_allow(uintptr_t address, size_t bytes, int protection)
{
    const uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE), end = address + bytes;
    const int file = held_list();
    struct mock__host_pages pages;
    enum mock__host_answer answer;

    if (!mock__host_pages_complete(address & ~(page - 1), (end + page - 1) & ~(page - 1)))
        return false;
    while (address < end) {
        answer = file >= 0 ? ask(file, address, &pages) : MOCK__HOST_UNKNOWN;
        if (answer == MOCK__HOST_UNKNOWN)
            return allow_by_text(address, end, protection);
        if (answer == MOCK__HOST_NO || pages.begin > address ||
            (pages.protection & protection) != protection)
            return false;
        address = pages.end;
    }
    return true;
}

bool mock__host_pages_refuse(uintptr_t address, size_t bytes, int protection)
{
    const uintptr_t end = address + bytes;
    struct mock__host_pages pages;
    int file;

    mock__host_pages_hold();
    file = held_list();
    while (file >= 0 && address < end && ask(file, address, &pages) == MOCK__HOST_YES) {
        if (pages.begin < end && (pages.protection & protection) != protection)
            return true;
        address = pages.end;
    }
    return false;
}

/* An msync() that starts no writing does nothing but look for holes. */
bool mock__host_pages_complete(uintptr_t begin, uintptr_t end)
{
    const int before = errno;
    const bool hole = msync((void *) begin, end - begin, MS_ASYNC) && errno == ENOMEM;

    errno = before;
    return !hole;
}

/* For mincore(), which wants a byte for each page; a page has at least 4096 bytes. */
enum { MOST_PAGES = 1024, LEAST_PAGE = 4096 };

bool mock__host_pages_there(uintptr_t begin, uintptr_t end)
{
    const size_t most = (size_t) MOST_PAGES * LEAST_PAGE;
    const int before = errno;
    unsigned char resident[MOST_PAGES];
    bool hole = false;

    for (uintptr_t at = begin; at < end && !hole; at += most)
        hole = mincore((void *) at, end - at < most ? end - at : most, resident) && errno == ENOMEM;
    errno = before;
    return !hole;
}
