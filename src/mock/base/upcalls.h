/* SPDX-License-Identifier: MIT */
/*
 * Upcalls: calls from a folder of the mock to later folders. exports/upcalls.c has the list of the
 * functions. So this folder can, for example, create a context without knowing streams. Callers
 * hold the lock.
 */
#ifndef CUSHIM_MOCK_BASE_UPCALLS_H
#define CUSHIM_MOCK_BASE_UPCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mock/functions.h"

struct mock__clock;
struct mock__config;
struct mock__context;
struct mock__memory;
struct mock__module;
struct mock__stream;
struct mock__work;

struct mock__upcalls {
    /* cuInit(): the devices are known. */
    void (*start)(const struct mock__config *config);

    /* A context begins: makes its default streams. False if there is no memory. */
    bool (*context_begin)(struct mock__context *context);
    /* A context ends: destroys all that lives in it. */
    void (*context_end)(struct mock__context *context);
    /* A module is unloaded: destroys its texture references. */
    void (*module_end)(const struct mock__module *module);

    /* All work is done: memory pools free what they need not keep. */
    void (*idle)(void);
    /* Work that waited for the host is done, and freed: what it held up may be watched. */
    void (*watch)(uintptr_t ended);
    /* Watched work is submitted; and is done, or is not submitted after all. */
    void (*watch_submitted)(const struct mock__work *work);
    void (*watch_end)(const struct mock__work *work);
    /*
     * The host knows, or may know from a message, that the work before the clock is done. It knew
     * this already of the work before `before`.
     */
    void (*host_knows)(const struct mock__clock *clock, const struct mock__clock *before);
    /* Tells whether work of the slot is watched for which the host has not waited. */
    bool (*slot_watched)(unsigned slot);
    /* The kernel that runs, if one does. For a signal handler as well. */
    const struct mock__work *(*kernel_running)(void);
    /* Findings are asked for: those that are only noted become findings now. */
    void (*findings_asked)(void);
    void (*find_leaks)(void);

    /* Memory of the host, for the program and for the mock, which may be the same. */
    bool (*host_map)(size_t bytes, uint64_t *ret_address, unsigned char **ret_host);
    void (*host_unmap)(const struct mock__memory *memory);
    /* The program has registered memory, which it may unmap at any time; or unregisters it. */
    void (*registered)(const struct mock__memory *memory);
    void (*unregistered)(const struct mock__memory *memory);
    /* A driver function begins: the addresses of such memory that is unmapped are reserved. */
    void (*entered)(void);
    /*
     * Surround what is done for work, which may use such memory. any_memory is that of the work's
     * type.
     */
    void (*guard_begin)(bool any_memory);
    void (*guard_end)(const struct mock__work *work);
    /* What a range was used for is forgotten. */
    void (*memory_forget)(struct mock__memory *memory);

    /* Work that allocates and frees, for streams that capture. */
    CUresult (*alloc_work)(struct mock__context *context, size_t bytes,
                           struct mock__work **ret_work, CUdeviceptr *ret_address);
    CUresult (*free_work)(CUgraph graph, CUdeviceptr address, struct mock__work **ret_work);
    /* A kernel that was captured has the priority of its stream, unless it says another. */
    CUresult (*kernel_priority)(struct mock__work *work, int priority);
    /* The address of the value of a conditional node's handle, for a kernel of a graph; or 0. */
    uint64_t (*condition_address)(const struct mock__work *work, uint64_t handle);
    /* In a child of fork(): the work of its parent is forgotten. */
    void (*forked)(void);
};

extern const struct mock__upcalls mock__upcalls;

#endif
