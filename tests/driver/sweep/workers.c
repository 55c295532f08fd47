/* SPDX-License-Identifier: MIT */
#include "workers.h"

#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "graphs.h"
#include "objects.h"
#include "world.h"

#define SECONDS     6
#define MAX_WORKERS 64
#define BATCH       64
#define MAX_CRASHES 8

/* What a worker ends with that cannot open the driver. */
#define NO_DRIVER 4

/* Shared by all processes. */
static struct shared {
    atomic_uint next;
    struct {
        atomic_int
            running; /* the number of a question plus one, less than 0 while it is prepared */
    } workers[MAX_WORKERS];
    char answers[][ANSWER_BYTES];
} * shared;

static const struct question *questions;
static unsigned n_questions, me;
static time_t ends;

/* The process ends while it makes what a question needs, in its call, or waits for what the call
 * began. */
static void note_end(int running, const char *how)
{
    char *answer = shared->answers[abs(running) - 1];

    if (running < 0 && !answer[0])
        strcpy(answer, "unmade");
    else if (running > 0 && !answer[0])
        strcpy(answer, how);
    else if (running > 0)
        sprintf(answer + strlen(answer), "!%s", how);
}

/*
 * Making a process anew takes a device most of the time that there is. So a few crashes are
 * survived, if what follows shows that the driver left no lock taken, and that the context still
 * works.
 */
static sigjmp_buf after_crash;
static volatile sig_atomic_t can_jump;
static unsigned n_crashes;

static void on_signal(int signal)
{
    int running = shared->workers[me].running;

    if (can_jump && signal != SIGALRM && signal != SIGABRT)
        siglongjmp(after_crash, 1);

    if (running)
        note_end(running, signal == SIGALRM ? "hang" : "crash");
    shared->workers[me].running = 0;
    _exit(1);
}

/* A driver that loses its stack is told apart, too. */
static void watch_signals(void)
{
    static char stack[65536];
    const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof(stack)}, NULL);
    for (unsigned i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        sigaction(signals[i], &action, NULL);
}

static void run_call(const struct call *call)
{
    int number = (int) (call->question - questions) + 1;
    volatile int result = -1;
    const struct itimerval soon = {.it_value.tv_usec = 300000};
    char text[ANSWER_BYTES] = "crash";

    alarm(SECONDS);
    shared->workers[me].running = number;
    can_jump = n_crashes < MAX_CRASHES;
    if (!sigsetjmp(after_crash, 1)) {
        result = make_call(call);
        write_answer(call, result, text);
    } else {
        n_crashes++;
        setitimer(ITIMER_REAL, &soon, NULL);
    }
    can_jump = 0;
    strcpy(shared->answers[number - 1], text);
    shared->workers[me].running = 0;
    for (unsigned i = 0; !result && i < call->n_results; i++)
        if (call->results[i].destroy)
            later(call->results[i].destroy, *(const uint64_t *) call->results[i].bytes);
}

static void add_to_answer(const struct call *call, const char *format, int number)
{
    char *answer = shared->answers[call->question - questions];

    if (answer[0] == '0')
        sprintf(answer + strlen(answer), format, number);
}

static void run_in_child(const struct call *call)
{
    pid_t child = fork();
    int status;

    if (!child) {
        run_call(call);
        _exit(0);
    }
    alarm(0);
    waitpid(child, &status, 0);
    shared->workers[me].running = 0;
}

static void run_while_capturing(const struct call *call)
{
    CUstreamCaptureStatus status = 0;
    CUgraph graph = NULL;
    CUstream stream = new_stream();

    CALL(cuStreamBeginCapture_v2, (stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    run_call(call);
    CALL(cuStreamIsCapturing, (stream, &status));
    sprintf(shared->answers[call->question - questions] +
                strlen(shared->answers[call->question - questions]),
            "/%d", (int) status);
    CALL(cuStreamEndCapture, (stream, &graph));
    CALL(cuStreamDestroy_v2, (stream));
}

static void run_with_context(const struct call *call, CUcontext context)
{
    CALL(cuCtxSetCurrent, (context));
    run_call(call);
    CALL(cuCtxSetCurrent, (world_context()));
}

static void run_in_situation(const struct call *call)
{
    switch (call->question->situation) {
    case WITHOUT_CONTEXT:
        run_with_context(call, NULL);
        break;
    case OTHER_CONTEXT_CURRENT:
        run_with_context(call, world_other_context());
        break;
    case OTHER_DEVICE_CURRENT:
        run_with_context(call, world_other_device());
        break;
    case WHILE_CAPTURING:
        run_while_capturing(call);
        break;
    case IN_A_CHILD:
        run_in_child(call);
        break;
    default:
        run_call(call);
        break;
    }
}

static void leave_out(const struct question *question, const char *why)
{
    strcpy(shared->answers[question - questions], why);
}

/* Is there a call to make? */
static bool prepare(const struct question *question, struct call *ret_call)
{
    if (needs_two_devices(question) && !world_has_two_devices())
        return false;
    shared->workers[me].running = -(int) (question - questions) - 1;
    if (prepare_call(question, ret_call))
        return true;
    leave_out(question, ret_call->function ? "unmade" : "missing");
    return false;
}

/* What a call that was right has destroyed is not destroyed again. */
static void forget_arguments(const struct call *call)
{
    static const char *const words[] = {"Destroy", "Free",       "Unload", "Release",
                                        "Unmap",   "Unregister", "Detach", "EndCapture"};

    for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strstr(call->question->row->function, words[i]) &&
            call->question->situation != IN_A_CHILD)
            for (unsigned k = 0; k < call->n_registers; k++)
                if (call->registers[k])
                    forget(call->registers[k]);
}

/* Waits for what the call began, and is told what came of it. */
static bool finish(const struct call *call)
{
    int after;

    shared->workers[me].running = (int) (call->question - questions) + 1;
    clean_up_those_with(destroy_capture);
    after = CALL(cuCtxSynchronize, ());
    shared->workers[me].running = 0;
    clean_up_to(0);
    if (after && call->question->situation == ORDINARY)
        add_to_answer(call, "!%d", after);
    return !after;
}

/* Asks a question; false if the process must not ask another. */
static bool ask(const struct question *question)
{
    struct call call;
    const char *answer = shared->answers[question - questions];

    alarm(SECONDS);
    if (prepare(question, &call)) {
        run_in_situation(&call);
        if (answer[0] == '0')
            forget_arguments(&call);
        if (!finish(&call))
            return false;
    }
    clean_up_to(0);
    forget_graphs();
    scratch_reset();
    if (question->row->flags & CHANGES)
        world_settle();
    return world_is_sound();
}

static bool take(unsigned *ret_number)
{
    *ret_number = atomic_fetch_add(&shared->next, 1);
    return *ret_number < n_questions && time(NULL) < ends;
}

/* Several questions are prepared, then the context breaks, then they are asked. */
static void ask_after_fault(unsigned first)
{
    static struct call calls[BATCH];
    bool ready[BATCH], broken;
    unsigned n = 0, number = first;

    alarm(2 * SECONDS);
    do {
        ready[n] = prepare(&questions[number], &calls[n]);
        n++;
        forget_graphs();
    } while (n < BATCH && !(questions[number].row->flags & CHANGES) && take(&number));
    broken = break_context();
    for (unsigned i = 0; i < n; i++)
        if (ready[i] && broken)
            run_call(&calls[i]);
        else if (ready[i])
            leave_out(calls[i].question, "unmade");
}

static void ask_before_init(unsigned number)
{
    struct call call;

    do {
        alarm(SECONDS);
        prepare_call(&questions[number], &call);
        if (call.function)
            run_call(&call);
        else
            leave_out(&questions[number], "missing");
        scratch_reset();
    } while (strcmp(questions[number].row->function, "cuInit") && take(&number));
}

static void work(const char *library)
{
    unsigned number;

    watch_signals();
    if (!world_open(library))
        _exit(NO_DRIVER);
    if (!take(&number))
        _exit(3);
    if (questions[number].situation == BEFORE_INIT) {
        ask_before_init(number);
        _exit(0);
    }
    alarm(20 * SECONDS);
    if (!world_begin())
        _exit(2);
    do {
        if (questions[number].situation == AFTER_A_FAULT) {
            ask_after_fault(number);
            break;
        }
        if (!ask(&questions[number]))
            break;
    } while (take(&number));
    _exit(0);
}

static pid_t start(const char *library, unsigned worker)
{
    pid_t pid = fork();

    if (pid)
        return pid;
    me = worker;
    work(library);
    _exit(0);
}

char (*ask_all(const char *library, const struct question *all, unsigned n, unsigned n_workers,
               time_t deadline))[ANSWER_BYTES]
{
    pid_t pids[MAX_WORKERS] = {0};
    unsigned n_running = 0;
    int status;

    questions = all;
    n_questions = n;
    ends = deadline;
    shared = mmap(NULL, sizeof(*shared) + (size_t) n * ANSWER_BYTES, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
    for (unsigned i = 0; i < n_workers; i++, n_running++)
        pids[i] = start(library, i);
    while (n_running) {
        pid_t ended = wait(&status);

        if (WIFEXITED(status) && WEXITSTATUS(status) == NO_DRIVER)
            exit(NO_DRIVER);
        for (unsigned i = 0; i < n_workers; i++) {
            int running = shared->workers[i].running;

            if (pids[i] != ended)
                continue;
            if (running)
                note_end(running, "crash");
            shared->workers[i].running = 0;
            n_running--;
            if (shared->next < n && time(NULL) < deadline) {
                pids[i] = start(library, i);
                n_running++;
            }
        }
    }
    return shared->answers;
}
