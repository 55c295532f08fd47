/* SPDX-License-Identifier: MIT */
/*
 * hostile_threads [MILLISECONDS]: threads submit, poll, wait for, cancel, retain and free one and
 * the same future at the same time, and take what it gives. Its callbacks do so, too, and fail
 * now and then. Nobody waits for ever, and everything that was held is released once.
 */
#include <stdatomic.h>
#include <unistd.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

#include "../unit/plain.h"

enum { THREADS = 6, N = 64, SHARED = 4 };

static cushim_policy policy;
static cushim_stream stream;
static cushim_op shared[SHARED];
static _Atomic uint64_t current;
static atomic_int held, released, stop;

#define CHECK(call) CHECK_EQ(call, CUSHIM_OK)

static cushim_future everybodys(void)
{
    return (cushim_future){.id = atomic_load(&current)};
}

static unsigned any(void)
{
    static _Thread_local unsigned random = 1;

    random = random * 1664525u + 1013904223u;
    return random >> 16;
}

static void nothing(void *user)
{
    (void) user;
}

/* Frees the host's memory of an operation, and uses the future, which may be its own. */
static void release(void *data)
{
    free(data);
    released++;
    (void) !cushim_future_poll(everybodys());
}

static cushim_op use_future(const struct cushim_exec *exec, void *user)
{
    cushim_future future = everybodys();
    cushim_op op;

    (void) exec, (void) user;
    if (any() % 3)
        (void) !cushim_future_poll(future);
    else
        cushim_future_free(&future);
    if (any() % 5 == 0)
        return cushim_op_failed(7, "now and then");
    return any() % 2 && !cushim_op_retain(shared[any() % SHARED], &op)
               ? op
               : cushim_op_value(NULL, NULL);
}

/* Puts a new future in the place of everybody's, which is freed. */
static void replace(void)
{
    static const float from[N];
    float *host = malloc(N * sizeof(float));
    cushim_op copied = cushim_op_to_host(cushim_op_from(from, N), host, N);
    cushim_future made, before;

    held++;
    copied = cushim_op_hold(copied, host, release);
    CHECK(
        cushim_op_schedule(cushim_op_zip(copied, cushim_op_call(use_future, NULL)), policy, &made));
    before.id = atomic_exchange(&current, made.id);
    cushim_future_free(&before);
}

/* Splits an operation. Some parts are run, and some are dropped. */
static void split(void)
{
    cushim_op parts[3], op;

    CHECK(cushim_op_retain(shared[any() % SHARED], &op));
    cushim_op_unzip(cushim_op_zip(op, cushim_op_zeros(4, N), cushim_op_call(use_future, NULL)), 3,
                    parts);
    for (int i = 0; i < 3; i++) {
        if (any() % 2)
            cushim_op_free(&parts[i]);
        else
            (void) !cushim_op_run(parts[i], stream, NULL);
    }
}

static void use_retained(cushim_future future)
{
    cushim_future again;
    size_t index;

    if (cushim_future_retain(future, &again))
        return;
    (void) !cushim_future_wait_any(&again, 1, 1000, &index);
    cushim_future_free(&again);
}

static void use(cushim_future future, unsigned how)
{
    cushim_output *output;
    cushim_slice slice;

    switch (how) {
    case 0:
        (void) !cushim_future_poll(future);
        break;
    case 1:
        (void) !cushim_future_wait(future, 100000);
        break;
    case 2:
        if (!cushim_future_take_slice(future, &slice))
            cushim_slice_free(&slice);
        break;
    case 3:
        (void) !cushim_future_output(future, &output);
        break;
    case 4:
        (void) cushim_future_fd(future);
        break;
    case 5:
        (void) !cushim_future_notify(future, nothing, NULL);
        break;
    case 6:
        (void) !cushim_future_cancel(future);
        break;
    case 7:
        use_retained(future);
        break;
    case 8:
        cushim_future_free(&future);
        break;
    default:
        (void) !cushim_future_submit(future);
    }
}

static void *work(void *user)
{
    for (size_t i = 0; i < (size_t) user * 100; i++) /* each thread has numbers of its own */
        any();
    while (!stop) {
        const unsigned what = any() % 16;

        if (what < 2)
            replace();
        else if (what == 2)
            split();
        else
            use(everybodys(), what - 3);
    }
    return NULL;
}

static void run_threads(unsigned milliseconds)
{
    pthread_t threads[THREADS];
    cushim_future last;

    for (int i = 0; i < SHARED; i++)
        shared[i] =
            cushim_op_share(cushim_op_zip(cushim_op_call(use_future, NULL), cushim_op_zeros(4, N)));
    start_threads(threads, THREADS, work);
    usleep(milliseconds * 1000);
    stop = 1;
    join_threads(threads, THREADS);
    last.id = atomic_exchange(&current, 0);
    cushim_future_free(&last);
    for (int i = 0; i < SHARED; i++)
        cushim_op_free(&shared[i]);
}

int main(int argc, char **argv)
{
    const struct cushim_mock_finding *findings = NULL;
    cushim_context context;
    cushim_driver driver;
    size_t n;

    CHECK(cushim_open(cushim_open_params(.library = MOCK), &driver));
    CHECK(cushim_context_primary(driver, 0, &context));
    CHECK(cushim_stream_new(context, NULL, &stream));
    CHECK(cushim_policy_round_robin(context, cushim_policy_params(.spread = true), &policy));
    run_threads(argc > 1 ? (unsigned) atoi(argv[1]) : 1000);
    cushim_policy_free(&policy);
    CHECK(cushim_context_synchronize(context));
    cushim_stream_free(&stream);
    cushim_context_free(&context);
    cushim_close(&driver);
    CHECK_EQ(released, held);
    cushim_mock_leaks();
    n = cushim_mock_findings(&findings);
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, "%s\n", findings[i].text);
    CHECK_EQ(n, 0);
    printf("%d operations of %d threads\n", held, THREADS);
    return 0;
}
