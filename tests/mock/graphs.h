/* SPDX-License-Identifier: MIT */
/* What the tests of graphs and captures share: a kernel, streams, and memory to look at. */
#ifndef CUSHIM_TESTS_MOCK_GRAPHS_H
#define CUSHIM_TESTS_MOCK_GRAPHS_H

#include <cushim/mock.h>
#include <string.h>

#include "support.h"

#define GLOBAL       CU_STREAM_CAPTURE_MODE_GLOBAL
#define THREAD_LOCAL CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
#define RELAXED      CU_STREAM_CAPTURE_MODE_RELAXED

static const char graphs_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry affine(.param .u64 p, .param .u32 factor, .param .u32 term) { ret; }\n";

static CUmodule graphs_module;
static CUfunction graphs_function;
static CUstream one, two;
static CUdeviceptr word; /* one word that kernels change */

/* *p = *p * factor + term: no other order gives the same. */
static void affine(const struct cushim_mock_launch *launch, void *const *args)
{
    unsigned *p = cushim_mock_pointer(*(uint64_t *) args[0], sizeof(*p));

    (void) launch;
    if (p)
        *p = *p * *(unsigned *) args[1] + *(unsigned *) args[2];
}

static inline void begin(void)
{
    start();
    cr_assert(eq(int, cushim_mock_register_kernel("affine", affine, NULL), CUSHIM_OK));
    OK(mock_cuModuleLoadData(&graphs_module, graphs_ptx));
    OK(mock_cuModuleGetFunction(&graphs_function, graphs_module, "affine"));
    OK(mock_cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
    OK(mock_cuStreamCreate(&two, CU_STREAM_NON_BLOCKING));
    word = allocate(sizeof(unsigned));
    OK(mock_cuMemsetD32_v2(word, 0, 1));
    OK(mock_cuCtxSynchronize());
}

static inline unsigned value(void)
{
    unsigned v = 0xdead;

    OK(mock_cuCtxSynchronize());
    OK(mock_cuMemcpyDtoH_v2(&v, word, sizeof(v)));
    return v;
}

/* Parameters of a kernel node, and what they point to. */
struct affine {
    CUdeviceptr p;
    unsigned factor, term;
    void *list[3];
    struct CUDA_KERNEL_NODE_PARAMS_st node;
};

static inline struct CUDA_KERNEL_NODE_PARAMS_st *affine_params(struct affine *a, unsigned factor,
                                                               unsigned term)
{
    *a = (struct affine){.p = word, .factor = factor, .term = term};
    a->list[0] = &a->p;
    a->list[1] = &a->factor;
    a->list[2] = &a->term;
    a->node = (struct CUDA_KERNEL_NODE_PARAMS_st){.func = graphs_function,
                                                  .gridDimX = 1,
                                                  .gridDimY = 1,
                                                  .gridDimZ = 1,
                                                  .blockDimX = 1,
                                                  .blockDimY = 1,
                                                  .blockDimZ = 1,
                                                  .kernelParams = a->list};
    return &a->node;
}

static inline CUgraph new_graph(void)
{
    CUgraph graph = NULL;

    OK(mock_cuGraphCreate(&graph, 0));
    return graph;
}

/* A kernel node behind another one, or behind none for NULL. */
static inline CUgraphNode add_affine(CUgraph graph, CUgraphNode after, unsigned factor,
                                     unsigned term)
{
    CUgraphNode node = NULL;
    struct affine a;

    OK(mock_cuGraphAddKernelNode(&node, graph, &after, after != NULL,
                                 affine_params(&a, factor, term)));
    return node;
}

static inline CUgraphNode add_empty(CUgraph graph, CUgraphNode after)
{
    CUgraphNode node = NULL;

    OK(mock_cuGraphAddEmptyNode(&node, graph, &after, after != NULL));
    return node;
}

static inline CUgraphExec instantiate(CUgraph graph)
{
    CUgraphExec exec = NULL;

    OK(mock_cuGraphInstantiateWithFlags(&exec, graph, 0));
    return exec;
}

static inline size_t count_nodes(CUgraph graph)
{
    size_t n = 999;

    OK(mock_cuGraphGetNodes(graph, NULL, &n));
    return n;
}

static inline size_t count_edges(CUgraph graph)
{
    size_t n = 999;

    OK(mock_cuGraphGetEdges(graph, NULL, NULL, &n));
    return n;
}

/* Launches a kernel in a stream, capturing or not. */
static inline CUresult launch_affine(CUstream stream, unsigned factor, unsigned term)
{
    struct affine a;

    affine_params(&a, factor, term);
    return mock_cuLaunchKernel(graphs_function, 1, 1, 1, 1, 1, 1, 0, stream, a.list, NULL);
}

static inline void silent(void)
{
    const struct cushim_mock_finding *findings = NULL;
    const size_t n = cushim_mock_findings(&findings);

    cr_expect(eq(sz, n, 0), "the first is: %s", n ? findings[0].text : "");
}

/* One finding of this kind, whose text has both words. */
static inline void found(enum cushim_mock_finding_kind kind, const char *word1, const char *word2)
{
    const struct cushim_mock_finding *findings = NULL;
    const size_t n = cushim_mock_findings(&findings);

    cr_assert(eq(sz, n, 1));
    cr_expect(eq(int, findings[0].kind, kind), "%s", findings[0].text);
    cr_expect(ne(ptr, (void *) strstr(findings[0].text, word1), NULL), "no '%s' in: %s", word1,
              findings[0].text);
    cr_expect(ne(ptr, (void *) strstr(findings[0].text, word2), NULL), "no '%s' in: %s", word2,
              findings[0].text);
}

#endif
