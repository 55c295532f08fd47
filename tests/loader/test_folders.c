/* SPDX-License-Identifier: MIT */
/*
 * The places where the dynamic linker searches, in its order. Nothing is at these places; where the
 * order within the process counts, a part of the C library is searched, which is in the cache and
 * in a default folder.
 */
#include "support.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>

#include "base/linker/elf.h"
#include "base/linker/folders.h"
#include "base/linker/hwcaps.h"
#include "base/linker/ld_cache.h"

TestSuite(folders, .fini = fail_on_valgrind_errors);

#define NAME "libcushim-nowhere.so.7"
#define PART "libc.so.6"

static struct {
    char paths[512][512];
    size_t n;
} visited;

static enum cushim__visit note(const char *path, void *user)
{
    (void) user;
    cr_assert(lt(sz, visited.n, ARRAY_SIZE(visited.paths)));
    snprintf(visited.paths[visited.n++], sizeof(visited.paths[0]), "%s", path);
    return CUSHIM__VISIT_NEXT;
}

static bool search(const char *name, const struct cushim__searcher *searcher)
{
    visited.n = 0;
    return cushim__folders_each(name, searcher, note, NULL);
}

/* Returns the index at which a path was visited first, or the number of all. */
static size_t place_of(const char *path)
{
    size_t i = 0;

    while (i < visited.n && strcmp(visited.paths[i], path) != 0)
        i++;
    return i;
}

static void expect_in_order(const char *const *paths, size_t n)
{
    cr_assert(ge(sz, visited.n, n));
    for (size_t i = 0; i < n; i++)
        assert_text(visited.paths[i], paths[i], "visited");
}

Test(folders, of_the_libraries_on_the_way)
{
    const struct cushim__searcher first = {.path = "/a/first.so", .rpath = "/r1:/r2"};
    const struct cushim__searcher second = {&first, "/b/second.so", NULL, "/s", false};
    const struct cushim__searcher third = {&second, "/c/third.so", "/t", NULL, false};
    const char *const of_third[] = {"/t/" NAME, "/r1/" NAME, "/r2/" NAME};

    assert_true(!search(NAME, &third), "it is nowhere");
    expect_in_order(of_third, ARRAY_SIZE(of_third));
    cr_assert(eq(sz, place_of("/s/" NAME), visited.n), "a RUNPATH is for its own library");
    search(NAME, &second);
    cr_assert(lt(sz, place_of("/s/" NAME), visited.n));
    cr_assert(eq(sz, place_of("/r1/" NAME), visited.n), "a RUNPATH hides each RPATH");
}

Test(folders, with_tokens)
{
    const struct cushim__searcher searcher = {
        .path = "/a/b/lib.so",
        .rpath = "$ORIGIN:${ORIGIN}/../c::/d$ORIGIN/e:/$ORIGINAL/${ORIGIN:/$/f:$:/[g]*?"};
    const char *const wanted[] = {"/a/b/" NAME,
                                  "/a/b/../c/" NAME,
                                  "./" NAME,
                                  "/d/a/b/e/" NAME,
                                  "/$ORIGINAL/${ORIGIN/" NAME,
                                  "/$/f/" NAME,
                                  "$/" NAME,
                                  "/[g]*?/" NAME};

    search(NAME, &searcher);
    expect_in_order(wanted, ARRAY_SIZE(wanted));
}

Test(folders, that_only_the_linker_knows)
{
    const struct cushim__searcher searcher = {.path = "/lib.so", .rpath = "/a:/$PLATFORM:/b"};

    assert_true(search(NAME, &searcher), "the linker may find it there");
    cr_assert(eq(sz, visited.n, 1), "the search ends there");
    assert_text(visited.paths[0], "/a/" NAME, "the first");
}

/* What the linker itself makes of $LIB is seen in the verdicts. */
Test(folders, of_lib)
{
    const struct cushim__searcher searcher = {.path = "/lib.so", .rpath = "/a/$LIB/b"};

    search(NAME, &searcher);
    assert_contains(visited.paths[0], "/a/lib", "the first");
    assert_contains(visited.paths[0], "/b/" NAME, "the first");
}

static bool keep(const char *path, void *user)
{
    snprintf(user, 512, "%s", path);
    return true;
}

/* The C library is in a default folder, and in the cache if there is one. */
Test(folders, of_the_system)
{
    struct cushim__searcher searcher = {.path = "/lib.so"};
    char cached[512] = "", folder[512];
    Dl_info info;

    cr_assert(ne(int, dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &info), 0));
    snprintf(folder, sizeof(folder), "%s", info.dli_fname);
    search(PART, &searcher);
    cr_assert(lt(sz, place_of(folder), visited.n), "%s was not visited", folder);
    if (cushim__ld_cache_each(PART, keep, cached)) {
        size_t cache = visited.n;

        while (cache > 0 && strcmp(visited.paths[cache - 1], cached) != 0)
            cache--;
        cr_assert(gt(sz, visited.n, cache), "a default folder comes after the cache");
    }
    searcher.no_default = true;
    search(PART, &searcher);
    cr_assert(eq(sz, place_of(folder), visited.n), "%s was visited", folder);
    cr_assert(eq(sz, place_of(cached), visited.n), "%s was visited", cached);
}

/* What a file says of its search. */
static struct cushim__elf_needs read_needs(const char *path, struct cushim__arena *arena)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct cushim__elf_needs needs;
    struct cushim__elf_file file;

    cr_assert(ge(int, fd, 0));
    cushim__elf_inspect(fd, (uint64_t) lseek(fd, 0, SEEK_END), arena, &file);
    cr_assert(eq(int, file.state, CUSHIM__ELF_FITS), "%s: %s", path, file.why);
    needs = cushim__elf_needs(fd, &file, arena);
    close(fd);
    return needs;
}

Test(folders, of_a_file)
{
    struct cushim__arena arena = {0};
    struct cushim__elf_needs needs = read_needs(FAKE("no-default"), &arena);

    assert_true(needs.no_default, "DF_1_NODEFLIB");
    assert_text(needs.runpath, "/a:/b", "DT_RUNPATH");
    assert_true(!needs.rpath && !needs.own_name, "nothing else");
    needs = read_needs(FAKE("rpath"), &arena);
    assert_true(!needs.no_default, "without a flag");
    assert_text(needs.rpath, "$ORIGIN/needs", "DT_RPATH");
    assert_true(!needs.runpath, "nothing else");
    needs = read_needs(FAKE("few"), &arena);
    assert_text(needs.own_name, "libcuda.so.1", "DT_SONAME");
    cushim__arena_finish(&arena);
}

Test(folders, builds_for_newer_processors)
{
    const char *const *builds = cushim__hwcaps();
    char path[64];
    int n = 0;

    for (; builds[n]; n++) {
        snprintf(path, sizeof(path), "/a/glibc-hwcaps/%s/" NAME, builds[n]);
        cr_assert(eq(int, cushim__hwcaps_of(path), n), "%s", path);
    }
    cr_assert(eq(int, cushim__hwcaps_of("/a/glibc-hwcaps/x86-64-v/" NAME), CUSHIM__HWCAPS_UNUSED));
    cr_assert(
        eq(int, cushim__hwcaps_of("/a/glibc-hwcaps/x86-64-v99/" NAME), CUSHIM__HWCAPS_UNUSED));
    cr_assert(eq(int, cushim__hwcaps_of("/a/x86-64-v2/" NAME), CUSHIM__HWCAPS_PLAIN));
}
