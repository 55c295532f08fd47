/* SPDX-License-Identifier: MIT */
/*
 * S12, and every place at once: programs are run again and again, and each time the next driver
 * call fails. Whatever it was, the program ends with that status, and afterwards nothing is left:
 * neither objects of the driver nor a claim of the mock's that something was used out of order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plain.h"
#include "sweep_programs.h"

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (!strncmp(name, *names, strlen(*names)))
            return true;
    return false;
}

static bool gives_back(const char *name)
{
    static const char *const names[] = {"cuMemFree",
                                        "cuStreamDestroy",
                                        "cuEventDestroy",
                                        "cuCtxDestroy",
                                        "cuDevicePrimaryCtxRelease",
                                        "cuCtxPopCurrent",
                                        "cuGraphDestroy",
                                        "cuGraphExecDestroy",
                                        "cuModuleUnload",
                                        "cuLinkDestroy",
                                        "cuLibraryUnload",
                                        "cuMemPoolDestroy",
                                        "cuMemUnmap",
                                        "cuMemRelease",
                                        "cuMemAddressFree",
                                        "cuDestroyExternal",
                                        NULL};

    return is_one_of(name, names);
}

/*
 * Limits that are not known are not checked. The way back to another context is no part of what was
 * asked for, nor is what is freed by the way, and a mark that could not be made ahead is made when
 * somebody needs it.
 */
static bool must_tell(const struct cushim_call *call, const char *last)
{
    const char *sets = strstr(call->name, "NodeSetParams");
    const bool enters = !strcmp(last, "cuCtxGetCurrent");
    const bool marks = !strncmp(call->name, "cuEvent", 7);

    sweep_entries += !strcmp(call->name, "cuCtxGetCurrent");
    if (sweep_entries > 1 || !strcmp(call->name, "cuDeviceGetAttribute"))
        return false;
    if (!strcmp(call->name, "cuCtxSetCurrent"))
        return enters;
    /* What is launched has changed by then, and only later changes are refused. */
    if (sets && strncmp(call->name, "cuGraphExec", 11) != 0)
        return false;
    /* How long memory is that was mapped is not checked if it is not known. */
    if (!strcmp(call->name, "cuMemGetAddressRange_v2") && !strncmp(last, "cuExternal", 10))
        return false;
    return !(marks && !strncmp(last, "cuMemcpy", 8));
}

/* The n-th call fails, unless it is one that gives back: that would leave something by itself. */
struct failing {
    int calls, nth;
    bool failed, must_tell;
    char name[64], last[64];
};

static bool before(struct cushim_call *call, void *user)
{
    struct failing *f = user;
    const bool tell = must_tell(call, f->last);

    if (strcmp(call->name, "cuEventCreate") != 0)
        snprintf(f->last, sizeof(f->last), "%s", call->name);
    if (++f->calls != f->nth)
        return false;
    snprintf(f->name, sizeof(f->name), "%s", call->name);
    f->failed = !gives_back(call->name);
    f->must_tell = f->failed && tell;
    call->result = 2; /* out of memory */
    return f->failed;
}

/* 0 right, 1 wrong, 2 there is no such call any more. */
static int run(sweep_program *program, int nth)
{
    const struct cushim_mock_config *config = cushim_mock_config(.devices = "h200,h200");
    struct failing failing = {.nth = nth};
    int imported = 0;
    const struct cushim_hooks hooks[] = {{.before = before, .user = &failing},
                                         {.before = sweep_answer, .user = &imported}};
    const struct cushim_mock_finding *findings = NULL;
    cushim_driver below = CUSHIM_NONE, driver = CUSHIM_NONE;
    cushim_status status;

    if (cushim_mock_configure(config) || cushim_open(cushim_open_params(.library = MOCK), &below) ||
        cushim_interpose(below, hooks, 2, &driver))
        return 1;
    sweep_prepare(below);
    sweep_error_set();
    status = program(driver);
    if (!status && !sweep_error_is_kept(failing.name))
        return 1;
    cushim_close(&driver);
    cushim_close(&below);
    cushim_mock_leaks();
    if (cushim_mock_findings(&findings)) {
        fprintf(stderr, "call %d, %s, failed: %s\n", nth, failing.name, findings[0].text);
        return 1;
    }
    if (imported) {
        fprintf(stderr, "call %d, %s, failed: %d imports are left\n", nth, failing.name, imported);
        return 1;
    }
    if (!*failing.name && status)
        fprintf(stderr, "without a failure: %s\n", cushim_error_text());
    if (failing.must_tell && status != 2) {
        fprintf(stderr, "call %d, %s, failed, and the status was %d\n", nth, failing.name, status);
        return 1;
    }
    return *failing.name ? 0 : status ? 1 : 2;
}

/*
 * One of how many calls fails. The other builds have them all fail, and look at the memory. The
 * program has one thread: what the thread sanitizer may see is what the mock's own does meanwhile.
 */
static int step(void)
{
#ifdef __SANITIZE_THREAD__
    return 4;
#else
    return RUNNING_ON_VALGRIND ? 15 : 1;
#endif
}

/* How many calls the program makes, -1 if one that failed did harm. */
static int sweep(sweep_program *program)
{
    int status = 0;

    for (int nth = 1; nth < 1000; nth += step()) {
        const pid_t child = fork();

        if (child == 0)
            _exit(run(program, nth));
        if (waitpid(child, &status, 0) != child || (status && WEXITSTATUS(status) != 2)) {
            fprintf(stderr, "with a failure of call %d: status 0x%x\n", nth, (unsigned) status);
            return -1;
        }
        if (status)
            return nth - 1;
    }
    return -1;
}

int main(int argc, char **argv)
{
    const size_t program = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    int calls;

    if (program >= SWEEP_PROGRAMS) {
        fprintf(stderr, "there is no program %zu\n", program);
        return 1;
    }
    calls = sweep(sweep_programs[program]);
    if (calls < 20)
        return 1;
    printf("every %dth of %d calls failed once, and nothing was left\n", step(), calls);
    return 0;
}
