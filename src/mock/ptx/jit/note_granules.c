/* SPDX-License-Identifier: MIT */
/*
 * Reads of shared memory that compiled code notes itself: the shadow memory lets the warp do so
 * (see struct ptx__shared_reads), and all of the granules are written. Then only their last readers
 * change: the lanes, in their order.
 */
#include "mock/ptx/jit/note.h"
#include "mock/ptx/racecheck/racecheck.h"

enum { MOST_ROWS = 4, MOST_GRANULES = 57 /* of a row: bits in eight bytes, from any one on */ };

static struct ptx__jit_value plus(const struct ptx__jit_access *access, struct ptx__jit_value a,
                                  struct ptx__jit_value b)
{
    return ptx__jit_binary(access->text, "add", a, b);
}

/* Of one lane. */
static unsigned n_granules(const struct ptx__jit_access *access)
{
    return access->all >> PTX__GRANULE_SHIFT;
}

/* Of a row: contiguous ones, or those of one element. */
static unsigned n_in_row(const struct ptx__jit_access *access)
{
    return n_granules(access) * (access->device.form.step ? ptx__jit_row_lanes(access) : 1);
}

bool ptx__jit_reads_granules(const struct ptx__jit_access *access)
{
    const struct ptx__jit_form form = access->device.form;

    return access->load && access->emit->full && !access->emit->guarded && !form.vector &&
           (!form.step || form.step == (int64_t) access->all) &&
           access->all % (1u << PTX__GRANULE_SHIFT) == 0 && ptx__jit_n_rows(access) <= MOST_ROWS &&
           n_in_row(access) <= MOST_GRANULES;
}

/* The bits of a row's granules that are not written. */
static struct ptx__jit_value missing(const struct ptx__jit_access *access,
                                     struct ptx__jit_value written, struct ptx__jit_value granule)
{
    const uint64_t mask = (UINT64_C(1) << n_in_row(access)) - 1;
    const struct ptx__jit_value at =
        plus(access, written, ptx__jit_with(access, "lshr", granule, 3));
    const struct ptx__jit_value bits = ptx__jit_load(
        access->text, "", at, n_in_row(access) == 1 ? PTX__JIT_I8 : PTX__JIT_I64, 0, 1);
    const struct ptx__jit_value wide = ptx__jit_cast(access->text, "zext", bits, PTX__JIT_I64);
    const struct ptx__jit_value shifted =
        ptx__jit_binary(access->text, "lshr", wide, ptx__jit_with(access, "and", granule, 7));

    return ptx__jit_with(access, "and", ptx__jit_with(access, "xor", shifted, ~UINT64_C(0)), mask);
}

/* The records of a row's granules: of the lanes of the row, or of its last one. */
static struct ptx__jit_value records(const struct ptx__jit_access *access,
                                     struct ptx__jit_value record, unsigned row)
{
    struct ptx__jit_text *text = access->text;
    const unsigned lanes = ptx__jit_row_lanes(access), n = n_in_row(access);
    const unsigned first = row * lanes;
    struct ptx__jit_value all;

    if (!access->device.form.step)
        return ptx__jit_splat(text, ptx__jit_with(access, "add", record, first + lanes - 1),
                              n > 1 ? n : 0);
    all = ptx__jit_splat(text, record, n);
    record = ptx__jit_begin(text, PTX__JIT_I32, n);
    ptx__jit_say(text, "add ");
    ptx__jit_say_typed(text, all);
    for (unsigned i = 0; i < n; i++)
        ptx__jit_say(text, ", %si32 %u", i ? "" : "<", first + i / n_granules(access));
    ptx__jit_say(text, ">\n");
    return record;
}

/* Where the shadow memory says what this warp may note itself. */
static struct ptx__jit_value license(const struct ptx__jit_access *access, size_t offset,
                                     unsigned type)
{
    const struct ptx__jit_value at = plus(access, access->shadow, access->emit->reads);

    return ptx__jit_field(access->emit, at, offset, type);
}

/* The first granule of a row. */
static struct ptx__jit_value first_of(const struct ptx__jit_access *access, unsigned row)
{
    struct ptx__jit_value offset = access->device.base;

    if (row)
        offset = plus(access, offset, ptx__jit_with(access, "mul", access->device.rows, row));
    return ptx__jit_with(access, "lshr", offset, PTX__GRANULE_SHIFT);
}

void ptx__jit_read_granules(const struct ptx__jit_access *access, const char *otherwise,
                            size_t number)
{
    struct ptx__jit_emit *emit = access->emit;
    struct ptx__jit_text *text = access->text;
    const unsigned rows = ptx__jit_n_rows(access),
                   all_rows = PTX__LANES / ptx__jit_row_lanes(access);
    const struct ptx__jit_value readers =
        license(access, offsetof(struct ptx__shared_reads, readers), PTX__JIT_I64);
    struct ptx__jit_value first[MOST_ROWS], written, record, missed;

    ptx__jit_branch(emit, ptx__jit_compare(text, "icmp ne", readers, ptx__jit_i64(0)), "may",
                    number, otherwise, number);
    ptx__jit_label(emit, "may", number);
    written = FIELD(emit, access->shadow, I64, ptx__shared_racecheck, written);
    missed = ptx__jit_i64(0);
    for (unsigned row = 0; row < rows; row++) {
        first[row] = first_of(access, row);
        missed = ptx__jit_binary(text, "or", missed, missing(access, written, first[row]));
    }
    ptx__jit_branch(emit, ptx__jit_compare(text, "icmp eq", missed, ptx__jit_i64(0)), "record",
                    number, otherwise, number);
    ptx__jit_label(emit, "record", number);
    record = license(access, offsetof(struct ptx__shared_reads, record), PTX__JIT_I32);
    for (unsigned row = 0; row < rows; row++) {
        const struct ptx__jit_value at =
            plus(access, readers, ptx__jit_with(access, "shl", first[row], 2));

        ptx__jit_store(text, "", at, records(access, record, rows == 1 ? all_rows - 1 : row), 4);
    }
}
