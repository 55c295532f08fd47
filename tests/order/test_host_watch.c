/* SPDX-License-Identifier: MIT */
/* What the host does to memory before a copy is done with it. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host_watch.h"

Test(host_watch, reading_before_the_copy_is_done)
{
    volatile unsigned char *memory;

    begin();
    memory = pinned(BYTES);
    copy_to(memory, BYTES);
    OK(mock_cuStreamSynchronize(stream));
    cr_expect(eq(int, memory[5], 2));
    silent();
    memory[5000] = 1;
    copy_to(memory, BYTES);
    cr_expect(eq(int, memory[5000], 1), "what was there before the copy");
    found("reads offset 5000 of allocation", "before copy in stream");
    cr_expect(eq(int, memory[6000], 2), "seen once is enough");
    OK(mock_cuStreamSynchronize(stream));
    cr_expect(eq(int, memory[5000], 2));
    silent();
}

Test(host_watch, writing_before_the_copy_is_done)
{
    volatile unsigned char *memory;
    unsigned char bytes[BYTES];

    begin();
    memory = pinned(BYTES);
    copy_from(memory, BYTES);
    cr_expect(eq(int, memory[7], 1), "reading is right");
    OK(mock_cuStreamSynchronize(stream));
    memory[7] = 3;
    silent();
    copy_from(memory, BYTES);
    memory[7] = 4;
    OK(mock_cuStreamSynchronize(stream));
    found("writes offset 7 of allocation", "which reads it");
    OK(mock_cuMemcpyDtoH_v2(bytes, device, BYTES));
    cr_expect(eq(int, bytes[7], 4), "the copy is as late as ever");
}

Test(host_watch, small_and_managed_memory_too)
{
    volatile unsigned char *memory;
    CUdeviceptr managed = 0;

    begin();
    memory = pinned(10);
    copy_to(memory, 10);
    cr_expect(eq(int, memory[9], 1));
    found("reads offset 9", "(10 bytes, made by cuMemHostAlloc");
    OK(mock_cuMemAllocManaged(&managed, PAGE, CU_MEM_ATTACH_GLOBAL));
    memory = (volatile unsigned char *) (uintptr_t) managed;
    memory[0] = 1;
    OK(mock_cuMemsetD8Async(managed, 7, PAGE, stream));
    cr_expect(eq(int, memory[0], 1));
    found("reads offset 0", "before memset in stream");
    OK(mock_cuStreamSynchronize(stream));
    cr_expect(eq(int, memory[0], 7));
}

/* Bytes that the copy does not use are the program's, also next to those that it does. */
Test(host_watch, bytes_beside_the_copy)
{
    volatile unsigned char *memory;
    int zero;

    begin();
    memory = pinned(BYTES);
    copy_to(memory + 100, 2 * PAGE);
    memory[99] = memory[100 + 2 * PAGE] = 5;
    zero = open("/dev/zero", O_RDONLY);
    cr_expect(eq(int, (int) read(zero, (void *) memory, 100), 100));
    cr_expect(eq(int, memory[99], 0));
    cr_expect(eq(int, (int) read(zero, (void *) (memory + 100 + 2 * PAGE), PAGE), PAGE));
    OK(mock_cuStreamSynchronize(stream));
    silent();
    close(zero);
}

/* Two copies share a page: it is watched until the second is done. */
Test(host_watch, several_copies_of_one_buffer)
{
    volatile unsigned char *memory;
    CUdeviceptr other;

    begin();
    memory = pinned(BYTES);
    other = allocate(BYTES);
    copy_from(memory, BYTES);
    OK(mock_cuMemcpyHtoDAsync_v2(other, (void *) memory, BYTES, second));
    OK(mock_cuStreamSynchronize(stream));
    cr_expect(eq(int, memory[8], 1));
    memory[8] = 2;
    OK(mock_cuStreamSynchronize(second));
    found("writes offset 8", "before copy in stream");
    memory[8] = 3;
    silent();
}

static volatile unsigned char *in_host_function;

static atomic_int n_calls;

static void CUDA_CB use_memory(void *user)
{
    in_host_function[3] = (unsigned char) (uintptr_t) user;
    atomic_fetch_add(&n_calls, 1);
}

/* The copies behind it are held up by the function, and a value by the host. */
Test(host_watch, what_the_host_itself_holds_up)
{
    unsigned *flag;

    begin();
    in_host_function = pinned(PAGE);
    flag = (unsigned *) (uintptr_t) pinned(PAGE);
    *flag = 0;
    copy_to(in_host_function, PAGE);
    OK(mock_cuLaunchHostFunc(stream, use_memory, (void *) 9));
    copy_from(in_host_function, PAGE);
    OK(mock_cuStreamSynchronize(stream));
#if CUDA_VERSION >= 11070
    OK(mock_cuStreamWaitValue32_v2(stream, (uintptr_t) flag, 1, 0));
    copy_from(in_host_function, PAGE);
    in_host_function[4] = 8;
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    OK(mock_cuStreamSynchronize(stream));
#endif
    silent();
    /* What is not behind the function is watched in it as well. */
    OK(mock_cuEventRecord(event, stream));
    OK(mock_cuStreamWaitEvent(second, event, 0));
    OK(mock_cuLaunchHostFunc(second, use_memory, (void *) 9));
    copy_from(in_host_function, PAGE);
    while (atomic_load(&n_calls) < 2) /* the mock's own thread, and it alone, does what is next */
        usleep(1000);
    OK(mock_cuStreamSynchronize(stream));
    found("writes offset 3", "before copy in stream");
}

Test(host_watch, a_system_call_reads_what_a_copy_reads)
{
    volatile unsigned char *memory;
    int ends[2];

    begin();
    memory = pinned(PAGE);
    cr_assert(eq(int, pipe(ends), 0));
    copy_from(memory, PAGE);
    cr_expect(eq(int, (int) write(ends[1], (void *) memory, PAGE), PAGE));
    OK(mock_cuStreamSynchronize(stream));
    cr_expect(eq(int, (int) read(ends[0], (void *) memory, PAGE), PAGE));
    silent();
}

Test(host_watch, memory_that_is_freed_and_made_again)
{
    begin();
    for (int i = 0; i < 300; i++) {
        volatile unsigned char *memory = pinned(PAGE);

        copy_to(memory, PAGE);
        OK(mock_cuMemFreeHost((void *) memory));
    }
    silent();
}

/* A fault that is not the mock's kills as ever. */
Test(host_watch, a_wild_pointer_still_kills)
{
    int status = 0;
    pid_t child;

    begin();
    child = fork();
    if (!child) {
        signal(SIGABRT, SIG_DFL);
        *(volatile char *) (uintptr_t) device = 1;
        _exit(0);
    }
    cr_assert(eq(int, waitpid(child, &status, 0), child));
    cr_expect(ne(int, status, 0));
}

static sigjmp_buf back;
static void *volatile wild;

static void go_back(int number, siginfo_t *info, void *unused)
{
    (void) number;
    (void) unused;
    wild = info->si_addr;
    siglongjmp(back, 1);
}

/* As of a language that turns the fault into an error of its own. */
Test(host_watch, a_handler_that_was_there_before_gets_what_is_not_ours)
{
    struct sigaction action = {.sa_sigaction = go_back, .sa_flags = SA_SIGINFO};
    volatile unsigned char *memory;

    cr_assert(eq(int, sigaction(SIGSEGV, &action, NULL), 0));
    begin();
    if (!sigsetjmp(back, 1))
        *(volatile char *) (uintptr_t) device = 1;
    cr_expect(eq(ptr, wild, (void *) (uintptr_t) device));
    memory = pinned(PAGE);
    copy_to(memory, PAGE);
    cr_expect(eq(int, memory[0], 1));
    found("reads offset 0", "before copy in stream");
}

/* A child may use the memory, which nobody copies any more there. */
Test(host_watch, a_child_goes_on)
{
    volatile unsigned char *memory;
    int status = 1;
    pid_t child;

    begin();
    memory = pinned(PAGE);
    copy_to(memory, PAGE);
    child = fork();
    if (!child)
        _exit(memory[0] == 1 ? 0 : 2);
    cr_assert(eq(int, waitpid(child, &status, 0), child));
    cr_expect(eq(int, status, 0));
    OK(mock_cuStreamSynchronize(stream));
    silent();
}

Test(host_watch, nothing_is_watched_unless_asked_for)
{
    volatile unsigned char *memory;

    start();
    OK(mock_cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    device = allocate(PAGE);
    OK(mock_cuMemsetD8_v2(device, 2, PAGE));
    OK(mock_cuCtxSynchronize());
    memory = pinned(PAGE);
    copy_to(memory, PAGE);
    cr_expect(eq(int, memory[0], 1));
    OK(mock_cuStreamSynchronize(stream));
    silent();
}

#if CUDA_VERSION >= 12030
/* The node is done at the launch, so that the host's accesses are seen from then on. */
Test(host_watch, reading_before_a_copy_in_a_body_is_done)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
    volatile unsigned char *memory;
    CUgraph graph = NULL, body;
    CUgraphExec exec = NULL;
    CUgraphNode node = NULL;

    begin();
    memory = pinned(BYTES);
    OK(mock_cuGraphCreate(&graph, 0));
    OK(mock_cuCtxGetCurrent(&params.conditional.ctx));
    OK(mock_cuGraphConditionalHandleCreate(&params.conditional.handle, graph,
                                           params.conditional.ctx, 1,
                                           CU_GRAPH_COND_ASSIGN_DEFAULT));
    params.conditional.size = 1;
    OK(mock_cuGraphAddNode(&node, graph, NULL, 0, &params));
    body = params.conditional.phGraph_out[0];
    OK(mock_cuStreamBeginCaptureToGraph(stream, body, NULL, NULL, 0,
                                        CU_STREAM_CAPTURE_MODE_RELAXED));
    copy_to(memory, BYTES);
    OK(mock_cuStreamEndCapture(stream, &body));
    OK(mock_cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(mock_cuGraphLaunch(exec, stream));
    cr_expect(eq(int, memory[5000], 2), "the copy is done, which the program does not know");
    found("reads offset 5000 of allocation", "before copy in graph");
    OK(mock_cuGraphLaunch(exec, stream));
    OK(mock_cuStreamSynchronize(stream));
    cr_expect(eq(int, memory[5000], 2));
    silent();
}
#endif

Test(host_watch, a_setting_that_says_neither)
{
    const struct cushim_mock_config *config =
        cushim_mock_config(.settings = "watch_host = perhaps");

    cr_expect(eq(int, cushim_mock_configure(config), CUSHIM_ERROR_INVALID_ARGUMENT));
    cr_expect(ne(ptr, strstr(cushim_mock_error_text(), "'perhaps' is neither yes nor no"), NULL),
              "%s", cushim_mock_error_text());
}
