/* SPDX-License-Identifier: MIT */
/* The contexts of a process that asks, and what was made for the question at hand. */
#ifndef CUSHIM_TESTS_DRIVER_SWEEP_WORLD_H
#define CUSHIM_TESTS_DRIVER_SWEEP_WORLD_H

#include "sweep.h"

/* A module of one kernel, in a file. */
#define IMAGE_FILE "/tmp/sweep.ptx"

/* Writes it. */
void world_write_file(void);

/* Opens the driver. False, with a message, if it cannot be. */
bool world_open(const char *library);

/* Calls cuInit() and makes the primary context of device 0 current. False if that fails. */
bool world_begin(void);
bool world_begun(void);
bool world_has_two_devices(void);

/* The context of device 0 that good objects live in, another one of that device, and the primary
 * one of device 1. */
CUcontext world_context(void);
CUcontext world_other_context(void);
CUcontext world_other_device(void);

/* Sets anew what a call may have changed. */
void world_settle(void);

/* Is everything as it was? A process where it is not must end. */
bool world_is_sound(void);

/* What is called with the handle when the question is over, last in first out. */
void later(void (*destroy)(uint64_t handle), uint64_t handle);
unsigned later_depth(void);
void clean_up_to(unsigned depth);
void clean_up_those_with(void (*destroy)(uint64_t handle));
/* Forgets what would be called with the handle, because the call has destroyed it. */
void forget(uint64_t handle);

/* Zeroed memory of the host that lives until the question is over. */
void *scratch(size_t bytes);
void scratch_reset(void);

/* For makers: notes that the driver refused to make an object. */
bool made(int result);
bool making_failed(void);
void making_begins(void);

/* A kernel of the context meets an illegal address. False if that had no effect. */
bool break_context(void);

#endif
