/* SPDX-License-Identifier: MIT */
#include "async/operand.h"

#include <stdlib.h>

#include "base/log.h"
#include "core/memory/slice.h"
#include "core/order/stream.h"

/* Allocates a slice, which is a part of the operation. */
static cushim_status alloc(const struct cushim__run *run, size_t element, size_t length,
                           cushim_slice *ret_slice)
{
    cushim_status status;

    cushim__handle_source_location(CUSHIM__PLACE_KEPT);
    if (run->exec.pool.id)
        status =
            cushim_slice_alloc_from(run->exec.stream, run->exec.pool, element, length, ret_slice);
    else
        status = cushim_slice_alloc(run->exec.stream, element, length, ret_slice);
    /* It is not left for the next handle if none was made. */
    cushim__handle_source_location(NULL);
    return status;
}

cushim_status cushim__operand_alloc(struct cushim__run *run, size_t element, size_t length,
                                    struct cushim_output **ret_memory)
{
    cushim_slice slice = CUSHIM_NONE;

    CUSHIM_TRY(alloc(run, element, length, &slice));
    *ret_memory = cushim__output_memory(CUSHIM_OUTPUT_SLICE, cushim__slice_view(slice));
    if (*ret_memory)
        return CUSHIM_OK;
    cushim_slice_free(&slice);
    return cushim__error()->status;
}

cushim_status cushim__operand_size(cushim_view view, size_t *ret_element, size_t *ret_length)
{
    struct cushim__resolved_view span;

    CUSHIM_TRY(cushim__span_pin(view, "cushim_op_run", &span));
    *ret_element = span.element | (size_t) span.type << 56;
    *ret_length = span.length;
    cushim__span_unpin(&span);
    return CUSHIM_OK;
}

/* Returns the context of a handle's object, or NULL if the handle is stale. It is only compared. */
static const struct cushim__context *context_of(uint64_t id)
{
    const enum cushim__handle_kind kind = cushim__handle_kind_of(id);
    struct cushim__object *object = kind ? cushim__handle_pin(id, kind, NULL) : NULL;
    const struct cushim__context *context = object ? object->context : NULL;

    if (object)
        cushim__handle_unpin(id);
    return context;
}

/* Notes the context of the stream of the run, which most steps have in common. */
static void look_at_stream(struct cushim__run *run)
{
    const struct cushim__stream *stream;

    if (run->asked == run->exec.stream.id)
        return;
    run->asked = run->exec.stream.id;
    stream = cushim__handle_pin(run->asked, CUSHIM__HANDLE_STREAM, NULL);
    run->at = stream ? stream->object.context : NULL;
    run->lock = stream ? stream->object.context->lock : NULL;
    if (stream)
        cushim__handle_unpin(run->asked);
}

/* Pinned memory can be used by all contexts. The lock of a slice is that of its context. */
static bool is_here(struct cushim__run *run, const struct cushim_output *memory)
{
    const uint64_t id = memory->u.view.object;
    const struct cushim__context *there;

    look_at_stream(run);
    if (cushim__handle_kind_of(id) != CUSHIM__HANDLE_SLICE ||
        cushim__handle_has_lock(id, run->lock))
        return true;
    there = context_of(id);
    return !there || there == run->at;
}

/* Copies memory to the device of the stream, and says so. */
static cushim_status bring(struct cushim__run *run, const struct cushim_output *memory,
                           const char *call, struct cushim_output **ret_memory)
{
    size_t element, length;

    CUSHIM_TRY(cushim__operand_size(memory->u.view, &element, &length));
    CUSHIM_TRY(cushim__operand_alloc(run, element, length, ret_memory));
    if (cushim_view_copy(run->exec.stream, (*ret_memory)->u.view, memory->u.view)) {
        cushim__output_unref(ret_memory);
        return cushim__error()->status;
    }
    cushim__log(CUSHIM_LOG_INFO,
                "%s: %zu elements are copied, because their memory is of another device than the "
                "stream",
                call, length);
    return CUSHIM_OK;
}

/* here: the memory is of the device of the step. */
static cushim_status check(const struct cushim_output *memory, bool here, bool write,
                           const char *call)
{
    if (write && cushim__output_is_shared(memory))
        return cushim__fail_at(CUSHIM_ERROR_READ_ONLY, call, NULL,
                               "%s: the memory is that of a shared operation, which may only be "
                               "read; see cushim_op_unshare()",
                               call);
    if (write && memory->kind == CUSHIM_OUTPUT_MEMORY && !here)
        return cushim__fail_at(CUSHIM_ERROR_FOREIGN_CONTEXT, call, NULL,
                               "%s: the step writes memory of the program that is of another "
                               "device than its stream",
                               call);
    return CUSHIM_OK;
}

cushim_status cushim__operand_take(struct cushim__run *run, struct cushim_output **input,
                                   bool write, const char *call, struct cushim_output **ret_memory)
{
    struct cushim_output *memory = cushim__output_take_memory(input, call), *brought = NULL;
    cushim_status status;
    bool here;

    if (!memory)
        return cushim__error()->status;
    here = is_here(run, memory);
    status = check(memory, here, write, call);
    if (!status && !here) {
        status = bring(run, memory, call, &brought);
        if (!status && memory->tiling && !cushim__output_is_shared(memory))
            brought->tiling = TAKE_PTR(memory->tiling);
        cushim__output_unref(&memory);
        memory = brought;
    }
    if (status)
        cushim__output_unref(&memory);
    else
        *ret_memory = memory;
    return status;
}
