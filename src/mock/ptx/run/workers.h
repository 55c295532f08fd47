/* SPDX-License-Identifier: MIT */
/*
 * The threads that run a launch together with the one that asks for it. They are kept for the next
 * launch, and end when there was none for a second. Launches of several threads may run at the same
 * time. In a child of fork() there are none, and new ones are made.
 */
#ifndef CUSHIM_MOCK_PTX_RUN_WORKERS_H
#define CUSHIM_MOCK_PTX_RUN_WORKERS_H

/* A function, with what it is called with: in the thread that asks, and in all others. */
struct ptx__work {
    void (*first)(void *user);
    void (*further)(void *user);
    void *user;
};

/*
 * Calls the first function here, and the further one in at most n other threads, each once; fewer
 * if one of all these calls returns before they begin, or if no thread can be made. Returns when
 * all that were called have returned. A further thread runs on the same processors as this one, and
 * rounds as it does; it takes no signals of the process.
 */
void ptx__workers_run(const struct ptx__work *work, unsigned n);

#endif
