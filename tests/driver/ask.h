/* SPDX-License-Identifier: MIT */
/*
 * Questions to a driver. Each is a call, right or wrong, and its answer is a line on
 * standard output: "group.key<TAB>answer". The same program asks a real driver and any
 * stand-in for it.
 *
 * A key is never changed: the recorded answers have it. Not asked is where the recorded
 * driver crashes, or answers by chance: a device name of length 0, a NULL name or output of
 * cuGetProcAddress(), and any use of a destroyed context's handle.
 */
#ifndef CUSHIM_TESTS_DRIVER_ASK_H
#define CUSHIM_TESTS_DRIVER_ASK_H

/* Without the toolkit's macros, every version of a function has its exported name. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

#include <stddef.h>
#include <stdint.h>

typedef void driver_function(void);

/* The driver's function of this exact name; NULL, and a line that says so, if there is none. */
driver_function *find(const char *name);

/* The library that is asked. */
const char *library_path(void);

/* What a call answers where the function is missing. */
#define MISSING (-1)

/* CALL(cuMemAlloc_v2, (&p, 16)) */
#define CALL(name, arguments)                                                                      \
    (find(#name) ? (int) ((__typeof__(&name)) find(#name)) arguments : MISSING)

/* The same, and the result is the answer. */
#define ASK(key, name, arguments) report(key, CALL(name, arguments))

void report(const char *key, long long answer);
void report_text(const char *key, const char *answer);

/* A key with a number in it, as for printf(). */
__attribute__((format(printf, 2, 3))) void report_numbered(long long answer, const char *format,
                                                           ...);

/* An initialised driver, and the primary context of device 0 current. */
CUcontext begin(void);

/* The kernels of kernels.ptx.h, and one of them. */
CUmodule load_kernels(void);
CUfunction get_kernel(CUmodule module, const char *name);

/* What nearly every group does. They answer the driver's result. */
int launch(CUfunction function, unsigned grid, unsigned block, CUstream stream, void **params);
int allocate(CUdeviceptr *ret_address, size_t bytes);
int wait_for(CUstream stream);
int wait_for_all(void);

/* A stream that does not wait for the default one. */
CUstream new_stream(void);

/* Zeroed memory. */
CUdeviceptr new_memory(size_t bytes);

/* The first of `bytes` bytes, as the ints they are. */
void read_ints(int *ints, CUdeviceptr address, size_t bytes);

/* The groups, one a function, each for a process of its own. */
void ask_preinit(void);
void ask_device(void);
void ask_context(void);
void ask_threads(void);
void ask_memory(void);
void ask_async_mem(void);
void ask_stream(void);
void ask_event(void);
void ask_module(void);
void ask_launch(void);
void ask_sticky_oob(void);
void ask_sticky_misaligned(void);
void ask_sticky_trap(void);
void ask_capture(void);
void ask_graph(void);
void ask_procaddr(void);
void ask_peer(void);
void ask_linker(void);
void ask_cond_make(void);
void ask_cond_run(void);
void ask_cond_outside(void);
void ask_cond_stranger(void);
void ask_exec_change(void);
void ask_resources(void);
void ask_green(void);
void ask_green_run(void);
void ask_logs(void);
void ask_coredump(void);
void ask_checkpoint(void);
void ask_checkpoint_self(void);
void ask_shared_oob(void);
void ask_shared_oob_first(void);
void ask_shared_trap(void);
void ask_shared_trap_first(void);
void ask_cluster_sizes(void);
void ask_jit(void);
void ask_jit_options(void);
void ask_jit_logs(void);
void ask_linker_states(void);
void ask_linker_null(void);
void ask_first_versions(void);
void ask_first_context(void);
void ask_environment(void);
void ask_environment_two(void);
void ask_graph_memory(void);
void ask_device_graph(void);
void ask_elapsed(void);
void ask_newer(void);

/* A process that `environment` starts: it is in no list. */
void ask_environment_child(void);

#endif
