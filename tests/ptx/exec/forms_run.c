/* SPDX-License-Identifier: MIT */
/* Runs forms by the driver, over special and drawn values. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forms_run.h"

#ifdef FORMS_DRIVER
#include <cuda.h>
#define CU(name) name
#define V2(name) name
#else
#include "mock/functions.h"
#define CU(name) mock_##name
#define V2(name) mock_##name##_v2
#endif

enum { N = FORMS_VALUES, BLOCK = 256 };

static CUdeviceptr inputs[3][MOST_SOURCES], output, room;
static uint64_t host[3][MOST_SOURCES][N];
static uint64_t result[N];
static unsigned capability;

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
        for (unsigned o = 0; o < 3; o++)
            for (unsigned i = 0; i < N; i++)
                host[c][o][i] = value(bits[c], i >> 2 * o);
    for (unsigned c = 0; c < 3; c++)
        for (unsigned i = 0; i < N; i++)
            host[c][3][i] = value(bits[c], i >> 6);
}

/* --- the driver --- */

static void check(CUresult r, const char *what)
{
    if (r == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, (int) r);
    exit(1);
}

void forms_begin(void)
{
    CUcontext context;
    int major, minor;

    check(CU(cuInit)(0), "cuInit");
    check(CU(cuDevicePrimaryCtxRetain)(&context, 0), "cuDevicePrimaryCtxRetain");
    check(CU(cuCtxSetCurrent)(context), "cuCtxSetCurrent");
    fill();
    check(CU(cuDeviceGetAttribute)(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0),
          "major");
    check(CU(cuDeviceGetAttribute)(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0),
          "minor");
    capability = 10 * (unsigned) major + (unsigned) minor;
    check(V2(cuMemAlloc)(&output, sizeof(result)), "cuMemAlloc");
    check(V2(cuMemAlloc)(&room, 16 * N), "cuMemAlloc");
    for (unsigned c = 0; c < 3; c++) {
        for (unsigned o = 0; o < MOST_SOURCES; o++) {
            check(V2(cuMemAlloc)(&inputs[c][o], sizeof(host[c][o])), "cuMemAlloc");
            check(V2(cuMemcpyHtoD)(inputs[c][o], host[c][o], sizeof(host[c][o])), "cuMemcpyHtoD");
        }
    }
}

static unsigned class_of(char letter)
{
    return letter == 'h' || letter == 'x' ? 0 : letter == 'd' ? 2 : 1;
}

int forms_run(const struct form *form)
{
    char text[KERNEL_BYTES];
    CUmodule module;
    CUfunction function;
    CUdeviceptr a[MOST_SOURCES];
    void *params[] = {&a[0], &a[1], &a[2], &a[3], &output, &room};
    CUresult r;

    write_kernel(form, text);
    r = CU(cuModuleLoadData)(&module, text);
    if (r != CUDA_SUCCESS)
        return (int) r;
    check(CU(cuModuleGetFunction)(&function, module, "k"), form->name);
    for (unsigned o = 0; o < MOST_SOURCES; o++)
        a[o] = inputs[o + 1 < strlen(form->operands) ? class_of(form->operands[o + 1]) : 1][o];
    check(CU(cuLaunchKernel)(function, N / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, params, NULL),
          form->name);
    check(CU(cuCtxSynchronize)(), form->name);
    check(V2(cuMemcpyDtoH)(result, output, sizeof(result)), form->name);
    check(CU(cuModuleUnload)(module), form->name);
    return 0;
}

const uint64_t *forms_result(void)
{
    return result;
}

const uint64_t *forms_source(const struct form *form, unsigned o)
{
    return host[class_of(form->operands[o + 1])][o];
}

unsigned forms_capability(void)
{
    return capability;
}

void forms_print_device(void)
{
    char name[128] = "";
    int driver = 0;

    check(CU(cuDeviceGetName)(name, sizeof(name), 0), "cuDeviceGetName");
    check(CU(cuDriverGetVersion)(&driver), "cuDriverGetVersion");
    printf("# %s, capability %u.%u, driver of CUDA %d.%d\n", name, capability / 10, capability % 10,
           driver / 1000, driver % 1000 / 10);
}

void forms_end(void)
{
    CU(cuDevicePrimaryCtxReset)(0);
}
