/* SPDX-License-Identifier: MIT */
/* The list of forms has a form of every row of the table of instructions, with each of its words.
 */
#include "../support.h"

#include "forms.h"

TestSuite(forms, .timeout = 100);

static struct form list[MOST_FORMS];

/* What the forms of a row were seen with: a bit for each word of each slot. */
static struct {
    bool listed;
    uint32_t words[24];
} * seen;

/* The instruction that the kernel is about: the only one of its line. */
static const struct ptx__instruction *instruction_of(const struct unit *unit, const char *text,
                                                     const struct form *form)
{
    const struct ptx__function *function = find(unit, "k");
    char begin[128];
    const char *at;
    uint32_t line = 1;

    snprintf(begin, sizeof(begin), "\n%.*s ", form_length(form), form->name);
    at = strstr(text, begin);
    cr_assert(ne(ptr, S(at), NULL), "%s", form->name);
    for (const char *c = text; c <= at; c++)
        line += *c == '\n';
    for (uint32_t i = 0; i < function->n_instructions; i++)
        if (function->instructions[i].place.line == line)
            return &function->instructions[i];
    cr_assert(eq(str, S(form->name), S("found")));
    return NULL;
}

/* Is this the word that the instruction has in a slot? Types stand in the order of their slots. */
static bool has_word(const struct ptx__instruction *at, unsigned type, unsigned word)
{
    if (word > PTX_WORD_VECTOR)
        return at->vector == word - PTX_WORD_VECTOR;
    if (word > PTX_WORD_SPACE)
        return at->n_spaces && at->spaces[0] == word - PTX_WORD_SPACE;
    if (word > PTX_WORD_TYPE)
        return type < at->n_types && at->types[type] == word - PTX_WORD_TYPE;
    for (unsigned i = 0; i < at->n_modifiers; i++)
        if (at->modifiers[i] == word)
            return true;
    return false;
}

static void see(const struct ptx__instruction *at)
{
    const struct ptx__form *row = &ptx__forms[at->form];
    unsigned type = 0;

    seen[at->form].listed = true;
    for (unsigned s = 0; s < row->n_slots; s++) {
        const struct ptx__slot *slot = &ptx__slots[row->first_slot + s];

        for (unsigned i = 0; i < slot->n; i++)
            if (has_word(at, type, ptx__slot_words[slot->first + i]))
                seen[at->form].words[s] |= 1u << i;
        type += ptx__slot_words[slot->first] > PTX_WORD_TYPE &&
                ptx__slot_words[slot->first] < PTX_WORD_SPACE;
    }
}

static void see_all(void)
{
    const size_t n = list_forms(list);

    seen = calloc(ptx__n_forms, sizeof(*seen));
    for (size_t i = 0; i < n; i++) {
        char text[KERNEL_BYTES];
        const char *texts[] = {text};
        struct unit unit = {.log = {.messages = NULL}};
        const size_t length = (write_kernel(&list[i], text), strlen(text));

        if (ptx__read(texts, &length, 1, 100, &unit.module, &unit.log) == PTX_OK)
            see(instruction_of(&unit, text, &list[i]));
        finish(&unit);
    }
}

/* Every word of every slot is in some form of the row. */
static void expect_words(size_t f)
{
    const struct ptx__form *row = &ptx__forms[f];

    for (unsigned s = 0; s < row->n_slots; s++) {
        const struct ptx__slot *slot = &ptx__slots[row->first_slot + s];

        for (unsigned i = 0; i < slot->n; i++) {
            const bool left_out = form_word_left_out(ptx__slot_words[slot->first + i]);
            const bool there = seen[f].words[s] >> i & 1;

            cr_expect(ne(int, there, left_out), "row %zu, %s: word %u of slot %u", f,
                      ptx__opcode_name(row->opcode), i, s);
        }
    }
}

Test(forms, every_row_is_listed_or_left_out_for_a_reason)
{
    see_all();
    for (size_t f = 0; f < ptx__n_forms; f++) {
        const char *why = form_left_out(f);
        const bool left_out = why;

        cr_expect(ne(int, left_out, seen[f].listed), "row %zu, %s: %s", f,
                  ptx__opcode_name(ptx__forms[f].opcode), why ? why : "not listed");
        if (!left_out)
            expect_words(f);
    }
}

/* The file of answers goes by names. */
Test(forms, names_are_there_once)
{
    const size_t n = list_forms(list);

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            cr_expect(ne(int, strcmp(list[i].name, list[k].name), 0), "%s", list[i].name);
}
