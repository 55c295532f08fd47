/* SPDX-License-Identifier: MIT */
#include "mock/check/segv.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/util.h"

static mock__segv_fn *_Atomic functions[2];
static pid_t process;
static struct sigaction before; /* the previous handler of the signal */
static atomic_bool was_called;  /* the previous handler */

static struct mock__segv describe(const siginfo_t *info, const ucontext_t *context)
{
    struct mock__segv segv = {.address = (uintptr_t) info->si_addr,
                              .is_there = info->si_code != SEGV_MAPERR,
                              .reads = true,
                              .writes = true,
                              .of_another_process = getpid() != process};

#ifdef __x86_64__
    segv.writes = context->uc_mcontext.gregs[REG_ERR] & 2;
    segv.reads = !segv.writes;
#else
    (void) context;
#endif
    return segv;
}

static bool met(const struct mock__segv *segv)
{
    for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
        mock__segv_fn *fn = atomic_load(&functions[i]);

        if (fn && fn(segv))
            return true;
    }
    return false;
}

static bool has_handler(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO ||
           (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

/*
 * Passes a fault that none of the functions has handled to the previous handler. The signals that
 * it wants blocked are blocked already, because this handler was installed with the same ones.
 */
static void pass_on(int signal_number, siginfo_t *info, void *context)
{
    const bool again = before.sa_flags & (int) SA_RESETHAND && atomic_exchange(&was_called, true);

    if (has_handler(&before) && !again) {
        if (before.sa_flags & SA_SIGINFO)
            before.sa_sigaction(signal_number, info, context);
        else
            before.sa_handler(signal_number);
        return;
    }
    /* A signal that was sent by kill() does not come again by itself. */
    if (info->si_code <= 0 && before.sa_handler == SIG_IGN)
        return;
    signal(signal_number, SIG_DFL);
    if (info->si_code <= 0)
        raise(signal_number);
}

static void handle(int signal_number, siginfo_t *info, void *context)
{
    const struct mock__segv segv = describe(info, context);
    const int error = errno;

    if (info->si_code <= 0 || !met(&segv))
        pass_on(signal_number, info, context);
    errno = error;
}

/*
 * The system makes the same of the signal as it would for the previous handler: which signals are
 * blocked meanwhile, which stack is used, and whether a system call goes on. SA_RESETHAND is not
 * among that, because the previous handler alone is called once.
 */
static bool install(void)
{
    static bool there;
    const int same = SA_ONSTACK | SA_RESTART | SA_NODEFER;
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    if (there)
        return true;
    process = getpid();
    if (sigaction(SIGSEGV, NULL, &before))
        return false;
    sigemptyset(&action.sa_mask);
    if (has_handler(&before)) {
        action.sa_flags = SA_SIGINFO | (before.sa_flags & same);
        action.sa_mask = before.sa_mask;
    }
    there = !sigaction(SIGSEGV, &action, NULL);
    return there;
}

bool mock__segv_ask(mock__segv_fn *fn)
{
    for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
        mock__segv_fn *none = NULL;

        if (atomic_compare_exchange_strong(&functions[i], &none, fn) || none == fn)
            return install();
    }
    return false;
}
