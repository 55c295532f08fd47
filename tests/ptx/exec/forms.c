/* SPDX-License-Identifier: MIT */
/*
 * Every form of every instruction that computes, alone in a kernel, over special and drawn values.
 * What comes out is written down as one number a form, and compared with what an H200 gave.
 *
 *   forms FILE      compares with the numbers in the file; names the forms that differ
 *   forms           prints the file
 *   forms -v FORM   prints the operands and results of a form, to look at
 *
 * Built with FORMS_DRIVER it asks the driver that the program is linked with, so that the file
 * can be made on hardware by the very same code.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"

#ifdef FORMS_DRIVER
#include <cuda.h>
#define CU(name) name
#define V2(name) name
#else
#include "mock/functions.h"
#define CU(name) mock_##name
#define V2(name) mock_##name##_v2
#endif

enum { N = 8192, BLOCK = 256, OPERANDS = 3 };

static CUdeviceptr inputs[3][OPERANDS], output;
static uint64_t host[3][OPERANDS][N], result[N];

/* --- values --- */

static const uint64_t specials64[] = {0,
                                      1,
                                      2,
                                      3,
                                      7,
                                      15,
                                      16,
                                      31,
                                      32,
                                      33,
                                      63,
                                      64,
                                      65,
                                      0x7f,
                                      0x80,
                                      0xff,
                                      0x7fff,
                                      0x8000,
                                      0xffff,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0x100000000,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      0x8000000000000001,
                                      0xffffffffffffffff,
                                      0xfffffffffffffffe,
                                      0x3ff0000000000000,
                                      0xbff0000000000000,
                                      0x3fe0000000000000,
                                      0x3ff8000000000000,
                                      0x4000000000000000,
                                      0x4004000000000000,
                                      0xc004000000000000,
                                      0x7ff0000000000000,
                                      0xfff0000000000000,
                                      0x7ff8000000000000,
                                      0xfff8000000000000,
                                      0x7ff0000000000001,
                                      0x7ff4000000000123,
                                      0x7fefffffffffffff,
                                      0xffefffffffffffff,
                                      0x0010000000000000,
                                      0x000fffffffffffff,
                                      0x8010000000000001,
                                      0x41e0000000000000,
                                      0x41dfffffffe00000,
                                      0x41f0000000000000,
                                      0x43e0000000000000,
                                      0xc3e0000000000000,
                                      0x43f0000000000000,
                                      0x3fd5555555555555,
                                      0x400921fb54442d18,
                                      0x3810000000000000,
                                      0x36a0000000000000,
                                      0x47efffffe0000000,
                                      0x47effffff0000000,
                                      0x40effc0000000000,
                                      0x3e70000000000000};

static const uint32_t specials32[] = {
    0,          1,          2,          3,          7,          15,         16,         31,
    32,         33,         63,         64,         0x7f,       0x80,       0xff,       0x100,
    0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
    0xfffffffe, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40000000, 0x40200000,
    0xc0200000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0x7fa12345, 0xff812345,
    0x7f7fffff, 0xff7fffff, 0x00800000, 0x007fffff, 0x807fffff, 0x00400000, 0x4f000000, 0xcf000000,
    0x4f800000, 0x4effffff, 0x5f000000, 0x3eaaaaab, 0x40490fdb, 0x477fe000, 0x477ff000, 0x33800000,
    0x32ffffff, 0x38800000, 0x387fc000, 0x43dfffff, 0x43e80000};

static const uint16_t specials16[] = {
    0,      1,      2,      3,      7,      15,     16,     17,     31,     0x7f,
    0x80,   0xff,   0x100,  0x7fff, 0x8000, 0x8001, 0xffff, 0xfffe, 0x3c00, 0xbc00,
    0x3800, 0x3e00, 0x4000, 0x4100, 0xc100, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01,
    0x7d23, 0x7bff, 0xfbff, 0x0400, 0x03ff, 0x83ff, 0x0200, 0x3555, 0x4248, 0x3f80,
    0xbf80, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0x7f7f, 0x0080, 0x007f, 0x4048, 0x3eab};

static uint64_t state;

/* splitmix64 */
static uint64_t draw(void)
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#define SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Numbers near one another, so that sums cancel and quotients are not all 0 or infinite. */
static uint64_t near_one(unsigned bits)
{
    const uint64_t sign = draw() & 1;

    if (bits == 64)
        return sign << 63 | (1023 - 8 + draw() % 16) << 52 | draw() >> 12;
    if (bits == 32)
        return sign << 31 | (127 - 8 + draw() % 16) << 23 | draw() >> 41;
    return sign << 15 | (15 - 4 + draw() % 8) << 10 | draw() >> 54;
}

static uint64_t special(unsigned bits)
{
    if (bits == 64)
        return specials64[draw() % SIZE(specials64)];
    if (bits == 32)
        return specials32[draw() % SIZE(specials32)];
    return specials16[draw() % SIZE(specials16)] | (uint64_t) specials16[draw() % SIZE(specials16)]
                                                       << 16;
}

static uint64_t value(unsigned bits, unsigned i)
{
    if (i % 4 < 2)
        return special(bits);
    return i % 4 == 2 ? near_one(bits) | (bits == 16 ? near_one(16) << 16 : 0) : draw();
}

static void fill(void)
{
    static const unsigned bits[3] = {16, 32, 64};

    state = 1;
    for (unsigned c = 0; c < 3; c++)
        for (unsigned o = 0; o < OPERANDS; o++)
            for (unsigned i = 0; i < N; i++)
                host[c][o][i] = value(bits[c], o == 0 ? i : o == 1 ? i / 4 : i / 16);
}

/* --- the driver --- */

static void check(CUresult r, const char *what)
{
    if (r == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, (int) r);
    exit(1);
}

static void begin(void)
{
    CUcontext context;

    check(CU(cuInit)(0), "cuInit");
    check(CU(cuDevicePrimaryCtxRetain)(&context, 0), "cuDevicePrimaryCtxRetain");
    check(CU(cuCtxSetCurrent)(context), "cuCtxSetCurrent");
    fill();
    check(V2(cuMemAlloc)(&output, sizeof(result)), "cuMemAlloc");
    for (unsigned c = 0; c < 3; c++) {
        for (unsigned o = 0; o < OPERANDS; o++) {
            check(V2(cuMemAlloc)(&inputs[c][o], sizeof(host[c][o])), "cuMemAlloc");
            check(V2(cuMemcpyHtoD)(inputs[c][o], host[c][o], sizeof(host[c][o])), "cuMemcpyHtoD");
        }
    }
}

/* h: 16 bits, x: 32 bits with two halves in them, r: 32, d: 64, p: predicate, i: the number 1..7 */
static unsigned class_of(char letter)
{
    return letter == 'h' || letter == 'x' ? 0 : letter == 'd' ? 2 : 1;
}

/* A kernel with the instruction in it. */
static void write_kernel(const struct form *form, char *text, size_t size)
{
    const unsigned n = (unsigned) strlen(form->operands) - 1;
    size_t at = 0;

#define W(...) at += (size_t) snprintf(text + at, size - at, __VA_ARGS__)
    W(".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a0, .param "
      ".u64 a1, .param .u64 a2, .param .u64 out) {\n.reg .b16 %%h<8>; .reg .b32 %%r<8>; .reg .b32 "
      "%%x<8>; .reg .b64 %%d<8>; .reg .pred %%p<8>; .reg .b64 %%t<9>; .reg .b32 %%i<4>;\n"
      "mov.u32 %%i0, %%ctaid.x; mov.u32 %%i1, %%ntid.x; mov.u32 %%i2, %%tid.x;\n"
      "mad.lo.u32 %%i0, %%i0, %%i1, %%i2; mul.wide.u32 %%t0, %%i0, 8;\n");
    for (unsigned o = 0; o < n; o++) {
        W("ld.param.u64 %%t1, [a%u]; add.u64 %%t1, %%t1, %%t0; ld.global.u64 %%d%u, [%%t1];\n", o,
          o + 1);
        W("cvt.u16.u64 %%h%u, %%d%u; cvt.u32.u64 %%r%u, %%d%u; cvt.u32.u64 %%x%u, %%d%u;\n", o + 1,
          o + 1, o + 1, o + 1, o + 1, o + 1);
        W("and.b32 %%i3, %%r%u, 1; setp.eq.u32 %%p%u, %%i3, 1;\n", o + 1, o + 1);
    }
    if (form->before)
        W("%s\n", form->before);
    W("%s %%%c0", form->name, form->operands[0]);
    for (unsigned o = 0; o < n; o++)
        W(", %%%c%u", form->operands[o + 1], o + 1);
    W("%s;\n", form->more ? form->more : "");
    if (form->after)
        W("%s\n", form->after);
    switch (form->operands[0]) {
    case 'h':
        W("cvt.u64.u16 %%d0, %%h0;\n");
        break;
    case 'p':
        W("selp.u64 %%d0, 1, 0, %%p0;\n");
        break;
    case 'd':
        break;
    default:
        W("cvt.u64.u32 %%d0, %%%c0;\n", form->operands[0]);
    }
    W("ld.param.u64 %%t1, [out]; add.u64 %%t1, %%t1, %%t0; st.global.u64 [%%t1], %%d0; ret;\n}\n");
#undef W
}

/* False: the driver refuses the kernel. */
static int run(const struct form *form)
{
    char text[8192];
    CUmodule module;
    CUfunction function;
    CUdeviceptr a[4];
    void *params[4] = {&a[0], &a[1], &a[2], &a[3]};
    CUresult r;

    write_kernel(form, text, sizeof(text));
    r = CU(cuModuleLoadData)(&module, text);
    if (r != CUDA_SUCCESS)
        return (int) r;
    check(CU(cuModuleGetFunction)(&function, module, "k"), form->name);
    for (unsigned o = 0; o < OPERANDS; o++)
        a[o] = inputs[o + 1 < strlen(form->operands) ? class_of(form->operands[o + 1]) : 1][o];
    a[3] = output;
    check(CU(cuLaunchKernel)(function, N / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, params, NULL),
          form->name);
    check(CU(cuCtxSynchronize)(), form->name);
    check(V2(cuMemcpyDtoH)(result, output, sizeof(result)), form->name);
    check(CU(cuModuleUnload)(module), form->name);
    return 0;
}

/* FNV-1a */
static uint64_t hash(void)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (unsigned i = 0; i < N; i++)
        for (unsigned b = 0; b < 64; b += 8)
            h = (h ^ (result[i] >> b & 0xff)) * UINT64_C(0x100000001b3);
    return h;
}

static void print_values(const struct form *form)
{
    const unsigned n = (unsigned) strlen(form->operands) - 1;

    if (run(form))
        printf("refused\n");
    for (unsigned i = 0; i < N; i++) {
        for (unsigned o = 0; o < n; o++)
            printf("%llx ", (unsigned long long) host[class_of(form->operands[o + 1])][o][i]);
        printf("%llx\n", (unsigned long long) result[i]);
    }
}

static char *recorded(const char *lines, const char *name)
{
    char wanted[80];
    const char *found;

    snprintf(wanted, sizeof(wanted), "\n%.63s = ", name);
    found = strstr(lines, wanted);
    return found ? (char *) found + strlen(wanted) : NULL;
}

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);

    if (!file || !text) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    text[0] = '\n';
    text[1 + fread(text + 1, 1, (1 << 20) - 2, file)] = '\0';
    fclose(file);
    return text;
}

/* What is approximate on hardware is not in the file. */
static int compare(const struct form *forms, size_t n, const char *path)
{
    char *lines = read_all(path);
    unsigned compared = 0, differ = 0;

    for (size_t i = 0; i < n; i++) {
        const char *expected = recorded(lines, forms[i].name);
        char text[32];
        int r;

        if (!expected)
            continue;
        r = run(&forms[i]);
        compared++;
        if (r)
            snprintf(text, sizeof(text), "refused %d", r);
        else
            snprintf(text, sizeof(text), "%016llx", (unsigned long long) hash());
        if (strncmp(expected, text, strlen(text)) != 0) {
            printf("%s: %s, the hardware has %.16s\n", forms[i].name, text, expected);
            differ++;
        }
    }
    printf("%u forms, %u differ\n", compared, differ);
    free(lines);
    return differ || compared < 300;
}

int main(int argc, char **argv)
{
    static struct form forms[MOST_FORMS];
    const size_t n = list_forms(forms);
    int status = 0;

    begin();
    if (argc == 3) {
        for (size_t i = 0; i < n; i++)
            if (!strcmp(forms[i].name, argv[2]))
                print_values(&forms[i]);
    } else if (argc == 2) {
        status = compare(forms, n, argv[1]);
    } else {
        for (size_t i = 0; i < n; i++) {
            const int r = run(&forms[i]);

            if (r)
                printf("%s = refused %d\n", forms[i].name, r);
            else
                printf("%s = %016llx\n", forms[i].name, (unsigned long long) hash());
        }
    }
    CU(cuDevicePrimaryCtxReset)(0);
    return status;
}
