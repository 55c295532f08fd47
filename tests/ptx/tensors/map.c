/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tensors.h"

#define GIVEN(name, value) (strcmp(question->null, name) ? (value) : NULL)

static CUresult encode(const struct tensors_question *question, void *at, void *map)
{
    const struct tensors_question *q = question;
    const int type = (int) q->type, interleave = (int) q->interleave, swizzle = (int) q->swizzle;
    const int promote = (int) q->promote, fill = (int) q->fill;

    map = GIVEN("map", map);
    switch (q->kind) {
    case TENSORS_TILED:
        return CU(cuTensorMapEncodeTiled)(
            map, type, q->rank, at, GIVEN("dims", q->dims), GIVEN("strides", q->strides),
            GIVEN("box", q->box), GIVEN("steps", q->steps), interleave, swizzle, promote, fill);
    case TENSORS_IM2COL:
        return CU(cuTensorMapEncodeIm2col)(
            map, type, q->rank, at, GIVEN("dims", q->dims), GIVEN("strides", q->strides),
            GIVEN("lower", q->lower), GIVEN("upper", q->upper), q->channels, q->pixels,
            GIVEN("steps", q->steps), interleave, swizzle, promote, fill);
    case TENSORS_WIDE:
        return CU(cuTensorMapEncodeIm2colWide)(
            map, type, q->rank, at, GIVEN("dims", q->dims), GIVEN("strides", q->strides),
            q->lower[0], q->upper[0], q->channels, q->pixels, GIVEN("steps", q->steps), interleave,
            (int) q->mode, swizzle, promote, fill);
    default:
        memcpy(map, q->raw, TENSORS_MAP);
        return CUDA_SUCCESS;
    }
}

CUresult tensors_map(const struct tensors_question *question, uint64_t at, unsigned char *map)
{
    _Alignas(128) unsigned char room[3 * TENSORS_MAP];
    CUresult result;

    memset(room, 0x5a, sizeof(room));
    result = encode(question, (void *) (uintptr_t) at, room + question->shift);
    if (result == CUDA_SUCCESS && question->replaces)
        result = CU(cuTensorMapReplaceAddress)(GIVEN("map", room + question->shift),
                                               (void *) (uintptr_t) question->replacement);
    memcpy(map, room + question->shift, TENSORS_MAP);
    return result;
}

void tensors_print_map(const unsigned char *map, char *text)
{
    uint32_t words[TENSORS_MAP / 4];
    size_t n = TENSORS_MAP / 4;

    memcpy(words, map, sizeof(words));
    while (n && !words[n - 1])
        n--;
    for (size_t i = 0; i < n; i++)
        text += sprintf(text, i ? " %x" : "%x", words[i]);
}

/* Tiles of interleaved layouts have slices, and one of each pixel; columns have no steps. */
uint64_t tensors_box_bytes(const struct tensors_question *question)
{
    static const uint8_t bits[] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 8, 8};
    const bool tiled = question->kind == TENSORS_TILED, slices = question->interleave;
    uint64_t n = tiled ? 1 : question->pixels;

    for (uint32_t i = !slices; tiled && i < question->rank && i < 5; i++) {
        const uint32_t step = question->steps[i] ? question->steps[i] : 1;

        if (!slices || i != question->rank - 2)
            n *= (question->box[i] + step - 1) / step;
    }
    if (slices)
        return n * (question->interleave == 1 ? 16 : 32);
    n *= tiled ? question->box[0] : question->channels;
    return question->type < sizeof(bits) ? n * bits[question->type] / 8 : 0;
}
