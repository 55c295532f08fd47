/* SPDX-License-Identifier: MIT */
/* Finds the form of an instruction. */
#include "mock/ptx/check/check.h"

static bool is_type(unsigned word)
{
    return word > PTX_WORD_TYPE && word < PTX_WORD_SPACE;
}

static bool slot_takes(const struct ptx__slot *slot, unsigned word)
{
    for (unsigned i = 0; i < slot->n; i++) {
        if (ptx__slot_words[slot->first + i] == word)
            return true;
    }
    return false;
}

/* Returns the first word that a slot accepts. A type is accepted only after all earlier types. */
static int find_word(const struct ptx__check *check, const struct ptx__slot *slot, uint32_t used)
{
    for (unsigned i = 0; i < check->n_words; i++) {
        const unsigned word = check->words[i];

        if (used >> i & 1)
            continue;
        if (slot_takes(slot, word))
            return (int) i;
        if (is_type(word) && is_type(ptx__slot_words[slot->first]))
            return -1;
    }
    return -1;
}

bool ptx__form_has_words(const struct ptx__check *check, const struct ptx__form *form)
{
    uint32_t used = 0;

    for (unsigned i = 0; i < form->n_slots; i++) {
        const struct ptx__slot *slot = &ptx__slots[form->first_slot + i];
        const int word = find_word(check, slot, used);

        if (word < 0 && !slot->optional)
            return false;
        if (word >= 0)
            used |= (uint32_t) 1 << word;
    }
    return used == ((uint32_t) 1 << check->n_words) - 1;
}

static const struct ptx__form *form_at(const struct ptx__check *check, unsigned i)
{
    return &ptx__forms[ptx__opcodes[check->instruction->opcode].first_form + i];
}

static unsigned count_forms(const struct ptx__check *check)
{
    return ptx__opcodes[check->instruction->opcode].n_forms;
}

/* Tells whether any form of the instruction has this word. */
static bool is_legal(const struct ptx__check *check, unsigned word)
{
    for (unsigned i = 0; i < count_forms(check); i++) {
        const struct ptx__form *form = form_at(check, i);

        for (unsigned j = 0; j < form->n_slots; j++) {
            if (slot_takes(&ptx__slots[form->first_slot + j], word))
                return true;
        }
    }
    return false;
}

/* Tells whether a form with exactly these types has this word. */
static bool is_legal_for_types(const struct ptx__check *check, unsigned word)
{
    for (unsigned i = 0; i < count_forms(check); i++) {
        const struct ptx__form *form = form_at(check, i);
        bool takes_word = is_type(word);
        unsigned type = 0;

        for (unsigned j = 0; j < form->n_slots; j++) {
            const struct ptx__slot *slot = &ptx__slots[form->first_slot + j];

            takes_word = takes_word || slot_takes(slot, word);
            if (is_type(ptx__slot_words[slot->first]))
                type += type < check->instruction->n_types &&
                        slot_takes(slot, PTX_WORD_TYPE + check->instruction->types[type]);
        }
        if (takes_word && type == check->instruction->n_types)
            return true;
    }
    return false;
}

static const char *word_name(unsigned word)
{
    if (word > PTX_WORD_VECTOR)
        return word == PTX_WORD_VECTOR + 2 ? "v2" : word == PTX_WORD_VECTOR + 4 ? "v4" : "v8";
    if (word > PTX_WORD_SPACE)
        return ptx__space_name((enum ptx__space)(word - PTX_WORD_SPACE));
    if (word > PTX_WORD_TYPE)
        return ptx__type_name((enum ptx__type)(word - PTX_WORD_TYPE));
    return ptx__modifier_name((enum ptx__modifier) word);
}

/* No form has these words: reports the wrong one as well as possible. */
static bool explain_words(const struct ptx__check *check)
{
    const struct ptx__instruction *instruction = check->instruction;
    const char *name = ptx__opcode_name((enum ptx__opcode) instruction->opcode);

    for (unsigned i = 0; i < check->n_words; i++) {
        if (!is_type(check->words[i]) && !is_legal(check, check->words[i]))
            return ptx__error(check->parser, instruction->place,
                              "Illegal modifier '.%s' for instruction '%s'",
                              word_name(check->words[i]), name);
    }
    if (!is_legal_for_types(check, PTX_WORD_TYPE + 1))
        return ptx__error(check->parser, instruction->place,
                          "Unexpected instruction types specified for '%s'", name);
    for (unsigned i = 0; i < check->n_words; i++) {
        if (!is_legal_for_types(check, check->words[i]))
            return ptx__error(check->parser, instruction->place,
                              "Illegal modifier '.%s' for instruction '%s'",
                              word_name(check->words[i]), name);
    }
    return ptx__error(check->parser, instruction->place,
                      "Modifiers of instruction '%s' are missing or exclude each other", name);
}

static bool check_gate(const struct ptx__check *check, const char *dot, const char *name,
                       int version, int target)
{
    struct ptx__parser *parser = check->parser;

    if (version > parser->version)
        return ptx__error(parser, check->instruction->place,
                          "Feature '%s%s' requires PTX ISA .version %d.%d or later", dot, name,
                          version / 10, version % 10);
    if (target > parser->target)
        return ptx__error(parser, check->instruction->place,
                          "Feature '%s%s' requires .target sm_%d or higher", dot, name, target);
    return true;
}

/* A form of one family, or of two with a version each, is for all later targets of the family. */
static bool check_family(const struct ptx__check *check, const struct ptx__form *form,
                         const char *name)
{
    struct ptx__parser *parser = check->parser;
    const int targets[2] = {form->target, form->early_target},
              versions[2] = {form->version, form->early_version};

    for (int i = 0; parser->suffix && i < 2; i++)
        if (targets[i] / 10 == parser->target / 10 && targets[i] <= parser->target)
            return check_gate(check, "", name, versions[i], targets[i]);
    return ptx__error(parser, check->instruction->place,
                      "Feature '%s' not supported on .target 'sm_%d%.1s'", name, parser->target,
                      &parser->suffix);
}

/* Some forms came first to newer targets, and to older ones with a later version. */
static bool was_early(const struct ptx__parser *parser, const struct ptx__form *form)
{
    return form->early_version && parser->version >= form->early_version &&
           parser->target >= form->early_target;
}

/* Checks that the form and its words exist in the version and target of the text. */
static bool check_gates(const struct ptx__check *check, const struct ptx__form *form)
{
    struct ptx__parser *parser = check->parser;
    const struct ptx__instruction *instruction = check->instruction;
    const char *name = ptx__opcode_name((enum ptx__opcode) instruction->opcode);

    if (form->suffix == 'f')
        return check_family(check, form, name);
    if (!was_early(parser, form))
        check_gate(check, "", name, form->version, form->target);
    for (unsigned i = 0; i < check->n_words; i++) {
        for (size_t j = 0; j < ptx__n_gates; j++) {
            const struct ptx__gate *gate = &ptx__gates[j];

            if (gate->word == check->words[i])
                check_gate(check, ".", word_name(gate->word), gate->version, gate->target);
        }
    }
    if (form->suffix && !parser->suffix)
        return ptx__error(parser, instruction->place,
                          "Instruction '%s' not supported on .target 'sm_%d'", name,
                          parser->target);
    return true;
}

static bool accept(const struct ptx__check *check, const struct ptx__form *form)
{
    check->instruction->form = (uint16_t) (form - ptx__forms);
    return ptx__settle_operands(check, form) && check_gates(check, form) &&
           ptx__check_spaces(check) && ptx__check_call(check) && ptx__check_values(check);
}

bool ptx__check_instruction(struct ptx__parser *parser, struct ptx__instruction *instruction,
                            const uint16_t *words, unsigned n_words)
{
    const struct ptx__check check = {parser, instruction, words, n_words};
    bool words_fit = false;

    /* These instructions are refused later, with a sentence of their own. */
    if (ptx__opcodes[instruction->opcode].refused)
        return true;
    for (unsigned i = 0; i < count_forms(&check); i++) {
        const struct ptx__form *form = form_at(&check, i);

        if (!ptx__form_has_words(&check, form))
            continue;
        words_fit = true;
        if (ptx__form_takes_operands(&check, form))
            return accept(&check, form);
    }
    if (!words_fit)
        return explain_words(&check);
    return ptx__error(parser, instruction->place, "Arguments mismatch for instruction '%s'",
                      ptx__opcode_name((enum ptx__opcode) instruction->opcode));
}
