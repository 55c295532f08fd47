/* SPDX-License-Identifier: MIT */
/*
 * Fat binaries: PTX texts and machine code for several devices in one, as nvcc, fatbinary and
 * the programs that they build have them. Texts may be compressed: with LZ4, as CUDA before
 * version 13 does, and with Zstandard, for which libzstd.so.1 is opened when it is needed.
 * Nothing here is shared between threads but that library, which is opened once.
 */
#ifndef CUSHIM_MOCK_PTX_CONTAINER_FATBIN_H
#define CUSHIM_MOCK_PTX_CONTAINER_FATBIN_H

#include <stdbool.h>
#include <stddef.h>

#include "mock/ptx/link/read.h"

/*
 * Of these, no more bytes are read than say what it is. size: SIZE_MAX if it is not known, as of
 * an image in the program's memory.
 */
bool ptx__is_elf(const void *image, size_t size);

/*
 * A fat binary; or, where the size is not known, the structure of a program that points to one.
 * What is in a file points nowhere.
 */
bool ptx__is_fatbin(const void *image, size_t size);

/*
 * The text for the newest target that a device of a capability such as 90 can run, with an
 * end, to be freed. PTX_MACHINE_CODE if there is none, PTX_NO_TARGET if there are some for other
 * devices, PTX_NO_PTX if the binary is broken. The text is no larger than its header says, and
 * PTX_TOO_LARGE if that is more than so many bytes.
 */
enum ptx__status ptx__fatbin_text(const void *image, size_t size, int capability, size_t most,
                                  char **ret_text);

/*
 * Decompress to exactly as many bytes as are wanted; false if it is broken. What says by itself
 * that it is of another size is not decompressed at all.
 */
bool ptx__lz4(const unsigned char *from, size_t n_from, unsigned char *to, size_t n_to);
bool ptx__zstd(const unsigned char *from, size_t n_from, unsigned char *to, size_t n_to);

/* Is there a libzstd? */
bool ptx__has_zstd(void);

#endif
