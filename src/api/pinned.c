/* SPDX-License-Identifier: MIT */
#include <cushim/pinned.h>

#include "core/memory/slice.h"

cushim_status cushim_pinned_alloc(cushim_context context, size_t element, size_t length,
                                  unsigned flags, cushim_pinned *ret_pinned)
{
    const unsigned all =
        CUSHIM_PINNED_PORTABLE | CUSHIM_PINNED_MAPPED | CUSHIM_PINNED_WRITE_COMBINED;
    struct cushim__buffer *buffer = NULL;
    struct cushim__scope scope;
    cushim_status status;
    unsigned char type;
    size_t bytes = 0;

    CHECK_OUTPUT(ret_pinned);
    if (flags & ~all)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "%s: flags is %u, it must be made of enum cushim_pinned_flag", __func__,
                            flags);
    type = cushim__take_type(&element);
    CUSHIM_TRY(cushim__checked_size(__func__, element, length, &bytes));
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    status = cushim__memory_alloc_pinned(&scope, bytes, flags, &buffer);
    if (!status)
        status = cushim__slice_give(&scope, CUSHIM__HANDLE_PINNED,
                                    (struct cushim__part){.buffer = buffer,
                                                          .element = element,
                                                          .length = length,
                                                          .type = type},
                                    &ret_pinned->id);
    return cushim__scope_leave(&scope, status);
}

void cushim_pinned_free(cushim_pinned *pinned)
{
    cushim__object_close(pinned ? &pinned->id : NULL, CUSHIM__HANDLE_PINNED, __func__);
}

cushim_status cushim_pinned_read(cushim_pinned pinned, const void **ret_pointer)
{
    void *pointer = NULL;
    cushim_status status;

    CHECK_OUTPUT(ret_pointer);
    status = cushim__slice_host(pinned.id, CUSHIM__HANDLE_PINNED, false, __func__, &pointer);
    if (!status)
        *ret_pointer = pointer;
    return status;
}

cushim_status cushim_pinned_write(cushim_pinned pinned, void **ret_pointer)
{
    CHECK_OUTPUT(ret_pointer);
    return cushim__slice_host(pinned.id, CUSHIM__HANDLE_PINNED, true, __func__, ret_pointer);
}
