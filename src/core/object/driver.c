/* SPDX-License-Identifier: MIT */
/* Driver handles, with or without hooks. */
#include "core/object/driver.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/status.h"
#include "base/util.h"
#include "core/object/object.h"
#include "core/object/scope.h"
#include "interpose/interpose.h"

/*
 * Runs with the last pin. The slot is given back before the driver below is unpinned, because its
 * table leads there.
 */
static void destroy(void *object)
{
    struct cushim__driver *driver = object;

    if (driver->slot >= 0)
        cushim__interpose_end(driver->library->kind->id, driver->slot);
    if (driver->below)
        cushim__handle_unpin(driver->below);
    free(driver->label);
    free(driver);
}

static struct cushim__driver *allocate(const struct cushim__library *library,
                                       cushim__entry *const *table, const char *label)
{
    struct cushim__driver *driver = calloc(1, sizeof(*driver));

    if (!driver)
        return NULL;
    driver->library = library;
    driver->table = table;
    driver->slot = -1;
    driver->label = label ? strdup(label) : NULL;
    if (label && !driver->label) {
        free(driver);
        return NULL;
    }
    return driver;
}

static cushim_status give_handle(struct cushim__driver *driver, const char *call, uint64_t *ret_id)
{
    const enum cushim__handle_kind kind = cushim__driver_handle_kind(driver->library->kind->id);
    const cushim_status status = cushim__handle_create(kind, driver, destroy, call, ret_id);

    if (status)
        destroy(driver);
    return status;
}

cushim_status cushim__driver_create(const struct cushim__library *library,
                                    cushim__entry *const *table, const char *label,
                                    const char *call, uint64_t *ret_id)
{
    struct cushim__driver *driver = allocate(library, table, label);

    if (!driver)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, label, "no memory for a handle");
    return give_handle(driver, call, ret_id);
}

cushim_status cushim__driver_interpose(uint64_t below, enum cushim_library id,
                                       const struct cushim_hooks *hooks, size_t n_hooks,
                                       const char *call, uint64_t *ret_id)
{
    const struct cushim__driver *lower =
        cushim__handle_pin(below, cushim__driver_handle_kind(id), call);
    struct cushim__driver *driver;
    cushim_status status;

    if (!lower)
        return cushim__error()->status;
    driver = allocate(lower->library, lower->table, lower->label);
    if (!driver) {
        cushim__handle_unpin(below);
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, NULL, "no memory for a handle");
    }
    /*
     * The driver below stays pinned: while its handle exists, its slot is not used for another
     * table.
     */
    driver->below = below;
    status = cushim__interpose(&(struct cushim__interposition){id, lower->table, hooks, n_hooks},
                               call, &driver->slot, &driver->table);
    if (status) {
        destroy(driver);
        return status;
    }
    return give_handle(driver, call, ret_id);
}

static void close_open(uint64_t *id, enum cushim_library library, const char *call)
{
    const enum cushim__handle_kind kind = cushim__driver_handle_kind(library);
    const struct cushim__driver *driver;
    bool last = false;

    /*
     * Closing waits until no call is inside of a hook. Called from a hook, it would wait for
     * itself, and called from a host function for a call that waits for the function.
     */
    if (cushim__check_no_callback(call)) {
        cushim__log(CUSHIM_LOG_ERROR, "%s; the handle stays open", cushim__error()->text);
        return;
    }
    cushim__close_deferred();
    driver = cushim__handle_pin(*id, kind, call);
    if (!driver || cushim__handle_close_one(*id, kind, call, &last))
        cushim__log(CUSHIM_LOG_ERROR, "%s", cushim__error()->text);
    else if (last) {
        if (library == CUSHIM_LIBRARY_CUDA)
            cushim__report_leaks(driver->table);
        /*
         * The hooks are removed now, and not with the last pin: the program may free what they use
         * after this call.
         */
        if (driver->slot >= 0)
            cushim__interpose_stop(library, driver->slot);
    }
    if (driver)
        cushim__handle_unpin(*id);
    *id = 0;
}

void cushim__driver_close(uint64_t *id, enum cushim_library library, const char *call)
{
    struct cushim__error before;

    if (!id || !*id)
        return;
    cushim__error_keep(&before);
    close_open(id, library, call);
    cushim__error_restore(&before);
}

bool cushim__driver_looks_for_mistakes(const struct cushim__driver *driver)
{
    void *function = cushim__library_own_symbol(driver->library, "cushim_mock_checks");

    return function && ((bool (*)(void))(intptr_t) function)();
}

void cushim__driver_label(const struct cushim__driver *driver, uint64_t handle_or_address,
                          const char *label)
{
    void *function = cushim__library_own_symbol(driver->library, "cushim_mock_label");

    if (function)
        ((cushim_status(*)(uint64_t, const char *))(intptr_t) function)(handle_or_address, label);
}
