/* SPDX-License-Identifier: MIT */
/* What a compilation is asked for, and what a kernel says of itself: registers and clusters. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

enum { LIVE = 100 };

TestSuite(jit, .timeout = 100);

/* A kernel that has more than LIVE registers in use at once. */
static const char *text_of(const char *directives)
{
    static char text[16384];
    int used =
        snprintf(text, sizeof(text),
                 ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 "
                 "p) %s {\n.reg .b64 %%p; .reg .b32 %%r<%d>; ld.param.u64 %%p, [p];\n",
                 directives, LIVE);

    for (int i = 0; i < LIVE; i++)
        used += snprintf(text + used, sizeof(text) - (size_t) used,
                         "ld.global.u32 %%r%d, [%%p+%d];\n", i, 4 * i);
    for (int i = 0; i < LIVE; i++)
        used += snprintf(text + used, sizeof(text) - (size_t) used,
                         "st.global.u32 [%%p+%d], %%r%d;\n", 4 * i, LIVE - 1 - i);
    snprintf(text + used, sizeof(text) - (size_t) used, "ret; }\n");
    return text;
}

static int attribute_of(CUmodule module, CUfunction_attribute attribute)
{
    CUfunction function = NULL;
    int value = -1;

    OK(mock_cuModuleGetFunction(&function, module, "k"));
    OK(mock_cuFuncGetAttribute(&value, attribute, function));
    return value;
}

/* The registers of a kernel that is loaded with an option; the result if it is not. */
static int registers(const char *directives, CUjit_option option, unsigned value)
{
    void *values[] = {(void *) (uintptr_t) value};
    CUmodule module = NULL;
    CUresult result;

    start();
    result = mock_cuModuleLoadDataEx(&module, text_of(directives), 1, &option, values);
    return result == CUDA_SUCCESS ? attribute_of(module, CU_FUNC_ATTRIBUTE_NUM_REGS)
                                  : -(int) result;
}

/* Options of loads and links, by number: what some are worth depends on others. */
static const struct {
    unsigned n, options[3];
    CUresult load, link, input;
} pairs[] = {
    {1, {CU_JIT_INFO_LOG_BUFFER}, 1, 1, 1},
    {1, {CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES}, 1, 1, 1},
    {2, {CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER}, 0, 0, 1},
    {2, {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES}, 0, 0, 1},
    {2, {CU_JIT_INFO_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES}, 1, 1, 1},
    {2, {CU_JIT_GLOBAL_SYMBOL_NAMES, CU_JIT_GLOBAL_SYMBOL_COUNT}, 1, 1, 1},
    {3, {17, 18, 19}, 0, 0, 1},
    {1, {CU_JIT_FALLBACK_STRATEGY}, 0, 1, 1},
    {1, {25}, 0, 0, 1},
    {1, {26}, 0, 1, 1},
    {2, {26, 25}, 0, 0, 1},
    {1, {CU_JIT_OPTIMIZATION_LEVEL}, 0, 0, 0},
    {1, {34}, 0, 0, 0},
    {1, {99}, 1, 1, 1},
};

Test(jit, options_need_others)
{
    const char *text = text_of("");

    start();
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        char log[3][4];
        void *values[3] = {log[0], log[1], log[2]}, *kept[3];
        CUlinkState state = NULL, plain = NULL;
        CUmodule module = NULL;
        CUjit_option options[3];

        for (unsigned j = 0; j < pairs[i].n; j++) {
            options[j] = (CUjit_option) pairs[i].options[j];
            if (options[j] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES ||
                options[j] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
                values[j] = (void *) sizeof(log[0]);
        }
        memcpy(kept, values, sizeof(kept));
        OK(mock_cuLinkCreate_v2(0, NULL, NULL, &plain));
        EXPECT(pairs[i].load, mock_cuModuleLoadDataEx(&module, text, pairs[i].n, options, kept));
        EXPECT(pairs[i].link, mock_cuLinkCreate_v2(pairs[i].n, options, values, &state));
        EXPECT(pairs[i].input,
               mock_cuLinkAddData_v2(plain, CU_JIT_INPUT_PTX, (void *) text, strlen(text) + 1, "k",
                                     pairs[i].n, options, values));
        if (state)
            OK(mock_cuLinkDestroy(state));
        OK(mock_cuLinkDestroy(plain));
    }
}

/* As an H200 has it: at least 24, at most what was asked for. */
Test(jit, registers_are_limited)
{
    const int own = registers("", CU_JIT_OPTIMIZATION_LEVEL, 4);

    cr_expect(gt(int, own, LIVE));
    cr_expect(eq(int, registers("", CU_JIT_MAX_REGISTERS, 38), 38));
    cr_expect(eq(int, registers("", CU_JIT_MAX_REGISTERS, 64), 64));
    cr_expect(eq(int, registers("", CU_JIT_MAX_REGISTERS, 16), 24));
    cr_expect(eq(int, registers("", CU_JIT_MAX_REGISTERS, 1), 24));
    cr_expect(eq(int, registers("", CU_JIT_MAX_REGISTERS, 1000), own));
    cr_expect(eq(int, registers("", CU_JIT_MAX_REGISTERS, 0), -CUDA_ERROR_INVALID_VALUE));
    cr_expect(eq(int, registers("", CU_JIT_THREADS_PER_BLOCK, 1024), 64));
    cr_expect(eq(int, registers("", CU_JIT_THREADS_PER_BLOCK, 64), own));
}

Test(jit, what_a_kernel_says_counts_for_more)
{
    cr_expect(eq(int, registers(".maxnreg 80", CU_JIT_MAX_REGISTERS, 32), 80));
    cr_expect(eq(int, registers(".maxnreg 24", CU_JIT_MAX_REGISTERS, 64), 24));
    cr_expect(eq(int, registers(".maxnreg 1", CU_JIT_OPTIMIZATION_LEVEL, 4), 24));
    cr_expect(eq(int, registers(".maxntid 1024, 1, 1", CU_JIT_MAX_REGISTERS, 32), 64));
    cr_expect(
        eq(int, registers(".maxntid 512, 1, 1 .minnctapersm 4", CU_JIT_OPTIMIZATION_LEVEL, 4), 32));
}

static int linked(CUjit_option option, unsigned whole, unsigned part)
{
    void *of_whole[] = {(void *) (uintptr_t) whole}, *of_part[] = {(void *) (uintptr_t) part};
    const char *text = text_of("");
    void *image = NULL, *copy;
    size_t size = 0;
    CUlinkState state = NULL;
    CUmodule module = NULL;
    int value;

    start();
    OK(mock_cuLinkCreate_v2(whole ? 1 : 0, &option, of_whole, &state));
    OK(mock_cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, (void *) (uintptr_t) text, strlen(text) + 1,
                             "k", part ? 1 : 0, &option, of_part));
    OK(mock_cuLinkComplete(state, &image, &size));
    copy = malloc(size);
    cr_assert(ne(ptr, copy, NULL));
    memcpy(copy, image, size);
    OK(mock_cuLinkDestroy(state));
    OK(mock_cuModuleLoadData(&module, copy));
    value = attribute_of(module, CU_FUNC_ATTRIBUTE_NUM_REGS);
    free(copy);
    return value;
}

/* Programs load copies of what they link. */
Test(jit, a_linked_image_keeps_its_limit)
{
    cr_expect(eq(int, linked(CU_JIT_MAX_REGISTERS, 38, 0), 38));
    cr_expect(eq(int, linked(CU_JIT_MAX_REGISTERS, 0, 38), 38));
    cr_expect(gt(int, linked(CU_JIT_MAX_REGISTERS, 0, 0), LIVE));
}

#if CUDA_VERSION >= 12000
Test(jit, a_library_keeps_its_limit)
{
    CUjit_option option = CU_JIT_MAX_REGISTERS;
    void *values[] = {(void *) (uintptr_t) 38};
    CUlibrary library = NULL;
    CUmodule module = NULL;

    start();
    OK(mock_cuLibraryLoadData(&library, text_of(""), &option, values, 1, NULL, NULL, 0));
    OK(mock_cuLibraryGetModule(&module, library));
    cr_expect(eq(int, attribute_of(module, CU_FUNC_ATTRIBUTE_NUM_REGS), 38));
}
#endif

/* --- clusters --- */

#if CUDA_VERSION >= 11080
static CUresult launch(CUmodule module, unsigned blocks)
{
    CUdeviceptr p = allocate(4096);
    void *params[] = {&p};
    CUfunction function = NULL;

    OK(mock_cuModuleGetFunction(&function, module, "k"));
    return mock_cuLaunchKernel(function, blocks, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
}

Test(jit, a_grid_is_made_of_clusters)
{
    CUmodule module = NULL;

    start();
    OK(mock_cuModuleLoadData(&module, text_of(".explicitcluster .reqnctapercluster 2")));
    EXPECT(CUDA_SUCCESS, launch(module, 4));
    EXPECT(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(module, 3));
    cr_expect(eq(int, attribute_of(module, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET), 1));
    cr_expect(eq(int, attribute_of(module, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH), 2));
    cr_expect(eq(int, attribute_of(module, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH), 1));
    OK(mock_cuCtxSynchronize());
}

Test(jit, a_cluster_that_must_be_said)
{
    CUmodule module = NULL;

    start();
    OK(mock_cuModuleLoadData(&module, text_of(".explicitcluster")));
    EXPECT(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(module, 4));
    OK(mock_cuModuleLoadData(&module, text_of(".reqnctapercluster 16")));
    EXPECT(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(module, 16));
}
#endif
