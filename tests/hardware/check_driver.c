/* SPDX-License-Identifier: MIT */
/*
 * check_driver: the loader against the driver of this machine. Plain, so that it runs where
 * there is a GPU and little else. Exit status: 0 right, 1 wrong, 77 there is no driver here.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/cushim.h>

#include "base/rows.h"

enum { SKIP = 77 };

static int failures;

#define EXPECT(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                 \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
        }                                                                                          \
    } while (0)

static const struct cushim__rows *const rows = &cushim__cuda_rows;

/* Rows that drivers for this kind of machine are built without. */
static bool not_built_here(const char *symbol)
{
    return !strcmp(symbol, "cuEventCreateFromEGLSync"); /* Tegra only */
}

static void all_rows_resolve(cushim_driver driver, int version)
{
    size_t found = 0;

    for (size_t row = 0; row < rows->count; row++) {
        const char *symbol = cushim__row_symbol(rows, row);
        const bool has = cushim_driver_has(driver, symbol);

        found += has;
        EXPECT(has || not_built_here(symbol) || rows->rows[row].since > version, "%s: %s", symbol,
               cushim_error_text());
    }
    printf("%zu of %zu functions, driver %d\n", found, rows->count, version);
}

/* The table has what dlsym() says, and cuGetProcAddress() says the same. */
static void lookups_agree(cushim_driver driver, void *handle)
{
    typedef int get(const char *, void **, int, uint64_t, int *);
    const cushim_entry *table = cushim_driver_functions(driver, CUSHIM_CUDA_ROWS);
    get *look_up = (get *) table[CUSHIM_ROW_cuGetProcAddress_v2];

    for (size_t row = 0; row < rows->count; row++) {
        const struct cushim__row *r = &rows->rows[row];
        const char *symbol = cushim__row_symbol(rows, row);
        const bool per_thread = r->flags & (CUSHIM__ROW_PTDS | CUSHIM__ROW_PTSZ);
        void *by_name = dlsym(handle, symbol), *by_version = NULL;
        int status = -1;
        const int result = look_up(cushim__row_base(rows, row), &by_version, r->since,
                                   per_thread ? 2 : 1, &status);

        if (!cushim_driver_has(driver, symbol))
            continue;
        EXPECT((void *) (intptr_t) table[row] == by_name, "%s: table %p, dlsym %p", symbol,
               (void *) (intptr_t) table[row], by_name);
        EXPECT(by_name == by_version, "%s: dlsym %p, cuGetProcAddress %p (%d, %d)", symbol, by_name,
               by_version, result, status);
    }
}

/* A driver that exports next to nothing: the rest has to come from cuGetProcAddress(). */
static void *few(const char *symbol, void *handle)
{
    static const char *const exported[] = {
        "cuDriverGetVersion", "cuInit",        "cuDeviceGetCount", "cuDeviceGet",
        "cuCtxGetCurrent",    "cuMemAlloc_v2", "cuLaunchKernel",   "cuGetProcAddress_v2",
    };

    for (size_t i = 0; i < sizeof(exported) / sizeof(exported[0]); i++)
        if (!strcmp(symbol, exported[i]))
            return dlsym(handle, symbol);
    return NULL;
}

static void resolving_without_symbols_gives_the_same(cushim_driver driver, void *handle)
{
    CUSHIM_SCOPED(cushim_driver) other = CUSHIM_NONE;
    const struct cushim_open_params *params =
        cushim_open_params(.resolver = few, .resolver_user = handle);
    const cushim_entry *expected = cushim_driver_functions(driver, CUSHIM_CUDA_ROWS);
    const cushim_entry *table;
    size_t different = 0;

    EXPECT(cushim_open(params, &other) == CUSHIM_OK, "%s", cushim_error_text());
    table = cushim_driver_functions(other, CUSHIM_CUDA_ROWS);
    for (size_t row = 0; row < rows->count; row++) {
        const char *symbol = cushim__row_symbol(rows, row);

        if (table[row] == expected[row] || row == CUSHIM_ROW_cuGetProcAddress)
            continue;
        different++;
        EXPECT(false, "%s differs", symbol);
    }
    printf("resolved by version alone: %zu differ\n", different);
}

static void a_child_is_told(cushim_driver driver)
{
    const pid_t child = fork();
    int status = 0;

    if (!child) {
        cushim_driver other = CUSHIM_NONE;
        int (*init)(unsigned) = (int (*)(unsigned)) cushim_driver_functions(
            driver, CUSHIM_CUDA_ROWS)[CUSHIM_ROW_cuInit];

        if (init(0) != 3)
            _exit(1);
        _exit(cushim_open(NULL, &other) == CUSHIM_ERROR_FORKED ? 0 : 2);
    }
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %d", status);
}

int main(int argc, char **argv)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    const struct cushim_open_params *params =
        cushim_open_params(.library = argc > 1 ? argv[1] : "auto");
    void *handle;
    int version = 0;

    if (cushim_open(params, &driver) != CUSHIM_OK) {
        printf("skipped: %s\n", cushim_error_text());
        return SKIP;
    }
    CUSHIM_IGNORE(cushim_driver_version(driver, &version));
    handle = dlopen(cushim_driver_path(driver), RTLD_NOW | RTLD_NOLOAD);
    EXPECT(handle, "%s", dlerror());
    printf("%s\n", cushim_driver_path(driver));
    all_rows_resolve(driver, version);
    lookups_agree(driver, handle);
    resolving_without_symbols_gives_the_same(driver, handle);
    a_child_is_told(driver);
    printf("%d failures\n", failures);
    return failures ? 1 : 0;
}
