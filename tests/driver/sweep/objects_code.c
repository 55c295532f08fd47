/* SPDX-License-Identifier: MIT */
/* Modules, libraries, and what is in them. */
#include "make.h"

#include "kernels.ptx.h"
#include "world.h"

DESTROY(destroy_module, CUmodule, cuModuleUnload)
DESTROY(destroy_library, CUlibrary, cuLibraryUnload)
DESTROY(destroy_link, CUlinkState, cuLinkDestroy)

static const char kernels[] = KERNELS("6.4", "sm_52");
static const char for_others[] = KERNELS("8.7", "sm_100a");
static const char from_the_future[] = KERNELS("99.0", "sm_52");

uint64_t make_image(const struct param *param)
{
    (void) param;
    return (uint64_t) kernels;
}

uint64_t make_other_image(const struct param *param)
{
    (void) param;
    return (uint64_t) for_others;
}

uint64_t make_newer_image(const struct param *param)
{
    (void) param;
    return (uint64_t) from_the_future;
}

uint64_t make_module(const struct param *param)
{
    (void) param;
    MAKE(CUmodule, destroy_module, cuModuleLoadData, (&object, kernels));
}

static uint64_t of_module(const char *name)
{
    CUfunction function = NULL;

    made(CALL(cuModuleGetFunction, (&function, (CUmodule) make_module(NULL), name)));
    return (uint64_t) function;
}

CUfunction make_kernel_named(const char *name)
{
    return (CUfunction) of_module(name);
}

uint64_t make_function(const struct param *param)
{
    return of_module(param && param->text ? param->text : "nop");
}

uint64_t make_library(const struct param *param)
{
    (void) param;
    MAKE(CUlibrary, destroy_library, cuLibraryLoadData,
         (&object, kernels, NULL, NULL, 0, NULL, NULL, 0));
}

uint64_t make_kernel(const struct param *param)
{
    CUkernel kernel = NULL;

    made(CALL(cuLibraryGetKernel, (&kernel, (CUlibrary) make_library(param), "store")));
    return (uint64_t) kernel;
}

uint64_t make_link(const struct param *param)
{
    CUlinkState link = NULL;

    (void) param;
    if (!made(CALL(cuLinkCreate_v2, (0, NULL, NULL, &link))))
        return 0;
    later(destroy_link, (uint64_t) link);
    return (uint64_t) link;
}

uint64_t make_filled_link(const struct param *param)
{
    CUlinkState link = (CUlinkState) make_link(param);

    made(CALL(cuLinkAddData_v2, (link, CU_JIT_INPUT_PTX, (void *) kernels, sizeof(kernels),
                                 "kernels", 0, NULL, NULL)));
    return (uint64_t) link;
}

uint64_t make_shaped(const struct param *param)
{
    uint64_t function = make_function(param);

    made(CALL(cuFuncSetBlockShape, ((CUfunction) function, 1, 1, 1)));
    return function;
}

uint64_t make_image_bytes(const struct param *param)
{
    (void) param;
    return sizeof(kernels);
}

uint64_t make_half_image_bytes(const struct param *param)
{
    (void) param;
    return sizeof(kernels) / 2;
}
