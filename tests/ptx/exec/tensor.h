/* SPDX-License-Identifier: MIT */
/* What the tests of tensor memory share: a kernel of some blocks from a text, and its results. */
#ifndef CUSHIM_TESTS_PTX_EXEC_TENSOR_H
#define CUSHIM_TESTS_PTX_EXEC_TENSOR_H

#include <cushim/mock.h>
#include <stdio.h>
#include <string.h>

#include "../../mock/support.h"

enum { TENSOR_WORDS = 1 << 17 };

/* What the last kernel wrote, and was given. */
static unsigned tensor_words[TENSOR_WORDS], tensor_input[TENSOR_WORDS];

/* A PTX text that grows. */
static char tensor_text[1 << 20];
static size_t tensor_length;

__attribute__((format(printf, 1, 2))) static inline void line(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    tensor_length += (size_t) vsnprintf(tensor_text + tensor_length,
                                        sizeof(tensor_text) - tensor_length, format, list);
    va_end(list);
    tensor_length +=
        (size_t) snprintf(tensor_text + tensor_length, sizeof(tensor_text) - tensor_length, "\n");
}

/* Writes "{%r10, %r11, ...}". */
static inline const char *registers(unsigned first, unsigned n)
{
    static char text[2048];
    size_t length = 0;

    for (unsigned i = 0; i < n; i++)
        length += (size_t) snprintf(text + length, sizeof(text) - length, "%s%%r%u", i ? ", " : "{",
                                    first + i);
    snprintf(text + length, sizeof(text) - length, "}");
    return text;
}

/*
 * Begins a kernel: %rd0 is the output, %rd1 the input, %r0 the thread, %r1 its warp, %r2 its lane,
 * %r3 the first lane of its part of tensor memory, in the upper half. b is a barrier for one.
 */
static inline void kernel(const char *target)
{
    tensor_length = 0;
    line(".version 9.0\n.target %s\n.address_size 64", target);
    line(".extern .shared .align 1024 .b8 dynamic[];");
    line(".visible .entry k(.param .u64 out, .param .u64 in) {");
    line(".reg .b16 %%h<9>; .reg .b32 %%r<1200>; .reg .u64 %%rd<40>; .reg .pred %%p<9>;");
    line(".shared .align 16 .b64 b[2]; .shared .align 16 .b32 s[8];");
    line("ld.param.u64 %%rd0, [out]; ld.param.u64 %%rd1, [in]; mov.u32 %%r0, %%tid.x;");
    line("shr.u32 %%r1, %%r0, 5; and.b32 %%r2, %%r0, 31; and.b32 %%r3, %%r1, 3; shl.b32 %%r3, "
         "%%r3, 21;");
    line("setp.eq.u32 %%p0, %%r0, 0; setp.eq.u32 %%p1, %%r1, 0;");
    line("@%%p0 mbarrier.init.shared.b64 [b], 1; bar.sync 0;");
}

/* Allocates, and leaves the address in %r4. */
static inline void allocates(unsigned columns)
{
    line("@%%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], %u; bar.sync 0;",
         columns);
    line("ld.shared.b32 %%r4, [s]; add.u32 %%r5, %%r4, %%r3;");
}

static inline void frees(unsigned columns)
{
    line("bar.sync 0;");
    line("@%%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%r4, %u;", columns);
}

/* Tells the barrier what thread 0 has issued, and waits for it. */
static inline void commits(void)
{
    line("@%%p0 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [b];");
    line("{ .reg .pred %%w; W: mbarrier.try_wait.parity.shared.b64 %%w, [b], 0; @!%%w bra W; }");
    line("tcgen05.fence::after_thread_sync;");
}

/* Device 0 has capability 10.0, and device 1 10.3. */
static inline void tensor_begin(int device)
{
    static bool made;
    CUcontext context = NULL;

    if (!made)
        cr_assert(eq(int,
                     cushim_mock_configure(
                         cushim_mock_config(.devices = "h200,h200",
                                            .settings = "device.0.compute_capability = 10.0\n"
                                                        "device.1.compute_capability = 10.3\n")),
                     CUSHIM_OK));
    made = true;
    start();
    OK(mock_cuDevicePrimaryCtxReset_v2(device)); /* after a fault of the test before */
    OK(mock_cuDevicePrimaryCtxRetain(&context, device));
    OK(mock_cuCtxSetCurrent(context));
    cushim_mock_findings_clear();
}

/* A launch of the text: how many blocks and threads, and of how many blocks a cluster is. */
struct tensor_launch {
    int device;
    unsigned blocks, threads, cluster, shared;
};

static inline CUresult launch(struct tensor_launch of)
{
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    CUlaunchConfig config = {.gridDimX = of.blocks,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = of.threads,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .sharedMemBytes = of.shared,
                             .attrs = &attribute,
                             .numAttrs = 1};
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr out, in;
    void *params[] = {&out, &in};
    CUresult result;

    attribute.value.clusterDim.x = of.cluster;
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    line("ret; }");
    cr_assert(lt(sz, tensor_length, sizeof(tensor_text)));
    tensor_begin(of.device);
    out = allocate(sizeof(tensor_words));
    in = allocate(sizeof(tensor_input));
    OK(mock_cuMemsetD32_v2(out, 0, TENSOR_WORDS));
    OK(mock_cuMemcpyHtoD_v2(in, tensor_input, sizeof(tensor_input)));
    OK(mock_cuModuleLoadData(&module, tensor_text));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    OK(mock_cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               (int) of.shared));
    OK(mock_cuLaunchKernelEx(&config, function, params, NULL));
    result = mock_cuCtxSynchronize();
    if (result == CUDA_SUCCESS)
        OK(mock_cuMemcpyDtoH_v2(tensor_words, out, sizeof(tensor_words)));
    return result;
}

static inline CUresult one_block(void)
{
    return launch((struct tensor_launch){.blocks = 1, .threads = 128, .cluster = 1});
}

/* There are so many findings; the first has this text in it. */
static inline void finds(size_t n, const char *part)
{
    const struct cushim_mock_finding *all = NULL;
    const size_t count = cushim_mock_findings(&all);

    cr_expect(eq(sz, count, n), "%s", count ? all[0].text : "");
    if (n && count)
        cr_expect(ne(ptr, (void *) strstr(all[0].text, part), NULL), "'%s' is not in '%s'", part,
                  all[0].text);
}

#endif
