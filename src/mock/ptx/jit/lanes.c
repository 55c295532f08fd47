/* SPDX-License-Identifier: MIT */
/* How lanes load and store: by rows, or each from its own address. */
#include "mock/ptx/jit/access.h"

unsigned ptx__jit_memory_type(const struct ptx__jit_access *access)
{
    return ptx__jit_type_of_bits(access->op->memory_bits);
}

static unsigned slot_type(const struct ptx__jit_access *access)
{
    return access->op->slot_bits == 64 ? PTX__JIT_I64 : PTX__JIT_I32;
}

/* A register of 16 bits has a slot of 32, whose other bits are zero. */
struct ptx__jit_value ptx__jit_extended(const struct ptx__jit_access *access,
                                        struct ptx__jit_value value)
{
    const char *how = access->op->type == 's' ? "sext" : "zext";

    if (access->op->slot_bits == 16)
        value = ptx__jit_cast(access->text, how, value, PTX__JIT_I16);
    return ptx__jit_cast(access->text, access->op->slot_bits == 16 ? "zext" : how, value,
                         slot_type(access));
}

struct ptx__jit_value ptx__jit_place(const struct ptx__jit_access *access, unsigned row,
                                     uint64_t offset)
{
    struct ptx__jit_value at = access->address;

    if (row)
        at = ptx__jit_binary(
            access->text, "add", at,
            ptx__jit_binary(access->text, "mul", access->device.rows, ptx__jit_i64(row)));
    return ptx__jit_at(access->emit, at, offset);
}

/* Puts rows behind each other until there are all lanes. */
static struct ptx__jit_value together(const struct ptx__jit_access *access,
                                      struct ptx__jit_value *rows, unsigned n)
{
    unsigned lanes[PTX__LANES];

    for (unsigned l = 0; l < PTX__LANES; l++)
        lanes[l] = l;
    for (; n > 1; n /= 2) {
        for (unsigned i = 0; i < n / 2; i++)
            rows[i] = ptx__jit_shuffled(access->text, rows[2 * i], rows[2 * i + 1],
                                        2u * rows[2 * i].lanes, lanes);
    }
    return rows[0];
}

/* Each row's bytes are contiguous, or are one element that all of its lanes read. */
static struct ptx__jit_value load_row(const struct ptx__jit_access *access, unsigned row,
                                      unsigned element)
{
    const unsigned n = access->n, lanes = ptx__jit_row_lanes(access);
    struct ptx__jit_value all;
    unsigned which[PTX__LANES];

    if (!access->device.form.step)
        return ptx__jit_splat(access->text,
                              ptx__jit_load(access->text, "volatile ",
                                            ptx__jit_place(access, row, element * access->bytes),
                                            ptx__jit_memory_type(access), 0, access->bytes),
                              lanes);
    all = ptx__jit_load(access->text, "volatile ", ptx__jit_place(access, row, 0),
                        ptx__jit_memory_type(access), lanes * n, access->bytes);
    for (unsigned l = 0; l < lanes; l++)
        which[l] = l * n + element;
    return n == 1 ? all : ptx__jit_shuffled(access->text, all, all, lanes, which);
}

struct ptx__jit_value ptx__jit_load_rows(const struct ptx__jit_access *access, unsigned element)
{
    const unsigned n = PTX__LANES / ptx__jit_row_lanes(access);
    struct ptx__jit_value rows[PTX__LANES];

    rows[0] = load_row(access, 0, element);
    for (unsigned i = 1; i < n; i++)
        rows[i] = !access->device.form.rows ? rows[0] : load_row(access, i, element);
    return together(access, rows, n);
}

/* --- lists of what the lanes have --- */

void ptx__jit_put_list(const struct ptx__jit_access *access, unsigned list,
                       struct ptx__jit_value lanes)
{
    ptx__jit_store(access->text, "",
                   ptx__jit_at(access->emit, access->emit->room, list * PTX__LANES * 8),
                   ptx__jit_splat(access->text, lanes, PTX__LANES), 64);
}

struct ptx__jit_value ptx__jit_list_at(const struct ptx__jit_access *access, unsigned list,
                                       struct ptx__jit_value lane, unsigned bytes)
{
    const uint64_t first = list * PTX__LANES * 8;

    if (lane.literal)
        return ptx__jit_at(access->emit, access->emit->room, first + lane.number * bytes);
    return ptx__jit_binary(
        access->text, "add", ptx__jit_at(access->emit, access->emit->room, first),
        ptx__jit_with(access, "mul", ptx__jit_cast(access->text, "zext", lane, PTX__JIT_I64),
                      bytes));
}

struct ptx__jit_value ptx__jit_listed(const struct ptx__jit_access *access, unsigned list,
                                      struct ptx__jit_value lane, unsigned type)
{
    const unsigned bytes = ptx__jit_bits(type) / 8;

    return ptx__jit_load(access->text, "", ptx__jit_list_at(access, list, lane, bytes), type, 0,
                         bytes);
}

static struct ptx__jit_value on_host(const struct ptx__jit_access *access,
                                     struct ptx__jit_value address)
{
    if (!access->from_begin)
        return address;
    return ptx__jit_binary(access->text, "add",
                           ptx__jit_cast(access->text, "zext", address, PTX__JIT_I64),
                           access->host);
}

struct ptx__jit_value ptx__jit_listed_address(const struct ptx__jit_access *access, unsigned list,
                                              struct ptx__jit_value lane)
{
    return on_host(access, ptx__jit_listed(access, list, lane, access->address.type));
}

struct ptx__jit_value ptx__jit_host_addresses(const struct ptx__jit_access *access)
{
    return on_host(access, access->address);
}

/* --- each lane from its own address --- */

/* Where an element of a lane is, if the lanes' addresses are the first list. */
static struct ptx__jit_value place_of_lane(const struct ptx__jit_access *access, unsigned lane,
                                           unsigned element)
{
    const struct ptx__jit_value number = ptx__jit_number(PTX__JIT_I32, lane);

    return ptx__jit_at(access->emit, ptx__jit_listed_address(access, 0, number),
                       element * access->bytes);
}

struct ptx__jit_value ptx__jit_gather(const struct ptx__jit_access *access, unsigned element)
{
    struct ptx__jit_value lanes[PTX__LANES];

    ptx__jit_put_list(access, 0, access->address);
    for (unsigned l = 0; l < PTX__LANES; l++)
        lanes[l] = ptx__jit_load(access->text, "volatile ", place_of_lane(access, l, element),
                                 ptx__jit_memory_type(access), 0, access->bytes);
    return ptx__jit_joined(access->text, PTX__LANES, lanes);
}

/*
 * Whether the addresses of all lanes may be contiguous: the last one fits the first one. Also lanes
 * that store nothing would have to be.
 */
static struct ptx__jit_value may_be_row(const struct ptx__jit_access *access,
                                        struct ptx__jit_value first)
{
    struct ptx__jit_emit *emit = access->emit;
    struct ptx__jit_text *text = access->text;
    const struct ptx__jit_value last =
        ptx__jit_lane(text, access->address, ptx__jit_number(PTX__JIT_I32, PTX__LANES - 1));
    const struct ptx__jit_value fits =
        ptx__jit_compare(text, "icmp eq", last,
                         ptx__jit_with(access, "add", first, (PTX__LANES - 1) * access->bytes));
    const struct ptx__jit_value word = emit->guarded ? emit->guard_word : emit->mask_word;

    if (access->load || word.literal)
        return fits;
    return ptx__jit_binary(
        text, "and", fits,
        ptx__jit_compare(text, "icmp eq", word, ptx__jit_number(PTX__JIT_I32, PTX__ALL)));
}

/* Goes on where the addresses of all lanes are contiguous, and elsewhere if not. */
static struct ptx__jit_value find_row(const struct ptx__jit_access *access, size_t label)
{
    struct ptx__jit_emit *emit = access->emit;
    struct ptx__jit_text *text = access->text;
    struct ptx__jit_operand row = {.form = {.known = true, .step = access->bytes}};

    row.base = ptx__jit_lane(text, access->address, ptx__jit_number(PTX__JIT_I32, 0));
    ptx__jit_branch(emit, may_be_row(access, row.base), "ends", label, "lanes", label);
    ptx__jit_label(emit, "ends", label);
    ptx__jit_branch(emit,
                    ptx__jit_all_zero(text, ptx__jit_binary(text, "xor", access->address,
                                                            ptx__jit_row(emit, &row))),
                    "row", label, "lanes", label);
    ptx__jit_label(emit, "row", label);
    return on_host(access, row.base);
}

struct ptx__jit_value ptx__jit_load_lanes(const struct ptx__jit_access *access, unsigned element)
{
    struct ptx__jit_emit *emit = access->emit;
    const size_t label = emit->n_labels++;
    struct ptx__jit_value whole, parts;

    if (access->n > 1)
        return ptx__jit_gather(access, element);
    whole = ptx__jit_load(access->text, "volatile ", find_row(access, label),
                          ptx__jit_memory_type(access), PTX__LANES, access->bytes);
    ptx__jit_goto(emit, "loaded", label);
    ptx__jit_label(emit, "lanes", label);
    parts = ptx__jit_gather(access, element);
    ptx__jit_goto(emit, "loaded", label);
    ptx__jit_label(emit, "loaded", label);
    return ptx__jit_phi(emit, whole, "row", label, parts, "lanes", label);
}

void ptx__jit_store_each(const struct ptx__jit_access *access)
{
    struct ptx__jit_emit *emit = access->emit;
    const size_t label = emit->n_labels++;

    if (access->n == 1) {
        const struct ptx__jit_value value = ptx__jit_stored(access, 0);

        ptx__jit_store(access->text, "volatile ", find_row(access, label), value, access->bytes);
        ptx__jit_goto(emit, "stored", label);
        ptx__jit_label(emit, "lanes", label);
    }
    for (unsigned i = 0; i < access->n; i++) {
        if (emit->guarded || !emit->full)
            ptx__jit_store_by_lanes(access, i, ptx__jit_stored(access, i));
        else
            ptx__jit_scatter(access, i, ptx__jit_stored(access, i));
    }
    if (access->n == 1) {
        ptx__jit_goto(emit, "stored", label);
        ptx__jit_label(emit, "stored", label);
    }
}

/* The lanes store in their order, so that the last one counts. */
void ptx__jit_scatter(const struct ptx__jit_access *access, unsigned element,
                      struct ptx__jit_value value)
{
    ptx__jit_put_list(access, 0, access->address);
    ptx__jit_put_list(access, 1, value);
    for (unsigned l = 0; l < PTX__LANES; l++)
        ptx__jit_store(access->text, "volatile ", place_of_lane(access, l, element),
                       ptx__jit_listed(access, 1, ptx__jit_number(PTX__JIT_I32, l), value.type),
                       access->bytes);
}

void ptx__jit_store_by_lanes(const struct ptx__jit_access *access, unsigned element,
                             struct ptx__jit_value value)
{
    struct ptx__jit_emit *emit = access->emit;
    struct ptx__jit_text *text = access->text;
    const struct ptx__jit_value elements = ptx__jit_at(emit, emit->room, PTX__LANES * 8);
    const struct ptx__jit_value operands[] = {
        emit->room, elements, ptx__jit_i64(access->bytes),
        ptx__jit_cast(text, "zext", emit->guarded ? emit->guard_word : emit->mask_word,
                      PTX__JIT_I64)};

    ptx__jit_store(text, "", emit->room,
                   ptx__jit_at(emit, ptx__jit_host_addresses(access), element * access->bytes), 64);
    ptx__jit_store(text, "", elements, value, 64);
    ptx__jit_call_engine(emit, (uintptr_t) ptx__jit_store_lanes, "void", 4, operands);
}

struct ptx__jit_value ptx__jit_stored(const struct ptx__jit_access *access, unsigned element)
{
    const struct ptx__jit_operand operand = ptx__jit_read(access->emit, access->code->list[element],
                                                          access->op->slot_bits == 64 ? 64 : 32);
    const struct ptx__jit_value value = ptx__jit_vector(access->emit, &operand);

    return ptx__jit_cast(access->text, "trunc", value, ptx__jit_memory_type(access));
}

/* Rows of contiguous bytes, with the elements of each lane behind each other. */
void ptx__jit_store_rows(const struct ptx__jit_access *access)
{
    const unsigned lanes = ptx__jit_row_lanes(access), n_rows = PTX__LANES / lanes;
    const struct ptx__jit_value value = ptx__jit_stored(access, 0);

    for (unsigned row = 0; row < n_rows; row++) {
        unsigned which[PTX__LANES];

        for (unsigned l = 0; l < lanes; l++)
            which[l] = row * lanes + l;
        ptx__jit_store(access->text, "volatile ", ptx__jit_place(access, row, 0),
                       n_rows == 1 ? value
                                   : ptx__jit_shuffled(access->text, value, value, lanes, which),
                       access->bytes);
    }
}

/* The active lanes of a row of all. */
void ptx__jit_store_row_of_some(const struct ptx__jit_access *access)
{
    const struct ptx__jit_emit *emit = access->emit;

    ptx__jit_store_some(access->text, access->address, ptx__jit_stored(access, 0),
                        emit->guarded ? emit->guard : emit->mask, access->bytes);
}
