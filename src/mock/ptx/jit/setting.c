/* SPDX-License-Identifier: MIT */
#include "mock/ptx/jit/setting.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/env.h"
#include "base/log.h"
#include "base/valgrind.h"
#include "mock/ptx/jit/llvm.h"

/* LLVM would call functions of other libraries for what the processor lacks. */
static bool processor_fits(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

static enum ptx__jit_mode wanted_mode(void)
{
    const char *text = cushim__env("CUSHIM_MOCK_PTX_COMPILE");

    if (!text || !strcmp(text, "1"))
        return PTX__JIT_ON;
    return strcmp(text, "always") ? PTX__JIT_OFF : PTX__JIT_ALWAYS;
}

/* Valgrind takes LLVM's own C library for wrong, and LLVM would take it minutes. */
enum ptx__jit_mode ptx__jit_mode(void)
{
    return processor_fits() && !RUNNING_ON_VALGRIND ? wanted_mode() : PTX__JIT_OFF;
}

bool ptx__jit_has_executable_memory(void)
{
    const size_t size = (size_t) sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool works;

    if (page == MAP_FAILED)
        return false;
    works = !mprotect(page, size, PROT_READ | PROT_EXEC);
    munmap(page, size);
    return works;
}

/* --- for people --- */

static atomic_bool told;

void ptx__jit_tell(const char *why)
{
    const char *level = cushim__env("CUSHIM_LOG");

    if (atomic_exchange(&told, true))
        return;
    if (!cushim__env("CUSHIM_MOCK_PTX_COMPILE"))
        cushim__log(CUSHIM_LOG_DEBUG, "kernels are interpreted: %s", why);
    else if (!level || strcmp(level, "none"))
        fprintf(stderr, "cushim mock: CUSHIM_MOCK_PTX_COMPILE: kernels are interpreted: %s\n", why);
}

static const char *why_off(void)
{
    return RUNNING_ON_VALGRIND ? "LLVM does not run under valgrind"
                               : "code for this processor is not made";
}

void ptx__jit_tell_mode(void)
{
    if (ptx__jit_mode() == PTX__JIT_OFF && wanted_mode() != PTX__JIT_OFF)
        ptx__jit_tell(why_off());
}

static char text[160];

static void write_text(void)
{
    const enum ptx__jit_mode mode = ptx__jit_mode();

    if (wanted_mode() == PTX__JIT_OFF)
        snprintf(text, sizeof(text), "interpreted, as CUSHIM_MOCK_PTX_COMPILE is 0");
    else if (mode == PTX__JIT_OFF)
        snprintf(text, sizeof(text), "interpreted: %s", why_off());
    else if (!ptx__jit_has_executable_memory())
        snprintf(text, sizeof(text), "interpreted: this process cannot make memory executable");
    else if (!ptx__llvm_version())
        snprintf(text, sizeof(text),
                 "interpreted: there is no libLLVM of version %d to %d that can be loaded",
                 PTX__LLVM_OLDEST, PTX__LLVM_NEWEST);
    else
        snprintf(text, sizeof(text), "%s by %s",
                 mode == PTX__JIT_ALWAYS
                     ? "compiled before they run, as CUSHIM_MOCK_PTX_COMPILE is always,"
                     : "interpreted; those that do much work are compiled",
                 ptx__llvm_name());
}

const char *ptx__jit_mode_text(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, write_text);
    return text;
}
