/* SPDX-License-Identifier: MIT */
/* A launcher: a kernel and copies of its arguments, for several launches. */
#ifndef CUSHIM_CORE_LAUNCH_LAUNCHER_H
#define CUSHIM_CORE_LAUNCH_LAUNCHER_H

#include "core/launch/launch.h"

struct cushim__launcher {
    struct cushim__object object;
    uint64_t function;    /* the kernel's handle, which is not pinned */
    pthread_mutex_t lock; /* held during the launch, so it is taken before the submission locks */
    /* Under the lock. */
    struct cushim_argument *arguments; /* each with an allocated block for name and value */
    size_t n, max;
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

#endif
