/* SPDX-License-Identifier: MIT */
/* What the tests of conditional nodes share: kernels, handles and nodes. */
#ifndef CUSHIM_TESTS_MOCK_CONDITIONAL_H
#define CUSHIM_TESTS_MOCK_CONDITIONAL_H

#include "graphs.h"

#if CUDA_VERSION >= 12080

enum { IF = CU_GRAPH_COND_TYPE_IF, WHILE = CU_GRAPH_COND_TYPE_WHILE };
enum { SWITCH = CU_GRAPH_COND_TYPE_SWITCH };

/* clang-format off */
static const char conditional_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"
    ".visible .entry set(.param .u64 handle, .param .u32 value){\n"
    "  .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
    "  ld.param.u64 %rd1,[handle]; ld.param.u32 %r1,[value];\n"
    "  { .param .b64 a; .param .b32 b; st.param.b64 [a],%rd1; st.param.b32 [b],%r1;\n"
    "  call.uni cudaGraphSetConditional,(a,b); }\n"
    "  ret;\n}\n"
    /* *p += 1; the value is 1 while that is less than the limit */
    ".visible .entry loop(.param .u64 p, .param .u64 handle, .param .u32 limit){\n"
    "  .reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<3>;\n"
    "  ld.param.u64 %rd1,[p]; ld.param.u64 %rd2,[handle]; ld.param.u32 %r1,[limit];\n"
    "  ld.global.u32 %r2,[%rd1]; add.u32 %r2,%r2,1; st.global.u32 [%rd1],%r2;\n"
    "  setp.lt.u32 %p1,%r2,%r1; selp.u32 %r3,1,0,%p1;\n"
    "  { .param .b64 a; .param .b32 b; st.param.b64 [a],%rd2; st.param.b32 [b],%r3;\n"
    "  call.uni cudaGraphSetConditional,(a,b); }\n"
    "  ret;\n}\n"
    /* *p = 10 * *p + digit */
    ".visible .entry digit(.param .u64 p, .param .u32 digit){\n"
    "  .reg .b32 %r<4>; .reg .b64 %rd<2>;\n"
    "  ld.param.u64 %rd1,[p]; ld.param.u32 %r1,[digit];\n"
    "  ld.global.u32 %r2,[%rd1]; mad.lo.u32 %r3,%r2,10,%r1; st.global.u32 [%rd1],%r3;\n"
    "  ret;\n}\n";
/* clang-format on */

static CUcontext context;
static CUmodule module;
static CUfunction set, loop, digit;
static CUgraph graph;

static inline void begin_conditional(void)
{
    begin();
    OK(mock_cuCtxGetCurrent(&context));
    OK(mock_cuModuleLoadData(&module, conditional_ptx));
    OK(mock_cuModuleGetFunction(&set, module, "set"));
    OK(mock_cuModuleGetFunction(&loop, module, "loop"));
    OK(mock_cuModuleGetFunction(&digit, module, "digit"));
    graph = new_graph();
}

/* --- what the tests are made of --- */

static inline CUgraphConditionalHandle new_handle_of(CUgraph of, unsigned value)
{
    CUgraphConditionalHandle handle = 0;

    OK(mock_cuGraphConditionalHandleCreate(&handle, of, context, value,
                                           CU_GRAPH_COND_ASSIGN_DEFAULT));
    return handle;
}

static inline CUgraphConditionalHandle new_handle(unsigned value)
{
    return new_handle_of(graph, value);
}

static inline CUgraphNodeParams params_of(CUgraphConditionalHandle handle, int type, unsigned size)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};

    params.conditional.handle = handle;
    params.conditional.type = (CUgraphConditionalNodeType) type;
    params.conditional.size = size;
    params.conditional.ctx = context;
    return params;
}

/* A node, and its bodies, which it keeps. */
struct conditional {
    CUgraphNode node;
    CUgraph *bodies;
};

static inline struct conditional add_in(CUgraph in, CUgraphNode after,
                                        CUgraphConditionalHandle handle, int type, unsigned size)
{
    CUgraphNodeParams params = params_of(handle, type, size);
    struct conditional made = {NULL, NULL};

    OK(mock_cuGraphAddNode_v2(&made.node, in, &after, NULL, after != NULL, &params));
    made.bodies = params.conditional.phGraph_out;
    return made;
}

static inline struct conditional add(CUgraphConditionalHandle handle, int type, unsigned size)
{
    return add_in(graph, NULL, handle, type, size);
}

static inline CUresult refuses(CUgraphConditionalHandle handle, int type, unsigned size)
{
    CUgraphNodeParams params = params_of(handle, type, size);
    CUgraphNode node = NULL;

    return mock_cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &params);
}

static inline CUgraphNode add_kernel(CUgraph in, CUgraphNode after, CUfunction function,
                                     void **list)
{
    const CUDA_KERNEL_NODE_PARAMS_v2 params = {.func = function,
                                               .gridDimX = 1,
                                               .gridDimY = 1,
                                               .gridDimZ = 1,
                                               .blockDimX = 1,
                                               .blockDimY = 1,
                                               .blockDimZ = 1,
                                               .kernelParams = list};
    CUgraphNode node = NULL;

    OK(mock_cuGraphAddKernelNode_v2(&node, in, &after, after != NULL, &params));
    return node;
}

static inline CUgraphNode add_set(CUgraph in, CUgraphNode after, CUgraphConditionalHandle handle,
                                  unsigned value_of_it)
{
    return add_kernel(in, after, set, (void *[]){&handle, &value_of_it});
}

static inline CUgraphNode add_digit(CUgraph in, CUgraphNode after, unsigned n)
{
    return add_kernel(in, after, digit, (void *[]){&word, &n});
}

/* A memset of the number: one access, so one finding. */
static inline CUgraphNode add_fill(CUgraph in)
{
    const CUDA_MEMSET_NODE_PARAMS fill = {
        .dst = word, .value = 6, .elementSize = 4, .width = 1, .height = 1};
    CUgraphNode node = NULL;

    OK(mock_cuGraphAddMemsetNode(&node, in, NULL, 0, &fill, context));
    return node;
}

static inline CUgraphNode add_loop(CUgraph in, CUgraphNode after, CUgraphConditionalHandle handle,
                                   unsigned limit)
{
    return add_kernel(in, after, loop, (void *[]){&word, &handle, &limit});
}

/* The number after a launch that begins with 0. */
static inline unsigned launched(CUgraphExec exec)
{
    OK(mock_cuMemsetD32Async(word, 0, 1, one));
    OK(mock_cuGraphLaunch(exec, one));
    return value();
}

/* The number that the bodies leave, each its own digit from 1 on. */
static inline unsigned done_by(int type, unsigned size, unsigned first)
{
    struct conditional made;

    graph = new_graph();
    made = add(new_handle(first), type, size);
    for (unsigned i = 0; i < size; i++)
        add_digit(made.bodies[i], NULL, i + 1);
    return launched(instantiate(graph));
}

static inline CUgraphExec new_loop(unsigned limit)
{
    CUgraphConditionalHandle handle;

    graph = new_graph();
    handle = new_handle(1);
    add_loop(add(handle, WHILE, 1).bodies[0], NULL, handle, limit);
    return instantiate(graph);
}

#endif

#endif
