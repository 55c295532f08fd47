/* SPDX-License-Identifier: MIT */
/* Functions that are there, found one way or another, and what those answer that are not. */
#include "support.h"

#include "base/rows.h"

TestSuite(functions, .fini = fail_on_valgrind_errors);

static const struct cushim__rows *const cuda = &cushim__cuda_rows;

/* Every row that the driver says it has answers its number; the others answer 302. */
static size_t check_all(cushim_driver driver)
{
    size_t found = 0;

    for (unsigned row = 0; row < CUSHIM_CUDA_ROWS; row++) {
        const char *symbol = cushim__row_symbol(cuda, row);
        const bool has = cushim_driver_has(driver, symbol);
        const bool text = row == CUSHIM_ROW_cuGetErrorName || row == CUSHIM_ROW_cuGetErrorString;

        found += has;
        if (has || !text)
            cr_assert(eq(int, call_row(driver, row), has ? FAKE_ROW + (int) row : 302), "%s",
                      symbol);
    }
    return found;
}

Test(functions, exported)
{
    cushim_driver driver = open_driver(FAKE("answers"));

    cr_assert(eq(sz, check_all(driver), CUSHIM_CUDA_ROWS));
    cushim_close(&driver);
}

Test(functions, of_an_old_driver)
{
    cushim_driver driver = open_driver(FAKE("old"));
    size_t of_cuda_h = 0;

    check_all(driver);
    /* The functions of cuda.h of CUDA 13.0 are the first 634 rows: a driver of 11.4 has these. */
    for (unsigned row = 0; row < 634; row++)
        of_cuda_h += cushim_driver_has(driver, cushim__row_symbol(cuda, row));
    cr_assert(eq(sz, of_cuda_h, 484));
    cushim_close(&driver);
}

/* Withheld by fake_cuda.c in ways that look like success at first sight. */
static bool withheld(const char *base)
{
    return !strcmp(base, "cuLaunchKernelEx") || !strcmp(base, "cuFuncGetParamInfo") ||
           !strcmp(base, "cuGetProcAddress");
}

static void check_hidden(const char *library, int version, const char *exported)
{
    cushim_driver driver = open_driver(library);
    size_t wanted = 0;

    for (unsigned row = 0; row < CUSHIM_CUDA_ROWS; row++) {
        const char *symbol = cushim__row_symbol(cuda, row);
        const bool there = cuda->rows[row].since <= version &&
                           (!withheld(cushim__row_base(cuda, row)) || !strcmp(symbol, exported));

        wanted += there;
        cr_assert(eq(int, cushim_driver_has(driver, symbol), there), "%s of %s", symbol, library);
    }
    cr_assert(eq(sz, check_all(driver), wanted), "%s", library);
    cushim_close(&driver);
}

Test(functions, found_by_cuGetProcAddress_v2)
{
    check_hidden(FAKE("hidden"), 13000, "cuGetProcAddress_v2");
}

Test(functions, found_by_the_first_cuGetProcAddress)
{
    check_hidden(FAKE("hidden-old"), 11040, "cuGetProcAddress");
}

Test(functions, withheld)
{
    cushim_driver driver = open_driver(FAKE("hidden"));

    assert_true(!cushim_driver_has(driver, "cuLaunchKernelEx"), "the driver said no");
    cr_assert(eq(int, cushim_error_status(), CUSHIM_ERROR_MISSING_SYMBOL));
    assert_text(cushim_error_text(),
                "cuLaunchKernelEx came with CUDA 11.6, but this library is built without it; this "
                "CUDA driver is 13.0",
                "withheld");
    cushim_close(&driver);
}

Test(functions, missing)
{
    cushim_driver driver = open_driver(FAKE("old")), other = CUSHIM_NONE;

    cr_assert(eq(int, call_row(driver, CUSHIM_ROW_cuLaunchKernelEx), 302));
    cr_assert(eq(int, cushim_error_status(), 302));
    assert_text(cushim_error_call(), "cuLaunchKernelEx", "call");
    assert_text(cushim_error_text(), "cuLaunchKernelEx needs CUDA 11.6; this CUDA driver is 11.4",
                "text");
    /* A stand-in does not know whose table it is in: all that lack it are named. */
    other = open_driver(FAKE("hidden-old"));
    cr_assert(eq(int, call_row(driver, CUSHIM_ROW_cuLaunchKernelEx), 302));
    assert_text(
        cushim_error_text(),
        "cuLaunchKernelEx needs CUDA 11.6; this CUDA driver is 11.4, another CUDA driver is "
        "11.4",
        "two drivers");
    cushim_close(&driver);
    cushim_close(&other);
}

Test(functions, has)
{
    cushim_driver driver = open_driver(FAKE("old")), none = CUSHIM_NONE;

    cushim_error_clear();
    assert_true(cushim_driver_has(driver, "cuMemAlloc_v2"), "it has");
    cr_assert(eq(int, cushim_error_status(), CUSHIM_OK), "a yes is no error");
    assert_true(!cushim_driver_has(driver, "cuLaunchKernelEx"), "it has not");
    cr_assert(eq(int, cushim_error_status(), CUSHIM_ERROR_MISSING_SYMBOL));
    assert_text(cushim_error_call(), "cushim_driver_has", "call");
    assert_text(cushim_error_text(), "cuLaunchKernelEx needs CUDA 11.6; this CUDA driver is 11.4",
                "text");
    assert_true(!cushim_driver_has(driver, "cuMemAllok"), "nobody has");
    cr_assert(eq(int, cushim_error_status(), CUSHIM_ERROR_UNKNOWN_SYMBOL));
    assert_contains(cushim_error_text(), "'cuMemAllok'", "text");
    assert_true(!cushim_driver_has(driver, ""), "nobody has");
    cr_assert(eq(int, cushim_error_status(), CUSHIM_ERROR_UNKNOWN_SYMBOL));
    assert_true(!cushim_driver_has(driver, NULL), "no name");
    cr_assert(eq(int, cushim_error_status(), CUSHIM_ERROR_INVALID_ARGUMENT));
    assert_true(!cushim_driver_has(none, "cuInit"), "no driver");
    cr_assert(eq(int, cushim_error_status(), CUSHIM_ERROR_STALE_HANDLE));
    cushim_close(&driver);
}

Test(functions, without_a_driver)
{
    const cushim_entry *table = cushim_driver_functions((cushim_driver) CUSHIM_NONE, 0);
    cushim_driver driver = CUSHIM_NONE;

    for (unsigned row = 0; row < CUSHIM_CUDA_ROWS; row++) {
        if (row == CUSHIM_ROW_cuGetErrorName || row == CUSHIM_ROW_cuGetErrorString)
            continue;
        cr_assert(eq(int, fake_call(CUSHIM_LIBRARY_CUDA, row, table[row]), 303), "%s",
                  cushim__row_symbol(cuda, row));
        assert_text(cushim_error_call(), cushim__row_symbol(cuda, row), "call");
    }
    cr_assert(
        eq(int, fake_call(CUSHIM_LIBRARY_CUDA, CUSHIM_ROW_cuInit, table[CUSHIM_ROW_cuInit]), 303));
    assert_text(cushim_error_text(), "cuInit: no CUDA driver is open", "before any search");
    CUSHIM_IGNORE(cushim_open(cushim_open_params(.library = "none"), &driver));
    fake_call(CUSHIM_LIBRARY_CUDA, CUSHIM_ROW_cuInit, table[CUSHIM_ROW_cuInit]);
    assert_contains(cushim_error_text(),
                    "cuInit: no CUDA driver is open; no CUDA driver found. "
                    "disabled by the program",
                    "after a search");
}

typedef int get_text(int result, const char **ret_text);

static void check_texts(const cushim_entry *table)
{
    get_text *name = (get_text *) table[CUSHIM_ROW_cuGetErrorName];
    get_text *text = (get_text *) table[CUSHIM_ROW_cuGetErrorString];
    const char *got = NULL;

    cr_assert(eq(int, name(2, &got), 0));
    assert_text(got, "CUDA_ERROR_OUT_OF_MEMORY", "name");
    cr_assert(eq(int, text(2, &got), 0));
    assert_text(got, "out of memory", "text");
    cr_assert(eq(int, name(12345, &got), 1), "CUDA_ERROR_INVALID_VALUE");
    assert_true(!got, "no text for an unknown result");
    cr_assert(eq(int, text(2, NULL), 1));
}

Test(functions, texts_without_a_driver)
{
    cushim_driver few = open_driver(FAKE("few"));

    check_texts(cushim_driver_functions((cushim_driver) CUSHIM_NONE, CUSHIM_CUDA_ROWS));
    check_texts(cushim_driver_functions(few, CUSHIM_CUDA_ROWS));
    assert_text(cushim_status_name(2), "CUDA_ERROR_OUT_OF_MEMORY", "2");
    assert_text(cushim_status_text(100), "no CUDA-capable device is detected", "100");
    assert_text(cushim_status_name(CUSHIM_STATUS_NVRTC(6)), "NVRTC_ERROR_COMPILATION", "nvrtc");
    assert_text(cushim_status_name(CUSHIM_ERROR_FORKED), "CUSHIM_ERROR_FORKED", "own");
    assert_text(cushim_status_name(-999), "CUSHIM_STATUS_UNKNOWN", "unknown");
    cushim_close(&few);
}

/* A program that was compiled with a later cushim, whose table has more rows. */
Test(functions, rows_of_a_later_version)
{
    cushim_driver driver = open_driver(FAKE("answers"));
    const unsigned rows = CUSHIM_CUDA_ROWS + 50;
    const cushim_entry *table = cushim_driver_functions(driver, rows);
    const cushim_entry *closed = cushim_driver_functions((cushim_driver) CUSHIM_NONE, rows);

    for (unsigned row = CUSHIM_CUDA_ROWS; row < rows; row++) {
        cr_assert(eq(int, ((int (*)(void)) table[row])(), 302), "row %u", row);
        assert_contains(cushim_error_text(), "built with a later cushim", "text");
        cr_assert(eq(int, ((int (*)(void)) closed[row])(), 303), "row %u", row);
    }
    cushim_close(&driver);
}
