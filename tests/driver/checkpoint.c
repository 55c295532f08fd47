/* SPDX-License-Identifier: MIT */
/* Checkpoints of processes: of another one that uses the driver, and of those that cannot be. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ask.h"

/* A process that has a number in device memory, and adds one to it each time it is asked to. */
struct process {
    int pid, to, from;
};

static int add_one(CUdeviceptr p)
{
    int value = 0;

    if (CALL(cuMemcpyDtoH_v2, (&value, p, 4)))
        return -1;
    value++;
    return CALL(cuMemcpyHtoD_v2, (p, &value, 4)) ? -1 : value;
}

static void serve(int from, int to)
{
    CUdeviceptr p;
    char asked;
    int answer;

    begin();
    p = new_memory(64);
    answer = add_one(p);
    while (write(to, &answer, sizeof(answer)) == sizeof(answer) && read(from, &asked, 1) == 1)
        answer = add_one(p);
    _exit(0);
}

static struct process start(void)
{
    struct process process = {.pid = -1};
    int to[2], from[2], answer;

    if (pipe(to) || pipe(from))
        return process;
    process.pid = fork();
    if (!process.pid) {
        close(to[1]);
        close(from[0]);
        alarm(60);
        serve(to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    process.to = to[1];
    process.from = from[0];
    if (read(process.from, &answer, sizeof(answer)) != sizeof(answer))
        answer = -2;
    report("started", answer);
    return process;
}

static int asked(const struct process *process)
{
    int answer;

    if (write(process->to, "x", 1) != 1 ||
        read(process->from, &answer, sizeof(answer)) != sizeof(answer))
        return -2;
    return answer;
}

static void report_state(const char *key, int pid)
{
    CUprocessState state = (CUprocessState) -1;

    report(key, CALL(cuCheckpointProcessGetState, (pid, &state)));
    report_numbered((int) state, "%s_v", key);
}

static void ask_strangers(void)
{
    const int gone = fork();
    int thread = -1;

    if (!gone)
        _exit(0);
    waitpid(gone, NULL, 0);
    report_state("state_none", 0);
    report_state("state_negative", -1);
    report_state("state_gone", gone);
    report_state("state_parent", (int) getppid());
    ASK("state_null", cuCheckpointProcessGetState, ((int) getpid(), NULL));
    ASK("thread_gone", cuCheckpointProcessGetRestoreThreadId, (gone, &thread));
    ASK("lock_gone", cuCheckpointProcessLock, (gone, NULL));
    ASK("checkpoint_gone", cuCheckpointProcessCheckpoint, (gone, NULL));
    ASK("restore_gone", cuCheckpointProcessRestore, (gone, NULL));
    ASK("unlock_gone", cuCheckpointProcessUnlock, (gone, NULL));
    ASK("lock_parent", cuCheckpointProcessLock, ((int) getppid(), NULL));
    ASK("lock_none", cuCheckpointProcessLock, (0, NULL));
}

static void ask_running(int pid)
{
    int thread = -1;

    report_state("running", pid);
    ASK("thread", cuCheckpointProcessGetRestoreThreadId, (pid, &thread));
    report("thread_is_pid", thread == pid);
    report("thread_positive", thread > 0);
    ASK("thread_null", cuCheckpointProcessGetRestoreThreadId, (pid, NULL));
    ASK("running_checkpoint", cuCheckpointProcessCheckpoint, (pid, NULL));
    ASK("running_restore", cuCheckpointProcessRestore, (pid, NULL));
    ASK("running_unlock", cuCheckpointProcessUnlock, (pid, NULL));
    report_state("running_still", pid);
}

static void ask_locked(int pid)
{
    CUcheckpointLockArgs arguments = {.timeoutMs = 2000};

    arguments.reserved0 = 1;
    ASK("lock_reserved", cuCheckpointProcessLock, (pid, &arguments));
    arguments.reserved0 = 0;
    ASK("lock", cuCheckpointProcessLock, (pid, &arguments));
    report_state("locked", pid);
    ASK("lock_twice", cuCheckpointProcessLock, (pid, &arguments));
    ASK("locked_restore", cuCheckpointProcessRestore, (pid, NULL));
    ASK("unlock", cuCheckpointProcessUnlock, (pid, NULL));
    report_state("unlocked", pid);
    ASK("unlock_twice", cuCheckpointProcessUnlock, (pid, NULL));
    ASK("lock_again", cuCheckpointProcessLock, (pid, NULL));
}

static void ask_checkpointed(int pid)
{
    CUcheckpointCheckpointArgs arguments;
    CUcheckpointRestoreArgs restore;
    CUcheckpointGpuPair pair;

    memset(&arguments, 0, sizeof(arguments));
    memset(&restore, 0, sizeof(restore));
    memset(&pair, 0, sizeof(pair));
    arguments.reserved[0] = 1;
    ASK("checkpoint_reserved", cuCheckpointProcessCheckpoint, (pid, &arguments));
    arguments.reserved[0] = 0;
    ASK("checkpoint", cuCheckpointProcessCheckpoint, (pid, &arguments));
    report_state("checkpointed", pid);
    ASK("checkpoint_twice", cuCheckpointProcessCheckpoint, (pid, NULL));
    ASK("checkpointed_lock", cuCheckpointProcessLock, (pid, NULL));
    ASK("checkpointed_unlock", cuCheckpointProcessUnlock, (pid, NULL));
    restore.gpuPairs = &pair;
    restore.gpuPairsCount = 1;
    ASK("restore_unknown", cuCheckpointProcessRestore, (pid, &restore));
    report_state("restore_unknown_state", pid);
    memset(&restore, 0, sizeof(restore));
    ASK("restore", cuCheckpointProcessRestore, (pid, &restore));
    report_state("restored", pid);
    ASK("restore_twice", cuCheckpointProcessRestore, (pid, NULL));
    ASK("restored_unlock", cuCheckpointProcessUnlock, (pid, NULL));
    report_state("end", pid);
}

void ask_checkpoint(void)
{
    struct process process = start();

    signal(SIGPIPE, SIG_IGN);
    alarm(80);
    report_state("preinit", process.pid);
    CALL(cuInit, (0));
    ask_strangers();
    ask_running(process.pid);
    report("value_running", asked(&process));
    ask_locked(process.pid);
    ask_checkpointed(process.pid);
    report("value_end", asked(&process));
    kill(process.pid, SIGKILL);
    waitpid(process.pid, NULL, 0);
    report_state("killed", process.pid);
}

/* The process itself, which waits for nobody. */
void ask_checkpoint_self(void)
{
    const int pid = (int) getpid();
    CUcheckpointLockArgs arguments = {.timeoutMs = 1000};
    int thread = -1;

    alarm(30);
    report_state("preinit", pid);
    begin();
    report_state("running", pid);
    ASK("thread", cuCheckpointProcessGetRestoreThreadId, (pid, &thread));
    report("thread_is_pid", thread == pid);
    ASK("unlock", cuCheckpointProcessUnlock, (pid, NULL));
    ASK("checkpoint", cuCheckpointProcessCheckpoint, (pid, NULL));
    ASK("lock", cuCheckpointProcessLock, (pid, &arguments));
    report_state("locked", pid);
    ASK("checkpoint_locked", cuCheckpointProcessCheckpoint, (pid, NULL));
    report_state("checkpointed", pid);
    ASK("restore", cuCheckpointProcessRestore, (pid, NULL));
    report_state("restored", pid);
    ASK("unlock_end", cuCheckpointProcessUnlock, (pid, NULL));
    report_state("end", pid);
    ASK("sync", cuCtxSynchronize, ());
}
