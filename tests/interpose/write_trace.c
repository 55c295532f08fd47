/* SPDX-License-Identifier: MIT */
/*
 * Makes calls for test_trace_file.py, which knows them.
 *
 * write_trace FILE     traces by itself and writes the file
 * write_trace          leaves that to CUSHIM_TRACE
 * write_trace --fork   the same, with a child that calls and exits as well
 */
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/trace.h>

#include "fake.h"
#include "plain.h"

static void *allocate(void *table)
{
    uint64_t pointer;

    CHECK_EQ(fake_alloc(table, &pointer, 64), 0);
    CHECK_EQ(fake_alloc(table, &pointer, 0), 1);
    return NULL;
}

static void make_calls(cushim_driver first, cushim_driver second, cushim_nvrtc nvrtc,
                       cushim_nvjitlink nvjitlink)
{
    const cushim_entry *compiler = cushim_nvrtc_functions(nvrtc, CUSHIM_NVRTC_ROWS);
    const cushim_entry *linker = cushim_nvjitlink_functions(nvjitlink, CUSHIM_NVJITLINK_ROWS);
    pthread_t thread;

    for (int i = 0; i < 3; i++)
        CHECK_EQ(fake_count(fake_functions(first)), FAKE_COUNT(0));
    CHECK_EQ(fake_count(fake_functions(second)), FAKE_COUNT(1));
    CHECK_EQ(pthread_create(&thread, NULL, allocate, (void *) fake_functions(first)), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    ((int (*)(void *, int, void *)) compiler[CUSHIM_ROW_nvrtcCompileProgram])(NULL, 0, NULL);
    ((const char *(*) (int) ) compiler[CUSHIM_ROW_nvrtcGetErrorString])(6);
    ((int (*)(void *)) linker[CUSHIM_ROW_nvJitLinkComplete])(NULL);
}

/* The same driver is opened twice, so that its calls come through two handles. */
static void call_by_environment(void)
{
    cushim_driver first = fake_open(0), second = fake_open(1), again = fake_open(0);
    cushim_nvrtc nvrtc = fake_nvrtc_open();
    cushim_nvjitlink linker = fake_nvjitlink_open();

    make_calls(first, second, nvrtc, linker);
    cushim_close(&first);
    CHECK_EQ(fake_synchronize(fake_functions(again)), 0);
    cushim_close(&again);
    cushim_close(&second);
    cushim_nvrtc_close(&nvrtc);
    cushim_nvjitlink_close(&linker);
}

static void call_and_write(const char *path)
{
    cushim_driver drivers[2] = {fake_open(0), fake_open(1)}, wrapped[2];
    cushim_nvrtc below = fake_nvrtc_open(), nvrtc = CUSHIM_NONE;
    cushim_nvjitlink linker = fake_nvjitlink_open(), traced = CUSHIM_NONE;
    cushim_trace trace = CUSHIM_NONE;
    struct cushim_hooks hooks;

    CHECK_EQ(cushim_trace_create(NULL, &trace), 0);
    hooks = cushim_trace_hooks(trace);
    CHECK_EQ(cushim_interpose(drivers[0], &hooks, 1, &wrapped[0]), 0);
    CHECK_EQ(cushim_interpose(drivers[1], &hooks, 1, &wrapped[1]), 0);
    CHECK_EQ(cushim_interpose_nvrtc(below, &hooks, 1, &nvrtc), 0);
    CHECK_EQ(cushim_interpose_nvjitlink(linker, &hooks, 1, &traced), 0);
    make_calls(wrapped[0], wrapped[1], nvrtc, traced);
    CHECK_EQ(fake_synchronize(fake_functions(wrapped[0])), 0);
    CHECK_EQ(cushim_trace_write(trace, path), 0);
    cushim_trace_free(&trace);
}

static void call_in_a_child(void)
{
    cushim_driver driver = fake_open(0);
    const pid_t child = fork();
    int status = 0;

    if (!child) {
        fake_count(fake_functions(driver));
        exit(0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    cushim_close(&driver);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--fork")) {
        call_and_write(argv[1]);
        return 0;
    }
    if (argc > 1)
        call_in_a_child();
    call_by_environment();
    return 0;
}
