/* SPDX-License-Identifier: MIT */
/*
 * Host calls: functions of the program that a stream calls. A context keeps a list of the calls
 * that the device has not made yet, because it must wait for them before it is destroyed.
 * Thread-safe: the context's pool lock protects the list.
 */
#ifndef CUSHIM_CORE_OBJECT_HOST_CALL_H
#define CUSHIM_CORE_OBJECT_HOST_CALL_H

#include "core/object/scope.h"

/* One function that a stream will call. */
struct cushim__host_call {
    struct cushim__host_call *next, **link;
    struct cushim__context *context;
    void (*function)(void *user);
    void (*release)(void *user); /* called exactly once with user; or NULL */
    void *user;
    bool is_recorded; /* part of a graph: every launch makes the call */
    /*
     * NULL: the call is freed at its end. Otherwise this is the last that is called, and the
     * functions are cushim's own: they mark themselves where they call the program's
     * (cushim__host_function_begin()). Such a call is never recorded.
     */
    void (*end)(struct cushim__host_call *host_call);
    bool is_made; /* with an end: the driver makes the call now */
};

/* The function for cuLaunchHostFunc(): makes the call, and ends it unless it is recorded. */
void cushim__host_call_make(void *host_call);

void cushim__host_call_add(struct cushim__context *context, struct cushim__host_call *host_call);

/* Ends a call without making it: calls release() for its user data, and frees it. */
void cushim__host_call_drop(struct cushim__host_call *host_call);

/* Tells whether there are calls that the device has not made yet. */
bool cushim__host_calls_pending(struct cushim__context *context);

#endif
