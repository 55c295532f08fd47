/* SPDX-License-Identifier: MIT */
/* cuIpc*: memory of other processes. Events are not shared: docs/mock.md says why. */
#include "mock/allocation/ipc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mock/allocation/heap.h"
#include "mock/allocation/mem_file.h"
#include "mock/allocation/memory.h"
#include "mock/base/state.h"
#include "mock/queue/schedule.h"
#include "mock/stream/event.h"

#define MAGIC 0x63755368u
#define PAGE  ((uint64_t) 4096)

_Static_assert(sizeof(struct mock__name) == sizeof(CUipcMemHandle), "a name fills a handle");

/* The pages that a name's bytes lie in, and the addresses that the program sees instead. */
struct mock__opened {
    struct mock__name name;
    unsigned users;
    unsigned char *pages;
    void *space;
    size_t bytes;
    struct mock__memory *memory;       /* its range */
    struct cushim__tree_node by_place; /* among all that are opened, by its memory */
};

static struct cushim__tree opened_names;

/* Other names may have the same one. */
static uint64_t place_of(const struct mock__name *name)
{
    return name->id ^ (uint64_t) (unsigned) name->process << 32;
}

CUresult mock__name_of(const struct mock__memory *memory, struct mock__name *ret_name)
{
    const struct mock__chunk *chunk = memory ? memory->chunk : NULL;

    MOCK__REQUIRE(chunk && chunk->fd >= 0, CUDA_ERROR_INVALID_VALUE);
    *ret_name =
        (struct mock__name){.magic = MAGIC,
                            .process = getpid(),
                            .fd = chunk->fd,
                            .offset = chunk->file_offset + (memory->address - chunk->address),
                            .bytes = memory->bytes,
                            .id = memory->id};
    memcpy(ret_name->uuid, memory->device->profile->uuid, sizeof(ret_name->uuid));
    return CUDA_SUCCESS;
}

/* -1 if the process is gone, or is none of ours, or has something else there. */
static int open_file(const struct mock__name *name)
{
    struct mock__file_label label;
    char path[64];
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int) name->process, (int) name->fd);
    fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -1;
    if (mock__file_read_label(fd, &label) && name->offset <= label.bytes &&
        name->bytes <= label.bytes - name->offset)
        return fd;
    close(fd);
    return -1;
}

void mock__opened_finish(struct mock__opened *opened)
{
    cushim__tree_remove(&opened_names, &opened->by_place);
    if (opened->pages)
        munmap(opened->pages, opened->bytes);
    if (opened->space)
        munmap(opened->space, opened->bytes);
    free(opened);
}

static struct mock__opened *map_name(const struct mock__name *name, int fd)
{
    const uint64_t begin = name->offset & ~(PAGE - 1);
    struct mock__opened *opened = calloc(1, sizeof(*opened));

    if (!opened)
        return NULL;
    opened->name = *name;
    opened->users = 1;
    opened->bytes = (name->offset + name->bytes - begin + PAGE - 1) & ~(PAGE - 1);
    opened->pages = mock__file_map(fd, begin, opened->bytes, NULL);
    opened->space = mock__space_new(opened->bytes, NULL);
    if (opened->pages && opened->space)
        return opened;
    mock__opened_finish(opened);
    return NULL;
}

static struct mock__memory *find_opened(const struct mock__context *context,
                                        const struct mock__name *name)
{
    const uint64_t place = place_of(name);
    struct cushim__tree_node *node = cushim__tree_from(&opened_names, place, 0);

    for (; node && node->major == place; node = cushim__tree_next(node)) {
        struct mock__opened *opened = CUSHIM__TREE_MEMBER(node, struct mock__opened, by_place);

        if (opened->memory->context == context && !memcmp(&opened->name, name, sizeof(*name)))
            return opened->memory;
    }
    return NULL;
}

static struct mock__memory *insert(struct mock__context *context, struct mock__device *device,
                                   struct mock__opened *opened)
{
    const uint64_t within = opened->name.offset % PAGE;
    struct mock__memory *memory =
        mock__memory_insert(&(struct mock__memory){.address = (uintptr_t) opened->space + within,
                                                   .bytes = opened->name.bytes,
                                                   .host = opened->pages + within,
                                                   .kind = MOCK__DEVICE_MEMORY,
                                                   .context = context,
                                                   .opened = opened,
                                                   .owned = true,
                                                   .begins_written = true});

    if (!memory)
        return NULL;
    memory->device = device;
    opened->memory = memory;
    cushim__tree_add(&opened_names, &opened->by_place, place_of(&opened->name), 0);
    return memory;
}

CUresult mock__name_open(struct mock__context *context, const struct mock__name *name,
                         struct mock__memory **ret_memory)
{
    struct mock__device *device = mock__device_by_uuid(name->uuid);
    struct mock__memory *memory = find_opened(context, name);
    struct mock__opened *opened;
    int fd;

    MOCK__REQUIRE(name->magic == MAGIC && name->bytes, CUDA_ERROR_INVALID_VALUE);
    /* As on a driver: a process has its own memory already. */
    MOCK__REQUIRE(name->process != getpid(), CUDA_ERROR_INVALID_CONTEXT);
    MOCK__REQUIRE(device, CUDA_ERROR_INVALID_DEVICE);
    if (memory) {
        memory->opened->users++;
        *ret_memory = memory;
        return CUDA_SUCCESS;
    }
    fd = open_file(name);
    MOCK__REQUIRE(fd >= 0, CUDA_ERROR_INVALID_VALUE);
    opened = map_name(name, fd);
    close(fd);
    MOCK__REQUIRE(opened, CUDA_ERROR_MAP_FAILED);
    *ret_memory = insert(context, device, opened);
    if (*ret_memory)
        return CUDA_SUCCESS;
    mock__opened_finish(opened);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult mock_cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr)
{
    const struct mock__memory *memory;
    struct mock__context *context = NULL;
    struct mock__name name;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(pHandle && dptr, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__context_current(&context));
    memory = mock__memory_find(dptr);
    /* Memory of pools, and what is mapped, have handles of their own. */
    MOCK__REQUIRE(memory && !memory->pool && !memory->owned, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__name_of(memory, &name));
    memcpy(pHandle, &name, sizeof(name));
    return CUDA_SUCCESS;
}

CUresult mock_cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags)
{
    struct mock__memory *memory = NULL;
    struct mock__name name;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(pdptr && !(Flags & ~(unsigned) CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
                  CUDA_ERROR_INVALID_VALUE);
    memcpy(&name, &handle, sizeof(name));
    MOCK__TRY(mock__name_open(context, &name, &memory));
    if (memory->opened->users == 1)
        mock__made(&memory->made, "cuIpcOpenMemHandle");
    *pdptr = memory->address;
    return CUDA_SUCCESS;
}

static struct mock__memory *find_closable(CUdeviceptr address)
{
    struct mock__memory *memory = mock__memory_at(address);

    return memory && memory->opened && memory->owned ? memory : NULL;
}

CUresult mock_cuIpcCloseMemHandle(CUdeviceptr dptr)
{
    struct mock__memory *memory;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(find_closable(dptr), CUDA_ERROR_INVALID_VALUE);
    mock__finish_all();
    memory = find_closable(dptr);
    MOCK__REQUIRE(memory, CUDA_ERROR_INVALID_VALUE);
    if (!--memory->opened->users)
        mock__memory_free(memory);
    return CUDA_SUCCESS;
}

/* An event is reached when this process has done the work before it, which no other sees. */
CUresult mock_cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event)
{
    struct mock__context *context = NULL;
    const struct mock__event *found;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(pHandle && event, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__context_current(&context));
    found = mock__object_find(MOCK__EVENT, event);
    MOCK__REQUIRE(found && found->flags & CU_EVENT_INTERPROCESS, CUDA_ERROR_INVALID_HANDLE);
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* So no handle is that of an event. */
CUresult mock_cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle)
{
    (void) handle;
    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(phEvent, CUDA_ERROR_INVALID_VALUE);
    return CUDA_ERROR_MAP_FAILED;
}
