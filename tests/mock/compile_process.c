/* SPDX-License-Identifier: MIT */
/*
 * What happens to a process that compiles kernels: a child of it compiles, too; LLVM
 * calls an error fatal, or a sandbox forbids executable memory, and the interpreter goes on.
 *
 *     compile_process child | fatal | sandbox
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mock/functions.h"
#include "mock/ptx/jit/llvm.h"
#include "mock/ptx/jit/setting.h"

enum { SKIP = 77, WORDS = 32 };

static void check(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

/* Has a kernel write a number into 32 words. */
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
             ".visible .entry k(.param .u64 p) { .reg .b64 %%p, %%a; .reg .b32 %%t, %%v;\n"
             "ld.param.u64 %%p, [p]; mov.u32 %%t, %%tid.x; mul.wide.u32 %%a, %%t, 4;\n"
             "add.u64 %%a, %%p, %%a; mov.u32 %%v, %u; st.global.u32 [%%a], %%v; ret; }\n",
             number);
    check(!mock_cuMemAlloc_v2(&memory, sizeof(found)) && !mock_cuModuleLoadData(&module, text) &&
              !mock_cuModuleGetFunction(&kernel, module, "k") &&
              !mock_cuLaunchKernel(kernel, 1, 1, 1, WORDS, 1, 1, 0, NULL, params, NULL) &&
              !mock_cuMemcpyDtoH_v2(found, memory, sizeof(found)) && !mock_cuMemFree_v2(memory) &&
              !mock_cuModuleUnload(module),
          "the kernel does not run");
    for (int i = 0; i < WORDS; i++)
        check(found[i] == number, "the kernel has written something else");
}

static struct ptx__machine_code *compile(const char *text)
{
    void *address = NULL;
    struct ptx__machine_code *code = ptx__llvm_compile(text, strlen(text), "f", &address);

    check(!code == !address, "code without an address");
    return code;
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
    struct ptx__machine_code *code = compile(right);

    check(code, "what is right is not compiled");
    ptx__llvm_free(code);
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

/* By a thread that has not loaded LLVM. */
static void compile_in_child(void)
{
    int status = -1;
    pid_t child = fork();

    if (!child) {
        struct ptx__machine_code *code = compile("define i32 @f() { ret i32 7 }\n");

        check(code, "nothing is compiled in the child");
        ptx__llvm_free(code);
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

int main(int argc, char **argv)
{
    CUcontext context = NULL;
    int status = 0;

    setenv("CUSHIM_MOCK_PTX_COMPILE", "always", 1);
    check(!mock_cuInit(0) && !mock_cuDevicePrimaryCtxRetain(&context, 0) &&
              !mock_cuCtxSetCurrent(context),
          "no context");
    run_kernel(0);
    if (ptx__jit_mode() == PTX__JIT_OFF || !ptx__llvm_version()) {
        printf("skipped: no LLVM, or it makes no code for this processor\n");
        return SKIP;
    }
    check(argc == 2, "the argument");
    if (!strcmp(argv[1], "child"))
        compile_in_child();
    else if (!strcmp(argv[1], "fatal"))
        fatal_error();
    else
        status = sandbox();
    run_kernel(3);
    return status;
}
