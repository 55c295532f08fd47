/* SPDX-License-Identifier: MIT */
/* Graphs that are built node by node. */
#include "ask.h"

struct subject {
    CUgraph graph;
    CUgraphNode first, second;
    CUgraphExec exec;
    CUstream stream;
    CUdeviceptr p;
    unsigned v, n;
    void *params[3];
    CUDA_KERNEL_NODE_PARAMS kernel;
};

static void set_up(struct subject *subject)
{
    begin();
    *subject = (struct subject){.v = 2, .n = 4};
    subject->params[0] = &subject->p;
    subject->params[1] = &subject->v;
    subject->params[2] = &subject->n;
    subject->kernel = (CUDA_KERNEL_NODE_PARAMS){
        .func = get_kernel(load_kernels(), "addk"),
        .gridDimX = 1,
        .gridDimY = 1,
        .gridDimZ = 1,
        .blockDimX = 4,
        .blockDimY = 1,
        .blockDimZ = 1,
        .kernelParams = subject->params,
    };
    subject->p = new_memory(64);
    subject->stream = new_stream();
}

/* Two kernels in a row, and an empty node after them. */
static void ask_build(struct subject *subject)
{
    CUgraphNode empty;

    ASK("create", cuGraphCreate, (&subject->graph, 0));
    ASK("create_badflags", cuGraphCreate, (&subject->graph, 5));
    CALL(cuGraphCreate, (&subject->graph, 0));
    ASK("addkernel", cuGraphAddKernelNode_v2,
        (&subject->first, subject->graph, NULL, 0, &subject->kernel));
    subject->v = 10;
    ASK("addkernel2", cuGraphAddKernelNode_v2,
        (&subject->second, subject->graph, &subject->first, 1, &subject->kernel));
    ASK("addempty", cuGraphAddEmptyNode, (&empty, subject->graph, &subject->second, 1));
}

static void ask_nodes(struct subject *subject)
{
    CUgraphNodeType type = (CUgraphNodeType) 99;
    size_t count = 99;

    ASK("type", cuGraphNodeGetType, (subject->first, &type));
    report("type_v", type);
    ASK("roots", cuGraphGetRootNodes, (subject->graph, NULL, &count));
    report("roots_v", (long long) count);
    ASK("inst", cuGraphInstantiateWithFlags, (&subject->exec, subject->graph, 0));
    CALL(cuGraphGetNodes, (subject->graph, NULL, &count));
    report("nodes", (long long) count);
}

static void ask_launch_of(struct subject *subject, const char *key, const char *value_key)
{
    int value = -1;

    ASK(key, cuGraphLaunch, (subject->exec, subject->stream));
    wait_for(subject->stream);
    read_ints(&value, subject->p, sizeof(value));
    report(value_key, value);
}

static void ask_launches(struct subject *subject)
{
    ask_launch_of(subject, "launch", "v");
    ASK("upload", cuGraphUpload, (subject->exec, subject->stream));
    subject->v = 100;
    ASK("setparams", cuGraphExecKernelNodeSetParams_v2,
        (subject->exec, subject->first, &subject->kernel));
    ask_launch_of(subject, "launch2", "v2");
}

static void ask_cycle(void)
{
    CUgraphExec exec = NULL;
    CUgraph graph = NULL;
    CUgraphNode a = NULL, b = NULL;

    CALL(cuGraphCreate, (&graph, 0));
    CALL(cuGraphAddEmptyNode, (&a, graph, NULL, 0));
    CALL(cuGraphAddEmptyNode, (&b, graph, &a, 1));
    ASK("dep_cycle", cuGraphAddDependencies, (graph, &b, &a, 1));
    ASK("dep_dup", cuGraphAddDependencies, (graph, &a, &b, 1));
    ASK("inst_cycle", cuGraphInstantiateWithFlags, (&exec, graph, 0));
}

void ask_graph(void)
{
    struct subject subject;
    CUgraph copy;
    CUgraphNode node;

    set_up(&subject);
    ask_build(&subject);
    ask_nodes(&subject);
    ask_launches(&subject);
    ask_cycle();
    subject.kernel.gridDimX = 0;
    ASK("addkernel_grid0", cuGraphAddKernelNode_v2,
        (&node, subject.graph, NULL, 0, &subject.kernel));
    ASK("clone", cuGraphClone, (&copy, subject.graph));
    ASK("destroynode", cuGraphDestroyNode, (subject.second));
}
