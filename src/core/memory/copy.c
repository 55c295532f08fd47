/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "core/memory/memory.h"
#include "core/object/staging.h"
#include "core/order/graph.h"
#include "core/order/host_memory.h"
#include "core/order/wait.h"

#define OF_THE_HOST "copying memory that is not pinned"

static CUdeviceptr address_of(const struct cushim__access *access)
{
    return access->buffer->address + access->begin;
}

static char *host_of(const struct cushim__access *access)
{
    return (char *) access->buffer->host + access->begin;
}

static bool is_pinned(const struct cushim__access *access)
{
    return access->buffer->memory == CUSHIM__MEMORY_PINNED;
}

/*
 * Makes one driver call that copies between a part of a buffer and memory of the host. host_part is
 * that memory if it is a part of a buffer, too, or NULL.
 */
static cushim_status move(struct cushim__scope *scope, struct cushim__stream *stream,
                          const struct cushim__access *part, void *host,
                          const struct cushim__access *host_part)
{
    const size_t bytes = part->end - part->begin;
    const struct cushim__access accesses[] = {*part, host_part ? *host_part : *part};
    /*
     * The submission holds the locks only while the driver accepts the copy, and not while the copy
     * runs.
     */
    struct cushim__submission s = {
        .scope = scope, .timeline = stream->timeline, .accesses = accesses, .n = host_part ? 2 : 1};
    cushim_status status = cushim__submit_begin(&s);

    if (status)
        return status;
    if (part->write)
        status = CU_CALL(scope, cuMemcpyHtoDAsync_v2, (address_of(part), host, bytes, stream->cu));
    else
        status = CU_CALL(scope, cuMemcpyDtoHAsync_v2, (host, address_of(part), bytes, stream->cu));
    cushim__submit_end(&s);
    return status;
}

/*
 * Copies in pieces through page-locked staging blocks. A driver may copy pageable memory at once,
 * later, or after waiting for the stream, and a program cannot know which. So cushim gives it
 * page-locked memory only; then no driver call waits while a lock is held. Exactly one of to and
 * from is set.
 */
static cushim_status move_pieces(struct cushim__scope *scope, struct cushim__stream *stream,
                                 const struct cushim__access *access, char *to, const char *from)
{
    struct cushim__staging_block *block = NULL;
    cushim_status status = CUSHIM_OK;
    size_t done = 0;

    if (access->begin == access->end)
        return CUSHIM_OK;
    status = cushim__staging_take(scope, &block);
    while (!status && access->begin + done < access->end) {
        struct cushim__access part = *access;

        part.begin += done;
        if (part.end - part.begin > CUSHIM__STAGING_BYTES)
            part.end = part.begin + CUSHIM__STAGING_BYTES;
        if (from)
            memcpy(block->host, from + done, part.end - part.begin);
        status = move(scope, stream, &part, block->host, NULL);
        /* The block is used again for the next piece, so each piece must be done before that. */
        if (!status)
            status = cushim__timeline_synchronize(scope, stream->timeline);
        if (to && !status)
            memcpy(to + done, block->host, part.end - part.begin);
        done += part.end - part.begin;
    }
    if (block)
        cushim__staging_give(scope->context, block);
    return status;
}

/*
 * Waits until the host may itself read the memory at an address, or write it, in case the memory is
 * a buffer.
 */
static cushim_status wait_for_host(struct cushim__scope *scope, const void *host, size_t bytes,
                                   bool write)
{
    struct cushim__access access;
    cushim_status status;

    if (!cushim__host_memory_find(host, bytes, write, &access))
        return CUSHIM_OK;
    status = cushim__buffer_synchronize(scope, &access);
    cushim__buffer_unref(access.buffer, scope->call, NULL);
    return status;
}

/* Copies without a wait. The memory of the host may be a buffer, which is then a part of the work.
 */
static cushim_status move_async(struct cushim__scope *scope, struct cushim__stream *stream,
                                const struct cushim__access *part, void *host)
{
    struct cushim__access host_part;
    cushim_status status;

    if (part->begin == part->end)
        return CUSHIM_OK;
    if (!cushim__host_memory_find(host, part->end - part->begin, !part->write, &host_part))
        return move(scope, stream, part, host, NULL);
    status = move(scope, stream, part, host, &host_part);
    cushim__buffer_unref(host_part.buffer, scope->call, NULL);
    return status;
}

/* For page-locked memory the host itself copies, after the devices have done their work on it. */
cushim_status cushim__memory_read(struct cushim__scope *scope, struct cushim__stream *stream,
                                  const struct cushim__access *from, void *host)
{
    cushim_status status;

    CUSHIM_TRY(cushim__check_not_recording(scope, stream->timeline, OF_THE_HOST));
    CUSHIM_TRY(wait_for_host(scope, host, from->end - from->begin, true));
    if (!is_pinned(from))
        return move_pieces(scope, stream, from, host, NULL);
    status = cushim__buffer_synchronize(scope, from);
    if (!status)
        memcpy(host, host_of(from), from->end - from->begin);
    return status;
}

/*
 * No lock is held while the host copies. A program that submits other work on the memory meanwhile
 * must order the two itself.
 */
cushim_status cushim__memory_write(struct cushim__scope *scope, struct cushim__stream *stream,
                                   const struct cushim__access *to, const void *host)
{
    cushim_status status;

    CUSHIM_TRY(cushim__check_not_recording(scope, stream->timeline, OF_THE_HOST));
    CUSHIM_TRY(wait_for_host(scope, host, to->end - to->begin, false));
    if (!is_pinned(to))
        return move_pieces(scope, stream, to, NULL, host);
    status = cushim__buffer_synchronize(scope, to);
    if (!status)
        memcpy(host_of(to), host, to->end - to->begin);
    return status;
}

cushim_status cushim__memory_read_async(struct cushim__scope *scope, struct cushim__stream *stream,
                                        const struct cushim__access *from, void *host)
{
    if (is_pinned(from))
        return cushim__memory_read(scope, stream, from, host);
    return move_async(scope, stream, from, host);
}

cushim_status cushim__memory_write_async(struct cushim__scope *scope, struct cushim__stream *stream,
                                         const struct cushim__access *to, const void *host)
{
    if (is_pinned(to))
        return cushim__memory_write(scope, stream, to, host);
    return move_async(scope, stream, to, (void *) (uintptr_t) host);
}

static cushim_status call_copy(const struct cushim__scope *scope, CUstream stream,
                               const struct cushim__access *to, const struct cushim__access *from)
{
    const size_t bytes = to->end - to->begin;

    if (is_pinned(to) && is_pinned(from))
        return CU_CALL(scope, cuMemcpyAsync, (address_of(to), address_of(from), bytes, stream));
    if (is_pinned(to))
        return CU_CALL(scope, cuMemcpyDtoHAsync_v2, (host_of(to), address_of(from), bytes, stream));
    if (is_pinned(from))
        return CU_CALL(scope, cuMemcpyHtoDAsync_v2, (address_of(to), host_of(from), bytes, stream));
    if (to->buffer->context == from->buffer->context)
        return CU_CALL(scope, cuMemcpyDtoDAsync_v2,
                       (address_of(to), address_of(from), bytes, stream));
    return CU_CALL(scope, cuMemcpyPeerAsync,
                   (address_of(to), to->buffer->context->cu, address_of(from),
                    from->buffer->context->cu, bytes, stream));
}

cushim_status cushim__memory_copy(struct cushim__scope *scope, struct cushim__stream *stream,
                                  const struct cushim__access *to,
                                  const struct cushim__access *from)
{
    const struct cushim__access accesses[] = {*to, *from};
    struct cushim__submission s = {.scope = scope,
                                   .timeline = stream->timeline,
                                   .accesses = accesses,
                                   .n = ARRAY_SIZE(accesses),
                                   .recordable = true};
    cushim_status status;

    /* An empty copy has no order to keep, so the stream does not wait. */
    if (to->begin == to->end)
        return CUSHIM_OK;
    status = cushim__submit_begin(&s);
    if (status)
        return status;
    status = call_copy(scope, stream->cu, to, from);
    cushim__submit_end(&s);
    return status;
}
