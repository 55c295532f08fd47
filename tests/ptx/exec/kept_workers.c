/* SPDX-License-Identifier: MIT */
/*
 * The threads that work for launches are kept from one to the next, as long as there are launches:
 * also of several threads at once, after forks, and where threads cannot be made or come late. A
 * plain program, for the sanitizer of threads. The linker leads some calls here.
 */
#include <dirent.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"
#include "base/word.h"
#include "mock/functions.h"
#include "mock/ptx/run/workers.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* Their allocators do not survive a fork during another thread's allocation. */
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) ||                           \
    defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { CHILDREN = 0 };
#else
enum { CHILDREN = 100 };
#endif

enum { FURTHER = 3, ALL = FURTHER + 1, LAUNCHERS = 4, PATIENCE_S = 60 };

/* Waits until a condition is true. */
#define WAIT_FOR(condition)                                                                        \
    do {                                                                                           \
        const uint64_t until = cushim__now_ns() + PATIENCE_S * UINT64_C(1000000000);               \
        while (!(condition)) {                                                                     \
            CHECK(cushim__now_ns() < until);                                                       \
            sched_yield();                                                                         \
        }                                                                                          \
    } while (0)

/* --- what the linker leads here --- */

static atomic_bool none_made, none_woken; /* none_woken: by the main thread */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *user);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *user)
{
    enum { NO_MORE = 11 };

    return none_made ? NO_MORE : __real_pthread_create(thread, attributes, body, user);
}

static bool is_main(void)
{
    return syscall(SYS_gettid) == getpid();
}

void __real_cushim__word_wake(atomic_uint *word, int threads);
void __wrap_cushim__word_wake(atomic_uint *word, int threads);

void __wrap_cushim__word_wake(atomic_uint *word, int threads)
{
    if (!none_woken || !is_main())
        __real_cushim__word_wake(word, threads);
}

void __real_cushim__word_sleep(atomic_uint *word, unsigned value, uint64_t until);
void __wrap_cushim__word_sleep(atomic_uint *word, unsigned value, uint64_t until);

void __wrap_cushim__word_sleep(atomic_uint *word, unsigned value, uint64_t until)
{
    __real_cushim__word_sleep(word, value, until);
    while (none_woken && !is_main())
        usleep(1000);
}

/* --- launches --- */

struct meeting {
    atomic_int here, done;
    atomic_bool over;
    int rounding; /* of all */
    cpu_set_t processors;
    pid_t threads[FURTHER];
};

/* Nobody goes on before all are here. */
static void meet(struct meeting *meeting)
{
    CHECK(!meeting->over);
    meeting->here++;
    WAIT_FOR(meeting->here == ALL);
}

static void be_first(void *user)
{
    meet(user);
}

static void be_further(void *user)
{
    struct meeting *meeting = user;
    cpu_set_t processors;

    CHECK(fegetround() == meeting->rounding);
    CHECK(!sched_getaffinity(0, sizeof(processors), &processors));
    CHECK(CPU_EQUAL(&processors, &meeting->processors));
    meet(meeting);
    usleep(1000); /* the first is through by now */
    meeting->threads[meeting->done++] = (pid_t) syscall(SYS_gettid);
}

/* All come, who has come is waited for, and each has what the launching thread has. */
static void launch_meeting(struct meeting *meeting)
{
    memset(meeting, 0, sizeof(*meeting));
    meeting->rounding = fegetround();
    CHECK(!sched_getaffinity(0, sizeof(meeting->processors), &meeting->processors));
    ptx__workers_run(&(const struct ptx__work){be_first, be_further, meeting}, FURTHER);
    CHECK(meeting->here == ALL);
    CHECK(meeting->done == FURTHER);
    meeting->over = true;
}

static void launch_one(void)
{
    struct meeting meeting;

    launch_meeting(&meeting);
}

static void count(void *user)
{
    ++*(atomic_int *) user;
}

static void be_quick(void *unused)
{
    (void) unused;
}

/* Returns how many threads come to a launch that is done at once. */
static int launch_quick(void)
{
    atomic_int further = 0;

    ptx__workers_run(&(const struct ptx__work){be_quick, count, &further}, FURTHER);
    return further;
}

/* --- the process --- */

static int count_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;
    int n = 0;

    CHECK(folder);
    while ((entry = readdir(folder)))
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n;
}

static void *count_others(void *ret_n)
{
    *(int *) ret_n = count_threads() - 1;
    return NULL;
}

/* A sanitizer may make a thread of its own beside the first one of the program. */
static int count_before(void)
{
    pthread_t thread;
    int n = 0;

    CHECK(!pthread_create(&thread, NULL, count_others, &n));
    CHECK(!pthread_join(thread, NULL));
    return n;
}

/* --- parts --- */

/* The launch is done by its own thread, then, and the next one tries again. */
static void without_threads(void)
{
    none_made = true;
    CHECK(!launch_quick());
    CHECK(!launch_quick());
    none_made = false;
    launch_one();
}

static bool is_among(pid_t thread, const pid_t *threads, int n)
{
    for (int i = 0; i < n; i++)
        if (threads[i] == thread)
            return true;
    return false;
}

static void kept(int rounds)
{
    struct meeting first, meeting;

    launch_meeting(&first);
    for (int i = 0; i < rounds; i++) {
        launch_meeting(&meeting);
        for (int j = 0; j < FURTHER; j++)
            CHECK(is_among(meeting.threads[j], first.threads, FURTHER));
    }
}

enum { MANY = 64 };

struct crowd {
    atomic_int came, left;
    pid_t threads[MANY];
};

static void wait_for_one(void *user)
{
    struct crowd *crowd = user;

    WAIT_FOR(crowd->left);
    usleep(1000);
}

static void come_and_leave(void *user)
{
    struct crowd *crowd = user;

    crowd->threads[crowd->came++] = (pid_t) syscall(SYS_gettid);
    crowd->left++;
}

/* Who has left does not come again, though places are left. */
static void each_once(void)
{
    enum { ROUNDS = 20 };

    for (int i = 0; i < ROUNDS; i++) {
        struct crowd crowd = {.came = 0};

        ptx__workers_run(&(const struct ptx__work){wait_for_one, come_and_leave, &crowd}, MANY);
        CHECK(crowd.left == crowd.came);
        for (int j = 1; j < crowd.came; j++)
            CHECK(!is_among(crowd.threads[j], crowd.threads, j));
    }
}

/*
 * Those that sleep are called, and do not wake up: a launch that is done does not wait for them. A
 * thread that does not sleep yet may come.
 */
static void not_waited_for(void)
{
    enum { MOST = 20 };
    int came = FURTHER;

    for (int i = 0; i < MOST && came; i++) {
        launch_one();
        usleep(10 * 1000);
        none_woken = true;
        came = launch_quick();
        none_woken = false;
    }
    CHECK(!came);
    launch_one();
}

static void idle(int before)
{
    launch_one();
    CHECK(count_threads() >= before + FURTHER);
    WAIT_FOR(count_threads() == before);
    launch_one();
}

/* The threads are there already, and are like the launching thread all the same. */
static void like_the_first(void)
{
    cpu_set_t all, one;

    launch_one();
    CHECK(!fesetround(FE_UPWARD));
    launch_one();
    CHECK(!fesetround(FE_TONEAREST));
    launch_one();
    CHECK(!sched_getaffinity(0, sizeof(all), &all));
    CPU_ZERO(&one);
    CPU_SET((size_t) sched_getcpu(), &one);
    CHECK(!sched_setaffinity(0, sizeof(one), &one));
    launch_one();
    CHECK(!sched_setaffinity(0, sizeof(all), &all));
    launch_one();
}

static atomic_bool masked;

static void note_mask(void *user)
{
    pthread_sigmask(SIG_BLOCK, NULL, user);
    masked = true;
}

static void wait_for_mask(void *unused)
{
    (void) unused;
    WAIT_FOR(masked);
}

static void signals(void)
{
    sigset_t mask;

    sigemptyset(&mask);
    masked = false;
    ptx__workers_run(&(const struct ptx__work){wait_for_mask, note_mask, &mask}, 1);
    CHECK(sigismember(&mask, SIGTERM) && sigismember(&mask, SIGINT) && sigismember(&mask, SIGCHLD));
    CHECK(!sigismember(&mask, SIGSEGV) && !sigismember(&mask, SIGABRT));
}

/* --- several at once --- */

static atomic_bool stop;

static void *launch_many(void *rounds)
{
    for (int i = 0; i < *(const int *) rounds && !stop; i++) {
        launch_one();
        CHECK(launch_quick() <= FURTHER);
    }
    return NULL;
}

static void launch_in_threads(pthread_t threads[LAUNCHERS], int *rounds)
{
    for (int i = 0; i < LAUNCHERS; i++)
        CHECK(!pthread_create(&threads[i], NULL, launch_many, rounds));
}

static void join_all(pthread_t threads[LAUNCHERS])
{
    for (int i = 0; i < LAUNCHERS; i++)
        CHECK(!pthread_join(threads[i], NULL));
}

static void at_once(int before)
{
    int rounds = 60;
    pthread_t threads[LAUNCHERS];

    launch_in_threads(threads, &rounds);
    join_all(threads);
    /* Those that were joined may be about to end. */
    CHECK(count_threads() <= before + LAUNCHERS * FURTHER + LAUNCHERS);
}

/* --- fork --- */

static void launch_in_child(void)
{
    int status = -1;
    const pid_t child = fork();

    if (!child) {
        const int before = count_threads();

        alarm(PATIENCE_S);
        kept(3);
        CHECK(count_threads() <= before + FURTHER);
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(!status);
}

static void forks(int children)
{
    int rounds = 1 << 30;
    pthread_t threads[LAUNCHERS];

    launch_one();
    launch_in_child(); /* while all threads sleep */
    launch_in_threads(threads, &rounds);
    for (int i = 0; i < children; i++)
        launch_in_child();
    stop = true;
    join_all(threads);
    stop = false;
    launch_one();
}

/* --- kernels --- */

enum { BLOCKS = 64, THREADS = 128, KERNELS = 40 };

static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry one(.param .u64 p) {\n.reg .u32 %t, %b, %i, %r; .reg .u64 %p, %x;\n"
    "mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %i, %b, 128, %t;\n"
    "ld.param.u64 %p, [p]; mul.wide.u32 %x, %i, 4; add.u64 %x, %p, %x;\n"
    "ld.global.u32 %r, [%x]; add.u32 %r, %r, 1; st.global.u32 [%x], %r; ret; }\n";

/* Each thread has a context of its own, so that launches of several are under way. */
static void *launch_kernels(void *unused)
{
    static _Thread_local unsigned words[BLOCKS * THREADS];
    CUcontext context = NULL;
    CUmodule module = NULL;
    CUfunction kernel = NULL;
    CUdeviceptr memory = 0;
    void *params[] = {&memory};

    CHECK(!mock_cuCtxCreate_v2(&context, 0, 0) && !mock_cuModuleLoadData(&module, text) &&
          !mock_cuModuleGetFunction(&kernel, module, "one") &&
          !mock_cuMemAlloc_v2(&memory, sizeof(words)) &&
          !mock_cuMemsetD32_v2(memory, 0, BLOCKS * THREADS));
    for (int i = 0; i < KERNELS; i++)
        CHECK(!mock_cuLaunchKernel(kernel, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL) &&
              !mock_cuCtxSynchronize());
    CHECK(!mock_cuMemcpyDtoH_v2(words, memory, sizeof(words)));
    for (int i = 0; i < BLOCKS * THREADS; i++)
        CHECK(words[i] == KERNELS);
    CHECK(!mock_cuCtxDestroy_v2(context));
    return unused;
}

static void kernels(void)
{
    pthread_t threads[LAUNCHERS];

    setenv("CUSHIM_MOCK_PTX_WORKERS", "4", 1);
    CHECK(!mock_cuInit(0));
    for (int i = 0; i < LAUNCHERS; i++)
        CHECK(!pthread_create(&threads[i], NULL, launch_kernels, NULL));
    join_all(threads);
}

/* Forks are a test of their own. The process ends while threads sleep. */
int main(int argc, char **argv)
{
    const int before = count_before();

    (void) argv;
    if (argc > 1) {
        forks(CHILDREN);
        return 0;
    }
    without_threads();
    kept(50);
    each_once();
    not_waited_for();
    idle(before);
    like_the_first();
    signals();
    at_once(before);
    kernels();
    return 0;
}
