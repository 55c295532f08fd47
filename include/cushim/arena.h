/* SPDX-License-Identifier: MIT */
/*
 * Arenas: memory for what is allocated while a stream records for a graph (graph.h).
 *
 * A slice that is made on a recorder is a part of the arena of the recording. It has its address at
 * once, and keeps it, so the graph has no nodes that allocate: a launch costs nothing for memory. A
 * slice that is freed in the recording leaves its place to later ones, and the order of the work
 * says that the later one waits for the earlier one. (Where the program makes the order by hand, it
 * has to name what used the place before.)
 *
 *     CUSHIM_TRY(cushim_capture_begin(context, &recorder));
 *     CUSHIM_TRY(cushim_slice_alloc(recorder, CUSHIM_ELEMENT(float), n, &between));
 *     CUSHIM_TRY(cushim_launch(recorder, first, ..., CUSHIM_IN(x), CUSHIM_INOUT(between)));
 *     CUSHIM_TRY(cushim_launch(recorder, second, ..., CUSHIM_IN(between), CUSHIM_INOUT(y)));
 *     cushim_slice_free(&between);
 *     CUSHIM_TRY(cushim_capture_end(&recorder, &graph));
 *
 * A recording without an arena gets one of its own when it first allocates, and a larger one
 * besides whenever the last one is full. Graphs that never run at the same time may share one, so
 * that together they need the memory of the largest:
 *
 *     CUSHIM_TRY(cushim_arena_new(context, NULL, &arena));
 *     for (int i = 0; i < n_shapes; i++) {
 *         const struct cushim_capture_params *params = cushim_capture_params(.arena = arena);
 *
 *         CUSHIM_TRY(cushim_capture_begin_with(context, params, &recorder));
 *         CUSHIM_TRY(record_model(recorder, shapes[i]));
 *         CUSHIM_TRY(cushim_capture_end(&recorder, &graphs[i]));
 *     }
 *
 * Graphs that use the same bytes wait for each other, on whatever streams they are launched. The
 * same calls get the same addresses, if nothing else allocates from the arena meanwhile.
 *
 * A slice that still lives when its recording has ended is a slice as any other: streams read and
 * write it, and nothing else is put in its place before it is freed. But a launch of a graph writes
 * all that its recording has written, also where a recording that came later has put a slice. So
 * read such a slice before an earlier graph of the same arena is launched again; or make it before
 * the recording, on a stream: then it is in no arena.
 *
 * An arena takes addresses for .limit bytes, and memory as it needs it, in steps of the driver (2
 * MiB on most devices). It gives none back before its end: it lives as long as its handle, the
 * graphs that use it, and its slices. Freeing the last of them waits for the work that uses it.
 * Every slice takes a multiple of 512 bytes. Kernels of other devices cannot use the memory, and it
 * cannot be shared with other processes or taken over by cushim_slice_leak().
 *
 * A dry run tells how much memory is needed: recordings with an arena that has .dry_run get
 * addresses as those of another one, but all of them lead to the same few bytes. Such a graph can
 * be ended, but not launched, and a slice of it is good for recordings with this arena alone. Then
 * the peak is the size that an arena for the same calls needs:
 *
 *     CUSHIM_TRY(cushim_arena_new(context, cushim_arena_params(.dry_run = 1), &dry));
 *     ...                                            record all shapes
 *     CUSHIM_TRY(cushim_arena_stats(dry, NULL, NULL, NULL, &peak));
 *     cushim_arena_free(&dry);
 *     params = cushim_arena_params(.bytes = peak, .limit = peak);
 *     CUSHIM_TRY(cushim_arena_new(context, params, &arena));
 *
 * On a device that cannot map memory (CUDA calls this virtual memory management) an arena does not
 * grow: it has .bytes from the beginning, and cannot be made without. There are no dry runs there,
 * and a recording without an arena cannot allocate: 801 CUDA_ERROR_NOT_SUPPORTED.
 *
 * All functions are thread-safe; see object.h.
 */
#ifndef CUSHIM_ARENA_H
#define CUSHIM_ARENA_H

#include <cushim/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An arena. Freed by cushim_arena_free(); graphs and slices that have parts of it keep it. */
CUSHIM__HANDLE(cushim_arena, cushim_arena_free)

/** Parameters of cushim_arena_new(). A field that is zero selects its default. */
struct cushim_arena_params {
    size_t size; /* sizeof the structure; the macro sets it */
    /** How many bytes of memory the arena has from the beginning. By default it has none. */
    size_t bytes;
    /**
     * How many bytes it may grow to. By default as many as the device has. The addresses of all
     * arenas of a process are at most 128 TiB on most machines.
     */
    size_t limit;
    /** If not 0, the arena is for dry runs. */
    int dry_run;
    /** The arena's label in messages, or NULL. The text is copied. */
    const char *label;
};

/** Writes the parameters in place. */
#define cushim_arena_params(...) CUSHIM__IN_PLACE(cushim_arena_params, __VA_ARGS__)

/**
 * Makes an arena in the memory of the context's device. params may be NULL. The caller frees the
 * arena with cushim_arena_free(). The result is 2 CUDA_ERROR_OUT_OF_MEMORY if the device has less
 * than .bytes of memory, or the process has no more addresses; CUSHIM_ERROR_INVALID_ARGUMENT if
 * .limit is less than .bytes; and 801 CUDA_ERROR_NOT_SUPPORTED if the device cannot map memory, and
 * .bytes is 0 or this is for dry runs.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_arena_new(cushim_context context,
                                                         const struct cushim_arena_params *params,
                                                         cushim_arena *ret_arena);

/**
 * Returns how many bytes the arena has addresses for, how many bytes of memory it has, how many its
 * slices take now, and how many the arena needed at most: as many as an arena must have for the
 * same calls. Each pointer may be NULL.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_arena_stats(cushim_arena arena, size_t *ret_limit,
                                                           size_t *ret_bytes, size_t *ret_used,
                                                           size_t *ret_peak);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_arena_new(...)  (cushim_source_location(CUSHIM_HERE), cushim_arena_new(__VA_ARGS__))
#define cushim_arena_free(...) (cushim_source_location(CUSHIM_HERE), cushim_arena_free(__VA_ARGS__))
#define cushim_arena_retain(...)                                                                   \
    (cushim_source_location(CUSHIM_HERE), cushim_arena_retain(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
