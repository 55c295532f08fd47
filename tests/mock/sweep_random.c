/* SPDX-License-Identifier: MIT */
/*
 * sweep_random [COUNT [SEED]]: random kernels with a thread for each element, interpreted and
 * compiled: what they leave in memory, and what is found, is the same. Most of their blocks are
 * done by one loop of compiled code (a sweep), others are not, because some of their threads have
 * nothing to do, or are outside of the memory, or the block has two dimensions.
 */
#include <cushim/mock.h>

#include "../unit/plain.h"
#include "mock/functions.h"
#include "mock/ptx/jit/block.h"
#include "sweep_write.h"

enum { MOST_FINDINGS = 200, LAUNCHES = 2 };

#define OK(call) CHECK_EQ(call, CUDA_SUCCESS)

/* --- how many blocks were done by a loop --- */

static unsigned long long swept;

uint64_t __real_ptx__jit_end_block(struct ptx__block *block);
uint64_t __wrap_ptx__jit_end_block(struct ptx__block *block);
uint64_t __wrap_ptx__jit_end_block(struct ptx__block *block)
{
    swept++;
    return __real_ptx__jit_end_block(block);
}

/* --- running it --- */

struct outcome {
    int status;
    size_t n_findings;
    char *findings[MOST_FINDINGS];
    unsigned char memory[ARRAYS][ROOM];
};

/* The number of an allocation, and its address, differ from one run to the next. */
static const char *behind_number(const char *at)
{
    static const char *const before[] = {"0x", "allocation ", "the program's "};

    for (unsigned i = 0; i < 3; i++) {
        const size_t n = strlen(before[i]);

        if (!strncmp(at, before[i], n))
            return at + n + strspn(at + n, i ? "0123456789stndrh" : "0123456789abcdef");
    }
    return NULL;
}

static char *without_numbers(const char *text)
{
    char *copy = strdup(text), *end = copy;

    CHECK_EQ(copy != NULL, 1);
    while (*text) {
        const char *behind = behind_number(text);

        *end++ = behind ? '#' : *text;
        text = behind ? behind : text + 1;
    }
    *end = 0;
    return copy;
}

static void take_findings(struct outcome *outcome)
{
    const struct cushim_mock_finding *all = NULL;
    const size_t n = cushim_mock_findings(&all);

    outcome->n_findings = n < MOST_FINDINGS ? n : MOST_FINDINGS;
    for (size_t i = 0; i < outcome->n_findings; i++)
        outcome->findings[i] = without_numbers(all[i].text);
    cushim_mock_findings_clear();
}

static void launch(const struct program *program, CUmodule module, const CUdeviceptr *arrays)
{
    unsigned n = program->n;
    CUdeviceptr moved[ARRAYS];
    void *params[] = {&moved[0], &moved[1], &moved[2], &n};
    CUfunction function = NULL;

    for (unsigned i = 0; i < ARRAYS; i++)
        moved[i] = arrays[program->alias && i == 1 ? 0 : i] + program->moved[i];
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    for (unsigned i = 0; i < LAUNCHES; i++)
        OK(mock_cuLaunchKernel(function, program->grid[0], program->grid[1], 1, program->block[0],
                               program->block[1], 1, 0, NULL, params, NULL));
}

static void allocate(const struct program *program, CUdeviceptr *arrays)
{
    static const uint32_t words[16] = {0x7fc00000, 0xffc00001, 0x7f800001, 0x7fffffff,
                                       0x3f800000, 0xff800000, 0x80000000, 1,
                                       0xffffffff, 0x7f800000, 0xff800001, 0x7fc12345,
                                       0,          0x40490fdb, 0xc2280000, 0x00400000};
    static unsigned char bytes[ROOM];

    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char) (i * 7 ^ i >> 5);
    for (unsigned i = 0; program->no_numbers && i < sizeof(bytes) / 4; i++)
        memcpy(&bytes[4 * i], &words[(i * 7 ^ i >> 5) % 16], 4);
    for (unsigned i = 0; i < ARRAYS; i++) {
        OK(mock_cuMemAlloc_v2(&arrays[i], program->bytes[i]));
        OK(mock_cuMemcpyHtoD_v2(arrays[i], bytes, program->set[i]));
    }
}

/* Runs it with a context of its own, because a fault ends that. */
static void run(const struct program *program, const char *mode, const char *workers,
                struct outcome *outcome)
{
    CUdeviceptr arrays[ARRAYS] = {0}, before; /* so that something is before the first array */
    CUcontext context = NULL;
    CUmodule module = NULL;

    setenv("CUSHIM_MOCK_PTX_COMPILE", mode, 1);
    setenv("CUSHIM_MOCK_PTX_WORKERS", workers, 1);
    OK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    OK(mock_cuCtxSetCurrent(context));
    OK(mock_cuModuleLoadData(&module, program->text.text));
    OK(mock_cuMemAlloc_v2(&before, ROOM));
    allocate(program, arrays);
    cushim_mock_findings_clear();
    launch(program, module, arrays);
    outcome->status = mock_cuCtxSynchronize();
    take_findings(outcome);
    for (unsigned i = 0; i < ARRAYS && !outcome->status; i++)
        OK(mock_cuMemcpyDtoH_v2(outcome->memory[i], arrays[i], program->bytes[i]));
    OK(mock_cuDevicePrimaryCtxReset_v2(0));
    cushim_mock_findings_clear();
}

static void fail(const struct program *program, uint64_t seed, const char *what)
{
    fprintf(stderr, "seed %llu: %s: grid %u x %u, block %u x %u, n %u\n%s",
            (unsigned long long) seed, what, program->grid[0], program->grid[1], program->block[0],
            program->block[1], program->n, program->text.text);
    exit(1);
}

/* Whether an access is outside of what was allocated: memory there may be an earlier program's. */
static bool is_outside(const struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->n_findings; i++) {
        if (strstr(outcome->findings[i], " bytes at "))
            return true;
    }
    return false;
}

static void compare(const struct program *program, uint64_t seed, const struct outcome *a,
                    const struct outcome *b)
{
    if (a->status != b->status)
        fail(program, seed, "status");
    for (size_t i = 0; i < a->n_findings || i < b->n_findings; i++) {
        const char *of_a = i < a->n_findings ? a->findings[i] : "nothing";
        const char *of_b = i < b->n_findings ? b->findings[i] : "nothing";

        if (strcmp(of_a, of_b)) {
            fprintf(stderr, "interpreted: %s\ncompiled: %s\n", of_a, of_b);
            fail(program, seed, "finding");
        }
    }
    for (unsigned i = 0; i < ARRAYS && !a->status && !is_outside(a); i++) {
        if (memcmp(a->memory[i], b->memory[i], program->bytes[i]))
            fail(program, seed, "memory");
    }
}

static void forget(struct outcome *outcome)
{
    while (outcome->n_findings)
        free(outcome->findings[--outcome->n_findings]);
}

/* Races of blocks are found, so that without any the order of the blocks makes no difference. */
static bool is_for_several(const struct program *program, const struct outcome *outcome)
{
    const char *check = getenv("CUSHIM_MOCK_CHECK");

    return !program->strong && !outcome->status && (!check || strcmp(check, "0"));
}

/* Several workers find a race in either order; what has no findings is the same as ever. */
static void run_by_several(const struct program *program, uint64_t seed,
                           const struct outcome *interpreted, struct outcome *compiled)
{
    forget(compiled);
    run(program, "always", "3", compiled);
    if (!interpreted->n_findings)
        compare(program, seed, interpreted, compiled);
    else if (!compiled->n_findings)
        fail(program, seed, "no finding by several workers");
}

int main(int argc, char **argv)
{
    const unsigned count = argc > 1 ? (unsigned) atoi(argv[1]) : 40;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    unsigned long long findings = 0, faults = 0;
    static struct outcome interpreted, compiled;
    static struct program program;

    OK(mock_cuInit(0));
    for (uint64_t seed = first; seed < first + count; seed++) {
        sweep_draw(&program, seed);
        run(&program, "0", "1", &interpreted); /* two workers would find a race in either order */
        run(&program, "always", "1", &compiled);
        compare(&program, seed, &interpreted, &compiled);
        if (is_for_several(&program, &interpreted))
            run_by_several(&program, seed, &interpreted, &compiled);
        findings += interpreted.n_findings;
        faults += interpreted.status != 0;
        forget(&interpreted);
        forget(&compiled);
    }
    printf("%u programs: %llu findings, %llu faults, %llu blocks by a loop\n", count, findings,
           faults, swept);
    if (!strncmp(cushim_mock_kernels_text(), "compiled", 8))
        CHECK_EQ(swept > 0, 1);
    return 0;
}
