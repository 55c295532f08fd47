/* SPDX-License-Identifier: MIT */
#include "mock/ptx/container/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* This does not occur in a text that a person or a compiler has written. */
#define MARK "\n//\x01 registers %u threads %u\n"

bool ptx__limits_write(const struct ptx__limits *limits, char **text)
{
    char line[64], *larger;
    const size_t length = strlen(*text);

    if (!limits->registers && !limits->threads)
        return true;
    snprintf(line, sizeof(line), MARK, limits->registers, limits->threads);
    larger = realloc(*text, length + strlen(line) + 1);
    if (!larger)
        return false;
    memcpy(larger + length, line, strlen(line) + 1);
    *text = larger;
    return true;
}

struct ptx__limits ptx__limits_read(const char *text)
{
    struct ptx__limits limits = {.registers = 0};

    while ((text = strstr(text, "\n//\x01"))) {
        sscanf(text, MARK, &limits.registers, &limits.threads);
        text++;
    }
    return limits;
}
