/* SPDX-License-Identifier: MIT */
/*
 * ask LIBRARY           the groups, one a line
 * ask LIBRARY GROUP     asks the questions of a group; its last line is "group.END<TAB>0"
 * ask LIBRARY devices   says which driver and devices there are, as "name<TAB>value"
 */
#include "ask.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernels.ptx.h"

static const struct group {
    const char *name;
    void (*ask)(void);
} groups[] = {
    {"preinit", ask_preinit},
    {"device", ask_device},
    {"context", ask_context},
    {"threads", ask_threads},
    {"memory", ask_memory},
    {"async_mem", ask_async_mem},
    {"stream", ask_stream},
    {"event", ask_event},
    {"module", ask_module},
    {"launch", ask_launch},
    {"sticky_oob", ask_sticky_oob},
    {"sticky_misaligned", ask_sticky_misaligned},
    {"sticky_trap", ask_sticky_trap},
    {"capture", ask_capture},
    {"graph", ask_graph},
    {"procaddr", ask_procaddr},
    {"peer", ask_peer},
    {"linker", ask_linker},
    {"cond_make", ask_cond_make},
    {"cond_run", ask_cond_run},
    {"cond_outside", ask_cond_outside},
    {"cond_stranger", ask_cond_stranger},
    {"exec_change", ask_exec_change},
    {"resources", ask_resources},
    {"green", ask_green},
    {"green_run", ask_green_run},
    {"logs", ask_logs},
    {"coredump", ask_coredump},
    {"checkpoint", ask_checkpoint},
    {"checkpoint_self", ask_checkpoint_self},
    {"shared_oob", ask_shared_oob},
    {"shared_oob_first", ask_shared_oob_first},
    {"shared_trap", ask_shared_trap},
    {"shared_trap_first", ask_shared_trap_first},
    {"cluster_sizes", ask_cluster_sizes},
    {"jit", ask_jit},
    {"jit_options", ask_jit_options},
    {"jit_logs", ask_jit_logs},
    {"linker_states", ask_linker_states},
    {"linker_null", ask_linker_null},
    {"first_versions", ask_first_versions},
    {"first_context", ask_first_context},
    {"environment", ask_environment},
    {"environment_two", ask_environment_two},
    {"graph_memory", ask_graph_memory},
    {"device_graph", ask_device_graph},
    {"elapsed", ask_elapsed},
    {"newer", ask_newer},
};

#define N_GROUPS (sizeof(groups) / sizeof(*groups))

static void *library;
static const char *name_of_library, *group_name;

const char *library_path(void)
{
    return name_of_library;
}

driver_function *find(const char *name)
{
    driver_function *function = (driver_function *) (intptr_t) dlsym(library, name);

    if (!function)
        printf("%s.MISSING.%s\t1\n", group_name, name);
    return function;
}

void report(const char *key, long long answer)
{
    printf("%s.%s\t%lld\n", group_name, key, answer);
}

void report_text(const char *key, const char *answer)
{
    printf("%s.%s\t%s\n", group_name, key, answer ? answer : "(null)");
}

void report_numbered(long long answer, const char *format, ...)
{
    char key[64];
    va_list list;

    va_start(list, format);
    vsnprintf(key, sizeof(key), format, list);
    va_end(list);
    report(key, answer);
}

CUcontext begin(void)
{
    CUcontext context = NULL;

    CALL(cuInit, (0));
    CALL(cuDevicePrimaryCtxRetain, (&context, 0));
    CALL(cuCtxSetCurrent, (context));
    return context;
}

CUmodule load_kernels(void)
{
    CUmodule module = NULL;

    CALL(cuModuleLoadData, (&module, kernels_ptx));
    return module;
}

CUfunction get_kernel(CUmodule module, const char *name)
{
    CUfunction function = NULL;

    CALL(cuModuleGetFunction, (&function, module, name));
    return function;
}

int launch(CUfunction function, unsigned grid, unsigned block, CUstream stream, void **params)
{
    return CALL(cuLaunchKernel, (function, grid, 1, 1, block, 1, 1, 0, stream, params, NULL));
}

int allocate(CUdeviceptr *ret_address, size_t bytes)
{
    return CALL(cuMemAlloc_v2, (ret_address, bytes));
}

int wait_for(CUstream stream)
{
    return CALL(cuStreamSynchronize, (stream));
}

int wait_for_all(void)
{
    return CALL(cuCtxSynchronize, ());
}

CUstream new_stream(void)
{
    CUstream stream = NULL;

    CALL(cuStreamCreate, (&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

CUdeviceptr new_memory(size_t bytes)
{
    CUdeviceptr address = 0;

    allocate(&address, bytes);
    CALL(cuMemsetD8_v2, (address, 0, bytes));
    /* A memset returns before it is done, and other streams do not wait for it. */
    wait_for_all();
    return address;
}

void read_ints(int *ints, CUdeviceptr address, size_t bytes)
{
    CALL(cuMemcpyDtoH_v2, (ints, address, bytes));
}

static void list_groups(void)
{
    for (size_t i = 0; i < N_GROUPS; i++)
        puts(groups[i].name);
}

static int describe_devices(void)
{
    int version = 0, count = 0;

    group_name = "devices";
    if (CALL(cuInit, (0)) || CALL(cuDriverGetVersion, (&version)) ||
        CALL(cuDeviceGetCount, (&count)))
        return 1;
    printf("version\t%d\n", version);
    for (int i = 0; i < count; i++) {
        char name[128] = "";

        CALL(cuDeviceGetName, (name, sizeof(name), i));
        printf("device\t%s\n", name);
    }
    return 0;
}

static int run_group(const char *name)
{
    for (size_t i = 0; i < N_GROUPS; i++) {
        if (strcmp(groups[i].name, name))
            continue;
        group_name = name;
        groups[i].ask();
        report("END", 0);
        return 0;
    }
    fprintf(stderr, "there is no group '%s'\n", name);
    return 2;
}

static int run(const char *what)
{
    if (!strcmp(what, "environment_child"))
        ask_environment_child();
    return strcmp(what, "devices") ? run_group(what) : describe_devices();
}

int main(int argc, char **argv)
{
    int status;

    if (argc == 2) {
        list_groups();
        return 0;
    }
    if (argc != 3) {
        fprintf(stderr, "usage: ask LIBRARY [GROUP | devices]\n");
        return 2;
    }
    /* So that what was said before a crash is not lost. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    name_of_library = argv[1];
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    status = run(argv[2]);
    fflush(stdout);
    /* A driver whose context is broken may hang where it cleans up at the end of a process. */
    _exit(status);
}
