/* SPDX-License-Identifier: MIT */
/*
 * What operations cost, beside hand-written calls of the driver, in the same run.
 *
 * bench_async [LIBRARY]    a driver's path, or "auto"; without one the driver does nothing
 * bench_async WAY N        one kind of work, N times, for a program that counts instructions:
 *                          raw, describe (and free), or submit
 *
 * Three things are measured: submitting a chain of 100 launches as one operation, described before,
 * against 100 calls of cuLaunchKernel(); the time from the end of a kernel until an epoll loop gets
 * the descriptor, against a function of cuLaunchHostFunc() that writes to an eventfd; and how many
 * small futures a second one thread submits and sees done.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <cushim/cushim.h>

#include "calls.h"
#include "nothing.h"

enum { CHAIN = 100, ROUNDS = 101, N = 256, FUTURES = 20000, IN_FLIGHT = 64 };

static const char ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry touch(.param .u64 a) { ret; }\n"
    /* Notes the time of the device's clock when it ends, after some microseconds. */
    ".visible .entry spin(.param .u64 a) {\n.reg .u64 %b, %t, %d; .reg .pred %p;\n"
    "mov.u64 %b, %globaltimer;\nL: mov.u64 %t, %globaltimer; sub.u64 %d, %t, %b;\n"
    "setp.lt.u64 %p, %d, 20000; @%p bra L; ret; }\n";

static cushim_context context;
static cushim_stream stream;
static cushim_slice memory;
static cushim_function touch, spin;
static void *raw_stream, *raw_touch, *raw_spin;
static uint64_t address;
static const cushim_entry *table;
static bool is_real;

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec * 1e6 + (double) t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t) n, sizeof(*values), compare);
    return values[n / 2];
}

static void prepare(const char *library)
{
    const char *path = library && strcmp(library, "auto") ? library : NULL;
    cushim_driver driver;
    cushim_module module;

    is_real = library;
    TRY(cushim_open(
        cushim_open_params(.library = path, .resolver = library ? NULL : nothing_resolve),
        &driver));
    TRY(cushim_context_primary(driver, 0, &context));
    TRY(cushim_context_set_current(context));
    TRY(cushim_stream_new(context, NULL, &stream));
    TRY(cushim_stream_raw(stream, &raw_stream));
    TRY(cushim_module_load_text(context, ptx, NULL, &module));
    TRY(cushim_module_function(module, "touch", &touch));
    TRY(cushim_module_function(module, "spin", &spin));
    TRY(cushim_function_raw(touch, &raw_touch));
    TRY(cushim_function_raw(spin, &raw_spin));
    TRY(cushim_slice_zeros(stream, sizeof(float), N, &memory));
    TRY(cushim_slice_use(stream, memory, true, &address));
    TRY(cushim_stream_synchronize(stream));
    table = cushim_driver_functions(driver, CUSHIM_CUDA_ROWS);
}

static void raw_launch(void *function)
{
    void *params[] = {&address};

    CU(cuLaunchKernel,
       (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
        void **, void **),
       (function, 1, 1, 1, 256, 1, 1, 0, raw_stream, params, NULL));
}

static cushim_op chain(int n)
{
    cushim_op op = cushim_op_borrow(memory);

    for (int i = 0; i < n; i++)
        op = cushim_op_launch(touch, cushim_for_elements(N), CUSHIM_OP_INOUT(op));
    return op;
}

/* --- a chain --- */

static void bench_chain(void)
{
    double raw[ROUNDS], submitted[ROUNDS], described[ROUNDS], ratios[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        cushim_future future;
        double begun = now_us();
        cushim_op op;

        for (int k = 0; k < CHAIN; k++)
            raw_launch(raw_touch);
        raw[i] = now_us() - begun;
        TRY(cushim_stream_synchronize(stream));
        begun = now_us();
        op = chain(CHAIN);
        described[i] = now_us() - begun;
        begun = now_us();
        TRY(cushim_op_submit_on(op, stream, &future));
        submitted[i] = now_us() - begun;
        if (is_real) /* a driver that does nothing calls no function */
            TRY(cushim_future_wait(future, CUSHIM_FOREVER));
        cushim_future_free(&future);
        ratios[i] = submitted[i] / raw[i];
    }
    printf("chain of %d: %.3f us a launch by hand, %.3f as an operation, ratio %.3f; describing "
           "%.3f us a step\n",
           CHAIN, median(raw, ROUNDS) / CHAIN, median(submitted, ROUNDS) / CHAIN,
           median(ratios, ROUNDS), median(described, ROUNDS) / CHAIN);
}

/* --- from the end of a kernel to an epoll loop --- */

static void signal_loop(void *user)
{
    const uint64_t one = 1;

    if (write(*(const int *) user, &one, sizeof(one)) < 0)
        abort();
}

static double wait_in_loop(int fd, double begun)
{
    struct epoll_event event = {.events = EPOLLIN};
    const int loop = epoll_create1(0);
    double ended;

    epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event);
    if (epoll_wait(loop, &event, 1, 10000) != 1)
        abort();
    ended = now_us();
    close(loop);
    return ended - begun;
}

static double raw_wake(void)
{
    int fd = eventfd(0, 0);
    const double begun = now_us();
    double took;

    raw_launch(raw_spin);
    CU(cuLaunchHostFunc, (void *, void (*)(void *), void *), (raw_stream, signal_loop, &fd));
    took = wait_in_loop(fd, begun);
    close(fd);
    return took;
}

static double future_wake(void)
{
    const double begun = now_us();
    cushim_future future;
    double took;

    TRY(cushim_op_submit_on(cushim_op_launch(spin, cushim_for_elements(N), CUSHIM_INOUT(memory)),
                            stream, &future));
    took = wait_in_loop(cushim_future_fd(future), begun);
    TRY(cushim_future_poll(future));
    cushim_future_free(&future);
    return took;
}

static void bench_wake(void)
{
    double raw[ROUNDS], future[ROUNDS], more[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        raw[i] = raw_wake();
        TRY(cushim_stream_synchronize(stream));
        future[i] = future_wake();
        TRY(cushim_stream_synchronize(stream));
        more[i] = future[i] - raw[i];
    }
    printf("a kernel of 20 us and an epoll loop: %.2f us by hand, %.2f by a future, %.2f more\n",
           median(raw, ROUNDS), median(future, ROUNDS), median(more, ROUNDS));
}

/* --- futures a second --- */

static double futures_a_second(cushim_op (*describe)(void))
{
    cushim_future futures[IN_FLIGHT] = {CUSHIM_NONE};
    const double begun = now_us();

    for (int i = 0; i < FUTURES + IN_FLIGHT; i++) {
        cushim_future *future = &futures[i % IN_FLIGHT];

        if (future->id)
            TRY(cushim_future_wait(*future, CUSHIM_FOREVER));
        cushim_future_free(future);
        if (i < FUTURES)
            TRY(cushim_op_submit_on(describe(), stream, future));
    }
    return FUTURES / (now_us() - begun) * 1e6;
}

static cushim_op one_launch(void)
{
    return cushim_op_launch(touch, cushim_for_elements(N), CUSHIM_INOUT(memory));
}

static cushim_op nothing(void)
{
    return cushim_op_value(NULL, NULL);
}

static void count_call(void *user)
{
    __atomic_fetch_add((int *) user, 1, __ATOMIC_RELEASE);
}

/* The same by hand: a launch and a host function, with as many in flight. */
static double raw_futures(bool launches)
{
    const double begun = now_us();
    int done = 0;

    for (int i = 0; i < FUTURES; i++) {
        while (i - __atomic_load_n(&done, __ATOMIC_ACQUIRE) >= IN_FLIGHT)
            ;
        if (launches)
            raw_launch(raw_touch);
        CU(cuLaunchHostFunc, (void *, void (*)(void *), void *), (raw_stream, count_call, &done));
    }
    while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < FUTURES)
        ;
    return FUTURES / (now_us() - begun) * 1e6;
}

static void bench_futures(void)
{
    printf(
        "futures a second, %d in flight: of nothing %.0f (by hand %.0f), of a launch %.0f (by hand "
        "%.0f)\n",
        IN_FLIGHT, futures_a_second(nothing), raw_futures(false), futures_a_second(one_launch),
        raw_futures(true));
}

/* --- counting instructions --- */

static void run_one_way(const char *way, int n)
{
    cushim_op op = CUSHIM_NONE;
    cushim_future future;

    if (!strcmp(way, "raw"))
        for (int i = 0; i < n; i++)
            raw_launch(raw_touch);
    else
        op = chain(n);
    if (strcmp(way, "submit") != 0) {
        cushim_op_free(&op);
        return;
    }
    TRY(cushim_op_submit_on(op, stream, &future));
    cushim_future_free(&future);
}

int main(int argc, char **argv)
{
    prepare(argc == 2 ? argv[1] : NULL);
    if (argc == 3) {
        run_one_way(argv[1], atoi(argv[2]));
        return 0;
    }
    bench_chain();
    if (is_real) {
        bench_wake();
        bench_futures();
    }
    return 0;
}
