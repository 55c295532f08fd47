/* SPDX-License-Identifier: MIT */
#include "mock/ptx/jit/llvm.h"

#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linker/library_file.h"
#include "base/log.h"
#include "base/util.h"
#include "mock/ptx/jit/setting.h"

/*
 * Numbers of LLVM: how much is optimised, code that runs anywhere, an object file, and a wrong text
 * is told.
 */
enum { LEVEL = 2, ANYWHERE = 2, OBJECT_FILE = 1, RETURN_STATUS = 2 };

/* What LLVM's functions take and return. Its objects are behind pointers, and truth is an int. */
#define EACH_FUNCTION(X)                                                                           \
    X(void *, LLVMContextCreate, (void) )                                                          \
    X(void, LLVMContextDispose, (void *context))                                                   \
    X(void *, LLVMCreateMemoryBufferWithMemoryRangeCopy,                                           \
      (const char *data, size_t length, const char *name))                                         \
    X(int, LLVMParseIRInContext,                                                                   \
      (void *context, void *buffer, void **ret_module, char **ret_message))                        \
    X(int, LLVMVerifyModule, (void *module, int action, char **ret_message))                       \
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
    X(void, LLVMSetTarget, (void *module, const char *triple))                                     \
    X(void *, LLVMCreateTargetDataLayout, (void *machine))                                         \
    X(void, LLVMSetModuleDataLayout, (void *module, void *layout))                                 \
    X(void, LLVMDisposeTargetData, (void *layout))                                                 \
    X(int, LLVMTargetMachineEmitToMemoryBuffer,                                                    \
      (void *machine, void *module, int kind, char **ret_message, void **ret_buffer))              \
    X(const char *, LLVMGetBufferStart, (void *buffer))                                            \
    X(size_t, LLVMGetBufferSize, (void *buffer))                                                   \
    X(void, LLVMDisposeMemoryBuffer, (void *buffer))                                               \
    X(void, LLVMDisposeModule, (void *module))                                                     \
    X(void, LLVMInstallFatalErrorHandler, (void (*handler)(const char *reason)))

static struct {
#define FIELD(result, name, parameters) result(*name) parameters;
    EACH_FUNCTION(FIELD)
#undef FIELD
} llvm;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_uint version;
static char attributes[4096], triple[128], name[64];
static void *machine, *layout;

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
    llvm.LLVMInstallFatalErrorHandler(on_fatal_error);
    return true;
}

/*
 * What LLVM shall not use. For AVX-512, versions 14 to 22 make wrong code of
 * (a & 0x80000000) | (b & 0x7fffffff) in some lanes, with a in the others: one vpternlog, whose
 * number does not fit the order of its operands.
 */
#ifdef __x86_64__
#define NOT_USED ",-avx512f"
#else
#define NOT_USED ""
#endif

/*
 * The text of features can be long; if it does not fit, nothing is compiled. One that is cut off
 * would have no features at all.
 */
static bool describe_host(void)
{
    static char features[sizeof(attributes) / 2];
    char *cpu = llvm.LLVMGetHostCPUName(), *host = llvm.LLVMGetHostCPUFeatures();
    char *default_triple = llvm.LLVMGetDefaultTargetTriple(), *message = NULL;
    const int used = snprintf(features, sizeof(features), "%s" NOT_USED, host);
    const int length = snprintf(attributes, sizeof(attributes),
                                "\"target-cpu\"=\"%s\" \"target-features\"=\"%s\"", cpu, features);
    void *target = NULL;

    snprintf(triple, sizeof(triple), "%s", default_triple);
    if (!llvm.LLVMGetTargetFromTriple(triple, &target, &message))
        machine = llvm.LLVMCreateTargetMachine(target, triple, cpu, features, LEVEL, ANYWHERE, 0);
    if (machine)
        layout = llvm.LLVMCreateTargetDataLayout(machine);
    llvm.LLVMDisposeMessage(cpu);
    llvm.LLVMDisposeMessage(host);
    llvm.LLVMDisposeMessage(default_triple);
    if (message)
        llvm.LLVMDisposeMessage(message);
    return layout && used > 0 && (size_t) used < sizeof(features) && length > 0 &&
           (size_t) length < sizeof(attributes);
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
static const char *const patterns[] = {"libLLVM-%u.so.1", "libLLVM-%u.so", "libLLVM.so.%u.1"};

static bool open_version(unsigned number)
{
    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
        char file[64];

        snprintf(file, sizeof(file), patterns[i], number);
        if (open_one(file))
            return true;
    }
    return false;
}

static bool find_version(unsigned number, char *ret_path, size_t size)
{
    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
        struct cushim__arena arena = {0};
        struct cushim__library_file found;
        char file[64];

        snprintf(file, sizeof(file), patterns[i], number);
        found = cushim__library_file_named(file, &arena);
        *ret_path = '\0';
        if (found.state == CUSHIM__LIBRARY_FITS && found.path)
            snprintf(ret_path, size, "%s", found.path);
        cushim__arena_finish(&arena);
        if (*ret_path)
            return true;
    }
    return false;
}

unsigned ptx__llvm_find(char *ret_path, size_t size)
{
    for (unsigned number = PTX__LLVM_NEWEST; number >= PTX__LLVM_OLDEST; number--) {
        if (find_version(number, ret_path, size))
            return number;
    }
    return 0;
}

static unsigned found_version;

static void find_first(void)
{
    char path[512];

    found_version = ptx__llvm_find(path, sizeof(path));
}

bool ptx__llvm_is_typed(void)
{
    static pthread_once_t find_once = PTHREAD_ONCE_INIT;
    const unsigned loaded = atomic_load(&version);

    pthread_once(&find_once, find_first);
    return loaded ? loaded < 15 : found_version && found_version < 15;
}

static void tell_absent(void)
{
    char why[96];

    snprintf(why, sizeof(why), "there is no libLLVM of version %d to %d that can be loaded",
             PTX__LLVM_OLDEST, PTX__LLVM_NEWEST);
    ptx__jit_tell(why);
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
    ptx__llvm_version();
    return attributes;
}

/* --- compiling --- */

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

/* Returns a copy of the object file, or NULL. */
static void *emit(void *module, size_t *ret_bytes)
{
    char *message = NULL;
    void *buffer = NULL, *bytes;

    if (llvm.LLVMTargetMachineEmitToMemoryBuffer(machine, module, OBJECT_FILE, &message, &buffer)) {
        failed("machine code", message);
        return NULL;
    }
    *ret_bytes = llvm.LLVMGetBufferSize(buffer);
    bytes = malloc(*ret_bytes);
    if (bytes)
        memcpy(bytes, llvm.LLVMGetBufferStart(buffer), *ret_bytes);
    llvm.LLVMDisposeMemoryBuffer(buffer);
    return bytes;
}

/* The buffer belongs to the parser, and the module to the caller. */
static void *parse(void *context, const char *text, size_t length)
{
    char *message = NULL;
    void *module = NULL;
    void *buffer = llvm.LLVMCreateMemoryBufferWithMemoryRangeCopy(text, length, "ptx");

    if (llvm.LLVMParseIRInContext(context, buffer, &module, &message)) {
        failed("text", message);
        return NULL;
    }
    llvm.LLVMSetTarget(module, triple);
    llvm.LLVMSetModuleDataLayout(module, layout);
    return module;
}

/* The parser takes some texts that mean nothing, such as two blocks of one name. */
static bool verify(void *module)
{
    char *message = NULL;

    if (llvm.LLVMVerifyModule(module, RETURN_STATUS, &message))
        return failed("the text is wrong", message);
    llvm.LLVMDisposeMessage(message);
    return true;
}

static void *make(const char *text, size_t length, size_t *ret_bytes)
{
    void *context = llvm.LLVMContextCreate(), *module = parse(context, text, length);
    void *bytes = module && verify(module) && optimise(module) ? emit(module, ret_bytes) : NULL;

    if (module)
        llvm.LLVMDisposeModule(module);
    llvm.LLVMContextDispose(context);
    return bytes;
}

/* What a fatal error leaves behind is not touched again. */
static void *make_guarded(const char *text, size_t length, size_t *ret_bytes)
{
    void *bytes;

    if (setjmp(before_fatal)) {
        is_guarded = false;
        return NULL;
    }
    is_guarded = true;
    enter_namespace();
    bytes = make(text, length, ret_bytes);
    is_guarded = false;
    return bytes;
}

void *ptx__llvm_compile(const char *text, size_t length, size_t *ret_bytes)
{
    return !is_broken && ptx__llvm_version() ? make_guarded(text, length, ret_bytes) : NULL;
}
