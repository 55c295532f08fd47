/* SPDX-License-Identifier: MIT */
/* Libraries and their kernels. */
#include "kernels.ptx.h"
#include "module.h"

static CUlibrary ask_load(void)
{
    CUlibrary library = NULL;
    CUkernel kernel = NULL;
    CUmodule module = NULL;
    unsigned count = 0;

    ASK("libload", cuLibraryLoadData, (&library, kernels_ptx, NULL, NULL, 0, NULL, NULL, 0));
    ASK("libkernel", cuLibraryGetKernel, (&kernel, library, "nop"));
    ASK("libkernel_missing", cuLibraryGetKernel, (&kernel, library, "zip"));
    ASK("libcount", cuLibraryGetKernelCount, (&count, library));
    report("libcount_v", count);
    ASK("libmodule", cuLibraryGetModule, (&module, library));
    return library;
}

void ask_library(void)
{
    CUlibrary library = ask_load();
    CUkernel kernel = NULL;
    CUfunction function = NULL;
    const char *name = NULL;

    CALL(cuLibraryGetKernel, (&kernel, library, "nop"));
    ASK("kernfn", cuKernelGetFunction, (&function, kernel));
    report("launch_kernel_as_fn", launch((CUfunction) kernel, 1, 1, NULL, NULL));
    ASK("kernname", cuKernelGetName, (&name, kernel));
    report_text("kernname_s", name);
    ASK("sync", cuCtxSynchronize, ());
    ASK("libunload", cuLibraryUnload, (library));
}
