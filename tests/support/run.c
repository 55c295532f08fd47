/* SPDX-License-Identifier: MIT */
/*
 * main() of the tests under Criterion, which starts the program anew for each test. Under valgrind
 * that takes two seconds a test, most of them for valgrind's own start, and the address sanitizer
 * is slow to start, too. If the variable CUSHIM_TESTS_FORK is set, each test is a fork of the one
 * program instead, and nothing else is different, but that a test has no timeout of its own.
 */
#include "run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

enum { SKIPPED = 77 };

/* The linker's names for the section in which Criterion keeps the tests, and that of the suites. */
extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];
extern struct criterion_suite *__start_cr_sts[] __attribute__((weak));
extern struct criterion_suite *__stop_cr_sts[] __attribute__((weak));

/* The test whose process this is; NULL under Criterion. */
static const struct criterion_test *running;
static bool failed;
static FILE *failures;

bool run_note_failure(const struct criterion_assert_stats *failure)
{
    if (!running)
        return false;
    failed = true;
    fprintf(failures, "# %s:%u: Assertion failed: %s\n", failure->file, failure->line,
            failure->message);
    fflush(failures); /* the test may crash later */
    return true;
}

void run_abort_test(void)
{
    if (running)
        exit(1);
    criterion_abort_test();
}

void run_continue_test(void)
{
    if (!running)
        criterion_continue_test();
}

void run_skip_test(const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (!running)
        criterion_skip_test("%s", text);
    fprintf(failures, "# skipped: %s\n", text);
    exit(SKIPPED);
}

static FILE *redirected;

static void redirect(int to)
{
    fflush(NULL);
    redirected = tmpfile();
    if (!redirected || dup2(fileno(redirected), to) < 0)
        abort();
}

void run_redirect_stdout(void)
{
    redirect(STDOUT_FILENO);
}

void run_redirect_stderr(void)
{
    redirect(STDERR_FILENO);
}

const char *run_redirected(void)
{
    static char text[1 << 16];
    ssize_t n;

    fflush(NULL);
    n = redirected ? pread(fileno(redirected), text, sizeof(text) - 1, 0) : 0;
    text[n > 0 ? n : 0] = '\0';
    return text;
}

/* The functions around the tests of a suite; none if it is not declared. */
static struct criterion_test_extra_data *suite_of(const struct criterion_test *test)
{
    static struct criterion_test_extra_data none;

    for (struct criterion_suite **s = __start_cr_sts; s < __stop_cr_sts; s++) {
        if (*s && !strcmp((*s)->name, test->category))
            return (*s)->data;
    }
    return &none;
}

static void call(void (*function)(void))
{
    if (function)
        function();
}

void run_test_setup(void)
{
    if (!running) {
        criterion_internal_test_setup();
        return;
    }
    call(suite_of(running)->init);
    call(running->data->init);
}

void run_test_main(void (*test)(void))
{
    if (!running)
        criterion_internal_test_main(test);
    else
        test();
}

void run_test_teardown(void)
{
    if (!running) {
        criterion_internal_test_teardown();
        return;
    }
    call(running->data->fini);
    call(suite_of(running)->fini);
}

static void run_child(const struct criterion_test *test)
{
    /* The test may redirect its output. */
    failures = fdopen(dup(STDOUT_FILENO), "w");
    if (!failures)
        exit(1);
    running = test;
    test->test();
    exit(failed);
}

/* True unless the test failed. */
static bool run_test(const struct criterion_test *test, unsigned number)
{
    const char *word = "ok", *directive = "";
    int status = -1;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0)
        run_child(test);
    if (child < 0 || waitpid(child, &status, 0) != child)
        status = -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
        directive = " # SKIP";
    else if (test->data->signal ? !WIFSIGNALED(status) || WTERMSIG(status) != test->data->signal
                                : status != 0)
        word = "not ok";
    printf("%s %u - %s::%s%s\n", word, number, test->category, test->name, directive);
    return strcmp(word, "ok") == 0;
}

static int run_forks(void)
{
    bool fine = true;
    unsigned n = 0;

    printf("1..%d\n", (int) (__stop_cr_tst - __start_cr_tst));
    for (struct criterion_test **test = __start_cr_tst; test < __stop_cr_tst; test++)
        fine = run_test(*test, ++n) && fine;
    return !fine;
}

__attribute__((visibility("default"))) int main(int argc, char **argv)
{
    struct criterion_test_set *tests;
    bool fine;

    if (getenv("CUSHIM_TESTS_FORK"))
        return run_forks();
    tests = criterion_initialize();
    fine = !criterion_handle_args(argc, argv, true) || criterion_run_all_tests(tests);
    criterion_finalize(tests);
    return !fine;
}
