/* SPDX-License-Identifier: MIT */
/*
 * The cache on a small disk that fills up, and on one that cannot be written. Exit status: 0 right,
 * 1 wrong, 77 such a disk cannot be made here.
 */
#include <errno.h>
#include <sched.h>
#include <sys/mount.h>

#include "cache.h"

enum { BYTES = 40000 };

static cushim_nvrtc nvrtc;
static char folder[64];
static int failures;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                 \
        }                                                                                          \
    } while (0)

/* Compiles, which must give the right image, and returns how many images were found or kept. */
static int compile(char letter, size_t bytes)
{
    CUSHIM_SCOPED(cushim_image) image = CUSHIM_NONE;
    const struct cushim_cache_counts before = counts_now();
    static char source[BYTES + 1];
    struct cushim_cache_counts after;
    const char *text;

    memset(source, letter, bytes);
    source[bytes] = 0;
    EXPECT(!cushim_compile(source, cushim_compile_params(.nvrtc = nvrtc, .cache = folder), &image));
    text = cushim_image_data(image, NULL);
    EXPECT(text && strstr(text, source));
    after = counts_now();
    return (int) (after.hits - before.hits + after.stored - before.stored);
}

static void fill_up(void)
{
    EXPECT(compile('a', BYTES) == 1);
    EXPECT(compile('b', BYTES) == 0);
    EXPECT(count_files(folder, "") == 1);
    EXPECT(compile('a', BYTES) == 1);
    EXPECT(compile('c', 100) == 1);
    EXPECT(!mount("none", folder, "tmpfs", MS_REMOUNT, "size=1m,mode=700"));
    EXPECT(compile('b', BYTES) == 1);
    EXPECT(compile('b', BYTES) == 1);
    EXPECT(count_files(folder, "") == 3);
}

static void write_protect(void)
{
    EXPECT(!mount("none", folder, "tmpfs", MS_REMOUNT | MS_RDONLY, "size=1m,mode=700"));
    EXPECT(compile('a', BYTES) == 1);
    EXPECT(compile('d', BYTES) == 0);
    EXPECT(count_files(folder, "") == 3);
}

int main(void)
{
    new_folder(folder);
    /* A namespace of its own: nothing is left when the process ends. */
    if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("none", folder, "tmpfs", 0, "size=64k,mode=700")) {
        printf("a small disk needs the rights of root: %s\n", strerror(errno));
        remove_folder(folder);
        return SKIP;
    }
    NEED(!cushim_nvrtc_open(cushim_open_params(.library = FAKE_NVRTC), &nvrtc));
    fill_up();
    write_protect();
    cushim_nvrtc_close(&nvrtc);
    umount(folder);
    remove_folder(folder);
    return failures != 0;
}
