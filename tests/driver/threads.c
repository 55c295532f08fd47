/* SPDX-License-Identifier: MIT */
/* What a new thread finds. */
#include "ask.h"

#include <pthread.h>

static void *ask_in_thread(void *context)
{
    CUcontext current = context;
    CUdeviceptr p = 0;

    ASK("thread_cur", cuCtxGetCurrent, (&current));
    report("thread_cur_null", !current);
    ASK("thread_alloc_unbound", cuMemAlloc_v2, (&p, 16));
    CALL(cuCtxSetCurrent, (context));
    ASK("thread_alloc_bound", cuMemAlloc_v2, (&p, 16));
    ASK("thread_free", cuMemFree_v2, (p));
    return NULL;
}

void ask_threads(void)
{
    CUcontext context = begin();
    pthread_t thread;

    if (!pthread_create(&thread, NULL, ask_in_thread, context))
        pthread_join(thread, NULL);
}
