/* SPDX-License-Identifier: MIT */
/*
 * Two processes with the same memory: by the name of a slice, and through a pool. The second is
 * forked before either has a driver.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

enum { N = 300 };

static const char *who;

#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s: %s:%d: %s: %s\n", who, __FILE__, __LINE__, #condition,            \
                    cushim_error_text());                                                          \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define OK(call) NEED((call) == CUSHIM_OK)

static int link_end;
static cushim_driver driver;
static cushim_context context;
static cushim_stream a, b;

static void start(void)
{
    OK(cushim_open(cushim_open_params(.library = MOCK), &driver));
    OK(cushim_context_primary(driver, 0, &context));
    OK(cushim_stream_new(context, NULL, &a));
    OK(cushim_stream_new(context, NULL, &b));
}

static int finish(void)
{
    const struct cushim_mock_finding *findings = NULL;

    cushim_stream_free(&a);
    cushim_stream_free(&b);
    cushim_context_free(&context);
    cushim_close(&driver);
    cushim_mock_leaks();
    if (!cushim_mock_findings(&findings))
        return 0;
    fprintf(stderr, "%s: %s\n", who, findings[0].text);
    return 1;
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

/* Returns the descriptor that came with the bytes, or -1. */
static int take(void *bytes, size_t n)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = n};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof(control.room)};
    int fd = -1;

    NEED(recvmsg(link_end, &message, 0) == (ssize_t) n);
    if (message.msg_controllen >= CMSG_LEN(sizeof(int)))
        memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
    return fd;
}

static void meet(void)
{
    char byte = 0;

    post(&byte, 1, -1);
    take(&byte, 1);
}

/* --- the process that has the memory --- */

static void check(cushim_slice x, int wanted)
{
    int values[N];

    OK(cushim_slice_read(a, x, values, N));
    for (int i = 0; i < N; i++)
        NEED(values[i] == wanted);
}

/* Shares the second part of a slice, and finds there what the other process wrote. */
static void give(cushim_slice *all)
{
    cushim_slice left = CUSHIM_NONE, right = CUSHIM_NONE, mine = CUSHIM_NONE;
    struct cushim_shared_slice name;

    OK(cushim_slice_fill(a, *all, 1));
    OK(cushim_slice_split(all, N, &left, &right));
    OK(cushim_slice_fill(b, right, 2));
    OK(cushim_slice_share(right, &name));
    NEED(cushim_slice_open(a, (cushim_pool){0}, &name, &mine) != CUSHIM_OK);
    OK(cushim_context_synchronize(context));
    post(&name, sizeof(name), -1);
    meet(); /* the other process has opened the memory, and written to it */
    check(left, 1);
    check(right, 3);
    meet(); /* and has closed it */
    cushim_slice_free(&left);
    cushim_slice_free(&right);
}

static void give_all(void)
{
    cushim_pool pool = CUSHIM_NONE, plain = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE;
    int fd = -1;

    OK(cushim_slice_alloc_shared(a, sizeof(int), 2 * N, &x));
    give(&x);
    OK(cushim_pool_new(context, cushim_pool_params(.shared = true), &pool));
    OK(cushim_pool_share(pool, &fd));
    post("p", 1, fd);
    close(fd);
    OK(cushim_slice_alloc_from(a, pool, sizeof(int), 2 * N, &x));
    give(&x);
    cushim_pool_free(&pool);
    OK(cushim_pool_new(context, NULL, &plain));
    NEED(cushim_pool_share(plain, &fd) == CUSHIM_ERROR_INVALID_ARGUMENT);
    cushim_pool_free(&plain);
}

/* --- the other process --- */

/* What came from a pool is freed like all memory of pools; other memory is the other process's. */
static void check_leak(cushim_pool pool, const struct cushim_shared_slice *name)
{
    cushim_slice y = CUSHIM_NONE;
    uint64_t address = 0;

    OK(cushim_slice_open(a, pool, name, &y));
    if (!pool.id) {
        NEED(cushim_slice_leak(a, &y, &address) == CUSHIM_ERROR_INVALID_ARGUMENT);
        NEED(strstr(cushim_error_text(), "another process's"));
    } else {
        OK(cushim_slice_leak(a, &y, &address));
        OK(cushim_slice_adopt(a, address, sizeof(int), 2 * N, CUSHIM_ADOPTED_ASYNC, &y));
    }
    cushim_slice_free(&y);
    OK(cushim_stream_synchronize(a)); /* it is opened again */
}

static void use(cushim_pool pool, const struct cushim_shared_slice *name)
{
    struct cushim_shared_slice longer = *name;
    cushim_slice y = CUSHIM_NONE;
    int value = 3;

    longer.length = (size_t) 1 << 40;
    NEED(cushim_slice_open(a, pool, &longer, &y) == CUSHIM_ERROR_INVALID_ARGUMENT);
    NEED(strstr(cushim_error_text(), " bytes, and not "));
    check_leak(pool, name);
    OK(cushim_slice_open(a, pool, name, &y));
    check(y, 2);
    OK(cushim_slice_fill(b, y, value));
    check(y, 3);
    OK(cushim_stream_synchronize(b));
    meet();
    OK(cushim_slice_fill(a, y, value)); /* which is to be done before the memory is closed */
    cushim_slice_free(&y);
    OK(cushim_context_synchronize(context));
    OK(cushim_context_check(context));
    meet();
}

static void take_all(void)
{
    struct cushim_shared_slice name;
    cushim_pool pool = CUSHIM_NONE;
    cushim_slice none = CUSHIM_NONE;
    char byte;
    int fd;

    take(&name, sizeof(name));
    NEED(name.element == sizeof(int) && name.length == N && name.offset == N * sizeof(int));
    use((cushim_pool){0}, &name);
    fd = take(&byte, 1);
    NEED(fd >= 0);
    OK(cushim_pool_open(context, fd, &pool));
    close(fd);
    NEED(cushim_slice_alloc_from(a, pool, 4, 1, &none) == CUSHIM_ERROR_INVALID_ARGUMENT);
    NEED(cushim_slice_open(a, pool, &name, &none) == CUSHIM_ERROR_INVALID_ARGUMENT);
    take(&name, sizeof(name));
    NEED(cushim_slice_open(a, (cushim_pool){0}, &name, &none) == CUSHIM_ERROR_INVALID_ARGUMENT);
    use(pool, &name);
    cushim_pool_free(&pool);
}

int main(void)
{
    int ends[2], status = 1;
    pid_t child;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
        return 1;
    child = fork();
    if (child < 0)
        return 1;
    who = child ? "the first" : "the second";
    link_end = ends[child ? 0 : 1];
    close(ends[child ? 1 : 0]);
    start();
    if (!child) {
        take_all();
        return finish();
    }
    give_all();
    NEED(waitpid(child, &status, 0) == child);
    return finish() || !WIFEXITED(status) || WEXITSTATUS(status);
}
