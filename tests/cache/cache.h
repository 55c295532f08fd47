/* SPDX-License-Identifier: MIT */
/* What the tests of the cache share: a folder that is removed, and counts. */
#ifndef CUSHIM_TESTS_CACHE_CACHE_H
#define CUSHIM_TESTS_CACHE_CACHE_H

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cushim/cushim.h>

enum { SKIP = 77 };

/* Ends the process if a step of the test itself is not possible. */
#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, cushim_error_text());        \
            perror("the system's last error");                                                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static inline int remove_one(const char *path, const struct stat *info, int flag, struct FTW *ftw)
{
    (void) info, (void) flag, (void) ftw;
    return remove(path);
}

static inline void remove_folder(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Makes a folder for one test, and writes its path to ret_path, which has 64 bytes. */
static inline void new_folder(char *ret_path)
{
    strcpy(ret_path, "/tmp/cushim-cache-XXXXXX");
    NEED(mkdtemp(ret_path));
}

static inline void write_text(const char *folder, const char *name, const char *text)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    NEED(file);
    NEED(fputs(text, file) >= 0 && !fclose(file));
}

/* How many files of a folder have this in their names. "" counts all. */
static inline size_t count_files(const char *folder, const char *part)
{
    DIR *directory = opendir(folder);
    const struct dirent *entry;
    size_t n = 0;

    if (!directory)
        return 0;
    while ((entry = readdir(directory)))
        n += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
             strstr(entry->d_name, part);
    closedir(directory);
    return n;
}

/* Writes the path of the only entry in a folder. */
static inline void only_entry(const char *folder, char *ret_path, size_t size)
{
    DIR *directory = opendir(folder);
    const struct dirent *entry;

    *ret_path = 0;
    NEED(directory);
    while ((entry = readdir(directory)))
        if (strstr(entry->d_name, ".cushim"))
            snprintf(ret_path, size, "%s/%s", folder, entry->d_name);
    closedir(directory);
    NEED(*ret_path);
}

static inline struct cushim_cache_counts counts_now(void)
{
    struct cushim_cache_counts counts = {.size = sizeof(counts)};

    NEED(!cushim_compile_cache_counts(&counts));
    return counts;
}

#endif
