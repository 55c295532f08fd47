/* SPDX-License-Identifier: MIT */
/*
 * Accesses to global memory that need not be noted, because the words of their lines would stay as
 * they are (see ptx__line_unchanged()): compiled code looks at the words itself. All lanes of a row
 * lie in one piece of memory. Where they leave gaps, lines are looked at that no lane uses; that
 * may only ask for a note in vain.
 */
#include "mock/ptx/jit/note.h"
#include "mock/ptx/racecheck/racecheck.h"

/* More words than this are looked at faster by the function that notes. */
enum { MOST_WORDS = 12 };

/* What is known of the words together. */
struct words {
    struct ptx__jit_value differ; /* bits that are not as the block's own line has them, in any */
    struct ptx__jit_value all;    /* bits that are set in each */
};

static struct ptx__jit_value both(const struct ptx__jit_access *access, const char *name,
                                  struct ptx__jit_value a, uint64_t b)
{
    return ptx__jit_binary(access->text, name, a, ptx__jit_i64(b));
}

static uint64_t span(const struct ptx__jit_access *access)
{
    const int64_t step = access->device.form.step;

    return (uint64_t) (step < 0 ? -step : step) * (ptx__jit_row_lanes(access) - 1);
}

static unsigned n_rows(const struct ptx__jit_access *access)
{
    return access->device.form.rows ? PTX__LANES / ptx__jit_row_lanes(access) : 1;
}

/* The words of a row: of its first byte, of each line in between, and of its last byte. */
static unsigned n_words(const struct ptx__jit_access *access)
{
    const uint64_t bytes = span(access) + access->all;

    if (!access->device.form.step && bytes <= PTX__LINE_BYTES)
        return 1;
    return (unsigned) ((bytes - 2) / PTX__LINE_BYTES) + 2;
}

bool ptx__jit_sees_lines(const struct ptx__jit_access *access)
{
    return ptx__jit_in_one_piece(access) &&
           span(access) <= (uint64_t) MOST_WORDS * PTX__LINE_BYTES &&
           n_rows(access) * n_words(access) <= MOST_WORDS;
}

/* The word of the line that a byte of the range is in. */
static struct ptx__jit_value word_of(const struct ptx__jit_access *access,
                                     struct ptx__jit_value offset)
{
    const struct ptx__jit_value number = both(access, "lshr", offset, 6);
    const struct ptx__jit_value at =
        ptx__jit_binary(access->text, "add", access->shadow, both(access, "shl", number, 3));

    return ptx__jit_load(access->text, "volatile ", at, PTX__JIT_I64, 0, 8);
}

static void look(const struct ptx__jit_access *access, struct ptx__jit_value word,
                 struct ptx__jit_value own, struct words *words)
{
    const uint64_t other = access->load ? PTX__LINE_ALL_WRITTEN : PTX__LINE_ALL_READ;
    const struct ptx__jit_value differ =
        ptx__jit_binary(access->text, "xor", both(access, "and", word, ~other), own);

    words->differ = ptx__jit_binary(access->text, "or", words->differ, differ);
    words->all = ptx__jit_binary(access->text, "and", words->all, word);
}

static void look_at_row(const struct ptx__jit_access *access, struct ptx__jit_value first,
                        struct ptx__jit_value own, struct words *words)
{
    const unsigned n = n_words(access);
    const uint64_t last = span(access) + access->all - 1;

    for (unsigned i = 0; i < n; i++) {
        const uint64_t at = i && i == n - 1 ? last : i * (uint64_t) PTX__LINE_BYTES;

        look(access, word_of(access, both(access, "add", first, at)), own, words);
    }
}

/* The word of a line of this block alone, all of which it has read, or written. */
static struct ptx__jit_value own_line(const struct ptx__jit_access *access)
{
    const struct ptx__jit_value owners = HIT_FIELD(access, I64, owners);
    const struct ptx__jit_value owner = both(access, "shl", access->emit->owner, PTX__LINE_SHIFT);

    return both(access, "or", ptx__jit_binary(access->text, "and", owner, owners),
                PTX__LINE_OF_ONE | (access->load ? PTX__LINE_ALL_READ : PTX__LINE_ALL_WRITTEN));
}

struct ptx__jit_value ptx__jit_lines_stay(const struct ptx__jit_access *access)
{
    const uint64_t many = PTX__LINE_MANY | PTX__LINE_ALL_READ;
    const struct ptx__jit_value own = own_line(access);
    const unsigned rows = n_rows(access);
    struct ptx__jit_value offset, stay;
    struct words words = {ptx__jit_i64(0), ptx__jit_i64(~UINT64_C(0))};

    offset = ptx__jit_binary(access->text, "sub", access->device.base, access->begin);
    if (access->device.form.step < 0)
        offset = both(access, "sub", offset, span(access));
    for (unsigned row = 0; row < rows; row++) {
        if (row)
            offset = ptx__jit_binary(access->text, "add", offset, access->device.rows);
        look_at_row(access, offset, own, &words);
    }
    stay = ptx__jit_compare(access->text, "icmp eq", words.differ, ptx__jit_i64(0));
    if (!access->load)
        return stay;
    return ptx__jit_binary(access->text, "or", stay,
                           ptx__jit_compare(access->text, "icmp eq",
                                            both(access, "and", words.all, many),
                                            ptx__jit_i64(many)));
}
