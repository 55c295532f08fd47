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
#include "mock/launch/control.h"
#include "mock/launch/launch.h"
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

/* Records of blocks take some three times the room of the memory that several blocks use. */
#define LARGEST_FOR_BLOCKS ((size_t) 256 << 20)

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

/* More separate runs of bytes than this are looked at as one, from the first to the last. */
enum { MOST_RUNS = 4096 };

/* --- the memory that a launch may use --- */

struct running {
    struct ptx__launch launch;
    const struct mock__work *work;
    const struct mock__context *context;
    const struct mock__memory *heap;
    struct cushim__tree uses; /* the ranges that it looked for, by address */
    char fault[1024];         /* the finding that ended it */
    bool messages;
};

struct use {
    struct ptx__range range;
    struct cushim__tree_node by_address;
};

static struct mock__memory *owner_of(const struct ptx__range *range)
{
    return range->owner;
}

static bool usable(const struct mock__context *context, const struct mock__memory *memory,
                   bool write)
{
    return memory->host && !memory->absent &&
           mock__memory_usable(context, memory->address, memory->bytes, write);
}

static struct ptx__range range_of(const struct mock__context *context, struct mock__memory *memory,
                                  const struct mock__memory *heap)
{
    struct ptx__range range = {.begin = memory->address,
                               .size = memory->bytes,
                               .host = memory->host,
                               .owner = memory,
                               .usable = usable(context, memory, false),
                               .read_only = !usable(context, memory, true)};

    range.shadowed = range.usable && mock__checking();
    /* Memory that kernels allocate goes from one block to another without any order of theirs. */
    range.check_blocks = range.shadowed && memory != heap && memory->bytes <= LARGEST_FOR_BLOCKS;
    if (range.shadowed)
        range.written = mock__access_written(memory);
    return range;
}

static struct use *use_at(struct cushim__tree_node *node)
{
    return CUSHIM__TREE_MEMBER(node, struct use, by_address);
}

/*
 * Callback of the engine: returns the allocation at an address. Its entry is made at the kernel's
 * first access to it.
 */
static struct ptx__range *find_range(void *user, uint64_t address)
{
    struct running *running = user;
    struct use *use = use_at(cushim__tree_before(&running->uses, address, 1));
    struct mock__memory *memory;

    if (use && address - use->range.begin < use->range.size)
        return &use->range;
    memory = mock__memory_find(address);
    use = memory ? calloc(1, sizeof(*use)) : NULL;
    if (!use)
        return NULL;
    use->range = range_of(running->context, memory, running->heap);
    cushim__tree_add(&running->uses, &use->by_address, memory->address, 0);
    mock__host_room_kernel(memory->bytes);
    return &use->range;
}

/* --- its accesses --- */

/* The bits from here to the end of their word, from the lowest on; ones is for bits that are not.
 */
static uint64_t bits_from(const uint64_t *bits, size_t at, bool ones)
{
    return (ones ? ~bits[at / 64] : bits[at / 64]) >> at % 64;
}

/* Returns the first bit from here on that is set; the number of bytes if there is none. */
static size_t next_bit(const struct ptx__range *range, const uint64_t *bits, size_t at)
{
    while (at < range->size) {
        uint64_t word;

        if (!range->parts[at / PTX__PART_BYTES]) {
            at = (at / PTX__PART_BYTES + 1) * PTX__PART_BYTES;
            continue;
        }
        word = bits_from(bits, at, false);
        if (word) {
            at += (size_t) __builtin_ctzll(word);
            return at < range->size ? at : range->size;
        }
        at = (at / 64 + 1) * 64;
    }
    return range->size;
}

static bool next_run(const struct ptx__range *range, const uint64_t *bits, size_t *begin,
                     size_t *end)
{
    const size_t bytes = range->size;
    size_t at = next_bit(range, bits, *end);

    if (at == bytes)
        return false;
    *begin = at;
    while (at < bytes) {
        const uint64_t unset = bits_from(bits, at, true);

        if (unset) {
            at += (size_t) __builtin_ctzll(unset);
            break;
        }
        at = (at / 64 + 1) * 64;
    }
    *end = at < bytes ? at : bytes;
    return true;
}

/* All that a launch did to a range goes into the check between streams, run by run. */
static void tell_access(const struct running *running, const struct ptx__range *range,
                        const uint64_t *bits, unsigned access)
{
    size_t begin = 0, end = 0;

    for (unsigned n = 0; n < MOST_RUNS && next_run(range, bits, &begin, &end); n++) {
        mock__access(running->work, range->begin + begin, end - begin, (enum mock__access) access);
        if (!running->messages)
            mock__host_watch_used(running->work, range->begin + begin, end - begin,
                                  (enum mock__access) access);
    }
    /* The remaining bytes are at least known to be written. */
    while (access == MOCK__WRITE && next_run(range, bits, &begin, &end))
        mock__access_mark(range->begin + begin, end - begin);
}

static void tell_accesses(struct running *running)
{
    struct use *use;

    while ((use = use_at(cushim__tree_first(&running->uses)))) {
        struct ptx__range *range = &use->range;

        cushim__tree_remove(&running->uses, &use->by_address);
        if (range->reads)
            tell_access(running, range, range->reads,
                        owner_of(range)->mapping ? MOCK__READ : MOCK__READ | MOCK__CHECKED);
        if (range->writes)
            tell_access(running, range, range->writes, MOCK__WRITE);
        ptx__racecheck_range_free(range);
        free(use);
    }
}

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
    else
        mock__finding(kind_of(kind), "%s", text);
}

static void find(void *user, enum ptx__finding_kind kind, bool ends, uint64_t address, size_t bytes,
                 const char *text)
{
    struct running *running = user;

    tell(kind, address, bytes, text);
    if (ends)
        snprintf(running->fault, sizeof(running->fault), "%s", mock__finding_last());
}

/* The launch has the driver's lock, so that its workers may all look. */
static unsigned char *find_stray(void *user, uint64_t address, size_t bytes, bool write)
{
    const struct running *running = user;

    return mock__memory_stray(running->work->queue->context, address, bytes, write);
}

static bool find_member(void *user, uint64_t address, size_t bytes, bool write, unsigned number,
                        uint64_t *ret_address)
{
    const struct running *running = user;

    return mock__multicast_member(running->context, address, bytes, write, number, ret_address);
}

static uint64_t find_condition(void *user, uint64_t handle)
{
    const struct running *running = user;

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
    const struct running *running = user;

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

static void fill(struct ptx__launch *launch, const struct mock__function *function,
                 const struct cushim_mock_launch *request, void *const *args)
{
    const struct mock__entry *entry = function->entry;
    const struct mock__context *context = function->module->context;
    const struct mock__program *program = function->module->program;
    static uint64_t grids;

    launch->program = program->code;
    launch->code = &program->code->codes[entry->function];
    launch->name = entry->name;
    for (unsigned i = 0; i < 3; i++) {
        launch->grid[i] = request->grid[i];
        launch->block[i] = request->block[i];
        launch->cluster[i] = (unsigned) function->attributes[MOCK__CLUSTER_WIDTH + i];
        launch->clustered = launch->clustered || launch->cluster[i];
        launch->cluster[i] += !launch->cluster[i];
    }
    launch->shared_bytes = (uint32_t) request->shared_bytes;
    if (entry->n_parameters)
        launch->params = (const unsigned char *) args[0] - entry->parameters[0].offset;
    launch->param_bytes = entry->parameter_bytes;
    launch->n_workers = (unsigned) mock__environment_number("CUSHIM_MOCK_PTX_WORKERS", 0);
    launch->seed = mock__seed();
    launch->check_shared = launch->check_blocks = mock__checking();
    set_limits(launch, context);
    launch->n_multiprocessors =
        (unsigned) mock__attribute(context->device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    launch->grid_id = ++grids;
    launch->heap = program->heap;
    launch->range = find_range;
    launch->image = mock__image_find;
    launch->find = find;
    launch->stray = find_stray;
    launch->multicast = find_member;
    launch->print = print;
    launch->condition = find_condition;
    launch->join = join;
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

void mock__program_run(const struct cushim_mock_launch *request, void *const *args)
{
    struct running running = {.work = mock__kernel_running()};
    const struct mock__kernel_work *work = (const struct mock__kernel_work *) running.work;
    struct mock__function *function = NULL;
    struct mock__context *context;
    struct mock__program *program;
    int result = CUDA_ERROR_OUT_OF_MEMORY;

    if (mock__function_find(work->function, &function) != CUDA_SUCCESS)
        return;
    context = function->module->context;
    program = function->module->program;
    if (want_heap(program, context) && (!work->cooperative || want_workspace(program, context))) {
        running.context = context;
        running.heap = program->heap_memory;
        fill(&running.launch, function, request, args);
        set_cluster(&running.launch, work->attributes);
        running.launch.cooperative = work->cooperative;
        running.launch.multiprocessor = work->share ? find_multiprocessor : NULL;
        running.launch.workspace = work->cooperative ? program->workspace->address : 0;
        running.launch.user = &running;
        result = ptx__run(&running.launch);
        mock__host_room_kernel_end();
    }
    running.messages = program->messages;
    if (running.messages)
        mock__host_watch_behind(running.work->clock, *mock__clock_of_host());
    tell_accesses(&running);
    mock__finding_recall(running.fault);
    cushim_mock_kernel_fail(result);
}
