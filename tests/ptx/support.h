/* SPDX-License-Identifier: MIT */
/* Modules from texts, for tests of what the reader makes of them. */
#ifndef CUSHIM_TESTS_PTX_SUPPORT_H
#define CUSHIM_TESTS_PTX_SUPPORT_H

#include <stdio.h>
#include <string.h>

#include "../support/assertions.h"
#include "mock/ptx/link/read.h"

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

#define S(text) ((char *) (uintptr_t) (text))

/* Finished by the test. */
struct unit {
    struct ptx__module module;
    struct ptx__log log;
};

static inline enum ptx__status read_texts(struct unit *unit, const char *const *texts, size_t n)
{
    size_t lengths[8];

    *unit = (struct unit){.log = {.messages = NULL}};
    for (size_t i = 0; i < n; i++)
        lengths[i] = strlen(texts[i]);
    return ptx__read(texts, lengths, n, 90, &unit->module, &unit->log);
}

static inline void finish(struct unit *unit)
{
    ptx__finish(&unit->module);
    ptx__log_finish(&unit->log);
}

/* A module that is right. */
static inline void read_module(struct unit *unit, const char *text)
{
    const enum ptx__status status = read_texts(unit, &text, 1);

    cr_assert(eq(int, (int) status, PTX_OK), "%s",
              unit->log.n_messages ? unit->log.messages[0].text : "no message");
}

/* The function of a name. */
static inline const struct ptx__function *find(const struct unit *unit, const char *name)
{
    const uint32_t number = ptx__function_find(&unit->module, name);

    cr_assert(ne(u32, number, PTX_NONE), "%s", name);
    return &unit->module.functions[number];
}

#endif
