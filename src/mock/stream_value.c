/* SPDX-License-Identifier: MIT */
/*
 * cuStreamWaitValue*, cuStreamWriteValue*, cuStreamBatchMemOp*
 *
 * A wait is work that is not ready before the value is there, so that its lane stands still and
 * everything else goes on. Who gave the value (a stream, a kernel, the host) comes before
 * what follows the wait. The first version of these functions is switched off in today's drivers,
 * which the attributes of a device say, and so is each of the features below.
 */
#include "mock/access.h"
#include "mock/finding.h"
#include "mock/graph_exec.h"
#include "mock/memory.h"
#include "mock/schedule.h"
#include "mock/state.h"
#include "mock/stream.h"

/* The attributes that say what a device can do, by number: their names depend on the headers. */
struct features {
    int ops, wide, nor; /* 0: always there */
};

static const struct features first = {.ops = 92, .wide = 93, .nor = 94};
static const struct features second = {.wide = 122, .nor = 123};
enum { CAN_FLUSH = 98 };

enum { WAIT_32 = 1, WRITE_32 = 2, FLUSH = 3, WAIT_64 = 4, WRITE_64 = 5, BARRIER = 6 };
enum { GEQ, EQ, AND, NOR, CONDITION = 3, MOST_OPS = 255 };

struct op {
    int type; /* CUstreamBatchMemOpType */
    unsigned flags;
    uint64_t address, value;
};

struct value_work {
    struct mock__work work;
    struct op op;
    size_t bytes;
    bool told; /* that it is stuck */
};

static bool is_wide(const struct op *op)
{
    return op->type == WAIT_64 || op->type == WRITE_64;
}

static bool is_wait(const struct op *op)
{
    return op->type == WAIT_32 || op->type == WAIT_64;
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

/* In a broken context, and where the memory is gone, nothing is waited for. */
static bool ready(const struct mock__work *work)
{
    const struct value_work *wait = (const struct value_work *) work;
    const struct mock__context *context = work->lane->context;
    const void *bytes = mock__memory_bytes(wait->op.address, wait->bytes);

    return !context || mock__context_usable(context) || !bytes ||
           satisfied(&wait->op, load(&wait->op, bytes));
}

/* As on a device, it goes on waiting: somebody may still come. */
static void report_stuck(struct mock__work *work)
{
    static const char *const conditions[] = {">=", "==", "&", "nor"};
    struct value_work *wait = (struct value_work *) work;
    const struct mock__memory *memory = mock__memory_find(wait->op.address);

    if (wait->told || !memory)
        return;
    wait->told = true;
    mock__finding_now(
        CUSHIM_MOCK_STUCK,
        "%s waits for the value at offset %llu of %s, 0x%llx, to be %s 0x%llx; it is 0x%llx, and "
        "no work that could write it is ready",
        mock__say_stream(work->lane).text,
        (unsigned long long) (wait->op.address - memory->address), mock__say_memory(memory).text,
        (unsigned long long) wait->op.address, conditions[wait->op.flags & CONDITION],
        (unsigned long long) wait->op.value,
        (unsigned long long) load(&wait->op, mock__memory_bytes(wait->op.address, wait->bytes)));
}

static void break_context(const struct value_work *work)
{
    mock__access_nowhere(work->work.type->name, work->op.address, work->bytes);
    work->work.lane->context->fault = CUDA_ERROR_ILLEGAL_ADDRESS;
}

static void run_wait(struct mock__work *work)
{
    const struct value_work *wait = (const struct value_work *) work;

    if (!mock__memory_bytes(wait->op.address, wait->bytes)) {
        break_context(wait);
        return;
    }
    mock__access_acquire(work, wait->op.address, wait->bytes);
    mock__access(work, wait->op.address, wait->bytes, MOCK__READ | MOCK__ATOMIC);
}

static void run_write(struct mock__work *work)
{
    const struct value_work *write = (const struct value_work *) work;
    void *bytes = mock__memory_bytes(write->op.address, write->bytes);

    if (!bytes) {
        break_context(write);
        return;
    }
    mock__access(work, write->op.address, write->bytes, MOCK__WRITE | MOCK__ATOMIC);
    store(&write->op, bytes);
}

/* Barriers, and flushes of writes from outside: all work sees what was done before it. */
static void run_nothing(struct mock__work *work)
{
    (void) work;
}

static CUresult copy_op(const struct mock__work *work, struct mock__work **ret_copy)
{
    const struct value_work *from = (const struct value_work *) work;
    struct value_work *to = mock__work_new(work->type, sizeof(*to));

    MOCK__REQUIRE(to, CUDA_ERROR_OUT_OF_MEMORY);
    to->op = from->op;
    to->bytes = from->bytes;
    *ret_copy = &to->work;
    return CUDA_SUCCESS;
}

#define NODE ((CUgraphNodeType) MOCK__NODE_BATCH_MEM_OP)

static const struct mock__work_type wait_type = {.name = "wait for a value",
                                                 .node = NODE,
                                                 .ready = ready,
                                                 .stuck = report_stuck,
                                                 .run = run_wait,
                                                 .copy = copy_op};
static const struct mock__work_type write_type = {
    .name = "write of a value", .node = NODE, .run = run_write, .copy = copy_op};
static const struct mock__work_type barrier_type = {
    .name = "memory barrier", .node = NODE, .run = run_nothing, .copy = copy_op};

/* --- checking --- */

static bool has(const struct mock__device *device, int attribute)
{
    return !attribute || device->profile->attributes[attribute];
}

static CUresult check_place(const struct op *op)
{
    const size_t bytes = is_wide(op) ? 8 : 4;
    const struct mock__memory *memory = mock__memory_find(op->address);

    MOCK__REQUIRE(op->address % bytes == 0 && mock__memory_bytes(op->address, bytes),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(memory->kind != MOCK__MANAGED_MEMORY, CUDA_ERROR_INVALID_VALUE);
    if (!memory->being_freed)
        return CUDA_SUCCESS;
    mock__access_dying(is_wait(op) ? wait_type.name : write_type.name, op->address);
    return CUDA_ERROR_INVALID_VALUE;
}

static CUresult check_wait(const struct op *op, const struct mock__device *device,
                           const struct features *features)
{
    const unsigned known = CONDITION | (unsigned) CU_STREAM_WAIT_VALUE_FLUSH;

    MOCK__REQUIRE(!(op->flags & ~known), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE((op->flags & CONDITION) != NOR || has(device, features->nor),
                  CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE(!(op->flags & (unsigned) CU_STREAM_WAIT_VALUE_FLUSH) || has(device, CAN_FLUSH),
                  CUDA_ERROR_NOT_SUPPORTED);
    return CUDA_SUCCESS;
}

static CUresult check(const struct op *op, const struct mock__device *device,
                      const struct features *features)
{
    switch (op->type) {
    case WAIT_32:
    case WAIT_64:
        MOCK__TRY(check_wait(op, device, features));
        break;
    case WRITE_32:
    case WRITE_64:
        MOCK__REQUIRE(!(op->flags & ~(unsigned) CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER),
                      CUDA_ERROR_INVALID_VALUE);
        break;
    case FLUSH:
        MOCK__REQUIRE(!op->flags, CUDA_ERROR_INVALID_VALUE);
        return has(device, CAN_FLUSH) ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
    case BARRIER:
        MOCK__REQUIRE(op->flags <= 1 && features == &second, CUDA_ERROR_INVALID_VALUE);
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    MOCK__REQUIRE(!is_wide(op) || has(device, features->wide), CUDA_ERROR_NOT_SUPPORTED);
    return check_place(op);
}

/* --- submitting --- */

static CUresult submit(struct mock__stream *stream, const struct op *op)
{
    const struct mock__work_type *type = is_wait(op)                                ? &wait_type
                                         : op->type == FLUSH || op->type == BARRIER ? &barrier_type
                                                                                    : &write_type;
    struct value_work *work = mock__work_new(type, sizeof(*work));

    MOCK__REQUIRE(work, CUDA_ERROR_OUT_OF_MEMORY);
    work->op = *op;
    work->bytes = is_wide(op) ? 8 : 4;
    if (!is_wide(op))
        work->op.value = (uint32_t) op->value;
    return mock__stream_submit(stream, work);
}

/* All are checked before the first is submitted. */
static CUresult do_ops(CUstream hStream, const struct op *ops, size_t n,
                       const struct features *features)
{
    struct mock__stream *stream = NULL;
    const struct mock__device *device;

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    device = stream->context->device;
    MOCK__REQUIRE(has(device, features->ops), CUDA_ERROR_NOT_SUPPORTED);
    for (size_t i = 0; i < n; i++)
        MOCK__TRY(check(&ops[i], device, features));
    for (size_t i = 0; i < n; i++)
        MOCK__TRY(submit(stream, &ops[i]));
    return CUDA_SUCCESS;
}

static CUresult do_one(CUstream stream, int type, CUdeviceptr address, uint64_t value,
                       unsigned flags, const struct features *features)
{
    return do_ops(stream, &(struct op){type, flags, address, value}, 1, features);
}

/* The members of the union begin alike, wherever they have the same. */
static struct op read_op(const CUstreamBatchMemOpParams *params)
{
    const int type = (int) params->operation;

    if (type == FLUSH || type == BARRIER)
        return (struct op){.type = type, .flags = params->flushRemoteWrites.flags};
    return (struct op){type, params->waitValue.flags, params->waitValue.address,
                       params->waitValue.value64};
}

static CUresult do_batch(CUstream stream, unsigned count, const CUstreamBatchMemOpParams *params,
                         unsigned flags, const struct features *features)
{
    struct op ops[MOST_OPS];

    MOCK__REQUIRE(count <= MOST_OPS && !flags && (params || !count), CUDA_ERROR_INVALID_VALUE);
    for (unsigned i = 0; i < count; i++)
        ops[i] = read_op(&params[i]);
    return do_ops(stream, ops, count, features);
}

/* --- the functions: two versions, each with a variant for the thread's default stream --- */

CUresult mock_cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                  unsigned int flags)
{
    return do_one(stream, WAIT_32, addr, value, flags, &first);
}

CUresult mock_cuStreamWaitValue32_ptsz(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                       unsigned int flags)
{
    return do_one(mock__ptsz(stream), WAIT_32, addr, value, flags, &first);
}

CUresult mock_cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                   unsigned int flags)
{
    return do_one(stream, WRITE_32, addr, value, flags, &first);
}

CUresult mock_cuStreamWriteValue32_ptsz(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                        unsigned int flags)
{
    return do_one(mock__ptsz(stream), WRITE_32, addr, value, flags, &first);
}

CUresult mock_cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                  unsigned int flags)
{
    return do_one(stream, WAIT_64, addr, value, flags, &first);
}

CUresult mock_cuStreamWaitValue64_ptsz(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                       unsigned int flags)
{
    return do_one(mock__ptsz(stream), WAIT_64, addr, value, flags, &first);
}

CUresult mock_cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                   unsigned int flags)
{
    return do_one(stream, WRITE_64, addr, value, flags, &first);
}

CUresult mock_cuStreamWriteValue64_ptsz(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                        unsigned int flags)
{
    return do_one(mock__ptsz(stream), WRITE_64, addr, value, flags, &first);
}

CUresult mock_cuStreamBatchMemOp(CUstream stream, unsigned int count,
                                 CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    return do_batch(stream, count, paramArray, flags, &first);
}

CUresult mock_cuStreamBatchMemOp_ptsz(CUstream stream, unsigned int count,
                                      CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    return do_batch(mock__ptsz(stream), count, paramArray, flags, &first);
}

#if CUDA_VERSION >= 11070
CUresult mock_cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                     unsigned int flags)
{
    return do_one(stream, WAIT_32, addr, value, flags, &second);
}

CUresult mock_cuStreamWaitValue32_v2_ptsz(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                          unsigned int flags)
{
    return do_one(mock__ptsz(stream), WAIT_32, addr, value, flags, &second);
}

CUresult mock_cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                      unsigned int flags)
{
    return do_one(stream, WRITE_32, addr, value, flags, &second);
}

CUresult mock_cuStreamWriteValue32_v2_ptsz(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                           unsigned int flags)
{
    return do_one(mock__ptsz(stream), WRITE_32, addr, value, flags, &second);
}

CUresult mock_cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                     unsigned int flags)
{
    return do_one(stream, WAIT_64, addr, value, flags, &second);
}

CUresult mock_cuStreamWaitValue64_v2_ptsz(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                          unsigned int flags)
{
    return do_one(mock__ptsz(stream), WAIT_64, addr, value, flags, &second);
}

CUresult mock_cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                      unsigned int flags)
{
    return do_one(stream, WRITE_64, addr, value, flags, &second);
}

CUresult mock_cuStreamWriteValue64_v2_ptsz(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                           unsigned int flags)
{
    return do_one(mock__ptsz(stream), WRITE_64, addr, value, flags, &second);
}

CUresult mock_cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
                                    CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    return do_batch(stream, count, paramArray, flags, &second);
}

CUresult mock_cuStreamBatchMemOp_v2_ptsz(CUstream stream, unsigned int count,
                                         CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    return do_batch(mock__ptsz(stream), count, paramArray, flags, &second);
}
#endif
