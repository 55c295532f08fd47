/* SPDX-License-Identifier: MIT */
/*
 * Small modules of PTX that a device was asked about: is it loaded, launched, and what comes out?
 *
 *   asked FILE ANSWERS   compares with the answers of the file; names the questions that differ
 *   asked FILE           prints the file of answers
 *   asked FILE -v NAME   prints what one module writes, and what the driver says of it
 *   asked FILE -k NAME   prints the module
 *
 * Built with ASKED_DRIVER it asks the driver that the program is linked with, so that the answers
 * come from hardware by the same code.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asked.h"

#ifdef ASKED_DRIVER
#include <cuda.h>
#define CU(name) name
#define V2(name) name
#else
#include "mock/functions.h"
#define CU(name) mock_##name
#define V2(name) mock_##name##_v2
#endif

enum { WORDS = 16384, SECONDS = 100, ANSWER = 96 };

static uint32_t input[WORDS], output[WORDS];
static char log_text[4096];
static char (*answers)[ANSWER]; /* shared with the children */

/* --- running one --- */

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void fill_input(void)
{
    static const uint32_t special[] = {
        0,          1,          2,          3,          7,      31,         32,         0x7f,
        0x80,       0xff,       0x7fff,     0x8000,     0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
        0x3f800000, 0xbf800000, 0x7fc00000, 0x7f800000, 5,      0x627adf75, 0x864ccef5};
    uint64_t state = 1;

    for (unsigned i = 0; i < WORDS; i++) {
        const bool plain = draw(&state) % 4;

        input[i] = plain ? (uint32_t) draw(&state)
                         : special[draw(&state) % (sizeof(special) / sizeof(special[0]))];
    }
}

static CUresult load(const char *text, CUmodule *ret_module)
{
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log_text, (void *) sizeof(log_text)};

    memset(log_text, 0, sizeof(log_text));
    return CU(cuModuleLoadDataEx)(ret_module, text, 2, options, values);
}

static CUresult launch(const struct asked *asked, CUfunction function, void **params)
{
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    CUlaunchConfig config = {.gridDimX = asked->grid[0],
                             .gridDimY = asked->grid[1],
                             .gridDimZ = 1,
                             .blockDimX = asked->block,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .sharedMemBytes = asked->shared};

    if (asked->cluster) {
        cluster.value.clusterDim.x = asked->cluster;
        cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
        config.attrs = &cluster;
        config.numAttrs = 1;
    }
    return CU(cuLaunchKernelEx)(&config, function, params, NULL);
}

/* FNV-1a */
static uint64_t hash(void)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < sizeof(output); i++)
        h = (h ^ ((const unsigned char *) output)[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* True if the context is one to go on with. */
static bool run(const struct asked *asked, CUdeviceptr out, CUdeviceptr in, char *answer)
{
    void *params[] = {&out, &in};
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUresult result = load(asked->text, &module);

    snprintf(answer, ANSWER, "not loaded: %d", (int) result);
    if (result != CUDA_SUCCESS)
        return true;
    V2(cuMemcpyHtoD)(in, input, sizeof(input));
    V2(cuMemsetD32)(out, 0, WORDS);
    result = CU(cuModuleGetFunction)(&function, module, "k");
    if (result == CUDA_SUCCESS)
        result = launch(asked, function, params);
    snprintf(answer, ANSWER, "not launched: %d", (int) result);
    if (result != CUDA_SUCCESS)
        return true;
    result = CU(cuCtxSynchronize)();
    snprintf(answer, ANSWER, "fails: %d", (int) result);
    if (result != CUDA_SUCCESS)
        return false;
    V2(cuMemcpyDtoH)(output, out, sizeof(output));
    CU(cuModuleUnload)(module);
    snprintf(answer, ANSWER, "%016llx", (unsigned long long) hash());
    return true;
}

/* --- all of them --- */

/* In a process of its own, until one breaks it. A driver's compiler may end the process. */
static void run_from(const struct asked *list, size_t n, size_t *at)
{
    CUcontext context;
    CUdeviceptr out = 0, in = 0;
    bool good = true;

    alarm(SECONDS);
    CU(cuInit)(0);
    CU(cuDevicePrimaryCtxRetain)(&context, 0);
    CU(cuCtxSetCurrent)(context);
    V2(cuMemAlloc)(&out, sizeof(output));
    V2(cuMemAlloc)(&in, sizeof(input));
    while (good && *at < n) {
        const size_t i = (*at)++;

        snprintf(answers[i], ANSWER, "crashes");
        good = run(&list[i], out, in, answers[i]);
    }
}

static void *share(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory != MAP_FAILED)
        return memory;
    perror("mmap");
    exit(1);
}

static void run_all(const struct asked *list, size_t n)
{
    size_t *at = share(sizeof(*at));

    answers = share((n + 1) * sizeof(*answers));
    fflush(stdout);
    while (*at < n) {
        const pid_t child = fork();

        if (child == 0) {
            run_from(list, n, at);
            fflush(NULL);
            _exit(0);
        }
        if (child < 0 || waitpid(child, NULL, 0) != child) {
            perror("fork");
            exit(1);
        }
    }
    munmap(at, sizeof(*at));
}

/* --- comparing --- */

/* The answer behind a name; NULL if there is none. */
static const char *recorded(char *text, const char *name, char *answer)
{
    const size_t length = strlen(name);

    for (char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : 0) {
        if (strncmp(line, name, length) != 0 || line[length] != '\t')
            continue;
        snprintf(answer, ANSWER, "%.*s", (int) strcspn(line + length + 1, "\n"), line + length + 1);
        return answer;
    }
    return NULL;
}

/* What a driver's compiler breaks on is refused here. */
static bool agree(const char *expected, const char *actual)
{
    return !strcmp(expected, actual) ||
           (!strcmp(expected, "crashes") && !strncmp(actual, "not loaded", 10));
}

static const struct asked *named(const struct asked *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i].name, name))
            return &list[i];
    return NULL;
}

/* Answers to what is not asked any more. */
static unsigned count_left_over(const struct asked *list, size_t n, const char *text)
{
    unsigned left = 0;
    char name[64];

    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (sscanf(line, "%63[^\t\n]\t", name) != 1 || name[0] == '#' || named(list, n, name))
            continue;
        printf("%s: an answer to nothing\n", name);
        left++;
    }
    return left;
}

static int compare(const struct asked *list, size_t n, const char *path)
{
    char *text = asked_read_file(path), expected[ANSWER];
    unsigned differ = 0, missing = 0;

    for (size_t i = 0; i < n; i++) {
        const bool known = recorded(text, list[i].name, expected);

        missing += !known;
        if (!known || agree(expected, answers[i]))
            continue;
        printf("%s: %s, the hardware has %s\n", list[i].name, answers[i], expected);
        differ++;
    }
    differ += count_left_over(list, n, text);
    printf("%zu modules, %u differ, %u without an answer\n", n, differ, missing);
    free(text);
    return differ != 0;
}

static int show(const struct asked *asked)
{
    size_t at = 0;

    answers = share(2 * sizeof(*answers));
    run_from(asked, 1, &at);
    printf("%s\n%s", answers[0], log_text);
    for (unsigned i = 0; i < 512; i++)
        printf("%08x%c", output[i], i % 16 == 15 ? '\n' : ' ');
    return 0;
}

static const struct asked *find(const struct asked *list, size_t n, const char *name)
{
    const struct asked *asked = named(list, n, name);

    if (asked)
        return asked;
    fprintf(stderr, "asked: there is no '%s'\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    static struct asked list[MOST_ASKED];
    size_t n;

    if (argc < 2) {
        fprintf(stderr, "usage: asked FILE [ANSWERS | -v NAME | -k NAME]\n");
        return 2;
    }
    n = asked_read(argv[1], list);
    fill_input();
    if (argc == 4 && !strcmp(argv[2], "-v"))
        return show(find(list, n, argv[3]));
    if (argc == 4)
        return fputs(find(list, n, argv[3])->text, stdout) < 0;
    run_all(list, n);
    if (argc == 3)
        return compare(list, n, argv[2]);
    for (size_t i = 0; i < n; i++)
        printf("%s\t%s\n", list[i].name, answers[i]);
    return 0;
}
