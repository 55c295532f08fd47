/* SPDX-License-Identifier: MIT */
/*
 * The check of local memory for reads of bytes that nothing has written. Copies of structures also
 * read the gaps between members, sometimes byte by byte. So an access is reported only if no byte
 * was written in all of the aligned blocks of eight bytes that it touches. Code without
 * optimisation inserts bit fields into words that it has not written before, which is correct, so
 * such code is not checked.
 */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/racecheck/racecheck.h"

static unsigned char *written_by(const struct ptx__warp *warp, unsigned lane)
{
    return warp->written + (size_t) lane * warp->local_bytes;
}

bool ptx__local_racecheck_grow(struct ptx__warp *warp, size_t bytes)
{
    const struct ptx__launch *launch = warp->block->grid->launch;
    unsigned char *written;

    if (!launch->check_shared || launch->program->debug)
        return true;
    written = calloc(PTX__LANES, bytes);
    if (!written)
        return false;
    for (unsigned l = 0; warp->written && l < PTX__LANES; l++)
        memcpy(written + l * bytes, written_by(warp, l), warp->local_bytes);
    free(warp->written);
    warp->written = written;
    return true;
}

void ptx__local_racecheck_frame(struct ptx__warp *warp, const struct ptx__frame *frame,
                                uint32_t lanes)
{
    const struct ptx__code *code = frame->code;

    if (!warp->written || !code->frame_bytes)
        return;
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned char *written = written_by(warp, (unsigned) __builtin_ctz(m)) + frame->local;

        memset(written, 0, code->variable_bytes);
        memset(written + code->variable_bytes, 1, code->frame_bytes - code->variable_bytes);
    }
}

void ptx__local_racecheck_clear(struct ptx__warp *warp, unsigned lane, uint64_t offset,
                                uint64_t bytes)
{
    if (warp->written)
        memset(written_by(warp, lane) + offset, 0, bytes);
}

/* The size of local memory is a multiple of this, and not 0. */
enum { BLOCK = 8 };

static bool is_written(const struct ptx__warp *warp, unsigned lane, uint64_t offset, unsigned bytes)
{
    const uint64_t begin = offset / BLOCK * BLOCK,
                   end = (offset + bytes + BLOCK - 1) / BLOCK * BLOCK;

    return memchr(written_by(warp, lane) + begin, 1, end - begin);
}

void ptx__racecheck_local(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane,
                          uint64_t offset, unsigned bytes, enum ptx__use use)
{
    if (use & PTX__LOADS && !is_written(warp, lane, offset, bytes))
        ptx__note(ptx__lane_op(warp, op, lane), PTX__UNINITIALISED,
                  "it reads local memory at offset %llu, which nothing has written",
                  (unsigned long long) offset);
    if (use & PTX__STORES)
        memset(written_by(warp, lane) + offset, 1, bytes);
}

/*
 * a and b describe the larger load that this one is a part of: its offset and its size. b is 0 if
 * there is none.
 */
void ptx__racecheck_frame(struct ptx__warp *warp, const struct ptx__op *op, unsigned bytes,
                          enum ptx__use use)
{
    const bool part = use == PTX__LOADS && op->b;
    const uint64_t offset = warp->frame->local + (part ? op->a : op->imm);

    for (uint32_t m = warp->mask; m; m &= m - 1)
        ptx__racecheck_local(warp, op, (unsigned) __builtin_ctz(m), offset, part ? op->b : bytes,
                             use);
}
