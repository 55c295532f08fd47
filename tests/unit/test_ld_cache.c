/* SPDX-License-Identifier: MIT */
/* The file that ldconfig writes, right and wrong. */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/linker/ld_cache.h"

#include "support.h"

SUITE(ld_cache);

enum { HEADER = 48, ENTRY = 24 };

struct cache {
    unsigned char bytes[1024];
    size_t size;
};

static void put(struct cache *cache, size_t at, uint32_t number)
{
    memcpy(cache->bytes + at, &number, sizeof(number));
}

static uint32_t add_string(struct cache *cache, const char *text)
{
    const size_t at = cache->size;

    strcpy((char *) cache->bytes + at, text);
    cache->size += strlen(text) + 1;
    return (uint32_t) at;
}

/* Three entries, of two names. */
static struct cache make(void)
{
    static const char *const strings[3][2] = {{"liba.so.1", "/one/liba.so.1"},
                                              {"libb.so.1", "/one/libb.so.1"},
                                              {"liba.so.1", "/two/liba.so.1"}};
    struct cache cache = {.size = HEADER + 3 * ENTRY};

    memcpy(cache.bytes, "glibc-ld.so.cache1.1", 20);
    put(&cache, 20, 3);
    for (size_t i = 0; i < 3; i++) {
        put(&cache, HEADER + i * ENTRY + 4, add_string(&cache, strings[i][0]));
        put(&cache, HEADER + i * ENTRY + 8, add_string(&cache, strings[i][1]));
    }
    return cache;
}

struct seen {
    char text[256];
    int most;
};

static bool note(const char *path, void *user)
{
    struct seen *seen = user;

    strcat(strcat(seen->text, path), " ");
    return !--seen->most;
}

static void expect_found(const struct cache *cache, const char *name, int most, const char *wanted)
{
    /* In memory of its own, so that a tool sees a read past its end. */
    void *copy = malloc(cache->size ? cache->size : 1);
    struct seen seen = {"", most};

    cr_assert(ne(ptr, copy, NULL));
    memcpy(copy, cache->bytes, cache->size);
    cushim__ld_cache_find(copy, cache->size, name, note, &seen);
    free(copy);
    cr_expect(eq(str, seen.text, S(wanted)));
}

Test(ld_cache, paths_by_name)
{
    const struct cache cache = make();

    expect_found(&cache, "liba.so.1", 9, "/one/liba.so.1 /two/liba.so.1 ");
    expect_found(&cache, "liba.so.1", 1, "/one/liba.so.1 ");
    expect_found(&cache, "libb.so.1", 9, "/one/libb.so.1 ");
    expect_found(&cache, "libc.so.1", 9, "");
}

/* As ldconfig wrote it before glibc 2.32: the older format first. */
Test(ld_cache, behind_the_older_format)
{
    const struct cache inner = make();
    struct cache cache = {.size = 64 + inner.size};

    memcpy(cache.bytes, "ld.so-1.7.0", 12);
    memcpy(cache.bytes + 64, inner.bytes, inner.size);
    expect_found(&cache, "libb.so.1", 9, "/one/libb.so.1 ");
}

Test(ld_cache, every_beginning_of_one)
{
    struct cache cache = make();

    while (cache.size-- > HEADER + 3 * ENTRY)
        expect_found(&cache, "libz.so.1", 9, "");
    for (; cache.size; cache.size--)
        expect_found(&cache, "liba.so.1", 9, "");
}

Test(ld_cache, one_that_lies)
{
    struct cache cache = make();

    put(&cache, 20, UINT32_MAX);
    expect_found(&cache, "libb.so.1", 9, "/one/libb.so.1 ");
    put(&cache, HEADER + ENTRY + 8, UINT32_MAX);
    expect_found(&cache, "libb.so.1", 9, "");
    put(&cache, HEADER + ENTRY + 4, UINT32_MAX - 1);
    expect_found(&cache, "libb.so.1", 9, "");
}

static bool is_libc(const char *path, void *user)
{
    (void) user;
    return !access(path, 0);
}

Test(ld_cache, the_systems_own)
{
    if (access("/etc/ld.so.cache", 0))
        cr_skip("there is none");
    cr_expect(cushim__ld_cache_each("libc.so.6", is_libc, NULL));
}
