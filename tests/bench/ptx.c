/* SPDX-License-Identifier: MIT */
/*
 * Kernels on the mock beside the same algorithms in C: how long each takes, and how many
 * instructions of threads a second the mock does, with one worker and with one for each
 * processor; and how much more processor time all of them take together, which other programs on
 * the machine disturb less. Prices, not judged. argv: the path of the mock, that of kernels.ptx,
 * and perhaps the name of one kernel.
 */
#include <cushim/cushim.h>
#include <cushim/table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 1 << 20, SIDE = 256, TILE = 16, BINS = 256, REPEAT = 10 };

static float *x, *y, *z;

static void c_saxpy(void)
{
    for (int i = 0; i < N; i++)
        y[i] = 2 * x[i] + y[i];
}

static void c_matrix(void)
{
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) {
            float sum = 0;

            for (int k = 0; k < SIDE; k++)
                sum += x[i * SIDE + k] * y[k * SIDE + j];
            z[i * SIDE + j] = sum;
        }
    }
}

static void c_sum(void)
{
    float sum = 0;

    for (int i = 0; i < N; i++)
        sum += x[i];
    z[0] = sum;
}

static void c_histogram(void)
{
    for (int i = 0; i < N; i++) {
        unsigned word;

        memcpy(&word, &x[i], sizeof(word));
        z[word >> 16 & (BINS - 1)]++;
    }
}

static void c_collatz(void)
{
    for (unsigned i = 0; i < N; i++) {
        unsigned n = (i & 1023) + 1, steps = 0;

        for (; n != 1; steps++)
            n = n % 2 ? 3 * n + 1 : n / 2;
        y[i] = (float) steps;
    }
}

/* instructions: of a thread, as the text has them. */
static const struct kernel {
    const char *name;
    unsigned grid[2], block[2];
    double instructions;
    void (*c)(void);
} kernels[] = {
    {"saxpy", {N / 256, 1}, {256, 1}, 16, c_saxpy},
    {"naive", {SIDE / TILE, SIDE / TILE}, {TILE, TILE}, 22 + 8.0 * SIDE, c_matrix},
    {"tiled", {SIDE / TILE, SIDE / TILE}, {TILE, TILE}, 34 + 59.0 * SIDE / TILE, c_matrix},
    {"sum", {N / 256, 1}, {256, 1}, 13 + 8 * 6 + 5, c_sum},
    {"histogram", {N / 256, 1}, {256, 1}, 15, c_histogram},
    {"collatz", {N / 256, 1}, {256, 1}, 10 + 7.5 * 59.5, c_collatz},
};

static const struct cushim_cuda_api *cu;

/* Seconds, and those of processors. */
struct price {
    double wall, cpu;
};

static double now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static struct price begin(void)
{
    return (struct price){now(CLOCK_MONOTONIC), now(CLOCK_PROCESS_CPUTIME_ID)};
}

/* The least of both since then. */
static void end(struct price *best, struct price before)
{
    const double wall = now(CLOCK_MONOTONIC) - before.wall;
    const double cpu = now(CLOCK_PROCESS_CPUTIME_ID) - before.cpu;

    best->wall = wall < best->wall ? wall : best->wall;
    best->cpu = cpu < best->cpu ? cpu : best->cpu;
}

static void check(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, (int) result);
    exit(1);
}

/* The best of several; 0 workers are as many as there are processors. */
static struct price time_kernel(const struct kernel *kernel, CUfunction function, CUdeviceptr *p,
                                const char *workers)
{
    void *params[] = {&p[0], &p[1], &p[2]};
    struct price best = {1e9, 1e9};

    setenv("CUSHIM_MOCK_PTX_WORKERS", workers, 1);
    for (int i = 0; i < REPEAT; i++) {
        const struct price before = begin();

        check(cu->cuLaunchKernel(function, kernel->grid[0], kernel->grid[1], 1, kernel->block[0],
                                 kernel->block[1], 1, 0, NULL, params, NULL),
              kernel->name);
        check(cu->cuCtxSynchronize(), kernel->name);
        end(&best, before);
    }
    return best;
}

static struct price time_c(const struct kernel *kernel)
{
    struct price best = {1e9, 1e9};

    for (int i = 0; i < REPEAT; i++) {
        const struct price before = begin();

        kernel->c();
        end(&best, before);
    }
    return best;
}

int main(int argc, char **argv)
{
    CUcontext context;
    CUmodule module;
    CUdeviceptr p[3];
    cushim_driver driver;

    if (argc < 3)
        return 77;
    if (cushim_open(cushim_open_params(.library = argv[1]), &driver)) {
        fprintf(stderr, "%s\n", cushim_error_text());
        return 1;
    }
    cu = cushim_cuda(driver);
    check(cu->cuInit(0), "cuInit");
    check(cu->cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
    check(cu->cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cu->cuModuleLoad(&module, argv[2]), "cuModuleLoad");
    x = calloc(3 * N, sizeof(*x));
    y = x + N;
    z = y + N;
    for (int i = 0; i < N; i++)
        x[i] = (float) (i % 1000) / 100;
    for (int i = 0; i < 3; i++) {
        check(cu->cuMemAlloc(&p[i], N * sizeof(*x)), "cuMemAlloc");
        check(cu->cuMemcpyHtoD(p[i], x + i * N, N * sizeof(*x)), "cuMemcpyHtoD");
    }
    printf("%-10s %11s %27s %27s %6s %6s\n", "", "", "one worker: instructions/s",
           "all workers: instructions/s", "faster", "CPU");
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        const struct kernel *kernel = &kernels[i];
        const double threads =
            (double) kernel->grid[0] * kernel->grid[1] * kernel->block[0] * kernel->block[1];
        CUfunction function;
        struct price one, all;

        if (argc > 3 && strcmp(argv[3], kernel->name) != 0)
            continue;
        check(cu->cuModuleGetFunction(&function, module, kernel->name), kernel->name);
        one = time_kernel(kernel, function, p, "1");
        all = time_kernel(kernel, function, p, "0");
        printf("%-10s C %6.2f ms %14.2f ms %7.2f G %14.2f ms %7.2f G %6.2f %6.2f\n", kernel->name,
               1e3 * time_c(kernel).wall, 1e3 * one.wall,
               threads * kernel->instructions / one.wall / 1e9, 1e3 * all.wall,
               threads * kernel->instructions / all.wall / 1e9, one.wall / all.wall,
               all.cpu / one.cpu);
    }
    free(x);
    return 0;
}
