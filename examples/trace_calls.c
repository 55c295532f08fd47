/* SPDX-License-Identifier: MIT */
/*
 * trace_calls FILE: hooks in front of a driver. It counts the calls that list the devices, makes
 * one of them fail, and writes the calls to FILE for https://ui.perfetto.dev.
 *
 * Exit status: 0 done, 1 there is no usable driver or FILE cannot be written, 2 wrong usage.
 */
#include <inttypes.h>
#include <stdio.h>

#include <cushim/cushim.h>
#include <cushim/table.h>

/* A hook before each call. If it returns true, the driver is not called. */
static bool refuse_memory(struct cushim_call *call, void *user)
{
    (void) user;
    if (call->row != CUSHIM_ROW_cuDeviceTotalMem_v2)
        return false;
    call->result = CUDA_ERROR_OUT_OF_MEMORY;
    return true;
}

static void ask(const struct cushim_cuda_api *cu)
{
    int count = 0;
    size_t bytes;

    cu->cuDeviceGetCount(&count);
    for (int i = 0; i < count; i++) {
        CUresult result = cu->cuDeviceTotalMem(&bytes, i);

        printf("device %d: %s\n", i, cushim_status_text((int) result));
    }
}

static cushim_status run(cushim_driver driver, const char *file)
{
    CUSHIM_SCOPED(cushim_trace) trace = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_driver) hooked = CUSHIM_NONE;
    struct cushim_hooks hooks[2];
    uint64_t calls;

    CUSHIM_TRY(cushim_trace_create(NULL, &trace));
    hooks[0] = cushim_trace_hooks(trace);
    hooks[1] = (struct cushim_hooks){.before = refuse_memory};
    CUSHIM_TRY(cushim_interpose(driver, hooks, 2, &hooked));
    ask(cushim_cuda(hooked));
    CUSHIM_TRY(cushim_trace_count(trace, NULL, &calls));
    printf("%" PRIu64 " calls\n", calls);
    return cushim_trace_write(trace, file);
}

int main(int argc, char **argv)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;

    if (argc != 2) {
        fprintf(stderr, "usage: trace_calls FILE\n");
        return 2;
    }
    if (cushim_open(NULL, &driver) != CUSHIM_OK || run(driver, argv[1]) != CUSHIM_OK) {
        fprintf(stderr, "trace_calls: %s\n", cushim_error_text());
        return 1;
    }
    return 0;
}
