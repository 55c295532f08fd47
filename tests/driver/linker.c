/* SPDX-License-Identifier: MIT */
/* The linker. */
#include "ask.h"

#include "kernels.ptx.h"

#define TEXT(text) ((void *) (uintptr_t) (text))

void ask_linker(void)
{
    CUlinkState link = NULL;
    CUmodule module;
    void *image = NULL;
    size_t size = 0;

    begin();
    ASK("create", cuLinkCreate_v2, (0, NULL, NULL, &link));
    ASK("add", cuLinkAddData_v2,
        (link, CU_JIT_INPUT_PTX, TEXT(kernels_ptx), sizeof(kernels_ptx), "a.ptx", 0, NULL, NULL));
    ASK("add_bad", cuLinkAddData_v2,
        (link, CU_JIT_INPUT_PTX, TEXT("zz"), 3, "b.ptx", 0, NULL, NULL));
    ASK("complete", cuLinkComplete, (link, &image, &size));
    report("cubin_nonempty", size > 0);
    ASK("load", cuModuleLoadData, (&module, image));
    ASK("destroy", cuLinkDestroy, (link));
}
