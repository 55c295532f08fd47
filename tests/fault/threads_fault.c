/* SPDX-License-Identifier: MIT */
/*
 * Threads call through one set of faults, while rules are added and counts are read. How often
 * each rule hits does not depend on how the threads come.
 */
#include <stdatomic.h>
#include <stdbool.h>

#include "faulty.h"
#include "plain.h"

enum { THREADS = 8, CALLS = 4000, ALL = THREADS * CALLS };

static struct faulty faulty;
static atomic_long every, drawn, waited, lost;
static atomic_bool finished;

static void *call(void *unused)
{
    (void) unused;
    for (int i = 0; i < CALLS; i++) {
        atomic_fetch_add(&every, call_count(faulty.table) != 0);
        atomic_fetch_add(&drawn, call_upload(faulty.table) != 0);
        atomic_fetch_add(&waited, fake_synchronize(faulty.table) != 0);
    }
    return NULL;
}

/* The rules that it adds are for functions that nobody calls. */
static void *watch(void *unused)
{
    uint64_t n = 0, before = 0;

    (void) unused;
    for (int i = 0; !atomic_load(&finished); i++) {
        if (i < 40)
            CHECK_EQ(cushim_faults_add(faulty.faults, "cuMem*",
                                       cushim_fault(.result = 2, .nth = 1 << 30)),
                     CUSHIM_OK);
        CHECK_EQ(cushim_faults_injected(faulty.faults, NULL, &n), CUSHIM_OK);
        CHECK_EQ(n >= before, true);
        before = n;
    }
    return NULL;
}

static void *lose(void *unused)
{
    (void) unused;
    for (int i = 0; i < CALLS; i++) {
        const int result = call_launch(faulty.table);

        CHECK_EQ(result == 0 || result == 719, true);
        atomic_fetch_add(&lost, result != 0);
    }
    CHECK_EQ(call_download(faulty.table), 719);
    CHECK_EQ(call_count(faulty.table), 0);
    return NULL;
}

static long in_one_thread(void)
{
    struct faulty one;
    long n = 0;

    faulty_open(&one, 11);
    CHECK_EQ(
        cushim_faults_read(one.faults, "* nth=1 delay=1ns; cuMemcpyHtoD probability=0.1 result=1"),
        CUSHIM_OK);
    for (int i = 0; i < ALL; i++)
        n += call_upload(one.table) != 0;
    faulty_close(&one);
    return n;
}

static void count_hits(void)
{
    pthread_t callers[THREADS], watcher;
    uint64_t n = 0;

    faulty_open(&faulty, 11);
    CHECK_EQ(cushim_faults_read(faulty.faults, "cuDeviceGetCount every=10 result=1;"
                                               "cuMemcpyHtoD probability=0.1 result=1;"
                                               "cuCtxSynchronize every=2 count=1000 result=700"),
             CUSHIM_OK);
    start_threads(&watcher, 1, watch);
    start_threads(callers, THREADS, call);
    join_threads(callers, THREADS);
    atomic_store(&finished, true);
    join_threads(&watcher, 1);
    CHECK_EQ(every, ALL / 10);
    CHECK_EQ(drawn, in_one_thread());
    CHECK_EQ(waited, 1000);
    CHECK_EQ(cushim_faults_injected(faulty.faults, NULL, &n), CUSHIM_OK);
    CHECK_EQ(n, every + drawn + waited);
    faulty_close(&faulty);
}

static void lose_the_device(void)
{
    pthread_t callers[THREADS];

    faulty_open(&faulty, 0);
    CHECK_EQ(cushim_faults_read(faulty.faults, "device_lost after=1000"), CUSHIM_OK);
    start_threads(callers, THREADS, lose);
    join_threads(callers, THREADS);
    CHECK_EQ(lost, ALL - 1000);
    faulty_close(&faulty);
}

int main(void)
{
    count_hits();
    lose_the_device();
    return 0;
}
