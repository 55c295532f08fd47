/* SPDX-License-Identifier: MIT */
/*
 * `cushim run --check`: waits for the program. The mock writes each finding of each process into a
 * file of this process as it comes. So a process that ends by _exit() or a signal, which prints
 * nothing at its end, loses none.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "run.h"
#include "util.h"

/* What one process has told. */
struct process {
    long pid;
    enum { EARLY, UNSEEN, PRINTED } end; /* whether it has printed its findings itself */
    char **texts;
    size_t n;
};

struct told {
    struct process *processes;
    size_t n;
};

/* --- signals: the program gets those that are sent to this process --- */

static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

enum { N_PASSED_ON = sizeof(passed_on) / sizeof(passed_on[0]) };

static volatile sig_atomic_t child;

/* A terminal sends its signals to all processes in the foreground, the program included. */
static void pass_on(int signal, siginfo_t *info, void *unused)
{
    const int before = errno;

    (void) unused;
    if (info->si_code <= 0)
        kill((pid_t) child, signal);
    errno = before;
}

static void block_signals(sigset_t *ret_before)
{
    sigset_t all;

    sigemptyset(&all);
    for (int i = 0; i < N_PASSED_ON; i++)
        sigaddset(&all, passed_on[i]);
    sigprocmask(SIG_BLOCK, &all, ret_before);
}

static void handle_signals(void)
{
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};

    sigemptyset(&action.sa_mask);
    for (int i = 0; i < N_PASSED_ON; i++)
        sigaction(passed_on[i], &action, NULL);
}

/* Ends as the program did, so that a shell says the same. The core was the program's. */
static void end_by(int signal)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    raise(signal);
}

/* --- what was told --- */

static struct process *process_of(struct told *told, long pid)
{
    for (size_t i = told->n; i-- > 0;)
        if (told->processes[i].pid == pid)
            return &told->processes[i];
    return NULL;
}

static void begin(struct told *told, long pid)
{
    told->processes = must_realloc(told->processes, (told->n + 1) * sizeof(*told->processes));
    told->processes[told->n++] = (struct process){.pid = pid};
}

static void forget(struct process *process)
{
    while (process->n)
        free(process->texts[--process->n]);
}

static void add(struct process *process, const char *text)
{
    process->texts = must_realloc(process->texts, (process->n + 1) * sizeof(*process->texts));
    process->texts[process->n++] = format("%s", text);
}

/* A line is "PID WORD: TEXT"; the words of no finding are start, clear, end and unseen. */
static void read_line(struct told *told, char *line)
{
    char *text;
    const long pid = strtol(line, &text, 10);
    struct process *process = process_of(told, pid);

    if (*text++ != ' ')
        return;
    if (!strcmp(text, "start: "))
        begin(told, pid);
    else if (process && !strcmp(text, "end: "))
        process->end = PRINTED;
    else if (process && !strcmp(text, "unseen: "))
        process->end = UNSEEN;
    else if (process && !strcmp(text, "clear: "))
        forget(process);
    else if (process)
        add(process, text);
}

static void read_all(int file, struct told *told)
{
    FILE *in = fdopen(file, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t length;

    if (!in)
        return;
    rewind(in);
    while ((length = getline(&line, &room, in)) > 0) {
        line[length - 1] = '\0';
        read_line(told, line);
    }
    free(line);
    fclose(in);
}

static void free_told(struct told *told)
{
    for (size_t i = 0; i < told->n; i++) {
        forget(&told->processes[i]);
        free(told->processes[i].texts);
    }
    free(told->processes);
}

static const char *what_became_of(const struct process *process)
{
    if (process->end == UNSEEN)
        return "has no standard error";
    if (!kill((pid_t) process->pid, 0))
        return "still runs; its leaks are not known";
    return "ended early, by _exit(), exec() or a signal; its leaks are not known";
}

/* Prints what a process could not print itself. */
static void print_for(const struct process *process)
{
    fprintf(stderr, "cushim run: process %ld %s, and it had %zu finding%s\n", process->pid,
            what_became_of(process), process->n, process->n == 1 ? "" : "s");
    for (size_t i = 0; i < process->n; i++)
        fprintf(stderr, "%zu  %s\n", i + 1, process->texts[i]);
}

/* Returns whether something was checked and nothing found. The last line says so. */
static bool print_told(const struct told *told)
{
    size_t n = 0;

    for (size_t i = 0; i < told->n; i++) {
        n += told->processes[i].n;
        if (told->processes[i].end == EARLY ||
            (told->processes[i].end == UNSEEN && told->processes[i].n))
            print_for(&told->processes[i]);
    }
    if (!told->n)
        fputs("cushim run: no process used the mock, so nothing was checked\n", stderr);
    else if (!n)
        fprintf(stderr, "cushim run: nothing was found in %zu process%s\n", told->n,
                told->n == 1 ? "" : "es");
    else
        fprintf(stderr, "cushim run: %zu finding%s in all\n", n, n == 1 ? "" : "s");
    return told->n && !n;
}

/* --- the program --- */

/* Returns how the program has ended, as waitpid() says it; -1 if it could not be begun. */
static int run_and_wait(char **words)
{
    int status = -1;
    sigset_t before;
    pid_t pid;

    block_signals(&before);
    pid = fork();
    child = pid;
    if (!pid) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        _exit(run_program(words));
    }
    if (pid > 0)
        handle_signals();
    sigprocmask(SIG_SETMASK, &before, NULL);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* The file has no name; other processes find it below /proc. */
static int make_file(void)
{
    const int file = memfd_create("findings", MFD_CLOEXEC);
    char *path = format("/proc/%d/fd/%d", (int) getpid(), file);
    const bool done = file >= 0 && run_set("CUSHIM_MOCK_CHECK_REPORT", path);

    if (file < 0)
        fprintf(stderr, "cushim run: %s\n", strerror(errno));
    free(path);
    return done ? file : -1;
}

int run_checked(const struct run_request *request, char **words)
{
    const int file = make_file(), status = file < 0 ? -1 : run_and_wait(words);
    struct told told = {0};
    bool good;

    if (status < 0)
        return COMMAND_FAILED;
    read_all(file, &told);
    good = print_told(&told);
    free_told(&told);
    if (!good && request->check_status)
        return request->check_status;
    if (WIFSIGNALED(status))
        end_by(WTERMSIG(status));
    return WEXITSTATUS(status);
}
