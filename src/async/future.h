/* SPDX-License-Identifier: MIT */
/*
 * Futures: the objects of their handles.
 *
 * A future that is in flight has submitted its work, and after it a function that the driver calls
 * (cuLaunchHostFunc). That function only says that the future has ended, and wakes whoever waits:
 * it calls no driver. The first thread that asks after that settles the future: it asks the driver
 * whether the device is well, copies what goes to the host, and sets the result.
 *
 * future.c makes and submits futures, future_end.c has the driver's function, future_drop.c gives
 * back what futures have, future_settle.c settles them, future_wake.c wakes those who wait, as they
 * do in future_wait.c, and watch.h looks after futures that no thread asks for.
 */
#ifndef CUSHIM_ASYNC_FUTURE_H
#define CUSHIM_ASYNC_FUTURE_H

#include <cushim/future.h>

#include <pthread.h>

#include "async/run.h"
#include "base/condition.h"
#include "core/object/host_call.h"
#include "core/order/stream.h"

enum cushim__future_state {
    CUSHIM__FUTURE_SCHEDULED,
    CUSHIM__FUTURE_SUBMITTING, /* a thread submits it */
    CUSHIM__FUTURE_IN_FLIGHT,
    CUSHIM__FUTURE_SETTLING, /* a thread settles it */
    CUSHIM__FUTURE_SETTLED,
};

struct cushim__waiter;

/* A place in the list of futures that are watched (watch.h). */
struct cushim__watched {
    struct cushim__future *next, **link; /* link is NULL: not in it */
};

struct cushim__future {
    struct cushim__object object;  /* its context is NULL */
    uint64_t id;                   /* its first handle, which the driver's function pins */
    struct cushim__host_call call; /* the driver's function */
    atomic_bool ended;             /* the driver's function was called, or never will be */
    atomic_bool lost;              /* it never will be */
    atomic_bool reached;           /* the device has done all work: the function was called */
    uint64_t number;               /* of its end, among all ends; see future_settle.c */

    struct cushim__mutex lock;
    struct cushim__condition changed;
    /* Under the lock. */
    enum cushim__future_state state;
    bool dropped;              /* its last handle is closed */
    bool drop_later;           /* and the thread that submits it frees what it has */
    bool ended_early;          /* SUBMITTING: it has ended, and nobody is told yet */
    bool released;             /* the driver's function will not be called any more */
    struct cushim__stream *on; /* IN_FLIGHT: the stream, with a reference */
    struct cushim__waiter *waiters;
    int fd; /* -1: none */
    void (*notify)(void *user);
    void *notify_user;
    bool notifying; /* a thread is inside of notify() */
    pthread_t notifier;
    struct cushim__error
        *failure;                /* what the driver said of the device when it was asked; or NULL */
    cushim_status status;        /* SETTLED */
    struct cushim__error *error; /* of that status; NULL: there was no memory for it */

    /* Of the thread that schedules, submits or settles. */
    struct cushim__node *op;
    cushim_stream stream; /* SCHEDULED: its own handle */
    cushim_pool pool;     /* the same, or zero */
    uint64_t policy;      /* the same, if the policy spreads; or 0 */
    struct cushim__flight flight;
    struct cushim_output *output;

    struct cushim__watched watched; /* under the lock of the watch */
};

/* A thread that waits for one of several futures, or for all. */
struct cushim__waiter {
    struct cushim__waiter *next; /* in the list of one future */
    struct cushim__wait *wait;
};

struct cushim__wait {
    atomic_uint ended; /* how many futures have ended since the wait began */
    atomic_bool sleeps;
};

struct cushim__future *cushim__future_pin(cushim_future future, const char *call);

/* Lets the stream call the function that ends the future. The stream is pinned. */
cushim_status cushim__future_arm(struct cushim__future *future, struct cushim__stream *stream);

/* How many ends of futures the driver's functions have told, in all threads. */
uint64_t cushim__future_ends(void);

/* Notes that the future has ended, and wakes all that wait. It calls no driver. */
void cushim__future_wake(struct cushim__future *future, bool lost);

/*
 * The same under the lock, which is released while the program's function is called. in_driver: in
 * a thread of the driver.
 */
void cushim__future_tell(struct cushim__future *future, bool lost, bool in_driver);

/*
 * Asks the driver up to so many times whether the stream of a future in flight is done. If the
 * driver says that it has failed, the future has ended and is lost. Called without locks.
 */
void cushim__future_look(struct cushim__future *future, unsigned questions);

/* Which streams were asked in one round: one question for each is enough for all futures on it. */
struct cushim__asked {
    const struct cushim__stream *streams[64]; /* by their address; only to be compared */
};

/*
 * Looks after a future every few milliseconds, with many questions, because a software device may
 * do a piece of its work for each; others are asked for some microseconds. Does nothing if its
 * stream was asked in this round. False if nothing is left to be looked after: the future has
 * ended, or was freed.
 */
bool cushim__future_look_after(struct cushim__future *future, struct cushim__asked *asked);

/*
 * Returns the result of a future, which it settles if it has ended, or CUSHIM_PENDING. Looks after
 * the future before, with so many questions.
 */
cushim_status cushim__future_ask(struct cushim__future *future, unsigned questions,
                                 const char *call);

/* Returns the result of a settled future, whose error becomes the thread's. */
cushim_status cushim__future_result(const struct cushim__future *future);

/* Fails because another thread has freed the future during the call. */
cushim_status cushim__future_fail_freed(const char *call);

enum cushim__future_state cushim__future_state(struct cushim__future *future);

/* Gives a future its result, that of the thread's error if status is one. Under its lock. */
void cushim__future_set(struct cushim__future *future, cushim_status status);

/* Removes what only a future with a handle has: descriptor, function and stream. */
void cushim__future_drop(struct cushim__future *future);

/* The last handle of a future is closed. */
void cushim__future_closed(void *future);

/* Called when a submission has ended: drops a future that a callback has freed meanwhile. */
void cushim__future_drop_late(struct cushim__future *future);

/* Takes what a future keeps until the device is done, to be ended without the lock. Under it. */
struct cushim__flight cushim__future_take_kept(struct cushim__future *future);

#endif
