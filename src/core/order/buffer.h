/* SPDX-License-Identifier: MIT */
/*
 * Buffers. A buffer is memory that devices use, with the last use of each of its bytes.
 *
 * A buffer consists of ranges. Each range has the point of its last write and, for every timeline
 * that has read it since, the point of its last read. A read must come after the last write. A
 * write or a free must come after the last write and all reads. Most buffers have only one range. A
 * range is split when a part of it is used. Ranges with the same points are merged again when they
 * are used as one, or when there are many: parts that a program uses again and again stay ranges.
 *
 * The context lock of the buffer's context protects the ranges. submit.h shows how buffers are
 * used. buffer_free.c gives their memory back.
 */
#ifndef CUSHIM_CORE_ORDER_BUFFER_H
#define CUSHIM_CORE_ORDER_BUFFER_H

#include "base/tree.h"
#include "core/order/timeline.h"

enum cushim__memory {
    CUSHIM__MEMORY_ASYNC,  /* freed with cuMemFreeAsync() */
    CUSHIM__MEMORY_PLAIN,  /* freed by cuMemFree() */
    CUSHIM__MEMORY_PINNED, /* of the host */
    CUSHIM__MEMORY_MANAGED,
    CUSHIM__MEMORY_IPC,      /* of another process, closed by cuIpcCloseMemHandle() */
    CUSHIM__MEMORY_BORROWED, /* cushim does not free it: adopted, or part of a module */
    CUSHIM__MEMORY_ARENA,    /* of an arena, its owner, which gives it back (arena.h) */
    CUSHIM__MEMORY_NODE,     /* of a graph, of which nodes allocate and free it (block.h) */
};

#define CUSHIM__NO_RECORDING UINT64_MAX

struct cushim__range {
    size_t end; /* the byte after its last one; it begins at the number of its node */
    struct cushim__point write;
    unsigned n_readers, max_more; /* max_more: the room in more_readers */
    struct cushim__point first_readers[2], *more_readers;
    const struct cushim__context *again_in; /* timelines of it may have this range as `again` */
    /* In the tree of its buffer, by its first byte. The next range begins at its end. */
    struct cushim__tree_node node;
};

/* The fields that most launches use come first: a cache line, up to the first of first_readers. */
struct cushim__buffer {
    CUdeviceptr address;

    /* Under the context lock. */
    /*
     * Not for the fast path: a variable, leaked, attached to the host or one stream, or of
     * recordings alone.
     */
    bool restricted;
    bool eager_event; /* mark the next work at once, because other streams wait for it */
    unsigned n_ranges;
    struct cushim__range first; /* the range that begins at 0; most buffers have no other */
    struct cushim__tree ranges; /* all of them */
    size_t bytes;               /* never changes, like the next one */
    struct cushim__context *context;
    bool host_only;      /* MANAGED: attached to the host, unless to a stream */
    bool made_host_only; /* MANAGED: allocated for the host, and so again without a stream */
    bool leaked;         /* given to the program by cushim_slice_leak() */
    struct cushim__timeline *attached; /* MANAGED: the one stream that may use it, or NULL */

    /* Not under it. */
    atomic_uint references;
    enum cushim__memory memory;
    void *host;                    /* for PINNED and MANAGED */
    struct cushim__timeline *home; /* of the stream that it was allocated on, or NULL */
    struct cushim__object *keep;   /* what the memory comes from, such as a module, or NULL */
    /*
     * For a variable of a module: the code of the module, which every launch of its kernels reads.
     * A kernel may use the variable without an argument. So each use of the variable by other work
     * is also submitted as a write of the code. NULL for other memory.
     */
    struct cushim__buffer *code;
    struct cushim__object *owner; /* the object that it belongs to, without a reference; or NULL */
    bool reusable;                /* allocated by cushim for a slice, so it may be kept */
    struct cushim__buffer *next_kept; /* in a list of reuse.c */
    /*
     * The id of the only recording whose work may use it; CUSHIM__NO_RECORDING: that of a dry run,
     * which is for the recordings that have its arena; 0: all work may.
     */
    uint64_t recording;
    void *_Atomic spare; /* the memory of a slice that is gone, for the next one; or NULL */
};

/*
 * Makes a buffer for existing memory, with a reference for the caller. The buffer holds references
 * on the context and on keep. home may be NULL. NULL when out of memory.
 */
struct cushim__buffer *cushim__buffer_new(struct cushim__context *context,
                                          enum cushim__memory memory, CUdeviceptr address,
                                          void *host, size_t bytes, struct cushim__timeline *home,
                                          struct cushim__object *keep);

/* Frees the structure that cushim__buffer_new() has made, but not the memory. */
void cushim__buffer_delete(struct cushim__buffer *buffer);

/*
 * Drops a reference. With the last one the memory is kept (reuse.h), or freed after all work that
 * uses it.
 */
void cushim__buffer_unref(struct cushim__buffer *buffer, const char *call, const char *label);

/* Frees the memory of a buffer without references, after all work that uses it. */
void cushim__buffer_free(struct cushim__buffer *buffer, const char *call, const char *label);

/*
 * Keeps a buffer alive without a handle, together with the object that it belongs to.
 * cushim__buffer_release() ends this, after the last use was submitted; call is the public
 * function, for errors.
 */
void cushim__buffer_hold(struct cushim__buffer *buffer);
void cushim__buffer_release(struct cushim__buffer *buffer, const char *call);

/*
 * The three steps of a use of [begin, end), under the lock. prepare allocates all that note needs,
 * because note must not fail. wait makes the timeline wait for earlier work; *ret_busy is set as by
 * cushim__point_mark(), and then it has not waited for everything. note records the use as the
 * timeline's last submission.
 */
bool cushim__buffer_prepare(struct cushim__buffer *buffer, size_t begin, size_t end, bool write,
                            const struct cushim__timeline *timeline);
cushim_status cushim__buffer_wait(const struct cushim__scope *scope, struct cushim__buffer *buffer,
                                  size_t begin, size_t end, bool write,
                                  struct cushim__timeline *timeline,
                                  struct cushim__point *ret_busy);
void cushim__buffer_note(struct cushim__buffer *buffer, size_t begin, size_t end, bool write,
                         struct cushim__timeline *timeline);

/*
 * The three steps in one. *ret_noted is false if another thread has a stream lock that is needed,
 * when out of memory, or on failure: then it has not waited for everything. The second function is
 * for a range that is used as it is.
 */
cushim_status cushim__buffer_use(const struct cushim__scope *scope, struct cushim__buffer *buffer,
                                 size_t begin, size_t end, bool write,
                                 struct cushim__timeline *timeline, bool *ret_noted);
cushim_status cushim__range_use(const struct cushim__scope *scope, struct cushim__buffer *buffer,
                                struct cushim__range *range, bool write,
                                struct cushim__timeline *timeline, bool *ret_noted);

/* Calls see() for the points of a range, as cushim__buffer_each() does. */
bool cushim__range_each(struct cushim__range *range, bool write,
                        bool (*see)(const struct cushim__point *point, void *user), void *user);

/* Returns the reading point of a timeline, or NULL. */
struct cushim__point *cushim__range_reader(struct cushim__range *range,
                                           const struct cushim__timeline *timeline);

/*
 * Lets a timeline that is a reader of a range note its reads for itself from now on. Both are of
 * one context, and the range is all of its buffer. cushim__buffer_forget_readers() comes before the
 * end of the buffer.
 */
void cushim__range_read_again(struct cushim__range *range, struct cushim__timeline *timeline);
void cushim__buffer_forget_readers(struct cushim__buffer *buffer);

/* Sets a point to the last submission of a timeline. */
void cushim__point_set(struct cushim__point *point, struct cushim__timeline *timeline);

/*
 * Calls see() with each point that a use must come after, also with those that are done, until
 * see() returns false. Returns whether see() got all of them.
 */
bool cushim__buffer_each(const struct cushim__buffer *buffer, size_t begin, size_t end, bool write,
                         bool (*see)(const struct cushim__point *point, void *user), void *user);

#endif
