/* SPDX-License-Identifier: MIT */
/* cuGetErrorName, cuGetErrorString, cuGetProcAddress, cuGetExportTable */
#include <limits.h>
#include <string.h>

#include "base/status.h"
#include "mock/base/hint.h"
#include "mock/base/state.h"
#include "mock/config/symbols.h"

/* The texts are available without cuInit(). */
CUresult mock_cuGetErrorName(CUresult error, const char **pStr)
{
    MOCK__REQUIRE(pStr, CUDA_ERROR_INVALID_VALUE);
    *pStr = cushim__cuda_result_name((int) error);
    return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult mock_cuGetErrorString(CUresult error, const char **pStr)
{
    MOCK__REQUIRE(pStr, CUDA_ERROR_INVALID_VALUE);
    *pStr = cushim__cuda_result_text((int) error);
    return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Like CUdriverProcAddressQueryResult, which older toolkits do not have. */
enum query_result {
    FOUND = 0,
    NO_SUCH_SYMBOL = 1,
    TOO_NEW = 2,
};

#define PER_THREAD 2u
#define ALL_FLAGS  3u

/* A function that has the wanted base name. */
struct match {
    const struct cushim__row *row; /* NULL: none */
    size_t number;
};

static bool in_driver(const struct cushim__row *row, int driver)
{
    return row->since <= driver && (!row->until || row->until > driver);
}

static void prefer_newer(struct match *match, const struct cushim__row *row, size_t number)
{
    if (!match->row || row->since > match->row->since)
        *match = (struct match){row, number};
}

/* Finds the newest function of a name that is not newer than the version. */
static enum query_result query(const char *name, int version, bool per_thread,
                               struct match *ret_match)
{
    const struct cushim__rows *rows = &cushim__cuda_rows;
    const int driver = mock__driver_version();
    struct match plain = {0}, variant = {0};
    bool known = false;

    for (size_t i = 0; i < rows->count; i++) {
        const struct cushim__row *row = &rows->rows[i];

        if (strcmp(cushim__row_base(rows, i), name) || !in_driver(row, driver))
            continue;
        known = true;
        if (row->since <= version)
            prefer_newer(row->flags & (CUSHIM__ROW_PTDS | CUSHIM__ROW_PTSZ) ? &variant : &plain,
                         row, i);
    }
    *ret_match = per_thread && variant.row ? variant : plain;
    return ret_match->row ? FOUND : known ? TOO_NEW : NO_SUCH_SYMBOL;
}

static void *address_of(const struct match *match)
{
    /* A static build exports nothing, so the implementation itself is returned. */
    cushim__entry *const entry = mock__exported[match->number] ? mock__exported[match->number]
                                                               : mock__functions[match->number];

    return match->row ? (void *) (intptr_t) entry : NULL;
}

static CUresult get_proc_address(const char *name, void **pfn, int version, cuuint64_t flags,
                                 enum query_result *ret_result)
{
    struct match match;

    MOCK__REQUIRE(name && pfn && !(flags & ~(cuuint64_t) ALL_FLAGS), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(version <= mock__driver_version(), CUDA_ERROR_INVALID_VALUE);
    /* Read without its sign, a negative version is one that is newer than any. */
    *ret_result = query(name, version < 0 ? INT_MAX : version, flags & PER_THREAD, &match);
    *pfn = address_of(&match);
    return CUDA_SUCCESS;
}

CUresult mock_cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags)
{
    enum query_result result = FOUND;

    MOCK__TRY(get_proc_address(symbol, pfn, cudaVersion, flags, &result));
    return result == FOUND ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

#if CUDA_VERSION >= 12000
CUresult mock_cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                  CUdriverProcAddressQueryResult *symbolStatus)
{
    enum query_result result = FOUND;

    MOCK__TRY(get_proc_address(symbol, pfn, cudaVersion, flags, &result));
    if (symbolStatus)
        *symbolStatus = (CUdriverProcAddressQueryResult) result;
    return CUDA_SUCCESS;
}
#endif

/*
 * The table without which NVIDIA's runtime does not work. Other programs ask for other tables, and
 * continue without them.
 */
static const unsigned char table_of_runtime[16] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                                   0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};

/* Returns tables of undocumented functions. The mock has none. */
CUresult mock_cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId)
{
    MOCK__REQUIRE(ppExportTable && pExportTableId, CUDA_ERROR_INVALID_VALUE);
    if (!memcmp(pExportTableId, table_of_runtime, sizeof(table_of_runtime)))
        mock__hint(MOCK__HINT_RUNTIME,
                   "NVIDIA's CUDA runtime (libcudart) asks for private functions of NVIDIA's "
                   "driver, which are not here, so its first call fails: what runs here calls the "
                   "driver's documented functions (cu*), by itself or through a library that does");
    *ppExportTable = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}
