/* SPDX-License-Identifier: MIT */
/* Multicast objects: memory of several devices at one address, and multimem in kernels. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "configs.h"
#include "watch.h"

#if CUDA_VERSION >= 12010

#define UNIT ((size_t) 2 << 20)

enum { DEVICES = 2, LANES = 32, ROOM = 4096 };

static CUcontext contexts[DEVICES];

static CUcontext primary(int device)
{
    CUcontext context = NULL;

    OK(mock_cuDevicePrimaryCtxRetain(&context, device));
    OK(mock_cuCtxSetCurrent(context));
    return context;
}

/* Three devices, of which the first two have a switch. */
static void begin(void)
{
    clean();
    cr_assert(eq(int, CUSHIM_OK,
                 configure("devices = h200,h200,h200\n"
                           "device.0.multicast_supported = 1\n"
                           "device.1.multicast_supported = 1")));
    OK(mock_cuInit(0));
    for (int i = DEVICES - 1; i >= 0; i--)
        contexts[i] = primary(i);
}

TestSuite(multicast, .init = begin);

static CUmemGenericAllocationHandle create_memory(int device, size_t bytes)
{
    const CUmemAllocationProp prop = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device},
    };
    CUmemGenericAllocationHandle handle = 0;

    OK(mock_cuMemCreate(&handle, bytes, &prop, 0));
    return handle;
}

static CUdeviceptr map(CUmemGenericAllocationHandle handle, size_t bytes, int device)
{
    const CUmemAccessDesc access = {
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device},
        .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    };
    CUdeviceptr address = 0;

    OK(mock_cuMemAddressReserve(&address, bytes, 0, 0, 0));
    OK(mock_cuMemMap(address, bytes, 0, handle, 0));
    OK(mock_cuMemSetAccess(address, bytes, &access, 1));
    return address;
}

static CUmemGenericAllocationHandle create_object(size_t bytes)
{
    const CUmulticastObjectProp prop = {.numDevices = DEVICES, .size = bytes};
    CUmemGenericAllocationHandle handle = 0;

    OK(mock_cuMulticastCreate(&handle, &prop));
    return handle;
}

/* An object with memory of both devices, and the address at which the first one uses it. */
struct team {
    CUmemGenericAllocationHandle object, memory[DEVICES];
    CUdeviceptr all, own[DEVICES];
};

static struct team make_team(void)
{
    struct team team = {.object = create_object(UNIT)};

    for (int i = 0; i < DEVICES; i++)
        OK(mock_cuMulticastAddDevice(team.object, i));
    for (int i = 0; i < DEVICES; i++) {
        team.memory[i] = create_memory(i, UNIT);
        team.own[i] = map(team.memory[i], UNIT, i);
        OK(mock_cuMulticastBindMem(team.object, 0, team.memory[i], 0, UNIT, 0));
    }
    team.all = map(team.object, UNIT, 0);
    return team;
}

static void put(const struct team *team, int device, const void *bytes, size_t n)
{
    OK(mock_cuCtxSetCurrent(contexts[device]));
    OK(mock_cuMemcpyHtoD_v2(team->own[device], bytes, n));
}

static void get(const struct team *team, int device, void *bytes, size_t n)
{
    OK(mock_cuCtxSetCurrent(contexts[device]));
    OK(mock_cuMemcpyDtoH_v2(bytes, team->own[device], n));
}

/*
 * Runs one instruction on the first device, in 32 lanes, with %a the lane's 16 bytes of all devices
 * and %in of memory of its own. Registers: %r0 to 3, %h0 to 7 and %d are loaded, and stored behind.
 */
static CUresult run(const struct team *team, const char *instruction, const void *in, void *out)
{
    static const char text[] =
        ".version 8.2\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 all, .param .u64 own) {\n"
        ".reg .b64 %%a, %%in, %%d; .reg .b32 %%l, %%r<4>; .reg .b16 %%h<8>;\n"
        "ld.param.u64 %%a, [all]; ld.param.u64 %%in, [own];\n"
        "mov.u32 %%l, %%tid.x; mad.wide.u32 %%a, %%l, 16, %%a; mad.wide.u32 %%in, %%l, 16, %%in;\n"
        "ld.global.v4.b32 {%%r0, %%r1, %%r2, %%r3}, [%%in]; ld.global.b64 %%d, [%%in];\n"
        "mov.b32 {%%h0, %%h1}, %%r0; mov.b32 {%%h2, %%h3}, %%r1;\n"
        "mov.b32 {%%h4, %%h5}, %%r2; mov.b32 {%%h6, %%h7}, %%r3;\n"
        "%s\n"
        "st.global.v4.b32 [%%in+512], {%%r0, %%r1, %%r2, %%r3}; st.global.b64 [%%in+1024], %%d;\n"
        "st.global.v4.b16 [%%in+1536], {%%h0, %%h1, %%h2, %%h3};\n"
        "st.global.v4.b16 [%%in+1544], {%%h4, %%h5, %%h6, %%h7};\n"
        "ret; }\n";
    char full[4096];
    CUdeviceptr own, all = team->all;
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUresult result;
    void *arguments[] = {&all, &own};

    snprintf(full, sizeof(full), text, instruction);
    OK(mock_cuCtxSetCurrent(contexts[0]));
    own = allocate(ROOM);
    OK(mock_cuMemsetD8_v2(own, 0, ROOM));
    OK(mock_cuMemcpyHtoD_v2(own, in, LANES * 16));
    result = mock_cuModuleLoadData(&module, full);
    cr_assert(eq(int, CUDA_SUCCESS, (int) result), "%s", instruction);
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    OK(mock_cuLaunchKernel(function, 1, 1, 1, LANES, 1, 1, 0, NULL, arguments, NULL));
    result = mock_cuCtxSynchronize();
    if (result == CUDA_SUCCESS)
        OK(mock_cuMemcpyDtoH_v2(out, own + 512, 3 * 512));
    return result;
}

/* --- what instructions do --- */

/* Numbers of each device, those of the instruction, and what becomes of them in each lane. */
static const struct {
    const char *instruction;
    uint64_t first, second; /* of the devices, in the first 8 bytes of each lane */
    uint64_t result;
    unsigned from; /* where the result of a lane is: of .b32, .b64 or .b16 */
} loads[] = {
    {"multimem.ld_reduce.add.u32 %r0, [%a];", 5, 0xffffffff, 4, 0},
    {"multimem.ld_reduce.weak.global.min.s32 %r0, [%a];", 5, 0xffffffff, 0xffffffff, 0},
    {"multimem.ld_reduce.relaxed.sys.global.max.u32 %r0, [%a];", 5, 7, 7, 0},
    {"multimem.ld_reduce.acquire.gpu.and.b32 %r0, [%a];", 6, 3, 2, 0},
    {"multimem.ld_reduce.or.b64 %d, [%a];", 0x100000006, 3, 0x100000007, 512},
    {"multimem.ld_reduce.xor.b64 %d, [%a];", 0x100000006, 3, 0x100000005, 512},
    {"multimem.ld_reduce.add.u64 %d, [%a];", 0xffffffff, 1, 0x100000000, 512},
    {"multimem.ld_reduce.min.s64 %d, [%a];", 1, UINT64_MAX, UINT64_MAX, 512},
    {"multimem.ld_reduce.add.f64 %d, [%a];", 0x3ff0000000000000, 0x4000000000000000,
     0x4008000000000000, 512},
    {"multimem.ld_reduce.add.f32 %r0, [%a];", 0x3f800000, 0x40000000, 0x40400000, 0},
    /* Subnormal numbers stay. */
    {"multimem.ld_reduce.add.f32 %r0, [%a];", 1, 2, 3, 0},
    {"multimem.ld_reduce.add.v2.f32 {%r0, %r1}, [%a];", 0x3f8000003f800000, 0x400000003f800000,
     0x4040000040000000, 0},
    {"multimem.ld_reduce.add.f16x2 %r0, [%a];", 0x3c003c00, 0x3c004000, 0x40004200, 0},
    {"multimem.ld_reduce.max.bf16x2 %r0, [%a];", 0x3f80bf80, 0x40004000, 0x40004000, 0},
    {"multimem.ld_reduce.min.v2.f16x2 {%r0, %r1}, [%a];", 0x3c00400044003c00, 0x40003c003c004400,
     0x3c003c003c003c00, 0},
    {"multimem.ld_reduce.add.v4.f16 {%h0, %h1, %h2, %h3}, [%a];", 0x3c004000bc003c00,
     0x3c003c003c003c00, 0x4000420000004000, 1024},
    {"multimem.ld_reduce.add.acc::f32.v2.bf16 {%h0, %h1}, [%a];", 0x3f803f80, 0x40003f80,
     0x40404000, 1024},
    {"multimem.ld_reduce.add.v2.f32 {%r0, _}, [%a];", 0x3f800000, 0x3f800000, 0x40000000, 0},
};

static void fill(uint64_t *lanes, uint64_t value)
{
    for (unsigned i = 0; i < LANES; i++) {
        lanes[2 * i] = value;
        lanes[2 * i + 1] = 0;
    }
}

/* Registers that the instruction does not write are 0 as they were. */
static uint64_t result_of(const unsigned char *out, unsigned from, unsigned lane)
{
    uint64_t value;

    memcpy(&value, out + from + 16 * lane, sizeof(value));
    return value;
}

Test(multicast, loads_reduce_what_all_devices_have)
{
    const struct team team = make_team();
    uint64_t lanes[2 * LANES];
    unsigned char out[3 * 512];

    for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
        for (int device = 0; device < DEVICES; device++) {
            fill(lanes, device ? loads[i].second : loads[i].first);
            put(&team, device, lanes, sizeof(lanes));
        }
        fill(lanes, 0);
        OK(run(&team, loads[i].instruction, lanes, out));
        for (unsigned lane = 0; lane < LANES; lane += LANES - 1)
            cr_expect(eq(u64, loads[i].result, result_of(out, loads[i].from, lane)), "%s lane %u",
                      loads[i].instruction, lane);
    }
    silent();
}

static const struct {
    const char *instruction;
    uint64_t before, value, first, second; /* of both devices; the second begins with one more */
} stores[] = {
    {"multimem.st.u32 [%a], %r0;", 10, 7, 7, 7},
    {"multimem.st.release.sys.global.b64 [%a], %d;", 10, 0x700000007, 0x700000007, 0x700000007},
    {"multimem.st.weak.v2.f32 [%a], {%r0, %r1};", 10, 0x700000007, 0x700000007, 0x700000007},
    {"multimem.st.v4.f16 [%a], {%h3, %h2, %h1, %h0};", 10, 0x1122334455667788, 0x7788556633441122,
     0x7788556633441122},
    {"multimem.st.f16x2 [%a], %r1;", 10, 0x700000007, 7, 7},
    {"multimem.red.add.u32 [%a], %r0;", 10, 7, 17, 18},
    {"multimem.red.add.u32 [%a+0], 5;", 10, 7, 15, 16},
    {"multimem.red.relaxed.gpu.global.max.s32 [%a], %r0;", 10, 0xffffffff, 10, 11},
    {"multimem.red.min.u64 [%a], %d;", 10, 0x700000000, 10, 11},
    {"multimem.red.release.sys.or.b64 [%a], %d;", 10, 0x700000000, 0x70000000a, 0x70000000b},
    {"multimem.red.xor.b32 [%a], %r0;", 10, 1, 11, 10},
    {"multimem.red.add.f32 [%a], %r0;", 0x3f800000, 0x3f800000, 0x40000000, 0x40000000},
    {"multimem.red.add.f64 [%a], %d;", 0x3ff0000000000000, 0x3ff0000000000000, 0x4000000000000000,
     0x4000000000000000},
    {"multimem.red.add.f16x2 [%a], %r0;", 0x3c003c00, 0x3c003c00, 0x40004000, 0x40004000},
    {"multimem.red.max.v2.bf16x2 [%a], {%r0, %r1};", 0x3f803f803f803f80, 0x4000bf8040003f00,
     0x40003f8040003f80, 0x40003f8040003f81},
};

Test(multicast, stores_and_reductions_reach_all_devices)
{
    const struct team team = make_team();
    uint64_t lanes[2 * LANES];
    unsigned char out[3 * 512];

    for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
        for (int device = 0; device < DEVICES; device++) {
            /* The sum of a number and its neighbour rounds to that of the number. */
            const bool alike = strstr(stores[i].instruction, ".add.f") != NULL;

            fill(lanes, stores[i].before + (device && !alike));
            put(&team, device, lanes, sizeof(lanes));
        }
        fill(lanes, stores[i].value);
        OK(run(&team, stores[i].instruction, lanes, out));
        for (int device = 0; device < DEVICES; device++) {
            get(&team, device, lanes, sizeof(lanes));
            for (unsigned lane = 0; lane < LANES; lane += LANES - 1)
                cr_expect(eq(u64, device ? stores[i].second : stores[i].first, lanes[2 * lane]),
                          "%s device %d lane %u", stores[i].instruction, device, lane);
        }
    }
    silent();
}

/* 1 + 2^-11 is halfway between two halves; with .acc::f32 the third device's part counts. */
Test(multicast_of_three, sums_of_halves_are_rounded_once_if_that_is_asked_for)
{
    static const uint16_t parts[] = {0x3c00, 0x1000, 0x0400}; /* 1, 2^-11, 2^-14 */
    static const struct {
        const char *instruction;
        uint32_t sum;
    } asked[] = {
        {"multimem.ld_reduce.add.f16x2 %r0, [%a];", 0x3c00},
        {"multimem.ld_reduce.add.acc::f32.f16x2 %r0, [%a];", 0x3c01},
    };
    const CUmulticastObjectProp prop = {.numDevices = 3, .size = UNIT};
    struct team team = {.all = 0};
    uint64_t lanes[2 * LANES];
    unsigned char out[3 * 512];

    clean();
    cr_assert(eq(int, CUSHIM_OK,
                 configure("devices = h200,h200,h200\n"
                           "device.0.multicast_supported = 1\n"
                           "device.1.multicast_supported = 1\n"
                           "device.2.multicast_supported = 1")));
    OK(mock_cuInit(0));
    contexts[0] = primary(0);
    OK(mock_cuMulticastCreate(&team.object, &prop));
    for (int i = 0; i < 3; i++)
        OK(mock_cuMulticastAddDevice(team.object, i));
    for (int i = 0; i < 3; i++) {
        const CUmemGenericAllocationHandle memory = create_memory(i, UNIT);
        const CUdeviceptr own = map(memory, UNIT, 0);

        fill(lanes, parts[i]);
        OK(mock_cuMemcpyHtoD_v2(own, lanes, sizeof(lanes)));
        OK(mock_cuMulticastBindAddr(team.object, 0, own, UNIT, 0));
    }
    team.all = map(team.object, UNIT, 0);
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        OK(run(&team, asked[i].instruction, lanes, out));
        cr_expect(eq(u64, asked[i].sum, result_of(out, 0, 0)), "%s", asked[i].instruction);
    }
}

/* --- what is refused --- */

/* A use that is a fault, and what is said of it. */
static void faults(const struct team *team, const char *instruction, CUresult result,
                   const char *words)
{
    const uint64_t lanes[2 * LANES] = {0};
    const struct cushim_mock_finding *findings = NULL;
    unsigned char out[3 * 512];
    size_t n;

    cushim_mock_findings_clear();
    EXPECT(result, run(team, instruction, lanes, out));
    n = cushim_mock_findings(&findings);
    cr_assert(ne(sz, n, 0), "%s", instruction);
    cr_expect(strstr(findings[0].text, words), "%s: %s", instruction, findings[0].text);
}

Test(multicast, other_memory_is_not_used_by_multimem)
{
    struct team team = make_team();

    team.all = team.own[0];
    faults(&team, "multimem.ld_reduce.add.u32 %r0, [%a];", CUDA_ERROR_ILLEGAL_ADDRESS,
           "no multicast object is mapped there");
}

Test(multicast, other_instructions_do_not_use_it)
{
    const struct team team = make_team();

    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD8_v2(team.all, 0, 16));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyDtoD_v2(team.own[0], team.all, 16));
    faults(&team, "ld.global.u32 %r0, [%a];", CUDA_ERROR_ILLEGAL_ADDRESS,
           "which only multimem instructions use");
}

Test(multicast, an_address_must_be_aligned)
{
    const struct team team = make_team();

    faults(&team, "multimem.st.v2.f32 [%a+4], {%r0, %r1};", CUDA_ERROR_MISALIGNED_ADDRESS,
           "not aligned");
}

Test(multicast, all_devices_need_memory_there)
{
    const struct team team = make_team();

    OK(mock_cuMulticastUnbind(team.object, 1, 0, UNIT));
    faults(&team, "multimem.st.u32 [%a], %r0;", CUDA_ERROR_ILLEGAL_ADDRESS,
           "all of whose devices have memory there");
}

Test(multicast, access_is_given_to_devices)
{
    const struct team team = make_team();
    CUmemAccessDesc access = {
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 2},
        .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    };

    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuMemSetAccess(team.all, UNIT, &access, 1));
    access.location.id = 0;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    OK(mock_cuMemSetAccess(team.all, UNIT, &access, 1));
    faults(&team, "multimem.red.add.u32 [%a], %r0;", CUDA_ERROR_ILLEGAL_ADDRESS,
           "that this device may use");
}

/* --- the functions --- */

Test(multicast, objects)
{
    CUmulticastObjectProp prop = {.numDevices = 2, .size = UNIT};
    CUmemGenericAllocationHandle object = 0;
    CUmemAllocationProp properties;
    size_t granularity = 0;
    int fd;

    OK(mock_cuMulticastGetGranularity(&granularity, &prop, CU_MULTICAST_GRANULARITY_RECOMMENDED));
    cr_expect(eq(sz, UNIT, granularity));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastCreate(NULL, &prop));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastCreate(&object, NULL));
    prop.size = UNIT - 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastCreate(&object, &prop));
    prop = (CUmulticastObjectProp){.numDevices = 3, .size = UNIT};
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastCreate(&object, &prop));
    object = create_object(UNIT);
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuMulticastAddDevice(object, 9));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuMulticastAddDevice(object, 2));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastAddDevice(object + 1, 0));
    OK(mock_cuMulticastAddDevice(object, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastAddDevice(object, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuMemGetAllocationPropertiesFromHandle(&properties, object));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuMemExportToShareableHandle(
                                         &fd, object, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    OK(mock_cuMemRelease(object));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemRelease(object));
}

Test(multicast, bindings)
{
    const CUmemGenericAllocationHandle object = create_object(2 * UNIT);
    const CUmemGenericAllocationHandle first = create_memory(0, UNIT),
                                       other = create_memory(2, UNIT);
    const CUdeviceptr address = map(create_memory(1, 2 * UNIT), 2 * UNIT, 1);

    OK(mock_cuMulticastAddDevice(object, 0));
    OK(mock_cuMulticastAddDevice(object, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastBindMem(object, 0, other, 0, UNIT, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastBindMem(object, 0, object, 0, UNIT, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastBindMem(object, 0, first, 0, UNIT, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastBindMem(object, 0, first, 0, 4096, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastBindMem(object, 0, first, UNIT, UNIT, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastBindMem(object, 2 * UNIT, first, 0, UNIT, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastBindMem(object, -UNIT, first, 0, UNIT, 0));
    OK(mock_cuMulticastBindMem(object, UNIT, first, 0, UNIT, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastBindMem(object, UNIT, first, 0, UNIT, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastBindAddr(object, 0, allocate(UNIT), UNIT, 0));
    OK(mock_cuMulticastBindAddr(object, 0, address, UNIT, 0));
    OK(mock_cuMulticastBindAddr(object, UNIT, address + UNIT, UNIT, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastUnbind(object, 0, 0, 2 * UNIT));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastUnbind(object, 1, 0, UNIT + 4096));
    OK(mock_cuMulticastUnbind(object, 1, 0, 2 * UNIT));
    OK(mock_cuMulticastUnbind(object, 0, UNIT, UNIT));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastUnbind(object, 0, UNIT, UNIT));
}

/* What is bound stays as long as the object, and all of it is given back. */
Test(multicast, memory_lives_as_long_as_it_is_bound)
{
    struct team team = make_team();
    size_t before = 0, free = 0, total = 0;

    OK(mock_cuCtxSetCurrent(contexts[1]));
    OK(mock_cuMemUnmap(team.own[1], UNIT));
    OK(mock_cuMemRelease(team.memory[1]));
    OK(mock_cuMemGetInfo_v2(&before, &total));
    OK(mock_cuMemRelease(team.object));
    OK(mock_cuMemGetInfo_v2(&free, &total));
    cr_expect(eq(sz, before, free), "the mapping still holds it");
    OK(mock_cuMemUnmap(team.all, UNIT));
    OK(mock_cuMemGetInfo_v2(&free, &total));
    cr_expect(eq(sz, before + UNIT, free));
}

static CUmemGenericAllocationHandle shared;

static void *add_second(void *unused)
{
    (void) unused;
    OK(mock_cuMulticastAddDevice(shared, 1));
    return NULL;
}

/* A driver waits until another thread has added the rest. */
Test(multicast, binding_waits_for_all_devices)
{
    const CUmemGenericAllocationHandle memory = create_memory(0, UNIT);
    pthread_t thread;

    shared = create_object(UNIT);
    OK(mock_cuMulticastAddDevice(shared, 0));
    EXPECT(CUDA_ERROR_SYSTEM_NOT_READY, mock_cuMulticastBindMem(shared, 0, memory, 0, UNIT, 0));
    cr_assert(eq(int, 0, pthread_create(&thread, NULL, add_second, NULL)));
    OK(mock_cuMulticastBindMem(shared, 0, memory, 0, UNIT, 0));
    pthread_join(thread, NULL);
}

#endif
