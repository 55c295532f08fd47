/* SPDX-License-Identifier: MIT */
/*
 * Buffers: memory that devices use, and who used which bytes of it last.
 *
 * A buffer is a row of ranges. Each has the point that last wrote it and, for every timeline
 * that has read it since, the last point that did. A read must come after the writer, a
 * write or a free after the writer and all readers. One range is the common case; it is split
 * where part of it is used, and ranges that agree are one again.
 *
 * All of it is under the submission lock of the buffer's context; submit.h is how it is used.
 */
#ifndef CUSHIM_CORE_ORDER_BUFFER_H
#define CUSHIM_CORE_ORDER_BUFFER_H

#include "core/order/timeline.h"

enum cushim__memory {
    CUSHIM__MEMORY_ASYNC,  /* freed by cuMemFreeAsync() */
    CUSHIM__MEMORY_PLAIN,  /* freed by cuMemFree() */
    CUSHIM__MEMORY_PINNED, /* of the host */
    CUSHIM__MEMORY_MANAGED,
    CUSHIM__MEMORY_BORROWED, /* not freed by us: adopted, or part of a module */
};

struct cushim__range {
    struct cushim__point write;
    unsigned n_readers, max_more;
    struct cushim__point first_readers[2], *more_readers;
    size_t begin; /* it ends where the next one begins, or the buffer ends */
};

/* What every launch looks at comes first, in two cache lines; one, where it writes. */
struct cushim__buffer {
    struct cushim__context *context;
    CUdeviceptr address;
    size_t bytes;

    /* Under the submission lock. */
    bool restricted;  /* MANAGED: attached to something */
    bool eager_event; /* at once when it is submitted, because others come for it */
    unsigned n_ranges;
    struct cushim__range *ranges, one;
    unsigned max_ranges;
    bool host_only;                    /* MANAGED: attached to the host, if to no stream */
    bool made_host_only;               /* MANAGED: and so again when that stream is gone */
    struct cushim__timeline *attached; /* MANAGED: the one stream that may use it, or NULL */

    /* Not under it. */
    atomic_uint references;
    enum cushim__memory memory;
    void *host;                    /* for PINNED and MANAGED */
    struct cushim__timeline *home; /* of the stream that it was allocated on, or NULL */
    struct cushim__object *keep;   /* what the memory is part of, such as a module, or NULL */
    struct cushim__object *owner;  /* whose own it is, without a reference; or NULL */
};

/*
 * A buffer of memory that is there already, with a reference for the caller, on the context
 * and on keep, too. home may be NULL.
 */
struct cushim__buffer *cushim__buffer_new(struct cushim__context *context,
                                          enum cushim__memory memory, CUdeviceptr address,
                                          void *host, size_t bytes, struct cushim__timeline *home,
                                          struct cushim__object *keep);

/* Frees what cushim__buffer_new() made, not the memory. */
void cushim__buffer_delete(struct cushim__buffer *buffer);

/* Drops a reference. The last one frees the memory, after all that uses it. (buffer_free.c) */
void cushim__buffer_unref(struct cushim__buffer *buffer, const char *call, const char *label);

/*
 * For who keeps a buffer beyond its handle, of memory or of a module's code: keeps what it is part
 * of. cushim__buffer_release() is for after the last use was submitted; call is for errors.
 */
void cushim__buffer_hold(struct cushim__buffer *buffer);
void cushim__buffer_release(struct cushim__buffer *buffer, const char *call);

/*
 * What is done under the lock for a use of [begin, end): first make room, so that nothing can
 * fail once the work is submitted, then wait for what was submitted before, and note it
 * afterwards.
 */
bool cushim__buffer_prepare(struct cushim__buffer *buffer, size_t begin, size_t end, bool write,
                            const struct cushim__timeline *timeline);
cushim_status cushim__buffer_wait(const struct cushim__scope *scope, struct cushim__buffer *buffer,
                                  size_t begin, size_t end, bool write,
                                  struct cushim__timeline *timeline);
void cushim__buffer_note(struct cushim__buffer *buffer, size_t begin, size_t end, bool write,
                         struct cushim__timeline *timeline);

/*
 * Calls see() with each point that a use has to come after, done or not, until it returns false.
 * Says whether all were seen.
 */
bool cushim__buffer_each(const struct cushim__buffer *buffer, size_t begin, size_t end, bool write,
                         bool (*see)(const struct cushim__point *point, void *user), void *user);

#endif
