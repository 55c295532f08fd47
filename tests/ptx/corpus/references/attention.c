/* SPDX-License-Identifier: MIT */
#include "attention.h"

static const struct corpus_case cases[] = {
    ATTENTION("attention", 64, 32, 128),
};

CORPUS_MODULE(attention, cases);
