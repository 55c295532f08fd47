/* SPDX-License-Identifier: MIT */
#include "mock/allocation/host_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Reads the system's list of mappings, whose lines are like "55d0c8a00000-55d0c8a21000 rw-p
 * 00000000 00:00 0  [heap]".
 */
struct reader {
    int file;
    ssize_t n, at;
    char text[1024];
};

/*
 * Opens the list of the process, or of the calling thread. The list of the process cannot be read
 * after its first thread has ended.
 */
static bool open_list(struct reader *reader, bool of_thread)
{
    reader->n = reader->at = 0;
    do
        reader->file =
            open(of_thread ? "/proc/thread-self/maps" : "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while (reader->file < 0 && errno == EINTR);
    return reader->file >= 0;
}

static int next_char(struct reader *reader)
{
    if (reader->at == reader->n) {
        do
            reader->n = read(reader->file, reader->text, sizeof(reader->text));
        while (reader->n < 0 && errno == EINTR);
        reader->at = 0;
    }
    if (reader->n <= 0) {
        reader->n = 0;
        return -1;
    }
    return (unsigned char) reader->text[reader->at++];
}

/* Reads a number of hexadecimal digits and the character behind it. */
static bool next_number(struct reader *reader, int behind, uintptr_t *ret_number)
{
    uintptr_t number = 0;
    int c;

    while ((c = next_char(reader)) >= 0 && c != behind) {
        if (c >= '0' && c <= '9')
            number = number << 4 | (uintptr_t) (c - '0');
        else if (c >= 'a' && c <= 'f')
            number = number << 4 | (uintptr_t) (c - 'a' + 10);
        else
            return false;
    }
    *ret_number = number;
    return c == behind;
}

static bool next_pages(struct reader *reader, struct mock__host_pages *ret_pages)
{
    int c;

    if (!next_number(reader, '-', &ret_pages->begin) || !next_number(reader, ' ', &ret_pages->end))
        return false;
    ret_pages->protection = next_char(reader) == 'r' ? PROT_READ : 0;
    ret_pages->protection |= next_char(reader) == 'w' ? PROT_WRITE : 0;
    ret_pages->protection |= next_char(reader) == 'x' ? PROT_EXEC : 0;
    do
        c = next_char(reader);
    while (c >= 0 && c != '\n');
    return true;
}

bool mock__host_pages_find(uintptr_t address, struct mock__host_pages *ret_pages)
{
    bool found = false;

    for (int of_thread = 0; of_thread < 2 && !found; of_thread++) {
        struct reader reader;

        if (!open_list(&reader, of_thread))
            continue;
        while (!found && next_pages(&reader, ret_pages))
            found = address >= ret_pages->begin && address < ret_pages->end;
        close(reader.file);
    }
    return found;
}

enum answer { NO, YES, UNKNOWN };

static enum answer ask(uintptr_t address, uintptr_t end, int protection, bool of_thread)
{
    struct mock__host_pages pages;
    struct reader reader;
    bool any = false;

    if (!open_list(&reader, of_thread))
        return UNKNOWN;
    while (address < end && next_pages(&reader, &pages)) {
        any = true;
        if (pages.end <= address)
            continue;
        if (pages.begin > address || (pages.protection & protection) != protection)
            break;
        address = pages.end;
    }
    close(reader.file);
    return address >= end ? YES : any ? NO : UNKNOWN;
}

bool mock__host_pages_allow(uintptr_t address, size_t bytes, int protection)
{
    enum answer answer = ask(address, address + bytes, protection, false);

    if (answer == UNKNOWN)
        answer = ask(address, address + bytes, protection, true);
    return answer != NO;
}
