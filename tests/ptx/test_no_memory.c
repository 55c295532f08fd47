/* SPDX-License-Identifier: MIT */
/*
 * Reading and lowering when memory runs out: at each allocation in turn, the answer is
 * PTX_OUT_OF_MEMORY, and everything that was allocated is given back.
 */
#include <stdlib.h>

#include "mock/ptx/lower/program.h"
#include "support.h"

TestSuite(no_memory, .timeout = 100);

/* --- allocations that fail: the linker leads the engine's calls here --- */

static size_t allocations, fails_at; /* counted from 1; 0: none fails */
static bool failed;
static int64_t alive;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

static bool fails(void)
{
    if (++allocations != fails_at)
        return false;
    failed = true;
    return true;
}

static void *came(void *memory)
{
    alive += memory != NULL;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : came(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : came(__real_calloc(n, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (fails())
        return NULL;
    return memory ? __real_realloc(memory, size) : came(__real_realloc(NULL, size));
}

void __wrap_free(void *memory)
{
    alive -= memory != NULL;
    __real_free(memory);
}

static void fail_at(size_t n)
{
    allocations = 0;
    fails_at = n;
}

/* --- a text that makes lists of all kinds --- */

static const char text[] = HEAD
    ".file 1 \"a.cu\"\n"
    ".visible .global .align 4 .b8 table[256];\n"
    ".func (.param .b32 out) twice(.param .b32 in) {\n"
    "  .reg .b32 %r<3>;\n"
    "  ld.param.u32 %r1, [in]; add.u32 %r2, %r1, %r1; st.param.b32 [out], %r2; ret;\n"
    "}\n"
    ".visible .entry k(.param .u64 p, .param .u32 n) {\n"
    "  .local .align 8 .b8 depot[64];\n"
    "  .shared .align 4 .b8 s[128];\n"
    "  .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<12>; .reg .b64 %d<6>; .reg .f64 %f<4>;\n"
    "  .loc 1 7 1\n"
    "  ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
    "  setp.ge.u32 %p1, %r2, %r1;\n"
    "  @%p1 bra END;\n"
    "  mov.f64 %f1, 0d3FF0000000000000; fma.rn.f64 %f2, %f1, %f1, 0d4000000000000000;\n"
    "  cvt.rzi.s32.f64 %r3, %f2; cvt.u64.u32 %d2, %r3; shl.b64 %d3, %d2, 3;\n"
    "LOOP:\n"
    "  .loc 1 9 1\n"
    "  { .param .b32 a; .param .b32 b;\n"
    "    st.param.b32 [a], %r3; call.uni (b), twice, (a); ld.param.b32 %r4, [b]; }\n"
    "  @%p1 st.shared.u32 [s+4], %r4;\n"
    "  bar.sync 0;\n"
    "  shfl.sync.down.b32 %r5|%p2, %r4, 1, 31, 0xffffffff;\n"
    "  atom.global.add.u32 %r6, [%d1], %r5;\n"
    "  st.local.u32 [depot+8], %r6;\n"
    "  and.b32 %r8, %r6, 1;\n"
    "  ts: .branchtargets LOOP, END;\n"
    "  brx.idx %r8, ts;\n"
    "END:\n"
    "  ret;\n"
    "}\n";

static enum ptx__status read_one(struct unit *unit)
{
    const char *part = text;

    return read_texts(unit, &part, 1);
}

/* Is done with the n-th allocation failing. */
typedef enum ptx__status attempt(size_t n);

static enum ptx__status attempt_to_read(size_t n)
{
    struct unit unit;
    enum ptx__status status;

    fail_at(n);
    status = read_one(&unit);
    finish(&unit);
    return status;
}

static enum ptx__status attempt_to_lower(size_t n)
{
    struct ptx__program *program = NULL;
    enum ptx__status status;
    struct unit unit;

    fail_at(0);
    cr_assert(eq(int, (int) read_one(&unit), PTX_OK));
    fail_at(n);
    status = ptx__lower(&unit.module, &unit.log, &program);
    if (status == PTX_OK)
        cr_expect(ne(ptr, (void *) (uintptr_t) ptx__program_find(program, "k"), NULL));
    ptx__program_free(program);
    fail_at(0);
    finish(&unit);
    return status;
}

/* Until no allocation is left that could fail. */
static void fails_at_each(attempt *try)
{
    size_t n = 0;

    /* What is made once and kept for the whole process is there afterwards. */
    cr_assert(eq(int, (int) try(0), PTX_OK));
    do {
        enum ptx__status status;
        int64_t left;

        failed = false;
        alive = 0;
        status = try(++n);
        left = alive;
        cr_assert(eq(int, (int) status, failed ? PTX_OUT_OF_MEMORY : PTX_OK), "allocation %zu", n);
        cr_assert(eq(i64, left, 0), "allocation %zu", n);
    } while (failed);
    cr_expect(gt(sz, n, 10));
}

Test(no_memory, to_read_a_text)
{
    fails_at_each(attempt_to_read);
}

Test(no_memory, to_lower_it)
{
    fails_at_each(attempt_to_lower);
}
