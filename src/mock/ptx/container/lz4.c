/* SPDX-License-Identifier: MIT */
/*
 * LZ4 blocks: sequences of a token, literal bytes, and a copy of earlier bytes. The token contains
 * both lengths with four bits each. A length of 15 continues in more bytes, up to one that is not
 * 255.
 */
#include <string.h>

#include "mock/ptx/container/fatbin.h"

#define SHORTEST_COPY 4

/* No byte of the input stands for more bytes of output. */
#define LARGEST_RATIO 255

struct input {
    const unsigned char *at, *end;
};

static bool read_length(struct input *input, size_t *length)
{
    unsigned char byte = 255;

    if (*length != 15)
        return true;
    while (byte == 255) {
        if (input->at == input->end)
            return false;
        byte = *input->at++;
        *length += byte;
    }
    return true;
}

/*
 * A copy may overlap its source, so that bytes repeat. Then each memcpy() doubles what can be
 * copied.
 */
static void copy(unsigned char *to, size_t distance, size_t length)
{
    const unsigned char *from = to - distance;

    while (length > distance) {
        memcpy(to, from, distance);
        to += distance;
        length -= distance;
        distance *= 2;
    }
    memcpy(to, from, length);
}

bool ptx__lz4(const unsigned char *from, size_t n_from, unsigned char *to, size_t n_to)
{
    struct input input = {from, from + n_from};
    size_t written = 0;

    if (n_to / LARGEST_RATIO > n_from)
        return false;
    while (input.at < input.end) {
        const unsigned char token = *input.at++;
        size_t length = token >> 4, distance;

        if (!read_length(&input, &length) || length > (size_t) (input.end - input.at) ||
            length > n_to - written)
            return false;
        memcpy(to + written, input.at, length);
        input.at += length;
        written += length;
        /* The last sequence has only literals. */
        if (input.at == input.end)
            break;
        if (input.end - input.at < 2)
            return false;
        distance = (size_t) (input.at[0] | input.at[1] << 8);
        input.at += 2;
        length = token & 15;
        if (!read_length(&input, &length))
            return false;
        length += SHORTEST_COPY;
        if (!distance || distance > written || length > n_to - written)
            return false;
        copy(to + written, distance, length);
        written += length;
    }
    return written == n_to;
}
