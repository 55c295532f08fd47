/* SPDX-License-Identifier: MIT */
/*
 * stress SEED [SECONDS]: 8 threads with 16 streams each do random legal work for so long, 2 s
 * unless said, and compare with the same work done in program order on the host. Every
 * dependency between streams is told: by an event, by a value in memory, by an event of the whole
 * context, or by a wait of the host. Plain, so that the thread sanitizer can watch it. Status 1
 * if anything differs, if the mock finds a mistake, or if something is left behind.
 */
#include <cushim/mock.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../mock/check.h"
#include "mock/functions.h"

/* The last of the buffers are pinned memory of the host. */
enum { THREADS = 8, STREAMS = 16, BUFFERS = 8, PINNED = 3, WORDS = 32, BYTES = WORDS * 4 };

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry mix(.param .u64 to, .param .u64 from, .param .u32 v) { ret; }\n"
    ".visible .entry reverse(.param .u64 to) { ret; }\n";

static struct timespec end;
static atomic_ulong n_done[16]; /* by kind of work */

/* --- what is done to words, on the device and in the reference --- */

/* to[i] = 3 * to[i] + from[i] + v, which no other order gives. */
static void mix_words(unsigned *to, const unsigned *from, unsigned v)
{
    for (int i = 0; i < WORDS; i++)
        to[i] = 3 * to[i] + from[i] + v;
}

static void reverse_words(unsigned *words)
{
    for (int i = 0; i < WORDS / 2; i++) {
        const unsigned word = words[i];

        words[i] = words[WORDS - 1 - i];
        words[WORDS - 1 - i] = word;
    }
}

static void mix(const struct cushim_mock_launch *launch, void *const *args)
{
    unsigned *to = cushim_mock_pointer(*(uint64_t *) args[0], BYTES);
    const unsigned *from = cushim_mock_input(*(uint64_t *) args[1], BYTES);

    (void) launch;
    if (to && from)
        mix_words(to, from, *(unsigned *) args[2]);
}

static void reverse_one(const struct cushim_mock_thread *thread, void *data)
{
    unsigned *words = data, *shared = cushim_mock_shared(thread, "words", BYTES);
    const unsigned i = thread->thread_index[0];

    if (!shared)
        return;
    shared[i] = words[i];
    cushim_mock_barrier(thread);
    words[i] = shared[WORDS - 1 - i];
}

static void reverse(const struct cushim_mock_launch *launch, void *const *args)
{
    unsigned *words = cushim_mock_pointer(*(uint64_t *) args[0], BYTES);

    if (words)
        cushim_mock_for_each_thread(launch, reverse_one, words);
}

/* --- one thread's world --- */

/* What was submitted to a buffer last is over when the event, or the value, is reached. */
struct buffer {
    CUdeviceptr address;
    CUevent event;
    CUdeviceptr flag;
    unsigned value;
    bool by_value;
    unsigned expected[WORDS];
};

struct world {
    unsigned random;
    CUcontext context;
    CUfunction mix, reverse;
    CUstream streams[STREAMS];
    CUevent event;
    struct buffer buffers[BUFFERS];
};

static unsigned draw(struct world *w, unsigned below)
{
    w->random = w->random * 1664525u + 1013904223u;
    return (w->random >> 16) % below;
}

static bool is_pinned(const struct world *w, const struct buffer *buffer)
{
    return buffer - w->buffers >= BUFFERS - PINNED;
}

/* The values of streams came with CUDA 11.7. */
#if CUDA_VERSION >= 11070
#define WAIT_VALUE  mock_cuStreamWaitValue32_v2
#define WRITE_VALUE mock_cuStreamWriteValue32_v2
#define VALUES      3 /* one of so many uses */
#else
#define WAIT_VALUE(...)  CUDA_ERROR_NOT_SUPPORTED
#define WRITE_VALUE(...) CUDA_ERROR_NOT_SUPPORTED
#define VALUES           0
#endif

static void use(CUstream stream, const struct buffer *buffer)
{
    if (buffer->by_value)
        CHECK(WAIT_VALUE(stream, buffer->flag, buffer->value, CU_STREAM_WAIT_VALUE_GEQ));
    else
        CHECK(mock_cuStreamWaitEvent(stream, buffer->event, 0));
}

static void used(struct world *w, CUstream stream, struct buffer *buffer)
{
    buffer->by_value = VALUES && draw(w, VALUES) == 0;
    if (buffer->by_value)
        CHECK(WRITE_VALUE(stream, buffer->flag, ++buffer->value, 0));
    else
        CHECK(mock_cuEventRecord(buffer->event, stream));
}

/* --- kinds of work: each is done in a stream that may use both buffers --- */

typedef void work_fn(struct world *w, CUstream stream, struct buffer *to, struct buffer *from);

static void do_mix(struct world *w, CUstream stream, struct buffer *to, struct buffer *from)
{
    unsigned v = draw(w, 1000);
    void *params[] = {&to->address, &from->address, &v};

    CHECK(mock_cuLaunchKernel(w->mix, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
    mix_words(to->expected, from->expected, v);
}

static void do_reverse(struct world *w, CUstream stream, struct buffer *to, struct buffer *from)
{
    void *params[] = {&to->address};

    (void) from;
    CHECK(mock_cuLaunchKernel(w->reverse, 1, 1, 1, WORDS, 1, 1, 0, stream, params, NULL));
    reverse_words(to->expected);
}

static void do_copy(struct world *w, CUstream stream, struct buffer *to, struct buffer *from)
{
    (void) w;
    CHECK(mock_cuMemcpyAsync(to->address, from->address, BYTES, stream));
    memmove(to->expected, from->expected, BYTES);
}

static void do_fill(struct world *w, CUstream stream, struct buffer *to, struct buffer *from)
{
    const unsigned v = draw(w, 1u << 16);

    (void) from;
    CHECK(mock_cuMemsetD32Async(to->address, v, WORDS, stream));
    for (int i = 0; i < WORDS; i++)
        to->expected[i] = v;
}

/* The memory behind the buffer is given back in the stream's order, and other taken. */
static void do_renew(struct world *w, CUstream stream, struct buffer *to, struct buffer *from)
{
    if (!is_pinned(w, to)) {
        CHECK(mock_cuMemFreeAsync(to->address, stream));
        CHECK(mock_cuMemAllocAsync(&to->address, BYTES, stream));
    }
    do_fill(w, stream, to, from);
}

struct host_work {
    unsigned *to, *from, v;
};

static void CUDA_CB mix_on_host(void *pointer)
{
    struct host_work *work = pointer;

    mix_words(work->to, work->from, work->v);
    free(work);
}

static void do_host_function(struct world *w, CUstream stream, struct buffer *to,
                             struct buffer *from)
{
    struct host_work *work = malloc(sizeof(*work));

    CHECK(!work);
    *work = (struct host_work){(unsigned *) (uintptr_t) to->address,
                               (unsigned *) (uintptr_t) from->address, draw(w, 1000)};
    mix_words(to->expected, from->expected, work->v);
    CHECK(mock_cuLaunchHostFunc(stream, mix_on_host, work));
}

static void expect(const struct buffer *buffer, const unsigned *words)
{
    for (int i = 0; i < WORDS; i++)
        if (words[i] != buffer->expected[i]) {
            fprintf(stderr, "word %d is %u, expected %u\n", i, words[i], buffer->expected[i]);
            exit(1);
        }
}

static void do_compare(struct world *w, CUstream stream, struct buffer *to, struct buffer *from)
{
    unsigned words[WORDS];

    (void) w;
    (void) from;
    CHECK(mock_cuMemcpyDtoHAsync_v2(words, to->address, BYTES, stream));
    expect(to, words);
}

/* The host waits, and looks at pinned memory itself. */
static void do_wait(struct world *w, CUstream stream, struct buffer *to, struct buffer *from)
{
    (void) from;
    if (draw(w, 2)) {
        CHECK(mock_cuStreamSynchronize(stream));
    } else {
        CHECK(mock_cuEventRecord(w->event, stream));
        CHECK(mock_cuEventSynchronize(w->event));
    }
    if (is_pinned(w, to))
        expect(to, (const unsigned *) (uintptr_t) to->address);
}

/* All that the context has now lies before what the stream does next. */
static void do_wait_for_context(struct world *w, CUstream stream, struct buffer *to,
                                struct buffer *from)
{
#if CUDA_VERSION >= 12050
    CHECK(mock_cuCtxRecordEvent(w->context, w->event));
    CHECK(mock_cuStreamWaitEvent(stream, w->event, 0));
#endif
    do_mix(w, stream, to, from);
}

static void do_ask(struct world *w, CUstream stream, struct buffer *to, struct buffer *from)
{
    const CUresult result = mock_cuStreamQuery(stream);

    (void) w;
    (void) to;
    (void) from;
    CHECK(result == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : result);
}

static const struct {
    const char *name;
    work_fn *fn;
    unsigned share;
    bool host; /* only with pinned memory */
} kinds[] = {
    {"kernels", do_mix, 12, false},
    {"copies", do_copy, 12, false},
    {"memsets", do_fill, 4, false},
    {"allocations and frees", do_renew, 4, false},
    {"host functions", do_host_function, 6, true},
    {"comparisons", do_compare, 2, false},
    {"waits of the host", do_wait, 2, false},
    {"waits for the context", do_wait_for_context, 1, false},
    {"questions", do_ask, 2, false},
    {"kernels with a barrier", do_reverse, 1, false},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), SHARES = 46 };

static unsigned draw_kind(struct world *w)
{
    unsigned share = draw(w, SHARES), kind = 0;

    while (kind < KINDS - 1 && share >= kinds[kind].share)
        share -= kinds[kind++].share;
    return kind;
}

static struct buffer *draw_buffer(struct world *w, bool host)
{
    return &w->buffers[host ? BUFFERS - 1 - draw(w, PINNED) : draw(w, BUFFERS)];
}

static void one_step(struct world *w)
{
    const unsigned kind = draw_kind(w);
    CUstream stream = w->streams[draw(w, STREAMS)];
    struct buffer *to = draw_buffer(w, kinds[kind].host);
    struct buffer *from = draw_buffer(w, kinds[kind].host);

    use(stream, to);
    use(stream, from);
    kinds[kind].fn(w, stream, to, from);
    used(w, stream, to);
    if (from != to)
        used(w, stream, from);
    atomic_fetch_add(&n_done[kind], 1);
}

/* --- the threads --- */

static void begin_buffer(const struct world *w, struct buffer *buffer)
{
    void *host;

    if (is_pinned(w, buffer)) {
        CHECK(mock_cuMemHostAlloc(&host, BYTES, 0));
        buffer->address = (uintptr_t) host;
        memset(host, 0, BYTES);
    } else {
        CHECK(mock_cuMemAllocAsync(&buffer->address, BYTES, w->streams[0]));
        CHECK(mock_cuMemsetD32Async(buffer->address, 0, WORDS, w->streams[0]));
    }
    CHECK(mock_cuMemAlloc_v2(&buffer->flag, 4));
    CHECK(mock_cuMemsetD32Async(buffer->flag, 0, 1, w->streams[0]));
    CHECK(mock_cuEventCreate(&buffer->event, CU_EVENT_DISABLE_TIMING));
}

static void begin_world(struct world *w, CUmodule *ret_module)
{
    static const unsigned flags[] = {CU_STREAM_DEFAULT, CU_STREAM_NON_BLOCKING};

    CHECK(mock_cuDevicePrimaryCtxRetain(&w->context, 0));
    CHECK(mock_cuCtxSetCurrent(w->context));
    CHECK(mock_cuModuleLoadData(ret_module, ptx));
    CHECK(mock_cuModuleGetFunction(&w->mix, *ret_module, "mix"));
    CHECK(mock_cuModuleGetFunction(&w->reverse, *ret_module, "reverse"));
    CHECK(mock_cuEventCreate(&w->event, CU_EVENT_DISABLE_TIMING));
    for (int i = 0; i < STREAMS; i++)
        CHECK(mock_cuStreamCreate(&w->streams[i], flags[i % 2]));
    for (int i = 0; i < BUFFERS; i++)
        begin_buffer(w, &w->buffers[i]);
    CHECK(mock_cuStreamSynchronize(w->streams[0]));
}

static void end_buffer(struct world *w, struct buffer *buffer)
{
    use(w->streams[0], buffer);
    do_compare(w, w->streams[0], buffer, buffer);
    if (is_pinned(w, buffer))
        CHECK(mock_cuMemFreeHost((void *) (uintptr_t) buffer->address));
    else
        CHECK(mock_cuMemFree_v2(buffer->address));
    CHECK(mock_cuMemFree_v2(buffer->flag));
    CHECK(mock_cuEventDestroy_v2(buffer->event));
}

static bool over(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec);
}

static void *thread(void *number)
{
    struct world w = {.random = 7919u * (unsigned) (uintptr_t) number};
    CUmodule module;

    begin_world(&w, &module);
    while (!over())
        one_step(&w);
    for (int i = 0; i < BUFFERS; i++)
        end_buffer(&w, &w.buffers[i]);
    for (int i = 0; i < STREAMS; i++)
        CHECK(mock_cuStreamDestroy_v2(w.streams[i]));
    CHECK(mock_cuEventDestroy_v2(w.event));
    CHECK(mock_cuModuleUnload(module));
    CHECK(mock_cuDevicePrimaryCtxRelease_v2(0));
    return NULL;
}

static void set_end(const char *seconds)
{
    const double time = seconds ? atof(seconds) : 2;

    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += (time_t) time;
    end.tv_nsec += (long) ((time - (double) (time_t) time) * 1e9);
    if (end.tv_nsec >= 1000000000) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000;
    }
}

static int report(const char *seed)
{
    const struct cushim_mock_finding *findings = NULL;
    unsigned long sum = 0;

    for (int i = 0; i < KINDS; i++)
        sum += atomic_load(&n_done[i]);
    printf("seed %s, %d threads, %d streams each, %lu pieces of work:", seed, THREADS, STREAMS,
           sum);
    for (int i = 0; i < KINDS; i++)
        printf("%s %lu %s", i ? "," : "", atomic_load(&n_done[i]), kinds[i].name);
    printf("\n");
    if (cushim_mock_findings(&findings) + cushim_mock_leaks() == 0)
        return 0;
    fprintf(stderr, "found something in a program that has no mistake: %s\n", findings[0].text);
    return 1;
}

int main(int argc, char **argv)
{
    const char *seed = argc > 1 ? argv[1] : "0";
    pthread_t threads[THREADS];

    set_end(argc > 2 ? argv[2] : NULL);
    setenv("CUSHIM_MOCK_SEED", seed, 1);
    CHECK(cushim_mock_register_kernel("mix", mix, NULL));
    CHECK(cushim_mock_register_kernel("reverse", reverse, NULL));
    CHECK(mock_cuInit(0));
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, thread, (void *) (i + 1)));
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL));
    return report(seed);
}
