/* SPDX-License-Identifier: MIT */
/*
 * The object of a handle of a driver, an NVRTC or an nvJitLink: a library, with or without hooks in
 * front of it. leaks.c tells what is not freed before it.
 */
#ifndef CUSHIM_CORE_OBJECT_DRIVER_H
#define CUSHIM_CORE_OBJECT_DRIVER_H

#include <cushim/interpose.h>

#include "core/object/handle.h"
#include "loader/library.h"

struct cushim__driver {
    const struct cushim__library *library; /* never freed */
    cushim__entry *const *table;           /* the library's, or an interposed one */
    int slot;                              /* the interposed table, or -1 */
    uint64_t below;                        /* the handle behind the hooks, which is pinned, or 0 */
    char *label;
};

/* Makes a handle of a library. Its calls go through table. */
cushim_status cushim__driver_create(const struct cushim__library *library,
                                    cushim__entry *const *table, const char *label,
                                    const char *call, uint64_t *ret_id);

/* Makes a handle with hooks in front of the driver that the handle below names. */
cushim_status cushim__driver_interpose(uint64_t below, enum cushim_library id,
                                       const struct cushim_hooks *hooks, size_t n_hooks,
                                       const char *call, uint64_t *ret_id);

/*
 * Tells whether a driver looks for mistakes in the use of memory, which it could not see in memory
 * that cushim gives from one slice to the next. The mock says so by a function.
 */
bool cushim__driver_looks_for_mistakes(const struct cushim__driver *driver);

/*
 * Tells a driver that looks for mistakes how its findings should call an object or an address. The
 * mock has a function for it; other drivers have no labels.
 */
void cushim__driver_label(const struct cushim__driver *driver, uint64_t handle_or_address,
                          const char *label);

/*
 * Logs the objects of a table, if no handle of a driver with that table is open any more, and what
 * belongs to no driver if no driver is open.
 */
void cushim__report_leaks(cushim__entry *const *table);

/*
 * Returns how many handles programs have of the primary context of a device, and of its objects,
 * and describes the first one.
 */
size_t cushim__primary_users(const struct cushim__library *library, int device, char *first,
                             size_t size);

/* Closes such a handle and sets it to zero. Errors go to the log. */
void cushim__driver_close(uint64_t *id, enum cushim_library library, const char *call);

static inline enum cushim__handle_kind cushim__driver_handle_kind(enum cushim_library id)
{
    return id == CUSHIM_LIBRARY_CUDA    ? CUSHIM__HANDLE_DRIVER
           : id == CUSHIM_LIBRARY_NVRTC ? CUSHIM__HANDLE_NVRTC
                                        : CUSHIM__HANDLE_NVJITLINK;
}

#endif
