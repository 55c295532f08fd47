/* SPDX-License-Identifier: MIT */
/*
 * threads [ROUNDS [DRIVER]]: 16 threads submit operations to one device and wait for them in all
 * ways. A third of the futures is dropped in flight. Each result is right, and everything that was
 * held is released once.
 */
#include <poll.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

#include "../unit/plain.h"
#include "kernels.h"

enum { THREADS = 16, N = 100 };

static cushim_context context;
static cushim_policy policy;
static cushim_function add, sum;
static cushim_op everybodys; /* a shared operation */
static int rounds = 30;
static atomic_int held, released;

static void release(void *data)
{
    (void) data;
    released++;
}

static void post(void *user)
{
    sem_post(user);
}

/* host[i] + 1 + what everybody reads, back in host. */
static cushim_op describe(float *host)
{
    const unsigned n = N;
    const float one = 1;
    cushim_op mine, all;

    CHECK_OK(cushim_op_retain(everybodys, &all));
    mine = cushim_op_launch(add, cushim_for_elements(n), CUSHIM_OP_INOUT(cushim_op_from(host, N)),
                            CUSHIM_VALUE(one), CUSHIM_VALUE(n));
    mine = cushim_op_launch(sum, cushim_for_elements(n), CUSHIM_OP_INOUT(mine), CUSHIM_OP_SAME(0),
                            CUSHIM_OP_IN(all), CUSHIM_VALUE(n));
    held++;
    return cushim_op_hold(cushim_op_to_host(cushim_op_output(mine, 0), host, N), host, release);
}

static void wait_for(cushim_future future, int how)
{
    struct pollfd p = {.events = POLLIN};
    size_t index;
    sem_t sem;

    switch (how) {
    case 0:
        CHECK_OK(cushim_future_wait(future, CUSHIM_FOREVER));
        return;
    case 1:
        p.fd = cushim_future_fd(future);
        CHECK_EQ(poll(&p, 1, 60000), 1);
        break;
    case 2:
        sem_init(&sem, 0, 0);
        CHECK_OK(cushim_future_notify(future, post, &sem));
        sem_wait(&sem);
        CHECK_OK(cushim_future_notify(future, NULL, NULL));
        sem_destroy(&sem);
        break;
    default:
        CHECK_OK(cushim_future_wait_any(&future, 1, CUSHIM_FOREVER, &index));
    }
    CHECK_OK(cushim_future_poll(future));
}

static void *work(void *user)
{
    unsigned random = (unsigned) (size_t) user * 2654435761u;
    float host[N];

    for (int round = 0; round < rounds; round++) {
        cushim_future future;

        random = random * 1664525u + 1013904223u;
        for (int i = 0; i < N; i++)
            host[i] = (float) (i + round);
        CHECK_OK(cushim_op_submit(describe(host), policy, &future));
        if (random >> 16 & 1 && random >> 17 & 1) { /* a quarter at once */
            cushim_future_free(&future);
            continue;
        }
        if ((random >> 20) % 12 == 0) { /* and some a little later */
            if (cushim_future_poll(future) == CUSHIM_PENDING)
                cushim_future_free(&future);
        }
        if (!future.id)
            continue;
        wait_for(future, random >> 24 & 3);
        for (int i = 0; i < N; i++)
            CHECK_EQ(host[i], i + round + 1 + 7);
        cushim_future_free(&future);
    }
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, work, (void *) i), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    const char *library = argc > 2 ? argv[2] : MOCK;
    const struct cushim_mock_finding *findings = NULL;
    cushim_driver driver;
    cushim_module module;
    cushim_stream stream;
    size_t n;

    if (argc > 1)
        rounds = atoi(argv[1]);
    CHECK_OK(cushim_open(cushim_open_params(.library = library), &driver));
    CHECK_OK(cushim_context_primary(driver, 0, &context));
    CHECK_OK(cushim_stream_default(context, &stream));
    CHECK_OK(cushim_module_load_text(context, kernels_ptx, NULL, &module));
    CHECK_OK(cushim_module_function(module, "add", &add));
    CHECK_OK(cushim_module_function(module, "sum", &sum));
    CHECK_OK(cushim_policy_round_robin(context, NULL, &policy));
    everybodys = cushim_op_share(cushim_op_fill(cushim_op_alloc(CUSHIM_ELEMENT(float), N), 7.0f));
    run_threads();
    cushim_op_free(&everybodys);
    cushim_policy_free(&policy);
    CHECK_OK(cushim_context_synchronize(context));
    cushim_module_free(&module);
    cushim_context_free(&context);
    cushim_close(&driver);
    CHECK_EQ(released, held);
    if (argc < 3) {
        cushim_mock_leaks();
        n = cushim_mock_findings(&findings);
        for (size_t i = 0; i < n; i++)
            fprintf(stderr, "%s\n", findings[i].text);
        CHECK_EQ(n, 0);
    }
    printf("%d operations of %d threads\n", held, THREADS);
    return 0;
}
