/* SPDX-License-Identifier: MIT */
/*
 * planted [PROGRAMS [SEEDS [RIGHT]]]: random programs in which the host uses memory of the driver
 * that copies, memsets, kernels and graphs use as well. Each is right; and then once more with
 * one wait taken out, and with waits, copies, allocations and queries of something else in its
 * place. The mistake has to be found under every seed of the scheduler, and the right program, of
 * which there are RIGHT, has to be silent, to see the right bytes, and to be served by system
 * calls. Prints the rates. Status 1 if anything was missed, or found that is not there.
 */
#include <cushim/mock.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mock/functions.h"

enum { STREAMS = 4, HOSTS = 6, DEVICES = 4, STEPS = 30, LARGEST = 20000, USES = 64 };

/* How a child ends. */
enum { SILENT, FOUND, WRONG, BROKEN };

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const int check = (int) (call);                                                            \
        if (check) {                                                                               \
            fprintf(stderr, "%s:%d: %s answered %d\n", __FILE__, __LINE__, #call, check);          \
            _exit(BROKEN);                                                                         \
        }                                                                                          \
    } while (0)

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry set(.param .u64 to, .param .u64 from, .param .u32 n, .param .u32 v) {\n"
    ".reg .u64 %a; .reg .u32 %i, %n, %v; .reg .pred %p;\n"
    "ld.param.u64 %a, [to]; ld.param.u32 %n, [n]; ld.param.u32 %v, [v]; mov.u32 %i, 0;\n"
    "L: st.u32 [%a], %v; add.u64 %a, %a, 4; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra L;\n"
    "ret; }\n"
    ".visible .entry move(.param .u64 to, .param .u64 from, .param .u32 n, .param .u32 v) {\n"
    ".reg .u64 %a, %b; .reg .u32 %i, %n, %v; .reg .pred %p;\n"
    "ld.param.u64 %a, [to]; ld.param.u64 %b, [from]; ld.param.u32 %n, [n]; mov.u32 %i, 0;\n"
    "L: ld.u32 %v, [%b]; st.u32 [%a], %v; add.u64 %a, %a, 4; add.u64 %b, %b, 4;\n"
    "add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra L; ret; }\n";

/* --- what the program knows --- */

struct use {
    unsigned stream, number;
    bool writes;
};

struct buffer {
    CUdeviceptr address;
    size_t bytes;
    bool host, in_flight; /* in_flight: its bytes are not known, after a mistake */
    unsigned char value;
    struct use uses[USES];
    unsigned n_uses;
};

static struct buffer buffers[HOSTS + DEVICES], noise;
static CUstream streams[STREAMS];
static CUevent event;
static CUfunction set, move;
static unsigned numbers[STREAMS];         /* how much was submitted */
static unsigned behind[STREAMS][STREAMS]; /* how much of each lies before what a stream has */
static unsigned known[STREAMS];           /* how much of each the host has waited for */
static uint64_t state;

static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned) (state >> 33) % below;
}

static void join(unsigned *to, const unsigned *from)
{
    for (int i = 0; i < STREAMS; i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}

/* --- the device --- */

static void order(unsigned stream, const struct buffer *buffer, bool writes)
{
    for (unsigned i = 0; i < buffer->n_uses; i++) {
        const struct use *use = &buffer->uses[i];

        if ((!use->writes && !writes) || behind[stream][use->stream] >= use->number)
            continue;
        CHECK(mock_cuEventRecord(event, streams[use->stream]));
        CHECK(mock_cuStreamWaitEvent(streams[stream], event, 0));
        join(behind[stream], behind[use->stream]);
    }
}

static void note(unsigned stream, struct buffer *buffer, bool writes)
{
    if (buffer->n_uses == USES)
        _exit(BROKEN);
    buffer->uses[buffer->n_uses++] = (struct use){stream, numbers[stream], writes};
}

static void launch(CUfunction function, unsigned stream, const struct buffer *to,
                   const struct buffer *from, unsigned value)
{
    unsigned n = (unsigned) (to->bytes / 4);
    CUdeviceptr source = from ? from->address : 0, address = to->address;
    void *params[] = {&address, &source, &n, &value};

    CHECK(mock_cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, streams[stream], params, NULL));
}

/* In two halves, by page where there are several. */
static void copy_parts(unsigned stream, const struct buffer *to, const struct buffer *from)
{
    const size_t half = to->bytes > 8192 ? 4096 : to->bytes / 8 * 4;

    if (half)
        CHECK(mock_cuMemcpyAsync(to->address, from->address, half, streams[stream]));
    CHECK(mock_cuMemcpyAsync(to->address + half, from->address + half, to->bytes - half,
                             streams[stream]));
}

static void copy_by_graph(unsigned stream, const struct buffer *to, const struct buffer *from)
{
    CUgraphExec exec = NULL;
    CUgraph graph = NULL;

    CHECK(mock_cuStreamBeginCapture_v2(streams[stream], CU_STREAM_CAPTURE_MODE_RELAXED));
    CHECK(mock_cuMemcpyAsync(to->address, from->address, to->bytes, streams[stream]));
    CHECK(mock_cuStreamEndCapture(streams[stream], &graph));
    CHECK(mock_cuGraphInstantiateWithFlags(&exec, graph, 0));
    CHECK(mock_cuGraphLaunch(exec, streams[stream]));
    CHECK(mock_cuGraphExecDestroy(exec));
    CHECK(mock_cuGraphDestroy(graph));
}

static void copy(unsigned stream, const struct buffer *to, const struct buffer *from)
{
    switch (draw(4)) {
    case 0:
        launch(move, stream, to, from, 0);
        break;
    case 1:
        copy_parts(stream, to, from);
        break;
    case 2:
        copy_by_graph(stream, to, from);
        break;
    default:
        CHECK(mock_cuMemcpyAsync(to->address, from->address, to->bytes, streams[stream]));
    }
}

static void fill(unsigned stream, struct buffer *to)
{
    to->value = (unsigned char) draw(256);
    to->in_flight = false;
    if (draw(2))
        launch(set, stream, to, NULL, to->value * 0x01010101u);
    else
        CHECK(mock_cuMemsetD8Async(to->address, to->value, to->bytes, streams[stream]));
}

static void work(void)
{
    struct buffer *to = &buffers[draw(HOSTS + DEVICES)], *from = &buffers[draw(HOSTS + DEVICES)];
    const bool copies = to != from && to->bytes == from->bytes;
    const unsigned stream = draw(STREAMS);

    order(stream, to, true);
    if (copies)
        order(stream, from, false);
    behind[stream][stream] = ++numbers[stream];
    if (copies) {
        copy(stream, to, from);
        note(stream, from, false);
        to->value = from->value;
        to->in_flight = from->in_flight;
    } else {
        fill(stream, to);
    }
    note(stream, to, true);
}

/* --- the host --- */

static void wait_until(CUresult (*query)(void *), void *handle)
{
    CUresult result;

    while ((result = query(handle)) == CUDA_ERROR_NOT_READY)
        ;
    CHECK(result);
}

static CUresult query_stream(void *handle)
{
    return mock_cuStreamQuery(handle);
}

static CUresult query_event(void *handle)
{
    return mock_cuEventQuery(handle);
}

static void wait_for(unsigned stream)
{
    switch (draw(5)) {
    case 0:
        CHECK(mock_cuEventRecord(event, streams[stream]));
        CHECK(mock_cuEventSynchronize(event));
        break;
    case 1:
        CHECK(mock_cuEventRecord(event, streams[stream]));
        wait_until(query_event, event);
        break;
    case 2:
        wait_until(query_stream, streams[stream]);
        break;
    default:
        CHECK(mock_cuStreamSynchronize(streams[stream]));
    }
    join(known, behind[stream]);
}

static bool unknown(const struct use *use, bool writes)
{
    return (use->writes || writes) && known[use->stream] < use->number;
}

static void wait_for_all(struct buffer *buffer, bool writes)
{
    for (unsigned i = 0; i < buffer->n_uses; i++)
        if (unknown(&buffer->uses[i], writes))
            wait_for(buffer->uses[i].stream);
}

static bool anything_missing(const struct buffer *buffer, bool writes)
{
    for (unsigned i = 0; i < buffer->n_uses; i++)
        if (unknown(&buffer->uses[i], writes))
            return true;
    return false;
}

/* Does waiting for the stream tell of any use of the buffer? */
static bool tells(unsigned stream, const struct buffer *buffer, bool writes)
{
    for (unsigned i = 0; i < buffer->n_uses; i++) {
        const struct use *use = &buffer->uses[i];

        if (unknown(use, writes) && behind[stream][use->stream] >= use->number)
            return true;
    }
    return false;
}

static void use_something_else(void)
{
    unsigned char bytes[64];
    CUdeviceptr other = 0;
    void *host = NULL;

    switch (draw(3)) {
    case 0:
        CHECK(mock_cuMemAlloc_v2(&other, 4096));
        CHECK(mock_cuMemFree_v2(other));
        break;
    case 1:
        CHECK(mock_cuMemHostAlloc(&host, 64, 0));
        CHECK(mock_cuMemFreeHost(host));
        break;
    default:
        CHECK(mock_cuMemcpyDtoH_v2(bytes, noise.address, sizeof(bytes)));
    }
}

/* What might hide the mistake, and does not mend it. */
static void hide(const struct buffer *buffer, bool writes)
{
    for (unsigned n = draw(4); n; n--) {
        const unsigned stream = draw(STREAMS);

        if (draw(2))
            use_something_else();
        else if (!tells(stream, buffer, writes))
            wait_for(stream);
    }
}

/* Once in a while the memory is used by the system. */
static void write_it(struct buffer *buffer, volatile unsigned char *bytes)
{
    static int zero = -1;

    if (zero < 0)
        zero = open("/dev/zero", O_RDONLY);
    buffer->value = draw(2) ? (unsigned char) draw(256) : 0;
    buffer->in_flight = false;
    if (buffer->value) {
        for (size_t i = 0; i < buffer->bytes; i++)
            bytes[i] = buffer->value;
    } else if (read(zero, (void *) bytes, buffer->bytes) != (ssize_t) buffer->bytes) {
        fprintf(stderr, "the system could not write memory that is not in use\n");
        _exit(WRONG);
    }
}

static void read_it(const struct buffer *buffer, const volatile unsigned char *bytes)
{
    static int pipes[2] = {-1, -1};
    char copy[1024];
    const size_t some = buffer->bytes < sizeof(copy) ? buffer->bytes : sizeof(copy);

    for (size_t i = 0; i < buffer->bytes; i++)
        if (bytes[i] != buffer->value && !buffer->in_flight) {
            fprintf(stderr, "byte %zu is %d, and should be %d\n", i, bytes[i], buffer->value);
            _exit(WRONG);
        }
    if (pipes[0] < 0 && pipe(pipes))
        _exit(BROKEN);
    if (write(pipes[1], (const void *) bytes, some) != (ssize_t) some ||
        read(pipes[0], copy, some) != (ssize_t) some) {
        fprintf(stderr, "the system could not read memory that is not in use\n");
        _exit(WRONG);
    }
}

static void make_mistake(struct buffer *buffer, bool writes)
{
    volatile unsigned char *bytes = (volatile unsigned char *) (uintptr_t) buffer->address;
    const size_t at = draw((unsigned) buffer->bytes);

    hide(buffer, writes);
    if (writes)
        bytes[at] = 1;
    else
        (void) bytes[at];
    for (int i = 0; i < HOSTS + DEVICES; i++)
        buffers[i].in_flight |= writes;
}

/* True: this was the mistake. */
static bool use_on_the_host(bool mistaken)
{
    struct buffer *buffer = &buffers[draw(HOSTS)];
    volatile unsigned char *bytes = (volatile unsigned char *) (uintptr_t) buffer->address;
    const bool writes = draw(2);

    if (mistaken && anything_missing(buffer, writes)) {
        make_mistake(buffer, writes);
        return true;
    }
    wait_for_all(buffer, writes);
    if (writes)
        write_it(buffer, bytes);
    else
        read_it(buffer, bytes);
    return false;
}

/* --- a program --- */

static void make_buffer(struct buffer *buffer, bool host, size_t bytes)
{
    void *pinned = NULL;

    *buffer = (struct buffer){.bytes = bytes, .host = host};
    if (!host)
        CHECK(mock_cuMemAlloc_v2(&buffer->address, bytes));
    else if (draw(3))
        CHECK(mock_cuMemHostAlloc(&pinned, bytes, 0));
    else
        CHECK(mock_cuMemAllocManaged(&buffer->address, bytes, CU_MEM_ATTACH_GLOBAL));
    if (pinned)
        buffer->address = (uintptr_t) pinned;
    CHECK(mock_cuMemsetD8_v2(buffer->address, 0, bytes));
}

static void begin(unsigned seed)
{
    static const size_t sizes[] = {64, 1000, 4096, 8192, LARGEST};
    const struct cushim_mock_config *config =
        cushim_mock_config(.seed = seed, .settings = "watch_host = yes");
    const size_t bytes = sizes[draw(5)], other = sizes[draw(5)];
    CUcontext context = NULL;
    CUmodule module = NULL;

    CHECK(cushim_mock_configure(config));
    CHECK(mock_cuInit(0));
    CHECK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    CHECK(mock_cuCtxSetCurrent(context));
    CHECK(mock_cuModuleLoadData(&module, ptx));
    CHECK(mock_cuModuleGetFunction(&set, module, "set"));
    CHECK(mock_cuModuleGetFunction(&move, module, "move"));
    CHECK(mock_cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    for (int i = 0; i < STREAMS; i++)
        CHECK(mock_cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < HOSTS + DEVICES; i++)
        make_buffer(&buffers[i], i < HOSTS, i % 2 ? bytes : other);
    make_buffer(&noise, false, 64);
    CHECK(mock_cuCtxSynchronize());
}

static int judge(bool planted)
{
    const struct cushim_mock_finding *all = NULL;
    const size_t n = cushim_mock_findings(&all);
    size_t mistakes = 0;

    for (size_t i = 0; i < n; i++) {
        mistakes += all[i].kind == CUSHIM_MOCK_HOST_ACCESS;
        if (!planted || all[i].kind != CUSHIM_MOCK_HOST_ACCESS)
            fprintf(stderr, "%s\n", all[i].text);
    }
    if (mistakes < n)
        return WRONG;
    return mistakes ? FOUND : SILENT;
}

/* The mistake is the first that can be made from a random step on. */
static int run(unsigned program, unsigned seed, bool planted)
{
    unsigned from;
    bool made = false;

    state = program * 7919u + 13;
    draw(2);
    from = draw(STEPS / 2);
    begin(seed);
    for (unsigned step = 0; step < 8 * STEPS && (step < STEPS || made != planted); step++)
        if (draw(3))
            work();
        else
            made |= use_on_the_host(planted && !made && step >= from);
    CHECK(mock_cuCtxSynchronize());
    return planted && !made ? BROKEN : judge(planted);
}

static int run_in_child(unsigned program, unsigned seed, bool planted)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (!child) {
        alarm(60);
        _exit(run(program, seed, planted));
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return BROKEN;
    return WEXITSTATUS(status);
}

/* How many ended as they should. */
static unsigned run_all(unsigned programs, unsigned seeds, bool planted)
{
    unsigned right = 0;

    for (unsigned i = 0; i < programs * seeds; i++) {
        const int end = run_in_child(i / seeds, i % seeds, planted);

        right += end == (planted ? FOUND : SILENT);
        if (end != (planted ? FOUND : SILENT))
            fprintf(stderr, "program %u, seed %u, %s: ended as %d\n", i / seeds, i % seeds,
                    planted ? "planted" : "right", end);
    }
    return right;
}

static unsigned argument(int argc, char **argv, int i, unsigned otherwise)
{
    return i < argc ? (unsigned) strtoul(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    const unsigned programs = argument(argc, argv, 1, 20), seeds = argument(argc, argv, 2, 4);
    const unsigned right = argument(argc, argv, 3, 40);
    const unsigned found = run_all(programs, seeds, true),
                   silent = run_all(right, 1 + seeds / 8, false);

    printf("%u of %u mistakes found, %u of %u right programs silent\n", found, programs * seeds,
           silent, right * (1 + seeds / 8));
    return found == programs * seeds && silent == right * (1 + seeds / 8) ? 0 : 1;
}
