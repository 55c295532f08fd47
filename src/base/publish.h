/* SPDX-License-Identifier: MIT */
/*
 * A pointer to data that never changes after it is published, for readers where each instruction
 * counts. gcc merges the address of the pointer into these loads, which it does not do for those of
 * stdatomic.h.
 */
#ifndef CUSHIM_BASE_PUBLISH_H
#define CUSHIM_BASE_PUBLISH_H

#define CUSHIM__PUBLISHED(pointer)      __atomic_load_n(&(pointer), __ATOMIC_ACQUIRE)
#define CUSHIM__PUBLISH(pointer, value) __atomic_store_n(&(pointer), value, __ATOMIC_RELEASE)

/*
 * For a variable that is read with CUSHIM__PUBLISHED() on a hot path. Without this attribute the
 * compiler loads its address from the global offset table, even with -fvisibility=hidden.
 */
#define CUSHIM__HIDDEN __attribute__((visibility("hidden")))

#endif
