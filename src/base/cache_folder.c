/* SPDX-License-Identifier: MIT */
/*
 * A folder with one file for each entry. No lock is needed: a file is complete before it gets its
 * name, and removing one that another process reads does not disturb that process. Files are named
 * relative to the open folder, and symbolic links are not followed.
 */
#include "base/cache_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/log.h"
#include "base/status.h"
#include "base/util.h"
#include "base/write_whole.h"

#define ENDING        ".cushim"
#define UNFINISHED    ".unfinished-"
#define MOST_BYTES    ((size_t) 1 << 30) /* of one entry that is read */
#define DEFAULT_BYTES ((uint64_t) 256 << 20)

enum { HEX = 2 * CUSHIM__SHA256_BYTES, NAME_BYTES = 96 };

/* --- what the environment says --- */

/* Reads a number of bytes, which may end with K, M or G. */
static bool read_size(const char *text, uint64_t *ret_bytes)
{
    static const char units[] = "KMG";
    unsigned long long number;
    const char *unit;
    char *end;

    errno = 0;
    number = strtoull(text, &end, 10);
    if (!isdigit((unsigned char) *text) || errno || !number)
        return false;
    unit = *end ? strchr(units, toupper((unsigned char) *end)) : NULL;
    for (int i = 0; unit && i <= unit - units; i++) {
        if (number > UINT64_MAX >> 10)
            return false;
        number <<= 10;
    }
    *ret_bytes = number;
    return !end[unit != NULL];
}

cushim_status cushim__cache_limit(uint64_t given, const char *call, uint64_t *ret_limit)
{
    const char *text = cushim__env("CUSHIM_CACHE_BYTES");

    *ret_limit = given ? given : DEFAULT_BYTES;
    if (given || !text || read_size(text, ret_limit))
        return CUSHIM_OK;
    return cushim__fail_at(
        CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
        "%s: CUSHIM_CACHE_BYTES is '%s', and not a number of bytes above 0, such "
        "as 67108864 or 64M; without CUSHIM_CACHE nothing is kept",
        call, text);
}

const char *cushim__cache_path(const char *given)
{
    const char *path = given ? given : cushim__env("CUSHIM_CACHE");

    return path && *path ? path : NULL;
}

/* --- opening --- */

static int make_folder(const char *path)
{
    return mkdir(path, 0700) < 0 && errno != EEXIST ? errno : 0;
}

/* Returns why the first one that is absent could not be made, or 0. */
static int make_folders(char *path)
{
    int first = 0;

    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        first = first ? first : make_folder(path);
        *slash = '/';
    }
    return first ? first : make_folder(path);
}

static cushim_status refuse(const char *call, const char *path, const char *why)
{
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                           "%s: the cache '%s' is refused: %s", call, path, why);
}

/* A file that another user wrote could be any code. */
static cushim_status check(const char *path, const char *call, int folder)
{
    struct stat info;
    char why[160];

    if (fstat(folder, &info) < 0)
        return refuse(call, path, strerror(errno));
    if (info.st_uid != geteuid()) {
        snprintf(why, sizeof(why), "it belongs to user %ju: name a folder of user %ju",
                 (uintmax_t) info.st_uid, (uintmax_t) geteuid());
        return refuse(call, path, why);
    }
    if (info.st_mode & (S_IWGRP | S_IWOTH)) {
        snprintf(why, sizeof(why),
                 "others may write to it (mode %03o), and so choose what runs: chmod go-w it, or "
                 "name another folder",
                 (unsigned) info.st_mode & 0777);
        return refuse(call, path, why);
    }
    return CUSHIM_OK;
}

/* What is refused is an error. What cannot be opened is none: *ret_error says why. */
static cushim_status not_opened(const char *path, const char *call, int error, int *ret_error)
{
    struct stat info;

    if (!lstat(path, &info) && S_ISLNK(info.st_mode))
        return refuse(call, path, "it is a symbolic link: name the folder itself");
    if (error == ENOTDIR)
        return refuse(call, path, "it is no folder");
    *ret_error = error;
    return CUSHIM_OK;
}

/* Returns a copy of a path that the caller frees, or NULL when out of memory. */
static char *copy_path(const char *path, const char *call)
{
    char *copy = strdup(path);

    if (!copy)
        cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, NULL, "no memory for a path");
    /* The name of a symbolic link with a slash behind it would be followed. */
    for (size_t length = copy ? strlen(copy) : 0; length > 1 && copy[length - 1] == '/'; length--)
        copy[length - 1] = 0;
    return copy;
}

/* Opens a folder that is there. *ret_folder is -1 if that fails. */
static cushim_status open_folder(const char *path, const char *call, int *ret_folder,
                                 int *ret_error)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    cushim_status status;

    *ret_folder = -1;
    if (folder < 0)
        return not_opened(path, call, errno, ret_error);
    status = check(path, call, folder);
    if (status)
        close(folder);
    else
        *ret_folder = folder;
    return status;
}

cushim_status cushim__cache_folder_open(const char *path, const char *call, int *ret_folder)
{
    SCOPED_FREE char *copy = copy_path(path, call);
    int error = 0, not_made;

    *ret_folder = -1;
    if (!copy)
        return CUSHIM_ERROR_NO_MEMORY;
    not_made = make_folders(copy);
    CUSHIM_TRY(open_folder(copy, call, ret_folder, &error));
    if (error == ENOENT && not_made)
        error = not_made;
    if (error)
        cushim__log(CUSHIM_LOG_WARNING, "the cache '%s' is not used: %s", copy, strerror(error));
    errno = error;
    return CUSHIM_OK;
}

/* --- one entry --- */

static void name_of(const struct cushim__cache_key *key, char *name)
{
    for (size_t i = 0; i < sizeof(key->bytes); i++)
        sprintf(name + 2 * i, "%02x", key->bytes[i]);
    strcpy(name + HEX, ENDING);
}

static bool read_all(int file, char *bytes, size_t n)
{
    while (n) {
        const ssize_t part = read(file, bytes, n);

        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return false;
        bytes += part;
        n -= (size_t) part;
    }
    return true;
}

void *cushim__cache_folder_read(int folder, const struct cushim__cache_key *key, size_t *ret_bytes)
{
    char name[NAME_BYTES];
    struct stat info;
    char *bytes = NULL;
    int file;

    name_of(key, name);
    file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return NULL;
    if (!fstat(file, &info) && S_ISREG(info.st_mode) && (uint64_t) info.st_size <= MOST_BYTES)
        bytes = malloc((size_t) info.st_size + 1);
    if (bytes && !read_all(file, bytes, (size_t) info.st_size))
        free(TAKE_PTR(bytes));
    if (bytes) {
        *ret_bytes = (size_t) info.st_size;
        futimens(file, NULL);
    }
    close(file);
    return bytes;
}

void cushim__cache_folder_remove(int folder, const struct cushim__cache_key *key)
{
    char name[NAME_BYTES];

    name_of(key, name);
    unlinkat(folder, name, 0);
}

/* --- making room --- */

struct entry {
    char name[NAME_BYTES];
    struct timespec used;
    uint64_t bytes;
};

struct entries {
    struct entry *list;
    size_t n, capacity;
    uint64_t bytes;
};

static bool is_entry(const char *name)
{
    return strspn(name, "0123456789abcdef") == HEX && !strcmp(name + HEX, ENDING);
}

/* A file whose process has ended has no lock any more. */
static void remove_unfinished(int folder, const char *name)
{
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

    if (file < 0)
        return;
    if (!flock(file, LOCK_EX | LOCK_NB))
        unlinkat(folder, name, 0);
    close(file);
}

static void add_entry(struct entries *entries, int folder, const char *name)
{
    struct entry *entry;
    struct stat info;

    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    if (entries->n == entries->capacity) {
        const size_t capacity = entries->capacity ? 2 * entries->capacity : 64;
        struct entry *list = realloc(entries->list, capacity * sizeof(*list));

        if (!list)
            return;
        entries->list = list;
        entries->capacity = capacity;
    }
    entry = &entries->list[entries->n++];
    memcpy(entry->name, name, strlen(name) + 1); /* is_entry() knows its length */
    entry->used = info.st_mtim;
    entry->bytes = (uint64_t) info.st_size;
    entries->bytes += entry->bytes;
}

/* Calls see() with the name of each file of the folder. */
static void for_each_file(int folder, void (*see)(int folder, const char *name, void *user),
                          void *user)
{
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = again < 0 ? NULL : fdopendir(again);
    const struct dirent *found;

    if (!directory) {
        if (again >= 0)
            close(again);
        return;
    }
    while ((found = readdir(directory)))
        see(folder, found->d_name, user);
    closedir(directory);
}

/* Adds an entry, and removes what processes left that have ended. Other files are not touched. */
static void list_or_remove(int folder, const char *name, void *entries)
{
    if (is_entry(name))
        add_entry(entries, folder, name);
    else if (!strncmp(name, UNFINISHED, strlen(UNFINISHED)))
        remove_unfinished(folder, name);
}

static int by_time(const void *a, const void *b)
{
    const struct timespec *x = &((const struct entry *) a)->used;
    const struct timespec *y = &((const struct entry *) b)->used;

    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

static uint64_t make_room(int folder, uint64_t limit)
{
    struct entries entries = {0};
    uint64_t removed = 0;

    for_each_file(folder, list_or_remove, &entries);
    if (entries.bytes > limit)
        qsort(entries.list, entries.n, sizeof(*entries.list), by_time);
    for (size_t i = 0; i < entries.n && entries.bytes > limit; i++) {
        /* Another process may have removed it. */
        removed += !unlinkat(folder, entries.list[i].name, 0);
        entries.bytes -= entries.list[i].bytes;
    }
    free(entries.list);
    return removed;
}

/* --- writing --- */

/* Writes a file under a name that no other one has, and then gives it its own name. */
static bool write_file(int folder, const char *name, const void *bytes, size_t n)
{
    static atomic_uint count;
    char unfinished[NAME_BYTES];
    bool good;
    int file;

    snprintf(unfinished, sizeof(unfinished), UNFINISHED "%d-%u-%" PRIu64, (int) getpid(),
             atomic_fetch_add(&count, 1), cushim__now_ns());
    file = openat(folder, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    /* fsync() comes first: after a crash of the machine, a name must not lead to an empty file. */
    good = !flock(file, LOCK_EX | LOCK_NB) && cushim__write_all(file, bytes, n) && !fsync(file) &&
           !renameat(folder, unfinished, folder, name);
    if (!good) {
        const int error = errno;

        unlinkat(folder, unfinished, 0);
        errno = error;
    }
    close(file);
    return good;
}

bool cushim__cache_folder_write(int folder, const struct cushim__cache_key *key, const void *bytes,
                                size_t n_bytes, uint64_t limit, uint64_t *ret_removed)
{
    char name[NAME_BYTES];

    if (n_bytes > limit || n_bytes > MOST_BYTES) {
        cushim__log(CUSHIM_LOG_INFO, "an image of %zu bytes is too large for the cache", n_bytes);
        return false;
    }
    name_of(key, name);
    if (!write_file(folder, name, bytes, n_bytes)) {
        cushim__log(CUSHIM_LOG_WARNING, "an image was not kept in the cache: %s", strerror(errno));
        return false;
    }
    *ret_removed = make_room(folder, limit);
    return true;
}

/* --- looking --- */

static void count_entry(int folder, const char *name, void *user)
{
    struct cushim_cache_state *state = user;
    struct stat info;

    if (!is_entry(name) || fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    state->images++;
    state->bytes += (uint64_t) info.st_size;
}

/* Returns why nothing can be written to a folder, or NULL. */
static const char *unwritable(const char *path)
{
    if (!faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS))
        return NULL;
    return errno == EROFS    ? "the file system is read-only"
           : errno == EACCES ? "this user may not write to it"
                             : "it cannot be written";
}

/* The same for a folder that is absent: the next folder above it has to take it. */
static const char *cannot_be_made(char *path)
{
    char *slash;

    while ((slash = strrchr(path, '/'))) {
        slash[slash == path] = 0; /* "/" stays */
        if (!access(path, F_OK))
            return unwritable(path) ? "it is absent, and cannot be made" : NULL;
        if (slash == path)
            break;
    }
    return unwritable(".") ? "it is absent, and cannot be made" : NULL;
}

cushim_status cushim__cache_folder_look(const char *path, const char *call,
                                        struct cushim_cache_state *state)
{
    SCOPED_FREE char *copy = copy_path(path, call);
    int folder, error = 0;

    if (!copy)
        return CUSHIM_ERROR_NO_MEMORY;
    CUSHIM_TRY(open_folder(copy, call, &folder, &error));
    if (error == ENOENT) {
        state->unwritable = cannot_be_made(copy);
        return CUSHIM_OK;
    }
    if (error)
        return cushim__fail_at(CUSHIM_ERROR_SYSTEM, call, NULL,
                               "%s: the cache '%s' is not used: %s", call, copy, strerror(error));
    for_each_file(folder, count_entry, state);
    state->unwritable = unwritable(copy);
    close(folder);
    return CUSHIM_OK;
}
