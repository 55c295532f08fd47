/* SPDX-License-Identifier: MIT */
/*
 * Forms from the table of instructions, so that none is forgotten: of each row the first word of
 * each slot, and then each other word of each slot.
 */
#include <stdio.h>
#include <string.h>

#include "forms.h"
#include "mock/ptx/syntax/isa.h"
#include "mock/ptx/syntax/types.h"

enum { MOST_SLOTS = 24 };

/* Rows that are not listed: how they begin, with the first word of each slot, and why. Of several
 * that fit it is the first; those without a reason are listed by hand. */
static const struct {
    const char *begin, *why;
} left_out[] = {
    {"ld", "memory"},
    {"ldu", "memory"},
    {"st", "memory"},
    {"prefetch", "memory"},
    {"prefetchu", "memory"},
    {"applypriority", "memory"},
    {"discard", "memory"},
    {"createpolicy", "memory"},
    {"cp", "memory"},
    {"red.async", "memory"},
    {"tensormap", "memory"},
    {"clusterlaunchcontrol", "memory"},
    {"multimem", "memory of several devices"},
    {"cvt.rni.u8.bf16", "registers of 8 bits"},
    {"alloca", "memory"},
    {"stacksave", "memory"},
    {"stackrestore", "memory"},
    {"mbarrier", "memory"},
    {"fence", "order"},
    {"membar", "order"},
    {"cvta", "addresses"},
    {"isspacep", "addresses"},
    {"mapa", "addresses"},
    {"getctarank", "addresses"},
    {"bra", "control"},
    {"brx", "control"},
    {"call", "control"},
    {"ret", "control"},
    {"exit", "control"},
    {"trap", "control"},
    {"brkpt", "control"},
    {"nanosleep", "control"},
    {"pmevent", "control"},
    {"griddepcontrol", "control"},
    {"bar.sync", "barriers"},
    {"bar.arrive", "barriers"},
    {"bar.cta.sync", "barriers"},
    {"bar.cta.arrive", "barriers"},
    {"bar.warp.sync", "barriers"},
    {"barrier.sync", "barriers"},
    {"barrier.arrive", "barriers"},
    {"barrier.cta.sync", "barriers"},
    {"barrier.cta.arrive", "barriers"},
    {"barrier.cluster", "barriers"},
    {"ldmatrix", "matrices"},
    {"stmatrix", "matrices"},
    {"mma.sync.aligned.m8n8k4.row.col.f64", NULL},
    {"mma.sync.aligned.m16n8k4.row.col.f64", NULL},
    {"mma.sync.aligned.m16n8k8.row.col.f64", NULL},
    {"mma.sync.aligned.m16n8k16.row.col.f64", NULL},
    {"mma", "matrices"},
    {"wmma", "matrices"},
    {"tex", "textures"},
    {"tld4", "textures"},
    {"txq", "textures"},
    {"suq", "textures"},
    {"istypep", "textures"},
    {"suld", "textures"},
    {"sust", "textures"},
    {"sured", "textures"},
    {"shfl.up", "not for these targets"},
    {"vote.all", "not for these targets"},
    {"vote.ballot", "not for these targets"},
};

static const char *word_name(unsigned word)
{
    static const char *const vectors[] = {[2] = "v2", [4] = "v4", [8] = "v8"};

    if (word < PTX_WORD_TYPE)
        return ptx__modifier_name((enum ptx__modifier) word);
    if (word < PTX_WORD_SPACE)
        return ptx__type_name((enum ptx__type)(word - PTX_WORD_TYPE));
    if (word < PTX_WORD_VECTOR)
        return ptx__space_name((enum ptx__space)(word - PTX_WORD_SPACE));
    return vectors[word - PTX_WORD_VECTOR];
}

/* One way to write a row: the word of each slot, or 0. */
struct choice {
    const struct ptx__form *row;
    unsigned words[MOST_SLOTS];
};

static struct choice first_choice(const struct ptx__form *row)
{
    struct choice choice = {.row = row};

    for (unsigned s = 0; s < row->n_slots; s++) {
        const struct ptx__slot *slot = &ptx__slots[row->first_slot + s];

        choice.words[s] = slot->optional ? 0 : ptx__slot_words[slot->first];
    }
    return choice;
}

static void write_name(const struct choice *choice, char *name, size_t size)
{
    size_t at = (size_t) snprintf(name, size, "%s", ptx__opcode_name(choice->row->opcode));

    for (unsigned s = 0; s < choice->row->n_slots && at < size; s++)
        if (choice->words[s])
            at += (size_t) snprintf(name + at, size - at, ".%s", word_name(choice->words[s]));
}

static bool has_word(const struct choice *choice, unsigned word)
{
    for (unsigned s = 0; s < choice->row->n_slots; s++)
        if (choice->words[s] == word)
            return true;
    return false;
}

const char *form_left_out(size_t number)
{
    const struct ptx__form *row = &ptx__forms[number];
    const struct choice choice = first_choice(row);
    char name[96];

    write_name(&choice, name, sizeof(name));
    for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++) {
        const size_t n = strlen(left_out[i].begin);

        if (!strncmp(name, left_out[i].begin, n) && (name[n] == '.' || !name[n]))
            return left_out[i].why;
    }
    if (has_word(&choice, PTX_WORD_TYPE + PTX_B128))
        return "128 bits";
    if (row->suffix)
        return "devices of one family";
    if (row->version > 90)
        return "newer than the driver that was asked";
    return NULL;
}

bool form_word_left_out(unsigned word)
{
    return word == PTX_MOD_L2_CACHE_HINT || word == PTX_WORD_TYPE + PTX_B128;
}

static unsigned gate_of(unsigned word)
{
    for (size_t i = 0; i < ptx__n_gates; i++)
        if (ptx__gates[i].word == word)
            return ptx__gates[i].target;
    return 0;
}

static unsigned target_of(const struct choice *choice)
{
    unsigned target = choice->row->target > 90 ? choice->row->target : 90;

    for (unsigned s = 0; s < choice->row->n_slots; s++)
        if (gate_of(choice->words[s]) > target)
            target = gate_of(choice->words[s]);
    return target;
}

/* The type that an operand is read as, by its shape; no type if it is none of a number. */
static enum ptx__type type_of(const struct choice *choice, const struct ptx__shape *shape)
{
    enum ptx__type types[MOST_SLOTS];
    unsigned n = 0;

    for (unsigned s = 0; s < choice->row->n_slots; s++)
        if (choice->words[s] > PTX_WORD_TYPE && choice->words[s] < PTX_WORD_SPACE)
            types[n++] = (enum ptx__type)(choice->words[s] - PTX_WORD_TYPE);
    if (shape->kind != PTX_SHAPE_TYPED || (shape->elements && shape->elements != 255))
        return PTX_NO_TYPE;
    if (shape->type < 100)
        return (enum ptx__type) shape->type;
    return (unsigned) shape->type - 100 < n ? types[shape->type - 100] : PTX_NO_TYPE;
}

static char letter_of(enum ptx__type type, bool wide)
{
    const unsigned bits = ptx__type_bits(type) * (wide ? 2 : 1);

    if (type == PTX_PRED)
        return 'p';
    if (bits == 32)
        return strstr(ptx__type_name(type), "x2") ? 'x' : 'r';
    return bits == 64 ? 'd' : bits == 16 ? 'h' : 'r';
}

/* "{%r2, %r3}": registers of an operand of several numbers. */
static void write_vector(char *text, char letter, bool result, unsigned n)
{
    static const char *const numbers[2] = {"23321321", "07654321"};
    size_t at = 0;

    for (unsigned i = 0; i < n; i++)
        at += (size_t) sprintf(text + at, "%s%%%c%c", i ? ", " : "{", letter, numbers[result][i]);
    strcpy(text + at, "}");
}

static unsigned elements_of(const struct choice *choice, const struct ptx__shape *shape)
{
    for (unsigned n = 2; shape->elements == 255 && n <= 8; n *= 2)
        if (has_word(choice, PTX_WORD_VECTOR + n))
            return n;
    return 0;
}

/* All threads of a warp take part in what a warp does. */
static bool is_of_a_warp(const struct ptx__form *row)
{
    switch (row->opcode) {
    case PTX_OP_SHFL:
    case PTX_OP_VOTE:
    case PTX_OP_MATCH:
    case PTX_OP_REDUX:
    case PTX_OP_ELECT:
        return true;
    default:
        return false;
    }
}

/* A comparison of one half gives one predicate. */
static bool compares_halves(const struct choice *choice)
{
    const struct ptx__shape *second = &ptx__shapes[choice->row->first_shape + 1];
    const enum ptx__type type = type_of(choice, second);

    return choice->row->opcode == PTX_OP_SETP && (type == PTX_F16 || type == PTX_BF16);
}

/* Operands, one of the row's after another. False: this needs a hand to write it. */
static bool add_operand(struct form *form, const struct choice *choice, unsigned i, size_t *at)
{
    const struct ptx__form *row = choice->row;
    const struct ptx__shape *shape = &ptx__shapes[row->first_shape + i];
    const size_t n = strlen(form->operands);
    const unsigned elements = elements_of(choice, shape);
    char letter = 0, operand[64];

    if (type_of(choice, shape))
        letter = letter_of(type_of(choice, shape), shape->wide);
    if (shape->kind == PTX_SHAPE_MEMORY) {
        snprintf(operand, sizeof(operand), "[%%t2]");
    } else if (shape->kind == PTX_SHAPE_IMMEDIATE) {
        snprintf(operand, sizeof(operand), "0x96");
    } else if (is_of_a_warp(row) && i + 1 == row->n_shapes) {
        snprintf(operand, sizeof(operand), "-1");
    } else if (!letter) {
        return false;
    } else if (elements) {
        /* Of sources the second and the third; the first is what is in memory. */
        if (shape->result)
            form->operands[0] = letter;
        memset(form->operands + 1, letter, 3);
        write_vector(operand, letter, shape->result, elements);
    } else if (shape->result) {
        const bool pair = shape->pair && !compares_halves(choice);

        form->operands[0] = !pair ? letter : letter == 'p' ? 'q' : 'R';
        snprintf(operand, sizeof(operand), "%%%c0%s", letter, pair ? "|%p7" : "");
    } else {
        if (n > MOST_SOURCES)
            return false;
        form->operands[n] = letter;
        snprintf(operand, sizeof(operand), "%%%c%zu", letter, n);
    }
    *at += (size_t) snprintf(form->text + *at, sizeof(form->text) - *at, "%s%s", i ? ", " : "",
                             operand);
    return true;
}

static bool is_atomic(const struct ptx__form *row)
{
    return row->opcode == PTX_OP_ATOM || row->opcode == PTX_OP_RED;
}

/* Of atomic operations the first source, of the type of the others, is what is in memory. */
static void add_room(struct form *form, const struct choice *choice)
{
    const struct ptx__form *row = choice->row;

    form->room = strstr(form->name, ".shared") ? SHARED_ROOM : GLOBAL_ROOM;
    for (unsigned i = 0; i < row->n_shapes; i++) {
        const enum ptx__type type = type_of(choice, &ptx__shapes[row->first_shape + i]);

        if (type)
            form->operands[1] = letter_of(type, false);
    }
}

static bool add_operands(struct form *form, const struct choice *choice)
{
    const struct ptx__form *row = choice->row;
    size_t at = 0;

    form->operands[0] = '0';
    if (is_atomic(row))
        add_room(form, choice);
    for (unsigned i = 0; i < row->n_shapes; i++) {
        const struct ptx__shape *shape = &ptx__shapes[row->first_shape + i];

        if (shape->optional || shape->policy)
            continue;
        if (!add_operand(form, choice, i, &at))
            return false;
    }
    return true;
}

static bool is_of(const struct form *form, const char *name)
{
    return strlen(name) == (size_t) form_length(form) && !strncmp(form->name, name, strlen(name));
}

/* Are the operands the same? Those by hand are often not written, for they stand in their order. */
static bool is_same(const struct form *a, const struct form *b)
{
    return a->text[0] ? !strcmp(a->text, b->text) : !strcmp(a->operands, b->operands);
}

/* Which barrier it is, and what is made of several results. */
static bool is_by_hand(const struct choice *choice)
{
    const enum ptx__opcode opcode = (enum ptx__opcode) choice->row->opcode;

    return opcode == PTX_OP_BAR || opcode == PTX_OP_BARRIER || opcode == PTX_OP_MMA ||
           (opcode == PTX_OP_MOV && ptx__shapes[choice->row->first_shape].elements);
}

/* Of the same words with other operands the name says which. */
static size_t add(struct form *forms, size_t n, const struct choice *choice)
{
    struct form *form = &forms[n];
    char name[96];

    if (n == MOST_FORMS || is_by_hand(choice))
        return n;
    memset(form, 0, sizeof(*form));
    write_name(choice, form->name, sizeof(form->name));
    form->target = target_of(choice);
    if (!add_operands(form, choice))
        return n;
    snprintf(name, sizeof(name), "%s", form->name);
    for (size_t i = 0; i < n; i++) {
        if (!is_of(&forms[i], name))
            continue;
        if (is_same(&forms[i], form))
            return n;
        snprintf(form->name, sizeof(form->name), "%.80s %s", name, form->operands);
    }
    return n + 1;
}

/* Each other word of each slot of a choice. */
static size_t vary(struct form *forms, size_t n, const struct choice *first)
{
    const struct ptx__form *row = first->row;

    n = add(forms, n, first);
    for (unsigned s = 0; s < row->n_slots; s++) {
        const struct ptx__slot *slot = &ptx__slots[row->first_slot + s];

        for (unsigned i = 0; i < slot->n; i++) {
            struct choice other = *first;

            other.words[s] = ptx__slot_words[slot->first + i];
            if (other.words[s] != first->words[s] && !form_word_left_out(other.words[s]))
                n = add(forms, n, &other);
        }
    }
    return n;
}

/* The slot that says in which space. */
static unsigned space_slot(const struct ptx__form *row)
{
    unsigned s = 0;

    while (s < row->n_slots &&
           ptx__slot_words[ptx__slots[row->first_slot + s].first] / 100 != PTX_WORD_SPACE / 100)
        s++;
    return s;
}

/* In shared memory operations may be others than in global memory. */
size_t list_table(struct form *forms, size_t n)
{
    for (size_t f = 0; f < ptx__n_forms; f++) {
        struct choice choice = first_choice(&ptx__forms[f]);

        if (form_left_out(f))
            continue;
        n = vary(forms, n, &choice);
        if (!is_atomic(choice.row))
            continue;
        choice.words[space_slot(choice.row)] = PTX_WORD_SPACE + PTX_GLOBAL;
        n = vary(forms, n, &choice);
        if (ptx__slots[choice.row->first_slot + space_slot(choice.row)].n == 1)
            continue; /* only there */
        choice.words[space_slot(choice.row)] = PTX_WORD_SPACE + PTX_SHARED;
        n = vary(forms, n, &choice);
    }
    return n;
}
