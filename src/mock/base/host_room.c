/* SPDX-License-Identifier: MIT */
#include "mock/base/host_room.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mock/base/finding.h"
#include "mock/base/hint.h"
#include "mock/config/host_memory.h"

#define MIB ((uint64_t) 1 << 20)

/* So many bytes never matter; with so few left, the end is near, as checks need memory, too. */
#define UNCOUNTED (16 * MIB)
#define LITTLE    (64 * MIB)

/* The system is not asked again before so many nanoseconds, unless memory is allocated. */
#define RECENT 20000000

/* How often it is asked while a kernel runs. */
#define WATCH_NANOSECONDS 10000000
#define IDLE_LOOKS        100

/* What the system said last, and what has been written since, at most. */
static struct {
    struct mock__host_memory room;
    uint64_t committed, counted, asked_at;
} known;

static int file = -1;
static uint64_t of_kernel; /* what the kernel that runs may write */

void mock__host_room_file(int fd)
{
    file = fd;
}

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
}

static uint64_t committed(void)
{
    struct stat status;

    return file >= 0 && !fstat(file, &status) ? (uint64_t) status.st_blocks * 512 : 0;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

static uint64_t room_of(const struct mock__host_memory *memory)
{
    return sum(memory->memory, memory->swap);
}

static void ask(void)
{
    known.room = mock__host_memory();
    known.committed = committed();
    known.counted = 0;
    known.asked_at = now();
}

static bool asked_lately(void)
{
    return known.asked_at && now() - known.asked_at < RECENT;
}

/* What is left, if all that was counted has taken new memory. */
static uint64_t left(void)
{
    const uint64_t room = room_of(&known.room);

    return room > known.counted ? room - known.counted : 0;
}

/* Tells whether what was counted, and this besides, is too little to matter. */
static bool is_little(uint64_t bytes)
{
    const uint64_t half = known.asked_at ? room_of(&known.room) / 2 : 0;

    return sum(known.counted, bytes) <= (half > UNCOUNTED ? half : UNCOUNTED);
}

/* --- telling --- */

static const char *of_group(const struct mock__host_memory *memory)
{
    return memory->of_a_group ? " in its control group" : "";
}

static void hint(const struct mock__host_memory *memory)
{
    mock__hint(MOCK__HINT_HOST_MEMORY,
               "the host is about to run out of memory: %llu MiB are left%s, and devices have "
               "%llu MiB; then the system ends the process. With the device 'ci', or with "
               "device.*.memory = host, there is no more memory than the host can give",
               (unsigned long long) (room_of(memory) / MIB), of_group(memory),
               (unsigned long long) (committed() / MIB));
}

static void tell(const struct mock__host_memory *memory)
{
    hint(memory);
    if (mock__checking())
        mock__finding(CUSHIM_MOCK_HOST_MEMORY,
                      "the host has too little memory%s for what is written to devices",
                      of_group(memory));
}

/* --- copies and memsets --- */

/* Of a range of the host, the bytes of pages that have no memory yet. */
static uint64_t missing(const unsigned char *to, size_t bytes)
{
    static unsigned char pages[16384];
    const size_t page = (size_t) sysconf(_SC_PAGESIZE), piece = sizeof(pages) * page;
    const unsigned char *begin = to - (uintptr_t) to % page, *end = to + bytes;
    uint64_t n = 0;

    for (; begin < end; begin += piece) {
        const size_t length = (size_t) (end - begin) < piece ? (size_t) (end - begin) : piece;

        if (mincore((void *) (uintptr_t) begin, length, pages))
            return bytes;
        for (size_t i = 0; i < (length + page - 1) / page; i++)
            n += pages[i] & 1 ? 0 : page;
    }
    return n;
}

void mock__host_room_write(const void *to, size_t bytes)
{
    if (is_little(bytes)) {
        known.counted += bytes;
        return;
    }
    if (!asked_lately())
        ask();
    if (sum(bytes, LITTLE) > left()) {
        bytes = missing(to, bytes);
        if (bytes && sum(bytes, LITTLE) > left())
            tell(&known.room);
    }
    known.counted = sum(known.counted, bytes);
}

/* --- kernels --- */

/*
 * The thread that looks while a kernel runs which may write more than there is. It is made for the
 * first one, and sleeps if there was none for a while: it is woken then, and not for each kernel.
 * It takes no lock but this.
 */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t woken;
    _Atomic(bool) wanted, sleeps;
    bool made;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .woken = PTHREAD_COND_INITIALIZER};

static _Atomic(bool) seen; /* there was too little, which is no finding yet */

static void look(void)
{
    const struct mock__host_memory memory = mock__host_memory();

    if (room_of(&memory) >= LITTLE)
        return;
    hint(&memory);
    atomic_store(&seen, true);
}

/* Whoever wants the thread sees that it sleeps, or the thread sees that it is wanted. */
static void sleep_until_wanted(void)
{
    pthread_mutex_lock(&watch.lock);
    atomic_store(&watch.sleeps, true);
    while (atomic_load(&watch.sleeps) && !atomic_load(&watch.wanted))
        pthread_cond_wait(&watch.woken, &watch.lock);
    atomic_store(&watch.sleeps, false);
    pthread_mutex_unlock(&watch.lock);
}

static void *watch_kernels(void *none)
{
    const struct timespec time = {.tv_nsec = WATCH_NANOSECONDS};
    unsigned idle = 0;

    for (;;) {
        nanosleep(&time, NULL);
        idle = atomic_load(&watch.wanted) ? 0 : idle + 1;
        if (!idle)
            look();
        else if (idle > IDLE_LOOKS)
            sleep_until_wanted();
    }
    return none;
}

/* All signals are the program's. Without the thread nothing is told. */
static void make_thread(void)
{
    pthread_t thread;
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!pthread_create(&thread, NULL, watch_kernels, NULL))
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void want_watch(void)
{
    atomic_store(&watch.wanted, true);
    if (!watch.made)
        make_thread();
    watch.made = true;
    if (!atomic_load(&watch.sleeps))
        return;
    pthread_mutex_lock(&watch.lock);
    atomic_store(&watch.sleeps, false);
    pthread_cond_signal(&watch.woken);
    pthread_mutex_unlock(&watch.lock);
}

void mock__host_room_kernel(size_t bytes)
{
    of_kernel = sum(of_kernel, bytes);
    if (is_little(of_kernel) || atomic_load(&watch.wanted))
        return;
    if (!asked_lately())
        ask();
    if (of_kernel > left())
        want_watch();
}

/* What it has written is known by what has become of the file. */
void mock__host_room_kernel_end(void)
{
    const bool much = of_kernel > UNCOUNTED;
    const uint64_t after = much ? committed() : 0;

    of_kernel = 0;
    atomic_store(&watch.wanted, false);
    if (atomic_exchange(&seen, false))
        tell(&known.room);
    if (!much)
        return;
    known.counted = sum(known.counted, after > known.committed ? after - known.committed : 0);
    known.committed = after;
    if (is_little(0))
        return;
    ask();
    if (left() < LITTLE)
        tell(&known.room);
}

/* --- devices that have no more than the host --- */

/* What is allocated and has no memory yet will need some. */
static uint64_t promised(uint64_t allocated)
{
    return allocated > known.committed ? allocated - known.committed : 0;
}

uint64_t mock__host_room_left(uint64_t allocated)
{
    uint64_t room;

    if (!asked_lately())
        ask();
    room = known.room.memory;
    return room > promised(allocated) ? room - promised(allocated) : 0;
}

bool mock__host_room_for(uint64_t allocated, uint64_t bytes)
{
    if (bytes <= UNCOUNTED && asked_lately())
        return true;
    if (bytes > UNCOUNTED)
        ask();
    return bytes <= mock__host_room_left(allocated);
}
