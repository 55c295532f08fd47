/* SPDX-License-Identifier: MIT */
/* Making a random program as short as it can be. */
#include <string.h>

#include "random.h"

static bool is_in(const uint64_t *keys, unsigned n, uint64_t key)
{
    for (unsigned i = 0; i < n; i++)
        if (keys[i] == key)
            return true;
    return false;
}

/* Tells whether a statement is in the text as it is now. */
static bool is_there(struct random_program *program, uint64_t key)
{
    static char text[RANDOM_TEXT];

    random_write(program, "k", text);
    return is_in(program->keys, program->n_keys, key) &&
           !is_in(program->dropped, program->n_dropped, key);
}

/* Leaves a statement out, with all in it, if the program differs without it, too. */
static bool drop(struct random_program *program, uint64_t key,
                 bool (*differs)(struct random_program *program))
{
    if (!is_there(program, key) || program->n_dropped == RANDOM_STATEMENTS)
        return false;
    program->dropped[program->n_dropped++] = key;
    if (differs(program))
        return true;
    program->n_dropped--;
    return false;
}

void random_shrink(struct random_program *program, bool (*differs)(struct random_program *program))
{
    uint64_t keys[RANDOM_STATEMENTS];
    bool any = true;

    while (any) {
        const unsigned n = program->n_keys;

        memcpy(keys, program->keys, sizeof(keys));
        any = false;
        for (unsigned i = 0; i < n; i++)
            any |= drop(program, keys[i], differs);
        is_there(program, 0);
    }
}
