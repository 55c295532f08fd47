/* SPDX-License-Identifier: MIT */
#include "corpus.h"

static void bulk_copy(struct corpus_run *run)
{
    for (int i = 0; i < 128; i++)
        ((uint32_t *) run->expect[1])[i] = ((uint32_t *) run->in[0])[127 - i];
}

static const struct corpus_case cases[] = {
    {.name = "bulk_copy",
     .block = {128},
     .reference = bulk_copy,
     .buffers = {IN(U32, 128), OUT(U32, 128)}},
};

CORPUS_MODULE(bulk, cases);
