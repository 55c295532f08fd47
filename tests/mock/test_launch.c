/* SPDX-License-Identifier: MIT */
/* Launches, and the control interface that their kernels use. */
#include <criterion/redirect.h>
#include <cushim/mock.h>
#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

#define S(text) ((char *) (text))

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry add(.param .u64 p, .param .u32 v, .param .u32 n) { ret; }\n"
    ".visible .entry mixed(.param .align 4 .b8 a[12], .param .u8 b, .param .u64 c) { ret; }\n"
    ".visible .entry nop() { ret; }\n"
    ".visible .entry busy() { .shared .align 4 .b8 s[1024]; ret; }\n";

static struct cushim_mock_launch seen;
static CUresult inside;

TestSuite(launch);

struct addition {
    unsigned *words;
    unsigned value, n;
};

static void add_one(const struct cushim_mock_thread *thread, void *data)
{
    const struct addition *a = data;
    const unsigned i = thread->block_index[0] * thread->launch->block[0] + thread->thread_index[0];

    if (i < a->n)
        a->words[i] += a->value;
}

static void add(const struct cushim_mock_launch *launch, void *const *args)
{
    struct addition a = {.value = *(unsigned *) args[1], .n = *(unsigned *) args[2]};

    a.words = cushim_mock_pointer(*(uint64_t *) args[0], a.n * sizeof(*a.words));
    if (a.words)
        cushim_mock_for_each_thread(launch, add_one, &a);
}

static void mixed(const struct cushim_mock_launch *launch, void *const *args)
{
    unsigned *words = cushim_mock_pointer(*(uint64_t *) args[2], 16);

    cr_assert(eq(sz, launch->n_args, 3));
    cr_expect(eq(sz, launch->arg_bytes[0], 12));
    cr_expect(eq(sz, launch->arg_bytes[1], 1));
    memcpy(words, args[0], 12);
    words[3] = *(unsigned char *) args[1];
}

static void nop(const struct cushim_mock_launch *launch, void *const *args)
{
    (void) args;
    seen = *launch;
    inside = mock_cuCtxSynchronize();
}

static void fail_with(const struct cushim_mock_launch *launch, void *const *args)
{
    (void) args;
    cushim_mock_kernel_fail((int) (intptr_t) launch->user);
    cushim_mock_kernel_fail(CUDA_ERROR_UNKNOWN); /* comes too late */
}

static CUfunction function(const char *name)
{
    CUmodule module = NULL;
    CUfunction found = NULL;

    OK(mock_cuModuleLoadData(&module, ptx));
    OK(mock_cuModuleGetFunction(&found, module, name));
    return found;
}

static CUfunction with_kernel(const char *name, cushim_mock_kernel_fn fn)
{
    cr_assert(eq(int, cushim_mock_register_kernel(name, fn, NULL), CUSHIM_OK));
    return function(name);
}

/* One dimension of blocks and threads, in the legacy stream. */
static CUresult launch(CUfunction f, unsigned grid, unsigned block, unsigned shared, void **params,
                       void **extra)
{
    return mock_cuLaunchKernel(f, grid, 1, 1, block, 1, 1, shared, NULL, params, extra);
}

Test(launch, threads_and_arguments)
{
    unsigned words[8] = {0}, value = 5, n = 7;
    CUdeviceptr p;
    CUfunction f;
    void *params[] = {&p, &value, &n};

    start();
    f = with_kernel("add", add);
    p = allocate(sizeof(words));
    OK(mock_cuMemcpyHtoD_v2(p, words, sizeof(words)));
    OK(launch(f, 2, 4, 0, params, NULL));
    OK(mock_cuCtxSynchronize());
    OK(mock_cuMemcpyDtoH_v2(words, p, sizeof(words)));
    cr_expect(eq(u32, words[0], 5));
    cr_expect(eq(u32, words[6], 5));
    cr_expect(eq(u32, words[7], 0));
}

Test(launch, arguments_in_one_buffer)
{
    struct {
        CUdeviceptr p;
        unsigned value, n, more;
    } arguments = {.value = 3, .n = 1};
    size_t size = 16;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    void *empty[] = {CU_LAUNCH_PARAM_END}, *params[] = {&arguments.p, &size, &size};
    unsigned word = 1;
    CUfunction f;

    start();
    f = with_kernel("add", add);
    arguments.p = allocate(4);
    OK(mock_cuMemcpyHtoD_v2(arguments.p, &word, 4));
    OK(launch(f, 1, 1, 0, NULL, extra));
    OK(mock_cuMemcpyDtoH_v2(&word, arguments.p, 4));
    cr_expect(eq(u32, word, 4));
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(f, 1, 1, 0, params, extra));
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(f, 1, 1, 0, NULL, empty));
    OK(launch(f, 1, 1, 0, params, empty));
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(f, 1, 1, 0, NULL, &extra[2])); /* no buffer */
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(f, 1, 1, 0, NULL, NULL));
    size = 20;
    EXPECT(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, launch(f, 1, 1, 0, NULL, extra));
    size = 12; /* n is then 0 */
    OK(launch(f, 1, 1, 0, NULL, extra));
}

Test(launch, arguments_of_many_kinds)
{
    unsigned a[3] = {1, 2, 77}, words[4] = {0};
    unsigned char b = 200;
    CUdeviceptr c;
    void *params[] = {a, &b, &c};

    start();
    c = allocate(16);
    OK(launch(with_kernel("mixed", mixed), 1, 1, 0, params, NULL));
    OK(mock_cuMemcpyDtoH_v2(words, c, 16));
    cr_expect(eq(u32, words[2], 77));
    cr_expect(eq(u32, words[3], 200));
}

Test(launch, what_the_kernel_sees)
{
    CUfunction f;

    start();
    cr_assert(eq(int, cushim_mock_register_kernel("nop", nop, GARBAGE), CUSHIM_OK));
    f = function("nop");
    OK(mock_cuLaunchKernel(f, 2, 3, 4, 5, 6, 7, 100, NULL, NULL, NULL));
    OK(mock_cuCtxSynchronize());
    cr_expect(eq(ptr, seen.user, GARBAGE));
    cr_expect(eq(int, seen.device, 0));
    cr_expect(eq(uint, seen.grid[2], 4));
    cr_expect(eq(uint, seen.block[1], 6));
    cr_expect(eq(sz, seen.shared_bytes, 100));
    cr_expect(eq(sz, seen.n_args, 0));
    cr_expect(eq(int, (int) inside, CUDA_ERROR_NOT_PERMITTED), "a kernel called the driver");
}

Test(launch, sizes)
{
    CUfunction f;

    start();
    f = with_kernel("nop", nop);
    EXPECT(CUDA_ERROR_INVALID_HANDLE, launch(NULL, 1, 1, 0, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, launch(GARBAGE, 1, 1, 0, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(f, 0, 1, 0, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(f, 1, 0, 0, NULL, NULL));
    EXPECT(CUDA_SUCCESS, launch(f, 1, 1024, 0, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(f, 1, 1025, 0, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(f, 0x80000000u, 1, 0, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuLaunchKernel(f, 1, 65536, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuLaunchKernel(f, 1, 1, 1, 1, 1, 65, 0, NULL, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuLaunchKernel(f, 1, 1, 1, 64, 32, 1, 0, NULL, NULL, NULL));
    EXPECT(CUDA_SUCCESS, launch(f, 1, 1, 48 << 10, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(f, 1, 1, (48 << 10) + 1, NULL, NULL));
    OK(mock_cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100 << 10));
    EXPECT(CUDA_SUCCESS, launch(f, 1, 1, 100 << 10, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(with_kernel("busy", nop), 1, 1, 48 << 10, NULL, NULL));
    EXPECT(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
           mock_cuLaunchCooperativeKernel(f, 1 << 20, 1, 1, 1024, 1, 1, 0, NULL, NULL));
    EXPECT(CUDA_SUCCESS, mock_cuLaunchCooperativeKernel(f, 264, 1, 1, 1024, 1, 1, 0, NULL, NULL));
}

Test(launch, a_stream_of_another_context)
{
    CUcontext other = NULL;
    CUstream stream = NULL;
    CUfunction f;

    start();
    f = with_kernel("nop", nop);
    OK(mock_cuCtxCreate_v2(&other, 0, 0));
    OK(mock_cuStreamCreate(&stream, 0));
    EXPECT(CUDA_ERROR_INVALID_HANDLE,
           mock_cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, launch(f, 1, 1, 0, NULL, NULL));
}

Test(launch, without_a_host_function_it_runs_from_its_ptx)
{
    CUfunction f;

    start();
    f = function("nop");
    seen = (struct cushim_mock_launch){.kernel = NULL};
    OK(launch(f, 1, 1, 0, NULL, NULL));
    OK(mock_cuCtxSynchronize());
    cr_assert(eq(ptr, (void *) seen.kernel, NULL));
    /* A function that comes later serves modules that are loaded already. */
    cr_assert(eq(int, cushim_mock_register_kernel("nop", nop, NULL), CUSHIM_OK));
    OK(launch(f, 1, 1, 0, NULL, NULL));
    OK(mock_cuCtxSynchronize());
    cr_assert(eq(str, S(seen.kernel), S("nop")));
    cr_assert(eq(int, cushim_mock_register_kernel("nop", NULL, NULL), CUSHIM_OK));
    seen = (struct cushim_mock_launch){.kernel = NULL};
    OK(launch(f, 1, 1, 0, NULL, NULL));
    OK(mock_cuCtxSynchronize());
    cr_assert(eq(ptr, (void *) seen.kernel, NULL));
}

Test(launch, registering)
{
    cr_expect(eq(int, cushim_mock_register_kernel(NULL, nop, NULL), CUSHIM_ERROR_INVALID_ARGUMENT));
    cr_expect(
        eq(str, S(cushim_mock_error_text()), S("cushim_mock_register_kernel: the name is NULL")));
    cr_expect(eq(int, cushim_mock_register_kernel("", nop, NULL), CUSHIM_ERROR_INVALID_ARGUMENT));
    cr_expect(
        eq(str, S(cushim_mock_error_text()), S("cushim_mock_register_kernel: the name is empty")));
    cr_expect(eq(int, cushim_mock_register_kernel("absent", NULL, NULL), CUSHIM_OK));
    cr_expect(eq(ptr, cushim_mock_pointer(0x1000, 1), NULL));
    cushim_mock_kernel_fail(700);
}

/* The class and the machine of this process, from its own program. */
static int elf_machine(Elf64_Ehdr *header)
{
    Elf64_Ehdr own;
    FILE *file = fopen("/proc/self/exe", "rb");
    const size_t n = file ? fread(&own, sizeof(own), 1, file) : 0;

    if (file)
        fclose(file);
    header->e_machine = own.e_machine;
    header->e_ident[EI_CLASS] = own.e_ident[EI_CLASS];
    return n == 1 ? 0 : -1;
}

Test(launch, a_plugin_that_is_not_there, .init = cr_redirect_stderr)
{
    setenv("CUSHIM_MOCK_KERNELS", "/nonexistent/kernels.so", 1);
    OK(mock_cuInit(0));
    fflush(stderr);
    cr_expect_stderr_eq_str(
        "cushim mock: CUSHIM_MOCK_KERNELS: /nonexistent/kernels.so: No such file or "
        "directory\n");
}

/* Each is told, and the linker sees none: it would wait for a pipe, and die of a broken library. */
Test(launch, plugins_that_are_none, .init = cr_redirect_stderr, .timeout = 20)
{
    char broken[] = "/tmp/cushim-mock-test-XXXXXX", expected[512], paths[128];
    const int file = mkstemp(broken);
    Elf64_Ehdr header = {.e_ident = ELFMAG, .e_type = ET_DYN, .e_phnum = 1};
    const Elf64_Phdr segment = {.p_type = PT_LOAD, .p_filesz = 65536};

    cr_assert(ge(int, file, 0));
    cr_assert(eq(int, elf_machine(&header), 0));
    header.e_phoff = sizeof(header);
    header.e_phentsize = sizeof(segment);
    cr_assert(eq(sz, (size_t) write(file, &header, sizeof(header)), sizeof(header)));
    cr_assert(eq(sz, (size_t) write(file, &segment, sizeof(segment)), sizeof(segment)));
    close(file);
    snprintf(paths, sizeof(paths), "%s:/dev/zero:/tmp", broken);
    snprintf(expected, sizeof(expected),
             "cushim mock: CUSHIM_MOCK_KERNELS: %s: the file is cut short: 120 of 65536 bytes or "
             "more\ncushim mock: CUSHIM_MOCK_KERNELS: /dev/zero: it is a device, not a regular "
             "file\ncushim mock: CUSHIM_MOCK_KERNELS: /tmp: it is a folder\n",
             broken);
    setenv("CUSHIM_MOCK_KERNELS", paths, 1);
    OK(mock_cuInit(0));
    unlink(broken);
    fflush(stderr);
    cr_expect_stderr_eq_str(expected);
}

static void expect_broken(CUresult fault, CUstream stream, CUevent event)
{
    CUcontext context = NULL;
    CUdeviceptr p;
    CUstream another;
    int n;

    EXPECT(fault, mock_cuCtxSynchronize());
    EXPECT(fault, mock_cuStreamSynchronize(stream));
    EXPECT(fault, mock_cuMemAlloc_v2(&p, 16));
    EXPECT(fault, mock_cuMemFree_v2(0));
    EXPECT(fault, mock_cuEventQuery(event));
    EXPECT(fault, mock_cuEventRecord(event, stream));
    EXPECT(fault, mock_cuStreamCreate(&another, 0));
    EXPECT(fault, mock_cuCtxCreate_v2(&context, 0, 0));
    EXPECT(CUDA_SUCCESS, mock_cuDeviceGetCount(&n));
    EXPECT(CUDA_SUCCESS, mock_cuCtxGetCurrent(&context));
    EXPECT(CUDA_SUCCESS, mock_cuCtxSetCurrent(context));
}

Test(launch, an_illegal_address_breaks_the_context)
{
    unsigned value = 1, n = 2;
    CUdeviceptr p;
    CUfunction f;
    CUstream stream = NULL;
    CUevent event = NULL;
    void *params[] = {&p, &value, &n};

    start();
    f = with_kernel("add", add);
    OK(mock_cuStreamCreate(&stream, 0));
    OK(mock_cuEventCreate(&event, 0));
    p = allocate(4) + (1ull << 40); /* where there is nothing */
    OK(launch(f, 1, 32, 0, params, NULL));
    expect_broken(CUDA_ERROR_ILLEGAL_ADDRESS, stream, event);
    OK(mock_cuDevicePrimaryCtxReset_v2(0));
    EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, mock_cuMemAlloc_v2(&p, 16));
    start();
    allocate(16);
}

Test(launch, a_kernel_fails_as_it_likes)
{
    CUstream stream = NULL;
    CUevent event = NULL;
    CUfunction f;

    start();
    OK(mock_cuStreamCreate(&stream, 0));
    OK(mock_cuEventCreate(&event, 0));
    cr_assert(eq(int, cushim_mock_register_kernel("nop", fail_with, (void *) 719), CUSHIM_OK));
    f = function("nop");
    OK(launch(f, 1, 1, 0, NULL, NULL));
    expect_broken(CUDA_ERROR_LAUNCH_FAILED, stream, event);
}

Test(launch, memory_of_another_device)
{
    unsigned value = 1, n = 1;
    CUcontext first = start(), second = NULL;
    CUdeviceptr p = allocate(4);
    CUfunction f;
    void *params[] = {&p, &value, &n};

    OK(mock_cuDevicePrimaryCtxRetain(&second, 1));
    OK(mock_cuCtxSetCurrent(second));
    f = with_kernel("add", add);
    OK(mock_cuCtxEnablePeerAccess(first, 0));
    OK(launch(f, 1, 1, 0, params, NULL));
    OK(mock_cuCtxSynchronize());
    OK(mock_cuCtxDisablePeerAccess(first));
    OK(launch(f, 1, 1, 0, params, NULL));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuCtxSynchronize());
    OK(mock_cuCtxSetCurrent(first));
    OK(mock_cuCtxSynchronize());
}

/* A kernel may have helpers. */
static void *help(void *address)
{
    *(unsigned *) cushim_mock_pointer(*(uint64_t *) address, 4) = 42;
    return NULL;
}

static void with_helper(const struct cushim_mock_launch *launch, void *const *args)
{
    pthread_t thread;

    (void) launch;
    cr_assert(eq(int, pthread_create(&thread, NULL, help, args[0]), 0));
    pthread_join(thread, NULL);
}

Test(launch, helpers)
{
    unsigned value = 0, n = 0;
    CUdeviceptr p;
    void *params[] = {&p, &value, &n};

    start();
    p = allocate(4);
    OK(launch(with_kernel("add", with_helper), 1, 1, 0, params, NULL));
    OK(mock_cuMemcpyDtoH_v2(&value, p, 4));
    cr_expect(eq(u32, value, 42));
}

#if CUDA_VERSION >= 11080
Test(launch, attributes)
{
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    CUlaunchConfig config = {.gridDimX = 8,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 32,
                             .blockDimY = 1,
                             .blockDimZ = 1};
    CUfunction f;

    start();
    f = with_kernel("nop", nop);
    OK(mock_cuLaunchKernelEx(&config, f, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuLaunchKernelEx(NULL, f, NULL, NULL));
    config.numAttrs = 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuLaunchKernelEx(&config, f, NULL, NULL));
    config.attrs = &attribute;
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    for (unsigned x = 0; x <= 16; x++) {
        const bool fits = x && x <= 8 && 8 % x == 0;

        attribute.value.clusterDim.x = x;
        cr_expect(eq(int, (int) mock_cuLaunchKernelEx(&config, f, NULL, NULL),
                     fits ? 0 : CUDA_ERROR_INVALID_CLUSTER_SIZE),
                  "a cluster of %u", x);
    }
    attribute.id = (CUlaunchAttributeID) 77;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuLaunchKernelEx(&config, f, NULL, NULL));
}

Test(launch, events_of_a_launch)
{
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT};
    CUlaunchConfig config = {.gridDimX = 1,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 1,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .attrs = &attribute,
                             .numAttrs = 1};
    CUevent timed = NULL, untimed = NULL;
    CUfunction f;

    start();
    f = with_kernel("nop", nop);
    OK(mock_cuEventCreate(&timed, 0));
    OK(mock_cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    attribute.value.programmaticEvent.event = timed;
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuLaunchKernelEx(&config, f, NULL, NULL));
    attribute.value.programmaticEvent.event = untimed;
    EXPECT(CUDA_SUCCESS, mock_cuLaunchKernelEx(&config, f, NULL, NULL));
    attribute.value.programmaticEvent.event = NULL;
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuLaunchKernelEx(&config, f, NULL, NULL));
}
#endif

Test(launch, occupancy)
{
    int blocks = 0, grid = 0, block = 0;
    size_t shared = 0;
    CUfunction f;

    start();
    f = function("nop");
    OK(mock_cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 256, 0));
    cr_expect(eq(int, blocks, 8));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 0, 0));
    OK(mock_cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
    cr_expect(eq(int, block, 1024));
    cr_expect(eq(int, grid, 264));
    OK(mock_cuOccupancyAvailableDynamicSMemPerBlock(&shared, f, 8, 256));
    cr_expect(eq(sz, shared, 233472 / 8), "as an H200 counts it");
}
