/* SPDX-License-Identifier: MIT */
/* What objects of some kinds do when their last handle is closed. */
#include <stdatomic.h>

#include "core/object/handle.h"

static _Atomic(void (*)(void *)) when_closed[CUSHIM__HANDLE_KINDS];

void cushim__handle_when_closed(enum cushim__handle_kind kind, void (*closed)(void *object))
{
    atomic_store(&when_closed[kind], closed);
}

void cushim__handle_tell_closed(enum cushim__handle_kind kind, void *object)
{
    void (*closed)(void *) = atomic_load_explicit(&when_closed[kind], memory_order_acquire);

    if (closed)
        closed(object);
}
