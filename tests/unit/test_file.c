/* SPDX-License-Identifier: MIT */
/* Files that somebody names, and what else a name can lead to. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

#include "support.h"

enum { MOST = 1 << 20 };

static char folder[32];

static void begin(void)
{
    strcpy(folder, "/tmp/cushim-file-XXXXXX");
    cr_assert(ne(ptr, mkdtemp(folder), NULL));
    cr_assert(eq(int, chdir(folder), 0));
}

static void end(void)
{
    static const char *const names[] = {"text", "pipe", "one", "two", "sparse"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        unlink(names[i]);
    rmdir("folder");
    cr_assert(eq(int, chdir("/"), 0));
    rmdir(folder);
    fail_on_valgrind_errors();
}

TestSuite(file, .init = begin, .fini = end, .timeout = 20);

static void put(const char *name, const void *bytes, size_t n)
{
    FILE *file = fopen(name, "w");

    cr_assert(ne(ptr, file, NULL));
    cr_assert(eq(sz, fwrite(bytes, 1, n, file), n));
    fclose(file);
}

static void expect_refused(const char *path, enum cushim__file_state state, const char *why)
{
    SCOPED_FILE file;

    cr_expect(not(cushim__file_read(path, MOST, &file)), "%s", path);
    cr_expect(eq(int, (int) file.state, (int) state), "%s", path);
    cr_expect(eq(str, file.why, S(why)), "%s", path);
    cr_expect(eq(ptr, file.bytes, NULL), "%s", path);
}

Test(file, is_read_whole)
{
    char text[100001];
    SCOPED_FILE file;

    memset(text, 'x', sizeof(text));
    put("text", text, sizeof(text));
    cr_assert(cushim__file_read_text("text", sizeof(text), &file));
    cr_expect(eq(u64, file.size, sizeof(text)));
    cr_expect(eq(int, memcmp(file.bytes, text, sizeof(text)), 0));
    cr_expect(eq(chr, file.bytes[sizeof(text)], '\0'));
}

Test(file, may_be_empty)
{
    SCOPED_FILE file;

    put("text", "", 0);
    cr_assert(cushim__file_read_text("text", 0, &file));
    cr_expect(eq(str, file.bytes, S("")));
}

Test(file, is_no_larger_than_wanted)
{
    SCOPED_FILE file;

    put("text", "12345", 5);
    cr_expect(not(cushim__file_read("text", 4, &file)));
    cr_expect(eq(int, (int) file.state, CUSHIM__FILE_TOO_LARGE));
    cr_expect(eq(str, file.why, S("it has more than the 4 bytes that are read")));
}

/* All zeros, and none of them on a disk. */
Test(file, holes_are_not_read)
{
    put("sparse", "", 0);
    cr_assert(eq(int, truncate("sparse", (off_t) 1 << 40), 0));
    expect_refused("sparse", CUSHIM__FILE_TOO_LARGE,
                   "it has more than the 1048576 bytes that are read");
}

Test(file, a_text_has_no_nul)
{
    SCOPED_FILE file;

    put("text", "\0seed = 3", 9);
    cr_expect(not(cushim__file_read_text("text", MOST, &file)));
    cr_expect(eq(int, (int) file.state, CUSHIM__FILE_NO_TEXT));
    cr_expect(eq(str, file.why, S("it is no text: byte 0 is a NUL")));
    cr_expect(eq(ptr, file.bytes, NULL));
}

Test(file, what_is_no_file)
{
    cr_assert(eq(int, mkdir("folder", 0700), 0));
    cr_assert(eq(int, mkfifo("pipe", 0600), 0));
    cr_assert(eq(int, symlink("two", "one"), 0));
    cr_assert(eq(int, symlink("one", "two"), 0));
    expect_refused("absent", CUSHIM__FILE_ABSENT, "No such file or directory");
    expect_refused("", CUSHIM__FILE_ABSENT, "the path is empty");
    expect_refused("folder", CUSHIM__FILE_FOLDER, "it is a folder");
    expect_refused("pipe", CUSHIM__FILE_SPECIAL, "it is a pipe, not a regular file");
    expect_refused("one", CUSHIM__FILE_CIRCLE, "its symbolic links lead in a circle");
    expect_refused("/dev/zero", CUSHIM__FILE_SPECIAL, "it is a device, not a regular file");
    expect_refused("/dev/null", CUSHIM__FILE_SPECIAL, "it is a device, not a regular file");
    expect_refused("/proc/version", CUSHIM__FILE_SPECIAL,
                   "the kernel makes it up, it is not a regular file");
    expect_refused("/proc/self/mem", CUSHIM__FILE_SPECIAL,
                   "the kernel makes it up, it is not a regular file");
}

/* A link of /proc leads to what it names, which is on a disk. */
Test(file, an_open_file)
{
    char path[64];
    SCOPED_FILE file;
    int fd;

    put("text", "abc", 3);
    fd = open("text", O_RDONLY);
    cr_assert(ge(int, fd, 0));
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    cr_assert(cushim__file_read_text(path, MOST, &file));
    cr_expect(eq(str, file.bytes, S("abc")));
    close(fd);
}

Test(file, what_may_not_be_read)
{
    put("text", "abc", 3);
    cr_assert(eq(int, chmod("text", 0), 0));
    if (!geteuid())
        cr_skip("root may read everything");
    expect_refused("text", CUSHIM__FILE_UNREADABLE, "Permission denied");
}
