/* SPDX-License-Identifier: MIT */
#include "mock/base/default_stream.h"

/* How many _ptds and _ptsz functions the thread is inside of. */
static _Thread_local unsigned inside;

void mock__per_thread_begin(void)
{
    inside++;
}

void mock__per_thread_end(void)
{
    inside--;
}

bool mock__per_thread(void)
{
    return inside != 0;
}
