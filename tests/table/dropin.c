/* SPDX-License-Identifier: MIT */
/*
 * A program that calls the functions by their own names, linked with the drop-in library.
 * It knows nothing of a table; what the functions lead to is set by the environment.
 */
#include "hook.h"
#include "names_cuda.h"
#include "names_nvrtc.h"

#define DECLARE(name) int name(void);
#define ADDRESS(name) (cushim_entry) name,

FAKE_CUDA_ROWS(DECLARE)
FAKE_NVRTC_ROWS(DECLARE)

static const cushim_entry cuda[] = {FAKE_CUDA_ROWS(ADDRESS)};
static const cushim_entry nvrtc[] = {FAKE_NVRTC_ROWS(ADDRESS)};

static void call_all(enum cushim_library library, const cushim_entry *functions)
{
    for (unsigned row = 0; row < rows_of(library)->count; row++)
        check_int(fake_call(library, row, functions[row]), FAKE_ROW + (int) row,
                  cushim__row_symbol(rows_of(library), row), __LINE__);
}

#ifdef DROPIN_STATIC
#include "base/forward.h"

extern cushim__entry *const cushim__cuda_lazy[], *const cushim__nvrtc_lazy[];

/* What the first call of each function goes through; in a static program it can be reached. */
static void call_first(void)
{
    call_all(CUSHIM_LIBRARY_CUDA, (const cushim_entry *) cushim__cuda_lazy);
    call_all(CUSHIM_LIBRARY_NVRTC, (const cushim_entry *) cushim__nvrtc_lazy);
}
#else
static void call_first(void)
{
}
#endif

/* Without a library the program starts all the same, and gets an error for every call. */
static void call_without(void)
{
    CHECK_INT(fake_call(CUSHIM_LIBRARY_CUDA, CUSHIM_ROW_cuInit, cuda[CUSHIM_ROW_cuInit]), 303);
    CHECK_INT(
        fake_call(CUSHIM_LIBRARY_CUDA, CUSHIM_ROW_cuMemAlloc_v2, cuda[CUSHIM_ROW_cuMemAlloc_v2]),
        303);
    CHECK_CONTAINS(cushim_error_text(), "disabled by CUSHIM_LIBCUDA");
    CHECK_INT(
        fake_call(CUSHIM_LIBRARY_NVRTC, CUSHIM_ROW_nvrtcVersion, nvrtc[CUSHIM_ROW_nvrtcVersion]),
        303);
}

static void use(const char *libcuda, const char *libnvrtc)
{
    setenv("CUSHIM_LIBCUDA", libcuda, 1);
    setenv("CUSHIM_LIBNVRTC", libnvrtc, 1);
}

int main(int argc, char **argv)
{
    (void) argv;
    if (argc > 1) {
        use("none", "none");
        call_without();
        return failures();
    }
    use(FAKE("answers"), FAKE("nvrtc"));
    call_first();
    call_all(CUSHIM_LIBRARY_CUDA, cuda);
    call_all(CUSHIM_LIBRARY_NVRTC, nvrtc);
    return failures();
}
