/* SPDX-License-Identifier: MIT */
/*
 * A pointer to data that never changes once it is published, read by code where every
 * instruction counts. (gcc folds the address of the pointer into these loads, and not
 * into those of stdatomic.h.)
 */
#ifndef CUSHIM_BASE_PUBLISH_H
#define CUSHIM_BASE_PUBLISH_H

#define CUSHIM__PUBLISHED(pointer)      __atomic_load_n(&(pointer), __ATOMIC_ACQUIRE)
#define CUSHIM__PUBLISH(pointer, value) __atomic_store_n(&(pointer), value, __ATOMIC_RELEASE)

/*
 * For a variable of the library that such code reads: without it, -fvisibility=hidden or
 * not, the compiler goes through the global offset table.
 */
#define CUSHIM__HIDDEN __attribute__((visibility("hidden")))

#endif
