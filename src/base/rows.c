/* SPDX-License-Identifier: MIT */
#include "base/rows.h"

#include <string.h>

size_t cushim__row_find(const struct cushim__rows *list, const char *symbol)
{
    size_t low = 0, high = list->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(symbol, cushim__row_symbol(list, list->by_name[middle]));

        if (!order)
            return list->by_name[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return list->count;
}
