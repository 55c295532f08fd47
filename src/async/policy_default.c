/* SPDX-License-Identifier: MIT */
/* The default policies of the process and of threads. */
#include <pthread.h>
#include <stdlib.h>

#include <cushim/driver.h>

#include "async/policy.h"
#include "base/fork.h"
#include "base/status.h"
#include "core/object/handle_words.h"
#include "core/object/scope.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CUSHIM__OPEN_IN_CHILD(lock);

/* Under the lock: a handle of our own, or 0. */
static uint64_t of_process;

/* --- threads --- */

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

/* The value of the key is the handle, in memory of its own. It is freed when the thread ends. */
static void free_of_thread(void *value)
{
    uint64_t *id = value;

    cushim__object_close(id, CUSHIM__HANDLE_POLICY, "cushim_policy_set_thread_default");
    free(id);
}

static void make_key(void)
{
    pthread_key_create(&key, free_of_thread);
}

static uint64_t *of_thread(void)
{
    pthread_once(&key_once, make_key);
    return pthread_getspecific(key);
}

/* --- the process's own --- */

/*
 * The policy keeps the driver open. Neither seems to be left when the program closes its own handle
 * of the driver, nor do they hide what is.
 */
static void keep_driver(cushim_policy policy, cushim_driver driver)
{
    struct cushim__policy *object = cushim__handle_pin(policy.id, CUSHIM__HANDLE_POLICY, NULL);

    object->driver = driver;
    cushim__handle_unpin(policy.id);
    cushim__handle_made_at(driver.id, CUSHIM__PLACE_KEPT);
    cushim__handle_made_at(policy.id, CUSHIM__PLACE_KEPT);
}

/* Makes the policy that a process has if it sets none. */
static cushim_status make(cushim_policy *ret_policy)
{
    cushim_driver driver = CUSHIM_NONE;
    cushim_context context = CUSHIM_NONE;
    cushim_status status;

    CUSHIM_TRY(cushim_open(NULL, &driver));
    status = cushim_context_primary(driver, 0, &context);
    if (!status)
        status = cushim_policy_round_robin(context, NULL, ret_policy);
    cushim_context_free(&context);
    if (status)
        cushim_close(&driver);
    else
        keep_driver(*ret_policy, driver);
    return status;
}

/* Makes another handle of a policy. */
static cushim_status retain(uint64_t id, const char *call, uint64_t *ret_id)
{
    cushim_status status;

    if (!cushim__handle_pin(id, CUSHIM__HANDLE_POLICY, call))
        return cushim__error()->status;
    status = cushim__handle_retain(id, call, ret_id);
    cushim__handle_unpin(id);
    return status;
}

/* The same for a default, which nobody has to free. */
static cushim_status keep(uint64_t id, const char *call, uint64_t *ret_id)
{
    CUSHIM_TRY(retain(id, call, ret_id));
    cushim__handle_made_at(*ret_id, CUSHIM__PLACE_KEPT);
    return CUSHIM_OK;
}

/* Returns another handle of the process's policy, or 0 if it has none. */
static cushim_status get(uint64_t *ret_id)
{
    cushim_status status = CUSHIM_OK;

    *ret_id = 0;
    pthread_mutex_lock(&lock);
    if (of_process)
        status = retain(of_process, "cushim_policy_default", ret_id);
    pthread_mutex_unlock(&lock);
    return status;
}

/* Sets the process's policy if it has none. Returns what it has then, and frees the other one. */
static cushim_status offer(cushim_policy made, uint64_t *ret_id)
{
    cushim_status status;

    pthread_mutex_lock(&lock);
    if (!of_process) {
        of_process = made.id;
        made.id = 0;
    }
    status = retain(of_process, "cushim_policy_default", ret_id);
    pthread_mutex_unlock(&lock);
    cushim_policy_free(&made);
    return status;
}

/* Two threads may make one at the same time; no lock is held, because that takes long. */
cushim_status cushim_policy_default(cushim_policy *ret_policy)
{
    const char *place = cushim__handle_source_location(NULL);
    const uint64_t *of_this = of_thread();
    cushim_policy made = CUSHIM_NONE;
    uint64_t id = 0;

    CHECK_OUTPUT(ret_policy);
    CUSHIM_TRY(cushim__check_no_callback(__func__));
    if (of_this && *of_this)
        CUSHIM_TRY(retain(*of_this, __func__, &id));
    else
        CUSHIM_TRY(get(&id));
    if (!id) {
        CUSHIM_TRY(make(&made));
        CUSHIM_TRY(offer(made, &id));
    }
    cushim__handle_made_at(id, place);
    ret_policy->id = id;
    return CUSHIM_OK;
}

cushim_status cushim_policy_set_default(cushim_policy policy)
{
    uint64_t id = 0, before;

    if (policy.id)
        CUSHIM_TRY(keep(policy.id, __func__, &id));
    pthread_mutex_lock(&lock);
    before = of_process;
    of_process = id;
    pthread_mutex_unlock(&lock);
    cushim__object_close(&before, CUSHIM__HANDLE_POLICY, __func__);
    return CUSHIM_OK;
}

cushim_status cushim_policy_set_thread_default(cushim_policy policy)
{
    uint64_t *of_this = of_thread(), id = 0, before;

    if (policy.id)
        CUSHIM_TRY(keep(policy.id, __func__, &id));
    if (!of_this && id) {
        of_this = calloc(1, sizeof(*of_this));
        if (!of_this || pthread_setspecific(key, of_this)) {
            free(of_this);
            cushim__object_close(&id, CUSHIM__HANDLE_POLICY, __func__);
            return cushim__fail(CUSHIM_ERROR_NO_MEMORY, "no memory for the thread's policy");
        }
    }
    if (of_this) {
        /* The release() of a policy may set another one. */
        before = *of_this;
        *of_this = id;
        cushim__object_close(&before, CUSHIM__HANDLE_POLICY, __func__);
    }
    return CUSHIM_OK;
}
