/* SPDX-License-Identifier: MIT */
/*
 * Functions of the program that a stream calls. A context keeps a list of those that the device has
 * not called yet, because it has to wait for them before it is destroyed. Thread-safe: the
 * context's pool lock protects the list.
 */
#ifndef CUSHIM_CORE_OBJECT_HOST_CALL_H
#define CUSHIM_CORE_OBJECT_HOST_CALL_H

#include "core/object/scope.h"

/* A function of the program that a stream will call. */
struct cushim__host_call {
    struct cushim__host_call *next, **link;
    struct cushim__context *context;
    void (*function)(void *user);
    void (*release)(void *user); /* of user, exactly once; or NULL */
    void *user;
    bool is_recorded;                   /* part of a graph: made by every launch of it */
    struct cushim__host_call *recorded; /* the graph's next one */
};

/* For cuLaunchHostFunc(): makes the call, and frees it unless it is recorded. */
void cushim__host_call_make(void *host_call);

void cushim__host_call_add(struct cushim__context *context, struct cushim__host_call *host_call);

/* Frees it without calling; releases its user. */
void cushim__host_call_drop(struct cushim__host_call *host_call);

/* Are there any that the device has not called yet? */
bool cushim__host_calls_pending(struct cushim__context *context);

#endif
