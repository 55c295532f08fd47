/* SPDX-License-Identifier: MIT */
#include "mock/allocation/mem_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mock/base/host_room.h"

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/*
 * The size of the common file. It is larger than the memory of the machine, because a file uses
 * memory only where it is written.
 */
#define COMMON_BYTES ((size_t) 1 << 45)

static const char magic[16] = "cushim memory 1";

static bool prepare(int fd, const struct mock__file_label *label)
{
    /*
     * The size is sealed: otherwise another owner of a descriptor could cut the file, and an access
     * to a mapping would crash.
     */
    return !ftruncate(fd, (off_t) (label->bytes + sizeof(*label))) &&
           pwrite(fd, label, sizeof(*label), (off_t) label->bytes) == (ssize_t) sizeof(*label) &&
           !fcntl(fd, F_ADD_SEALS, SEALS);
}

int mock__file_new(size_t bytes, const unsigned char *uuid)
{
    struct mock__file_label label = {.bytes = bytes};
    const int fd = memfd_create("cushim mock memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    memcpy(label.magic, magic, sizeof(magic));
    if (uuid)
        memcpy(label.uuid, uuid, sizeof(label.uuid));
    if (fd >= 0 && !prepare(fd, &label)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Above this limit the system sends a signal instead of returning an error. */
static bool may_have(size_t bytes)
{
    struct rlimit limit;

    return !getrlimit(RLIMIT_FSIZE, &limit) && bytes < limit.rlim_cur;
}

/*
 * Returns the next piece of the common file. Pieces are never used again, because the file is
 * larger than all that a process needs.
 */
bool mock__file_piece(size_t bytes, int *ret_fd, size_t *ret_offset)
{
    static int common = -1;
    static size_t end;

    if (common < 0) {
        common = may_have(2 * COMMON_BYTES) ? mock__file_new(COMMON_BYTES, NULL) : -1;
        mock__host_room_file(common);
    }
    if (common < 0 || bytes > COMMON_BYTES - end)
        return false;
    *ret_fd = common;
    *ret_offset = end;
    end += bytes;
    return true;
}

void mock__file_return(int fd, size_t offset, size_t bytes)
{
    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t) offset, (off_t) bytes);
}

bool mock__file_read_label(int fd, struct mock__file_label *ret_label)
{
    struct stat status;

    if (fstat(fd, &status) || !S_ISREG(status.st_mode) ||
        status.st_size < (off_t) sizeof(*ret_label))
        return false;
    return fcntl(fd, F_GET_SEALS) == SEALS &&
           pread(fd, ret_label, sizeof(*ret_label), status.st_size - (off_t) sizeof(*ret_label)) ==
               (ssize_t) sizeof(*ret_label) &&
           !memcmp(ret_label->magic, magic, sizeof(magic)) &&
           ret_label->bytes == (uint64_t) status.st_size - sizeof(*ret_label);
}

bool mock__file_same(int a, int b)
{
    struct stat one, other;

    return !fstat(a, &one) && !fstat(b, &other) && one.st_ino == other.st_ino &&
           one.st_dev == other.st_dev;
}

void *mock__file_map(int fd, size_t offset, size_t bytes, void *address)
{
    void *mapped = mmap(address, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE | (address ? MAP_FIXED : 0), fd, (off_t) offset);

    return mapped == MAP_FAILED ? NULL : mapped;
}

void *mock__space_new(size_t bytes, void *address)
{
    void *mapped =
        mmap(address, bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (address ? MAP_FIXED : 0), -1, 0);

    return mapped == MAP_FAILED ? NULL : mapped;
}
