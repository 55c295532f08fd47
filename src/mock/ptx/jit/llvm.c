/* SPDX-License-Identifier: MIT */
#include "mock/ptx/jit/llvm.h"

#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/linker/library_file.h"
#include "base/log.h"
#include "base/util.h"
#include "mock/ptx/jit/setting.h"

/* What LLVM's functions take and return. Its objects are behind pointers, and truth is an int. */
struct options {
    unsigned level;
    int code_model;
    int keep_frame_pointer, fast_selection;
    void *memory_manager;
};

#define EACH_FUNCTION(X)                                                                           \
    X(void *, LLVMContextCreate, (void) )                                                          \
    X(void, LLVMContextDispose, (void *context))                                                   \
    X(void *, LLVMCreateMemoryBufferWithMemoryRangeCopy,                                           \
      (const char *data, size_t length, const char *name))                                         \
    X(int, LLVMParseIRInContext,                                                                   \
      (void *context, void *buffer, void **ret_module, char **ret_message))                        \
    X(void, LLVMDisposeMessage, (char *message))                                                   \
    X(char *, LLVMGetDefaultTargetTriple, (void) )                                                 \
    X(char *, LLVMGetHostCPUName, (void) )                                                         \
    X(char *, LLVMGetHostCPUFeatures, (void) )                                                     \
    X(int, LLVMGetTargetFromTriple, (const char *triple, void **ret_target, char **ret_message))   \
    X(void *, LLVMCreateTargetMachine,                                                             \
      (void *target, const char *triple, const char *cpu, const char *features, int level,         \
       int relocation, int code_model))                                                            \
    X(void, LLVMDisposeTargetMachine, (void *machine))                                             \
    X(void *, LLVMCreatePassBuilderOptions, (void) )                                               \
    X(void, LLVMDisposePassBuilderOptions, (void *options))                                        \
    X(void *, LLVMRunPasses, (void *module, const char *passes, void *machine, void *options))     \
    X(char *, LLVMGetErrorMessage, (void *error))                                                  \
    X(void, LLVMDisposeErrorMessage, (char *message))                                              \
    X(void, LLVMLinkInMCJIT, (void) )                                                              \
    X(int, LLVMCreateMCJITCompilerForModule,                                                       \
      (void **ret_engine, void *module, struct options *options, size_t size, char **ret_message)) \
    X(void, LLVMDisposeExecutionEngine, (void *engine))                                            \
    X(unsigned long, LLVMGetFunctionAddress, (void *engine, const char *name))                     \
    X(void, LLVMInstallFatalErrorHandler, (void (*handler)(const char *reason)))

static struct {
#define FIELD(result, name, parameters) result(*name) parameters;
    EACH_FUNCTION(FIELD)
#undef FIELD
} llvm;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned version;
static char attributes[4096], triple[128], name[64];
static void *machine;

static __typeof__(uselocale) *use_locale; /* of LLVM's own C library */
static jmp_buf before_fatal;              /* where a fatal error leads */
static bool is_guarded, is_broken;

/* --- finding it --- */

static bool resolve(void *library)
{
    void *symbol;

#define RESOLVE(result, function, parameters)                                                      \
    if (!(symbol = dlsym(library, #function)))                                                     \
        return false;                                                                              \
    memcpy(&llvm.function, &symbol, sizeof(symbol));
    EACH_FUNCTION(RESOLVE)
#undef RESOLVE
    if (!(symbol = dlsym(library, "uselocale")))
        return false;
    memcpy(&use_locale, &symbol, sizeof(symbol));
    return true;
}

/*
 * Has to be called by a thread before it calls LLVM. That C library has not made the thread, and
 * so isalpha() and its like would have no table there, unless this thread has loaded it.
 */
static void enter_namespace(void)
{
    use_locale(LC_GLOBAL_LOCALE);
}

/* LLVM would end the process when this returns. */
static void on_fatal_error(const char *reason)
{
    cushim__log(CUSHIM_LOG_WARNING, "LLVM: %s; no more kernels are compiled", reason);
    is_broken = true;
    if (is_guarded)
        longjmp(before_fatal, 1);
}

/* Calls the functions that make LLVM know this kind of processor. */
static bool initialise(void *library)
{
    static const char *const parts[] = {"TargetInfo", "Target", "TargetMC", "AsmPrinter"};
#if defined(__aarch64__)
    static const char processor[] = "AArch64";
#else
    static const char processor[] = "X86";
#endif

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        char function[64];
        void (*call)(void);
        void *symbol;

        snprintf(function, sizeof(function), "LLVMInitialize%s%s", processor, parts[i]);
        if (!(symbol = dlsym(library, function)))
            return false;
        memcpy(&call, &symbol, sizeof(call));
        call();
    }
    llvm.LLVMLinkInMCJIT();
    llvm.LLVMInstallFatalErrorHandler(on_fatal_error);
    return true;
}

/*
 * The text of features can be long; if it does not fit, the processor's name alone has to do. One
 * that is not known would have no features at all.
 */
static bool describe_host(void)
{
    char *cpu = llvm.LLVMGetHostCPUName(), *features = llvm.LLVMGetHostCPUFeatures();
    char *default_triple = llvm.LLVMGetDefaultTargetTriple(), *message = NULL;
    const int length = snprintf(attributes, sizeof(attributes),
                                "\"target-cpu\"=\"%s\" \"target-features\"=\"%s\"", cpu, features);
    void *target = NULL;

    snprintf(triple, sizeof(triple), "%s", default_triple);
    if (!llvm.LLVMGetTargetFromTriple(triple, &target, &message))
        machine = llvm.LLVMCreateTargetMachine(target, triple, cpu, features, 2, 0, 0);
    llvm.LLVMDisposeMessage(cpu);
    llvm.LLVMDisposeMessage(features);
    llvm.LLVMDisposeMessage(default_triple);
    if (message)
        llvm.LLVMDisposeMessage(message);
    return machine && length > 0 && (size_t) length < sizeof(attributes);
}

/*
 * LLVM gets a namespace of its own, with its own C library: it shares nothing with an LLVM of the
 * program, and what it has registered for the end of the process is called last, after the thread
 * that uses it has come to rest.
 */
static bool open_one(const char *file)
{
    struct cushim__arena arena = {0};
    const bool fits = cushim__library_file_named(file, &arena).state == CUSHIM__LIBRARY_FITS;
    void *library = fits ? dlmopen(LM_ID_NEWLM, file, RTLD_NOW | RTLD_LOCAL) : NULL;

    cushim__arena_finish(&arena);
    if (!library || !resolve(library) || !initialise(library) || !describe_host())
        return false;
    cushim__log(CUSHIM_LOG_DEBUG, "kernels are compiled by %s", file);
    snprintf(name, sizeof(name), "%s", file);
    return true;
}

/* Debian names the files libLLVM-14.so.1 and libLLVM.so.19.1, and others libLLVM-14.so. */
static bool open_version(unsigned number)
{
    static const char *const names[] = {"libLLVM-%u.so.1", "libLLVM-%u.so", "libLLVM.so.%u.1"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char file[64];

        snprintf(file, sizeof(file), names[i], number);
        if (open_one(file))
            return true;
    }
    return false;
}

/* Who has not asked for compiled kernels is not told that there are none. */
static void tell_absent(void)
{
    const char *level = cushim__env("CUSHIM_LOG");

    if (cushim__env("CUSHIM_MOCK_PTX_COMPILE") && (!level || strcmp(level, "none")))
        fprintf(
            stderr,
            "cushim mock: CUSHIM_MOCK_PTX_COMPILE: there is no libLLVM of version %d to %d that "
            "can be loaded, so kernels are interpreted\n",
            PTX__LLVM_OLDEST, PTX__LLVM_NEWEST);
}

static void open_library(void)
{
    for (unsigned number = PTX__LLVM_NEWEST; number >= PTX__LLVM_OLDEST && !version; number--) {
        if (open_version(number))
            version = number;
    }
    if (!version)
        tell_absent();
}

unsigned ptx__llvm_version(void)
{
    pthread_once(&once, open_library);
    return version;
}

const char *ptx__llvm_name(void)
{
    return name;
}

const char *ptx__llvm_attributes(void)
{
    return attributes;
}

/* --- compiling --- */

struct ptx__machine_code {
    void *context, *engine;
};

static bool failed(const char *step, char *message)
{
    cushim__log(CUSHIM_LOG_DEBUG, "LLVM: %s: %s", step, message ? message : "?");
    if (message)
        llvm.LLVMDisposeMessage(message);
    return false;
}

static bool optimise(void *module)
{
    void *options = llvm.LLVMCreatePassBuilderOptions();
    void *error = llvm.LLVMRunPasses(
        module, "function(early-cse,instcombine,simplifycfg,early-cse)", machine, options);
    char *message;

    llvm.LLVMDisposePassBuilderOptions(options);
    if (!error)
        return true;
    message = llvm.LLVMGetErrorMessage(error);
    cushim__log(CUSHIM_LOG_DEBUG, "LLVM: passes: %s", message);
    llvm.LLVMDisposeErrorMessage(message);
    return false;
}

/* The engine owns the module from its making on, and the buffer belongs to the parser. */
static bool make(struct ptx__machine_code *code, const char *text, size_t length)
{
    struct options options = {.level = 2, .code_model = 1 /* that of the JIT */};
    char *message = NULL;
    void *module = NULL, *buffer;

    code->context = llvm.LLVMContextCreate();
    buffer = llvm.LLVMCreateMemoryBufferWithMemoryRangeCopy(text, length, "ptx");
    if (llvm.LLVMParseIRInContext(code->context, buffer, &module, &message))
        return failed("text", message);
    if (llvm.LLVMCreateMCJITCompilerForModule(&code->engine, module, &options, sizeof(options),
                                              &message))
        return failed("engine", message);
    return optimise(module);
}

/* Returns whether it worked. What a fatal error leaves behind is not touched again. */
static bool make_function(struct ptx__machine_code *code, const char *text, size_t length,
                          const char *function, void **ret_address)
{
    bool made = false;

    if (setjmp(before_fatal)) {
        is_guarded = false;
        *code = (struct ptx__machine_code){0};
        return false;
    }
    is_guarded = true;
    enter_namespace();
    made = make(code, text, length);
    if (made)
        *ret_address = (void *) (uintptr_t) llvm.LLVMGetFunctionAddress(code->engine, function);
    is_guarded = false;
    return made && *ret_address;
}

struct ptx__machine_code *ptx__llvm_compile(const char *text, size_t length, const char *function,
                                            void **ret_address)
{
    const uint64_t begin = cushim__now_ns();
    struct ptx__machine_code *code = NULL;

    *ret_address = NULL;
    if (!is_broken && ptx__jit_has_executable_memory() && ptx__llvm_version())
        code = calloc(1, sizeof(*code));
    if (!code)
        return NULL;
    if (make_function(code, text, length, function, ret_address)) {
        cushim__log(CUSHIM_LOG_DEBUG, "LLVM: %zu bytes of text in %.1f ms", length,
                    (double) (cushim__now_ns() - begin) * 1e-6);
        return code;
    }
    ptx__llvm_free(code);
    return NULL;
}

void ptx__llvm_free(struct ptx__machine_code *code)
{
    if (!code)
        return;
    enter_namespace();
    if (code->engine)
        llvm.LLVMDisposeExecutionEngine(code->engine);
    if (code->context)
        llvm.LLVMContextDispose(code->context);
    free(code);
}
