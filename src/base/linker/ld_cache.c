/* SPDX-License-Identifier: MIT */
#include "base/linker/ld_cache.h"

#include <stdint.h>
#include <string.h>

#include "base/file.h"

#define CACHE   "/etc/ld.so.cache"
#define LARGEST ((size_t) 64 << 20)

/* The format of glibc 2.2 and later. Before glibc 2.32, an older format comes first by default. */
static const char magic[] = "glibc-ld.so.cache1.1";

struct header {
    char magic[sizeof(magic) - 1];
    uint32_t n, string_bytes, unused[5];
};

/* The strings are given as offsets from the header. */
struct entry {
    int32_t flags;
    uint32_t name, path, system;
    uint64_t hardware;
};

/* Returns the string at a place, or NULL if it does not end within the file. */
static const char *string_at(const char *begin, size_t bytes, uint32_t place)
{
    return place < bytes && memchr(begin + place, '\0', bytes - place) ? begin + place : NULL;
}

bool cushim__ld_cache_find(const void *cache, size_t bytes, const char *name,
                           bool (*visit)(const char *path, void *user), void *user)
{
    const char *begin = memmem(cache, bytes, magic, sizeof(magic) - 1);
    struct header header;

    if (!begin)
        return false;
    bytes -= (size_t) (begin - (const char *) cache);
    if (bytes < sizeof(header))
        return false;
    memcpy(&header, begin, sizeof(header));
    for (size_t i = 0; i < header.n && (i + 1) * sizeof(struct entry) <= bytes - sizeof(header);
         i++) {
        struct entry entry;
        const char *key, *path;

        memcpy(&entry, begin + sizeof(header) + i * sizeof(entry), sizeof(entry));
        key = string_at(begin, bytes, entry.name);
        if (!key || strcmp(key, name))
            continue;
        path = string_at(begin, bytes, entry.path);
        if (path && visit(path, user))
            return true;
    }
    return false;
}

bool cushim__ld_cache_each(const char *name, bool (*visit)(const char *path, void *user),
                           void *user)
{
    SCOPED_FILE file;

    return cushim__file_read(CACHE, LARGEST, &file) &&
           cushim__ld_cache_find(file.bytes, (size_t) file.size, name, visit, user);
}
