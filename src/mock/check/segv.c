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

/* Passes a fault that none of the functions has handled to the previous handler. */
static void pass_on(int signal_number, siginfo_t *info, void *context)
{
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(signal_number, info, context);
        return;
    }
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
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

static bool install(void)
{
    static bool there;
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    if (there)
        return true;
    process = getpid();
    sigemptyset(&action.sa_mask);
    there = !sigaction(SIGSEGV, &action, &before);
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
