/* SPDX-License-Identifier: MIT */
#include "base/release.h"

#include <stdbool.h>
#include <stdlib.h>

/* Data that is released when the function has returned that the thread is in. */
struct later {
    struct later *next;
    void (*release)(void *data);
    void *data;
};

static _Thread_local struct later *first, *last;
static _Thread_local bool is_inside;

/* False without memory. */
static bool put_off(void (*release)(void *data), void *data)
{
    struct later *later = malloc(sizeof(*later));

    if (!later)
        return false;
    *later = (struct later){NULL, release, data};
    if (first)
        last->next = later;
    else
        first = later;
    last = later;
    return true;
}

static void release_all(void)
{
    while (first) {
        struct later *later = first;

        first = later->next;
        later->release(later->data);
        free(later);
    }
}

void cushim__release(void (*release)(void *data), void *data)
{
    if (!release || (is_inside && put_off(release, data)))
        return;
    if (is_inside) {
        release(data);
        return;
    }
    is_inside = true;
    release(data);
    release_all();
    is_inside = false;
}
