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

static uint64_t span(const struct ptx__jit_access *access)
{
    const int64_t step = access->device.form.step;

    return (uint64_t) (step < 0 ? -step : step) * (ptx__jit_row_lanes(access) - 1);
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
           ptx__jit_n_rows(access) * n_words(access) <= MOST_WORDS;
}

/* The word of the line that a byte of the range is in. */
static struct ptx__jit_value word_of(const struct ptx__jit_access *access,
                                     struct ptx__jit_value offset)
{
    const struct ptx__jit_value number = ptx__jit_with(access, "lshr", offset, 6);
    const struct ptx__jit_value at = ptx__jit_binary(access->text, "add", access->shadow,
                                                     ptx__jit_with(access, "shl", number, 3));

    return ptx__jit_load(access->text, "volatile ", at, PTX__JIT_I64, 0, 8);
}

static unsigned load_words(const struct ptx__jit_access *access, struct ptx__jit_value *words)
{
    const unsigned rows = ptx__jit_n_rows(access), n = n_words(access);
    const uint64_t last = span(access) + access->all - 1;
    struct ptx__jit_value first =
        ptx__jit_binary(access->text, "sub", access->device.base, access->begin);
    unsigned all = 0;

    if (access->device.form.step < 0)
        first = ptx__jit_with(access, "sub", first, span(access));
    for (unsigned row = 0; row < rows; row++) {
        if (row)
            first = ptx__jit_binary(access->text, "add", first, access->device.rows);
        for (unsigned i = 0; i < n; i++)
            words[all++] = word_of(
                access, ptx__jit_with(access, "add", first,
                                      i && i == n - 1 ? last : i * (uint64_t) PTX__LINE_BYTES));
    }
    return all;
}

/* Whether several blocks have read all of the lines, and none has written. */
static struct ptx__jit_value read_by_many(const struct ptx__jit_access *access,
                                          const struct ptx__jit_value *words, unsigned n)
{
    const uint64_t flags = PTX__LINE_MANY | PTX__LINE_ALL_READ;
    struct ptx__jit_value all = words[0];

    for (unsigned i = 1; i < n; i++)
        all = ptx__jit_binary(access->text, "and", all, words[i]);
    return ptx__jit_compare(access->text, "icmp eq", ptx__jit_with(access, "and", all, flags),
                            ptx__jit_i64(flags));
}

struct ptx__jit_value ptx__jit_own_line(const struct ptx__jit_access *access, uint64_t flags)
{
    const struct ptx__jit_value owner =
        ptx__jit_with(access, "shl", access->emit->owner, PTX__LINE_SHIFT);

    return ptx__jit_with(
        access, "or", ptx__jit_binary(access->text, "and", owner, HIT_FIELD(access, I64, owners)),
        PTX__LINE_OF_ONE | flags);
}

/* Whether this block alone has read, or written, all of all lines. What else was done with all of
 * them does not matter. */
static struct ptx__jit_value are_own(const struct ptx__jit_access *access,
                                     const struct ptx__jit_value *words, unsigned n)
{
    const uint64_t other = access->load ? PTX__LINE_ALL_WRITTEN : PTX__LINE_ALL_READ;
    const struct ptx__jit_value own =
        ptx__jit_own_line(access, access->load ? PTX__LINE_ALL_READ : PTX__LINE_ALL_WRITTEN);
    struct ptx__jit_value differ = {0};

    for (unsigned i = 0; i < n; i++) {
        const struct ptx__jit_value here = ptx__jit_binary(
            access->text, "xor", ptx__jit_with(access, "and", words[i], ~other), own);

        differ = i ? ptx__jit_binary(access->text, "or", differ, here) : here;
    }
    return ptx__jit_compare(access->text, "icmp eq", differ, ptx__jit_i64(0));
}

void ptx__jit_look_at_lines(const struct ptx__jit_access *access, const char *stay,
                            const char *otherwise, size_t number)
{
    struct ptx__jit_value words[MOST_WORDS] = {{0}};
    const unsigned n = load_words(access, words);

    if (access->load) {
        ptx__jit_branch(access->emit, read_by_many(access, words, n), stay, number, "own", number);
        ptx__jit_label(access->emit, "own", number);
    }
    ptx__jit_branch(access->emit, are_own(access, words, n), stay, number, otherwise, number);
}
