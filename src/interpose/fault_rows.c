/* SPDX-License-Identifier: MIT */
#include "interpose/fault_rows.h"

#include <pthread.h>
#include <string.h>

#include "base/util.h"

/*
 * The arguments that determine how much a function allocates: one argument, or the product of two.
 * -1 means that there is no second one.
 */
static const struct {
    const char *base;
    int size, times;
} allocations[] = {
    {"cuMemAlloc", 1, -1},     {"cuMemAllocPitch", 2, 3},          {"cuMemAllocHost", 1, -1},
    {"cuMemHostAlloc", 1, -1}, {"cuMemAllocManaged", 1, -1},       {"cuMemAllocAsync", 1, -1},
    {"cuMemCreate", 1, -1},    {"cuMemAllocFromPoolAsync", 1, -1},
};

static uint8_t kinds[CUSHIM__FAULT_PLACES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct cushim__rows *list_of(size_t place, size_t *ret_row)
{
    const struct cushim__list *list = cushim__list_at(place);

    *ret_row = place - list->first;
    return list->rows;
}

static const char *base_of(size_t place)
{
    size_t row;
    const struct cushim__rows *list = list_of(place, &row);

    return cushim__row_base(list, row);
}

static const char *symbol_of(size_t place)
{
    size_t row;
    const struct cushim__rows *list = list_of(place, &row);

    return cushim__row_symbol(list, row);
}

static int allocation_of(const char *base)
{
    for (size_t i = 0; i < ARRAY_SIZE(allocations); i++)
        if (!strcmp(base, allocations[i].base))
            return (int) i;
    return -1;
}

static uint8_t kind_of(size_t place)
{
    size_t row;
    const struct cushim__rows *list = list_of(place, &row);
    const unsigned flags = list->rows[row].flags;
    uint8_t kind = 0;

    if (flags & CUSHIM__ROW_LAUNCH)
        kind |= CUSHIM__FAULT_LAUNCH;
    if (flags & CUSHIM__ROW_RELEASE)
        kind |= CUSHIM__FAULT_MADE;
    if (flags & CUSHIM__ROW_BASIC)
        kind |= CUSHIM__FAULT_NAMED;
    else if (list == &cushim__cuda_rows && !(flags & CUSHIM__ROW_LOST))
        kind |= CUSHIM__FAULT_REFUSED;
    if (flags & CUSHIM__ROW_STRING)
        kind |= CUSHIM__FAULT_STRING;
    if (allocation_of(base_of(place)) >= 0)
        kind |= CUSHIM__FAULT_ALLOCATE;
    return kind;
}

static void find_kinds(void)
{
    for (size_t place = 0; place < CUSHIM__FAULT_PLACES; place++)
        kinds[place] = kind_of(place);
}

const uint8_t *cushim__fault_kinds(void)
{
    pthread_once(&once, find_kinds);
    return kinds;
}

/* Tells whether the name is "*", "c*" or "cu*". */
static bool begins_all(const char *name, size_t length)
{
    return length <= 2 && !strncmp(name, "cu", length);
}

enum match { LOST, FAMILY, BASE, EXPORTED };

static bool matches(enum match how, const char *name, size_t length, size_t place)
{
    const uint8_t kind = cushim__fault_kinds()[place];
    const char *symbol = symbol_of(place);

    switch (how) {
    case LOST:
        return kind & CUSHIM__FAULT_REFUSED;
    case FAMILY:
        if (begins_all(name, length) && (place >= CUSHIM_CUDA_ROWS || kind & CUSHIM__FAULT_NAMED))
            return false;
        return !strncmp(symbol, name, length) && !(kind & CUSHIM__FAULT_STRING);
    case BASE:
        return !strcmp(base_of(place), name);
    default:
        return strlen(symbol) == length && !strncmp(symbol, name, length);
    }
}

static bool find(enum match how, const char *name, size_t length, struct cushim__fault_set *set)
{
    bool cuda = false, found = false;

    for (size_t place = 0; place < CUSHIM__FAULT_PLACES; place++) {
        set->has[place] = matches(how, name, length, place);
        found |= set->has[place];
        cuda |= set->has[place] && place < CUSHIM_CUDA_ROWS;
    }
    set->compilers = found && !cuda;
    return found;
}

bool cushim__fault_find(const char *function, struct cushim__fault_set *set)
{
    const size_t length = strlen(function);

    if (!strcmp(function, CUSHIM__DEVICE_LOST))
        return find(LOST, NULL, 0, set);
    if (length && strchr(function, '*') == function + length - 1)
        return find(FAMILY, function, length - 1, set);
    if (find(BASE, function, length, set) || find(EXPORTED, function, length, set))
        return true;
    /* A name with _v1 is the first version of a function, as in cushim/table.h. */
    return length > 3 && !strcmp(function + length - 3, "_v1") &&
           find(EXPORTED, function, length - 3, set);
}

static uint64_t argument(const struct cushim_call *call, int i)
{
    if (i < 0 || (size_t) i >= call->n_args)
        return 1;
    return call->signature[i] == 'l' ? *(const uint64_t *) call->args[i]
                                     : *(const uint32_t *) call->args[i];
}

uint64_t cushim__fault_bytes(const struct cushim_call *call)
{
    const int i = allocation_of(base_of(cushim__fault_place(call)));
    uint64_t bytes = 0;

    if (i >= 0 && __builtin_mul_overflow(argument(call, allocations[i].size),
                                         argument(call, allocations[i].times), &bytes))
        bytes = UINT64_MAX;
    return bytes;
}
