/* SPDX-License-Identifier: MIT */
/*
 * Accesses to whole lines of global memory that no block has used, or only this one: compiled code
 * notes them itself, as touch_whole() of racecheck_global.c does. The lanes of each row use
 * contiguous elements from the begin of a line to the end of one. Whatever is not as expected is
 * left to the function that notes, which may find lines that have been noted already.
 */
#include "mock/ptx/jit/note.h"
#include "mock/ptx/racecheck/racecheck.h"

/* More lines than this are noted faster by the function. */
enum { MOST_LINES = 8 };

/* The lines of an access: where their words are, what these are, and what they become. */
struct whole {
    const struct ptx__jit_access *access;
    struct ptx__jit_value range;
    struct ptx__jit_value offsets[MOST_LINES], at[MOST_LINES];
    struct ptx__jit_value before[MOST_LINES], after[MOST_LINES];
    unsigned n;
};

static unsigned bytes_of_row(const struct ptx__jit_access *access)
{
    return access->all * ptx__jit_row_lanes(access);
}

bool ptx__jit_notes_whole_lines(const struct ptx__jit_access *access)
{
    const struct ptx__jit_form form = access->device.form;
    const bool rows = form.rows || ptx__jit_row_lanes(access) == PTX__LANES;

    return access->emit->full && !access->emit->guarded && !form.vector &&
           form.step == (int64_t) access->all && rows &&
           bytes_of_row(access) % PTX__LINE_BYTES == 0 &&
           ptx__jit_n_rows(access) * bytes_of_row(access) <= MOST_LINES * PTX__LINE_BYTES;
}

static struct ptx__jit_value both(const struct whole *whole, struct ptx__jit_value a,
                                  struct ptx__jit_value b)
{
    return ptx__jit_binary(whole->access->text, "and", a, b);
}

static struct ptx__jit_value is_zero(const struct whole *whole, struct ptx__jit_value value)
{
    return ptx__jit_compare(whole->access->text, "icmp eq", value, ptx__jit_number(value.type, 0));
}

static struct ptx__jit_value load(const struct whole *whole, struct ptx__jit_value address,
                                  unsigned type)
{
    return ptx__jit_load(whole->access->text, "volatile ", address, type, 0,
                         ptx__jit_bits(type) / 8);
}

/*
 * Whether rows begin where lines do, blocks without an order are compared, and all of the memory
 * was written, if it is read.
 */
static struct ptx__jit_value is_usable(struct whole *whole)
{
    const struct ptx__jit_access *access = whole->access;
    struct ptx__jit_value bits = ptx__jit_binary(access->text, "sub", access->device.base,
                                                 access->begin),
                          usable;

    if (access->device.form.rows)
        bits = ptx__jit_binary(access->text, "or", bits, access->device.rows);
    usable = both(whole, is_zero(whole, ptx__jit_with(access, "and", bits, PTX__LINE_BYTES - 1)),
                  is_zero(whole, FIELD(access->emit, access->emit->block, I8, ptx__block, strong)));
    if (access->load)
        usable = both(whole, usable,
                      is_zero(whole, FIELD(access->emit, whole->range, I64, ptx__range, written)));
    return usable;
}

static void find_lines(struct whole *whole)
{
    const struct ptx__jit_access *access = whole->access;
    struct ptx__jit_value first =
        ptx__jit_binary(access->text, "sub", access->device.base, access->begin);

    for (unsigned row = 0; row < ptx__jit_n_rows(access); row++) {
        if (row)
            first = ptx__jit_binary(access->text, "add", first, access->device.rows);
        for (unsigned i = 0; i < bytes_of_row(access); i += PTX__LINE_BYTES) {
            const struct ptx__jit_value offset = ptx__jit_with(access, "add", first, i);

            whole->offsets[whole->n] = offset;
            whole->at[whole->n++] = ptx__jit_binary(access->text, "add", access->shadow,
                                                    ptx__jit_with(access, "lshr", offset, 3));
        }
    }
}

/* Whether no other block has used a line. */
static struct ptx__jit_value is_own(const struct whole *whole, struct ptx__jit_value word,
                                    struct ptx__jit_value own)
{
    const struct ptx__jit_access *access = whole->access;
    const struct ptx__jit_value kind =
        ptx__jit_with(access, "and", word, ~(uint64_t) PTX__LINE_ALL);

    return ptx__jit_binary(access->text, "or", is_zero(whole, word),
                           ptx__jit_compare(access->text, "icmp eq", kind, own));
}

/* Whether a launch is known to use the part of the shadow memory that a line is in. */
static struct ptx__jit_value is_used(const struct whole *whole, struct ptx__jit_value parts,
                                     struct ptx__jit_value offset)
{
    const struct ptx__jit_access *access = whole->access;
    const struct ptx__jit_value number =
        ptx__jit_with(access, "lshr", offset, __builtin_ctzll(PTX__PART_BYTES));
    const struct ptx__jit_value part =
        load(whole, ptx__jit_binary(access->text, "add", parts, number), PTX__JIT_I8);

    return ptx__jit_compare(access->text, "icmp ne",
                            ptx__jit_with(access, "and", part, PTX__PART_LINES),
                            ptx__jit_number(PTX__JIT_I8, 0));
}

/* Whether all lines may be noted here. */
static struct ptx__jit_value may_note(struct whole *whole)
{
    const struct ptx__jit_access *access = whole->access;
    const uint64_t flag = access->load ? PTX__LINE_ALL_READ : PTX__LINE_ALL_WRITTEN;
    const struct ptx__jit_value own = ptx__jit_own_line(access, 0);
    const struct ptx__jit_value parts = FIELD(access->emit, whole->range, I64, ptx__range, parts);
    struct ptx__jit_value may = ptx__jit_number(PTX__JIT_I1, 1);

    for (unsigned i = 0; i < whole->n; i++) {
        whole->before[i] = load(whole, whole->at[i], PTX__JIT_I64);
        whole->after[i] = ptx__jit_with(
            access, "or", ptx__jit_binary(access->text, "or", whole->before[i], own), flag);
        may = both(whole, may, is_own(whole, whole->before[i], own));
        /* Lines of a row are in one part, or in two. */
        if (i == 0 || i == whole->n - 1 || access->device.form.rows)
            may = both(whole, may, is_used(whole, parts, whole->offsets[i]));
    }
    return may;
}

/* Other workers may come between. */
static struct ptx__jit_value exchange(const struct whole *whole)
{
    struct ptx__jit_text *text = whole->access->text;
    struct ptx__jit_value all = ptx__jit_number(PTX__JIT_I1, 1);

    for (unsigned i = 0; i < whole->n; i++) {
        struct ptx__jit_value seen = whole->before[i];

        seen.number = text->next++;
        all = both(whole, all,
                   ptx__jit_exchange(text, whole->at[i], whole->before[i], whole->after[i], seen));
    }
    return all;
}

void ptx__jit_note_whole_lines(const struct ptx__jit_access *access, const char *noted,
                               const char *otherwise, size_t number)
{
    struct ptx__jit_emit *emit = access->emit;
    struct whole whole = {.access = access, .range = HIT_FIELD(access, I64, range)};
    const struct ptx__jit_value grid = FIELD(emit, emit->block, I64, ptx__block, grid);

    ptx__jit_branch(emit, is_usable(&whole), "lines", number, otherwise, number);
    ptx__jit_label(emit, "lines", number);
    find_lines(&whole);
    ptx__jit_branch(emit, may_note(&whole), "note_lines", number, otherwise, number);
    ptx__jit_label(emit, "note_lines", number);
    ptx__jit_branch(emit, is_zero(&whole, FIELD(emit, grid, I8, ptx__grid, alone)),
                    "exchange_lines", number, "put_lines", number);
    ptx__jit_label(emit, "put_lines", number);
    for (unsigned i = 0; i < whole.n; i++)
        ptx__jit_store(access->text, "volatile ", whole.at[i], whole.after[i], 8);
    ptx__jit_goto(emit, noted, number);
    ptx__jit_label(emit, "exchange_lines", number);
    ptx__jit_branch(emit, exchange(&whole), noted, number, otherwise, number);
}
