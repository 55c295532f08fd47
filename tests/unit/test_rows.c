/* SPDX-License-Identifier: MIT */
#include "base/rows.h"

#include <string.h>

#include <cushim/rows.h>

#include "base/str.h"
#include "base/util.h"
#include "support.h"

SUITE(rows);

static const struct cushim__rows *const lists[] = {&cushim__cuda_rows, &cushim__nvrtc_rows,
                                                   &cushim__nvjitlink_rows};

/* What cushim__row_find() should answer, slowly. */
static size_t look_for(const struct cushim__rows *list, const char *symbol)
{
    for (size_t row = 0; row < list->count; row++)
        if (!strcmp(cushim__row_symbol(list, row), symbol))
            return row;
    return list->count;
}

Test(rows, every_symbol_is_found)
{
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
        for (size_t row = 0; row < lists[i]->count; row++) {
            const char *symbol = cushim__row_symbol(lists[i], row);

            cr_expect(eq(sz, cushim__row_find(lists[i], symbol), row), "%s", symbol);
        }
}

/* Names that differ from known ones by a letter, most of which do not exist. */
Test(rows, no_other_name_is_found)
{
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
        for (size_t row = 0; row < lists[i]->count; row++) {
            SCOPED_STR name = {0};

            cushim__str_append(&name, "%sx", cushim__row_symbol(lists[i], row));
            cr_expect(eq(sz, cushim__row_find(lists[i], name.text), lists[i]->count), "%s",
                      name.text);
            name.text[name.length - 2] = '\0';
            cr_expect(eq(sz, cushim__row_find(lists[i], name.text), look_for(lists[i], name.text)),
                      "%s", name.text);
        }
}

Test(rows, names_out_of_range_are_not_found)
{
    static const char *const names[] = {"",        "\x01",    "a",     "cu",  "CUINIT",
                                        "cuInit ", " cuInit", "nvrtc", "zzz", "\xff"};

    for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
        for (size_t k = 0; k < ARRAY_SIZE(names); k++)
            cr_expect(eq(sz, cushim__row_find(lists[i], names[k]), lists[i]->count), "'%s'",
                      names[k]);
}

Test(rows, a_name_is_found_in_its_own_list_alone)
{
    cr_expect(eq(sz, cushim__row_find(&cushim__nvrtc_rows, "cuInit"), CUSHIM_NVRTC_ROWS));
    cr_expect(eq(sz, cushim__row_find(&cushim__cuda_rows, "nvrtcVersion"), CUSHIM_CUDA_ROWS));
}

Test(rows, the_public_numbers_are_those_of_the_lists)
{
    cr_expect(eq(sz, cushim__cuda_rows.count, CUSHIM_CUDA_ROWS));
    cr_expect(eq(sz, cushim__nvrtc_rows.count, CUSHIM_NVRTC_ROWS));
    cr_expect(eq(sz, cushim__nvjitlink_rows.count, CUSHIM_NVJITLINK_ROWS));
    cr_expect(eq(sz, cushim__row_find(&cushim__nvjitlink_rows, "nvJitLinkVersion"),
                 CUSHIM_ROW_nvJitLinkVersion));
    cr_expect(eq(sz, cushim__row_find(&cushim__cuda_rows, "cuInit"), CUSHIM_ROW_cuInit));
    cr_expect(
        eq(sz, cushim__row_find(&cushim__cuda_rows, "cuMemAlloc_v2"), CUSHIM_ROW_cuMemAlloc_v2));
    cr_expect(eq(sz, cushim__row_find(&cushim__cuda_rows, "cuMemAlloc"), CUSHIM_ROW_cuMemAlloc));
    cr_expect(
        eq(sz, cushim__row_find(&cushim__nvrtc_rows, "nvrtcVersion"), CUSHIM_ROW_nvrtcVersion));
}

/* The order of rows is ABI. These were the first and the last when it became so. */
Test(rows, known_rows_stay_where_they_are)
{
    cr_expect(eq(int, CUSHIM_ROW_cuGetErrorString, 0));
    cr_expect(eq(int, CUSHIM_ROW_cuInit, 2));
    cr_expect(eq(int, CUSHIM_ROW_nvrtcGetErrorString, 0));
    cr_expect(eq(int, CUSHIM_ROW_nvrtcVersion, 1));
}

Test(rows, facts_make_sense)
{
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
        for (size_t row = 0; row < lists[i]->count; row++) {
            const struct cushim__row *r = &lists[i]->rows[row];
            const char *symbol = cushim__row_symbol(lists[i], row);
            const char *base = cushim__row_base(lists[i], row);
            const char *signature = cushim__row_signature(lists[i], row);

            cr_expect(ge(int, r->since, 2000), "%s", symbol);
            cr_expect(zero(int, r->since % 10), "%s since %d", symbol, r->since);
            cr_expect(r->until == 0 || r->until > r->since, "%s is from %d until %d", symbol,
                      r->since, r->until);
            cr_expect(zero(int, strncmp(symbol, base, strlen(base))), "%s of %s", symbol, base);
            cr_expect(eq(sz, strspn(signature, "plihbfmH"), strlen(signature)), "%s(%s)", symbol,
                      signature);
        }
}

Test(rows, signatures_are_those_of_the_functions)
{
    const struct {
        unsigned row;
        const char *signature;
    } known[] = {
        {CUSHIM_ROW_cuInit, "i"},
        {CUSHIM_ROW_cuMemAlloc_v2, "pl"},
        {CUSHIM_ROW_cuCtxSynchronize, ""},
        {CUSHIM_ROW_cuLaunchKernel, "piiiiiiippp"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        cr_expect(eq(str, S(cushim__row_signature(&cushim__cuda_rows, known[i].row)),
                     S(known[i].signature)));
    cr_expect(
        eq(int, cushim__nvrtc_rows.rows[CUSHIM_ROW_nvrtcGetErrorString].flags, CUSHIM__ROW_STRING));
}
