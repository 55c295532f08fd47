/* SPDX-License-Identifier: MIT */
/*
 * struct cushim_cuda_api, by every name that a program may write. Compiled as programs are,
 * in each of the modes of cuda.h: what a name leads to is what its macros make of it.
 */
#include <cushim/table.h>

#include <stddef.h>

#include DECLARED_H
#include "hook.h"
#include "names_cuda.h"

_Static_assert(sizeof(struct cushim_cuda_api) == CUSHIM_CUDA_ROWS * sizeof(cushim_entry),
               "one pointer a row");

/* The type of an entry is the type of the function, for all that this mode declares. */
#define ENTRY(name) (((struct cushim_cuda_api *) 0)->name)
#define SAME_TYPE(name)                                                                            \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), __typeof__(ENTRY(name))), #name);
DECLARED(SAME_TYPE)

#define ROW_AFTER(name) CUSHIM_ROW_##name
#define ROW_OF(name)    ROW_AFTER(name)

/* The row that a name's macros lead to, and where the struct has the same name. */
#define PLACE(name) {#name, ROW_OF(name), offsetof(struct cushim_cuda_api, name)},

static const struct {
    const char *name;
    unsigned row;
    size_t offset;
} places[] = {FAKE_CUDA_NAMES(PLACE)};

static void check_places(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(places); i++)
        check_int((long long) (places[i].offset / sizeof(cushim_entry)), places[i].row,
                  places[i].name, __LINE__);
    /* That the mode is what it is called. */
    CHECK_INT(ROW_OF(cuMemcpyHtoD), MODE_COPIES_BY);
}

static cushim_entry entry(const struct cushim_cuda_api *api, size_t offset)
{
    cushim_entry function;

    memcpy(&function, (const char *) api + offset, sizeof(function));
    return function;
}

static void call_all(const struct cushim_cuda_api *api, struct expected *expected)
{
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        const cushim_entry function = entry(api, places[i].offset);

        if (expected)
            call_hooked(expected, CUSHIM_LIBRARY_CUDA, places[i].row, function);
        else
            check_int(fake_call(CUSHIM_LIBRARY_CUDA, places[i].row, function),
                      FAKE_ROW + (int) places[i].row, places[i].name, __LINE__);
    }
}

/* As a program writes it: with the types of cuda.h, and no cast. */
static void call_as_written(const struct cushim_cuda_api *api)
{
    int version = 0;

    CHECK_INT(api->cuDriverGetVersion(&version), CUDA_SUCCESS);
    CHECK_INT(version, 13000);
    /* The first argument is not the test's. */
    CHECK_INT((int) api->cuStreamSynchronize(NULL), -1);
#ifndef __CUDA_API_VERSION_INTERNAL
    CUdeviceptr p = 0;

    CHECK_INT((int) api->cuMemAlloc(&p, 0), -1);
    CHECK_INT((int) api->cuMemcpyHtoD(p, &p, sizeof(p)), -1);
#endif
}

int main(void)
{
    struct expected expected;
    const struct cushim_hooks hooks = {check_before, check_after, &expected};
    cushim_driver driver = CUSHIM_NONE, hooked = CUSHIM_NONE;

    CHECK_INT(cushim_open(cushim_open_params(.library = FAKE("answers")), &driver), CUSHIM_OK);
    CHECK_INT(cushim_interpose(driver, &hooks, 1, &hooked), CUSHIM_OK);
    check_places();
    call_all(cushim_cuda(driver), NULL);
    call_as_written(cushim_cuda(driver));
    call_all(cushim_cuda(hooked), &expected);
    cushim_close(&hooked);
    cushim_close(&driver);
    return failures();
}
