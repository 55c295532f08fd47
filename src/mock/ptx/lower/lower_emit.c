/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mock/ptx/exec/control.h"
#include "mock/ptx/exec/handlers.h"
#include "mock/ptx/lower/lower.h"

/*
 * Returns the program's own copy of a path, because the program may live longer than the module's
 * text.
 */
static const char *path_of(struct ptx__lowering *lower, uint32_t file)
{
    const char **path = &lower->paths[file];

    if (!*path)
        *path = cushim__arena_printf(&lower->program->arena, "%s", lower->module->files[file].path);
    return *path;
}

/*
 * All operations of an instruction share a site: the instruction's place in the source, and a
 * number.
 */
static uint32_t new_site(struct ptx__lowering *lower)
{
    struct ptx__program *program = lower->program;
    size_t n = program->n_sites, capacity = lower->sites_capacity;
    struct ptx__site *site =
        ptx__grow(lower, &program->sites, &n, &capacity, sizeof(*program->sites));
    const struct ptx__location *location;

    program->n_sites = (uint32_t) n;
    lower->sites_capacity = (uint32_t) capacity;
    site->function = lower->code->name;
    if (!lower->at)
        return program->n_sites - 1;
    site->line = lower->at->place.line;
    location = lower->at->location ? &lower->module->locations[lower->at->location] : NULL;
    if (location && location->file != PTX_NONE && lower->module->files[location->file].path) {
        site->source_line = location->line;
        site->file = path_of(lower, location->file);
    }
    return program->n_sites - 1;
}

struct ptx__op *ptx__emit(struct ptx__lowering *lower, ptx__handler run)
{
    struct ptx__op *op =
        ptx__grow(lower, &lower->ops, &lower->n_ops, &lower->ops_capacity, sizeof(*op));

    op->run = run;
    op->cost = 1;
    op->site = new_site(lower);
    return op;
}

/* Refuses a key. Operations at the beginning of a function belong to no instruction. */
static void refuse_key(struct ptx__lowering *lower, const char *key)
{
    char why[160];

    snprintf(why, sizeof(why), "there is no '%s'", key);
    if (lower->at)
        ptx__refuse_form(lower, why);
    else
        ptx__refuse(lower, "Function '%.100s' is not executed by this device: %s",
                    lower->function->name, why);
}

struct ptx__op *ptx__emit_key(struct ptx__lowering *lower, const char *format, ...)
{
    char key[96];
    va_list list;
    ptx__handler run;

    va_start(list, format);
    vsnprintf(key, sizeof(key), format, list);
    va_end(list);
    run = ptx__handler_find(key);
    if (!run)
        refuse_key(lower, key);
    return ptx__emit(lower, run ? run : ptx__do_nothing);
}

struct ptx__op *ptx__emit_slots(struct ptx__lowering *lower, const char *key, uint32_t d,
                                uint32_t a, uint32_t b, uint32_t c)
{
    struct ptx__op *op = ptx__emit_key(lower, "%s", key);

    op->d = d;
    op->a = a;
    op->b = b;
    op->c = c;
    return op;
}

void ptx__emit_list(struct ptx__lowering *lower, struct ptx__op *op, const uint32_t *slots,
                    unsigned n)
{
    uint32_t *list = ptx__keep(lower, n * sizeof(*list));

    memcpy(list, slots, n * sizeof(*list));
    op->list = list;
    op->n_list = (uint16_t) n;
}

void ptx__jump_to(struct ptx__lowering *lower, struct ptx__op *op, uint32_t block)
{
    struct ptx__fixup *fixup =
        ptx__grow(lower, &lower->fixups, &lower->n_fixups, &lower->fixups_capacity, sizeof(*fixup));

    fixup->op = (size_t) (op - lower->ops);
    fixup->block = block;
}
