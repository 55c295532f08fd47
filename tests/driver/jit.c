/* SPDX-License-Identifier: MIT */
/* The options of compiling and linking: what they change, and which values are refused. */
#include <stdio.h>
#include <string.h>

#include "ask.h"

#include "kernels.ptx.h"

#define VALUE(number) ((void *) (uintptr_t) (number))
#define TEXT(text)    ((void *) (uintptr_t) (text))

/* A kernel that adds up many numbers, all of which it loads first: it needs registers. */
static const char *many_registers(void)
{
    static char text[8192];
    size_t n = (size_t) snprintf(text, sizeof(text),
                                 ".version 6.4\n.target sm_52\n.address_size 64\n"
                                 ".visible .entry many(.param .u64 p){\n"
                                 " .reg .b64 %%rd<2>; .reg .b32 %%r<97>; ld.param.u64 %%rd1,[p];\n");

    for (int i = 0; i < 96; i++)
        n += (size_t) snprintf(text + n, sizeof(text) - n,
                               " ld.volatile.global.u32 %%r%d,[%%rd1+%d];\n", i, 4 * i);
    for (int i = 0; i < 96; i++)
        n += (size_t) snprintf(text + n, sizeof(text) - n,
                               " st.volatile.global.u32 [%%rd1+%d],%%r%d;\n", 4 * (95 - i), i);
    snprintf(text + n, sizeof(text) - n, " ret;\n}\n");
    return text;
}

static int attribute_of(CUmodule module, CUfunction_attribute attribute)
{
    CUfunction function = NULL;
    int value = -1;

    if (CALL(cuModuleGetFunction, (&function, module, "many")) == CUDA_SUCCESS)
        CALL(cuFuncGetAttribute, (&value, attribute, function));
    return value;
}

static void ask_registers(unsigned most)
{
    CUjit_option option = CU_JIT_MAX_REGISTERS;
    void *value = VALUE(most);
    CUmodule module = NULL;
    const int result =
        CALL(cuModuleLoadDataEx, (&module, many_registers(), 1, &option, &value));

    report_numbered(result, "registers%u", most);
    if (result)
        return;
    if (most >= 16 && most <= 96)
        report_numbered(attribute_of(module, CU_FUNC_ATTRIBUTE_NUM_REGS) <= (int) most,
                        "registers%u_kept", most);
    report_numbered(attribute_of(module, CU_FUNC_ATTRIBUTE_NUM_REGS), "registers%u_v", most);
    report_numbered(attribute_of(module, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES) > 0,
                    "registers%u_spilled", most);
    report_numbered(attribute_of(module, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
                    "registers%u_threads", most);
    CALL(cuModuleUnload, (module));
}

static void ask_threads_of(unsigned threads)
{
    CUjit_option option = CU_JIT_THREADS_PER_BLOCK;
    void *value = VALUE(threads);
    CUmodule module = NULL;
    const int result =
        CALL(cuModuleLoadDataEx, (&module, many_registers(), 1, &option, &value));

    report_numbered(result, "threads%u", threads);
    report_numbered((long long) (uintptr_t) value, "threads%u_out", threads);
    if (result)
        return;
    report_numbered(attribute_of(module, CU_FUNC_ATTRIBUTE_NUM_REGS), "threads%u_regs", threads);
    report_numbered(attribute_of(module, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), "threads%u_most",
                    threads);
    CALL(cuModuleUnload, (module));
}

/* One option with one value: is it taken, and what is the value afterwards? */
static void ask_option(int number, long long value)
{
    CUjit_option option = (CUjit_option) number;
    void *given = VALUE(value);
    CUmodule module = NULL;
    const int result = CALL(cuModuleLoadDataEx, (&module, kernels_ptx, 1, &option, &given));

    report_numbered(result, "option%d_%lld", number, value);
    if (given != VALUE(value) && number != CU_JIT_WALL_TIME)
        report_numbered((long long) (intptr_t) given, "option%d_%lld_out", number, value);
    if (module)
        CALL(cuModuleUnload, (module));
}

static void ask_options(void)
{
    static const struct {
        int option;
        long long values[6];
    } options[] = {
        {CU_JIT_WALL_TIME, {0, 1, -1}},
        {CU_JIT_OPTIMIZATION_LEVEL, {0, 1, 3, 4, 5, -1}},
        {CU_JIT_TARGET_FROM_CUCONTEXT, {0, 1, -1}},
        {CU_JIT_TARGET, {90, 80, 52, 100, 91, -1}},
        {CU_JIT_FALLBACK_STRATEGY, {0, 1, 2, 99, -1}},
        {CU_JIT_GENERATE_DEBUG_INFO, {0, 1, 2, -1}},
        {CU_JIT_LOG_VERBOSE, {0, 1, 2, -1}},
        {CU_JIT_GENERATE_LINE_INFO, {0, 1, -1}},
        {CU_JIT_CACHE_MODE, {0, 1, 2, 3, -1}},
        {CU_JIT_NEW_SM3X_OPT, {0, 1, -1}},
        {CU_JIT_FAST_COMPILE, {0, 1, -1}},
        {CU_JIT_GLOBAL_SYMBOL_COUNT, {0, 1, -1}},
        {CU_JIT_LTO, {0, 1, -1}},
        {CU_JIT_FTZ, {0, 1, 2, -1}},
        {CU_JIT_PREC_DIV, {0, 1, -1}},
        {CU_JIT_FMA, {0, 1, -1}},
        {CU_JIT_REFERENCED_KERNEL_COUNT, {0, 1, -1}},
        {CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES, {0, 1, -1}},
        {CU_JIT_POSITION_INDEPENDENT_CODE, {0, 1, -1}},
        {CU_JIT_MIN_CTA_PER_SM, {0, 1, 2, 64, -1}},
        {CU_JIT_MAX_THREADS_PER_BLOCK, {0, 1, 128, 1024, 2048, -1}},
        {CU_JIT_OVERRIDE_DIRECTIVE_VALUES, {0, 1, -1}},
        {CU_JIT_SPLIT_COMPILE, {0, 1, 4, -1}},
        {CU_JIT_NUM_OPTIONS, {0, 1, -1}},
        {99, {0, 1, -1}},
    };

    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
        for (size_t j = 0; j < 6 && (!j || options[i].values[j]); j++)
            if (options[i].values[j] >= 0)
                ask_option(options[i].option, options[i].values[j]);
}

static void ask_arrays(void)
{
    CUjit_option options[] = {CU_JIT_LOG_VERBOSE, CU_JIT_LOG_VERBOSE};
    void *values[] = {VALUE(0), VALUE(1)};
    CUmodule module = NULL;

    ASK("no_options", cuModuleLoadDataEx, (&module, kernels_ptx, 1, NULL, values));
    ASK("no_values", cuModuleLoadDataEx, (&module, kernels_ptx, 1, options, NULL));
    ASK("none", cuModuleLoadDataEx, (&module, kernels_ptx, 0, options, values));
    ASK("twice", cuModuleLoadDataEx, (&module, kernels_ptx, 2, options, values));
}

/* The logs of a text with a mistake: what is written, and how long they say it is. */
static void ask_error_log(unsigned size)
{
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
    char errors[2048], infos[2048];
    void *values[] = {errors, VALUE(size), infos, VALUE(size)};
    CUmodule module = NULL;

    memset(errors, '~', sizeof(errors));
    memset(infos, '~', sizeof(infos));
    errors[sizeof(errors) - 1] = infos[sizeof(infos) - 1] = '\0';
    report_numbered(CALL(cuModuleLoadDataEx, (&module, ".version 6.4\n.target sm_52\nbogus\n", 4,
                                              options, values)),
                    "log%u", size);
    report_numbered((long long) (uintptr_t) values[1], "log%u_errors", size);
    report_numbered((long long) (uintptr_t) values[3], "log%u_infos", size);
    report_numbered((long long) strlen(errors), "log%u_errors_length", size);
    report_numbered((long long) strcspn(errors, "~"), "log%u_errors_touched", size);
    report_numbered((long long) strcspn(infos, "~"), "log%u_infos_touched", size);
}

static void ask_log_alone(void)
{
    CUjit_option buffer = CU_JIT_ERROR_LOG_BUFFER, size = CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
    char errors[256] = "untouched";
    void *value = errors, *bytes = VALUE(100);
    CUmodule module = NULL;

    ASK("log_no_size", cuModuleLoadDataEx, (&module, "bogus", 1, &buffer, &value));
    report_text("log_no_size_v", errors);
    ASK("log_no_buffer", cuModuleLoadDataEx, (&module, "bogus", 1, &size, &bytes));
    report("log_no_buffer_v", (long long) (uintptr_t) bytes);
    value = NULL;
    ASK("log_null_buffer", cuModuleLoadDataEx,
        (&module, "bogus", 2, (CUjit_option[]){buffer, size}, (void *[]){NULL, VALUE(100)}));
}

/* Without mistakes: what does a log say then? */
static void ask_good_log(unsigned verbose)
{
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_LOG_VERBOSE};
    char errors[2048] = "untouched", infos[4096] = "untouched";
    void *values[] = {errors, VALUE(sizeof(errors)), infos, VALUE(sizeof(infos)), VALUE(verbose)};
    CUmodule module = NULL;

    report_numbered(CALL(cuModuleLoadDataEx, (&module, kernels_ptx, 5, options, values)), "good%u",
                    verbose);
    report_numbered((long long) (uintptr_t) values[1], "good%u_errors", verbose);
    report_numbered(strlen(infos) == (size_t) (uintptr_t) values[3], "good%u_length", verbose);
    report_numbered(values[3] != NULL, "good%u_infos", verbose);
    infos[strcspn(infos, "\n")] = '\0';
    report_text(verbose ? "good1_text" : "good0_text", infos);
}

void ask_jit(void)
{
    static const unsigned registers[] = {0, 1, 8, 15, 16, 17, 24, 31, 32, 64, 128, 255, 256, 1000};
    static const unsigned threads[] = {1, 32, 256, 512, 1024, 1025, 2048};

    begin();
    for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++)
        ask_registers(registers[i]);
    for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++)
        ask_threads_of(threads[i]);
}

void ask_jit_options(void)
{
    begin();
    ask_arrays();
    ask_options();
}

void ask_jit_logs(void)
{
    static const unsigned sizes[] = {0, 1, 2, 20, 80, 2000};

    begin();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        ask_error_log(sizes[i]);
    ask_log_alone();
    ask_good_log(0);
    ask_good_log(1);
}
