/* SPDX-License-Identifier: MIT */
/* Policies: the objects of their handles. */
#ifndef CUSHIM_ASYNC_POLICY_H
#define CUSHIM_ASYNC_POLICY_H

#include <cushim/driver.h>
#include <cushim/policy.h>

#include "core/object/object.h"

struct cushim__policy {
    struct cushim__object object; /* its context is NULL */
    cushim_stream *streams;       /* its own handles, taken in turn */
    size_t n;
    atomic_size_t turn;
    cushim_status (*next)(void *user, cushim_stream *ret_stream); /* or the program's function */
    void (*release)(void *user);
    void *user;
    cushim_pool pool;     /* its own handle, or zero */
    cushim_driver driver; /* the same: of the policy that a process has by default */
    bool spread;
};

/*
 * Pins a policy; zero means the default one. Then *ret_id is a handle that the caller closes, and
 * otherwise the given one. NULL, with the thread's error, if it fails.
 */
struct cushim__policy *cushim__policy_pin(uint64_t id, const char *call, uint64_t *ret_id);

/* Ends what cushim__policy_pin() began. given is the handle that it got. */
void cushim__policy_unpin(uint64_t given, uint64_t id);

/* Returns the next stream, and checks it. */
cushim_status cushim__policy_choose(struct cushim__policy *policy, const char *call,
                                    cushim_stream *ret_stream);

#endif
