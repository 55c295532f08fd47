/* SPDX-License-Identifier: MIT */
/* A launch that is kept: the kernel, and copies of the arguments. */
#ifndef CUSHIM_CORE_LAUNCH_LAUNCHER_H
#define CUSHIM_CORE_LAUNCH_LAUNCHER_H

#include "core/launch/launch.h"

struct cushim__launcher {
    struct cushim__object object;
    uint64_t function;    /* its handle; not pinned */
    pthread_mutex_t lock; /* held around the launch, so it comes before the submission locks */
    /* Under it. */
    struct cushim_argument *arguments; /* each with a block of its own, for name and value */
    size_t n, max;
};

cushim_status cushim__launcher_new(const struct cushim__scope *scope, uint64_t function,
                                   uint64_t *ret_id);

/* What follows is thread-safe. */
cushim_status cushim__launcher_push(struct cushim__launcher *launcher,
                                    const struct cushim_argument *arguments, size_t n,
                                    const char *call);
cushim_status cushim__launcher_set(struct cushim__launcher *launcher, size_t index,
                                   const struct cushim_argument *argument, const char *call);
void cushim__launcher_clear(struct cushim__launcher *launcher);

#endif
