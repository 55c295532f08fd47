/* SPDX-License-Identifier: MIT */
/* Waking those who wait for futures: threads, descriptors and functions. */
#include <cushim/future.h>

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "async/watch.h"
#include "base/word.h"

/*
 * Called with the lock, which it releases while it calls the function. In a thread of the driver
 * the function must not use it.
 */
static void call_notify(struct cushim__future *future, bool in_driver)
{
    void (*notify)(void *user) = TAKE_PTR(future->notify);
    const bool is_inside = future->notifying; /* then the function itself has set the next one */

    if (!notify)
        return;
    future->notifying = true;
    future->notifier = pthread_self();
    cushim__mutex_unlock(&future->lock);
    if (in_driver)
        cushim__host_function_begin();
    notify(future->notify_user);
    if (in_driver)
        cushim__host_function_end();
    cushim__mutex_lock(&future->lock);
    future->notifying = is_inside;
    cushim__condition_tell(&future->changed);
}

/* Makes the descriptor readable, and it stays so. */
static void raise(int fd)
{
    const uint64_t one = 1;

    while (fd >= 0 && write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

static void wake_thread(struct cushim__wait *wait)
{
    atomic_fetch_add(&wait->ended, 1);
    if (atomic_load(&wait->sleeps))
        cushim__word_wake(&wait->ended, 1);
}

/*
 * While it is being submitted the future has no result, and who is told would ask in vain: the
 * submission tells it at its end.
 */
void cushim__future_tell(struct cushim__future *future, bool lost, bool in_driver)
{
    if (future->state == CUSHIM__FUTURE_SUBMITTING) {
        atomic_store(&future->lost, lost);
        future->ended_early = true;
    } else if (!atomic_load(&future->ended)) {
        atomic_store(&future->lost, lost);
        atomic_store(&future->ended, true);
        for (struct cushim__waiter *w = future->waiters; w; w = w->next)
            wake_thread(w->wait);
        raise(future->fd);
        call_notify(future, in_driver);
    }
}

void cushim__future_wake(struct cushim__future *future, bool lost)
{
    cushim__mutex_lock(&future->lock);
    cushim__future_tell(future, lost, false);
    cushim__mutex_unlock(&future->lock);
}

static bool is_in_flight(const struct cushim__future *future)
{
    return future->state == CUSHIM__FUTURE_IN_FLIGHT && !atomic_load(&future->ended);
}

int cushim_future_fd(cushim_future handle)
{
    struct cushim__future *future = cushim__future_pin(handle, __func__);
    bool watch;
    int fd;

    if (!future)
        return -1;
    cushim__mutex_lock(&future->lock);
    if (future->fd < 0) {
        future->fd = eventfd(atomic_load(&future->ended), EFD_CLOEXEC | EFD_NONBLOCK);
        if (future->fd < 0)
            cushim__fail(CUSHIM_ERROR_SYSTEM, "%s: no descriptor: %s", __func__, strerror(errno));
    }
    fd = future->fd;
    watch = fd >= 0 && is_in_flight(future);
    cushim__mutex_unlock(&future->lock);
    if (watch)
        cushim__watch(future);
    cushim__handle_unpin(handle.id);
    return fd;
}

cushim_status cushim_future_notify(cushim_future handle, void (*notify)(void *user), void *user)
{
    struct cushim__future *future = cushim__future_pin(handle, __func__);
    cushim_status status;
    bool watch;

    if (!future)
        return cushim__error()->status;
    cushim__mutex_lock(&future->lock);
    future->notify = NULL;
    while (future->notifying && !pthread_equal(future->notifier, pthread_self()))
        cushim__condition_wait(&future->changed, &future->lock);
    if (future->dropped) {
        cushim__mutex_unlock(&future->lock);
        status = cushim__future_fail_freed(__func__);
        cushim__handle_unpin(handle.id);
        return status;
    }
    future->notify = notify;
    future->notify_user = user;
    if (atomic_load(&future->ended))
        call_notify(future, false);
    watch = notify && is_in_flight(future);
    cushim__mutex_unlock(&future->lock);
    if (watch)
        cushim__watch(future);
    cushim__handle_unpin(handle.id);
    return CUSHIM_OK;
}
