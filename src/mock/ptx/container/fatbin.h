/* SPDX-License-Identifier: MIT */
/*
 * Fat binaries: PTX texts and machine code for several devices in one file, made by nvcc and
 * fatbinary. Texts may be compressed: with LZ4 by CUDA before version 13, or with Zstandard, for
 * which libzstd.so.1 is opened when it is needed. That library is opened once; nothing else here is
 * shared between threads. The two are in lz4.c and zstd.c.
 */
#ifndef CUSHIM_MOCK_PTX_CONTAINER_FATBIN_H
#define CUSHIM_MOCK_PTX_CONTAINER_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mock/ptx/link/read.h"

/*
 * These read only as many bytes as they need. size is SIZE_MAX if it is not known, as for an image
 * in the program's memory.
 */
bool ptx__is_elf(const void *image, size_t size);

/*
 * Tells whether this is a fat binary or, if the size is not known, a program's structure that
 * points to one.
 */
bool ptx__is_fatbin(const void *image, size_t size);

/* Returns the size of the fat binary that some bytes begin with, or 0 if they begin with none. */
size_t ptx__fatbin_bytes(const void *image, size_t size);

/* One text or machine code in a fat binary. The data stay where they are. */
struct ptx__fatbin_entry {
    enum ptx__fatbin_kind {
        PTX__FATBIN_TEXT,
        PTX__FATBIN_CUBIN,
        PTX__FATBIN_LTO,
        PTX__FATBIN_OTHER
    } kind;
    int target;  /* such as 90 */
    char suffix; /* 'a': for this device alone, 'f': for its family; 0: for later ones, too */
    const unsigned char *data;
    size_t size;            /* of the data in the binary */
    size_t compressed_size; /* of the compressed data without padding */
    size_t text_size;       /* after decompression */
    uint64_t flags;
};

/*
 * Finds the entry at *at, and moves *at behind it. *at is 0 at first. Returns false at the end, and
 * where the binary is broken; then *at is 0 again.
 */
bool ptx__fatbin_next(const void *image, size_t size, size_t *at,
                      struct ptx__fatbin_entry *ret_entry);

/* Returns the text of an entry, as ptx__fatbin_text(). */
enum ptx__status ptx__fatbin_unpack(const struct ptx__fatbin_entry *entry, size_t most,
                                    char **ret_text);

/*
 * Returns the text for the newest target that a device of a capability such as 90 can run. It ends
 * with a NUL, and the caller frees it. PTX_MACHINE_CODE if there is no text, PTX_NO_TARGET if there
 * are texts only for other devices, PTX_NO_PTX if the binary is broken, PTX_TOO_LARGE if the text
 * has more than `most` bytes. A text is never larger than its header says.
 */
enum ptx__status ptx__fatbin_text(const void *image, size_t size, int capability, size_t most,
                                  char **ret_text);

/*
 * Decompress to exactly n_to bytes. False if the data are broken. Data that say that they have
 * another size are not decompressed at all.
 */
bool ptx__lz4(const unsigned char *from, size_t n_from, unsigned char *to, size_t n_to);
bool ptx__zstd(const unsigned char *from, size_t n_from, unsigned char *to, size_t n_to);

/* Tells whether libzstd is available. */
bool ptx__has_zstd(void);

#endif
