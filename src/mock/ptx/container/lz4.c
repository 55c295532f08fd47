/* SPDX-License-Identifier: MIT */
/*
 * LZ4 blocks: sequences of a token, literal bytes, and a copy of bytes that were there before.
 * The token has both lengths, four bits each; 15 goes on in bytes, up to one that is not 255.
 */
#include <string.h>

#include "mock/ptx/container/fatbin.h"

#define SHORTEST_COPY 4

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

/* A copy may reach into what it writes, which then repeats. */
static void copy(unsigned char *to, size_t distance, size_t length)
{
    const unsigned char *from = to - distance;

    for (size_t i = 0; i < length; i++)
        to[i] = from[i];
}

bool ptx__lz4(const unsigned char *from, size_t n_from, unsigned char *to, size_t n_to)
{
    struct input input = {from, from + n_from};
    size_t written = 0;

    while (input.at < input.end) {
        const unsigned char token = *input.at++;
        size_t length = token >> 4, distance;

        if (!read_length(&input, &length) || length > (size_t) (input.end - input.at) ||
            length > n_to - written)
            return false;
        memcpy(to + written, input.at, length);
        input.at += length;
        written += length;
        /* The last one has literals only. */
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
