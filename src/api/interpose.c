/* SPDX-License-Identifier: MIT */
#include <cushim/interpose.h>

#include "base/status.h"
#include "core/object/driver.h"

static cushim_status interpose(uint64_t below, enum cushim_library id,
                               const struct cushim_hooks *hooks, size_t n_hooks, uint64_t *ret_id,
                               const char *call)
{
    if (!ret_id || (!hooks && n_hooks))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL, "%s: %s is NULL", call,
                               ret_id ? "hooks" : "the place for the new handle");
    return cushim__driver_interpose(below, id, hooks, n_hooks, call, ret_id);
}

cushim_status cushim_interpose(cushim_driver driver, const struct cushim_hooks *hooks,
                               size_t n_hooks, cushim_driver *ret_driver)
{
    return interpose(driver.id, CUSHIM_LIBRARY_CUDA, hooks, n_hooks,
                     ret_driver ? &ret_driver->id : NULL, __func__);
}

cushim_status cushim_interpose_nvrtc(cushim_nvrtc nvrtc, const struct cushim_hooks *hooks,
                                     size_t n_hooks, cushim_nvrtc *ret_nvrtc)
{
    return interpose(nvrtc.id, CUSHIM_LIBRARY_NVRTC, hooks, n_hooks,
                     ret_nvrtc ? &ret_nvrtc->id : NULL, __func__);
}

cushim_status cushim_interpose_nvjitlink(cushim_nvjitlink nvjitlink,
                                         const struct cushim_hooks *hooks, size_t n_hooks,
                                         cushim_nvjitlink *ret_nvjitlink)
{
    return interpose(nvjitlink.id, CUSHIM_LIBRARY_NVJITLINK, hooks, n_hooks,
                     ret_nvjitlink ? &ret_nvjitlink->id : NULL, __func__);
}
