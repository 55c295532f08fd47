/* SPDX-License-Identifier: MIT */
/* Hooks that check what they are told of calls with the test's arguments. */
#ifndef CUSHIM_TESTS_TABLE_HOOK_H
#define CUSHIM_TESTS_TABLE_HOOK_H

#include "base/rows.h"
#include "loader/plain.h"

struct expected {
    enum cushim_library library;
    unsigned row;
    unsigned before, after; /* how often each hook ran */
};

static inline const struct cushim__rows *rows_of(enum cushim_library library)
{
    return library == CUSHIM_LIBRARY_CUDA    ? &cushim__cuda_rows
           : library == CUSHIM_LIBRARY_NVRTC ? &cushim__nvrtc_rows
                                             : &cushim__nvjitlink_rows;
}

static inline bool check_before(struct cushim_call *call, void *user)
{
    struct expected *expected = user;
    const struct cushim__rows *rows = rows_of(expected->library);
    const char *signature = cushim__row_signature(rows, expected->row);

    CHECK_INT(call->library, expected->library);
    CHECK_INT(call->row, expected->row);
    CHECK_TEXT(call->name, cushim__row_symbol(rows, expected->row));
    CHECK_TEXT(call->signature, signature);
    CHECK_INT(call->n_args, strlen(signature));
    CHECK_INT(fake_wrong_argument(expected->row, call->signature, call->args), 0);
    CHECK_INT(call->answered, false);
    expected->before++;
    return false;
}

static inline void check_after(struct cushim_call *call, void *user)
{
    struct expected *expected = user;
    const struct cushim__row *row = &rows_of(expected->library)->rows[expected->row];
    const int result = row->flags & CUSHIM__ROW_STRING
                           ? fake_string_value((const char *) call->result)
                           : (int) call->result;

    CHECK_INT(call->row, expected->row);
    CHECK_INT(result, FAKE_ROW + (int) expected->row);
    CHECK_INT(fake_wrong_argument(expected->row, call->signature, call->args), 0);
    expected->after++;
}

/* The call of one row, which both hooks see exactly once. */
static inline void call_hooked(struct expected *expected, enum cushim_library library, unsigned row,
                               cushim_entry function)
{
    *expected = (struct expected){.library = library, .row = row};
    check_int(fake_call(library, row, function), FAKE_ROW + (int) row,
              cushim__row_symbol(rows_of(library), row), __LINE__);
    CHECK_INT(expected->before, 1);
    CHECK_INT(expected->after, 1);
}

#endif
