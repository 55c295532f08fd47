/* SPDX-License-Identifier: MIT */
/* Memory that a step uses: where it is, and bringing it to the device of the step. */
#ifndef CUSHIM_ASYNC_OPERAND_H
#define CUSHIM_ASYNC_OPERAND_H

#include "async/run.h"

/*
 * Takes the memory out of an output, for a step that reads or writes it on run->exec.stream. Memory
 * that an operation has made on another device is copied to the stream's; a shared one, and memory
 * of the program, only for reading. Fails with CUSHIM_ERROR_READ_ONLY if the step writes what is
 * shared. If it fails, the output is dropped.
 */
cushim_status cushim__operand_take(struct cushim__run *run, struct cushim_output **input,
                                   bool write, const char *call, struct cushim_output **ret_memory);

/* Allocates a slice on run->exec.stream from the pool of the run, as an output. */
cushim_status cushim__operand_alloc(struct cushim__run *run, size_t element, size_t length,
                                    struct cushim_output **ret_memory);

/* The size of an element with its type, as CUSHIM_ELEMENT() has it, and the length of a view. */
cushim_status cushim__operand_size(cushim_view view, size_t *ret_element, size_t *ret_length);

#endif
