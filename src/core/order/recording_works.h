/* SPDX-License-Identifier: MIT */
/*
 * What the files of a recording share. recording.c begins and ends them, recording_body.c those of
 * the bodies of conditional nodes. recording_order.c finds what work comes after, and
 * recording_memory.c keeps which work used which memory last. recording_works.c has what is known
 * of each work, and recording_hand.c the order by hand. recording_submit.c also lets all branches
 * come together.
 *
 * A search collects the works that new work comes after: struct cushim__recording, found. Each work
 * is added once. All functions are called under the stream lock, and return false when out of
 * memory.
 */
#ifndef CUSHIM_CORE_ORDER_RECORDING_WORKS_H
#define CUSHIM_CORE_ORDER_RECORDING_WORKS_H

#include "core/order/recording.h"

/* What the driver says of the capture. */
struct cushim__capture {
    int status;
    CUgraph graph;
    const CUgraphNode *nodes; /* what the next node comes after */
    size_t n;
};

cushim_status cushim__capture_ask(const struct cushim__scope *scope,
                                  const struct cushim__recording *recording,
                                  struct cushim__capture *ret_capture);

/*
 * Counts a recording that begins. While a stream records, a wait for the whole context is refused,
 * and the other way round: the driver would give up the recording. Forget is called when the driver
 * has ended the recording.
 */
cushim_status cushim__recording_count(const struct cushim__scope *scope);
void cushim__recording_forget(const struct cushim__scope *scope);

/* Makes a recording with one branch, for the timeline of a stream. NULL when out of memory. */
struct cushim__recording *cushim__recording_new(struct cushim__stream *stream,
                                                const struct cushim__recording_wish *wish);

/* Adds a branch for a timeline. NULL when out of memory. */
struct cushim__branch *cushim__branch_add(struct cushim__recording *recording,
                                          struct cushim__timeline *timeline);

/* Under the stream lock, or before another thread knows the timeline. */
void cushim__branch_set(struct cushim__timeline *timeline, struct cushim__branch *branch);

/*
 * Takes the recording from its recorders, which cannot be used any more. A stream of the program
 * that has recorded can. Under the stream lock. The caller ends the capture, and then calls
 * cushim__recording_forget().
 */
void cushim__recording_detach(struct cushim__recording *recording);

/*
 * Ends the capture of a recording that was detached. The CUstream of its recorder is then kept for
 * the next recording, unless the program has it. Under the stream lock.
 */
cushim_status cushim__recording_end_capture(const struct cushim__scope *scope,
                                            const struct cushim__recording *recording,
                                            CUgraph *ret_graph);

/*
 * Ends the capture of a recording, and of the bodies in it, without a graph. *ret_graph is what the
 * caller destroys, or NULL. Under the stream lock.
 */
void cushim__recording_give_up(const struct cushim__scope *scope,
                               struct cushim__recording *recording, CUgraph *ret_graph);

/* In a strict mode only the thread that began a recording may end it. */
bool cushim__recording_may_end(const struct cushim__recording *recording);

/* Fails while bodies of a conditional node are recorded. */
cushim_status cushim__recording_check_bodies(const struct cushim__scope *scope,
                                             const struct cushim__recording *recording);
void cushim__recording_free_bodies(struct cushim__recording *recording);

/* Makes an array at least n items long: *array_of_items is a pointer to its first item. */
bool cushim__grow(void *array_of_items, size_t *max, size_t n, size_t size);
bool cushim__numbers_reserve(struct cushim__numbers *numbers, size_t n);

void cushim__search_begin(struct cushim__recording *recording);
bool cushim__search_add(struct cushim__recording *recording, unsigned number);
bool cushim__search_add_all(struct cushim__recording *recording,
                            const struct cushim__numbers *numbers);

/* Adds what a submission comes after because of its memory. */
bool cushim__search_add_memory(struct cushim__recording *recording,
                               const struct cushim__submission *s);

/* Adds what comes after all that a branch, or every branch, has recorded. */
bool cushim__search_add_branch(struct cushim__branch *branch);
bool cushim__search_add_everything(struct cushim__recording *recording);

/*
 * Order by hand: the found works, which the memory demands, are replaced by those that the program
 * has given for a branch. Fails if these do not come after all that was found.
 */
cushim_status cushim__search_by_hand(const struct cushim__scope *scope,
                                     struct cushim__branch *branch);

/*
 * Order by hand: fails if the conditional node, which is the last work of the outer recording, does
 * not come after all that the memory of a work in its body demands.
 */
cushim_status cushim__check_outer_by_hand(const struct cushim__submission *s,
                                          struct cushim__recording *outer);

/* Work that is submitted now is a node that was added to the graph of the capture. */
cushim_status cushim__recording_add_node(const struct cushim__scope *scope,
                                         const struct cushim__recording *recording,
                                         CUgraphNode node);

/* What a work is, for a sentence. */
enum { CUSHIM__WORK_WORDS = 100 };
void cushim__work_words(const struct cushim__recording *recording, unsigned number,
                        char words[CUSHIM__WORK_WORDS]);

/* Marks what the found works come after as reached. Works with smaller numbers are left alone. */
void cushim__search_reach(struct cushim__recording *recording, unsigned smallest);

/* Leaves out what others of the found works come after. */
void cushim__search_leave_out(struct cushim__recording *recording);

/*
 * The next work of a branch comes after all work of another one, or after the work with a number.
 */
bool cushim__branch_join(struct cushim__branch *branch, struct cushim__branch *other);
bool cushim__branch_after(struct cushim__branch *branch, unsigned number);

/*
 * Makes all that was recorded end in what the CUstream would wait for: the driver demands that at
 * the end of a recording.
 */
cushim_status cushim__recording_come_together(const struct cushim__scope *scope,
                                              struct cushim__recording *recording);

/* Adds what an access comes after to the search, and makes room to note it. */
bool cushim__recorded_memory_find(struct cushim__recording *recording,
                                  const struct cushim__access *access);

/* Notes an access of the last work. There is room for it. */
void cushim__recorded_memory_note(struct cushim__recording *recording,
                                  const struct cushim__access *access);

/*
 * Notes what a submission says of its work, which is the last one, and what memory it uses. False
 * when out of memory.
 */
bool cushim__recorded_work_describe(struct cushim__recording *recording,
                                    const struct cushim__submission *s);

/* Frees the works, with what they keep. The caller holds no lock. */
void cushim__recorded_works_free(struct cushim__recording *recording);

/*
 * Returns all memory that was used, in an array that the caller frees, with room for one more
 * access. NULL when out of memory. The recording holds the buffers.
 */
struct cushim__access *cushim__recorded_memory_list(const struct cushim__recording *recording,
                                                    size_t *ret_n);
void cushim__recorded_memory_free(struct cushim__recording *recording);

#endif
