/* SPDX-License-Identifier: MIT */
/*
 * bench_mock LIBRARY: what calls of the mock cost, through the table, with 1 to 8 threads that
 * each have a stream. Medians over rounds, per call. Budget: a launch of an empty host
 * kernel, 1 us with one thread.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>
#include <cushim/table.h>

enum { ROUNDS = 21, CALLS = 500, MOST_THREADS = 8, NODES = 16 };

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry nothing() { ret; }\n";

static const struct cushim_cuda_api *cu;
static CUcontext context;
static CUfunction nothing;

struct worker {
    CUstream stream;
    CUevent event;
    CUgraphExec graph; /* of NODES empty kernels in a row */
    CUdeviceptr memory;
    char *pinned;
};

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const int try_result = (int) (call);                                                       \
        if (try_result) {                                                                          \
            fprintf(stderr, "%s answers %d\n", #call, try_result);                                 \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static void do_nothing(const struct cushim_mock_launch *launch, void *const *args)
{
    (void) launch;
    (void) args;
}

static void bench_launch(struct worker *w)
{
    TRY(cu->cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, w->stream, NULL, NULL));
}

static void bench_graph(struct worker *w)
{
    TRY(cu->cuGraphLaunch(w->graph, w->stream));
}

static void bench_record_and_wait(struct worker *w)
{
    TRY(cu->cuEventRecord(w->event, w->stream));
    TRY(cu->cuStreamWaitEvent(w->stream, w->event, 0));
}

static void bench_alloc_and_free(struct worker *w)
{
    CUdeviceptr p;

    (void) w;
    TRY(cu->cuMemAlloc(&p, 4096));
    TRY(cu->cuMemFree(p));
}

static void bench_alloc_and_free_async(struct worker *w)
{
    CUdeviceptr p;

    TRY(cu->cuMemAllocAsync(&p, 4096, w->stream));
    TRY(cu->cuMemFreeAsync(p, w->stream));
}

static void bench_copy_64k(struct worker *w)
{
    TRY(cu->cuMemcpyHtoDAsync(w->memory, w->pinned, 1 << 16, w->stream));
}

static void bench_memcpy_64k(struct worker *w)
{
    static _Thread_local char bytes[1 << 16];

    memcpy(bytes, w->pinned, sizeof(bytes));
    __asm__ volatile("" : : "r"(bytes) : "memory");
}

static const struct {
    const char *name;
    void (*call)(struct worker *w);
} benches[] = {
    {"launch of an empty kernel", bench_launch},
    {"launch of a graph of 16 of them", bench_graph},
    {"event record and wait", bench_record_and_wait},
    {"alloc and free, 4 KiB", bench_alloc_and_free},
    {"the same in stream order", bench_alloc_and_free_async},
    {"copy of 64 KiB from pinned memory", bench_copy_64k},
    {"memcpy() of 64 KiB, for comparison", bench_memcpy_64k},
};

struct job {
    void (*call)(struct worker *w);
    pthread_barrier_t *begin, *end;
};

static int compare(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

static CUgraphExec new_graph(struct worker *w)
{
    CUgraph graph;
    CUgraphExec exec;

    TRY(cu->cuStreamBeginCapture(w->stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    for (int i = 0; i < NODES; i++)
        bench_launch(w);
    TRY(cu->cuStreamEndCapture(w->stream, &graph));
    TRY(cu->cuGraphInstantiateWithFlags(&exec, graph, 0));
    TRY(cu->cuGraphDestroy(graph));
    return exec;
}

static void prepare(struct worker *w)
{
    TRY(cu->cuCtxSetCurrent(context));
    TRY(cu->cuStreamCreate(&w->stream, CU_STREAM_NON_BLOCKING));
    TRY(cu->cuEventCreate(&w->event, CU_EVENT_DISABLE_TIMING));
    TRY(cu->cuMemAlloc(&w->memory, 1 << 16));
    TRY(cu->cuMemHostAlloc((void **) &w->pinned, 1 << 16, 0));
    memset(w->pinned, 1, 1 << 16);
    w->graph = new_graph(w);
}

static void finish(struct worker *w)
{
    TRY(cu->cuGraphExecDestroy(w->graph));
    TRY(cu->cuMemFreeHost(w->pinned));
    TRY(cu->cuMemFree(w->memory));
    TRY(cu->cuEventDestroy(w->event));
    TRY(cu->cuStreamDestroy(w->stream));
}

static void *work(void *pointer)
{
    const struct job *job = pointer;
    struct worker w;

    prepare(&w);
    pthread_barrier_wait(job->begin);
    for (int i = 0; i < CALLS; i++)
        job->call(&w);
    TRY(cu->cuStreamSynchronize(w.stream));
    pthread_barrier_wait(job->end);
    finish(&w);
    return NULL;
}

/* From the moment all threads are ready to the moment the last is done, a call of one thread. */
static double measure(void (*call)(struct worker *w), unsigned n)
{
    pthread_t threads[MOST_THREADS];
    pthread_barrier_t begin, end;
    struct job job = {call, &begin, &end};
    double start;

    pthread_barrier_init(&begin, NULL, n + 1);
    pthread_barrier_init(&end, NULL, n + 1);
    for (unsigned i = 0; i < n; i++)
        TRY(pthread_create(&threads[i], NULL, work, &job));
    pthread_barrier_wait(&begin);
    start = now();
    pthread_barrier_wait(&end);
    start = now() - start;
    for (unsigned i = 0; i < n; i++)
        TRY(pthread_join(threads[i], NULL));
    pthread_barrier_destroy(&begin);
    pthread_barrier_destroy(&end);
    return start / CALLS;
}

static double median(void (*call)(struct worker *w), unsigned n)
{
    double all[ROUNDS];

    for (int i = 0; i < ROUNDS; i++)
        all[i] = measure(call, n);
    qsort(all, ROUNDS, sizeof(all[0]), compare);
    return all[ROUNDS / 2];
}

int main(int argc, char **argv)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUmodule module;

    if (cushim_open(cushim_open_params(.library = argc > 1 ? argv[1] : "mock"), &driver)) {
        fprintf(stderr, "%s\n", cushim_error_text());
        return 1;
    }
    cu = cushim_cuda(driver);
    TRY(cushim_mock_register_kernel("nothing", do_nothing, NULL));
    TRY(cu->cuDevicePrimaryCtxRetain(&context, 0));
    TRY(cu->cuCtxSetCurrent(context));
    TRY(cu->cuModuleLoadData(&module, ptx));
    TRY(cu->cuModuleGetFunction(&nothing, module, "nothing"));
    printf("%-36s %9s %9s %9s %9s   ns a call of one thread, its work included\n", "threads", "1",
           "2", "4", "8");
    for (size_t i = 0; i < sizeof(benches) / sizeof(benches[0]); i++) {
        printf("%-36s", benches[i].name);
        for (unsigned n = 1; n <= MOST_THREADS; n *= 2)
            printf(" %9.0f", median(benches[i].call, n));
        printf("\n");
    }
    return 0;
}
