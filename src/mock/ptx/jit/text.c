/* SPDX-License-Identifier: MIT */
#include "mock/ptx/jit/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const type_names[] = {"i1", "i8", "i16", "i32", "i64", "float", "double"};

unsigned ptx__jit_bits(unsigned type)
{
    static const uint8_t bits[] = {1, 8, 16, 32, 64, 32, 64};

    return bits[type];
}

void ptx__jit_say(struct ptx__jit_text *text, const char *format, ...)
{
    char line[512];
    va_list list;

    va_start(list, format);
    vsnprintf(line, sizeof(line), format, list);
    va_end(list);
    cushim__str_append(&text->text, "%s", line);
}

void ptx__jit_say_type(struct ptx__jit_text *text, unsigned type, unsigned lanes)
{
    if (lanes)
        ptx__jit_say(text, "<%u x %s>", lanes, type_names[type]);
    else
        ptx__jit_say(text, "%s", type_names[type]);
}

void ptx__jit_say_pointer(struct ptx__jit_text *text, unsigned type, unsigned lanes)
{
    if (!text->typed) {
        ptx__jit_say(text, "ptr");
        return;
    }
    ptx__jit_say_type(text, type, lanes);
    ptx__jit_say(text, "*");
}

/* Returns a number as its type has it. */
static int64_t number_of(struct ptx__jit_value value)
{
    const unsigned unused = 64 - ptx__jit_bits(value.type);

    return (int64_t) (value.number << unused) >> unused;
}

static void say_literal(struct ptx__jit_text *text, struct ptx__jit_value value)
{
    if (value.address) {
        ptx__jit_say(text, "ptrtoint (%s @a%" PRIu64 " to i64)", text->typed ? "i8*" : "ptr",
                     value.number);
        return;
    }
    ptx__jit_say(text, "%" PRId64, number_of(value));
}

/* A number for all lanes. There are many of them, so the text of each is made once. */
static void say_splat(struct ptx__jit_text *text, struct ptx__jit_value value)
{
    enum { LONGEST = 40 };
    char all[LONGEST * UINT8_MAX], one[LONGEST];
    const int length =
        snprintf(one, sizeof(one), "%s %" PRId64 ", ", type_names[value.type], number_of(value));

    if (!number_of(value)) {
        ptx__jit_say(text, "zeroinitializer");
        return;
    }
    for (unsigned i = 0; i < value.lanes; i++)
        memcpy(all + i * (unsigned) length, one, (unsigned) length + 1);
    all[value.lanes * (unsigned) length - strlen(", ")] = 0;
    cushim__str_append(&text->text, "<%s>", all);
}

void ptx__jit_say_value(struct ptx__jit_text *text, struct ptx__jit_value value)
{
    if (!value.literal)
        ptx__jit_say(text, "%%v%" PRIu64, value.number);
    else if (!value.lanes)
        say_literal(text, value);
    else
        say_splat(text, value);
}

void ptx__jit_say_typed(struct ptx__jit_text *text, struct ptx__jit_value value)
{
    ptx__jit_say_type(text, value.type, value.lanes);
    ptx__jit_say(text, " ");
    ptx__jit_say_value(text, value);
}

struct ptx__jit_value ptx__jit_number(unsigned type, uint64_t number)
{
    return (struct ptx__jit_value){.type = (uint8_t) type, .literal = true, .number = number};
}

struct ptx__jit_value ptx__jit_outside(uint64_t number)
{
    return (struct ptx__jit_value){
        .type = PTX__JIT_I64, .literal = true, .address = true, .number = number};
}

struct ptx__jit_value ptx__jit_begin(struct ptx__jit_text *text, unsigned type, unsigned lanes)
{
    const struct ptx__jit_value value = {
        .type = (uint8_t) type, .lanes = (uint8_t) lanes, .number = text->next++};

    ptx__jit_say(text, "  %%v%" PRIu64 " = ", value.number);
    return value;
}

struct ptx__jit_value ptx__jit_splat(struct ptx__jit_text *text, struct ptx__jit_value value,
                                     unsigned lanes)
{
    struct ptx__jit_value first, all;

    if (value.lanes || !lanes)
        return value;
    if (value.literal && !value.address) {
        value.lanes = (uint8_t) lanes;
        return value;
    }
    first = ptx__jit_begin(text, value.type, lanes);
    ptx__jit_say(text, "insertelement ");
    ptx__jit_say_type(text, value.type, lanes);
    ptx__jit_say(text, " undef, ");
    ptx__jit_say_typed(text, value);
    ptx__jit_say(text, ", i32 0\n");
    all = ptx__jit_begin(text, value.type, lanes);
    ptx__jit_say(text, "shufflevector ");
    ptx__jit_say_typed(text, first);
    ptx__jit_say(text, ", ");
    ptx__jit_say_type(text, value.type, lanes);
    ptx__jit_say(text, " undef, <%u x i32> zeroinitializer\n", lanes);
    return all;
}

/* Makes two operands alike. */
static void match(struct ptx__jit_text *text, struct ptx__jit_value *a, struct ptx__jit_value *b)
{
    const unsigned lanes = a->lanes ? a->lanes : b->lanes;

    if (a->type == PTX__JIT_ANY)
        a->type = b->type;
    if (b->type == PTX__JIT_ANY)
        b->type = a->type;
    *a = ptx__jit_splat(text, *a, lanes);
    *b = ptx__jit_splat(text, *b, lanes);
}

static void say_two(struct ptx__jit_text *text, const char *name, struct ptx__jit_value a,
                    struct ptx__jit_value b)
{
    ptx__jit_say(text, "%s ", name);
    ptx__jit_say_typed(text, a);
    ptx__jit_say(text, ", ");
    ptx__jit_say_value(text, b);
    ptx__jit_say(text, "\n");
}

struct ptx__jit_value ptx__jit_binary(struct ptx__jit_text *text, const char *name,
                                      struct ptx__jit_value a, struct ptx__jit_value b)
{
    struct ptx__jit_value r;

    match(text, &a, &b);
    r = ptx__jit_begin(text, a.type, a.lanes);
    say_two(text, name, a, b);
    return r;
}

struct ptx__jit_value ptx__jit_compare(struct ptx__jit_text *text, const char *name,
                                       struct ptx__jit_value a, struct ptx__jit_value b)
{
    struct ptx__jit_value r;

    match(text, &a, &b);
    r = ptx__jit_begin(text, PTX__JIT_I1, a.lanes);
    say_two(text, name, a, b);
    return r;
}

struct ptx__jit_value ptx__jit_cast(struct ptx__jit_text *text, const char *name,
                                    struct ptx__jit_value value, unsigned type)
{
    struct ptx__jit_value r;

    if (value.type == type)
        return value;
    if (value.type == PTX__JIT_ANY)
        value.type = type == PTX__JIT_DOUBLE ? PTX__JIT_I64 : PTX__JIT_I32;
    r = ptx__jit_begin(text, type, value.lanes);
    ptx__jit_say(text, "%s ", name);
    ptx__jit_say_typed(text, value);
    ptx__jit_say(text, " to ");
    ptx__jit_say_type(text, type, value.lanes);
    ptx__jit_say(text, "\n");
    return r;
}

struct ptx__jit_value ptx__jit_select(struct ptx__jit_text *text, struct ptx__jit_value which,
                                      struct ptx__jit_value yes, struct ptx__jit_value no)
{
    struct ptx__jit_value r;

    match(text, &yes, &no);
    if (which.lanes && !yes.lanes) {
        yes = ptx__jit_splat(text, yes, which.lanes);
        no = ptx__jit_splat(text, no, which.lanes);
    }
    r = ptx__jit_begin(text, yes.type, yes.lanes);
    ptx__jit_say(text, "select ");
    ptx__jit_say_typed(text, which);
    ptx__jit_say(text, ", ");
    ptx__jit_say_typed(text, yes);
    ptx__jit_say(text, ", ");
    ptx__jit_say_typed(text, no);
    ptx__jit_say(text, "\n");
    return r;
}

/* Functions are declared by what they are called with: see ptx__jit_declare(). */
struct ptx__jit_value ptx__jit_intrinsic(struct ptx__jit_text *text, const char *name, unsigned n,
                                         const struct ptx__jit_value *operands)
{
    unsigned lanes = 0;
    struct ptx__jit_value all[3] = {{0}}, r;

    for (unsigned i = 0; i < n; i++)
        lanes = operands[i].lanes ? operands[i].lanes : lanes;
    for (unsigned i = 0; i < n; i++)
        all[i] = ptx__jit_splat(text, operands[i], lanes);
    r = ptx__jit_begin(text, all[0].type, lanes);
    ptx__jit_say(text, "call ");
    ptx__jit_say_type(text, r.type, lanes);
    if (lanes)
        ptx__jit_say(text, " @llvm.%s.v%u%c%u(", name, lanes, r.type >= PTX__JIT_FLOAT ? 'f' : 'i',
                     ptx__jit_bits(r.type));
    else
        ptx__jit_say(text, " @llvm.%s.%c%u(", name, r.type >= PTX__JIT_FLOAT ? 'f' : 'i',
                     ptx__jit_bits(r.type));
    for (unsigned i = 0; i < n; i++) {
        ptx__jit_say(text, i ? ", " : "");
        ptx__jit_say_typed(text, all[i]);
    }
    /* Of zero it is the number of bits. */
    ptx__jit_say(text, strcmp(name, "ctlz") ? ")\n" : ", i1 false)\n");
    return r;
}

/* Makes a pointer to the type of an address. */
static uint64_t pointer_to(struct ptx__jit_text *text, struct ptx__jit_value address, unsigned type,
                           unsigned lanes)
{
    const uint64_t number = text->next++;

    ptx__jit_say(text, "  %%v%" PRIu64 " = inttoptr ", number);
    ptx__jit_say_typed(text, address);
    ptx__jit_say(text, " to ");
    ptx__jit_say_pointer(text, type, lanes);
    ptx__jit_say(text, "\n");
    return number;
}

struct ptx__jit_value ptx__jit_load(struct ptx__jit_text *text, const char *flags,
                                    struct ptx__jit_value address, unsigned type, unsigned lanes,
                                    unsigned alignment)
{
    const uint64_t pointer = pointer_to(text, address, type, lanes);
    const struct ptx__jit_value r = ptx__jit_begin(text, type, lanes);

    ptx__jit_say(text, "load %s", flags);
    ptx__jit_say_type(text, type, lanes);
    ptx__jit_say(text, ", ");
    ptx__jit_say_pointer(text, type, lanes);
    ptx__jit_say(text, " %%v%" PRIu64 ", align %u\n", pointer, alignment);
    return r;
}

void ptx__jit_store(struct ptx__jit_text *text, const char *flags, struct ptx__jit_value address,
                    struct ptx__jit_value value, unsigned alignment)
{
    const uint64_t pointer = pointer_to(text, address, value.type, value.lanes);

    ptx__jit_say(text, "  store %s", flags);
    ptx__jit_say_typed(text, value);
    ptx__jit_say(text, ", ");
    ptx__jit_say_pointer(text, value.type, value.lanes);
    ptx__jit_say(text, " %%v%" PRIu64 ", align %u\n", pointer, alignment);
}

void ptx__jit_store_some(struct ptx__jit_text *text, struct ptx__jit_value address,
                         struct ptx__jit_value value, struct ptx__jit_value which,
                         unsigned alignment)
{
    const uint64_t pointer = pointer_to(text, address, value.type, value.lanes);

    ptx__jit_say(text, "  call void ");
    ptx__jit_say_masked_store(text, value.type, value.lanes);
    ptx__jit_say(text, "(");
    ptx__jit_say_typed(text, value);
    ptx__jit_say(text, ", ");
    ptx__jit_say_pointer(text, value.type, value.lanes);
    ptx__jit_say(text, " %%v%" PRIu64 ", i32 %u, ", pointer, alignment);
    ptx__jit_say_typed(text, which);
    ptx__jit_say(text, ")\n");
}

void ptx__jit_say_masked_store(struct ptx__jit_text *text, unsigned type, unsigned lanes)
{
    ptx__jit_say(text, "@llvm.masked.store.v%ui%u.p0", lanes, ptx__jit_bits(type));
    if (text->typed)
        ptx__jit_say(text, "v%ui%u", lanes, ptx__jit_bits(type));
}

/* --- atomic operations --- */

static void say_place(struct ptx__jit_text *text, uint64_t pointer, unsigned type)
{
    ptx__jit_say_pointer(text, type, 0);
    ptx__jit_say(text, " %%v%" PRIu64 ", ", pointer);
}

struct ptx__jit_value ptx__jit_atomic(struct ptx__jit_text *text, const char *name,
                                      struct ptx__jit_value address, struct ptx__jit_value value)
{
    const uint64_t pointer = pointer_to(text, address, value.type, 0);
    const struct ptx__jit_value r = ptx__jit_begin(text, value.type, 0);

    ptx__jit_say(text, "atomicrmw %s ", name);
    say_place(text, pointer, value.type);
    ptx__jit_say_typed(text, value);
    ptx__jit_say(text, " seq_cst\n");
    return r;
}

struct ptx__jit_value ptx__jit_exchange(struct ptx__jit_text *text, struct ptx__jit_value address,
                                        struct ptx__jit_value expected, struct ptx__jit_value value,
                                        struct ptx__jit_value seen)
{
    const uint64_t pointer = pointer_to(text, address, seen.type, 0), both = text->next++;
    const char *type = type_names[seen.type];
    struct ptx__jit_value done;

    ptx__jit_say(text, "  %%v%" PRIu64 " = cmpxchg ", both);
    say_place(text, pointer, seen.type);
    ptx__jit_say_typed(text, expected);
    ptx__jit_say(text, ", ");
    ptx__jit_say_typed(text, value);
    ptx__jit_say(text,
                 " seq_cst seq_cst\n  %%v%" PRIu64 " = extractvalue { %s, i1 } %%v%" PRIu64 ", 0\n",
                 seen.number, type, both);
    done = ptx__jit_begin(text, PTX__JIT_I1, 0);
    ptx__jit_say(text, "extractvalue { %s, i1 } %%v%" PRIu64 ", 1\n", type, both);
    return done;
}

/* --- bits of a word --- */

struct ptx__jit_value ptx__jit_first_bit(struct ptx__jit_text *text, struct ptx__jit_value word)
{
    const struct ptx__jit_value first = ptx__jit_begin(text, PTX__JIT_I32, 0);

    ptx__jit_say(text, "call i32 @llvm.cttz.i32(");
    ptx__jit_say_typed(text, word);
    ptx__jit_say(text, ", i1 true)\n");
    return first;
}

void ptx__jit_drop_bit(struct ptx__jit_text *text, struct ptx__jit_value word,
                       struct ptx__jit_value ret)
{
    const struct ptx__jit_value less =
        ptx__jit_binary(text, "sub", word, ptx__jit_number(PTX__JIT_I32, 1));

    ptx__jit_say(text, "  %%v%" PRIu64 " = and ", ret.number);
    ptx__jit_say_typed(text, word);
    ptx__jit_say(text, ", ");
    ptx__jit_say_value(text, less);
    ptx__jit_say(text, "\n");
}
