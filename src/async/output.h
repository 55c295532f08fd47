/* SPDX-License-Identifier: MIT */
/*
 * Outputs of operations. An output counts its references, because all readers of a shared operation
 * have the same one. NULL is the output that is nothing.
 */
#ifndef CUSHIM_ASYNC_OUTPUT_H
#define CUSHIM_ASYNC_OUTPUT_H

#include <stdatomic.h>
#include <stdbool.h>

#include <cushim/op.h>

struct cushim_output {
    atomic_uint references;
    atomic_uint shares; /* how many shared operations give it: if there are any, it is only read */
    enum cushim_output_kind kind;
    bool taken;                   /* the program has taken what was in it */
    struct cushim_tiling *tiling; /* of memory that is divided into tiles; or NULL */
    union {
        cushim_view view; /* SLICE, MEMORY: the handle is the output's own */
        struct {
            void *pointer;
            void (*release)(void *data);
        } data;
        struct {
            size_t n, depth;              /* lists in lists: 1 if there is none in it */
            struct cushim_output **items; /* each with a reference, or NULL */
        } list;
    } u;
};

/*
 * Make an output with one reference. NULL when out of memory; then the thread's error says so, and
 * what was given still belongs to the caller. An output of memory takes over the handle in the
 * view.
 */
struct cushim_output *cushim__output_memory(enum cushim_output_kind kind, cushim_view view);
struct cushim_output *cushim__output_data(void *pointer, void (*release)(void *data));

/* Makes a list of n outputs that are nothing yet. */
struct cushim_output *cushim__output_list(size_t n);

static inline struct cushim_output *cushim__output_ref(struct cushim_output *output)
{
    if (output)
        atomic_fetch_add_explicit(&output->references, 1, memory_order_relaxed);
    return output;
}

/* Drops a reference, and sets *output to NULL. The last one frees what is in the output. */
void cushim__output_unref(struct cushim_output **output);

/* Frees the memory in an output that is not shared, and leaves data of the host. */
void cushim__output_free_memory(struct cushim_output **output);

/* Note that a shared operation gives the output, and that it does so no longer. */
void cushim__output_share(struct cushim_output *output);
void cushim__output_unshare(struct cushim_output *output);

/* Tells whether anybody but its owner has the output, or one that is in it. */
bool cushim__output_has_readers(const struct cushim_output *output);

static inline bool cushim__output_is_shared(const struct cushim_output *output)
{
    return output && atomic_load_explicit(&output->shares, memory_order_acquire);
}

/*
 * Moves what is in an output to a new one, or returns another reference if it is shared. NULL when
 * out of memory, or if it was taken before, with the thread's error; then nothing has changed.
 */
struct cushim_output *cushim__output_move(struct cushim_output *output, const char *call);

/*
 * Finds the memory of an output: itself, or the only memory of a list. NULL, and an error of
 * `call`, if there is none, or more than one piece.
 */
struct cushim_output *cushim__output_find_memory(struct cushim_output *output, const char *call);

/* The same, takes the memory out of the output, and drops the rest, also if it fails. */
struct cushim_output *cushim__output_take_memory(struct cushim_output **output, const char *call);

/* Takes one output out of a list, and drops the others. If it fails, it drops the list. */
cushim_status cushim__output_take_item(struct cushim_output **list, size_t index,
                                       struct cushim_output **ret_item);

#endif
