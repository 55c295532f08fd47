/* SPDX-License-Identifier: MIT */
/*
 * Handles that are made, used and closed by many threads at the same time, most of them
 * those of another thread: what is pinned is alive, and everything is destroyed once.
 */
#include <stdatomic.h>

#include "core/object/handle.h"
#include "plain.h"

enum { THREADS = 16, ROUNDS = 3000, SHARED = 24, ALIVE = 0x1234567 };

struct object {
    int alive;
    long value; /* written by its maker and read by whoever pins it */
};

static _Atomic uint64_t shared[SHARED];
static atomic_long created, destroyed, pinned;

static void destroy(void *object)
{
    struct object *o = object;

    CHECK_EQ(o->alive, ALIVE);
    o->alive = 0;
    atomic_fetch_add(&destroyed, 1);
    free(o);
}

static uint64_t create(long value)
{
    struct object *object = malloc(sizeof(*object));
    uint64_t id = 0;

    *object = (struct object){.alive = ALIVE, .value = value};
    CHECK_EQ(cushim__handle_create(CUSHIM__HANDLE_TRACE, object, destroy, "create", &id), 0);
    atomic_fetch_add(&created, 1);
    return id;
}

/* Whoever else has the handle by now may have closed it, and may close it twice. */
static void use(uint64_t id)
{
    struct object *object = cushim__handle_pin(id, CUSHIM__HANDLE_TRACE, NULL);

    if (!object)
        return;
    CHECK_EQ(object->alive, ALIVE);
    CHECK_EQ(object->value >= 0, 1);
    atomic_fetch_add(&pinned, 1);
    if (object->value % 3 == 0)
        cushim__handle_close(id, CUSHIM__HANDLE_TRACE, NULL);
    CHECK_EQ(object->alive, ALIVE);
    cushim__handle_unpin(id);
}

static void *body(void *user)
{
    unsigned random = (unsigned) (size_t) user * 2654435761u + 1;

    for (int i = 0; i < ROUNDS; i++) {
        uint64_t before;

        random = random * 1664525u + 1013904223u;
        use(atomic_load(&shared[(random >> 16) % SHARED]));
        before = atomic_exchange(&shared[(random >> 8) % SHARED], create(i));
        use(before);
        if (before)
            cushim__handle_close(before, CUSHIM__HANDLE_TRACE, NULL);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    start_threads(threads, THREADS, body);
    join_threads(threads, THREADS);
    for (size_t i = 0; i < SHARED; i++)
        cushim__handle_close(shared[i], CUSHIM__HANDLE_TRACE, NULL);
    CHECK_EQ(atomic_load(&created), THREADS * ROUNDS);
    CHECK_EQ(atomic_load(&destroyed), atomic_load(&created));
    CHECK_EQ(atomic_load(&pinned) > 0, 1);
    return 0;
}
