/* SPDX-License-Identifier: MIT */
#include "core/memory/copy.h"

#include <string.h>

#include "core/object/staging.h"
#include "core/order/recording.h"
#include "core/order/host_memory.h"
#include "core/order/wait.h"

/* What cannot be recorded, and what can: a copy of cushim_slice_copy(), or an asynchronous one. */
#define AT_ONCE     "a copy that is done when the call returns"
#define OF_THE_HOST "a copy with memory of the host that cushim_pinned_alloc() did not make"

static CUdeviceptr address_of(const struct cushim__box *box)
{
    return box->access.buffer->address + box->access.begin;
}

static char *host_of(const struct cushim__box *box)
{
    return (char *) box->access.buffer->host + box->access.begin;
}

static bool is_pinned(const struct cushim__box *box)
{
    return box->access.buffer->memory == CUSHIM__MEMORY_PINNED;
}

static bool is_one_row(const struct cushim__box *box)
{
    return box->extent.height == 1 && box->extent.depth == 1;
}

/* Returns the number of bytes from the first to the last byte. rows and extent were checked. */
static size_t bytes_of(const struct cushim__spacing *rows, const struct cushim__extent *extent)
{
    return cushim__extent_is_empty(extent)
               ? 0
               : cushim__row_offset(rows, extent->height - 1, extent->depth - 1) + extent->width;
}

/* --- one driver call --- */

static cushim_status call_host_rows(const struct cushim__scope *scope, CUstream stream,
                                    const struct cushim__box *box,
                                    const struct cushim__host_box *host)
{
    const struct cushim__cu_end here = cushim__box_end(box),
                                there = {.memory = CU_MEMORYTYPE_HOST,
                                         .host = host->first,
                                         .pitch = host->rows.pitch,
                                         .layer_rows = host->rows.layer_rows};
    const struct cushim__cu_copy copy = {.from = box->access.write ? there : here,
                                         .to = box->access.write ? here : there,
                                         .width = box->extent.width,
                                         .height = box->extent.height,
                                         .depth = box->extent.depth};

    return CU_CALL(scope, cuMemcpy3DAsync_v2, (&copy, stream));
}

static cushim_status call_host(const struct cushim__scope *scope, CUstream stream,
                               const struct cushim__box *box, const struct cushim__host_box *host)
{
    if (!is_one_row(box))
        return call_host_rows(scope, stream, box, host);
    if (box->access.write)
        return CU_CALL(scope, cuMemcpyHtoDAsync_v2,
                       (address_of(box), host->first, box->extent.width, stream));
    return CU_CALL(scope, cuMemcpyDtoHAsync_v2,
                   (host->first, address_of(box), box->extent.width, stream));
}

static cushim_status call_rows(const struct cushim__scope *scope, CUstream stream,
                               const struct cushim__box *to, const struct cushim__box *from)
{
    struct cushim__context *there = to->access.buffer->context,
                           *here = from->access.buffer->context;
    struct cushim__cu_copy copy = {.from = cushim__box_end(from),
                                   .to = cushim__box_end(to),
                                   .width = to->extent.width,
                                   .height = to->extent.height,
                                   .depth = to->extent.depth};

    if (here == there || is_pinned(to) || is_pinned(from))
        return CU_CALL(scope, cuMemcpy3DAsync_v2, (&copy, stream));
    copy.from.context = here->cu;
    copy.to.context = there->cu;
    return CU_CALL(scope, cuMemcpy3DPeerAsync, (&copy, stream));
}

static cushim_status call_copy(const struct cushim__scope *scope, CUstream stream,
                               const struct cushim__box *to, const struct cushim__box *from)
{
    const size_t bytes = to->extent.width;

    if (!is_one_row(to))
        return call_rows(scope, stream, to, from);
    if (is_pinned(to) && is_pinned(from))
        return CU_CALL(scope, cuMemcpyAsync, (address_of(to), address_of(from), bytes, stream));
    if (is_pinned(to))
        return CU_CALL(scope, cuMemcpyDtoHAsync_v2, (host_of(to), address_of(from), bytes, stream));
    if (is_pinned(from))
        return CU_CALL(scope, cuMemcpyHtoDAsync_v2, (address_of(to), host_of(from), bytes, stream));
    if (to->access.buffer->context == from->access.buffer->context)
        return CU_CALL(scope, cuMemcpyDtoDAsync_v2,
                       (address_of(to), address_of(from), bytes, stream));
    return CU_CALL(scope, cuMemcpyPeerAsync,
                   (address_of(to), to->access.buffer->context->cu, address_of(from),
                    from->access.buffer->context->cu, bytes, stream));
}

/* --- between a box and memory of the host --- */

/*
 * Makes one driver call that copies between a box and memory of the host. host_part is that memory
 * if it is a part of a buffer, too, or NULL.
 */
static cushim_status move(struct cushim__scope *scope, struct cushim__stream *stream,
                          const struct cushim__box *box, const struct cushim__host_box *host,
                          const struct cushim__access *host_part)
{
    const struct cushim__access accesses[] = {box->access, host_part ? *host_part : box->access};
    /*
     * The submission holds the locks only while the driver accepts the copy, and not while the copy
     * runs.
     */
    struct cushim__submission s = {
        .scope = scope,
        .timeline = stream->timeline,
        .accesses = accesses,
        .n = host_part ? 2 : 1,
        /* A graph keeps what it copies, which it can of a buffer, and not of other memory. */
        .recordable = host_part != NULL};
    cushim_status status = cushim__submit_begin(&s);

    if (status)
        return status;
    status = call_host(scope, stream->cu, box, host);
    cushim__submit_end(&s);
    return status;
}

/* The host copies rows of an extent. */
static void copy_rows(char *to, const struct cushim__spacing *to_rows, const char *from,
                      const struct cushim__spacing *from_rows, const struct cushim__extent *extent)
{
    for (size_t z = 0; z < extent->depth; z++)
        for (size_t y = 0; y < extent->height; y++)
            memcpy(to + cushim__row_offset(to_rows, y, z),
                   from + cushim__row_offset(from_rows, y, z), extent->width);
}

/* Where a copy in pieces has come to: all before this byte of this row of this layer is done. */
struct place {
    size_t x, y, z;
};

/* Returns the extent of the next piece: as many rows of one layer as fit, or a part of a row. */
static struct cushim__extent next_piece(const struct cushim__extent *all, const struct place *at)
{
    const size_t left = all->width - at->x, rows = all->height - at->y;
    size_t n;

    if (all->width > CUSHIM__STAGING_BYTES)
        return (struct cushim__extent){left < CUSHIM__STAGING_BYTES ? left : CUSHIM__STAGING_BYTES,
                                       1, 1};
    n = CUSHIM__STAGING_BYTES / all->width;
    return (struct cushim__extent){all->width, rows < n ? rows : n, 1};
}

/* Goes on behind a piece. */
static void pass(const struct cushim__extent *all, const struct cushim__extent *piece,
                 struct place *at)
{
    at->x += piece->width;
    if (at->x < all->width)
        return;
    at->x = 0;
    at->y += piece->height;
    if (at->y < all->height)
        return;
    at->y = 0;
    at->z++;
}

/* Copies one piece through a staging block, and waits until that is done. */
static cushim_status move_piece(struct cushim__scope *scope, struct cushim__stream *stream,
                                struct cushim__box *part, const struct cushim__host_box *host,
                                struct cushim__staging_block *block)
{
    const struct cushim__host_box staged = {block->host, {part->extent.width, part->extent.height}};
    const struct cushim__extent extent = part->extent;
    struct cushim__host_box given = staged;

    if (part->access.write)
        copy_rows(block->host, &staged.rows, host->first, &host->rows, &extent);
    cushim__box_join_rows(part, &given.rows);
    CUSHIM_TRY(move(scope, stream, part, &given, NULL));
    /* The block is used again for the next piece, so each piece must be done before that. */
    block->busy = true;
    CUSHIM_TRY(cushim__timeline_synchronize(scope, stream->timeline));
    block->busy = false;
    if (!part->access.write)
        copy_rows(host->first, &host->rows, block->host, &staged.rows, &extent);
    return CUSHIM_OK;
}

/*
 * Copies in pieces through page-locked staging blocks. A driver may copy pageable memory at once,
 * later, or after waiting for the stream, and a program cannot know which. So cushim gives it
 * page-locked memory only; then no driver call waits while a lock is held.
 */
static cushim_status move_pieces(struct cushim__scope *scope, struct cushim__stream *stream,
                                 const struct cushim__box *box, const struct cushim__host_box *host)
{
    struct cushim__staging_block *block = NULL;
    struct place at = {0, 0, 0};
    cushim_status status;

    CUSHIM_TRY(cushim__staging_take(scope, CUSHIM__STAGING_BYTES, &block));
    do {
        const struct cushim__extent piece = next_piece(&box->extent, &at);
        struct cushim__box part = cushim__box_part(box, at.x, at.y, at.z, &piece);
        const struct cushim__host_box there = {
            host->first + cushim__row_offset(&host->rows, at.y, at.z) + at.x, host->rows};

        status = move_piece(scope, stream, &part, &there, block);
        pass(&box->extent, &piece, &at);
    } while (!status && at.z < box->extent.depth);
    cushim__staging_give(scope->context, block);
    return status;
}

/* Copies one row that fits into a staging block, which most copies are. */
static cushim_status move_row(struct cushim__scope *scope, struct cushim__stream *stream,
                              const struct cushim__box *box, char *host)
{
    const size_t bytes = box->extent.width;
    struct cushim__staging_block *block = NULL;
    cushim_status status;

    CUSHIM_TRY(cushim__staging_take(scope, bytes, &block));
    if (box->access.write)
        memcpy(block->host, host, bytes);
    status = move(scope, stream, box, &(struct cushim__host_box){.first = block->host}, NULL);
    if (!status) {
        block->busy = true;
        status = cushim__timeline_synchronize(scope, stream->timeline);
        block->busy = status != CUSHIM_OK;
    }
    if (!status && !box->access.write)
        memcpy(host, block->host, bytes);
    cushim__staging_give(scope->context, block);
    return status;
}

/*
 * Looks up memory of the host. If it is a part of a buffer, ret_part is that, with a reference for
 * the caller, and otherwise ret_part->buffer is NULL.
 */
static cushim_status find_host(const struct cushim__scope *scope, const struct cushim__box *box,
                               const struct cushim__host_box *host, struct cushim__access *ret_part)
{
    struct cushim__box other = {.rows = host->rows, .extent = box->extent};

    ret_part->buffer = NULL;
    if (!cushim__host_memory_find(host->first, bytes_of(&host->rows, &box->extent),
                                  !box->access.write, ret_part))
        return CUSHIM_OK;
    other.access = *ret_part;
    if (!cushim__boxes_overlap(box, &other))
        return CUSHIM_OK;
    cushim__buffer_unref(TAKE_PTR(ret_part->buffer), scope->call, NULL);
    return cushim__fail_at(CUSHIM_ERROR_OVERLAP, scope->call, scope->label,
                           "%s: the host's memory and the view overlap", scope->call);
}

/* Waits until the host may itself make an access, in the context of its memory. */
static cushim_status wait_for_access(struct cushim__scope *scope,
                                     const struct cushim__access *access)
{
    struct cushim__scope other;

    if (cushim__is_of_driver(scope, access))
        return cushim__buffer_synchronize(scope, access);
    CUSHIM_TRY(cushim__scope_enter(access->buffer->context, scope->call, scope->label, &other));
    return cushim__scope_leave(&other, cushim__buffer_synchronize(&other, access));
}

/*
 * Waits until the host may itself read its side of a copy, or write it, in case the memory is a
 * buffer.
 */
static cushim_status wait_for_host(struct cushim__scope *scope, const struct cushim__box *box,
                                   const struct cushim__host_box *host)
{
    struct cushim__access part;
    cushim_status status;

    CUSHIM_TRY(find_host(scope, box, host, &part));
    if (!part.buffer)
        return CUSHIM_OK;
    status = wait_for_access(scope, &part);
    cushim__buffer_unref(part.buffer, scope->call, NULL);
    return status;
}

/*
 * For page-locked memory the host itself copies, after the devices have done their work on it. No
 * lock is held meanwhile. A program that submits other work on the memory during this call must
 * order the two itself.
 */
cushim_status cushim__copy_host(struct cushim__scope *scope, struct cushim__stream *stream,
                                const struct cushim__box *given,
                                const struct cushim__host_box *given_host)
{
    struct cushim__host_box host = *given_host;
    struct cushim__box box = *given;

    CUSHIM_TRY(cushim__check_not_recording(scope, stream->timeline, AT_ONCE));
    if (cushim__extent_is_empty(&box.extent))
        return CUSHIM_OK;
    CUSHIM_TRY(wait_for_host(scope, &box, &host));
    if (!is_pinned(&box) && is_one_row(&box) && box.extent.width <= CUSHIM__STAGING_BYTES)
        return move_row(scope, stream, &box, host.first);
    cushim__box_join_rows(&box, &host.rows);
    if (!is_pinned(&box))
        return move_pieces(scope, stream, &box, &host);
    CUSHIM_TRY(cushim__buffer_synchronize(scope, &box.access));
    if (box.access.write)
        copy_rows(host_of(&box), &box.rows, host.first, &host.rows, &box.extent);
    else
        copy_rows(host.first, &host.rows, host_of(&box), &box.rows, &box.extent);
    return CUSHIM_OK;
}

/*
 * The memory of the host may be a buffer, which is then a part of the work, unless its driver is
 * another one.
 */
cushim_status cushim__copy_host_async(struct cushim__scope *scope, struct cushim__stream *stream,
                                      const struct cushim__box *given,
                                      const struct cushim__host_box *given_host)
{
    struct cushim__host_box host = *given_host;
    struct cushim__box box = *given;
    struct cushim__access host_part;
    cushim_status status;

    if (is_pinned(&box))
        return cushim__copy_host(scope, stream, given, given_host);
    if (cushim__extent_is_empty(&box.extent))
        return CUSHIM_OK;
    CUSHIM_TRY(find_host(scope, &box, &host, &host_part));
    cushim__box_join_rows(&box, &host.rows);
    if (!host_part.buffer) {
        CUSHIM_TRY(cushim__check_not_recording(scope, stream->timeline, OF_THE_HOST));
        return move(scope, stream, &box, &host, NULL);
    }
    status = cushim__is_of_driver(scope, &host_part)
                 ? move(scope, stream, &box, &host, &host_part)
                 : cushim__copy_host(scope, stream, given, given_host);
    cushim__buffer_unref(host_part.buffer, scope->call, NULL);
    return status;
}

/* --- between boxes --- */

cushim_status cushim__copy(struct cushim__scope *scope, struct cushim__stream *stream,
                           const struct cushim__box *to, const struct cushim__box *from)
{
    const struct cushim__access accesses[] = {to->access, from->access};
    struct cushim__submission s = {.scope = scope,
                                   .timeline = stream->timeline,
                                   .accesses = accesses,
                                   .n = ARRAY_SIZE(accesses),
                                   .recordable = true};
    struct cushim__box target = *to, source = *from;
    cushim_status status;

    /* An empty copy has no order to keep, so the stream does not wait. */
    if (cushim__extent_is_empty(&to->extent))
        return CUSHIM_OK;
    cushim__box_join_rows(&target, &source.rows);
    source.extent = target.extent;
    CUSHIM_TRY(cushim__submit_begin(&s));
    status = call_copy(scope, stream->cu, &target, &source);
    cushim__submit_end(&s);
    return status;
}
