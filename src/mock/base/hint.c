/* SPDX-License-Identifier: MIT */
#include "mock/base/hint.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/status.h"

static bool quiet(void)
{
    const char *level = cushim__env("CUSHIM_LOG");

    return level && !strcmp(level, "none");
}

void mock__hint(enum mock__hint reason, const char *format, ...)
{
    static atomic_bool told[MOCK__N_HINTS];
    char text[1024];
    va_list list;

    if (atomic_exchange(&told[reason], true) || quiet())
        return;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    fprintf(stderr, "cushim mock: %s\n", text);
}

void mock__hint_fault(int fault, const char *where)
{
    static atomic_uint n;
    const unsigned number = atomic_fetch_add(&n, 1);
    const char *name = cushim__cuda_result_name(fault);

    if (number >= MOCK__MOST_FAULTS || quiet())
        return;
    fprintf(stderr, "cushim mock: %d %s breaks the context%s%s%s\n", fault,
            name ? name : "(no result of a driver)", *where ? ": " : "", where,
            number + 1 < MOCK__MOST_FAULTS ? "" : " (later faults are not told)");
}
