/* SPDX-License-Identifier: MIT */
#include "mock/check/host_plugs.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The program may close the descriptor, so it is compared before it is used. */
static int file = -1;
static struct stat of_file;
static uintptr_t room; /* the size of the file; a larger hole gets several plugs */
static atomic_bool any;

static bool is_open(void)
{
    struct stat now;

    return file >= 0 && !fstat(file, &now) && now.st_dev == of_file.st_dev &&
           now.st_ino == of_file.st_ino;
}

/* A file that is larger than the process may make files would raise a signal. */
static uintptr_t largest_file(void)
{
    const uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE), most = (uintptr_t) 1 << 46;
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur > most)
        return most;
    return (uintptr_t) limit.rlim_cur & ~(page - 1);
}

void mock__host_plugs_start(void)
{
    if (is_open())
        return;
    file = memfd_create("cushim-mock", MFD_CLOEXEC);
    room = largest_file();
    if (file < 0)
        return;
    if (!room || ftruncate(file, (off_t) room) || fstat(file, &of_file)) {
        close(file);
        file = -1;
    }
}

/* A kernel that does not know MAP_FIXED_NOREPLACE maps elsewhere if the place is not free. */
static bool plug(uintptr_t begin, uintptr_t end)
{
    void *const wanted = (void *) begin;
    void *mapped;

    if (end - begin > room)
        return false;
    mapped = mmap(wanted, end - begin, PROT_NONE, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
                  file, 0);
    if (mapped != wanted && mapped != MAP_FAILED)
        (void) munmap(mapped, end - begin);
    if (mapped == wanted)
        atomic_store(&any, true);
    return mapped == wanted;
}

/* Halves a range until each part is mapped or a hole. The depth is that of a page in a range. */
static void plug_parts(uintptr_t begin, uintptr_t end)
{
    const uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE);
    const uintptr_t middle = begin + ((end - begin) / 2 & ~(page - 1));

    if (mock__host_pages_complete(begin, end) || plug(begin, end) || middle == begin)
        return;
    plug_parts(begin, middle);
    plug_parts(middle, end);
}

void mock__host_plug(uintptr_t begin, uintptr_t end)
{
    if (!mock__host_pages_complete(begin, end) && is_open())
        plug_parts(begin, end);
}

bool mock__host_is_plug(const struct mock__host_pages *pages)
{
    return atomic_load(&any) && pages->file == of_file.st_ino &&
           pages->device == mock__host_device(major(of_file.st_dev), minor(of_file.st_dev));
}

void mock__host_unplug(uintptr_t begin, uintptr_t end)
{
    struct mock__host_pages pages;

    while (atomic_load(&any) && begin < end &&
           mock__host_pages_from(begin, &pages) == MOCK__HOST_YES && pages.begin < end) {
        const uintptr_t first = pages.begin > begin ? pages.begin : begin;

        begin = pages.end < end ? pages.end : end;
        if (mock__host_is_plug(&pages))
            (void) munmap((void *) first, begin - first);
    }
}
