/* SPDX-License-Identifier: MIT */
#include "base/word.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void cushim__word_sleep(atomic_uint *word, unsigned value, uint64_t until)
{
    /* What the kernel reads in this call: both words are as long as its own. */
    const struct {
        long seconds, nanoseconds;
    } time = {(long) (until / 1000000000), (long) (until % 1000000000)};
    const int before = errno;

    syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value,
            until == CUSHIM__NEVER ? NULL : &time, NULL, FUTEX_BITSET_MATCH_ANY);
    errno = before;
}

void cushim__word_wake(atomic_uint *word, int threads)
{
    const int before = errno;

    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
    errno = before;
}
