/* SPDX-License-Identifier: MIT */
/*
 * sweep_random [COUNT [SEED]]: random kernels with a thread for each element, interpreted and
 * compiled: what they leave in memory, and what is found, is the same. Most of their blocks are
 * done by one loop of compiled code (a sweep), others are not, because some of their threads have
 * nothing to do, or are outside of the memory, or the block has two dimensions.
 */
#include <cushim/mock.h>
#include <stdarg.h>

#include "../unit/plain.h"
#include "mock/functions.h"
#include "mock/ptx/jit/block.h"

enum { ARRAYS = 3, ROOM = 1 << 14, MOST_FINDINGS = 200, LAUNCHES = 2 };

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

/* --- a program --- */

static uint64_t state;

static unsigned any(unsigned n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned) (state >> 33) % n;
}

struct text {
    char text[8000];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *to, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    to->used += (size_t) vsnprintf(to->text + to->used, sizeof(to->text) - to->used, format, list);
    va_end(list);
    CHECK_EQ(to->used < sizeof(to->text), 1);
}

struct kind {
    const char *type, *vector, *registers;
    unsigned bytes;
    bool wide;
};

static const struct kind kinds[] = {
    {"u32", "", "%v0", 4, false},
    {"f32", "", "%f0", 4, false},
    {"u8", "", "%v0", 1, false},
    {"s16", "", "%v0", 2, false},
    {"u64", "", "%l0", 8, true},
    {"u32", ".v2", "{%v0, %v1}", 8, false},
    {"u32", ".v4", "{%v0, %v1, %v2, %v3}", 16, false},
};

struct program {
    struct text text;
    unsigned grid[2], block[2], n, limit;
    size_t bytes[ARRAYS], set[ARRAYS]; /* of each array, and how many of them are written before */
    unsigned moved[ARRAYS];            /* where the kernel's array begins */
};

/* What threads have in common, or not in all of the block, and what each one has. */
static const char *const numbers[] = {
    "mov.u32 %x, %tid.x;",
    "mov.u32 %x, %ctaid.x;",
    "mov.u32 %x, %laneid;",
    "shr.u32 %x, %t, 5;",
    "mov.u32 %x, %ntid.x;",
    "mov.u32 %x, %tid.y;",
    "and.b32 %x, %i, 31;",
    "mov.u32 %x, %n;",
    "mov.u32 %x, %warpid;",
    "mul.lo.u32 %x, %t, 3;",
    "or.b32 %x, %t, 4096;",
    "sub.u32 %x, %n, %i;",
    "setp.lt.u32 %q, %t, 40; selp.u32 %x, 5, %t, %q;",
};

/* What they compute; what is no number may be one afterwards. */
static const char *const sums[] = {
    "add.u32 %s, %s, %v0;",
    "xor.b32 %s, %s, %x;",
    "mad.lo.u32 %s, %v0, 7, %x;",
    "fma.rn.f32 %g, %f0, 0f40400000, %g;",
    "mov.b32 %y, %g; add.u32 %s, %s, %y;",
    "mul.f32 %g, %g, %g;",
    "cvt.rn.f32.u32 %g, %v0;",
    "add.u32 %s, %s, %v3;",
    "cvt.u32.u64 %y, %l0; add.u32 %s, %s, %y;",
    "setp.gt.u32 %q, %s, 1000; selp.u32 %s, %x, %s, %q;",
    "shl.b32 %s, %s, 1;",
    "div.rn.f32 %g, %g, 0f00000000;",
    "sub.f32 %g, %g, %g;",
    "sqrt.rn.f32 %g, %g;",
    "neg.f32 %g, %g; mov.b32 %y, %g; xor.b32 %s, %s, %y;",
    "max.f32 %g, %g, %f0;",
    "setp.gt.f32 %q, %g, %f0; selp.f32 %g, %g, %f0, %q;",
    "cvt.rzi.s32.f32 %y, %g; add.u32 %s, %s, %y;",
    "copysign.f32 %g, %g, %f0;",
    "abs.ftz.f32 %g, %g; mul.ftz.f32 %f0, %g, %f0;",
};

#define PICK(list) (list)[any(sizeof(list) / sizeof((list)[0]))]

static void write_index(struct text *to)
{
    static const char *const indices[] = {
        "mad.lo.u32 %i, %b, %d, %t;",
        "mad.lo.s32 %i, %b, %d, %t;",
        "mul.lo.u32 %i, %b, %d; add.u32 %i, %i, %t;",
        "mov.u32 %i, %t;",
        "mad.lo.u32 %i, %b, %d, %t; shl.b32 %i, %i, 1; sub.u32 %i, %i, %t;",
        "mad.lo.u32 %i, %b, %d, %t; sub.u32 %i, %n, %i;",
        "mad.lo.u32 %i, %b, %d, %t; add.u32 %i, %i, 2147483600;",
        "mad.lo.u32 %i, %b, %d, %t; mul.lo.u32 %i, %i, 3;",
    };

    say(to, "%s\n", any(3) ? indices[any(3)] : PICK(indices));
}

static void write_limit(struct text *to)
{
    static const char *const limits[] = {
        "setp.ge.u32 %p, %i, %n; @%p bra E;",
        "setp.ge.s32 %p, %i, %n; @%p bra E;",
        "setp.lt.u32 %p, %i, %n; @!%p bra E;",
        "setp.gt.s32 %p, %n, %i; @!%p bra E;",
        "setp.ge.u32 %p, %i, %n; setp.lt.u32 %q, %t, 0; or.pred %p, %p, %q; @%p bra E;",
        "setp.lt.u32 %p, %i, %n; setp.le.s32 %q, %t, 900; and.pred %p, %p, %q; @!%p bra E;",
        "setp.eq.u32 %p, %n, 0; @%p bra E;",
        "setp.eq.u32 %p, %i, %n; @%p bra E;",
        "setp.ge.u32 %p, %i, %n; @%p exit;",
    };

    if (any(8))
        say(to, "%s\n", any(2) ? limits[any(4)] : PICK(limits));
}

static void write_address(struct text *to, unsigned array, unsigned bytes)
{
    static const char *const offsets[] = {
        "mul.wide.u32 %%a, %%i, %u;",
        "mul.wide.s32 %%a, %%i, %u;",
        "cvt.u64.u32 %%a, %%i; mul.lo.u64 %%a, %%a, %u;",
        "cvt.s64.s32 %%a, %%i; mul.lo.u64 %%a, %%a, %u;",
        "mul.wide.u32 %%a, %%b, %u;",
    };

    if (any(12))
        say(to, offsets[any(4)], bytes);
    else
        say(to, offsets[4], bytes);
    say(to, "add.u64 %%a, %%a, %%p%u;\n", array);
}

static void write_offset(struct text *to, unsigned bytes)
{
    if (any(8) == 0)
        say(to, "+%u", bytes * any(40));
    say(to, "]");
}

/* Loads something, computes, and stores. */
static void write_step(struct text *to)
{
    const struct kind *from = &kinds[any(3) ? any(2) : any(7)], *with = &PICK(kinds);
    const unsigned array = any(ARRAYS);

    if (any(8)) {
        write_address(to, array, from->bytes);
        say(to, "ld.global%s.%s %s, [%%a", from->vector, from->type, from->registers);
        write_offset(to, from->bytes);
        say(to, ";\n");
    }
    say(to, "%s\n", PICK(numbers));
    for (unsigned i = any(4); i; i--)
        say(to, "%s\n", PICK(sums));
    if (any(3))
        with = from;
    say(to,
        with->wide ? "cvt.u64.u32 %%l0, %%s;\n" : "add.u32 %%v0, %%v0, %%s; mov.f32 %%f0, %%g;\n");
    if (any(4))
        write_address(to, any(3) ? (array + 1) % ARRAYS : array, with->bytes);
    else if (any(2))
        return;
    say(to, "st.global%s.%s [%%a", with->vector, with->type);
    write_offset(to, with->bytes);
    say(to, ", %s;\n", with->registers);
}

static void write_kernel(struct text *to)
{
    to->used = 0;
    say(to, ".version 7.0\n.target sm_70\n.address_size 64\n"
            ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u32 n) {\n"
            ".reg .b64 %%p0, %%p1, %%p2, %%a, %%l0; .reg .f32 %%f0, %%g; .reg .pred %%p, %%q;\n"
            ".reg .b32 %%i, %%t, %%b, %%d, %%n, %%s, %%x, %%y, %%v0, %%v1, %%v2, %%v3;\n");
    for (unsigned i = 0; i < ARRAYS; i++)
        say(to, "ld.param.u64 %%p%u, [p%u];\n", i, i);
    say(to, "ld.param.u32 %%n, [n]; mov.u32 %%t, %%tid.x; mov.u32 %%b, %%ctaid.x;\n"
            "mov.u32 %%d, %%ntid.x; mov.u32 %%s, 1; mov.u32 %%x, 2; mov.f32 %%g, 0f3f800000;\n"
            "mov.u32 %%v0, 3; mov.u32 %%v1, %%t; mov.u32 %%v2, %%b; mov.u32 %%v3, 4;\n"
            "mov.f32 %%f0, %%g; mov.u64 %%l0, 5; mov.u64 %%a, %%p0;\n");
    write_index(to);
    write_limit(to);
    for (unsigned i = 1 + any(2) * any(3); i; i--)
        write_step(to);
    say(to, "E: ret; }\n");
}

static void draw(struct program *program)
{
    static const unsigned blocks[][2] = {{32, 1},  {64, 1}, {96, 1},  {256, 1}, {1024, 1},
                                         {128, 1}, {33, 1}, {100, 1}, {16, 4},  {32, 3}};
    static const unsigned moves[] = {0, 64, 4, 32, 1};
    const unsigned *block = blocks[any(2) ? any(4) : any(10)];
    unsigned threads;

    write_kernel(&program->text);
    memcpy(program->block, block, sizeof(program->block));
    program->grid[0] = 1 + any(block[0] > 256 ? 3 : 8);
    program->grid[1] = any(8) ? 1 : 2;
    threads = program->grid[0] * program->block[0];
    program->n = any(3) ? threads - any(3) * any(50) : any(2) ? 2 * threads : any(threads);
    for (unsigned i = 0; i < ARRAYS; i++) {
        program->moved[i] = any(4) ? 0 : moves[any(5)];
        program->bytes[i] = any(3) ? ROOM : threads * (any(3) ? 4 : 8) + program->moved[i];
        program->set[i] = any(6) ? program->bytes[i] : program->bytes[i] / 2;
    }
}

/* --- running it --- */

struct outcome {
    int status;
    size_t n_findings;
    char *findings[MOST_FINDINGS];
    unsigned char memory[ARRAYS][1 << 16];
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
        moved[i] = arrays[i] + program->moved[i];
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    for (unsigned i = 0; i < LAUNCHES; i++)
        OK(mock_cuLaunchKernel(function, program->grid[0], program->grid[1], 1, program->block[0],
                               program->block[1], 1, 0, NULL, params, NULL));
}

static void allocate(const struct program *program, CUdeviceptr *arrays)
{
    unsigned char bytes[ROOM];

    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char) (i * 7 ^ i >> 5);
    for (unsigned i = 0; i < ARRAYS; i++) {
        OK(mock_cuMemAlloc_v2(&arrays[i], program->bytes[i]));
        OK(mock_cuMemcpyHtoD_v2(arrays[i], bytes, program->set[i] < ROOM ? program->set[i] : ROOM));
    }
}

/* Runs it with a context of its own, because a fault ends that. */
static void run(const struct program *program, const char *mode, struct outcome *outcome)
{
    CUdeviceptr arrays[ARRAYS] = {0};
    CUcontext context = NULL;
    CUmodule module = NULL;

    setenv("CUSHIM_MOCK_PTX_COMPILE", mode, 1);
    OK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    OK(mock_cuCtxSetCurrent(context));
    OK(mock_cuModuleLoadData(&module, program->text.text));
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
    for (unsigned i = 0; i < ARRAYS && !a->status; i++) {
        if (memcmp(a->memory[i], b->memory[i], program->bytes[i]))
            fail(program, seed, "memory");
    }
}

int main(int argc, char **argv)
{
    const unsigned count = argc > 1 ? (unsigned) atoi(argv[1]) : 40;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    unsigned long long findings = 0, faults = 0;
    static struct outcome outcomes[2];
    static struct program program;

    setenv("CUSHIM_MOCK_PTX_WORKERS", "1", 1); /* two would find a race in either order */
    OK(mock_cuInit(0));
    for (uint64_t seed = first; seed < first + count; seed++) {
        state = seed * UINT64_C(0x9e3779b97f4a7c15);
        draw(&program);
        run(&program, "0", &outcomes[0]);
        run(&program, "always", &outcomes[1]);
        compare(&program, seed, &outcomes[0], &outcomes[1]);
        findings += outcomes[0].n_findings;
        faults += outcomes[0].status != 0;
        for (unsigned i = 0; i < 2; i++) {
            while (outcomes[i].n_findings)
                free(outcomes[i].findings[--outcomes[i].n_findings]);
        }
    }
    printf("%u programs: %llu findings, %llu faults, %llu blocks by a loop\n", count, findings,
           faults, swept);
    if (!strncmp(cushim_mock_kernels_text(), "compiled", 8))
        CHECK_EQ(swept > 0, 1);
    return 0;
}
