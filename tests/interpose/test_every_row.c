/* SPDX-License-Identifier: MIT */
/* Every function of the interposed tables: it says who it is, and shows its arguments. */
#include <cushim/interpose.h>

#include "base/abi.h"
#include "base/rows.h"
#include "every_call.h"
#include "fake.h"
#include "support.h"

SUITE(every_row);

enum { ANSWER = 5000 };

static struct {
    struct cushim_call call;
    int calls, wrong_arguments;
} seen;

static bool is_location(const struct cushim__arg8 *location, int n)
{
    return location->a == n && location->b == -n;
}

static bool is_handle(const struct cushim__arg64 *handle, uint64_t n)
{
    for (uint64_t i = 0; i < 8; i++)
        if (handle->v[i] != n + i)
            return false;
    return true;
}

static bool is_right(char letter, const void *arg, unsigned n)
{
    switch (letter) {
    case 'p':
    case 'l':
        return *(const uint64_t *) arg == n;
    case 'i':
        return *(const uint32_t *) arg == n;
    case 'h':
        return *(const uint16_t *) arg == n;
    case 'b':
        return *(const uint8_t *) arg == n;
    case 'f':
        return *(const float *) arg == (float) n + 0.5f;
    case 'm':
        return is_location(arg, (int) n);
    default:
        return letter == 'H' && is_handle(arg, n);
    }
}

/* Answers, so that no function is called whose arguments would have to make sense. */
static bool inspect(struct cushim_call *call, void *user)
{
    (void) user;
    seen.calls++;
    seen.wrong_arguments = 0;
    for (size_t i = 0; i < call->n_args; i++)
        seen.wrong_arguments += !is_right(call->signature[i], call->args[i], (unsigned) i + 1);
    call->result = ANSWER + (intptr_t) call->row;
    seen.call = *call;
    return true;
}

static const struct cushim_hooks hooks = {.before = inspect};

static void check_rows(const struct cushim__rows *rows, enum cushim_library library,
                       every_call *const *calls, const cushim_entry *table)
{
    seen.calls = 0;
    for (size_t row = 0; row < rows->count; row++) {
        const char *symbol = cushim__row_symbol(rows, row);

        cr_expect(eq(i64, calls[row](table), ANSWER + (intptr_t) row), "%s", symbol);
        cr_expect(eq(int, seen.calls, (int) row + 1), "%s", symbol);
        cr_expect(eq(int, seen.call.library, library), "%s", symbol);
        cr_expect(eq(uint, seen.call.row, row), "%s", symbol);
        cr_expect(eq(str, S(seen.call.name), S(symbol)));
        cr_expect(eq(str, S(seen.call.signature), S(cushim__row_signature(rows, row))), "%s",
                  symbol);
        cr_expect(zero(int, seen.wrong_arguments), "%s: %d wrong arguments", symbol,
                  seen.wrong_arguments);
    }
}

/* The tables of the slots are compiled apart from each other, so all are looked at. */
Test(every_row, of_cuda)
{
    cushim_driver below = fake_open(0), drivers[CUSHIM_INTERPOSE_MAX];

    for (size_t i = 0; i < CUSHIM_INTERPOSE_MAX; i++) {
        assert_ok(cushim_interpose(below, &hooks, 1, &drivers[i]));
        check_rows(&cushim__cuda_rows, CUSHIM_LIBRARY_CUDA, every_cuda_call,
                   cushim_driver_functions(drivers[i], CUSHIM_CUDA_ROWS));
    }
    for (size_t i = 0; i < CUSHIM_INTERPOSE_MAX; i++)
        cushim_close(&drivers[i]);
    cushim_close(&below);
}

Test(every_row, of_nvrtc)
{
    cushim_nvrtc below = fake_nvrtc_open(), nvrtcs[CUSHIM_INTERPOSE_MAX];

    for (size_t i = 0; i < CUSHIM_INTERPOSE_MAX; i++) {
        assert_ok(cushim_interpose_nvrtc(below, &hooks, 1, &nvrtcs[i]));
        check_rows(&cushim__nvrtc_rows, CUSHIM_LIBRARY_NVRTC, every_nvrtc_call,
                   cushim_nvrtc_functions(nvrtcs[i], CUSHIM_NVRTC_ROWS));
    }
    for (size_t i = 0; i < CUSHIM_INTERPOSE_MAX; i++)
        cushim_nvrtc_close(&nvrtcs[i]);
    cushim_nvrtc_close(&below);
}

Test(every_row, of_nvjitlink)
{
    cushim_nvjitlink below = fake_nvjitlink_open(), nvjitlinks[CUSHIM_INTERPOSE_MAX];

    for (size_t i = 0; i < CUSHIM_INTERPOSE_MAX; i++) {
        assert_ok(cushim_interpose_nvjitlink(below, &hooks, 1, &nvjitlinks[i]));
        check_rows(&cushim__nvjitlink_rows, CUSHIM_LIBRARY_NVJITLINK, every_nvjitlink_call,
                   cushim_nvjitlink_functions(nvjitlinks[i], CUSHIM_NVJITLINK_ROWS));
    }
    for (size_t i = 0; i < CUSHIM_INTERPOSE_MAX; i++)
        cushim_nvjitlink_close(&nvjitlinks[i]);
    cushim_nvjitlink_close(&below);
}
