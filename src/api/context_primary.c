/* SPDX-License-Identifier: MIT */
/* The primary contexts of devices. */
#include <cushim/context.h>

#include <stdio.h>

#include "core/object/scope.h"

/* Retains the primary context and makes a handle. No reset comes between the two. */
static cushim_status primary(const struct cushim__scope *scope, CUdevice device, uint64_t *ret_id)
{
    struct cushim__known_context known = {
        .device = device, .kind = CUSHIM__CONTEXT_PRIMARY, .is_primary = true};
    struct cushim__context_step step;
    bool is_taken = false;
    cushim_status status;

    cushim__context_make_begin(scope, device, &step);
    status = CU_CALL(scope, cuDevicePrimaryCtxRetain, (&known.cu, device));
    if (!status) {
        status = cushim__context_handle(scope, &known, &is_taken, ret_id);
        /* The internal context has retained it once, which is enough. */
        if (!is_taken)
            CU_FREE(scope, cuDevicePrimaryCtxRelease_v2, (device));
    }
    cushim__context_step_end(&step);
    return status;
}

cushim_status cushim_context_primary(cushim_driver driver, int device, cushim_context *ret_context)
{
    struct cushim__scope scope;
    cushim_status status;
    CUdevice cu_device = 0;

    CHECK_OUTPUT(ret_context);
    CUSHIM_TRY(cushim__driver_enter(driver.id, __func__, &scope));
    status = CU_CALL(&scope, cuDeviceGet, (&cu_device, device));
    if (!status)
        status = primary(&scope, cu_device, &ret_context->id);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_context_primary_state(cushim_driver driver, int device, unsigned *ret_flags,
                                           bool *ret_active)
{
    struct cushim__scope scope;
    cushim_status status;
    unsigned flags = 0;
    int active = 0;

    CHECK_OUTPUT(ret_flags);
    CHECK_OUTPUT(ret_active);
    CUSHIM_TRY(cushim__driver_enter(driver.id, __func__, &scope));
    status = CU_CALL(&scope, cuDevicePrimaryCtxGetState, (device, &flags, &active));
    if (!status) {
        *ret_flags = flags;
        *ret_active = active != 0;
    }
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_context_primary_set_flags(cushim_driver driver, int device, unsigned flags)
{
    return CU_CALL_IN(cushim__driver_enter(driver.id, __func__, &scope),
                      cuDevicePrimaryCtxSetFlags_v2, (device, flags));
}

/* Says what is to be freed before a reset. */
static cushim_status fail_used(const struct cushim__scope *scope, int device)
{
    char first[256] = "work, or an operation or a graph, that is not done or not freed";
    const size_t n = cushim__primary_users(scope->driver->library, device, first, sizeof(first));
    char others[40] = "";

    if (n > 1)
        snprintf(others, sizeof(others), ", and %zu more handle%s", n - 1, n > 2 ? "s" : "");
    return cushim__fail_at(CUSHIM_ERROR_BUSY, scope->call, NULL,
                           "%s: the primary context of device %d is still used by %s%s",
                           scope->call, device, first, others);
}

cushim_status cushim_context_primary_reset(cushim_driver driver, int device)
{
    struct cushim__context_step step;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(cushim__driver_enter(driver.id, __func__, &scope));
    if (cushim__context_reset_begin(&scope, device, &step)) {
        status = CU_CALL(&scope, cuDevicePrimaryCtxReset_v2, (device));
        cushim__context_step_end(&step);
    } else {
        status = fail_used(&scope, device);
    }
    return cushim__scope_leave(&scope, status);
}
