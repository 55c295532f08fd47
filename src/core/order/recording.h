/* SPDX-License-Identifier: MIT */
/*
 * Recordings of work for graphs. The driver's word for the state of a stream that records is
 * capture.
 *
 * Submissions to a stream that records do not wait and get no numbers (submit.c). A recording
 * finds out what each of them must come after, and tells the driver before the work is submitted:
 * the nodes of the graph have the edges that the memory needs, and no others. Work that shares no
 * memory, or only reads what it shares, has no edge between it and may run at the same time.
 *
 * A recorder is a stream that records. All recorders of one recording use one CUstream and its
 * stream lock. Each has a branch of its own, which keeps the order that does not come from memory:
 * host functions, events, joins.
 *
 * recording.c begins and ends recordings, recording_submit.c takes submissions, recording_check.c
 * refuses what a recorder does not do, recording_fork.c has forks and joins, recording_body.c the
 * bodies of conditional nodes, recording_event.c events, recording_hand.c the order by hand, and
 * recording_works.c keeps what is known of each work. recording_works.h has what they are made of.
 * block.h has what they allocate.
 */
#ifndef CUSHIM_CORE_ORDER_RECORDING_H
#define CUSHIM_CORE_ORDER_RECORDING_H

#include <cushim/view.h>

#include "base/tree.h"
#include "core/cu/cu_graph.h"
#include "core/order/arena.h"

/* Numbers of recorded submissions. They can only grow. */
struct cushim__numbers {
    unsigned *items;
    size_t n, max;
};

/* What a recording remembers of struct cushim__about. */
struct cushim__recorded_about {
    char *name;               /* of the kernel, or NULL */
    unsigned char *in_memory; /* for each argument whether it is the address of memory */
    size_t n_arguments;
    uint64_t options;
    bool several;
    size_t filled;
};

/* One submission that was recorded. It has a number: its index in the recording. */
struct cushim__recorded {
    struct cushim__branch *branch; /* or NULL: work that the program submitted itself */
    size_t first_node, n_nodes;    /* its last nodes in the graph: most have one */
    size_t first_before, n_before; /* what it directly comes after, all with smaller numbers */
    size_t first_access, n_accesses;
    unsigned listed, reached; /* by the search with this number */
    bool followed;            /* later work of its branch comes after it */
    bool own;                 /* its only last node was made for it */
    unsigned place;           /* in a recording for an update: whose place it takes */
    unsigned version;         /* of the graph in kept: graph.h */
    struct cushim__recorded_about about;
    struct cushim__host_call *host_call; /* made by every launch; or NULL */
    struct cushim__object *kept[2];      /* events, a graph: with a reference on each; or NULL */
    /* Called for the graph in kept when the work is freed, without locks; or NULL. */
    void (*let_go)(struct cushim__object *graph);
};

/* What makes the order of recorded works. */
enum cushim__recording_order {
    CUSHIM__ORDER_BY_MEMORY,
    CUSHIM__ORDER_AS_RECORDED, /* everything comes after everything before it */
    CUSHIM__ORDER_BY_HAND,     /* only what the program says, which must be what memory demands */
};

struct cushim__graph;
struct cushim_node;

/* The condition of a loop, which is read again at the end of its body. */
struct cushim__loop {
    uint64_t handle;  /* the driver's */
    cushim_view view; /* with a handle of the recording's own */
};

/* Under the stream lock. */
struct cushim__recording {
    uint64_t id;                            /* unique: never used by another recording */
    struct cushim__recording *next_retired; /* of a graph */
    CUstream cu;
    struct cushim__stream *by; /* the stream object that has begun it; NULL: freed */
    bool by_recorder;          /* which cushim_capture_begin() has made */
    struct cushim__branch *branches;
    uint64_t thread; /* the one that has to end it, or 0: any */
    enum cushim__recording_order order;
    struct cushim__object *updates; /* the graph that is updated, with a reference; or NULL */
    /*
     * The body of a conditional node is a recording of its own, with a CUstream of its own. It
     * belongs to the recording that the node is in, and has its stream lock.
     */
    struct cushim__recording *outer; /* of a body: what it belongs to; or NULL */
    struct cushim__recording *bodies, *next_body;
    unsigned n_open;           /* bodies that are being recorded */
    bool is_open;              /* a body: it is being recorded */
    CUgraphNode conditional;   /* of a body: its node in the outer graph */
    int condition;             /* of a body: its node's kind, CUSHIM__CU_CONDITION_x */
    unsigned part;             /* of a body: which one of its node, counted from 0 */
    struct cushim__loop *loop; /* of a body that is done again; or NULL */
    uint64_t setter;           /* the handle of the module that sets values; 0: not needed yet */
    bool by_node;              /* the program says which work's place each work takes */
    unsigned char *taken; /* for each node of the updated graph whether it was named; or NULL */
    bool exposed;         /* the program has the CUstream, and may submit work itself */
    cushim_status broken; /* why the nodes of a work are not known, so no graph can be made; or 0 */
    size_t n_in_graph;    /* exposed: the nodes of the graph after the last submission */

    struct cushim__recorded *works;
    size_t n_works, max_works;
    CUgraphNode *nodes; /* of the works, and room for what one comes after */
    size_t n_nodes, max_nodes;
    struct cushim__numbers before;   /* of the works */
    struct cushim__access *accesses; /* of the works; the tree holds the buffers */
    size_t n_accesses, max_accesses;
    struct cushim__numbers found; /* what the work that begins comes after */
    unsigned searches;
    struct cushim__tree memory; /* struct recorded_buffer, by the address of the buffer */

    struct cushim__device_arena
        *arena;                    /* with a reference; NULL: made when something is allocated */
    bool memory_nodes;             /* nodes of the graph allocate, and not an arena */
    bool allocates;                /* there are such nodes */
    struct cushim__block *unfreed; /* of memory nodes, without references */
};

/* What one recorder records. */
struct cushim__branch {
    struct cushim__branch *next; /* in the recording */
    struct cushim__recording *recording;
    struct cushim__timeline *timeline; /* of the recorder, with a reference */
    struct cushim__numbers after;      /* all of its next work comes after these */
    struct cushim__numbers ends;       /* its work since then; see cushim__recorded.followed */
    struct cushim__numbers given;      /* its next work comes after these, too */
    size_t n_works;                    /* how many works it has */
    unsigned last;                     /* the number of the last one */
    bool has_place;                    /* whose place its next work takes is known: place */
    unsigned place;
};

/* What a program wants of a recording. */
struct cushim__recording_wish {
    int mode; /* of the driver's: CU_STREAM_CAPTURE_MODE_x */
    enum cushim__recording_order order;
    bool memory_nodes;
    struct cushim__device_arena *arena; /* or NULL */
    struct cushim__object *updates;     /* the graph that is updated; or NULL */
    struct cushim__recording *outer;    /* of the body of a conditional node; or NULL */
    int condition; /* with outer: see struct cushim__recording */
    unsigned part;
};

/* Makes a stream that records, with a reference for the caller. */
cushim_status cushim__recording_begin(const struct cushim__scope *scope,
                                      const struct cushim__recording_wish *wish,
                                      struct cushim__stream **ret_stream);

/* Begins a recording on a stream of the program. */
cushim_status cushim__recording_begin_on(const struct cushim__scope *scope,
                                         struct cushim__stream *stream,
                                         const struct cushim__recording_wish *wish);

/*
 * Makes another recorder for the recording of a stream, with a reference for the caller. Its work
 * comes after what the stream has recorded so far. If another thread has ended the recording, and
 * the stream runs work again, nothing is made, and *ret_again is true.
 */
cushim_status cushim__recording_fork(const struct cushim__scope *scope,
                                     struct cushim__stream *stream,
                                     struct cushim__stream **ret_stream, bool *ret_again);

/*
 * The next work of a recorder comes after all work of another one. CUSHIM_ERROR_CAPTURING if they
 * do not record for the same graph. *ret_again is true if the stream runs work again meanwhile.
 */
cushim_status cushim__recording_join(const struct cushim__scope *scope,
                                     struct cushim__timeline *timeline,
                                     struct cushim__timeline *other, bool *ret_again);

/*
 * Ends the recording of a stream. The caller gets what was recorded, and the CUgraph. Without
 * ret_graph the graph is thrown away.
 */
cushim_status cushim__recording_end(const struct cushim__scope *scope,
                                    struct cushim__stream *stream,
                                    struct cushim__recording **ret_recording, CUgraph *ret_graph);

/*
 * Tells whether a recorder stays as it was, because what should end its recording has failed with
 * this status and does not end such a recording.
 */
bool cushim__recording_goes_on(struct cushim__stream *stream, cushim_status status);

/* Tells whether a stream has begun the update of a graph, and records it. */
bool cushim__recording_is_update(struct cushim__stream *stream);

/*
 * Begins to record the body of a conditional node, which is the last work of the outer recording
 * (.outer of the wish) and whose graph the driver has made. The stream is a new one with a timeline
 * of cushim__timeline_body(). Under the stream lock.
 */
cushim_status cushim__recording_begin_body(const struct cushim__scope *scope,
                                           struct cushim__stream *stream,
                                           const struct cushim__recording_wish *wish, CUgraph graph,
                                           CUgraphNode conditional);

/* Tells whether a stream is the recorder of a body, and not a fork of one. */
bool cushim__recording_is_body(struct cushim__stream *stream);

/* Ends it. From then on the memory of the body is memory that the conditional node uses. */
cushim_status cushim__recording_end_body(const struct cushim__scope *scope,
                                         struct cushim__stream *stream);

/* Fails on a recorder of a body, in which the driver does not do this kind of work. */
cushim_status cushim__recording_check_outside(const struct cushim__scope *scope,
                                              const struct cushim__timeline *timeline,
                                              const char *what);

/*
 * Ends the recording that a stream object has begun without a graph, if it still goes on. In a
 * strict mode another thread cannot: the recording goes on, and a sentence in the log says so.
 */
void cushim__recording_drop(const struct cushim__scope *scope, struct cushim__stream *stream);

/* Releases all that the recording holds. NULL is allowed. The caller holds no lock. */
void cushim__recording_free(struct cushim__recording *recording);

/*
 * Begins and ends a submission to a stream that records. Begin tells the driver what the work comes
 * after, and notes what memory it uses. Under the stream lock.
 */
cushim_status cushim__recording_submit(const struct cushim__submission *s);

/* Fails because the work is none of those that may use the memory (recording in buffer.h). */
cushim_status cushim__fail_other_recording(const struct cushim__scope *scope,
                                           const struct cushim__buffer *buffer);
void cushim__recording_submitted(const struct cushim__submission *s);

/* Notes that the program may submit work itself to the CUstream of a recorder, from now on. */
cushim_status cushim__recording_expose(const struct cushim__scope *scope,
                                       struct cushim__timeline *timeline);

/*
 * Adds the recording of an event to a stream that records: every launch records the event. This is
 * the driver call of a submission.
 */
cushim_status cushim__recording_event(const struct cushim__scope *scope,
                                      struct cushim__timeline *timeline,
                                      struct cushim__event *event);

/*
 * The next work of a recorder comes after an event. An event of the same recording is a place in
 * it; for another one, every launch waits.
 */
cushim_status cushim__recording_wait(struct cushim__scope *scope, struct cushim__timeline *timeline,
                                     struct cushim__event *event);

/* The last work keeps a call that every launch makes, or an object that the graph uses. */
void cushim__recording_call(struct cushim__recording *recording,
                            struct cushim__host_call *host_call);
void cushim__recording_keep(struct cushim__recording *recording, struct cushim__object *object);

/* Tells whether there are calls; forgets them, where they may still be made. */
bool cushim__recording_has_calls(const struct cushim__recording *recording);
void cushim__recording_leave_calls(struct cushim__recording *recording);

/*
 * The next work of a recorder comes after works of its recording, too.
 * CUSHIM_ERROR_INVALID_ARGUMENT for works of another recording, or that are not there.
 */
cushim_status cushim__recording_after(const struct cushim__scope *scope,
                                      struct cushim__timeline *timeline,
                                      const struct cushim_node *nodes, size_t n);

/* Returns the last work of a recorder. */
cushim_status cushim__recording_node(const struct cushim__scope *scope,
                                     struct cushim__timeline *timeline,
                                     struct cushim_node *ret_node);

/* Records a work that does nothing. */
cushim_status cushim__recording_empty(struct cushim__scope *scope,
                                      struct cushim__timeline *timeline);

/* What a work uses; NULL if it is nothing. */
static inline const struct cushim__access *
cushim__recorded_accesses(const struct cushim__recording *recording,
                          const struct cushim__recorded *work)
{
    return work->n_accesses ? &recording->accesses[work->first_access] : NULL;
}

/* The number of the last submission. Under the stream lock. */
static inline unsigned cushim__recording_last(const struct cushim__recording *recording)
{
    return (unsigned) recording->n_works - 1;
}

/*
 * Returns CUSHIM_ERROR_CAPTURING if the program captures a stream by the driver's own functions.
 * Only what would do harm later asks for this: a function that is called once.
 */
cushim_status cushim__check_not_captured(const struct cushim__scope *scope, CUstream cu);

/*
 * Returns CUSHIM_ERROR_CAPTURING if the stream records. what names the action in the error text,
 * such as "waiting for it".
 */
cushim_status cushim__check_not_recording(const struct cushim__scope *scope,
                                          struct cushim__timeline *timeline, const char *what);

#endif
