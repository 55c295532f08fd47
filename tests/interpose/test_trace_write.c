/* SPDX-License-Identifier: MIT */
/* Writing a trace: the file is replaced as a whole or not at all. */
#include <cushim/trace.h>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fake.h"
#include "support.h"

SUITE(trace_write);

/* A folder of the test's own, and paths in it. */
static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void make_folder(void)
{
    const char *base = getenv("TMPDIR");

    snprintf(folder, sizeof(folder), "%.40s/cushim-XXXXXX", base && *base ? base : "/tmp");
    cr_assert(ne(ptr, mkdtemp(folder), NULL), "%s", folder);
}

static size_t files_in_folder(void)
{
    struct dirent *entry;
    DIR *dir = opendir(folder);
    size_t n = 0;

    cr_assert(ne(ptr, dir, NULL));
    while ((entry = readdir(dir)))
        n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

static void remove_folder(const char *file)
{
    if (file)
        unlink(in_folder(file));
    cr_expect(zero(int, rmdir(folder)), "something is left in %s", folder);
}

/* A trace with n calls. */
static cushim_trace trace_of(size_t n)
{
    cushim_driver below = fake_open(0), driver = CUSHIM_NONE;
    cushim_trace trace = CUSHIM_NONE;
    struct cushim_hooks hooks;

    assert_ok(cushim_trace_create(NULL, &trace));
    hooks = cushim_trace_hooks(trace);
    assert_ok(cushim_interpose(below, &hooks, 1, &driver));
    for (size_t i = 0; i < n; i++)
        fake_count(fake_functions(driver));
    cushim_close(&driver);
    cushim_close(&below);
    return trace;
}

static void read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t length;

    cr_assert(ne(ptr, file, NULL), "%s", path);
    length = fread(text, 1, size - 1, file);
    text[length] = '\0';
    fclose(file);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    cr_assert(ne(ptr, file, NULL), "%s", path);
    fputs(text, file);
    fclose(file);
}

Test(trace_write, makes_a_file)
{
    cushim_trace trace = trace_of(2);
    char text[4096];

    make_folder();
    assert_ok(cushim_trace_write(trace, in_folder("t.json")));
    read_text(in_folder("t.json"), text, sizeof(text));
    assert_contains(text, "\"traceEvents\":[");
    assert_contains(text, "\"name\":\"cuDeviceGetCount\"");
    cr_expect(eq(chr, text[strlen(text) - 1], '\n'));
    cr_expect(eq(sz, files_in_folder(), 1));
    cushim_trace_free(&trace);
    remove_folder("t.json");
}

/* Who has the old file open keeps it: it is another one that has the name now. */
Test(trace_write, replaces_a_file)
{
    cushim_trace trace = trace_of(100);
    char text[4096];
    FILE *old;

    make_folder();
    write_text(in_folder("t.json"), "old");
    old = fopen(in_folder("t.json"), "r");
    cr_assert(ne(ptr, old, NULL));
    assert_ok(cushim_trace_write(trace, in_folder("t.json")));
    cr_expect(eq(sz, fread(text, 1, sizeof(text), old), 3));
    fclose(old);
    read_text(in_folder("t.json"), text, sizeof(text));
    assert_contains(text, "traceEvents");
    cr_expect(eq(sz, files_in_folder(), 1));
    cushim_trace_free(&trace);
    remove_folder("t.json");
}

Test(trace_write, leaves_nothing_where_it_cannot_write)
{
    cushim_trace trace = trace_of(1);

    make_folder();
    assert_status(cushim_trace_write(trace, in_folder("no/t.json")), CUSHIM_ERROR_SYSTEM);
    assert_contains(cushim_error_text(), in_folder("no/t.json"));
    cr_expect(eq(str, S(cushim_error_call()), S("cushim_trace_write")));
    assert_status(cushim_trace_write(trace, ""), CUSHIM_ERROR_SYSTEM);
    cr_expect(eq(sz, files_in_folder(), 0));
    cushim_trace_free(&trace);
    remove_folder(NULL);
}

Test(trace_write, leaves_nothing_where_a_folder_has_the_name)
{
    cushim_trace trace = trace_of(1);

    make_folder();
    cr_assert(zero(int, mkdir(in_folder("t.json"), 0700)));
    assert_status(cushim_trace_write(trace, in_folder("t.json")), CUSHIM_ERROR_SYSTEM);
    cr_expect(eq(sz, files_in_folder(), 1));
    rmdir(in_folder("t.json"));
    cushim_trace_free(&trace);
    remove_folder(NULL);
}

/* As on a full disk: the first part can be written, and the rest cannot. */
Test(trace_write, keeps_the_old_file_when_the_new_one_does_not_fit)
{
    const struct rlimit limit = {20000, 20000};
    cushim_trace trace = trace_of(2000);
    char text[64];

    make_folder();
    write_text(in_folder("t.json"), "old");
    signal(SIGXFSZ, SIG_IGN);
    cr_assert(zero(int, setrlimit(RLIMIT_FSIZE, &limit)));
    assert_status(cushim_trace_write(trace, in_folder("t.json")), CUSHIM_ERROR_SYSTEM);
    read_text(in_folder("t.json"), text, sizeof(text));
    cr_expect(eq(str, text, S("old")));
    cr_expect(eq(sz, files_in_folder(), 1));
    cushim_trace_free(&trace);
    remove_folder("t.json");
}

static cushim_trace shared;

static void *write_again(void *path)
{
    for (int i = 0; i < 30; i++)
        if (cushim_trace_write(shared, path))
            return S("failed");
    return NULL;
}

/* Whoever is last, it is a whole file. */
Test(trace_write, by_several_threads_at_once)
{
    static char text[200000], whole[200000], path[256];
    pthread_t threads[4];

    make_folder();
    snprintf(path, sizeof(path), "%s", in_folder("t.json"));
    shared = trace_of(500);
    assert_ok(cushim_trace_write(shared, path));
    read_text(path, whole, sizeof(whole));
    for (int i = 0; i < 4; i++)
        cr_assert(zero(int, pthread_create(&threads[i], NULL, write_again, path)));
    for (int i = 0; i < 4; i++) {
        void *failed = NULL;

        pthread_join(threads[i], &failed);
        cr_expect(eq(ptr, failed, NULL), "thread %d could not write", i);
    }
    read_text(path, text, sizeof(text));
    cr_expect(eq(str, text, whole));
    cr_expect(eq(sz, files_in_folder(), 1));
    cushim_trace_free(&shared);
    remove_folder("t.json");
}

static mode_t mode_of(const char *path)
{
    struct stat info;

    cr_assert(zero(int, lstat(path, &info)), "%s", path);
    return info.st_mode & S_IFMT;
}

static void link_to(const char *to, const char *name)
{
    cr_assert(zero(int, symlink(to, in_folder(name))));
}

Test(trace_write, never_replaces_a_device)
{
    cushim_trace trace = trace_of(1);
    char to[64] = "";

    make_folder();
    link_to("/dev/null", "t.json");
    assert_ok(cushim_trace_write(trace, in_folder("t.json")));
    cr_expect(eq(uint, mode_of(in_folder("t.json")), S_IFLNK));
    cr_expect(gt(long, (long) readlink(in_folder("t.json"), to, sizeof(to) - 1), 0));
    cr_expect(eq(str, to, S("/dev/null")));
    cr_expect(eq(uint, mode_of("/dev/null"), S_IFCHR));
    cr_expect(eq(sz, files_in_folder(), 1));
    cushim_trace_free(&trace);
    remove_folder("t.json");
}

/* The pipe has room for all of this small trace. */
Test(trace_write, writes_to_a_pipe_that_is_read)
{
    cushim_trace trace = trace_of(1);
    char text[4096] = "";
    int reader;

    make_folder();
    cr_assert(zero(int, mkfifo(in_folder("t.json"), 0600)));
    assert_status(cushim_trace_write(trace, in_folder("t.json")), CUSHIM_ERROR_SYSTEM);
    assert_contains(cushim_error_text(), "nothing reads");
    cr_assert(eq(uint, mode_of(in_folder("t.json")), S_IFIFO));
    reader = open(in_folder("t.json"), O_RDONLY | O_NONBLOCK);
    cr_assert(ge(int, reader, 0));
    assert_ok(cushim_trace_write(trace, in_folder("t.json")));
    cr_expect(gt(long, (long) read(reader, text, sizeof(text) - 1), 0));
    assert_contains(text, "\"name\":\"cuDeviceGetCount\"");
    cr_expect(eq(uint, mode_of(in_folder("t.json")), S_IFIFO));
    cr_expect(eq(sz, files_in_folder(), 1));
    close(reader);
    cushim_trace_free(&trace);
    remove_folder("t.json");
}

Test(trace_write, follows_symbolic_links)
{
    cushim_trace trace = trace_of(1);
    char text[4096] = "";

    make_folder();
    write_text(in_folder("real.json"), "old");
    link_to("real.json", "t.json");
    assert_ok(cushim_trace_write(trace, in_folder("t.json")));
    cr_expect(eq(uint, mode_of(in_folder("t.json")), S_IFLNK));
    cr_expect(eq(uint, mode_of(in_folder("real.json")), S_IFREG));
    read_text(in_folder("real.json"), text, sizeof(text));
    assert_contains(text, "traceEvents");
    unlink(in_folder("real.json"));
    assert_status(cushim_trace_write(trace, in_folder("t.json")), CUSHIM_ERROR_SYSTEM);
    assert_contains(cushim_error_text(), "leads to no file");
    cr_expect(eq(uint, mode_of(in_folder("t.json")), S_IFLNK));
    cr_expect(eq(sz, files_in_folder(), 1));
    cushim_trace_free(&trace);
    remove_folder("t.json");
}

/* What lies where the new file is to be made may be a link to the file of somebody else. */
Test(trace_write, writes_to_no_link_beside_the_file)
{
    cushim_trace trace = trace_of(1);
    char text[64] = "", part[64];

    make_folder();
    write_text(in_folder("other"), "other");
    snprintf(part, sizeof(part), "t.json.%ld.part", (long) syscall(SYS_gettid));
    link_to("other", part);
    assert_ok(cushim_trace_write(trace, in_folder("t.json")));
    read_text(in_folder("other"), text, sizeof(text));
    cr_expect(eq(str, text, S("other")));
    cr_expect(eq(uint, mode_of(in_folder("t.json")), S_IFREG));
    unlink(in_folder("t.json"));
    cushim_trace_free(&trace);
    remove_folder("other");
}
