/* SPDX-License-Identifier: MIT */
/*
 * The mock imports nothing of other interfaces, and shares no events. Here hooks do: memory that is
 * mapped and events that are opened are the mock's own, and semaphores do nothing.
 */
#include <string.h>

#include <cushim/rows.h>

#include "world.h"

static const cushim_entry *mock;

static int allocate(uint64_t *ret_address, const uint64_t *offset_and_bytes)
{
    typedef int alloc(uint64_t * ret_address, size_t bytes);

    return ((alloc *) mock[CUSHIM_ROW_cuMemAlloc_v2])(ret_address, offset_and_bytes[1]);
}

static int create_event(void **ret_event)
{
    typedef int create(void **ret_event, unsigned flags);
    enum { WITHOUT_TIMING = 2 };

    return ((create *) mock[CUSHIM_ROW_cuEventCreate])(ret_event, WITHOUT_TIMING);
}

static bool before(struct cushim_call *call, void *user)
{
    static int imported;

    (void) user;
    switch (call->row) {
    case CUSHIM_ROW_cuImportExternalMemory:
    case CUSHIM_ROW_cuImportExternalSemaphore:
        **(void ***) call->args[0] = &imported;
        break;
    case CUSHIM_ROW_cuExternalMemoryGetMappedBuffer:
        call->result = allocate(*(uint64_t **) call->args[0], *(const uint64_t **) call->args[2]);
        return true;
    case CUSHIM_ROW_cuIpcOpenEventHandle:
        call->result = create_event(*(void ***) call->args[0]);
        return true;
    case CUSHIM_ROW_cuIpcGetEventHandle:
        memset(*(void **) call->args[0], 0, sizeof(struct cushim_shared_event));
        break;
    case CUSHIM_ROW_cuDestroyExternalMemory:
    case CUSHIM_ROW_cuDestroyExternalSemaphore:
    case CUSHIM_ROW_cuSignalExternalSemaphoresAsync:
    case CUSHIM_ROW_cuWaitExternalSemaphoresAsync:
        break;
    default:
        return false;
    }
    call->result = 0;
    return true;
}

cushim_driver world_open_driver(void)
{
    static const struct cushim_hooks hooks = {.before = before};
    CUSHIM_SCOPED(cushim_driver) below = CUSHIM_NONE;
    cushim_driver driver = CUSHIM_NONE;

    MUST(cushim_open(cushim_open_params(.library = MOCK), &below));
    mock = cushim_driver_functions(below, CUSHIM_CUDA_ROWS);
    MUST(cushim_interpose(below, &hooks, 1, &driver));
    return driver;
}
