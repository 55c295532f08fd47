/* SPDX-License-Identifier: MIT */
#include <cushim/fault.h>

#include <string.h>

#include "base/log.h"
#include "base/params.h"
#include "base/status.h"
#include "core/object/handle.h"
#include "interpose/fault.h"
#include "interpose/fault_rows.h"

static void destroy(void *object)
{
    cushim__faults_free(object);
}

/* Pins the faults of a handle. Fails if value, an argument called name, is NULL. */
static struct cushim__faults *pin(cushim_faults faults, const void *value, const char *name,
                                  const char *call)
{
    if (value)
        return cushim__handle_pin(faults.id, CUSHIM__HANDLE_FAULTS, call);
    cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL, "%s: %s is NULL", call, name);
    return NULL;
}

cushim_status cushim_faults_create(const struct cushim_faults_params *params,
                                   cushim_faults *ret_faults)
{
    struct cushim_faults_params given;
    struct cushim__faults *faults;
    cushim_status status;

    if (!ret_faults)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "cushim_faults_create: ret_faults is NULL");
    CUSHIM_TRY(PARAMS_READ(cushim_faults_params, seed, params, &given));
    faults = cushim__faults_new(&given);
    if (!faults)
        return cushim__fail(CUSHIM_ERROR_NO_MEMORY, "no memory for faults");
    status =
        cushim__handle_create(CUSHIM__HANDLE_FAULTS, faults, destroy, __func__, &ret_faults->id);
    if (status)
        cushim__faults_free(faults);
    return status;
}

void cushim_faults_free(cushim_faults *faults)
{
    cushim__handle_free(faults ? &faults->id : NULL, CUSHIM__HANDLE_FAULTS, __func__);
}

static cushim_status add(struct cushim__faults *faults, const char *function,
                         const struct cushim_fault *fault, const char *call)
{
    struct cushim__fault_set set;
    struct cushim__fault_rule rule = {.set = &set};

    CUSHIM_TRY(PARAMS_READ_FOR(call, cushim_fault, count, fault, &rule.fault));
    CUSHIM_TRY(cushim__fault_check(function, &rule.fault, &set, call, call));
    return cushim__faults_add(faults, &rule, 1, NULL, call);
}

cushim_status cushim_faults_add(cushim_faults faults, const char *function,
                                const struct cushim_fault *fault)
{
    struct cushim__faults *object =
        pin(faults, function ? fault : NULL, function ? "fault" : "function", __func__);
    cushim_status status;

    if (!object)
        return cushim__error()->status;
    status = add(object, function, fault, __func__);
    cushim__handle_unpin(faults.id);
    return status;
}

cushim_status cushim_faults_read(cushim_faults faults, const char *text)
{
    struct cushim__faults *object = pin(faults, text, "text", __func__);
    cushim_status status;

    if (!object)
        return cushim__error()->status;
    status = cushim__faults_read(object, text, __func__);
    cushim__handle_unpin(faults.id);
    return status;
}

cushim_status cushim_faults_read_file(cushim_faults faults, const char *path)
{
    struct cushim__faults *object = pin(faults, path, "path", __func__);
    cushim_status status;

    if (!object)
        return cushim__error()->status;
    status = cushim__faults_read_file(object, path, __func__);
    cushim__handle_unpin(faults.id);
    return status;
}

/*
 * The hooks hold the handle and not the object. So if the faults are freed while a table still has
 * their hooks, the hooks find no object and do nothing.
 */
static struct cushim__faults *pin_quietly(void *user)
{
    return cushim__handle_pin((uintptr_t) user, CUSHIM__HANDLE_FAULTS, NULL);
}

static bool before(struct cushim_call *call, void *user)
{
    struct cushim__faults *faults = pin_quietly(user);
    bool answered;

    if (!faults)
        return false;
    answered = cushim__faults_before(faults, call);
    cushim__handle_unpin((uintptr_t) user);
    return answered;
}

static void after(struct cushim_call *call, void *user)
{
    struct cushim__faults *faults = pin_quietly(user);

    if (!faults)
        return;
    cushim__faults_after(faults, call);
    cushim__handle_unpin((uintptr_t) user);
}

struct cushim_hooks cushim_faults_hooks(cushim_faults faults)
{
    return (struct cushim_hooks){before, after, (void *) (uintptr_t) faults.id};
}

static cushim_status injected(struct cushim__faults *faults, const char *function,
                              uint64_t *ret_count)
{
    struct cushim__fault_set set;
    cushim_status status = CUSHIM_OK;

    if (function && (!strcmp(function, CUSHIM__DEVICE_LOST) || !cushim__fault_find(function, &set)))
        status = cushim__fail_at(CUSHIM_ERROR_UNKNOWN_SYMBOL, "cushim_faults_injected", NULL,
                                 "cushim_faults_injected: no function '%s' is known", function);
    else
        *ret_count = cushim__faults_injected(faults, function ? &set : NULL);
    return status;
}

cushim_status cushim_faults_injected(cushim_faults faults, const char *function,
                                     uint64_t *ret_count)
{
    struct cushim__faults *object = pin(faults, ret_count, "ret_count", __func__);
    cushim_status status;

    if (!object)
        return cushim__error()->status;
    status = injected(object, function, ret_count);
    cushim__handle_unpin(faults.id);
    return status;
}

cushim_status cushim_faults_reset(cushim_faults faults)
{
    struct cushim__faults *object = cushim__handle_pin(faults.id, CUSHIM__HANDLE_FAULTS, __func__);

    if (!object)
        return cushim__error()->status;
    cushim__faults_reset(object);
    cushim__handle_unpin(faults.id);
    return CUSHIM_OK;
}
