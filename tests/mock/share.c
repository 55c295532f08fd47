/* SPDX-License-Identifier: MIT */
/*
 * Two processes with the same memory: by a descriptor, by a handle, and through a pool. The
 * second is forked before either has a driver.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mock/functions.h"

#define UNIT ((size_t) 2 << 20)

#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define OK(call)                                                                                   \
    do {                                                                                           \
        const int status = (int) (call);                                                           \
        if (status) {                                                                              \
            fprintf(stderr, "%s:%d: %s answers %d\n", __FILE__, __LINE__, #call, status);          \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static int link_end;

static void start(void)
{
    CUcontext context = NULL;

    OK(mock_cuInit(0));
    OK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    OK(mock_cuCtxSetCurrent(context));
}

/* Bytes, and a descriptor if that is not negative. */
static void post(const void *bytes, size_t n, int fd)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.room = {0}};
    struct iovec part = {.iov_base = (void *) bytes, .iov_len = n};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    if (fd >= 0) {
        message.msg_control = control.room;
        message.msg_controllen = sizeof(control.room);
        control.header = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
    }
    NEED(sendmsg(link_end, &message, 0) == (ssize_t) n);
}

static void receive(void *bytes, size_t n, int *ret_fd)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.room = {0}};
    struct iovec part = {.iov_base = bytes, .iov_len = n};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof(control.room)};

    NEED(recvmsg(link_end, &message, MSG_WAITALL) == (ssize_t) n);
    if (ret_fd && message.msg_controllen)
        memcpy(ret_fd, CMSG_DATA(&control.header), sizeof(*ret_fd));
}

/* Waits for the other side to come here too. */
static void meet(void)
{
    char byte = 1;

    post(&byte, 1, -1);
    receive(&byte, 1, NULL);
}

static void set(CUdeviceptr address, int value)
{
    OK(mock_cuMemcpyHtoD_v2(address, &value, sizeof(value)));
}

static int get(CUdeviceptr address)
{
    int value = 0;

    OK(mock_cuMemcpyDtoH_v2(&value, address, sizeof(value)));
    return value;
}

static CUdeviceptr map(CUmemGenericAllocationHandle handle)
{
    const CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                                    .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr address = 0;

    OK(mock_cuMemAddressReserve(&address, UNIT, 0, 0, 0));
    OK(mock_cuMemMap(address, UNIT, 0, handle, 0));
    OK(mock_cuMemSetAccess(address, UNIT, &access, 1));
    return address;
}

static void give_descriptor(void)
{
    const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .requestedHandleTypes =
                                          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr address;
    int fd = -1;

    OK(mock_cuMemCreate(&handle, UNIT, &prop, 0));
    OK(mock_cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    address = map(handle);
    set(address, 41);
    post("d", 1, fd);
    close(fd);
    meet();
    NEED(get(address) == 42);
}

static void take_descriptor(void)
{
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr address;
    char byte;
    int fd = -1;

    receive(&byte, 1, &fd);
    OK(mock_cuMemImportFromShareableHandle(&handle, (void *) (intptr_t) fd,
                                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(fd);
    address = map(handle);
    NEED(get(address) == 41);
    set(address, 42);
    OK(mock_cuMemUnmap(address, UNIT));
    OK(mock_cuMemRelease(handle));
    meet();
}

static void give_handle(void)
{
    CUdeviceptr before = 0, address = 0;
    CUipcMemHandle handle;

    OK(mock_cuMemAlloc_v2(&before, 1000));
    OK(mock_cuMemAlloc_v2(&address, 5000));
    set(address + 4096, 51);
    OK(mock_cuIpcGetMemHandle(&handle, address));
    NEED(mock_cuIpcOpenMemHandle_v2(&before, handle, 1) == CUDA_ERROR_INVALID_CONTEXT);
    post(&handle, sizeof(handle), -1);
    meet();
    NEED(get(address + 4096) == 52);
}

static void take_handle(void)
{
    CUdeviceptr address = 0, again = 0;
    CUipcMemHandle handle, broken;

    receive(&handle, sizeof(handle), NULL);
    memset(&broken, 0, sizeof(broken));
    NEED(mock_cuIpcOpenMemHandle_v2(&address, broken, 1) == CUDA_ERROR_INVALID_VALUE);
    OK(mock_cuIpcOpenMemHandle_v2(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    OK(mock_cuIpcOpenMemHandle_v2(&again, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    NEED(address == again);
    NEED(get(address + 4096) == 51);
    NEED(mock_cuMemsetD8_v2(address + 5000, 1, 1) == CUDA_ERROR_INVALID_VALUE);
    NEED(mock_cuMemFree_v2(address) == CUDA_ERROR_INVALID_VALUE);
    set(address + 4096, 52);
    OK(mock_cuIpcCloseMemHandle(address));
    NEED(get(address + 4096) == 52);
    OK(mock_cuIpcCloseMemHandle(address));
    NEED(mock_cuIpcCloseMemHandle(address) == CUDA_ERROR_INVALID_VALUE);
    NEED(mock_cuMemsetD8_v2(address, 1, 1) == CUDA_ERROR_INVALID_VALUE);
    meet();
}

static void give_pool(void)
{
    const CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                  .handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                  .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemPoolPtrExportData data;
    CUmemoryPool pool = NULL;
    CUdeviceptr address = 0;
    int fd = -1;

    OK(mock_cuMemPoolCreate(&pool, &props));
    OK(mock_cuMemAllocFromPoolAsync(&address, 600, pool, NULL));
    set(address, 61);
    OK(mock_cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                             0));
    OK(mock_cuMemPoolExportPointer(&data, address));
    post(&data, sizeof(data), fd);
    close(fd);
    meet();
    NEED(get(address) == 62);
    OK(mock_cuMemFreeAsync(address, NULL));
}

static void take_pool(void)
{
    CUmemPoolPtrExportData data;
    CUmemoryPool pool = NULL;
    CUdeviceptr address = 0, other = 0;
    int fd = -1;

    receive(&data, sizeof(data), &fd);
    OK(mock_cuMemPoolImportFromShareableHandle(&pool, (void *) (intptr_t) fd,
                                               CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    close(fd);
    NEED(mock_cuMemAllocFromPoolAsync(&other, 8, pool, NULL) == CUDA_ERROR_INVALID_VALUE);
    OK(mock_cuMemPoolImportPointer(&address, pool, &data));
    NEED(get(address) == 61);
    set(address, 62);
    OK(mock_cuMemFreeAsync(address, NULL));
    OK(mock_cuCtxSynchronize());
    meet();
}

int main(void)
{
    int ends[2], status = 1;
    pid_t child;

    NEED(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends));
    child = fork();
    NEED(child >= 0);
    link_end = ends[child ? 0 : 1];
    close(ends[child ? 1 : 0]);
    start();
    if (!child) {
        take_descriptor();
        take_handle();
        take_pool();
        return 0;
    }
    give_descriptor();
    give_handle();
    give_pool();
    NEED(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
