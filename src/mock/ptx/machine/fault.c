/* SPDX-License-Identifier: MIT */
/* Findings and faults of a running kernel, with the place in the program and the thread. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mock/ptx/machine/grid.h"

enum { TEXT = 900 };

static const struct ptx__site *site_of(const struct ptx__warp *warp, const struct ptx__op *op)
{
    return &warp->block->grid->launch->program->sites[op->site];
}

uint32_t ptx__line_of(const struct ptx__warp *warp, const struct ptx__op *op)
{
    return site_of(warp, op)->line;
}

/*
 * Writes such as "kernel 'k' in function 'f', a.cu:7 (line 30 of the PTX), block (0,0,0), thread
 * (5,0,0)".
 */
static void describe(const struct ptx__lane_op *at, char *text, size_t size)
{
    const struct ptx__warp *warp = at->warp;
    const struct ptx__launch *launch = warp->block->grid->launch;
    const struct ptx__site *site = site_of(warp, at->op);
    const unsigned *block = launch->block, thread = warp->number * PTX__LANES + at->lane;
    char source[200] = "", function[200] = "", parent[200] = "";

    if (site->file && site->source_line)
        snprintf(source, sizeof(source), ", %.150s:%u", site->file, site->source_line);
    if (site->function && strcmp(site->function, launch->name) != 0)
        snprintf(function, sizeof(function), " in function '%.150s'", site->function);
    if (launch->launched_by)
        snprintf(parent, sizeof(parent), " (launched by kernel '%.150s')", launch->launched_by);
    snprintf(text, size,
             "kernel '%.150s'%s%s%s, line %u of the PTX, block (%u,%u,%u), thread "
             "(%u,%u,%u)",
             launch->name, parent, function, source, site->line, warp->block->index[0],
             warp->block->index[1], warp->block->index[2], thread % block[0],
             thread / block[0] % block[1], thread / block[0] / block[1]);
}

/* What is told: a kind, and whether it ends the launch. */
struct told {
    enum ptx__finding_kind kind;
    bool ends;
};

static void tell(const struct ptx__warp *warp, struct told told, uint64_t address, size_t bytes,
                 const char *text)
{
    struct ptx__grid *grid = warp->block->grid;

    pthread_mutex_lock(&grid->lock);
    if (grid->launch->find)
        grid->launch->find(grid->launch->user, told.kind, told.ends, address, bytes, text);
    pthread_mutex_unlock(&grid->lock);
}

/* Ends the launch with a result; the first one counts. */
bool ptx__grid_stop(struct ptx__grid *grid, enum ptx__result result)
{
    bool first;

    pthread_mutex_lock(&grid->lock);
    first = !grid->result;
    if (first)
        grid->result = result;
    pthread_mutex_unlock(&grid->lock);
    atomic_store(&grid->stop, true);
    return first;
}

static void report(const struct ptx__lane_op *at, struct told told, uint64_t address, size_t bytes,
                   const char *format, va_list list)
{
    char text[TEXT];
    size_t length;

    describe(at, text, sizeof(text));
    length = strlen(text);
    snprintf(text + length, sizeof(text) - length, ": ");
    length = strlen(text);
    vsnprintf(text + length, sizeof(text) - length, format, list);
    tell(at->warp, told, address, bytes, text);
}

void ptx__fault_misaligned(struct ptx__lane_op at, uint64_t address, size_t bytes, const char *verb)
{
    char text[TEXT];

    if (!ptx__grid_stop(at.warp->block->grid, PTX__ERROR_MISALIGNED_ADDRESS))
        return;
    describe(&at, text, sizeof(text));
    snprintf(text + strlen(text), sizeof(text) - strlen(text),
             ": it %s %zu bytes that are not aligned", verb, bytes);
    tell(at.warp, (struct told){PTX__MISALIGNED, true}, address, bytes, text);
}

const struct ptx__op *ptx__fault(struct ptx__lane_op at, enum ptx__result result,
                                 enum ptx__finding_kind kind, const char *format, ...)
{
    va_list list;

    if (!ptx__grid_stop(at.warp->block->grid, result))
        return NULL;
    va_start(list, format);
    report(&at, (struct told){kind, true}, 0, 0, format, list);
    va_end(list);
    return NULL;
}

/* Passes the finding to the caller of the engine, which knows what is near the address. */
static void tell_wild(const struct ptx__lane_op *at, bool ends, uint64_t address, size_t bytes,
                      const char *verb)
{
    char text[TEXT];

    describe(at, text, sizeof(text));
    snprintf(text + strlen(text), sizeof(text) - strlen(text), " %s", verb);
    tell(at->warp, (struct told){PTX__OUT_OF_BOUNDS, ends}, address, bytes, text);
}

void ptx__fault_at(struct ptx__lane_op at, uint64_t address, size_t bytes, const char *verb)
{
    if (ptx__grid_stop(at.warp->block->grid, PTX__ERROR_ILLEGAL_ADDRESS))
        tell_wild(&at, true, address, bytes, verb);
}

/*
 * Tells whether this is the first finding of this kind at this place. A loop that fails a million
 * times gives only one.
 */
static bool is_new(const struct ptx__lane_op *at, enum ptx__finding_kind kind)
{
    const unsigned char bit = (unsigned char) (1u << kind);

    return !(atomic_fetch_or(&at->warp->block->grid->noted[at->op->site], bit) & bit);
}

void ptx__note_stray(struct ptx__lane_op at, uint64_t address, size_t bytes, const char *verb)
{
    if (is_new(&at, PTX__OUT_OF_BOUNDS))
        tell_wild(&at, false, address, bytes, verb);
}

void ptx__note(struct ptx__lane_op at, enum ptx__finding_kind kind, const char *format, ...)
{
    va_list list;

    if (!is_new(&at, kind))
        return;
    va_start(list, format);
    report(&at, (struct told){kind, false}, 0, 0, format, list);
    va_end(list);
}

void ptx__note_at(struct ptx__lane_op at, enum ptx__finding_kind kind, uint64_t address,
                  size_t bytes, const char *format, ...)
{
    va_list list;

    if (!is_new(&at, kind))
        return;
    va_start(list, format);
    report(&at, (struct told){kind, false}, address, bytes, format, list);
    va_end(list);
}
