/* SPDX-License-Identifier: MIT */
/*
 * bench_growth_calls LIBRARY CASE N: makes N of something with the mock, uses them and gives them
 * back, in a process of its own, and prints the seconds of the processor that it took and the bytes
 * by which the process's peak grew. growth.py calls it with several N.
 */
#include "growth_calls.h"

#include <time.h>

const struct cushim_cuda_api *cu;
const char *library_path;
int n;

void growth_check(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s answers %d\n", what, (int) result);
    exit(1);
}

int mixed(int i)
{
    return (int) ((unsigned) i * 2654435761u & (unsigned) (n - 1));
}

CUdeviceptr some_memory(size_t bytes)
{
    CUdeviceptr memory;

    TRY(cu->cuMemAlloc(&memory, bytes));
    return memory;
}

CUstream new_stream(void)
{
    CUstream stream;

    TRY(cu->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

CUevent new_event(void)
{
    CUevent event;

    TRY(cu->cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    return event;
}

CUstream *new_streams(void)
{
    CUstream *streams = MANY(CUstream);

    for (int i = 0; i < n; i++)
        streams[i] = new_stream();
    return streams;
}

void follow(CUstream after, CUstream before, CUevent event)
{
    TRY(cu->cuEventRecord(event, before));
    TRY(cu->cuStreamWaitEvent(after, event, 0));
}

void set_byte(CUdeviceptr memory, int i, CUstream stream)
{
    TRY(cu->cuMemsetD8Async(memory + (CUdeviceptr) i, 1, 1, stream));
}

CUdeviceptr *allocate_many(void)
{
    CUdeviceptr *all = MANY(CUdeviceptr);

    for (int i = 0; i < n; i++)
        all[i] = some_memory(512);
    return all;
}

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

static const struct growth_case *const subjects[] = {growth_objects, growth_queues, growth_graphs};

static struct price run(const char *name)
{
    const struct price before = price_now();
    struct price after;

    for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
        for (const struct growth_case *one = subjects[i]; one->name; one++)
            if (!strcmp(one->name, name))
                one->run();
    after = price_now();
    return (struct price){after.seconds - before.seconds, after.kilobytes - before.kilobytes};
}

int main(int argc, char **argv)
{
    struct price price;
    CUcontext context;
    cushim_driver driver;

    if (argc < 4)
        return 77;
    library_path = argv[1];
    if (cushim_open(cushim_open_params(.library = library_path), &driver)) {
        fprintf(stderr, "%s\n", cushim_error_text());
        return 1;
    }
    n = atoi(argv[3]);
    cu = cushim_cuda(driver);
    TRY(cu->cuInit(0));
    TRY(cu->cuDevicePrimaryCtxRetain(&context, 0));
    TRY(cu->cuCtxSetCurrent(context));
    price = run(argv[2]);
    printf("%.6f %ld\n", price.seconds, 1024 * price.kilobytes);
    /* What the program leaves is not told: that would take as long again. */
    fflush(stdout);
    _Exit(0);
}
