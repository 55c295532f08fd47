/* SPDX-License-Identifier: MIT */
/*
 * The threads of a replacement kernel that has a function for each thread, block by block
 * (cushim/mock.h).
 *
 * The threads of a block run one after another in one fiber. A thread that waits at a barrier keeps
 * that fiber, and the next thread gets another one. So a kernel without barriers needs one fiber,
 * and a kernel with barriers needs as many as a block has threads. When all threads wait, they
 * continue in their order. If that is not possible, the launch fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock/base/state.h"
#include "mock/launch/control.h"
#include "mock/launch/fiber.h"

/*
 * The first contents of shared memory: bytes that are NaNs as floating-point numbers, because a
 * kernel must not rely on zeros.
 */
enum { GARBAGE = 0xff, LAUNCH_OUT_OF_RESOURCES = 701, LAUNCH_FAILED = 719, OUT_OF_MEMORY = 2 };

/* A variable of the block, like a __shared__ variable. */
struct variable {
    struct variable *next;
    size_t bytes;
    const char *name; /* NULL for the dynamic memory */
    _Alignas(16) unsigned char memory[];
};

/* A fiber, and the thread of the block that it runs. */
struct runner {
    struct cushim_mock_thread thread;
    struct mock__fiber *fiber;
    struct mock__block *block;
    const char *file; /* of the barrier at which the thread waits, or NULL */
    int line;
    struct runner *next; /* in the order of their threads */
};

struct mock__block {
    const struct cushim_mock_launch *launch;
    cushim_mock_thread_fn fn;
    void *data;
    unsigned index[3];
    unsigned n_threads, n_started;
    bool failed;
    struct runner *runners, **last, *idle;
    struct variable *variables;
    size_t shared_bytes; /* of the variables */
};

static void complain(struct mock__block *block, enum cushim_mock_finding_kind kind, int result,
                     const char *text)
{
    block->failed = true;
    mock__kernel_complain(kind, result, "kernel '%s', block (%u,%u,%u): %s", block->launch->kernel,
                          block->index[0], block->index[1], block->index[2], text);
}

/* Ends the block without a finding: the program has made no mistake. */
static void fail_without_memory(struct mock__block *block)
{
    block->failed = true;
    cushim_mock_kernel_fail(OUT_OF_MEMORY);
}

/* --- threads --- */

/* Converts an index to x, y and z; x changes first. */
static void split(unsigned index, const unsigned size[3], unsigned ret_index[3])
{
    ret_index[0] = index % size[0];
    ret_index[1] = index / size[0] % size[1];
    ret_index[2] = index / size[0] / size[1];
}

/* The function of a fiber: runs threads that have not begun, until one of them must wait. */
static void run_threads(void *pointer)
{
    struct runner *runner = pointer;
    struct mock__block *block = runner->block;

    for (;;) {
        while (block->n_started < block->n_threads && !block->failed) {
            split(block->n_started++, block->launch->block, runner->thread.thread_index);
            memcpy(runner->thread.block_index, block->index, sizeof(block->index));
            block->fn(&runner->thread, block->data);
        }
        runner->next = block->idle;
        block->idle = runner;
        mock__fiber_leave();
    }
}

static struct runner *new_runner(struct mock__block *block)
{
    struct runner *runner = calloc(1, sizeof(*runner));

    if (runner && !(runner->fiber = mock__fiber_new(run_threads, runner))) {
        free(runner);
        return NULL;
    }
    if (runner) {
        runner->block = block;
        runner->thread.launch = block->launch;
        runner->thread.runner = runner;
    }
    return runner;
}

static struct runner *take_runner(struct mock__block *block)
{
    struct runner *runner = block->idle;

    if (!runner)
        return new_runner(block);
    block->idle = runner->next;
    return runner;
}

/* Continues a thread. Afterwards its fiber is free, or it waits as the last one. */
static void go_on(struct mock__block *block, struct runner *runner)
{
    runner->file = NULL;
    mock__fiber_enter(runner->fiber);
    if (!runner->file)
        return;
    runner->next = NULL;
    *block->last = runner;
    block->last = &runner->next;
}

static void start_threads(struct mock__block *block)
{
    while (block->n_started < block->n_threads && !block->failed) {
        struct runner *runner = take_runner(block);

        if (runner)
            go_on(block, runner);
        else
            fail_without_memory(block);
    }
}

static void free_runners(struct runner *runner)
{
    struct runner *next;

    for (; runner; runner = next) {
        next = runner->next;
        mock__fiber_free(runner->fiber);
        free(runner);
    }
}

/* --- barriers --- */

static const struct runner *find_other_place(const struct runner *runner)
{
    const struct runner *first = runner;

    while (runner && runner->line == first->line && !strcmp(runner->file, first->file))
        runner = runner->next;
    return runner;
}

static void describe_waiting(const struct runner *runner, char *text, size_t size)
{
    const unsigned *index = runner->thread.thread_index;

    snprintf(text, size, "thread (%u,%u,%u) waits at the barrier at %.200s:%d", index[0], index[1],
             index[2], runner->file, runner->line);
}

/*
 * Called when all threads that have not returned wait. On devices from compute capability 7.0 on
 * they then all continue, whichever barriers they wait at. If these are different barriers, it is a
 * finding.
 */
static void check_barrier(const struct mock__block *block)
{
    const struct runner *other = find_other_place(block->runners);
    char first[300], second[300];

    if (!other)
        return;
    describe_waiting(block->runners, first, sizeof(first));
    describe_waiting(other, second, sizeof(second));
    mock__kernel_complain(CUSHIM_MOCK_BARRIER, 0, "kernel '%s', block (%u,%u,%u): %s, %s",
                          block->launch->kernel, block->index[0], block->index[1], block->index[2],
                          first, second);
}

static void pass_barrier(struct mock__block *block)
{
    struct runner *next, *runner = block->runners;

    block->runners = NULL;
    block->last = &block->runners;
    for (; runner; runner = next) {
        next = runner->next;
        go_on(block, runner);
    }
}

static void free_variables(struct mock__block *block)
{
    struct variable *next, *variable = block->variables;

    for (; variable; variable = next) {
        next = variable->next;
        free(variable);
    }
    block->variables = NULL;
    block->shared_bytes = 0;
}

static void run_block(struct mock__block *block)
{
    block->n_started = 0;
    start_threads(block);
    while (!block->failed && block->runners) {
        check_barrier(block);
        pass_barrier(block);
    }
    free_variables(block);
}

void cushim_mock_for_each_thread(const struct cushim_mock_launch *launch, cushim_mock_thread_fn fn,
                                 void *data)
{
    struct mock__block block = {.launch = launch, .fn = fn, .data = data};
    unsigned *index = block.index;

    block.n_threads = launch->block[0] * launch->block[1] * launch->block[2];
    block.last = &block.runners;
    for (index[2] = 0; index[2] < launch->grid[2] && !block.failed; index[2]++)
        for (index[1] = 0; index[1] < launch->grid[1] && !block.failed; index[1]++)
            for (index[0] = 0; index[0] < launch->grid[0] && !block.failed; index[0]++)
                run_block(&block);
    free_runners(block.runners);
    free_runners(block.idle);
}

/* Returns the runner of a thread, or NULL if the caller is not that thread. */
static struct runner *runner_of(const struct cushim_mock_thread *thread)
{
    struct runner *runner = thread ? thread->runner : NULL;

    return runner && runner->fiber == mock__fiber_current() ? runner : NULL;
}

void cushim_mock_barrier_at(const struct cushim_mock_thread *thread, const char *file, int line)
{
    struct runner *runner = runner_of(thread);

    if (!runner) {
        mock__kernel_complain(CUSHIM_MOCK_BARRIER, LAUNCH_FAILED,
                              "a barrier at %s:%d, outside of a thread of a block", file, line);
        return;
    }
    runner->file = file;
    runner->line = line;
    mock__fiber_leave();
}

/* --- shared memory --- */

static struct variable *find_variable(const struct mock__block *block, const char *name)
{
    struct variable *variable = block->variables;

    while (variable &&
           (name && variable->name ? strcmp(name, variable->name) != 0 : name != variable->name))
        variable = variable->next;
    return variable;
}

static struct variable *new_variable(struct mock__block *block, const char *name, size_t bytes)
{
    const size_t room = mock__kernel_shared_room();
    const size_t used = block->shared_bytes + (name ? block->launch->shared_bytes : 0);
    struct variable *variable;

    if (name && (bytes > room || used > room - bytes)) {
        complain(block, CUSHIM_MOCK_OUT_OF_BOUNDS, LAUNCH_OUT_OF_RESOURCES,
                 "more shared memory than a block has on this device");
        return NULL;
    }
    variable = malloc(sizeof(*variable) + bytes);
    if (!variable) {
        fail_without_memory(block);
        return NULL;
    }
    *variable = (struct variable){block->variables, bytes, name};
    memset(variable->memory, GARBAGE, bytes);
    block->variables = variable;
    block->shared_bytes += name ? bytes : 0;
    return variable;
}

void *cushim_mock_shared(const struct cushim_mock_thread *thread, const char *name, size_t bytes)
{
    struct runner *runner = runner_of(thread);
    struct mock__block *block = runner ? runner->block : NULL;
    struct variable *variable;
    char text[128];

    if (!block) {
        mock__kernel_complain(CUSHIM_MOCK_OUT_OF_BOUNDS, LAUNCH_FAILED,
                              "shared memory, outside of a thread of a block");
        return NULL;
    }
    variable = find_variable(block, name);
    if (!variable)
        variable = new_variable(block, name, name ? bytes : block->launch->shared_bytes);
    if (!variable || bytes <= variable->bytes)
        return variable ? variable->memory : NULL;
    snprintf(text, sizeof(text), "%zu bytes of shared memory%s%.40s, which has %zu", bytes,
             name ? " " : "", name ? name : "", variable->bytes);
    complain(block, CUSHIM_MOCK_OUT_OF_BOUNDS, LAUNCH_FAILED, text);
    return NULL;
}
