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

/* Writes the pointers of all lanes. Returns the number of the value. */
static uint64_t say_pointers(const struct ptx__jit_access *access, unsigned element)
{
    struct ptx__jit_text *text = access->text;
    const struct ptx__jit_value at =
        ptx__jit_at(access->emit, access->address, element * access->bytes);
    const uint64_t number = text->next++;

    ptx__jit_say(text, "  %%v%llu = inttoptr ", (unsigned long long) number);
    ptx__jit_say_typed(text, at);
    ptx__jit_say(text, " to <32 x ");
    ptx__jit_say_pointer(text, ptx__jit_memory_type(access), 0);
    ptx__jit_say(text, ">\n");
    return number;
}

static void say_pointer_operand(const struct ptx__jit_access *access, uint64_t pointers)
{
    ptx__jit_say(access->text, "<32 x ");
    ptx__jit_say_pointer(access->text, ptx__jit_memory_type(access), 0);
    ptx__jit_say(access->text, "> %%v%llu, i32 %u, ", (unsigned long long) pointers, access->bytes);
    ptx__jit_say_typed(access->text,
                       ptx__jit_splat(access->text, ptx__jit_number(PTX__JIT_I1, 1), PTX__LANES));
}

static void say_name(const struct ptx__jit_access *access, const char *name)
{
    const unsigned bits = access->op->memory_bits;

    if (access->text->typed)
        ptx__jit_say(access->text, " @llvm.masked.%s.v32i%u.v32p0i%u(", name, bits, bits);
    else
        ptx__jit_say(access->text, " @llvm.masked.%s.v32i%u.v32p0(", name, bits);
}

struct ptx__jit_value ptx__jit_gather(const struct ptx__jit_access *access, unsigned element)
{
    struct ptx__jit_text *text = access->text;
    const uint64_t pointers = say_pointers(access, element);
    const struct ptx__jit_value r = ptx__jit_begin(text, ptx__jit_memory_type(access), PTX__LANES);

    ptx__jit_say(text, "call ");
    ptx__jit_say_type(text, r.type, PTX__LANES);
    say_name(access, "gather");
    say_pointer_operand(access, pointers);
    ptx__jit_say(text, ", ");
    ptx__jit_say_type(text, r.type, PTX__LANES);
    ptx__jit_say(text, " zeroinitializer)\n");
    return r;
}

/* Whether the addresses of all lanes are contiguous, and the first one. */
static struct ptx__jit_value is_row(const struct ptx__jit_access *access,
                                    struct ptx__jit_value *ret_first)
{
    struct ptx__jit_emit *emit = access->emit;
    struct ptx__jit_text *text = access->text;
    struct ptx__jit_operand row = {.form = {.known = true, .step = access->bytes}};
    struct ptx__jit_value same;

    row.base = ptx__jit_lane(text, access->address, ptx__jit_number(PTX__JIT_I32, 0));
    same = ptx__jit_compare(text, "icmp eq", access->address, ptx__jit_row(emit, &row));
    *ret_first = row.base;
    return ptx__jit_compare(text, "icmp eq", ptx__jit_word(text, same),
                            ptx__jit_number(PTX__JIT_I32, PTX__ALL));
}

struct ptx__jit_value ptx__jit_load_lanes(const struct ptx__jit_access *access, unsigned element)
{
    struct ptx__jit_emit *emit = access->emit;
    const size_t label = emit->n_labels++;
    struct ptx__jit_value first, whole, parts;

    if (access->n > 1)
        return ptx__jit_gather(access, element);
    ptx__jit_branch(emit, is_row(access, &first), "row", label, "lanes", label);
    ptx__jit_label(emit, "row", label);
    whole = ptx__jit_load(access->text, "volatile ", first, ptx__jit_memory_type(access),
                          PTX__LANES, access->bytes);
    ptx__jit_goto(emit, "loaded", label);
    ptx__jit_label(emit, "lanes", label);
    parts = ptx__jit_gather(access, element);
    ptx__jit_goto(emit, "loaded", label);
    ptx__jit_label(emit, "loaded", label);
    return ptx__jit_phi(emit, whole, "row", label, parts, "lanes", label);
}

/* Whether one vector can be stored: also the lanes that store nothing have contiguous addresses. */
static struct ptx__jit_value stores_row(const struct ptx__jit_access *access,
                                        struct ptx__jit_value *ret_first)
{
    const struct ptx__jit_emit *emit = access->emit;
    const struct ptx__jit_value row = is_row(access, ret_first);
    const struct ptx__jit_value word = emit->guarded ? emit->guard_word : emit->mask_word;

    return ptx__jit_binary(
        access->text, "and", row,
        ptx__jit_compare(access->text, "icmp eq", word, ptx__jit_number(PTX__JIT_I32, PTX__ALL)));
}

void ptx__jit_store_each(const struct ptx__jit_access *access)
{
    struct ptx__jit_emit *emit = access->emit;
    const bool some = emit->guarded || !emit->full;
    const size_t label = emit->n_labels++;
    struct ptx__jit_value first;

    if (access->n == 1) {
        const struct ptx__jit_value value = ptx__jit_stored(access, 0);

        ptx__jit_branch(emit, some ? stores_row(access, &first) : is_row(access, &first), "row",
                        label, "lanes", label);
        ptx__jit_label(emit, "row", label);
        ptx__jit_store(access->text, "volatile ", first, value, access->bytes);
        ptx__jit_goto(emit, "stored", label);
        ptx__jit_label(emit, "lanes", label);
    }
    for (unsigned i = 0; i < access->n; i++) {
        if (some)
            ptx__jit_store_some(access, i, ptx__jit_stored(access, i));
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
    const uint64_t pointers = say_pointers(access, element);

    ptx__jit_say(access->text, "  call void");
    say_name(access, "scatter");
    ptx__jit_say_typed(access->text, value);
    ptx__jit_say(access->text, ", ");
    say_pointer_operand(access, pointers);
    ptx__jit_say(access->text, ")\n");
}

void ptx__jit_store_some(const struct ptx__jit_access *access, unsigned element,
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
                   ptx__jit_at(emit, access->address, element * access->bytes), 64);
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
