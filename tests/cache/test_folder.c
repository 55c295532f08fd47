/* SPDX-License-Identifier: MIT */
/* The folder of the cache: who may write to it, what is removed, and what is damaged. */
#include <fcntl.h>
#include <pthread.h>

#include "core/code/cache.h"
#include "outcome.h"

TestSuite(cache_folder, .init = setup, .fini = teardown);

Test(cache_folder, the_folder_is_made_for_its_user_alone)
{
    char path[128];
    struct stat info;

    snprintf(path, sizeof(path), "%s/made/deep//", folder);
    cr_expect(eq(int, OUTCOME("source", .cache = path), MISS));
    cr_expect(eq(int, OUTCOME("source", .cache = path), HIT));
    NEED(!stat(path, &info));
    cr_expect(eq(uint, info.st_mode & 0777, 0700));
}

static void expect_refused(const char *path, const char *why)
{
    CUSHIM_SCOPED(cushim_image) image = CUSHIM_NONE;

    cr_expect(eq(
        int, cushim_compile("source", cushim_compile_params(.nvrtc = nvrtc, .cache = path), &image),
        CUSHIM_ERROR_INVALID_ARGUMENT));
    cr_expect(ne(ptr, strstr(cushim_error_text(), why), NULL), "%s", cushim_error_text());
}

Test(cache_folder, a_folder_that_others_may_write_is_refused)
{
    char path[128], link[128];

    snprintf(path, sizeof(path), "%s/shared", folder);
    snprintf(link, sizeof(link), "%s/link", folder);
    NEED(!mkdir(path, 0700));
    NEED(!symlink(path, link));
    expect_refused(link, "it is a symbolic link");
    strcat(link, "/");
    expect_refused(link, "it is a symbolic link");
    NEED(!chmod(path, 0770));
    expect_refused(path, "others may write to it (mode 770)");
    NEED(!chmod(path, 0702));
    expect_refused(path, "others may write to it (mode 702)");
    NEED(!chmod(path, 0755));
    cr_expect(eq(int, OUTCOME("source", .cache = path), MISS));
    if (!geteuid() && !chown(path, 12345, -1))
        expect_refused(path, "it belongs to user 12345");
    write_text(folder, "file", "");
    snprintf(path, sizeof(path), "%s/file", folder);
    expect_refused(path, "it is no folder");
}

Test(cache_folder, a_folder_that_cannot_be_made_is_not_used)
{
    cr_expect(eq(int, OUTCOME("source", .cache = "/proc/none/such"), BYPASS));
    cr_expect(ne(ptr, strstr(log_text, "the cache '/proc/none/such' is not used"), NULL), "%s",
              log_text);
}

Test(cache_folder, symbolic_links_in_the_folder_are_not_followed)
{
    char entry[512], victim[128], text[16] = "";
    FILE *file;

    snprintf(victim, sizeof(victim), "%s/victim", folder);
    cr_expect(eq(int, OUTCOME("source"), MISS));
    only_entry(folder, entry, sizeof(entry));
    NEED(!rename(entry, victim));
    NEED(!symlink(victim, entry));
    cr_expect(eq(int, OUTCOME("source"), MISS));
    write_text(folder, "victim", "untouched");
    NEED(!unlink(entry) && !symlink(victim, entry));
    cr_expect(eq(int, OUTCOME("source"), MISS));
    cr_expect(eq(int, OUTCOME("source"), HIT));
    file = fopen(victim, "r");
    NEED(file && fgets(text, sizeof(text), file));
    fclose(file);
    cr_expect(eq(str, text, "untouched"));
}

/* --- looking --- */

static struct cushim_cache_state state_of(const char *path)
{
    struct cushim_cache_state state = {.size = sizeof(state)};

    cr_expect(eq(int, cushim_compile_cache_look(path, &state), CUSHIM_OK), "%s",
              cushim_error_text());
    return state;
}

Test(cache_folder, looking_counts_images_and_changes_nothing)
{
    struct cushim_cache_state state = state_of(folder);
    char entry[512];
    struct stat info;

    cr_expect(eq(u64, state.images, 0));
    cr_expect(eq(int, OUTCOME("source"), MISS));
    only_entry(folder, entry, sizeof(entry));
    NEED(!stat(entry, &info));
    write_text(folder, "not-of-the-cache", "x");
    write_text(folder, ".unfinished-1-1", "of a process that has ended");
    state = state_of(folder);
    cr_expect(eq(u64, state.images, 1));
    cr_expect(eq(u64, state.bytes, (uint64_t) info.st_size));
    cr_expect(eq(u64, state.limit, UINT64_C(256) << 20));
    cr_expect(eq(ptr, (void *) (uintptr_t) state.unwritable, NULL));
    cr_expect(eq(sz, count_files(folder, ".unfinished"), 1));
    cr_expect(eq(int, OUTCOME("other "), MISS));
    cr_expect(eq(u64, state_of(folder).images, 2));
}

Test(cache_folder, looking_takes_the_folder_and_the_limit_from_the_environment)
{
    struct cushim_cache_state state = state_of(NULL);

    cr_expect(eq(u64, state.limit, 0));
    setenv("CUSHIM_CACHE", folder, 1);
    setenv("CUSHIM_CACHE_BYTES", "3M", 1);
    cr_expect(eq(int, OUTCOME("source"), MISS));
    state = state_of(NULL);
    cr_expect(eq(u64, state.limit, 3 << 20));
    cr_expect(eq(u64, state.images, 1));
    cr_expect(eq(u64, state_of("").limit, 0));
    setenv("CUSHIM_CACHE_BYTES", "3X", 1);
    cr_expect(eq(int, cushim_compile_cache_look(NULL, &state), CUSHIM_ERROR_INVALID_ARGUMENT));
    cr_expect(ne(ptr, strstr(cushim_error_text(), "CUSHIM_CACHE_BYTES is '3X'"), NULL));
    unsetenv("CUSHIM_CACHE");
    unsetenv("CUSHIM_CACHE_BYTES");
}

Test(cache_folder, looking_at_a_folder_that_is_not_there_does_not_make_it)
{
    char path[128];
    struct stat info;

    snprintf(path, sizeof(path), "%s/not/there/", folder);
    cr_expect(eq(u64, state_of(path).images, 0));
    cr_expect(eq(ptr, (void *) (uintptr_t) state_of(path).unwritable, NULL));
    cr_expect(ne(int, stat(path, &info), 0));
    cr_expect(eq(ptr, (void *) (uintptr_t) state_of("not-there").unwritable, NULL));
}

Test(cache_folder, looking_says_why_a_folder_is_refused)
{
    struct cushim_cache_state state = {.size = sizeof(state), .images = 7};

    NEED(!chmod(folder, 0777));
    cr_expect(eq(int, cushim_compile_cache_look(folder, &state), CUSHIM_ERROR_INVALID_ARGUMENT));
    cr_expect(ne(ptr, strstr(cushim_error_text(), "others may write to it"), NULL));
    cr_expect(eq(u64, state.images, 7));
    NEED(!chmod(folder, 0700));
}

Test(cache_folder, looking_says_why_nothing_can_be_kept)
{
    char path[128];
    const char *why;

    snprintf(path, sizeof(path), "%s/not/there", folder);
    NEED(!chmod(folder, 0500));
    /* Root may write anywhere. */
    NEED(geteuid() || (!chown(folder, 65534, -1) && !seteuid(65534)));
    why = state_of(folder).unwritable;
    cr_expect(eq(str, (char *) (uintptr_t) (why ? why : ""), "this user may not write to it"));
    why = state_of(path).unwritable;
    cr_expect(eq(str, (char *) (uintptr_t) (why ? why : ""), "it is absent, and cannot be made"));
    NEED(!seteuid(getuid()) && !chown(folder, geteuid(), -1) && !chmod(folder, 0700));
}

/* --- the limit --- */

static void make_old(const char *path, int seconds_ago)
{
    struct timespec times[2];

    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= seconds_ago;
    times[1] = times[0];
    NEED(!utimensat(AT_FDCWD, path, times, 0));
}

Test(cache_folder, what_was_not_used_for_longest_is_removed)
{
    const struct cushim_cache_counts before = counts_now();
    char entry[512];
    struct stat info;

    cr_expect(eq(int, OUTCOME("first "), MISS));
    only_entry(folder, entry, sizeof(entry));
    NEED(!stat(entry, &info));
    cr_expect(eq(int, OUTCOME("second"), MISS));
    write_text(folder, "not-of-the-cache", "x");
    write_text(folder, ".unfinished-1-1", "of a process that has ended");
    make_old(entry, 1000);
    /* A hit makes it the one that was used last. */
    cr_expect(eq(int, OUTCOME("first "), HIT));
    NEED(!stat(entry, &info));
    cr_expect(eq(int, OUTCOME("third ", .cache_bytes = 2 * (uint64_t) info.st_size), MISS));
    cr_expect(eq(u64, counts_now().removed, before.removed + 1));
    cr_expect(eq(sz, count_files(folder, ".cushim"), 2));
    cr_expect(eq(sz, count_files(folder, "not-of-the-cache"), 1));
    cr_expect(eq(sz, count_files(folder, ".unfinished"), 0));
    cr_expect(eq(int, OUTCOME("first "), HIT));
    cr_expect(eq(int, OUTCOME("third "), HIT));
    cr_expect(eq(int, OUTCOME("second"), MISS));
}

Test(cache_folder, an_image_above_the_limit_is_not_kept)
{
    cr_expect(eq(int, OUTCOME("source", .cache_bytes = 100), MISS));
    cr_expect(eq(sz, count_files(folder, ""), 0));
    cr_expect(ne(ptr, strstr(log_text, "too large for the cache"), NULL), "%s", log_text);
}

/* --- damage --- */

static size_t read_entry(const char *path, char *bytes, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t n;

    NEED(file);
    n = fread(bytes, 1, size, file);
    fclose(file);
    return n;
}

static void write_entry(const char *path, const char *bytes, size_t n)
{
    FILE *file = fopen(path, "w");

    NEED(file && fwrite(bytes, 1, n, file) == n);
    fclose(file);
}

Test(cache_folder, a_damaged_image_is_made_anew)
{
    const struct cushim_cache_counts before = counts_now();
    static char bytes[4096];
    char path[512];
    size_t n, damages = 0;

    cr_expect(eq(int, OUTCOME("source"), MISS));
    only_entry(folder, path, sizeof(path));
    n = read_entry(path, bytes, sizeof(bytes));
    for (size_t i = 0; i < n; i += 5, damages += 2) {
        write_entry(path, bytes, i);
        cr_expect(eq(int, OUTCOME("source"), MISS), "cut short to %zu", i);
        bytes[i] ^= 1 << i % 8;
        write_entry(path, bytes, n);
        bytes[i] ^= 1 << i % 8;
        cr_expect(eq(int, OUTCOME("source"), MISS), "byte %zu", i);
        cr_expect(eq(int, OUTCOME("source"), HIT), "after byte %zu", i);
    }
    cr_expect(gt(sz, damages, 50));
    cr_expect(eq(u64, counts_now().damaged, before.damaged + damages));
}

Test(cache_folder, every_bit_of_an_entry_is_checked)
{
    struct cushim__cache_key key = {{1, 2, 3}};
    struct cushim__lowered lowered = {"f<int>", "_Z1fIiE"};
    char code[] = "code";
    const struct cushim__image image = {
        .bytes = code, .n_bytes = 4, .log = "a log", .lowered = &lowered, .n_lowered = 1};
    size_t n = 0;
    unsigned char *bytes = cushim__cache_entry_write(&key, &image, &n);
    struct cushim__image *read = cushim__cache_entry_read(&key, bytes, n);

    cr_assert(ne(ptr, read, NULL));
    cr_expect(eq(str, read->log, "a log"));
    cr_expect(eq(str, cushim__image_lowered(read, "f<int>"), "_Z1fIiE"));
    cushim__image_free(read);
    for (size_t i = 0; i < n; i++) {
        cr_expect(eq(ptr, cushim__cache_entry_read(&key, bytes, i), NULL), "%zu bytes", i);
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] ^= (unsigned char) (1 << bit);
            cr_expect(eq(ptr, cushim__cache_entry_read(&key, bytes, n), NULL), "byte %zu", i);
            bytes[i] ^= (unsigned char) (1 << bit);
        }
    }
    key.bytes[0] = 9;
    cr_expect(eq(ptr, cushim__cache_entry_read(&key, bytes, n), NULL));
    free(bytes);
}

/* --- threads --- */

static void *compile_all(void *user)
{
    char source[32];

    for (int i = 0; i < 40; i++) {
        CUSHIM_SCOPED(cushim_image) image = CUSHIM_NONE;

        snprintf(source, sizeof(source), "source %d", i % 8);
        if (cushim_compile(
                source, cushim_compile_params(.nvrtc = nvrtc, .cache = folder, .cache_bytes = 2000),
                &image) ||
            !strstr(cushim_image_data(image, NULL), source))
            *(int *) user = 1;
    }
    return NULL;
}

Test(cache_folder, threads_share_a_folder)
{
    pthread_t threads[8];
    int wrong[8] = {0};

    for (int i = 0; i < 8; i++)
        NEED(!pthread_create(&threads[i], NULL, compile_all, &wrong[i]));
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        cr_expect(zero(int, wrong[i]), "thread %d", i);
    }
    cr_expect(eq(sz, count_files(folder, ".unfinished"), 0));
}
