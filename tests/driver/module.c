/* SPDX-License-Identifier: MIT */
/* Modules from images, right and wrong ones, and what is in them. */
#include "module.h"

#include <string.h>

#include "kernels.ptx.h"

#define HEAD          ".version 6.4\n.target sm_52\n.address_size 64\n"
#define KERNEL(body)  ".visible .entry k(){ " body " }\n"
#define BOGUS         HEAD KERNEL("bogus.u32 %r1;")
#define ANOTHER(head) head "\n.address_size 64\n" KERNEL("ret;")

static const struct {
    const char *key, *image;
} bad_images[] = {
    {"null_image", NULL},
    {"garbage", "this is not an image at all, not even close to it ...."},
    {"empty", ""},
    {"syntax", BOGUS},
    {"badver", ANOTHER(".version 99.9\n.target sm_52")},
    {"badtarget", ANOTHER(".version 6.4\n.target sm_999")},
    {"higher_target", ANOTHER(".version 8.7\n.target sm_120")},
    {"undef_extern", HEAD ".extern .func ext();\n" KERNEL("call ext; ret;")},
    {"undef_reg", HEAD KERNEL("mov.u32 %r1, 3; ret;")},
    {"no_target", ANOTHER(".version 6.4")},
};

static void ask_images(void)
{
    CUmodule module = NULL;

    for (size_t i = 0; i < sizeof(bad_images) / sizeof(*bad_images); i++)
        ASK(bad_images[i].key, cuModuleLoadData, (&module, bad_images[i].image));
    ASK("null_out", cuModuleLoadData, (NULL, kernels_ptx));
    ASK("file_missing", cuModuleLoad, (&module, "/nonexistent.ptx"));
}

static void ask_log(void)
{
    char log[2048] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *) sizeof(log)};
    CUmodule module = NULL;

    ASK("jitlog", cuModuleLoadDataEx, (&module, BOGUS, 2, options, values));
    report("jitlog_nonempty", *log != '\0');
    log[strcspn(log, "\n")] = '\0';
    report_text("jitlog_text", log);
}

static void ask_functions(CUmodule module)
{
    CUfunction function = NULL;

    ASK("getfn", cuModuleGetFunction, (&function, module, "addk"));
    ASK("getfn_missing", cuModuleGetFunction, (&function, module, "nope"));
    ASK("getfn_empty", cuModuleGetFunction, (&function, module, ""));
    ASK("getfn_nullname", cuModuleGetFunction, (&function, module, NULL));
    ASK("getfn_nullmod", cuModuleGetFunction, (&function, NULL, "addk"));
}

static void ask_variables(CUmodule module)
{
    CUdeviceptr p = 0;
    size_t bytes = 0;

    ASK("global", cuModuleGetGlobal_v2, (&p, &bytes, module, "gvar"));
    report("global_size", (long long) bytes);
    ASK("const", cuModuleGetGlobal_v2, (&p, &bytes, module, "cvar"));
    report("const_size", (long long) bytes);
    ASK("global_missing", cuModuleGetGlobal_v2, (&p, &bytes, module, "nope"));
    ASK("global_nullouts", cuModuleGetGlobal_v2, (NULL, NULL, module, "gvar"));
    ASK("global_is_fn", cuModuleGetGlobal_v2, (&p, &bytes, module, "addk"));
}

static void ask_function_of(CUmodule module, CUfunction function)
{
    const char *name = NULL;
    CUmodule of = NULL;
    unsigned count = 0;

    ASK("fncount", cuModuleGetFunctionCount, (&count, module));
    report("fncount_v", count);
    ASK("fnname", cuFuncGetName, (&name, function));
    report_text("fnname_s", name);
    ASK("fnmodule", cuFuncGetModule, (&of, function));
    report("fnmodule_same", of == module);
}

void ask_module(void)
{
    CUmodule module = NULL;
    CUmoduleLoadingMode mode = 99;
    CUfunction function;

    begin();
    ask_images();
    ask_log();
    ASK("load", cuModuleLoadData, (&module, kernels_ptx));
    ask_functions(module);
    ask_variables(module);
    function = get_kernel(module, "addk");
    ask_function_of(module, function);
    ask_parameters("param", function);
    ask_parameters("st_param", get_kernel(module, "st16"));
    ask_attributes(function, get_kernel(module, "smem"));
    ask_library();
    ASK("unload", cuModuleUnload, (module));
    ASK("unload_null", cuModuleUnload, (NULL));
    ASK("loadmode", cuModuleGetLoadingMode, (&mode));
    report("loadmode_v", mode);
}
