/* SPDX-License-Identifier: MIT */
#include <cushim/handle.h>

#include "base/status.h"
#include "core/object/handle.h"

cushim_status cushim_handle_retain(uint64_t id, uint64_t *ret_id)
{
    const enum cushim__handle_kind kind = cushim__handle_kind_of(id);

    if (!ret_id)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: the output is NULL", __func__);
    if (!id)
        return cushim__fail(CUSHIM_ERROR_STALE_HANDLE,
                            "%s: the handle is zero: it was never opened, or was freed", __func__);
    if (!kind)
        return cushim__fail(CUSHIM_ERROR_STALE_HANDLE, "%s: the number is no handle", __func__);
    if (kind == CUSHIM__HANDLE_FUNCTION || kind == CUSHIM__HANDLE_KERNEL)
        return cushim__fail(CUSHIM_ERROR_WRONG_HANDLE,
                            "%s: a %s lives as long as what it belongs to: retain that", __func__,
                            cushim__handle_noun(kind));
    return cushim__handle_retain(id, __func__, ret_id);
}
