/* SPDX-License-Identifier: MIT */
#include "async/flight.h"

#include <stdlib.h>
#include <string.h>

#include "base/release.h"
#include "core/object/staging.h"
#include "core/order/stream.h"

struct cushim__kept {
    struct cushim__kept *next;
    struct cushim__context *context; /* of the block */
    struct cushim__staging_block *block;
    void *host; /* where the block's bytes go at the end; or NULL */
    size_t bytes;
    void (*release)(void *data); /* for data that is held */
    void *data;
};

void cushim__flight_init(struct cushim__flight *flight)
{
    *flight = (struct cushim__flight){.last = &flight->first};
}

static void add(struct cushim__flight *flight, struct cushim__kept *kept)
{
    kept->next = NULL;
    *flight->last = kept;
    flight->last = &kept->next;
}

cushim_status cushim__flight_hold(struct cushim__flight *flight, void *data,
                                  void (*release)(void *data))
{
    struct cushim__kept *kept = calloc(1, sizeof(*kept));

    if (!kept) {
        cushim__release(release, data);
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, NULL, NULL, "no memory to hold data");
    }
    kept->release = release;
    kept->data = data;
    add(flight, kept);
    return CUSHIM_OK;
}

/* Keeps a context, unless the flight's owner does so. */
static cushim_status keep_context(struct cushim__flight *flight, struct cushim__context *context)
{
    struct cushim__context **foreign;

    if (context == flight->home)
        return CUSHIM_OK;
    for (size_t i = 0; i < flight->n_foreign; i++)
        if (flight->foreign[i] == context)
            return CUSHIM_OK;
    foreign = realloc(flight->foreign, (flight->n_foreign + 1) * sizeof(struct cushim__context *));
    if (!foreign)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, NULL, NULL, "no memory for a copy");
    flight->foreign = foreign;
    flight->foreign[flight->n_foreign++] = context;
    cushim__context_ref(context);
    return CUSHIM_OK;
}

/* Takes a block of so many bytes in the context of a stream. */
static cushim_status take_block(struct cushim__flight *flight, cushim_stream stream, size_t bytes,
                                const char *call, struct cushim__kept **ret_kept)
{
    struct cushim__kept *kept = calloc(1, sizeof(*kept));
    struct cushim__stream *object;
    struct cushim__scope scope;
    cushim_status status;

    if (!kept)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, NULL, "no memory for a copy");
    status = cushim__stream_enter(stream.id, call, &scope, &object);
    if (!status) {
        status = keep_context(flight, scope.context);
        if (!status)
            status = cushim__staging_take(&scope, bytes, &kept->block);
        kept->context = scope.context;
        status = cushim__scope_leave(&scope, status);
    }
    if (status) {
        free(kept);
        return status;
    }
    add(flight, kept);
    *ret_kept = kept;
    return CUSHIM_OK;
}

/* Copies one piece of a view of bytes through a block of its own. */
static cushim_status copy_piece(struct cushim__flight *flight, const struct cushim_exec *exec,
                                cushim_view piece, char *host, bool write, const char *call)
{
    struct cushim__kept *kept = NULL;

    CUSHIM_TRY(take_block(flight, exec->stream, piece.length, call, &kept));
    if (write) {
        memcpy(kept->block->host, host, piece.length);
        return cushim_view_write_async(exec->stream, piece, kept->block->host, 1, piece.length);
    }
    CUSHIM_TRY(cushim_view_read_async(exec->stream, piece, kept->block->host, 1, piece.length));
    kept->host = host;
    kept->bytes = piece.length;
    return CUSHIM_OK;
}

cushim_status cushim__flight_copy(struct cushim__flight *flight, const struct cushim_exec *exec,
                                  cushim_view view, void *host, size_t bytes, bool write,
                                  const char *call)
{
    cushim_view all, piece;

    if (!bytes)
        return CUSHIM_OK;
    CUSHIM_TRY(cushim_view_reinterpret(view, 1, 1, &all));
    /* A graph copies again and again, so the recorder takes memory that cushim knows, or none. */
    if (exec->recording)
        return write ? cushim_view_write_async(exec->stream, all, host, 1, bytes)
                     : cushim_view_read_async(exec->stream, all, host, 1, bytes);
    if (bytes > CUSHIM__STAGED_BYTES)
        return write ? cushim_view_write(exec->stream, all, host, 1, bytes)
                     : cushim_view_read(exec->stream, all, host, 1, bytes);
    for (size_t at = 0; at < bytes; at += CUSHIM__STAGING_BYTES) {
        const size_t left = bytes - at;

        CUSHIM_TRY(cushim_view_part(
            all, at, left < CUSHIM__STAGING_BYTES ? left : CUSHIM__STAGING_BYTES, &piece));
        CUSHIM_TRY(copy_piece(flight, exec, piece, (char *) host + at, write, call));
    }
    return CUSHIM_OK;
}

void cushim__flight_deliver(const struct cushim__flight *flight)
{
    for (const struct cushim__kept *kept = flight->first; kept; kept = kept->next)
        if (kept->block && kept->host)
            memcpy(kept->host, kept->block->host, kept->bytes);
}

void cushim__flight_end(struct cushim__flight *flight, bool done)
{
    struct cushim__kept *kept = TAKE_PTR(flight->first);

    flight->last = &flight->first;
    while (kept) {
        struct cushim__kept *next = kept->next;

        if (kept->block) {
            kept->block->busy = !done;
            cushim__staging_give(kept->context, kept->block);
        }
        cushim__release(kept->release, kept->data);
        free(kept);
        kept = next;
    }
}

struct cushim__flight cushim__flight_take_blocks(struct cushim__flight *flight)
{
    struct cushim__flight blocks = {.first = NULL};
    struct cushim__kept **link = &flight->first;

    while (*link) {
        struct cushim__kept *kept = *link;

        if (!kept->block) {
            link = &kept->next;
            continue;
        }
        *link = kept->next;
        kept->next = blocks.first;
        blocks.first = kept;
    }
    flight->last = link;
    return blocks;
}

void cushim__flight_finish(struct cushim__flight *flight)
{
    for (size_t i = 0; i < flight->n_foreign; i++)
        cushim__context_unref(flight->foreign[i]);
    free(flight->foreign);
    flight->foreign = NULL;
    flight->n_foreign = 0;
}
