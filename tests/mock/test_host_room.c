/* SPDX-License-Identifier: MIT */
/*
 * How much memory the host has, and what happens when devices need more. The files of the system
 * are a folder of the test's own, so that a host can be as small as one likes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cushim/mock.h>

#include "mock/config/host_memory.h"

#include "support.h"

#define MIB ((size_t) 1 << 20)

static char root[32], said[64];

static void begin(void)
{
    strcpy(root, "/tmp/cushim-host-XXXXXX");
    cr_assert(mkdtemp(root));
    mock__host_root = root;
    setenv("CUSHIM_MOCK_DEVICES", "h200", 1);
    snprintf(said, sizeof(said), "%s/stderr", root);
    cr_assert(freopen(said, "w", stderr));
}

static void end(void)
{
    char command[64];

    snprintf(command, sizeof(command), "rm -r %s", root);
    cr_expect(eq(int, system(command), 0));
}

TestSuite(host_room, .init = begin, .fini = end);

static void write_file(const char *path, const char *text)
{
    char name[256];
    FILE *file;

    snprintf(name, sizeof(name), "%s%s", root, path);
    for (char *slash = name + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(name, 0700);
        *slash = '/';
    }
    file = fopen(name, "w");
    cr_assert(file);
    fputs(text, file);
    fclose(file);
}

static void machine_has(size_t bytes)
{
    char text[64];

    snprintf(text, sizeof(text), "MemTotal: 9 kB\nMemAvailable:   %zu kB\n", bytes / 1024);
    write_file("/proc/meminfo", text);
}

static void expect_memory(uint64_t memory, uint64_t swap, bool of_a_group)
{
    const struct mock__host_memory room = mock__host_memory();

    cr_expect(eq(u64, room.memory, memory));
    cr_expect(eq(u64, room.swap, swap));
    cr_expect(eq(int, room.of_a_group, of_a_group));
}

Test(host_room, a_container_has_less_than_the_machine)
{
    expect_memory(UINT64_MAX, 0, false);
    write_file("/proc/meminfo", "MemTotal: 900 kB\nMemAvailable:    500 kB\nSwapFree: 7 kB\n");
    expect_memory(500 * 1024, 7 * 1024, false);
    write_file("/sys/fs/cgroup/memory.max", "max\n");
    write_file("/sys/fs/cgroup/memory.current", "100\n");
    expect_memory(500 * 1024, 7 * 1024, false);
    write_file("/sys/fs/cgroup/memory.max", "4096\n");
    expect_memory(3996, 7 * 1024, true);
    write_file("/sys/fs/cgroup/memory.stat", "anon 9\ninactive_file 60\n");
    expect_memory(4056, 7 * 1024, true);
    write_file("/sys/fs/cgroup/memory.swap.max", "50\n");
    write_file("/sys/fs/cgroup/memory.swap.current", "20\n");
    expect_memory(4056, 30, true);
    write_file("/sys/fs/cgroup/memory.current", "5000\n");
    expect_memory(0, 30, true);
}

/* A group may have less than those in it say. */
Test(host_room, groups_within_groups)
{
    machine_has(MIB);
    write_file("/proc/self/cgroup", "0::/a/b\n");
    write_file("/sys/fs/cgroup/a/b/memory.max", "max\n");
    write_file("/sys/fs/cgroup/a/b/memory.current", "100\n");
    expect_memory(MIB, 0, false);
    write_file("/sys/fs/cgroup/a/memory.max", "1000\n");
    write_file("/sys/fs/cgroup/a/memory.current", "400\n");
    expect_memory(600, 0, true);
    write_file("/sys/fs/cgroup/a/b/memory.max", "300\n");
    expect_memory(200, 0, true);
    write_file("/proc/self/cgroup", "0::/elsewhere/on/the/machine\n");
    expect_memory(MIB, 0, false);
}

Test(host_room, groups_of_the_first_kind)
{
    machine_has(MIB);
    write_file("/proc/self/cgroup", "9:name=systemd:/\n4:memory:/a/b\n0::/\n");
    write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write_file("/sys/fs/cgroup/memory/memory.usage_in_bytes", "77777\n");
    expect_memory(MIB, 0, false);
    write_file("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9000\n");
    write_file("/sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "5000\n");
    write_file("/sys/fs/cgroup/memory/a/b/memory.stat", "cache 1\ntotal_inactive_file 500\n");
    expect_memory(4500, 0, true);
    /* Memory and swap together: the rest of it is swap, if the machine has any. */
    write_file("/sys/fs/cgroup/memory/a/b/memory.memsw.limit_in_bytes", "12000\n");
    write_file("/sys/fs/cgroup/memory/a/b/memory.memsw.usage_in_bytes", "6000\n");
    expect_memory(4500, 0, true);
    write_file("/proc/meminfo", "MemAvailable: 1024 kB\nSwapFree: 1024 kB\n");
    expect_memory(4500, 2000, true);
}

static size_t told(void)
{
    const struct cushim_mock_finding *findings;
    const size_t n = cushim_mock_findings(&findings);
    size_t found = 0;

    for (size_t i = 0; i < n; i++)
        found += findings[i].kind == CUSHIM_MOCK_HOST_MEMORY;
    return found;
}

static void expect_hint(size_t left, const char *of_group)
{
    char text[512] = "", expected[128];
    FILE *file = fopen(said, "re");

    cr_assert(ne(ptr, file, NULL));
    fflush(stderr);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    snprintf(expected, sizeof(expected),
             "cushim mock: the host is about to run out of memory: %zu MiB are left%s, and", left,
             of_group);
    cr_expect(strstr(text, expected), "'%s' is not in '%s'", expected, text);
}

Test(host_room, a_copy_that_the_host_has_no_memory_for)
{
    unsigned char *data = calloc(1, 96 * MIB);
    CUdeviceptr address;

    machine_has(40 * MIB);
    start();
    address = allocate(96 * MIB);
    OK(mock_cuMemcpyHtoD_v2(address, data, MIB));
    cr_expect(eq(sz, told(), 0));
    OK(mock_cuMemcpyHtoD_v2(address, data, 96 * MIB));
    cr_expect(eq(sz, told(), 1));
    expect_hint(40, "");
    free(data);
}

Test(host_room, in_a_group)
{
    machine_has(1000 * MIB);
    write_file("/sys/fs/cgroup/memory.max", "104857600\n");
    write_file("/sys/fs/cgroup/memory.current", "73400320\n");
    start();
    OK(mock_cuMemsetD8_v2(allocate(96 * MIB), 1, 96 * MIB));
    OK(mock_cuCtxSynchronize());
    cr_expect(eq(sz, told(), 1));
    expect_hint(30, " in its control group");
}

/* What is there already is not needed again. */
Test(host_room, memory_that_is_written_over_and_over)
{
    CUdeviceptr address;

    machine_has(200 * MIB);
    start();
    address = allocate(64 * MIB);
    for (int i = 0; i < 40; i++)
        OK(mock_cuMemsetD8_v2(address, (unsigned char) i, 64 * MIB));
    OK(mock_cuCtxSynchronize());
    machine_has(10 * MIB);
    for (int i = 0; i < 40; i++)
        OK(mock_cuMemsetD8_v2(address, (unsigned char) i, 64 * MIB));
    OK(mock_cuCtxSynchronize());
    cr_expect(eq(sz, told(), 0));
}

/* Allocations take nothing until they are written. */
Test(host_room, memory_that_is_only_allocated)
{
    CUdeviceptr address;

    machine_has(100 * MIB);
    start();
    for (int i = 0; i < 4; i++) {
        address = allocate((size_t) 20 << 30);
        OK(mock_cuMemsetD8_v2(address + ((size_t) 10 << 30), 1, MIB));
    }
    cr_expect(eq(sz, told(), 0));
}

/* Writes every fourth byte of n threads' shares, in steps of a page or less. */
static const char *const kernels =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry fill(.param .u64 p, .param .u64 n, .param .u64 step) {\n"
    ".reg .b64 %p; .reg .b64 %n; .reg .b64 %s; .reg .b64 %i; .reg .b64 %a; .reg .b32 %r<4>;\n"
    ".reg .pred %q;\n"
    "ld.param.u64 %p, [p]; ld.param.u64 %n, [n]; ld.param.u64 %s, [step];\n"
    "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
    "mad.lo.u32 %r3, %r0, %r1, %r2; cvt.u64.u32 %i, %r3; mul.lo.u64 %i, %i, %s;\n"
    "setp.ge.u64 %q, %i, %n; @%q bra done;\n"
    "add.u64 %a, %p, %i; st.global.u32 [%a], %r3;\n"
    "done: ret; }\n";

static void fill(CUdeviceptr address, size_t bytes, size_t step)
{
    CUmodule module;
    CUfunction function;
    void *args[] = {&address, &bytes, &step};

    OK(mock_cuModuleLoadData(&module, kernels));
    OK(mock_cuModuleGetFunction(&function, module, "fill"));
    OK(mock_cuLaunchKernel(function, (unsigned) (bytes / step / 256) + 1, 1, 1, 256, 1, 1, 0, NULL,
                           args, NULL));
    OK(mock_cuCtxSynchronize());
}

/* It is known only while it runs, or afterwards, what a kernel writes. */
Test(host_room, a_kernel_that_the_host_has_no_memory_for)
{
    machine_has(3 * MIB);
    start();
    fill(allocate(128 * MIB), 128 * MIB, 256);
    cr_expect(eq(sz, told(), 1));
    expect_hint(3, "");
}

Test(host_room, a_kernel_that_uses_a_little_of_much)
{
    CUdeviceptr address;

    machine_has(300 * MIB);
    start();
    address = allocate((size_t) 20 << 30);
    for (int i = 0; i < 20; i++)
        fill(address, MIB, 4096);
    cr_expect(eq(sz, told(), 0));
}

/* Many that write a little each, of which none is much. */
Test(host_room, kernels_that_use_it_up_together)
{
    CUdeviceptr address;

    machine_has(100 * MIB);
    start();
    address = allocate(256 * MIB);
    for (size_t i = 0; i < 4; i++)
        fill(address + i * 16 * MIB, 16 * MIB, 4096);
    cr_expect(eq(sz, told(), 0));
    machine_has(36 * MIB);
    for (size_t i = 4; i < 8; i++)
        fill(address + i * 16 * MIB, 16 * MIB, 4096);
    cr_expect(eq(sz, told(), 1));
}

/* How far apart a kernel writes that is to run for some tenths of a second. */
#ifdef SANITIZED
enum { CLOSE = 128 };
#else
enum { CLOSE = 16 };
#endif

/* While it runs, too: these write only what is there already, but the host has less and less. */
Test(host_room, a_kernel_is_watched_while_it_runs)
{
    CUdeviceptr address;

    machine_has(200 * MIB);
    start();
    address = allocate(128 * MIB);
    fill(address, 128 * MIB, 4096);
    cr_expect(eq(sz, told(), 0));
    machine_has(3 * MIB);
    usleep(30000);
    fill(address, 128 * MIB, CLOSE);
    cr_expect(eq(sz, told(), 1));
    cushim_mock_findings_clear();
    usleep(1300000); /* nobody watches any more */
    fill(address, 128 * MIB, CLOSE);
    cr_expect(eq(sz, told(), 1));
}

/* A device with no more memory than the host: what nobody could give is not promised. */
Test(host_room, a_device_of_the_host)
{
    CUcontext context;
    CUdeviceptr address;
    size_t free_bytes = 0, total = 0;

    machine_has(1024 * MIB);
    setenv("CUSHIM_MOCK_DEVICES", "ci", 1);
    OK(mock_cuInit(0));
    OK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    OK(mock_cuCtxSetCurrent(context));
    OK(mock_cuMemGetInfo_v2(&free_bytes, &total));
    cr_expect(eq(sz, total, 512 * MIB));
    cr_expect(le(sz, free_bytes, 512 * MIB));
    address = allocate(100 * MIB);
    machine_has(200 * MIB);
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, mock_cuMemAlloc_v2(&address, 200 * MIB));
    usleep(30000);
    OK(mock_cuMemGetInfo_v2(&free_bytes, &total));
    cr_expect(le(sz, free_bytes, 100 * MIB), "%zu", free_bytes);
    OK(mock_cuMemFree_v2(address));
    machine_has(400 * MIB);
    address = allocate(200 * MIB);
    OK(mock_cuMemFree_v2(address));
}

/* Other devices promise what they have, as they always did. */
Test(host_room, a_device_with_more_than_the_host)
{
    CUdeviceptr address;
    size_t free_bytes = 0;

    machine_has(100 * MIB);
    start();
    address = allocate((size_t) 100 << 30);
    OK(mock_cuMemGetInfo_v2(&free_bytes, NULL));
    cr_expect(eq(sz, free_bytes, 150109880320 - 552402944 - ((size_t) 100 << 30)));
    OK(mock_cuMemFree_v2(address));
}
