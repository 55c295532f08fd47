/* SPDX-License-Identifier: MIT */
/*
 * cuCheckpointProcess*: of this process. While it is locked, all other functions of the driver wait.
 * A checkpoint has nothing to take away: the memory of the devices is this process's own, and stays.
 * Other processes' devices are not within reach.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mock/base/state.h"

#if CUDA_VERSION >= 12080

/* Tells whether a process that is not this one has the mock loaded. */
static bool has_mock(int pid)
{
    char path[64], line[512];
    bool found = false;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/maps", pid);
    file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof(line), file))
        found = strstr(line, "libcushim-mock");
    if (file)
        fclose(file);
    return found;
}

/* CUDA_SUCCESS if it is this process, and has initialised the driver. */
static CUresult find(int pid)
{
    MOCK__REQUIRE(pid > 0 && (!kill(pid, 0) || errno == EPERM), CUDA_ERROR_OPERATING_SYSTEM);
    if (pid != (int) getpid())
        return has_mock(pid) ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_NOT_INITIALIZED;
    return mock__is_initialised() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

static bool is_zero(const void *bytes, size_t n)
{
    const unsigned char *byte = bytes;

    while (n && !byte[n - 1])
        n--;
    return !n;
}

/* From one state into another one. */
static CUresult change(int pid, CUprocessState from, CUprocessState to)
{
    CUresult result;

    mock__lock();
    result = find(pid);
    if (result == CUDA_SUCCESS && mock__process_state() != (int) from)
        result = CUDA_ERROR_ILLEGAL_STATE;
    if (result == CUDA_SUCCESS)
        mock__set_process_state((int) to);
    mock__unlock();
    return result;
}

CUresult mock_cuCheckpointProcessGetState(int pid, CUprocessState *state)
{
    CUresult result;

    MOCK__REQUIRE(state, CUDA_ERROR_INVALID_VALUE);
    mock__lock();
    result = find(pid);
    if (result == CUDA_SUCCESS)
        *state = (CUprocessState) mock__process_state();
    mock__unlock();
    return result;
}

/* What is restored is restored by the thread that asks for it. */
CUresult mock_cuCheckpointProcessGetRestoreThreadId(int pid, int *tid)
{
    CUresult result;

    MOCK__REQUIRE(tid, CUDA_ERROR_INVALID_VALUE);
    mock__lock();
    result = find(pid);
    if (result == CUDA_SUCCESS)
        *tid = (int) syscall(SYS_gettid);
    mock__unlock();
    return result;
}

CUresult mock_cuCheckpointProcessLock(int pid, CUcheckpointLockArgs *args)
{
    MOCK__REQUIRE(!args || (!args->reserved0 && is_zero(args->reserved1, sizeof(args->reserved1))),
                  CUDA_ERROR_INVALID_VALUE);
    return change(pid, CU_PROCESS_STATE_RUNNING, CU_PROCESS_STATE_LOCKED);
}

CUresult mock_cuCheckpointProcessCheckpoint(int pid, CUcheckpointCheckpointArgs *args)
{
    MOCK__REQUIRE(!args || is_zero(args, sizeof(*args)), CUDA_ERROR_INVALID_VALUE);
    return change(pid, CU_PROCESS_STATE_LOCKED, CU_PROCESS_STATE_CHECKPOINTED);
}

#if CUDA_VERSION >= 13000
/* Each device goes to where it was: no other pair is possible. */
static bool pairs_valid(const CUcheckpointRestoreArgs *args)
{
    for (unsigned i = 0; i < args->gpuPairsCount; i++) {
        const CUcheckpointGpuPair *pair = args->gpuPairs ? &args->gpuPairs[i] : NULL;

        if (!pair || memcmp(&pair->oldUuid, &pair->newUuid, sizeof(pair->oldUuid)) ||
            !mock__device_by_uuid((const unsigned char *) pair->oldUuid.bytes))
            return false;
    }
    return true;
}
#else
static bool pairs_valid(const CUcheckpointRestoreArgs *args)
{
    return is_zero(args, sizeof(*args));
}
#endif

CUresult mock_cuCheckpointProcessRestore(int pid, CUcheckpointRestoreArgs *args)
{
    MOCK__REQUIRE(!args || pairs_valid(args), CUDA_ERROR_INVALID_VALUE);
    return change(pid, CU_PROCESS_STATE_CHECKPOINTED, CU_PROCESS_STATE_LOCKED);
}

CUresult mock_cuCheckpointProcessUnlock(int pid, CUcheckpointUnlockArgs *args)
{
    MOCK__REQUIRE(!args || is_zero(args, sizeof(*args)), CUDA_ERROR_INVALID_VALUE);
    return change(pid, CU_PROCESS_STATE_LOCKED, CU_PROCESS_STATE_RUNNING);
}

#endif
