/* SPDX-License-Identifier: MIT */
#include "fake_library.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static atomic_uint counts[1024];

unsigned fake_count(unsigned row)
{
    return atomic_load(&counts[row]);
}

int fake_answer(unsigned row, const char *signature, void *const *args)
{
    const int wrong = fake_wrong_argument(row, signature, args);
    int result;

    atomic_fetch_add(&counts[row], 1);
    if (wrong && fake_behave(row, args, &result))
        return result;
    return wrong ? -wrong : FAKE_ROW + (int) row;
}

const char *fake_answer_string(unsigned row, const char *signature, void *const *args)
{
    static _Thread_local char text[32];

    snprintf(text, sizeof(text), "%d", fake_answer(row, signature, args));
    return text;
}

__attribute__((constructor)) static void on_load(void)
{
    const struct timespec pause = {.tv_nsec = FAKE_SLEEP_MS * 1000000L};

    if (fake_loaded)
        fake_loaded();
    if (FAKE_SLEEP_MS)
        nanosleep(&pause, NULL);
}
