/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a value, and writing one. A wait is ready only when the value is there. Until then
 * its queue stands still, and all other queues go on. Work that wrote the value (of a stream, a
 * kernel or the host) comes before the work that follows the wait.
 */
#include "mock/memory/stream_memops.h"

#include <string.h>

#include "mock/allocation/label.h"
#include "mock/allocation/memory.h"
#include "mock/base/finding.h"
#include "mock/base/state.h"
#include "mock/check/access.h"
#include "mock/check/host_watch.h"
#include "mock/check/stray.h"
#include "mock/graph/graph.h"
#include "mock/queue/clock.h"
#include "mock/queue/work.h"

#define NO_BARRIER ((unsigned) CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)

const struct mock__value_features mock__values_v1 = {
    .ops = 92, .wide = 93, .nor = 94, .write_flags = NO_BARRIER};
const struct mock__value_features mock__values_v2 = {.wide = 122, .nor = 123, .barriers = true};
const struct mock__value_features mock__values_of_nodes = {
    .wide = 122, .nor = 123, .barriers = true, .any_place = true};

enum { CAN_FLUSH = 98 };
enum { GEQ, EQ, AND, NOR, CONDITION = 3, MOST_OPS = 255 };

#define FLUSH_FLAG ((unsigned) CU_STREAM_WAIT_VALUE_FLUSH)

struct op {
    int type; /* CUstreamBatchMemOpType */
    unsigned flags;
    uint64_t address, value;
};

struct value_work {
    struct mock__work work;
    bool told;      /* that it is stuck */
    unsigned n, at; /* operations, and the next of them */
    CUstreamBatchMemOpParams params[];
};

static bool is_wide(const struct op *op)
{
    return op->type == MOCK__WAIT_64 || op->type == MOCK__WRITE_64;
}

static bool is_wait(const struct op *op)
{
    return op->type == MOCK__WAIT_32 || op->type == MOCK__WAIT_64;
}

static bool satisfied(const struct op *op, uint64_t now)
{
    const uint64_t all = is_wide(op) ? UINT64_MAX : UINT32_MAX;

    switch (op->flags & CONDITION) {
    case EQ:
        return now == op->value;
    case AND:
        return now & op->value;
    case NOR:
        return ~(now | op->value) & all;
    default: /* GEQ, in a circle */
        return is_wide(op) ? (int64_t) (now - op->value) >= 0
                           : (int32_t) (uint32_t) (now - op->value) >= 0;
    }
}

/* Atomically: the host may write it meanwhile. */
static uint64_t load(const struct op *op, const void *bytes)
{
    return is_wide(op) ? __atomic_load_n((const uint64_t *) bytes, __ATOMIC_ACQUIRE)
                       : __atomic_load_n((const uint32_t *) bytes, __ATOMIC_ACQUIRE);
}

static void store(const struct op *op, void *bytes)
{
    if (is_wide(op))
        __atomic_store_n((uint64_t *) bytes, op->value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *) bytes, (uint32_t) op->value, __ATOMIC_RELEASE);
}

static size_t bytes_of(const struct op *op)
{
    return is_wide(op) ? 8 : 4;
}

/* The members of the union begin alike, wherever they have the same. */
static struct op read_op(const CUstreamBatchMemOpParams *params)
{
    struct op op = {.type = (int) params->operation};

    if (op.type == MOCK__FLUSH || op.type == MOCK__BARRIER) {
        op.flags = params->flushRemoteWrites.flags;
        return op;
    }
    op.flags = params->waitValue.flags;
    op.address = params->waitValue.address;
    op.value = is_wide(&op) ? params->waitValue.value64 : params->waitValue.value;
    return op;
}

static struct op next_op(const struct mock__work *work)
{
    const struct value_work *batch = (const struct value_work *) work;

    return read_op(&batch->params[batch->at]);
}

/* In a broken context, and where the memory is gone, nothing is waited for. */
static bool ready(const struct mock__work *work)
{
    const struct op op = next_op(work);
    const struct mock__context *context = work->queue->context;
    const void *bytes = is_wait(&op) ? mock__memory_bytes(op.address, bytes_of(&op)) : NULL;

    return !bytes || !context || mock__context_usable(context) || satisfied(&op, load(&op, bytes));
}

/* Reports the wait, but does not end it, as on a device: the value may still be written. */
static void report_stuck(struct mock__work *work)
{
    static const char *const conditions[] = {">=", "==", "&", "nor"};
    struct value_work *batch = (struct value_work *) work;
    const struct op op = next_op(work);
    const struct mock__memory *memory = mock__memory_find(op.address);

    /* It may as well wait for other work, and not for a value. */
    if (batch->told || !memory || ready(work))
        return;
    batch->told = true;
    mock__finding_now(
        CUSHIM_MOCK_STUCK,
        "%s waits for the value at offset %llu of %s, 0x%llx, to be %s 0x%llx; it is 0x%llx, and "
        "no work that could write it is ready",
        mock__text_of_stream(work->queue).text, (unsigned long long) (op.address - memory->address),
        mock__text_of_memory(memory).text, (unsigned long long) op.address,
        conditions[op.flags & CONDITION], (unsigned long long) op.value,
        (unsigned long long) load(&op, mock__memory_bytes(op.address, bytes_of(&op))));
}

/* Barriers, and flushes of writes from outside, do nothing: all work sees the work before it. */
static void run_op(struct mock__work *work, const struct op *op)
{
    const bool write = !is_wait(op);
    void *bytes = write && mock__memory_read_only(op->address)
                      ? NULL
                      : mock__memory_bytes(op->address, bytes_of(op));

    if (op->type == MOCK__FLUSH || op->type == MOCK__BARRIER)
        return;
    if (!bytes) {
        mock__report_bad_address(work->type->name, op->address, bytes_of(op));
        bytes = mock__memory_stray(work->queue->context, op->address, bytes_of(op), write);
    }
    if (!bytes) {
        mock__context_break(work->queue->context, CUDA_ERROR_ILLEGAL_ADDRESS);
        return;
    }
    if (is_wait(op)) {
        mock__access_acquire(work, op->address, bytes_of(op));
        mock__access(work, op->address, bytes_of(op), MOCK__READ | MOCK__ATOMIC);
        return;
    }
    mock__access(work, op->address, bytes_of(op), MOCK__WRITE | MOCK__ATOMIC);
    store(op, bytes);
    if (op->address == (uintptr_t) bytes || mock__host_watches(op->address))
        mock__host_watch_behind(work->clock, *mock__clock_of_host());
}

/* Up to the next wait that is not over. */
static void run(struct mock__work *work)
{
    struct value_work *batch = (struct value_work *) work;
    const struct mock__context *context = work->queue->context;

    if (!batch->n)
        return;
    do {
        const struct op op = next_op(work);

        run_op(work, &op);
        batch->at++;
    } while (!context->fault && batch->at < batch->n && ready(work));
    work->unfinished = !context->fault && batch->at < batch->n;
}

static CUresult new_batch(const CUstreamBatchMemOpParams *params, unsigned n,
                          struct mock__work **ret_work);

static CUresult copy_batch(const struct mock__work *work, struct mock__work **ret_copy)
{
    const struct value_work *batch = (const struct value_work *) work;

    return new_batch(batch->params, batch->n, ret_copy);
}

#define NODE             ((CUgraphNodeType) MOCK__NODE_BATCH_MEM_OP)
#define VALUE_TYPE(text) .name = (text), .node = NODE, .run = run, .copy = copy_batch

static const struct mock__work_type wait_type = {VALUE_TYPE("wait for a value"), .ready = ready,
                                                 .stuck = report_stuck};
static const struct mock__work_type write_type = {VALUE_TYPE("write of a value")};
static const struct mock__work_type barrier_type = {VALUE_TYPE("memory barrier")};
static const struct mock__work_type batch_type = {VALUE_TYPE("batch of values")};
static const struct mock__work_type waiting_batch_type = {VALUE_TYPE("batch of values"),
                                                          .ready = ready, .stuck = report_stuck};

static const struct mock__work_type *type_of(const CUstreamBatchMemOpParams *params, unsigned n)
{
    bool waits = false, writes = false;

    for (unsigned i = 0; i < n; i++) {
        const struct op op = read_op(&params[i]);

        waits |= is_wait(&op);
        writes |= op.type == MOCK__WRITE_32 || op.type == MOCK__WRITE_64;
    }
    if (n > 1)
        return waits ? &waiting_batch_type : &batch_type;
    return waits ? &wait_type : writes ? &write_type : &barrier_type;
}

static CUresult new_batch(const CUstreamBatchMemOpParams *params, unsigned n,
                          struct mock__work **ret_work)
{
    struct value_work *batch =
        mock__work_new(type_of(params, n), sizeof(*batch) + n * sizeof(*params));

    MOCK__REQUIRE(batch, CUDA_ERROR_OUT_OF_MEMORY);
    batch->n = n;
    memcpy(batch->params, params, n * sizeof(*params));
    *ret_work = &batch->work;
    return CUDA_SUCCESS;
}

/* --- checking --- */

static bool has(const struct mock__device *device, int attribute)
{
    return !attribute || device->profile->attributes[attribute];
}

static CUresult check_alignment(const struct op *op)
{
    return op->address % bytes_of(op) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUresult check_place(const struct op *op, const struct mock__context *context)
{
    const struct mock__memory *memory = mock__memory_find(op->address);

    MOCK__TRY(check_alignment(op));
    MOCK__REQUIRE(mock__memory_contains(op->address, bytes_of(op)), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(memory->kind != MOCK__MANAGED_MEMORY && !memory->pool &&
                      !(memory->device && mock__memory_of_stranger(context, memory)),
                  CUDA_ERROR_INVALID_VALUE);
    if (!memory->being_freed)
        return CUDA_SUCCESS;
    mock__report_use_after_free(is_wait(op) ? wait_type.name : write_type.name, op->address);
    return CUDA_ERROR_INVALID_VALUE;
}

static CUresult check_wait(const struct op *op, const struct mock__device *device,
                           const struct mock__value_features *features)
{
    const unsigned known = CONDITION | FLUSH_FLAG;

    MOCK__REQUIRE(!(op->flags & ~known), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE((op->flags & CONDITION) != NOR || has(device, features->nor),
                  CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE(!(op->flags & FLUSH_FLAG) || has(device, CAN_FLUSH), CUDA_ERROR_NOT_SUPPORTED);
    return CUDA_SUCCESS;
}

static CUresult check(const struct op *op, const struct mock__context *context,
                      const struct mock__value_features *features)
{
    const struct mock__device *device = context->device;

    switch (op->type) {
    case MOCK__WAIT_32:
    case MOCK__WAIT_64:
        MOCK__TRY(check_wait(op, device, features));
        break;
    case MOCK__WRITE_32:
    case MOCK__WRITE_64:
        MOCK__REQUIRE(!(op->flags & ~features->write_flags), CUDA_ERROR_INVALID_VALUE);
        break;
    case MOCK__FLUSH:
        MOCK__REQUIRE(!op->flags, CUDA_ERROR_INVALID_VALUE);
        return has(device, CAN_FLUSH) ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
    case MOCK__BARRIER:
        MOCK__REQUIRE(op->flags <= 1 && features->barriers, CUDA_ERROR_INVALID_VALUE);
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    MOCK__REQUIRE(!is_wide(op) || has(device, features->wide), CUDA_ERROR_NOT_SUPPORTED);
    return features->any_place ? check_alignment(op) : check_place(op, context);
}

bool mock__values_supported(const struct mock__device *device,
                            const struct mock__value_features *features)
{
    return has(device, features->ops);
}

CUresult mock__values_work(const struct mock__context *context,
                           const CUstreamBatchMemOpParams *params, unsigned count,
                           const struct mock__value_features *features,
                           struct mock__work **ret_work)
{
    MOCK__REQUIRE(count <= MOST_OPS, CUDA_ERROR_INVALID_VALUE);
    for (unsigned i = 0; i < count; i++) {
        const struct op op = read_op(&params[i]);

        MOCK__TRY(check(&op, context, features));
    }
    return new_batch(params, count, ret_work);
}

/* --- in graphs --- */

const CUstreamBatchMemOpParams *mock__values_of_work(const struct mock__work *work,
                                                     unsigned *ret_count)
{
    const struct value_work *batch = (const struct value_work *) work;

    *ret_count = batch->n;
    return batch->params;
}

/* Addresses, values, and what a wait compares by. */
static bool op_replaces(const struct op *op, const struct op *old)
{
    const unsigned fixed = is_wait(op) ? ~(unsigned) CONDITION : ~0u;

    return op->type == old->type && !((op->flags ^ old->flags) & fixed);
}

bool mock__values_replace(const struct mock__work *work, const struct mock__work *old)
{
    const struct value_work *now = (const struct value_work *) work;
    const struct value_work *before = (const struct value_work *) old;

    for (unsigned i = 0; i < now->n && now->n == before->n; i++) {
        const struct op op = read_op(&now->params[i]), old_op = read_op(&before->params[i]);

        if (!op_replaces(&op, &old_op))
            return false;
    }
    return now->n == before->n;
}
