/* SPDX-License-Identifier: MIT */
/*
 * Freed memory that a context keeps.
 *
 * A slice that is freed does not give its memory back to the driver at once. The context keeps it,
 * and gives it to the next allocation of exactly the same number of bytes: on the same stream
 * without any call of the driver, and on another stream after a wait for the last work that used
 * it. So a loop that allocates and frees costs little. Only memory of slices that cushim allocated
 * is kept, not pinned, unified or adopted memory.
 *
 * Each context keeps up to CUSHIM_MEMORY_LIMIT bytes, unless cushim_memory_set_limit() says
 * otherwise. When these are full, a slice that is freed replaces kept memory of other sizes. When
 * an allocation of a slice fails because the device has no memory left, the kept memory of the
 * context is freed, and the allocation is tried again. Other users of the device do not see the
 * kept memory as free. Freeing the last handle of the context frees all of it.
 *
 * Nothing is kept on a driver that looks for mistakes in the use of memory, such as the mock
 * (mock.h), unless its checks are off: it would not see a use of freed memory.
 *
 * All functions are thread-safe.
 */
#ifndef CUSHIM_MEMORY_H
#define CUSHIM_MEMORY_H

#include <cushim/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How many bytes of freed memory a new context keeps at most: 256 MiB. */
#define CUSHIM_MEMORY_LIMIT ((size_t) 256 << 20)

/**
 * Sets how many bytes of freed memory the context keeps at most. Frees kept memory beyond that now.
 * With 0, nothing is kept.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_memory_set_limit(cushim_context context,
                                                                size_t max_bytes);

/**
 * Frees kept memory until at most max_bytes are left. Memory that is freed later is kept again, up
 * to the limit of cushim_memory_set_limit(). Work of the device may still use the memory; it is
 * freed in the order of its stream.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_memory_trim(cushim_context context,
                                                           size_t max_bytes);

/**
 * Returns how many bytes of freed memory the context keeps now, how many allocations of slices it
 * has made, and how many of these got kept memory. Each pointer may be NULL.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_memory_stats(cushim_context context,
                                                            size_t *ret_bytes,
                                                            uint64_t *ret_allocated,
                                                            uint64_t *ret_reused);

#ifdef __cplusplus
}
#endif

#endif
