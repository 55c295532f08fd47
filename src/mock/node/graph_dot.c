/* SPDX-License-Identifier: MIT */
/* cuGraphDebugDotPrint: a graph in the language of Graphviz. */
#include <stdio.h>

#include "mock/base/state.h"
#include "mock/graph/graph.h"
#include "mock/launch/launch.h"
#include "mock/memory/copy.h"
#include "mock/memory/memset.h"
#include "mock/memory/stream_memops.h"
#include "mock/module/module.h"
#include "mock/node/graph_conditional.h"
#include "mock/node/graph_exec.h"
#include "mock/stream/event.h"

/* CUgraphDebugDot_flags: VERBOSE asks for all that follow it. Others are ignored. */
enum {
    VERBOSE = 1 << 0,
    HANDLES = 1 << 10,
};

static const char *type_name(CUgraphNodeType type)
{
    static const char *const names[] = {"KERNEL",         "MEMCPY",       "MEMSET",
                                        "HOST",           "GRAPH",        "EMPTY",
                                        "EVENT_WAIT",     "EVENT_RECORD", "EXT_SEMAS_SIGNAL",
                                        "EXT_SEMAS_WAIT", "MEM_ALLOC",    "MEM_FREE",
                                        "BATCH_MEM_OP",   "CONDITIONAL"};

    return names[type];
}

/* Shown by its number when its module is gone, and its name with it. */
static void print_kernel(FILE *file, const struct mock__work *work)
{
    const struct mock__request request = mock__kernel_request(work);
    const struct mock__function *function = mock__object_find(MOCK__FUNCTION, request.function);

    fprintf(file, "\\n%s\\n<<<(%u,%u,%u),(%u,%u,%u),%u>>>",
            function ? function->entry->name : "its module is gone", request.grid[0],
            request.grid[1], request.grid[2], request.block[0], request.block[1], request.block[2],
            request.shared_bytes);
}

static void print_copy(FILE *file, const struct mock__work *work)
{
    const struct mock__copy *copy = mock__copy_of_work(work);

    fprintf(file, "\\n0x%llx to 0x%llx\\n%zu x %zu x %zu bytes",
            (unsigned long long) copy->src.address, (unsigned long long) copy->dst.address,
            copy->width, copy->height, copy->depth);
}

static void print_fill(FILE *file, const struct mock__work *work)
{
    const struct mock__fill *fill = mock__fill_of_work(work);

    fprintf(file, "\\n0x%llx = %u\\n%zu x %zu elements of %zu bytes",
            (unsigned long long) fill->address, fill->value, fill->width, fill->height,
            fill->element);
}

static void print_values(FILE *file, const struct mock__work *work)
{
    unsigned n = 0;
    const CUstreamBatchMemOpParams *params = mock__values_of_work(work, &n);

    for (unsigned i = 0; i < n; i++) {
        const int type = (int) params[i].operation;

        if (type == MOCK__FLUSH || type == MOCK__BARRIER)
            fprintf(file, "\\n%s", type == MOCK__FLUSH ? "flush" : "barrier");
        else
            fprintf(file, "\\n%s 0x%llx, 0x%llx",
                    type == MOCK__WAIT_32 || type == MOCK__WAIT_64 ? "wait" : "write",
                    (unsigned long long) params[i].waitValue.address,
                    (unsigned long long) (type == MOCK__WAIT_32 || type == MOCK__WRITE_32
                                              ? params[i].waitValue.value
                                              : params[i].waitValue.value64));
    }
}

static void print_conditional(FILE *file, const struct mock__work *work)
{
    static const char *const kinds[] = {"if", "while", "switch"};
    const struct mock__conditional *conditional = mock__conditional_of_work(work);

    fprintf(file, "\\n%s 0x%llx\\n%u bodies", kinds[conditional->kind],
            (unsigned long long) conditional->handle, conditional->n);
}

static void print_params(FILE *file, const struct mock__node *node)
{
    const struct mock__work *work = node->work;

    switch ((int) mock__node_type(node)) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        print_kernel(file, work);
        break;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        print_copy(file, work);
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        print_fill(file, work);
        break;
    case CU_GRAPH_NODE_TYPE_HOST:
        fprintf(file, "\\n%p(%p)", *(void **) &mock__host_of_work(work)->fn,
                mock__host_of_work(work)->userData);
        break;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        fprintf(file, "\\n%p", (void *) mock__event_of_work(work));
        break;
    case MOCK__NODE_MEM_ALLOC:
    case MOCK__NODE_MEM_FREE:
        fprintf(file, "\\n0x%llx", (unsigned long long) mock__address_of_work(work));
        break;
    case MOCK__NODE_BATCH_MEM_OP:
        print_values(file, work);
        break;
    case MOCK__NODE_CONDITIONAL:
        print_conditional(file, work);
        break;
    default:
        break;
    }
}

/* Tells whether a flag asks for the type's parameters. Bits 2 to 8 are types, from kernels on. */
static bool wants_params(unsigned flags, CUgraphNodeType type)
{
    static const unsigned bits[] = {1 << 2, 1 << 3, 1 << 4, 1 << 5,  0,       0,       1 << 6,
                                    1 << 6, 1 << 7, 1 << 8, 1 << 11, 1 << 12, 1 << 13, 1 << 15};

    return flags & (VERBOSE | bits[type]);
}

static void print_node(FILE *file, const struct mock__node *node, const char *indent,
                       unsigned flags)
{
    const CUgraphNodeType type = mock__node_type(node);

    fprintf(file, "%s\"graph_%u_node_%u\" [label=\"%s", indent, node->graph->id, node->id,
            type_name(type));
    if (flags & (VERBOSE | HANDLES))
        fprintf(file, "\\n%p", MOCK__HANDLE(node));
    if (wants_params(flags, type))
        print_params(file, node);
    fprintf(file, "\"];\n");
}

static void print_graph(FILE *file, const struct mock__graph *graph, const char *indent,
                        unsigned flags)
{
    const struct mock__node *node;
    const struct mock__edge *edge;

    for (node = graph->first; node; node = node->next)
        print_node(file, node, indent, flags);
    for (node = graph->first; node; node = node->next)
        for (edge = node->after.first; edge; edge = edge->next_after)
            fprintf(file, "%s\"graph_%u_node_%u\" -> \"graph_%u_node_%u\";\n", indent, graph->id,
                    node->id, graph->id, edge->to->id);
}

/* A graph within is a box of its own, which says of which node it is. */
static void print_child(FILE *file, const struct mock__node *node, size_t i, unsigned flags)
{
    const struct mock__graph *graph = node->within[i];

    fprintf(file,
            "    subgraph \"cluster_%u\" {\n        label=\"graph_%u of graph_%u_node_%u\";\n",
            graph->id, graph->id, node->graph->id, node->id);
    print_graph(file, graph, "        ", flags);
    fprintf(file, "    }\n");
}

static void print_children(FILE *file, const struct mock__graph *graph, unsigned flags)
{
    for (const struct mock__node *node = graph->first; node; node = node->next) {
        for (size_t i = 0; i < node->n_within; i++) {
            print_child(file, node, i, flags);
            print_children(file, node->within[i], flags);
        }
    }
}

CUresult mock_cuGraphDebugDotPrint(CUgraph hGraph, const char *path, unsigned int flags)
{
    struct mock__graph *graph = NULL;
    bool failed;
    FILE *file;

    MOCK__ENTER_EARLY();
    MOCK__TRY(mock__graph_find(hGraph, &graph));
    MOCK__REQUIRE(path, CUDA_ERROR_INVALID_VALUE);
    file = fopen(path, "we");
    MOCK__REQUIRE(file, CUDA_ERROR_OPERATING_SYSTEM);
    fprintf(file, "digraph \"graph_%u\" {\n", graph->id);
    print_graph(file, graph, "    ", flags);
    print_children(file, graph, flags);
    fprintf(file, "}\n");
    failed = ferror(file);
    return fclose(file) || failed ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}
