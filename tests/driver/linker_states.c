/* SPDX-License-Identifier: MIT */
/* The states of a linker: what may be added when, what is left of it, and what it refuses. */
#include <string.h>

#include "ask.h"

#include "kernels.ptx.h"

#define TEXT(text)    ((void *) (uintptr_t) (text))
#define VALUE(number) ((void *) (uintptr_t) (number))

#define HEAD ".version 6.4\n.target sm_52\n.address_size 64\n"

static const char caller[] = HEAD ".extern .func (.param .b32 r) seven();\n"
                                  ".visible .entry use(.param .u64 p){\n"
                                  " .reg .b32 %r<2>; .reg .b64 %rd<2>; .param .b32 x;\n"
                                  " ld.param.u64 %rd1,[p]; call (x), seven, ();\n"
                                  " ld.param.b32 %r1,[x]; st.global.u32 [%rd1],%r1; ret; }\n";
static const char callee[] = HEAD ".visible .func (.param .b32 r) seven(){\n"
                                  " .reg .b32 %r<2>; mov.u32 %r1,7; st.param.b32 [r],%r1; ret; }\n";

static CUlinkState new_link(void)
{
    CUlinkState link = NULL;

    CALL(cuLinkCreate_v2, (0, NULL, NULL, &link));
    return link;
}

static int add(CUlinkState link, CUjitInputType type, const char *text, size_t size)
{
    return CALL(cuLinkAddData_v2, (link, type, TEXT(text), size, "a name", 0, NULL, NULL));
}

static int complete(CUlinkState link, void **ret_image, size_t *ret_size)
{
    return CALL(cuLinkComplete, (link, ret_image, ret_size));
}

static void ask_create(void)
{
    CUjit_option option = (CUjit_option) 99, target = CU_JIT_TARGET;
    void *value = VALUE(1);
    CUlinkState link = NULL;

    ASK("create_null", cuLinkCreate_v2, (0, NULL, NULL, NULL));
    ASK("create_no_options", cuLinkCreate_v2, (1, NULL, NULL, &link));
    ASK("create_unknown", cuLinkCreate_v2, (1, &option, &value, &link));
    value = VALUE(80);
    ASK("create_target", cuLinkCreate_v2, (1, &target, &value, &link));
    value = VALUE(123);
    ASK("create_target_bad", cuLinkCreate_v2, (1, &target, &value, &link));
}

/* Each in a new linker: does it take the input, and does it complete afterwards? */
static void ask_input(const char *key, CUjitInputType type, const char *text, size_t size)
{
    CUlinkState link = new_link();
    void *image = NULL;

    report_numbered(add(link, type, text, size), "add_%s", key);
    report_numbered(complete(link, &image, &size), "add_%s_complete", key);
    CALL(cuLinkDestroy, (link));
}

static void ask_inputs(void)
{
    ask_input("null", CU_JIT_INPUT_PTX, NULL, 10);
    ask_input("size0", CU_JIT_INPUT_PTX, callee, 0);
    ask_input("type", (CUjitInputType) 99, callee, sizeof(callee));
    ask_input("as_cubin", CU_JIT_INPUT_CUBIN, callee, sizeof(callee));
    ask_input("as_fatbin", CU_JIT_INPUT_FATBINARY, callee, sizeof(callee));
    ask_input("as_object", CU_JIT_INPUT_OBJECT, callee, sizeof(callee));
    ask_input("as_library", CU_JIT_INPUT_LIBRARY, callee, sizeof(callee));
    ask_input("as_nvvm", CU_JIT_INPUT_NVVM, callee, sizeof(callee));
    ask_input("without_end", CU_JIT_INPUT_PTX, callee, sizeof(callee) - 1);
    ask_input("half", CU_JIT_INPUT_PTX, callee, sizeof(callee) / 2);
}

static void ask_more_inputs(void)
{
    CUlinkState link = new_link();

    ASK("add_no_name", cuLinkAddData_v2,
        (link, CU_JIT_INPUT_PTX, TEXT(callee), sizeof(callee), NULL, 0, NULL, NULL));
    ASK("add_no_options", cuLinkAddData_v2,
        (link, CU_JIT_INPUT_PTX, TEXT(caller), sizeof(caller), "x", 1, NULL, NULL));
    ASK("file_missing", cuLinkAddFile_v2,
        (link, CU_JIT_INPUT_PTX, "/nowhere/at/all", 0, NULL, NULL));
    ASK("file_null", cuLinkAddFile_v2, (link, CU_JIT_INPUT_PTX, NULL, 0, NULL, NULL));
    ASK("file_type", cuLinkAddFile_v2,
        (link, (CUjitInputType) 99, "/nowhere/at/all", 0, NULL, NULL));
    ASK("inputs_destroy", cuLinkDestroy, (link));
}

static void ask_empty(void)
{
    CUlinkState link = new_link();
    void *image = NULL;
    size_t size = 0;

    report("empty", complete(link, &image, &size));
    report("empty_size", size > 0);
    report("empty_then_add", add(link, CU_JIT_INPUT_PTX, callee, sizeof(callee)));
    report("empty_then_complete", complete(link, &image, &size));
    CALL(cuLinkDestroy, (link));
}

static int run(CUmodule module)
{
    CUdeviceptr p = new_memory(4);
    int value = -1;

    launch(get_kernel(module, "use"), 1, 1, NULL, (void *[]){&p});
    wait_for_all();
    read_ints(&value, p, 4);
    return value;
}

static void ask_order(void)
{
    CUlinkState link = new_link();
    CUmodule module = NULL;
    void *image = NULL, *again = NULL;
    size_t size = 0, size_again = 0;

    report("caller", add(link, CU_JIT_INPUT_PTX, caller, sizeof(caller)));
    report("callee", add(link, CU_JIT_INPUT_PTX, callee, sizeof(callee)));
    report("complete_null", complete(link, NULL, &size));
    report("complete", complete(link, &image, &size));
    report("complete_again", complete(link, &again, &size_again));
    report("complete_same", image == again && size == size_again);
    report("add_after", add(link, CU_JIT_INPUT_PTX, kernels_ptx, sizeof(kernels_ptx)));
    report("complete_after", complete(link, &again, &size_again));
    ASK("load", cuModuleLoadData, (&module, image));
    ASK("destroy", cuLinkDestroy, (link));
    report("ran", run(module));
}

static void ask_no_size(void)
{
    CUlinkState link = new_link();
    void *image = NULL;

    add(link, CU_JIT_INPUT_PTX, callee, sizeof(callee));
    report("complete_no_size", complete(link, &image, NULL));
    CALL(cuLinkDestroy, (link));
}

static void ask_symbols(void)
{
    CUlinkState link = new_link();
    void *image = NULL;
    size_t size = 0;

    report("undefined_add", add(link, CU_JIT_INPUT_PTX, caller, sizeof(caller)));
    report("undefined", complete(link, &image, &size));
    report("undefined_then_add", add(link, CU_JIT_INPUT_PTX, callee, sizeof(callee)));
    report("undefined_then_complete", complete(link, &image, &size));
    CALL(cuLinkDestroy, (link));
    link = new_link();
    report("twice_first", add(link, CU_JIT_INPUT_PTX, callee, sizeof(callee)));
    report("twice_second", add(link, CU_JIT_INPUT_PTX, callee, sizeof(callee)));
    report("twice", complete(link, &image, &size));
    CALL(cuLinkDestroy, (link));
}

static void ask_broken(void)
{
    CUlinkState link = new_link();
    void *image = NULL;
    size_t size = 0;

    report("broken_add", add(link, CU_JIT_INPUT_PTX, HEAD "bogus\n", sizeof(HEAD "bogus\n")));
    report("broken_then_add", add(link, CU_JIT_INPUT_PTX, callee, sizeof(callee)));
    report("broken_complete", complete(link, &image, &size));
    CALL(cuLinkDestroy, (link));
}

static void ask_logs_of(void)
{
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    char errors[1024] = "";
    void *values[] = {errors, VALUE(sizeof(errors))}, *image = NULL;
    CUlinkState link = NULL;
    size_t size = 0;

    ASK("logs_create", cuLinkCreate_v2, (2, options, values, &link));
    add(link, CU_JIT_INPUT_PTX, caller, sizeof(caller));
    report("logs_complete", complete(link, &image, &size));
    report("logs_length", (uintptr_t) values[1] == strlen(errors));
    errors[strcspn(errors, "\n")] = '\0';
    report_text("logs_text", errors);
    CALL(cuLinkDestroy, (link));
}

void ask_linker_states(void)
{
    begin();
    ask_create();
    ask_inputs();
    ask_more_inputs();
    ask_empty();
    ask_order();
    ask_no_size();
    ask_symbols();
    ask_broken();
    ask_logs_of();
    CALL(cuCtxSetCurrent, (NULL));
    ASK("without_context", cuLinkCreate_v2, (0, NULL, NULL, (CUlinkState[]){NULL}));
}

/* What may end the process. */
void ask_linker_null(void)
{
    void *image = NULL;
    size_t size = 0;

    begin();
    report("destroy", CALL(cuLinkDestroy, (NULL)));
    report("complete", complete(NULL, &image, &size));
    report("add", add(NULL, CU_JIT_INPUT_PTX, callee, sizeof(callee)));
}
