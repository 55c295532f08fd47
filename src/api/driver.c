/* SPDX-License-Identifier: MIT */
#include <cushim/driver.h>

#include "base/params.h"
#include "base/status.h"
#include "base/util.h"
#include "core/object/driver.h"
#include "core/object/env_hooks.h"
#include "loader/missing.h"

cushim_status cushim_open(const struct cushim_open_params *params, cushim_driver *ret_driver)
{
    struct cushim_open_params given;

    if (!ret_driver)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_open: ret_driver is NULL");
    CUSHIM_TRY(PARAMS_READ(cushim_open_params, label, params, &given));
    return cushim__driver_open(CUSHIM_LIBRARY_CUDA, &given, __func__, &ret_driver->id);
}

cushim_status cushim_nvrtc_open(const struct cushim_open_params *params, cushim_nvrtc *ret_nvrtc)
{
    struct cushim_open_params given;

    if (!ret_nvrtc)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_nvrtc_open: ret_nvrtc is NULL");
    CUSHIM_TRY(PARAMS_READ(cushim_open_params, label, params, &given));
    return cushim__driver_open(CUSHIM_LIBRARY_NVRTC, &given, __func__, &ret_nvrtc->id);
}

cushim_status cushim_nvjitlink_open(const struct cushim_open_params *params,
                                    cushim_nvjitlink *ret_nvjitlink)
{
    struct cushim_open_params given;

    if (!ret_nvjitlink)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "cushim_nvjitlink_open: ret_nvjitlink is NULL");
    CUSHIM_TRY(PARAMS_READ(cushim_open_params, label, params, &given));
    return cushim__driver_open(CUSHIM_LIBRARY_NVJITLINK, &given, __func__, &ret_nvjitlink->id);
}

void cushim_close(cushim_driver *driver)
{
    cushim__driver_close(driver ? &driver->id : NULL, CUSHIM_LIBRARY_CUDA, __func__);
}

void cushim_nvrtc_close(cushim_nvrtc *nvrtc)
{
    cushim__driver_close(nvrtc ? &nvrtc->id : NULL, CUSHIM_LIBRARY_NVRTC, __func__);
}

void cushim_nvjitlink_close(cushim_nvjitlink *nvjitlink)
{
    cushim__driver_close(nvjitlink ? &nvjitlink->id : NULL, CUSHIM_LIBRARY_NVJITLINK, __func__);
}

/*
 * Returns the library of a driver handle. The result may be used without a pin: a library is never
 * unloaded, even if another thread closes the handle.
 */
static const struct cushim__library *library_of(uint64_t id, enum cushim_library kind,
                                                const char *call)
{
    const struct cushim__driver *driver =
        cushim__handle_pin(id, cushim__driver_handle_kind(kind), call);
    const struct cushim__library *library = driver ? driver->library : NULL;

    if (driver)
        cushim__handle_unpin(id);
    return library;
}

static cushim_status version_of(const struct cushim__library *library, const char *call,
                                int *ret_version)
{
    if (!library)
        return cushim__error()->status;
    if (!ret_version)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL, "%s: ret_version is NULL",
                               call);
    *ret_version = library->version;
    return CUSHIM_OK;
}

cushim_status cushim_driver_version(cushim_driver driver, int *ret_version)
{
    return version_of(library_of(driver.id, CUSHIM_LIBRARY_CUDA, __func__), __func__, ret_version);
}

cushim_status cushim_nvrtc_version(cushim_nvrtc nvrtc, int *ret_version)
{
    return version_of(library_of(nvrtc.id, CUSHIM_LIBRARY_NVRTC, __func__), __func__, ret_version);
}

cushim_status cushim_nvjitlink_version(cushim_nvjitlink nvjitlink, int *ret_version)
{
    return version_of(library_of(nvjitlink.id, CUSHIM_LIBRARY_NVJITLINK, __func__), __func__,
                      ret_version);
}

static const char *path_of(const struct cushim__library *library)
{
    return library ? library->path : NULL;
}

const char *cushim_driver_path(cushim_driver driver)
{
    return path_of(library_of(driver.id, CUSHIM_LIBRARY_CUDA, __func__));
}

const char *cushim_nvrtc_path(cushim_nvrtc nvrtc)
{
    return path_of(library_of(nvrtc.id, CUSHIM_LIBRARY_NVRTC, __func__));
}

const char *cushim_nvjitlink_path(cushim_nvjitlink nvjitlink)
{
    return path_of(library_of(nvjitlink.id, CUSHIM_LIBRARY_NVJITLINK, __func__));
}

static bool has(const struct cushim__library *library, const char *symbol, const char *call)
{
    const struct cushim__rows *rows = library ? library->kind->rows : NULL;
    size_t row;

    if (!rows)
        return false;
    if (!symbol) {
        cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL, "%s: symbol is NULL", call);
        return false;
    }
    row = cushim__row_find(rows, symbol);
    if (row == rows->count) {
        cushim__fail_at(CUSHIM_ERROR_UNKNOWN_SYMBOL, call, NULL,
                        "%s: no %s is known to have a function '%s'", call, library->kind->noun,
                        symbol);
        return false;
    }
    if (!library->has[row])
        cushim__fail_missing(library, row, call);
    return library->has[row];
}

bool cushim_driver_has(cushim_driver driver, const char *symbol)
{
    return has(library_of(driver.id, CUSHIM_LIBRARY_CUDA, __func__), symbol, __func__);
}

bool cushim_nvrtc_has(cushim_nvrtc nvrtc, const char *symbol)
{
    return has(library_of(nvrtc.id, CUSHIM_LIBRARY_NVRTC, __func__), symbol, __func__);
}

bool cushim_nvjitlink_has(cushim_nvjitlink nvjitlink, const char *symbol)
{
    return has(library_of(nvjitlink.id, CUSHIM_LIBRARY_NVJITLINK, __func__), symbol, __func__);
}

static const cushim_entry *functions(uint64_t id, enum cushim_library kind, size_t rows,
                                     const char *call)
{
    const struct cushim__driver *driver =
        cushim__handle_pin(id, cushim__driver_handle_kind(kind), call);
    cushim__entry *const *table = cushim__closed_table(cushim__kind(kind));

    if (driver) {
        /*
         * An interposed table ends with the rows that this version knows. For a newer row the
         * library's own table is returned, and hooks do not see those calls.
         */
        table = rows <= driver->library->kind->rows->count ? driver->table : driver->library->table;
        cushim__handle_unpin(id);
    }
    return (const cushim_entry *) table;
}

const cushim_entry *cushim_driver_functions(cushim_driver driver, size_t rows)
{
    return functions(driver.id, CUSHIM_LIBRARY_CUDA, rows, __func__);
}

const cushim_entry *cushim_nvrtc_functions(cushim_nvrtc nvrtc, size_t rows)
{
    return functions(nvrtc.id, CUSHIM_LIBRARY_NVRTC, rows, __func__);
}

const cushim_entry *cushim_nvjitlink_functions(cushim_nvjitlink nvjitlink, size_t rows)
{
    return functions(nvjitlink.id, CUSHIM_LIBRARY_NVJITLINK, rows, __func__);
}
