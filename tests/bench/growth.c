/* SPDX-License-Identifier: MIT */
/*
 * bench_growth LIBRARY WHAT ARGUMENT...: does one thing with the mock in a process of its own, and
 * prints the seconds of the processor that it took and the bytes by which the process's peak grew.
 * growth.py calls it with inputs of several sizes.
 *
 *   load FILE...     loads a module from a file of PTX, from several by way of the linker
 *   names FILE       the same, and asks for each kernel and variable by its name
 *   unload FILE      loads it before, and unloads it
 *   streams N WAY... makes a stream, gives it work and destroys it, N times. "together": all live
 *                    until the last one has its work; "joined": another stream waits for each by
 *                    an event; "legacy": each takes turns with the legacy stream; "waited": the
 *                    host waits for all at the end
 */
#include <cushim/cushim.h>
#include <cushim/table.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct cushim_cuda_api *cu;

static void check(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s answers %d\n", what, (int) result);
    exit(1);
}

#define TRY(call) check((call), #call)

struct price {
    double seconds;
    long kilobytes;
};

/* Of this program alone: what getrusage() tells has the peak of whoever started it, too. */
static long peak(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kilobytes = 0;

    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "VmHWM: %ld", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return kilobytes;
}

static struct price price_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (struct price){(double) t.tv_sec + 1e-9 * (double) t.tv_nsec, peak()};
}

static CUmodule load(int n, char **paths)
{
    CUmodule module;
    CUlinkState state;
    void *image;

    if (n == 1) {
        TRY(cu->cuModuleLoad(&module, paths[0]));
        return module;
    }
    TRY(cu->cuLinkCreate(0, NULL, NULL, &state));
    for (int i = 0; i < n; i++)
        TRY(cu->cuLinkAddFile(state, CU_JIT_INPUT_PTX, paths[i], 0, NULL, NULL));
    TRY(cu->cuLinkComplete(state, &image, NULL));
    TRY(cu->cuModuleLoadData(&module, image));
    TRY(cu->cuLinkDestroy(state));
    return module;
}

/* The names are k0, k1 and so on, and v0, v1 and so on, until there is none of them. */
static void ask_names(CUmodule module)
{
    CUfunction function;
    CUdeviceptr address;
    char name[32];
    int n = 0;

    do
        snprintf(name, sizeof(name), "k%d", n++);
    while (!cu->cuModuleGetFunction(&function, module, name));
    n = 0;
    do
        snprintf(name, sizeof(name), "v%d", n++);
    while (!cu->cuModuleGetGlobal(&address, NULL, module, name));
}

struct way {
    bool together, joined, legacy, waited;
};

static struct way way_of(int argc, char **argv)
{
    struct way way = {.waited = false};

    for (int i = 0; i < argc; i++) {
        way.together = way.together || !strcmp(argv[i], "together");
        way.joined = way.joined || !strcmp(argv[i], "joined");
        way.legacy = way.legacy || !strcmp(argv[i], "legacy");
        way.waited = way.waited || !strcmp(argv[i], "waited");
    }
    return way;
}

/* Other work behind that of a stream. */
static void follow(struct way way, CUstream stream, CUstream other, CUevent event)
{
    if (way.joined) {
        TRY(cu->cuEventRecord(event, stream));
        TRY(cu->cuStreamWaitEvent(other, event, 0));
    }
    if (way.legacy)
        TRY(cu->cuEventRecord(event, NULL));
}

/* Streams that are destroyed with their work not waited for, each as soon as it has it or later. */
static void use_streams(int n, struct way way)
{
    const unsigned flags = way.legacy ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING;
    CUstream *streams = calloc((size_t) n, sizeof(CUstream));
    CUstream other;
    CUdeviceptr memory;
    CUevent event;

    TRY(cu->cuMemAlloc(&memory, (size_t) n));
    TRY(cu->cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    TRY(cu->cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    for (int i = 0; i < n; i++) {
        TRY(cu->cuStreamCreate(&streams[i], flags));
        TRY(cu->cuMemsetD8Async(memory + (CUdeviceptr) i, 1, 1, streams[i]));
        follow(way, streams[i], other, event);
        if (!way.together)
            TRY(cu->cuStreamDestroy(streams[i]));
    }
    for (int i = 0; way.together && i < n; i++)
        TRY(cu->cuStreamDestroy(streams[i]));
    if (way.waited)
        TRY(cu->cuCtxSynchronize());
    free(streams);
}

static struct price measure(int argc, char **argv)
{
    CUmodule module = NULL;
    struct price before;

    if (!strcmp(argv[2], "unload") || !strcmp(argv[2], "names"))
        module = load(argc - 3, argv + 3);
    before = price_now();
    if (!strcmp(argv[2], "load"))
        load(argc - 3, argv + 3);
    else if (!strcmp(argv[2], "names"))
        ask_names(module);
    else if (!strcmp(argv[2], "unload"))
        TRY(cu->cuModuleUnload(module));
    else
        use_streams(atoi(argv[3]), way_of(argc - 4, argv + 4));
    return before;
}

int main(int argc, char **argv)
{
    CUcontext context;
    cushim_driver driver;
    struct price before, after;

    if (argc < 4)
        return 77;
    if (cushim_open(cushim_open_params(.library = argv[1]), &driver)) {
        fprintf(stderr, "%s\n", cushim_error_text());
        return 1;
    }
    cu = cushim_cuda(driver);
    TRY(cu->cuInit(0));
    TRY(cu->cuDevicePrimaryCtxRetain(&context, 0));
    TRY(cu->cuCtxSetCurrent(context));
    before = measure(argc, argv);
    after = price_now();
    printf("%.6f %ld\n", after.seconds - before.seconds,
           1024 * (after.kilobytes - before.kilobytes));
    return 0;
}
