/* SPDX-License-Identifier: MIT */
/*
 * The programs of sweep_programs.h are run again and again, and each time the next allocation of
 * cushim fails. The program ends with that status, or goes on without the memory; and afterwards
 * nothing is left, neither memory of cushim nor objects of the driver. Linked with --wrap, so that
 * only the library's own allocations are counted and fail.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/failing_alloc.h"
#include "sweep_programs.h"

/* Runs a program with the nth allocation failing. Returns its status. */
static cushim_status run(sweep_program *program, int nth, int *ret_imported)
{
    const struct cushim_hooks hooks = {.before = sweep_answer, .user = ret_imported};
    cushim_driver below = CUSHIM_NONE, driver = CUSHIM_NONE;
    cushim_status status;

    if (cushim_open(cushim_open_params(.library = MOCK), &below) ||
        cushim_interpose(below, &hooks, 1, &driver))
        return CUSHIM_ERROR_SYSTEM;
    sweep_prepare(below);
    sweep_error_set();
    countdown = nth;
    status = program(driver);
    if (!status && !sweep_error_is_kept("an allocation"))
        status = CUSHIM_ERROR_SYSTEM;
    cushim_close(&driver);
    cushim_close(&below);
    return status;
}

/* 0 right, 1 wrong, 2 there is no such allocation any more. */
static int try_nth(sweep_program *program, int nth)
{
    const struct cushim_mock_finding *findings = NULL;
    int imported = 0;
    long before;
    cushim_status status;

    /* What stays for ever, such as the table of handles, is made by a run without a failure. */
    if (cushim_mock_configure(cushim_mock_config(.devices = "h200,h200")) ||
        run(program, NEVER, &imported))
        return 1;
    before = outstanding;
    status = run(program, nth, &imported);
    if (countdown >= 0)
        return 2;
    cushim_mock_leaks();
    if (status && (status != CUSHIM_ERROR_NO_MEMORY || !*cushim_error_text()))
        fprintf(stderr, "the status was %d: %s\n", status, cushim_error_text());
    else if (outstanding != before)
        fprintf(stderr, "%ld allocations are left\n", outstanding - before);
    else if (imported)
        fprintf(stderr, "%d imports are left\n", imported);
    else if (cushim_mock_findings(&findings))
        fprintf(stderr, "%s\n", findings[0].text);
    else
        return 0;
    return 1;
}

int main(int argc, char **argv)
{
    const size_t program = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    int nth, status = 0;

    if (program >= SWEEP_PROGRAMS)
        return 1;
    for (nth = 0; nth < 2000; nth++) {
        const pid_t child = fork();

        if (child == 0) {
            alarm(60);
            _exit(try_nth(sweep_programs[program], nth));
        }
        if (waitpid(child, &status, 0) != child || (status && WEXITSTATUS(status) != 2)) {
            fprintf(stderr, "with a failure of allocation %d: status 0x%x\n", nth,
                    (unsigned) status);
            return 1;
        }
        if (status)
            break;
    }
    printf("each of %d allocations failed once, and nothing was left\n", nth);
    return nth < 8 || nth == 2000;
}
