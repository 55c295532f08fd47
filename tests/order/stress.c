/* SPDX-License-Identifier: MIT */
/*
 * stress SEED ROUNDS: 8 threads with 16 streams each do random legal work, every dependency
 * between streams told by an event, and compare with the same work done in program order on
 * the host. Plain, so that the thread sanitizer can watch it. Status 1 if anything differs.
 */
#include <cushim/mock.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock/functions.h"

enum { THREADS = 8, STREAMS = 16, BUFFERS = 6, WORDS = 32 };

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry mix(.param .u64 to, .param .u64 from, .param .u32 v) { ret; }\n";

static unsigned rounds;

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const int check = (int) (call);                                                            \
        if (check) {                                                                               \
            fprintf(stderr, "%s:%d: %s answered %d, expected 0\n", __FILE__, __LINE__, #call,      \
                    check);                                                                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* to[i] = 3 * to[i] + from[i] + v, which no other order gives. */
static void mix_words(unsigned *to, const unsigned *from, unsigned v)
{
    for (int i = 0; i < WORDS; i++)
        to[i] = 3 * to[i] + from[i] + v;
}

static void mix(const struct cushim_mock_launch *launch, void *const *args)
{
    unsigned *to = cushim_mock_pointer(*(uint64_t *) args[0], WORDS * sizeof(*to));
    const unsigned *from = cushim_mock_input(*(uint64_t *) args[1], WORDS * sizeof(*from));

    (void) launch;
    if (to && from)
        mix_words(to, from, *(unsigned *) args[2]);
}

/* One thread's world: its buffers on the device, and what they should hold. */
struct world {
    unsigned random;
    CUfunction function;
    CUstream streams[STREAMS];
    CUdeviceptr buffers[BUFFERS];
    CUevent last[BUFFERS]; /* recorded after the last work that used the buffer */
    unsigned expected[BUFFERS][WORDS];
};

static unsigned draw(struct world *w, unsigned below)
{
    w->random = w->random * 1664525u + 1013904223u;
    return (w->random >> 16) % below;
}

static void use(struct world *w, CUstream stream, unsigned buffer)
{
    CHECK(mock_cuStreamWaitEvent(stream, w->last[buffer], 0));
}

static void used(struct world *w, CUstream stream, unsigned buffer)
{
    CHECK(mock_cuEventRecord(w->last[buffer], stream));
}

static void do_mix(struct world *w, CUstream stream, unsigned to, unsigned from)
{
    unsigned v = draw(w, 1000);
    void *params[] = {&w->buffers[to], &w->buffers[from], &v};

    CHECK(mock_cuLaunchKernel(w->function, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
    mix_words(w->expected[to], w->expected[from], v);
}

static void do_copy(struct world *w, CUstream stream, unsigned to, unsigned from)
{
    CHECK(mock_cuMemcpyDtoDAsync_v2(w->buffers[to], w->buffers[from], WORDS * 4, stream));
    memmove(w->expected[to], w->expected[from], WORDS * 4);
}

static void do_fill(struct world *w, CUstream stream, unsigned to)
{
    const unsigned v = draw(w, 1u << 16);

    CHECK(mock_cuMemsetD32Async(w->buffers[to], v, WORDS, stream));
    for (int i = 0; i < WORDS; i++)
        w->expected[to][i] = v;
}

static void compare(struct world *w, CUstream stream, unsigned buffer)
{
    unsigned words[WORDS];

    CHECK(mock_cuMemcpyDtoHAsync_v2(words, w->buffers[buffer], sizeof(words), stream));
    for (int i = 0; i < WORDS; i++)
        if (words[i] != w->expected[buffer][i]) {
            fprintf(stderr, "word %d is %u, expected %u\n", i, words[i], w->expected[buffer][i]);
            exit(1);
        }
}

static void one_step(struct world *w)
{
    CUstream stream = w->streams[draw(w, STREAMS)];
    const unsigned to = draw(w, BUFFERS), from = draw(w, BUFFERS), what = draw(w, 8);

    use(w, stream, to);
    use(w, stream, from);
    if (what < 4)
        do_mix(w, stream, to, from);
    else if (what < 6)
        do_copy(w, stream, to, from);
    else if (what < 7)
        do_fill(w, stream, to);
    else
        compare(w, stream, to);
    used(w, stream, to);
    used(w, stream, from);
}

static void *thread(void *number)
{
    static const unsigned flags[] = {CU_STREAM_DEFAULT, CU_STREAM_NON_BLOCKING};
    struct world w = {.random = 7919u * (unsigned) (uintptr_t) number};
    CUcontext context;
    CUmodule module;

    CHECK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    CHECK(mock_cuCtxSetCurrent(context));
    CHECK(mock_cuModuleLoadData(&module, ptx));
    CHECK(mock_cuModuleGetFunction(&w.function, module, "mix"));
    for (int i = 0; i < STREAMS; i++)
        CHECK(mock_cuStreamCreate(&w.streams[i], flags[i % 2]));
    for (int i = 0; i < BUFFERS; i++) {
        CHECK(mock_cuMemAlloc_v2(&w.buffers[i], WORDS * 4));
        CHECK(mock_cuEventCreate(&w.last[i], CU_EVENT_DISABLE_TIMING));
        CHECK(mock_cuMemsetD32_v2(w.buffers[i], 0, WORDS));
    }
    CHECK(mock_cuCtxSynchronize());
    for (unsigned i = 0; i < rounds; i++)
        one_step(&w);
    for (unsigned i = 0; i < BUFFERS; i++) {
        use(&w, w.streams[0], i);
        compare(&w, w.streams[0], i);
        CHECK(mock_cuMemFree_v2(w.buffers[i]));
        CHECK(mock_cuEventDestroy_v2(w.last[i]));
    }
    for (int i = 0; i < STREAMS; i++)
        CHECK(mock_cuStreamDestroy_v2(w.streams[i]));
    CHECK(mock_cuModuleUnload(module));
    CHECK(mock_cuDevicePrimaryCtxRelease_v2(0));
    return NULL;
}

int main(int argc, char **argv)
{
    const struct cushim_mock_finding *findings = NULL;
    pthread_t threads[THREADS];

    rounds = argc > 2 ? (unsigned) atoi(argv[2]) : 200;
    setenv("CUSHIM_MOCK_SEED", argc > 1 ? argv[1] : "0", 1);
    CHECK(cushim_mock_register_kernel("mix", mix, NULL));
    CHECK(mock_cuInit(0));
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, thread, (void *) (i + 1)));
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL));
    if (cushim_mock_findings(&findings)) {
        fprintf(stderr, "found something in a program that has no mistake: %s\n", findings[0].text);
        return 1;
    }
    printf("%d threads, %d streams each, %u pieces of work each: right\n", THREADS, STREAMS,
           rounds);
    return 0;
}
