/* SPDX-License-Identifier: MIT */
/*
 * What happens to a process that compiles kernels: a child of it compiles, too; another process
 * finds the machine code in the cache, or finds it damaged; LLVM calls an error fatal, or a sandbox
 * forbids executable memory, or a kernel is too large, and the interpreter goes on.
 *
 *     compile_process child | damaged | fatal | kept | large | look | sandbox
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mock/functions.h"
#include "mock/ptx/jit/block.h"
#include "mock/ptx/jit/llvm.h"
#include "mock/ptx/jit/object.h"
#include "mock/ptx/jit/setting.h"

enum { SKIP = 77, WORDS = 32 };

static void check(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static void start(void)
{
    CUcontext context = NULL;

    check(!mock_cuInit(0) && !mock_cuDevicePrimaryCtxRetain(&context, 0) &&
              !mock_cuCtxSetCurrent(context),
          "no context");
}

/* Has a kernel write a number into 32 words: one part of it is in a variable, one in a constant. */
static void run_kernel(unsigned number)
{
    CUmodule module = NULL;
    CUfunction kernel = NULL;
    CUdeviceptr memory = 0;
    void *params[] = {&memory};
    unsigned found[WORDS];
    char text[1024];

    snprintf(text, sizeof(text),
             ".version 7.0\n.target sm_70\n.address_size 64\n"
             ".global .align 4 .u32 some[2] = {0, 2}; .const .align 4 .u32 more[2] = {0, 3};\n"
             ".visible .entry k(.param .u64 p) { .reg .b64 %%p, %%a; .reg .b32 %%t, %%v, %%w;\n"
             "ld.param.u64 %%p, [p]; mov.u32 %%t, %%tid.x; mul.wide.u32 %%a, %%t, 4;\n"
             "add.u64 %%a, %%p, %%a; mov.u32 %%v, %u; ld.global.u32 %%w, [some+4];\n"
             "add.u32 %%v, %%v, %%w; ld.const.u32 %%w, [more+4]; add.u32 %%v, %%v, %%w;\n"
             "st.global.u32 [%%a], %%v; ret; }\n",
             number - 5);
    check(!mock_cuMemAlloc_v2(&memory, sizeof(found)) && !mock_cuModuleLoadData(&module, text) &&
              !mock_cuModuleGetFunction(&kernel, module, "k") &&
              !mock_cuLaunchKernel(kernel, 1, 1, 1, WORDS, 1, 1, 0, NULL, params, NULL) &&
              !mock_cuMemcpyDtoH_v2(found, memory, sizeof(found)) && !mock_cuMemFree_v2(memory) &&
              !mock_cuModuleUnload(module),
          "the kernel does not run");
    for (int i = 0; i < WORDS; i++)
        check(found[i] == number, "the kernel has written something else");
}

/* Compiles a function that returns 7, and calls it; false: it is not compiled. */
static bool compile(const char *text)
{
    size_t n = 0;
    void *bytes = ptx__llvm_compile(text, strlen(text), &n), *address;
    struct ptx__machine_code *code = bytes ? ptx__object_load(bytes, n, NULL, 0) : NULL;
    int (*function)(void);

    free(bytes);
    if (!code)
        return false;
    address = ptx__object_function(code);
    memcpy(&function, &address, sizeof(function));
    check(function() == 7, "the function returns something else");
    ptx__object_free(code);
    return true;
}

/* LLVM would end the process: an instruction that only another kind of processor has. */
static void fatal_error(void)
{
    static const char right[] = "define i32 @f() { ret i32 7 }\n";
#if defined(__x86_64__)
    static const char wrong[] = "declare void @llvm.aarch64.dmb(i32)\n"
                                "define i32 @f() { call void @llvm.aarch64.dmb(i32 0) ret i32 7 }";
#else
    static const char wrong[] = "declare void @llvm.x86.sse2.mfence()\n"
                                "define i32 @f() { call void @llvm.x86.sse2.mfence() ret i32 7 }";
#endif

    check(compile(right), "what is right is not compiled");
    check(!compile(wrong), "what is wrong is compiled");
    check(!compile(right), "something was compiled after the fatal error");
}

#if defined(__x86_64__)
#define HERE AUDIT_ARCH_X86_64
#else
#define HERE AUDIT_ARCH_AARCH64
#endif

/* mprotect() and mmap() get EACCES if they ask for executable memory. */
static bool forbid_executable_memory(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, HERE, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
    };
    const struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};

    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

static int n_compiled;

void *__real_ptx__llvm_compile(const char *text, size_t length, size_t *ret_bytes);
void *__wrap_ptx__llvm_compile(const char *text, size_t length, size_t *ret_bytes);

void *__wrap_ptx__llvm_compile(const char *text, size_t length, size_t *ret_bytes)
{
    n_compiled++;
    return __real_ptx__llvm_compile(text, length, ret_bytes);
}

/*
 * Runs a kernel in another process, where all memory lies elsewhere. Returns how many functions
 * were compiled there.
 */
static int compiled_elsewhere(void)
{
    static unsigned n_processes;
    int status = -1;
    pid_t child;

    n_processes++;
    child = fork();
    if (!child) {
        CUdeviceptr memory = 0;

        start();
        check(!mock_cuMemAlloc_v2(&memory, (size_t) n_processes << 22), "no memory");
        n_compiled = 0;
        run_kernel(5);
        exit(n_compiled);
    }
    check(waitpid(child, &status, 0) == child && WIFEXITED(status), "the child has failed");
    return WEXITSTATUS(status);
}

/* Changes a byte in the middle of each file. Returns how many there are. */
static int damage_files(const char *folder)
{
    DIR *directory = opendir(folder);
    int n = 0;

    check(directory, "there is no folder");
    for (const struct dirent *found; (found = readdir(directory));) {
        const int file = openat(dirfd(directory), found->d_name, O_RDWR);
        unsigned char byte;

        if (file < 0)
            continue; /* a folder */
        check(pread(file, &byte, 1, 500) == 1, "a file that is too short");
        byte ^= 1;
        check(pwrite(file, &byte, 1, 500) == 1, "a file cannot be changed");
        close(file);
        n++;
    }
    closedir(directory);
    return n;
}

static int kept_on_disk(void)
{
    char folder[] = "/tmp/cushim-kept-XXXXXX", command[64];

    check(mkdtemp(folder), "no folder");
    setenv("CUSHIM_CACHE", folder, 1);
    check(compiled_elsewhere() == 2, "the first process does not compile two functions");
    check(compiled_elsewhere() == 0, "the second process compiles what is kept");
    check(damage_files(folder) == 2, "there are not two files");
    check(compiled_elsewhere() == 2, "what is damaged is used");
    check(compiled_elsewhere() == 0, "what was damaged is not made anew");
    check(!chmod(folder, 0777) && compiled_elsewhere() == 2, "a folder of others is used");
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

/* --- by default, what is kept is looked for long before a kernel is worth a compiler --- */

static int n_stops; /* of warps in compiled code, at the end of the kernel */

uint64_t __real_ptx__jit_stop(struct ptx__warp *warp, const struct ptx__op *op, uint64_t is_barrier,
                              uint64_t kept);
uint64_t __wrap_ptx__jit_stop(struct ptx__warp *warp, const struct ptx__op *op, uint64_t is_barrier,
                              uint64_t kept);

uint64_t __wrap_ptx__jit_stop(struct ptx__warp *warp, const struct ptx__op *op, uint64_t is_barrier,
                              uint64_t kept)
{
    n_stops++;
    return __real_ptx__jit_stop(warp, op, is_barrier, kept);
}

/*
 * Launches a kernel some times, until a warp has done it in compiled code. Each time it does enough
 * work for a look; ten times are not enough for compiling. Returns whether a warp has.
 */
static bool is_used(unsigned times)
{
    static const char text[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\n"
        ".reg .b32 %i; .reg .pred %p; mov.u32 %i, 0;\n"
        "L: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 60000; @%p bra L; ret; }\n";
    CUmodule module = NULL;
    CUfunction kernel = NULL;

    start();
    check(!mock_cuModuleLoadData(&module, text) && !mock_cuModuleGetFunction(&kernel, module, "k"),
          "the loop is not loaded");
    n_stops = n_compiled = 0;
    for (unsigned i = 0; i < times && !n_stops; i++) {
        usleep(10000u << i);
        check(!mock_cuLaunchKernel(kernel, 1, 1, 1, WORDS, 1, 1, 0, NULL, NULL, NULL) &&
                  !mock_cuCtxSynchronize(),
              "the loop does not run");
    }
    return n_stops;
}

/* The same in another process, which compiles as many functions as wanted. */
static bool is_used_elsewhere(const char *mode, unsigned times, int wanted)
{
    int status = -1;
    pid_t child = fork();

    if (!child) {
        bool used;

        setenv("CUSHIM_MOCK_PTX_COMPILE", mode, 1);
        used = is_used(times);
        check(n_compiled == wanted, "more or fewer functions are compiled");
        exit(used ? 2 : 3);
    }
    check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) > 1,
          "the child has failed");
    return WEXITSTATUS(status) == 2;
}

static int looked_for(void)
{
    char folder[] = "/tmp/cushim-look-XXXXXX", command[64];

    check(mkdtemp(folder), "no folder");
    setenv("CUSHIM_CACHE", folder, 1);
    check(!is_used_elsewhere("1", 5, 0), "compiled code is used, and nobody has made it");
    check(is_used_elsewhere("always", 1, 2), "what is always compiled is not used");
    check(is_used_elsewhere("1", 10, 0), "what is kept is not used");
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

/* Loads an object file that ends anywhere, or has any wrong byte. */
static void damaged(void)
{
    static const char typed[] =
        "@a0 = external global i8 define i32 @f() {\n"
        "%1 = ptrtoint i8* @a0 to i64 %2 = trunc i64 %1 to i32 ret i32 %2 }\n";
    static const char untyped[] =
        "@a0 = external global i8 define i32 @f() {\n"
        "%1 = ptrtoint ptr @a0 to i64 %2 = trunc i64 %1 to i32 ret i32 %2 }\n";
    const char *text = ptx__llvm_is_typed() ? typed : untyped;
    const uint64_t address = 7;
    size_t n = 0;
    unsigned char *bytes = ptx__llvm_compile(text, strlen(text), &n);
    struct ptx__machine_code *code = bytes ? ptx__object_load(bytes, n, &address, 1) : NULL;

    check(code, "what is right is not loaded");
    ptx__object_free(code);
    check(!ptx__object_load(bytes, n, &address, 0), "an address that nobody has given");
    for (size_t i = 0; i < n; i++) {
        unsigned char *part = malloc(i + 1); /* so that a sanitizer sees its end */

        memcpy(part, bytes, i);
        ptx__object_free(ptx__object_load(part, i, &address, 1));
        free(part);
    }
    for (size_t i = 0; i < 8 * n; i++) {
        bytes[i / 8] ^= (unsigned char) (1u << i % 8);
        ptx__object_free(ptx__object_load(bytes, n, &address, 1));
        bytes[i / 8] ^= (unsigned char) (1u << i % 8);
    }
    free(bytes);
}

/* By a thread that has not loaded LLVM. */
static void compile_in_child(void)
{
    int status = -1;
    pid_t child = fork();

    if (!child) {
        check(compile("define i32 @f() { ret i32 7 }\n"), "nothing is compiled in the child");
        exit(0);
    }
    check(waitpid(child, &status, 0) == child && !status, "the child has failed");
}

static int sandbox(void)
{
    run_kernel(1);
    if (!forbid_executable_memory()) {
        printf("skipped: seccomp() is not permitted here: %s\n", strerror(errno));
        return SKIP;
    }
    check(!ptx__jit_has_executable_memory(), "memory can still be made executable");
    run_kernel(2);
    return 0;
}

/* What would take LLVM a minute is interpreted: the end of the process would wait for it. */
static void large(void)
{
    enum { DIVISIONS = 250, EACH = 32 };
    static char text[DIVISIONS * EACH + 512];
    int used = snprintf(text, sizeof(text),
                        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\n"
                        ".reg .b32 %%a, %%b; mov.u32 %%a, %%tid.x; add.u32 %%b, %%a, 1;\n");
    CUmodule module = NULL;
    CUfunction kernel = NULL;

    for (int i = 0; i < DIVISIONS; i++)
        used += snprintf(text + used, sizeof(text) - (size_t) used, "div.u32 %%a, %%b, %%a;\n");
    snprintf(text + used, sizeof(text) - (size_t) used, "ret; }\n");
    n_compiled = 0;
    check(!mock_cuModuleLoadData(&module, text) &&
              !mock_cuModuleGetFunction(&kernel, module, "k") &&
              !mock_cuLaunchKernel(kernel, 1, 1, 1, WORDS, 1, 1, 0, NULL, NULL, NULL) &&
              !mock_cuCtxSynchronize(),
          "the large kernel does not run");
    check(!n_compiled, "a kernel of 250 divisions is compiled");
}

/* Whether kernels are compiled here; else that is told. */
static bool can_compile(void)
{
    char path[512];

    if (ptx__jit_mode() != PTX__JIT_OFF && ptx__llvm_find(path, sizeof(path)))
        return true;
    printf("skipped: no LLVM, or it makes no code for this processor\n");
    return false;
}

static int run(const char *what)
{
    int status = 0;

    start();
    run_kernel(0);
    if (!strcmp(what, "child"))
        compile_in_child();
    else if (!strcmp(what, "damaged"))
        damaged();
    else if (!strcmp(what, "fatal"))
        fatal_error();
    else if (!strcmp(what, "large"))
        large();
    else
        status = sandbox();
    run_kernel(3);
    return status;
}

int main(int argc, char **argv)
{
    setenv("CUSHIM_MOCK_PTX_COMPILE", "always", 1);
    if (!can_compile())
        return SKIP;
    check(argc == 2, "the argument");
    if (!strcmp(argv[1], "look"))
        return looked_for();
    return strcmp(argv[1], "kept") ? run(argv[1]) : kept_on_disk();
}
