/* SPDX-License-Identifier: MIT */
/* A launcher: a kernel and copies of its arguments, for several launches. */
#ifndef CUSHIM_CORE_LAUNCH_LAUNCHER_H
#define CUSHIM_CORE_LAUNCH_LAUNCHER_H

#include <pthread.h>

#include "core/launch/launch.h"

/* A list of arguments. It does not change while it has more than one reference. */
struct cushim__argument_list {
    unsigned references; /* under the lock of the launcher */
    size_t n, max;
    struct cushim_argument arguments[]; /* each with a block of its own, for name and value */
};

struct cushim__launcher {
    struct cushim__object object;
    uint64_t function; /* the kernel's handle, which is not pinned */
    /* No other lock is taken under it: a launch holds the list, and not the lock. */
    pthread_mutex_t lock;
    struct cushim__argument_list *list; /* under the lock; NULL: no arguments yet */
};

cushim_status cushim__launcher_new(const struct cushim__scope *scope, uint64_t function,
                                   uint64_t *ret_id);

/* The functions below are thread-safe. Each is one step under the launcher's lock. */
cushim_status cushim__launcher_push(struct cushim__launcher *launcher,
                                    const struct cushim_argument *arguments, size_t n,
                                    const char *call);
cushim_status cushim__launcher_set(struct cushim__launcher *launcher, size_t index,
                                   const struct cushim_argument *argument, const char *call);
void cushim__launcher_clear(struct cushim__launcher *launcher);

/*
 * Returns the current list with a reference, or NULL if it is empty. The list does not change until
 * cushim__launcher_give().
 */
struct cushim__argument_list *cushim__launcher_take(struct cushim__launcher *launcher);
void cushim__launcher_give(struct cushim__launcher *launcher, struct cushim__argument_list *list);

#endif
