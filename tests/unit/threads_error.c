/* SPDX-License-Identifier: MIT */
/* Errors of many threads at the same time: each sees its own. */
#include "base/status.h"
#include "plain.h"

enum { THREADS = 16, ROUNDS = 3000 };

static void *body(void *user)
{
    const int number = (int) (size_t) user;
    char label[32], text[64];

    CHECK_EQ(cushim_error_status(), CUSHIM_OK);
    snprintf(label, sizeof(label), "thread %d", number);
    for (int i = 0; i < ROUNDS; i++) {
        cushim__fail_at(number + 1, "call", label, "round %d of %s", i, label);
        snprintf(text, sizeof(text), "round %d of %s", i, label);
        CHECK_EQ(cushim_error_status(), number + 1);
        CHECK_STR(cushim_error_label(), label);
        CHECK_STR(cushim_error_text(), text);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    start_threads(threads, THREADS, body);
    join_threads(threads, THREADS);
    CHECK_EQ(cushim_error_status(), CUSHIM_OK);
    return 0;
}
