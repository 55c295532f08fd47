/* SPDX-License-Identifier: MIT */
/* The properties of libcuda. */
#include <cushim/rows.h>

#include "base/util.h"
#include "loader/kind.h"
#include "loader/missing.h"

static const char *const names[] = {"libcuda.so.1", NULL};

/*
 * The usual places. Plain libcuda.so is not among them: where only that name exists, it is the
 * toolkit's stub.
 */
static void places(void (*try)(const char *path, void *user), void *user)
{
    static const char *const paths[] = {
        "/usr/lib/wsl/lib/libcuda.so.1",
        "/run/opengl-driver/lib/libcuda.so.1",
        "/usr/lib/" CUSHIM__MULTIARCH "/libcuda.so.1",
        "/usr/lib/" CUSHIM__MULTIARCH "/nvidia/current/libcuda.so.1",
        "/usr/lib/" CUSHIM__MULTIARCH "/nvidia/libcuda.so.1",
        "/usr/lib/" CUSHIM__MULTIARCH "/tegra/libcuda.so.1",
        "/usr/lib64/libcuda.so.1",
        "/usr/local/nvidia/lib64/libcuda.so.1",
    };

    for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
        try(paths[i], user);
}

static const unsigned required[] = {
    CUSHIM_ROW_cuDriverGetVersion, CUSHIM_ROW_cuInit,          CUSHIM_ROW_cuDeviceGetCount,
    CUSHIM_ROW_cuDeviceGet,        CUSHIM_ROW_cuCtxGetCurrent, CUSHIM_ROW_cuMemAlloc_v2,
    CUSHIM_ROW_cuLaunchKernel,
};

static int version(const struct cushim__library *library, int *ret_version)
{
    return ((int (*)(int *)) cushim__library_symbol(library, CUSHIM_ROW_cuDriverGetVersion))(
        ret_version);
}

/*
 * Asks cuGetProcAddress() with the version of the row, never with a newer one: the newest function
 * of a name may have other parameters.
 */
static cushim__entry *look_up(const struct cushim__library *library, size_t row)
{
    typedef int get_v1(const char *, void **, int, uint64_t);
    typedef int get_v2(const char *, void **, int, uint64_t, int *);
    enum { LEGACY_STREAM = 1, PER_THREAD_STREAM = 2 };

    const struct cushim__rows *rows = library->kind->rows;
    const struct cushim__row *r = &rows->rows[row];
    const uint64_t flag =
        r->flags & (CUSHIM__ROW_PTDS | CUSHIM__ROW_PTSZ) ? PER_THREAD_STREAM : LEGACY_STREAM;
    cushim__entry *v2, *v1;
    void *found = NULL;
    int result = -1, status = 0;

    if (row == CUSHIM_ROW_cuGetProcAddress_v2 || row == CUSHIM_ROW_cuGetProcAddress ||
        library->version < r->since)
        return NULL;
    v2 = cushim__library_symbol(library, CUSHIM_ROW_cuGetProcAddress_v2);
    v1 = v2 ? NULL : cushim__library_symbol(library, CUSHIM_ROW_cuGetProcAddress);
    if (v2)
        result = ((get_v2 *) v2)(cushim__row_base(rows, row), &found, r->since, flag, &status);
    else if (v1)
        result = ((get_v1 *) v1)(cushim__row_base(rows, row), &found, r->since, flag);
    return result || status ? NULL : (cushim__entry *) (intptr_t) found;
}

const struct cushim__kind cushim__kind_cuda = {
    .id = CUSHIM_LIBRARY_CUDA,
    .noun = "CUDA driver",
    .variable = "CUSHIM_LIBCUDA",
    .absent = CUSHIM_ERROR_NO_DRIVER,
    .rows = &cushim__cuda_rows,
    .names = names,
    .places = places,
    .required = required,
    .n_required = ARRAY_SIZE(required),
    .version = version,
    .look_up = look_up,
    .missing = cushim__cuda_missing,
    .closed = cushim__cuda_closed,
};
