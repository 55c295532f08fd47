/* SPDX-License-Identifier: MIT */
/* Video instructions: arithmetic on bytes and halves of registers. */
#ifndef CUSHIM_MOCK_PTX_EXEC_VIDEO_H
#define CUSHIM_MOCK_PTX_EXEC_VIDEO_H

#include "mock/ptx/machine/code.h"

enum ptx__video_operation {
    PTX__VIDEO_ADD,
    PTX__VIDEO_SUB,
    PTX__VIDEO_ABSDIFF,
    PTX__VIDEO_MIN,
    PTX__VIDEO_MAX,
    PTX__VIDEO_SHL,
    PTX__VIDEO_SHR,
    PTX__VIDEO_MAD,
    PTX__VIDEO_AVERAGE,
    PTX__VIDEO_EQ,
    PTX__VIDEO_NE,
    PTX__VIDEO_LT,
    PTX__VIDEO_LE,
    PTX__VIDEO_GT,
    PTX__VIDEO_GE,
};

enum ptx__video_second { PTX__SECOND_NONE, PTX__SECOND_ADD, PTX__SECOND_MIN, PTX__SECOND_MAX };

/*
 * The description of an operation. Selectors: 0 is the whole register, 1 to 4 a byte, 5 and 6 a
 * half.
 */
struct ptx__video {
    uint8_t operation, second;
    bool sign_d, sign_a, sign_b, saturates, wraps, plus_one, has_c;
    bool negative_a, negative_b, negative_c;
    uint8_t select_d, select_a, select_b;
    uint8_t shift;       /* for vmad: 0, 7 or 15 */
    uint8_t n_lanes;     /* 1, 2 or 4 */
    uint8_t mask;        /* the lanes of d that are written */
    uint8_t lanes[2][4]; /* for a and for b: the lane of b:a that is used for each lane */
};

const struct ptx__op *ptx__do_video(struct ptx__warp *warp, const struct ptx__op *op);

#endif
