/* SPDX-License-Identifier: MIT */
#include "conditional.h"

/* clang-format off */
static const char conditional_ptx[] =
    ".version 6.4\n"
    ".target sm_52\n"
    ".address_size 64\n"
    ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"

    ".visible .entry cond_set(.param .u64 handle, .param .u32 value){\n"
    "  .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
    "  ld.param.u64 %rd1,[handle]; ld.param.u32 %r1,[value];\n"
    "  { .param .b64 a; .param .b32 b; st.param.b64 [a],%rd1; st.param.b32 [b],%r1;\n"
    "  call.uni cudaGraphSetConditional,(a,b); }\n"
    "  ret;\n}\n"

    ".visible .entry cond_loop(.param .u64 p, .param .u64 handle, .param .u32 limit){\n"
    "  .reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<3>;\n"
    "  ld.param.u64 %rd1,[p]; ld.param.u64 %rd2,[handle]; ld.param.u32 %r1,[limit];\n"
    "  cvta.to.global.u64 %rd1,%rd1;\n"
    "  ld.global.u32 %r2,[%rd1]; add.u32 %r2,%r2,1; st.global.u32 [%rd1],%r2;\n"
    "  setp.lt.u32 %p1,%r2,%r1; selp.u32 %r3,1,0,%p1;\n"
    "  { .param .b64 a; .param .b32 b; st.param.b64 [a],%rd2; st.param.b32 [b],%r3;\n"
    "  call.uni cudaGraphSetConditional,(a,b); }\n"
    "  ret;\n}\n"

    ".visible .entry cond_digit(.param .u64 p, .param .u32 digit){\n"
    "  .reg .b32 %r<4>; .reg .b64 %rd<2>;\n"
    "  ld.param.u64 %rd1,[p]; ld.param.u32 %r1,[digit]; cvta.to.global.u64 %rd1,%rd1;\n"
    "  ld.global.u32 %r2,[%rd1]; mad.lo.u32 %r3,%r2,10,%r1; st.global.u32 [%rd1],%r3;\n"
    "  ret;\n}\n";
/* clang-format on */

struct conditional conditional_begin(void)
{
    struct conditional c = {.context = begin()};
    CUmodule module = NULL;

    ASK("load", cuModuleLoadData, (&module, conditional_ptx));
    c.set = get_kernel(module, "cond_set");
    c.loop = get_kernel(module, "cond_loop");
    c.digit = get_kernel(module, "cond_digit");
    c.stream = new_stream();
    c.number = new_memory(64);
    conditional_renew(&c);
    return c;
}

void conditional_renew(struct conditional *c)
{
    c->graph = NULL;
    CALL(cuGraphCreate, (&c->graph, 0));
}

CUgraphConditionalHandle conditional_handle(const struct conditional *c, CUgraph graph,
                                            unsigned value)
{
    CUgraphConditionalHandle handle = 0;

    CALL(cuGraphConditionalHandleCreate,
         (&handle, graph, c->context, value, CU_GRAPH_COND_ASSIGN_DEFAULT));
    return handle;
}

CUgraphNodeParams conditional_params(const struct conditional *c, CUgraphConditionalHandle handle,
                                     int type, unsigned size)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};

    params.conditional.handle = handle;
    params.conditional.type = (CUgraphConditionalNodeType) type;
    params.conditional.size = size;
    params.conditional.ctx = c->context;
    return params;
}

int conditional_add(CUgraph graph, CUgraphNode after, CUgraphNodeParams *params,
                    CUgraphNode *ret_node)
{
    return CALL(cuGraphAddNode_v2, (ret_node, graph, &after, NULL, after != NULL, params));
}

CUgraph conditional_body(const CUgraphNodeParams *params, unsigned i)
{
    return params->conditional.phGraph_out ? params->conditional.phGraph_out[i] : NULL;
}

static int add_kernel(CUgraph graph, CUgraphNode after, CUfunction function, void **list,
                      CUgraphNode *ret_node)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_KERNEL};

    params.kernel = (CUDA_KERNEL_NODE_PARAMS_v3){.func = function,
                                                 .gridDimX = 1,
                                                 .gridDimY = 1,
                                                 .gridDimZ = 1,
                                                 .blockDimX = 1,
                                                 .blockDimY = 1,
                                                 .blockDimZ = 1,
                                                 .kernelParams = list};
    return conditional_add(graph, after, &params, ret_node);
}

int conditional_add_set(const struct conditional *c, CUgraph graph, CUgraphNode after,
                        CUgraphConditionalHandle handle, unsigned value, CUgraphNode *ret_node)
{
    return add_kernel(graph, after, c->set, (void *[]){&handle, &value}, ret_node);
}

int conditional_add_digit(const struct conditional *c, CUgraph graph, CUgraphNode after,
                          unsigned digit, CUgraphNode *ret_node)
{
    CUdeviceptr number = c->number;

    return add_kernel(graph, after, c->digit, (void *[]){&number, &digit}, ret_node);
}

int conditional_add_loop(const struct conditional *c, CUgraph graph, CUgraphNode after,
                         CUgraphConditionalHandle handle, unsigned limit)
{
    CUdeviceptr number = c->number;
    CUgraphNode node = NULL;

    return add_kernel(graph, after, c->loop, (void *[]){&number, &handle, &limit}, &node);
}

CUgraphNode conditional_node(const struct conditional *c, CUgraphNode after,
                             CUgraphConditionalHandle handle, int type, unsigned size)
{
    CUgraphNodeParams params = conditional_params(c, handle, type, size);
    CUgraphNode node = NULL, digit = NULL;

    conditional_add(c->graph, after, &params, &node);
    for (unsigned i = 0; i < size; i++)
        conditional_add_digit(c, conditional_body(&params, i), NULL, i + 1, &digit);
    return node;
}

CUgraphExec conditional_instantiate(const struct conditional *c, const char *key)
{
    CUgraphExec exec = NULL;

    ASK(key, cuGraphInstantiateWithFlags, (&exec, c->graph, 0));
    return exec;
}

void conditional_launch(const struct conditional *c, CUgraphExec exec, const char *key)
{
    int number = -1;

    CALL(cuMemsetD8_v2, (c->number, 0, 64));
    wait_for_all();
    CALL(cuGraphLaunch, (exec, c->stream));
    wait_for(c->stream);
    read_ints(&number, c->number, sizeof(number));
    report(key, number);
}
