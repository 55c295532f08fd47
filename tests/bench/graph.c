/* SPDX-License-Identifier: MIT */
/*
 * What graphs give and cost on a driver.
 *
 * bench_graph LIBRARY    a driver's path, or "auto"
 *
 * Three things are measured, each beside the other way in the same run: kernels of a graph that
 * share no memory, against the same kernels on one stream; the launch of a graph of 100 small
 * kernels, against 100 launches, until they are submitted and until they are done; and changing one
 * value of a graph, against the driver's own cuGraphExecKernelNodeSetParams().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cushim/cushim.h>

#include "calls.h"

enum { SIDE_BY_SIDE = 8, NODES = 100, ROUNDS = 101, N = 256 };

static const char ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry touch(.param .u64 a, .param .u32 n) { ret; }\n"
    /* Ends after 200 microseconds of the device's clock. */
    ".visible .entry spin(.param .u64 a, .param .u32 n) {\n.reg .u64 %b, %t, %d; .reg .pred %p;\n"
    "mov.u64 %b, %globaltimer;\nL: mov.u64 %t, %globaltimer; sub.u64 %d, %t, %b;\n"
    "setp.lt.u64 %p, %d, 200000; @%p bra L; ret; }\n";

static cushim_context context;
static cushim_stream stream;
static cushim_slice memory[SIDE_BY_SIDE];
static cushim_function touch, spin;
static const cushim_entry *table;

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec * 1e6 + (double) t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t) n, sizeof(*values), compare);
    return values[n / 2];
}

static void prepare(const char *library)
{
    cushim_driver driver;
    cushim_module module;

    TRY(cushim_open(cushim_open_params(.library = strcmp(library, "auto") ? library : NULL),
                    &driver));
    TRY(cushim_context_primary(driver, 0, &context));
    TRY(cushim_context_set_current(context));
    TRY(cushim_stream_new(context, NULL, &stream));
    TRY(cushim_module_load_text(context, ptx, NULL, &module));
    TRY(cushim_module_function(module, "touch", &touch));
    TRY(cushim_module_function(module, "spin", &spin));
    for (int i = 0; i < SIDE_BY_SIDE; i++)
        TRY(cushim_slice_zeros(stream, sizeof(float), N, &memory[i]));
    TRY(cushim_stream_synchronize(stream));
    table = cushim_driver_functions(driver, CUSHIM_CUDA_ROWS);
}

/* Launches n kernels, each with one of the slices. */
static void launch(cushim_stream on, cushim_function function, int n, int slices, unsigned value)
{
    for (int i = 0; i < n; i++)
        TRY(cushim_launch(on, function, cushim_for_elements(1), CUSHIM_INOUT(memory[i % slices]),
                          CUSHIM_VALUE(value)));
}

static cushim_graph record(cushim_function function, int n, int slices)
{
    cushim_stream recorder;
    cushim_graph graph;

    TRY(cushim_capture_begin(context, &recorder));
    launch(recorder, function, n, slices, 0);
    TRY(cushim_capture_end(&recorder, &graph));
    TRY(cushim_graph_upload(graph, stream));
    TRY(cushim_graph_launch(graph, stream));
    TRY(cushim_stream_synchronize(stream));
    return graph;
}

static void bench_side_by_side(void)
{
    cushim_graph graph = record(spin, SIDE_BY_SIDE, SIDE_BY_SIDE);
    double one_stream[ROUNDS], as_graph[ROUNDS], one, other;

    for (int i = 0; i < ROUNDS; i++) {
        double begun = now_us();

        launch(stream, spin, SIDE_BY_SIDE, SIDE_BY_SIDE, 0);
        TRY(cushim_stream_synchronize(stream));
        one_stream[i] = now_us() - begun;
        begun = now_us();
        TRY(cushim_graph_launch(graph, stream));
        TRY(cushim_stream_synchronize(stream));
        as_graph[i] = now_us() - begun;
    }
    one = median(one_stream, ROUNDS);
    other = median(as_graph, ROUNDS);
    printf("%d kernels of 200 us that share nothing: %.1f us on one stream, %.1f us as a graph, "
           "%.2f side by side\n",
           SIDE_BY_SIDE, one, other, one / other);
    cushim_graph_free(&graph);
}

static void bench_launch(int slices, const char *what)
{
    cushim_graph graph = record(touch, NODES, slices);
    double by_one[2][ROUNDS], as_graph[2][ROUNDS], m[4];

    for (int i = 0; i < ROUNDS; i++) {
        double begun = now_us();

        launch(stream, touch, NODES, slices, 0);
        by_one[0][i] = now_us() - begun;
        TRY(cushim_stream_synchronize(stream));
        by_one[1][i] = now_us() - begun;
        begun = now_us();
        TRY(cushim_graph_launch(graph, stream));
        as_graph[0][i] = now_us() - begun;
        TRY(cushim_stream_synchronize(stream));
        as_graph[1][i] = now_us() - begun;
    }
    for (int i = 0; i < 2; i++) {
        m[i] = median(by_one[i], ROUNDS);
        m[2 + i] = median(as_graph[i], ROUNDS);
    }
    printf("%d small kernels, %s: submitted in %.1f us one by one, %.1f us as a graph (%.2f); done "
           "in %.1f and %.1f us (%.2f)\n",
           NODES, what, m[0], m[2], m[2] / m[0], m[1], m[3], m[3] / m[1]);
    cushim_graph_free(&graph);
}

/* CUDA_KERNEL_NODE_PARAMS of CUDA 10 to 11. */
struct kernel_node {
    void *function;
    unsigned grid[3], block[3], shared_bytes;
    void **values, **extra;
};

static void change(cushim_graph graph, cushim_node node, unsigned value)
{
    cushim_stream recorder;

    TRY(cushim_graph_update_begin(graph, &recorder));
    TRY(cushim_graph_update_node(recorder, node));
    TRY(cushim_launch(recorder, touch, cushim_for_elements(1), CUSHIM_INOUT(memory[0]),
                      CUSHIM_VALUE(value)));
    TRY(cushim_graph_update_end(&recorder));
}

static void change_all(cushim_graph graph, unsigned value)
{
    cushim_stream recorder;

    TRY(cushim_graph_update_begin(graph, &recorder));
    launch(recorder, touch, NODES, 1, value);
    TRY(cushim_graph_update_end(&recorder));
}

static void bench_change(void)
{
    cushim_graph graph = record(touch, NODES, 1), anew;
    double raw[ROUNDS], one[ROUNDS], all[ROUNDS], made[ROUNDS], replaced[ROUNDS];
    void *cu, *exec, *nodes[NODES];
    size_t n = NODES;
    struct kernel_node params;
    cushim_node node;

    TRY(cushim_graph_node(graph, 0, &node));
    TRY(cushim_graph_raw(graph, &cu, &exec));
    CU(cuGraphGetNodes, (void *, void **, size_t *), (cu, nodes, &n));
    CU(cuGraphKernelNodeGetParams, (void *, void *), (nodes[0], &params));
    for (int i = 0; i < ROUNDS; i++) {
        double begun = now_us();

        CU(cuGraphExecKernelNodeSetParams, (void *, void *, const void *),
           (exec, nodes[0], &params));
        raw[i] = now_us() - begun;
        begun = now_us();
        change(graph, node, (unsigned) i);
        one[i] = now_us() - begun;
        begun = now_us();
        change_all(graph, (unsigned) i);
        all[i] = now_us() - begun;
        begun = now_us();
        TRY(cushim_graph_replace(graph, memory[0], memory[1]));
        replaced[i] = now_us() - begun;
        TRY(cushim_graph_replace(graph, memory[1], memory[0]));
        begun = now_us();
        anew = record(touch, NODES, 1);
        made[i] = now_us() - begun;
        cushim_graph_free(&anew);
        CU(cuGraphKernelNodeGetParams, (void *, void *), (nodes[0], &params));
    }
    printf("a change of one of %d nodes: %.2f us by the driver's function, %.2f us as an update; of "
           "all nodes %.1f us, a slice everywhere %.1f us; made anew and launched %.1f us\n",
           NODES, median(raw, ROUNDS), median(one, ROUNDS), median(all, ROUNDS),
           median(replaced, ROUNDS), median(made, ROUNDS));
    cushim_graph_free(&graph);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s LIBRARY\n", argv[0]);
        return 2;
    }
    prepare(argv[1]);
    bench_side_by_side();
    bench_launch(1, "one after another");
    bench_launch(SIDE_BY_SIDE, "8 side by side");
    bench_change();
    return 0;
}
