/* SPDX-License-Identifier: MIT */
/* What a child of fork() can do with a driver, by what its parent did with it. */
#include "plain.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_S = 30, FORKS = 100 };

static int status_of(int child)
{
    int status = -1;

    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        fprintf(stderr, "the child hung for %d s\n", PATIENCE_S);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Runs a function in a child, which is killed if it hangs. */
static void in_child(void (*function)(const char *library), const char *library)
{
    const int child = fork();

    if (!child) {
        alarm(PATIENCE_S);
        atomic_store(&failed_checks, 0);
        function(library);
        if (failures())
            _exit(1);
        /* Not by exit: what the parent's other threads had is lost here, and no leak of ours. */
        raise(SIGKILL);
    }
    CHECK_INT(status_of(child), -SIGKILL);
}

static void expect_forked_error(const char *library)
{
    cushim_driver driver = CUSHIM_NONE;
    char text[64];

    CHECK_INT(cushim_open(cushim_open_params(.library = library, .label = "child"), &driver),
              CUSHIM_ERROR_FORKED);
    CHECK_INT(driver.id, 0);
    snprintf(text, sizeof(text), "process %d initialised the driver", (int) getppid());
    CHECK_CONTAINS(cushim_error_text(), text);
    snprintf(text, sizeof(text), "then forked this one (%d)", (int) getpid());
    CHECK_CONTAINS(cushim_error_text(), text);
    CHECK_TEXT(cushim_error_call(), "cuInit");
    CHECK_TEXT(cushim_error_label(), "child");
    /* To look at it is allowed. */
    CHECK_INT(cushim_open(cushim_open_params(.library = library, .load_only = true), &driver),
              CUSHIM_OK);
    cushim_close(&driver);
}

static void expect_forked(const char *library)
{
    const struct cushim_report *report = NULL;

    expect_forked_error(library);
    CHECK_INT(
        cushim_report_create(CUSHIM_LIBRARY_CUDA, cushim_open_params(.library = library), &report),
        CUSHIM_OK);
    CHECK_INT(report->status, CUSHIM_ERROR_FORKED);
    CHECK_INT(report->process, getppid());
    CHECK_TEXT(report->chosen->path, library);
    cushim_report_free(&report);
}

static void expect_works(const char *library)
{
    cushim_driver driver = CUSHIM_NONE;

    CHECK_INT(cushim_open(cushim_open_params(.library = library), &driver), CUSHIM_OK);
    CHECK_INT(call_row(driver, CUSHIM_ROW_cuDeviceGet), FAKE_ROW + CUSHIM_ROW_cuDeviceGet);
    cushim_close(&driver);
}

static void after_open(void)
{
    cushim_driver driver = CUSHIM_NONE;

    CHECK_INT(cushim_open(cushim_open_params(.library = FAKE("answers")), &driver), CUSHIM_OK);
    in_child(expect_forked, FAKE("answers"));
    in_child(expect_works, FAKE("few")); /* another driver, which the parent did not initialise */
    expect_works(FAKE("answers"));
    cushim_close(&driver);
}

static void after_load_only(void)
{
    cushim_driver driver = CUSHIM_NONE;

    CHECK_INT(cushim_open(cushim_open_params(.library = FAKE("old"), .load_only = true), &driver),
              CUSHIM_OK);
    in_child(expect_works, FAKE("old"));
    expect_works(FAKE("old")); /* what the child did is not the parent's */
    in_child(expect_forked, FAKE("old"));
    cushim_close(&driver);
}

/* The parent calls cuInit() itself: only the driver's answer, 3, tells the child. */
static void after_init_behind_our_back(void)
{
    cushim_driver driver = CUSHIM_NONE;
    int (*init)(unsigned);

    CHECK_INT(
        cushim_open(cushim_open_params(.library = FAKE("hidden"), .load_only = true), &driver),
        CUSHIM_OK);
    init = (int (*)(unsigned)) cushim_driver_functions(driver, CUSHIM_CUDA_ROWS)[CUSHIM_ROW_cuInit];
    CHECK_INT(init(0), 0);
    in_child(expect_forked_error, FAKE("hidden"));
    cushim_close(&driver);
}

static atomic_bool stop;

static void *open_and_close(void *library)
{
    while (!atomic_load(&stop)) {
        cushim_driver driver = CUSHIM_NONE;

        CHECK_INT(cushim_open(cushim_open_params(.library = library, .load_only = true), &driver),
                  CUSHIM_OK);
        CHECK_INT(call_row(driver, CUSHIM_ROW_cuMemFree_v2), 302);
        cushim_close(&driver);
        CUSHIM_IGNORE(cushim_open(cushim_open_params(.library = "none"), &driver));
    }
    return NULL;
}

/* Whatever lock another thread holds when the process forks, the child can open. */
static void while_a_thread_opens(const char *library, int forks)
{
    pthread_t threads[2];

    atomic_store(&stop, false);
    for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
        CHECK_INT(pthread_create(&threads[i], NULL, open_and_close, (void *) (uintptr_t) library),
                  0);
    for (int i = 0; i < forks && !failures(); i++)
        in_child(expect_works, library);
    atomic_store(&stop, true);
    for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    after_open();
    after_load_only();
    after_init_behind_our_back();
    while_a_thread_opens(FAKE("slow"), FORKS);
    return failures();
}
