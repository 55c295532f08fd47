/* SPDX-License-Identifier: MIT */
#include "core/order/thread_end.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/object/scope.h"

/* The contexts of one thread, by their numbers: a note does not keep a context. */
struct note {
    struct note *next;
    uint64_t context;
};

static pthread_key_t key;
static int no_key;

static void wait_for_work(struct cushim__context *context)
{
    struct cushim__scope scope;

    /* In a child of fork() the driver must not be called. */
    if (cushim__library_is_parents(context->driver->library))
        return;
    /* What failed in the stream is told to those who wait for its work. */
    if (cushim__scope_to_free(context, "the end of a thread", NULL, &scope))
        (void) CU_FN(scope.table, cuStreamSynchronize)(CU_STREAM_PER_THREAD);
    cushim__scope_leave(&scope, CUSHIM_OK);
}

static void at_end(void *last)
{
    struct note *note = last, *next;

    for (; note; note = next) {
        struct cushim__context *context = cushim__context_find_number(note->context);

        next = note->next;
        free(note);
        if (context) {
            wait_for_work(context);
            cushim__context_unref(context);
        }
    }
}

/*
 * Keys end in the order in which they were made. So this one is made when the library is loaded:
 * libcuda, which is loaded later, makes its own after it.
 */
__attribute__((constructor)) static void make_key(void)
{
    no_key = pthread_key_create(&key, at_end);
}

bool cushim__thread_end_note(const struct cushim__context *context)
{
    struct note *last = no_key ? NULL : pthread_getspecific(key), *note = last;

    while (note && note->context != context->number)
        note = note->next;
    if (note || no_key)
        return true;
    note = malloc(sizeof(*note));
    if (!note)
        return false;
    *note = (struct note){.next = last, .context = context->number};
    if (!pthread_setspecific(key, note))
        return true;
    free(note);
    return false;
}
