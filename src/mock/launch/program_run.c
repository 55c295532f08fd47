/* SPDX-License-Identifier: MIT */
#include "mock/launch/program_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tree.h"
#include "mock/allocation/label.h"
#include "mock/allocation/memory.h"
#include "mock/allocation/multicast.h"
#include "mock/base/finding.h"
#include "mock/base/green.h"
#include "mock/base/host_room.h"
#include "mock/base/state.h"
#include "mock/base/upcalls.h"
#include "mock/check/access.h"
#include "mock/check/host_guard.h"
#include "mock/check/host_watch.h"
#include "mock/check/stray.h"
#include "mock/config/config.h"
#include "mock/config/environment.h"
#include "mock/launch/children.h"
#include "mock/launch/control.h"
#include "mock/launch/launch.h"
#include "mock/launch/running.h"
#include "mock/module/module.h"
#include "mock/module/program.h"
#include "mock/ptx/exec/builtin.h"
#include "mock/ptx/machine/heap.h"
#include "mock/ptx/racecheck/racecheck.h"
#include "mock/ptx/run/run.h"
#include "mock/queue/clock.h"
#include "mock/queue/work.h"
#include "mock/texture/texture.h"

/* An endless loop is one that jumped backwards so often; at full speed that is half a minute.
 * A call counts as some jumps. */
#define STEPS (UINT64_C(1) << 31)

/*
 * The most that a thread's stack and arrays may take here. A device has half as much, but keeps
 * arguments and results in registers.
 */
#define LOCAL_LIMIT ((size_t) 1 << 20)

/* At most, a call takes so many times the stack that it takes on a device. */
#define LOCAL_OF_STACK 8

#define SAME_RESULT(name)                                                                          \
    _Static_assert((int) PTX__##name == (int) CUDA_##name, "the engine's results are the "         \
                                                           "driver's")

SAME_RESULT(SUCCESS);
SAME_RESULT(ERROR_OUT_OF_MEMORY);
SAME_RESULT(ERROR_ILLEGAL_ADDRESS);
SAME_RESULT(ERROR_LAUNCH_TIMEOUT);
SAME_RESULT(ERROR_ASSERT);
SAME_RESULT(ERROR_ILLEGAL_INSTRUCTION);
SAME_RESULT(ERROR_MISALIGNED_ADDRESS);
SAME_RESULT(ERROR_INVALID_PC);
SAME_RESULT(ERROR_LAUNCH_FAILED);

/* --- the engine's findings --- */

static enum cushim_mock_finding_kind kind_of(enum ptx__finding_kind kind)
{
    switch (kind) {
    case PTX__OUT_OF_BOUNDS:
        return CUSHIM_MOCK_OUT_OF_BOUNDS;
    case PTX__MISALIGNED:
        return CUSHIM_MOCK_MISALIGNED_ACCESS;
    case PTX__UNINITIALISED:
        return CUSHIM_MOCK_UNINITIALISED_READ;
    case PTX__RACE:
        return CUSHIM_MOCK_DATA_RACE;
    case PTX__BARRIER:
        return CUSHIM_MOCK_BARRIER;
    case PTX__ENDLESS:
        return CUSHIM_MOCK_ENDLESS_LOOP;
    default:
        return CUSHIM_MOCK_KERNEL_FAULT;
    }
}

/* A finding about an address in a known allocation says which one it is. */
static void tell(enum ptx__finding_kind kind, uint64_t address, size_t bytes, const char *text)
{
    const struct mock__memory *memory = bytes ? mock__memory_find(address) : NULL;

    if (kind == PTX__OUT_OF_BOUNDS && bytes)
        mock__report_bad_address(text, address, bytes);
    else if (memory)
        mock__finding(kind_of(kind), "%s (offset %llu of %s)", text,
                      (unsigned long long) (address - memory->address),
                      mock__text_of_memory(memory).text);
    else if (kind == PTX__MISALIGNED && bytes)
        mock__finding(kind_of(kind), "%s: 0x%llx", text, (unsigned long long) address);
    else
        mock__finding(kind_of(kind), "%s", text);
}

static void find(void *user, enum ptx__finding_kind kind, bool ends, uint64_t address, size_t bytes,
                 const char *text)
{
    struct mock__running *running = user;

    tell(kind, address, bytes, text);
    if (ends)
        snprintf(running->fault, sizeof(running->fault), "%s", mock__finding_last());
}

/* The launch has the driver's lock, so that its workers may all look. */
static unsigned char *find_stray(void *user, uint64_t address, size_t bytes, bool write)
{
    const struct mock__running *running = user;

    return mock__memory_stray(running->work->queue->context, address, bytes, write);
}

static bool find_member(void *user, uint64_t address, size_t bytes, bool write, unsigned number,
                        uint64_t *ret_address)
{
    const struct mock__running *running = user;

    return mock__multicast_member(running->context, address, bytes, write, number, ret_address);
}

static uint64_t find_condition(void *user, uint64_t handle)
{
    const struct mock__running *running = user;

    return mock__upcalls.condition_address(running->work, handle);
}

static void print(void *user, bool error, const char *text, size_t length)
{
    (void) user;
    fwrite(text, 1, length, error ? stderr : stdout);
    fflush(error ? stderr : stdout);
}

static unsigned find_multiprocessor(void *user, uint64_t block)
{
    const struct mock__running *running = user;

    return mock__multiprocessor(((const struct mock__kernel_work *) running->work)->share, block);
}

/* --- running --- */

static bool want_heap(struct mock__program *program, struct mock__context *context)
{
    const size_t bytes = context->limits[CU_LIMIT_MALLOC_HEAP_SIZE];

    if (program->heap || program->no_heap)
        return true;
    program->no_heap = !ptx__uses_heap(program->code);
    if (program->no_heap)
        return true;
    if (mock__memory_alloc(context, bytes, &program->heap_memory) != CUDA_SUCCESS)
        return false;
    program->heap_memory->in_module = true;
    program->heap_memory->made.function = "malloc() of a kernel";
    program->heap = ptx__heap_new(program->heap_memory->address, bytes);
    return program->heap;
}

/* Cooperative groups keep their barrier of the grid in there; it begins with zeros. */
static bool want_workspace(struct mock__program *program, struct mock__context *context)
{
    enum { BYTES = 256 };

    if (!program->workspace &&
        mock__memory_alloc(context, BYTES, &program->workspace) != CUDA_SUCCESS)
        return false;
    program->workspace->in_module = true;
    program->workspace->made.function = "the driver";
    memset(program->workspace->host, 0, BYTES);
    return true;
}

static void set_limits(struct ptx__launch *launch, const struct mock__context *context)
{
    const size_t stack = context->limits[CU_LIMIT_STACK_SIZE], local = stack * LOCAL_OF_STACK;

    launch->step_limit = mock__environment_number("CUSHIM_MOCK_PTX_STEPS", STEPS);
    launch->stack_limit = stack;
    launch->local_limit = local > LOCAL_LIMIT ? local : LOCAL_LIMIT;
}

/* The memory of the launch may be registered memory that the program has unmapped. */
static void join(void *user)
{
    (void) user;
    mock__host_guard_join();
}

static uint64_t make_room(void *user, const struct ptx__child *child, unsigned *ret_error)
{
    return mock__children_room(&((struct mock__running *) user)->children, child, ret_error);
}

static unsigned launch_child(void *user, uint64_t block, uint64_t room, uint64_t stream)
{
    (void) block;
    return mock__children_launch(&((struct mock__running *) user)->children, room, stream);
}

static uint64_t use_handle(void *user, unsigned what, uint64_t handle)
{
    return mock__children_handle(&((struct mock__running *) user)->children, what, handle);
}

static uint64_t ask_device(void *user, unsigned what, uint64_t number, uint64_t more)
{
    return mock__children_ask(&((struct mock__running *) user)->children, what, number, more);
}

/* What does not depend on who launches the kernel. */
static void fill(struct mock__running *running, const struct mock__entry *entry)
{
    static const struct ptx__children children = {make_room, launch_child, use_handle, ask_device};
    const struct mock__kernel_work *work = (const struct mock__kernel_work *) running->work;
    const struct mock__context *context = running->children.module->context;
    const struct mock__program *program = running->children.module->program;
    struct ptx__launch *launch = &running->launch;
    static uint64_t grids;

    launch->user = running;
    launch->multiprocessor = work->share ? find_multiprocessor : NULL;
    launch->program = program->code;
    launch->code = &program->code->codes[entry->function];
    launch->name = entry->name;
    launch->param_bytes = entry->parameter_bytes;
    launch->n_workers = (unsigned) mock__environment_number("CUSHIM_MOCK_PTX_WORKERS", 0);
    launch->seed = mock__seed();
    launch->check_shared = launch->check_blocks = mock__checking();
    set_limits(launch, context);
    launch->n_multiprocessors =
        (unsigned) mock__attribute(context->device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    launch->grid_id = ++grids;
    launch->heap = program->heap;
    launch->range = mock__running_range;
    launch->image = mock__image_find;
    launch->find = find;
    launch->stray = find_stray;
    launch->multicast = find_member;
    launch->print = print;
    launch->condition = find_condition;
    launch->children = &children;
    launch->join = join;
}

static void set_shape(struct ptx__launch *launch, const unsigned grid[3], const unsigned block[3],
                      const unsigned cluster[3])
{
    for (unsigned i = 0; i < 3; i++) {
        launch->grid[i] = grid[i];
        launch->block[i] = block[i];
        launch->cluster[i] = cluster[i] + !cluster[i];
        launch->clustered = launch->clustered || cluster[i];
    }
}

static void fill_request(struct mock__running *running, const struct mock__function *function,
                         const struct cushim_mock_launch *request, void *const *args)
{
    const struct mock__entry *entry = function->entry;
    struct ptx__launch *launch = &running->launch;
    unsigned cluster[3];

    for (unsigned i = 0; i < 3; i++)
        cluster[i] = (unsigned) function->attributes[MOCK__CLUSTER_WIDTH + i];
    fill(running, entry);
    set_shape(launch, request->grid, request->block, cluster);
    launch->shared_bytes = (uint32_t) request->shared_bytes;
    if (entry->n_parameters)
        launch->params = (const unsigned char *) args[0] - entry->parameters[0].offset;
}

/*
 * The launch's attribute counts for more than the cluster that the kernel was compiled for. Zeros
 * are no cluster.
 */
static void set_cluster(struct ptx__launch *launch, const struct mock__attributes *attributes)
{
    enum { CLUSTER_DIMENSION = 4 };
    unsigned cluster[3];

    if (!attributes || !(attributes->set >> CLUSTER_DIMENSION & 1))
        return;
    memcpy(cluster, attributes->values[CLUSTER_DIMENSION], sizeof(cluster));
    if (!cluster[0])
        return;
    memcpy(launch->cluster, cluster, sizeof(cluster));
    launch->clustered = true;
}

/* --- kernels that kernels launch --- */

/* Runs the grid of a child. What it launches is kept. */
static int run_child(struct mock__running *running, const struct mock__child *child)
{
    struct ptx__launch *launch = &running->launch;

    *launch = (struct ptx__launch){.launched_by = child->parent};
    fill(running, child->entry);
    set_shape(launch, child->grid, child->block, child->entry->cluster);
    launch->shared_bytes = child->shared_bytes;
    launch->params = mock__memory_bytes(child->room, 1);
    running->children.name = child->entry->name;
    running->children.generation = child->generation;
    mock__running_tell(running); /* of the grid before, with which this one has no race */
    return ptx__run(launch);
}

/* A kernel that launches itself for its end, and so on, would never end. */
static bool is_endless(struct mock__running *running, const struct mock__child *child)
{
    enum { STEPS_OF_CHILD = 4096 };
    const uint64_t limit = running->launch.step_limit;

    if (!limit || child->generation <= limit / STEPS_OF_CHILD)
        return false;
    mock__finding(
        CUSHIM_MOCK_ENDLESS_LOOP,
        "kernel '%s' (launched by kernel '%s') comes after %llu launches, each by the one "
        "before: an endless loop?",
        child->entry->name, child->parent, (unsigned long long) child->generation);
    snprintf(running->fault, sizeof(running->fault), "%s", mock__finding_last());
    return true;
}

/* Runs all that the host's kernel has launched, and what those launch. */
static int run_children(struct mock__running *running)
{
    struct mock__child host = {.next = NULL}, *family = &host, *child;
    int result = CUDA_SUCCESS;

    while (!result && (child = mock__children_next(&running->children, &family)))
        result = is_endless(running, child) ? CUDA_ERROR_LAUNCH_TIMEOUT : run_child(running, child);
    mock__children_finish(&running->children, family);
    return result;
}

void mock__program_run(const struct cushim_mock_launch *request, void *const *args)
{
    struct mock__running running = {.work = mock__kernel_running()};
    const struct mock__kernel_work *work = (const struct mock__kernel_work *) running.work;
    struct mock__function *function = NULL;
    struct mock__context *context;
    struct mock__program *program;
    int result = CUDA_ERROR_OUT_OF_MEMORY;

    if (mock__function_find(work->function, &function) != CUDA_SUCCESS)
        return;
    context = function->module->context;
    program = function->module->program;
    if (want_heap(program, context) && mock__children_prepare(function->module) &&
        (!work->cooperative || want_workspace(program, context))) {
        running.context = context;
        running.heap = program->heap_memory;
        running.children.module = function->module;
        running.children.name = function->entry->name;
        fill_request(&running, function, request, args);
        set_cluster(&running.launch, work->attributes);
        running.launch.cooperative = work->cooperative;
        running.launch.workspace = work->cooperative ? program->workspace->address : 0;
        result = ptx__run(&running.launch);
        if (result)
            mock__children_finish(&running.children, NULL);
        else
            result = run_children(&running);
        mock__host_room_kernel_end();
    }
    running.messages = program->messages;
    if (running.messages)
        mock__host_watch_behind(running.work->clock, *mock__clock_of_host());
    mock__running_tell(&running);
    mock__finding_recall(running.fault);
    cushim_mock_kernel_fail(result);
}
