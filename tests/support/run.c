/* SPDX-License-Identifier: MIT */
/*
 * main() of the tests under Criterion, which starts the program anew for each test. The address
 * sanitizer is slow to start. If the variable CUSHIM_TESTS_FORK is "each", each test is a fork of
 * the one program instead. valgrind translates code when it runs first, which is most of a test's
 * time. If the variable is "few", a fork does one test after the other, until one fails, or needs a
 * process that no other test has used. No worker and no connection is between, so a test under a
 * debugger is simple, too.
 */
#include "run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

/* How the process of a test ends, but for 0 and 1. AGAIN: its last test needs another process. */
enum { SKIPPED = 77, AGAIN };

/* The linker's names for the section in which Criterion keeps the tests, and that of the suites. */
extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];
extern struct criterion_suite *__start_cr_sts[] __attribute__((weak));
extern struct criterion_suite *__stop_cr_sts[] __attribute__((weak));

/* The test whose process this is; NULL under Criterion. */
static const struct criterion_test *running;
static bool failed;
static FILE *failures;

/* How many tests the process has begun, which its parent sees, too, and whether it may begin
 * another. */
static size_t *begun;
static bool last;

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

void run_in_new_process(void)
{
    if (!running || *begun == 1)
        return;
    --*begun;
    exit(AGAIN);
}

void run_alone(void)
{
    run_in_new_process();
    last = true;
}

/* Ends with the first test that fails. */
static void run_child(struct criterion_test **test, bool several)
{
    /* The test may redirect its output. */
    failures = fdopen(dup(STDOUT_FILENO), "w");
    if (!failures)
        exit(1);
    last = !several;
    do {
        running = *test;
        ++*begun;
        if (running->data->signal)
            run_alone();
        running->test();
    } while (!last && !failed && ++test < __stop_cr_tst);
    exit(failed);
}

/* True unless the test failed, whose process ended with this status. */
static bool tell(const struct criterion_test *test, size_t number, int status)
{
    const char *word = "ok", *directive = "";

    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
        directive = " # SKIP";
    else if (test->data->signal ? !WIFSIGNALED(status) || WTERMSIG(status) != test->data->signal
                                : status != 0)
        word = "not ok";
    printf("%s %zu - %s::%s%s\n", word, number, test->category, test->name, directive);
    return strcmp(word, "ok") == 0;
}

/* Runs the tests that one process does. True unless one failed. */
static bool run_process(struct criterion_test **test, bool several)
{
    size_t number = (size_t) (test - __start_cr_tst);
    int status = -1;
    pid_t child;

    *begun = 0;
    fflush(NULL);
    child = fork();
    if (child == 0)
        run_child(test, several);
    if (child < 0 || waitpid(child, &status, 0) != child)
        status = -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == AGAIN)
        status = 0;
    if (!*begun)
        *begun = 1;
    for (size_t i = 0; i + 1 < *begun; i++)
        tell(test[i], ++number, 0);
    if (tell(test[*begun - 1], ++number, status))
        return true;
    if (*begun > 1)
        printf("# the process has done the %zu tests before it, too\n", *begun - 1);
    return false;
}

static int run_forks(bool several)
{
    bool fine = true;

    begun = mmap(NULL, sizeof(*begun), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (begun == MAP_FAILED)
        return 1;
    printf("1..%d\n", (int) (__stop_cr_tst - __start_cr_tst));
    for (struct criterion_test **test = __start_cr_tst; test < __stop_cr_tst; test += *begun)
        fine = run_process(test, several) && fine;
    return !fine;
}

__attribute__((visibility("default"))) int main(int argc, char **argv)
{
    const char *forks = getenv("CUSHIM_TESTS_FORK");
    struct criterion_test_set *tests;
    bool fine;

    if (forks)
        return run_forks(strcmp(forks, "few") == 0);
    tests = criterion_initialize();
    fine = !criterion_handle_args(argc, argv, true) || criterion_run_all_tests(tests);
    criterion_finalize(tests);
    return !fine;
}
