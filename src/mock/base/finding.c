/* SPDX-License-Identifier: MIT */
#include "mock/base/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/env.h"
#include "base/str.h"
#include "mock/base/report.h"
#include "mock/base/state.h"
#include "mock/base/upcalls.h"
#include "mock/config/suppress.h"

/*
 * The maximum number of findings. A loop that fails a million times gives no more information than
 * its first failures.
 */
enum { MOST = 1000 };

static struct cushim_mock_finding findings[MOST];
static size_t n_findings;
static bool off, wanted, started;
static int process;
static char last[1024];

static struct cushim_mock_finding *known(enum cushim_mock_finding_kind kind, const char *text)
{
    for (size_t i = 0; i < n_findings; i++)
        if (findings[i].kind == kind && !strcmp(findings[i].text, text))
            return &findings[i];
    return NULL;
}

/* A child of fork() has a copy of what its parent has told. */
static void report(const char *word, const char *text)
{
    if (started && (int) getpid() == process)
        mock__report(word, text);
}

static void keep(enum cushim_mock_finding_kind kind, const char *text)
{
    struct cushim_mock_finding *finding = known(kind, text);

    if (!finding && n_findings < MOST) {
        finding = &findings[n_findings];
        finding->kind = kind;
        finding->text = strdup(text);
        finding->count = 0;
        n_findings += finding->text != NULL;
        report(mock__finding_word(kind), text);
    }
    if (finding)
        finding->count++;
}

static void write_last(const char *format, va_list list)
{
    vsnprintf(last, sizeof(last), format, list);
    cushim__str_one_line(last); /* labels are the program's words */
}

void mock__finding(enum cushim_mock_finding_kind kind, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    write_last(format, list);
    va_end(list);
    if (!off && !mock__suppressed(kind, last))
        keep(kind, last);
}

void mock__finding_now(enum cushim_mock_finding_kind kind, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    write_last(format, list);
    va_end(list);
    if (off || mock__suppressed(kind, last))
        return;
    keep(kind, last);
    fprintf(stderr, "cushim mock: %s: %s\n", mock__finding_word(kind), last);
}

const char *mock__finding_last(void)
{
    return last;
}

void mock__finding_recall(const char *text)
{
    snprintf(last, sizeof(last), "%s", text);
}

bool mock__checking(void)
{
    return !off;
}

bool cushim_mock_checks(void)
{
    return mock__checking();
}

bool mock__findings_wanted(void)
{
    return wanted;
}

/* Tells whether what is printed is not lost: the program may have closed the descriptor. */
static bool is_seen(void)
{
    struct stat status;

    return !fstat(STDERR_FILENO, &status) &&
           !(S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3)); /* /dev/null */
}

/* Prints to the descriptor, because the program may have closed stderr. */
static void print_all(void)
{
    const struct cushim_mock_finding *all = NULL;
    size_t n;

    /* A program that exits because a kernel does not end must not wait for it here. */
    if (!mock__control_possible(1000)) {
        dprintf(STDERR_FILENO, "cushim mock: a kernel still runs: the findings are not printed\n");
        return;
    }
    cushim_mock_leaks();
    n = cushim_mock_findings(&all);
    if (n)
        dprintf(STDERR_FILENO, "cushim mock: %zu finding%s\n", n, n == 1 ? "" : "s");
    for (size_t i = 0; i < n; i++) {
        dprintf(STDERR_FILENO, "%zu  %s  %s", i + 1, mock__finding_word(all[i].kind), all[i].text);
        dprintf(STDERR_FILENO, all[i].count > 1 ? " (%u times)\n" : "\n", all[i].count);
    }
    report(is_seen() ? "end" : "unseen", "");
}

#ifdef __GLIBC__
static void print_last(int status, void *unused)
{
    (void) status;
    (void) unused;
    print_all();
}
#endif

/*
 * The report comes after all handlers and destructors, because objects that a program or a library
 * frees there are not leaks. Functions of atexit() are called before all destructors. A function
 * that is registered by on_exit() during the destructors, and belongs to no library, is called
 * after all of them.
 */
static __attribute__((destructor)) void print_at_exit(void)
{
    /* A child of fork() has a copy of what its parent will print. */
    if (!started || (int) getpid() != process)
        return;
#ifdef __GLIBC__
    if (!on_exit(print_last, NULL))
        return;
#endif
    print_all();
}

void mock__findings_start(void)
{
    const char *word = cushim__env("CUSHIM_MOCK_CHECK");

    off = word && !strcmp(word, "0");
    wanted = word && !off;
    mock__suppress_start();
    if (started || !wanted)
        return;
    started = true;
    process = (int) getpid();
    report("start", "");
}

/* --- functions of cushim/mock.h --- */

size_t cushim_mock_findings(const struct cushim_mock_finding **ret_findings)
{
    size_t n;

    mock__control_lock();
    mock__upcalls.findings_asked();
    n = n_findings;
    if (ret_findings)
        *ret_findings = findings;
    mock__control_unlock();
    return n;
}

void cushim_mock_findings_clear(void)
{
    mock__control_lock();
    if (n_findings)
        report("clear", "");
    while (n_findings)
        free((char *) findings[--n_findings].text);
    mock__control_unlock();
}

size_t cushim_mock_leaks(void)
{
    size_t before, after;

    mock__control_lock();
    before = n_findings;
    mock__upcalls.find_leaks();
    after = n_findings;
    mock__control_unlock();
    return after - before;
}
