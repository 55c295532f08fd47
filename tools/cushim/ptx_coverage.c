/* SPDX-License-Identifier: MIT */
#include "ptx_coverage.h"

#include <stdio.h>

#include "command.h"
#include "mock/ptx/syntax/isa.h"
#include "mock/ptx/syntax/types.h"
#include "ptx_probe.h"

#define LAST_TIER 4

static void print_word(unsigned word)
{
    if (word > PTX_WORD_VECTOR)
        printf("v%u", word - PTX_WORD_VECTOR);
    else if (word > PTX_WORD_SPACE)
        printf("%s", ptx__space_name((enum ptx__space)(word - PTX_WORD_SPACE)));
    else if (word > PTX_WORD_TYPE)
        printf("%s", ptx__type_name((enum ptx__type)(word - PTX_WORD_TYPE)));
    else
        printf("%s", ptx__modifier_name((enum ptx__modifier) word));
}

/* Prints a slot such as "{.sat}" or ".u16/u32". */
static void print_slot(const struct ptx__slot *slot)
{
    printf("%s.", slot->optional ? "{" : "");
    for (unsigned i = 0; i < slot->n; i++) {
        printf("%s", i ? "/" : "");
        print_word(ptx__slot_words[slot->first + i]);
    }
    printf("%s", slot->optional ? "}" : "");
}

/* The results for the statements of a form, or of an instruction. */
struct result {
    unsigned n, n_refused;
    bool with_refused; /* print each refused statement */
    bool failed;
};

static void count(const struct probe *probe, void *user)
{
    struct result *result = user;

    result->n++;
    result->n_refused += probe->why != NULL;
    if (probe->why && result->with_refused)
        printf("            refused: %s %s\n", probe->statement, probe->why);
}

static void print_form(const struct ptx__form *form)
{
    printf("        %s", ptx__opcodes[form->opcode].name);
    for (unsigned i = 0; i < form->n_slots; i++)
        print_slot(&ptx__slots[form->first_slot + i]);
    printf("    PTX %d.%d, sm_%d%.1s\n", form->version / 10, form->version % 10, form->target,
           &form->suffix);
}

/*
 * Probes all forms of an instruction. The summary is printed before the forms, so with --forms each
 * one is probed twice.
 */
static struct result ask(const struct ptx__opcode_row *row)
{
    struct result result = {.n = 0};

    for (unsigned i = 0; i < row->n_forms; i++)
        result.failed |= !probe_form(&ptx__forms[row->first_form + i], count, &result);
    return result;
}

static void print_forms(const struct ptx__opcode_row *row)
{
    struct result result = {.with_refused = true};

    for (unsigned i = 0; i < row->n_forms; i++) {
        print_form(&ptx__forms[row->first_form + i]);
        probe_form(&ptx__forms[row->first_form + i], count, &result);
    }
}

static struct result print_opcode(const struct ptx__opcode_row *row, bool with_forms)
{
    const struct result result = ask(row);

    if (row->refused) {
        printf("    %-44s refused: %s\n", row->name, row->refused);
    } else if (result.n_refused == result.n) {
        printf("    %-44s refused\n", row->name);
    } else {
        printf("    %-44s supported, %u form%s", row->name, row->n_forms,
               row->n_forms == 1 ? "" : "s");
        if (result.n_refused)
            printf("; %u of %u statements are refused", result.n_refused, result.n);
        printf("\n");
    }
    if (with_forms)
        print_forms(row);
    return result;
}

int print_coverage(bool with_forms)
{
    unsigned refused = 0, n = 0, n_refused = 0;
    bool failed = false;

    for (int tier = 1; tier <= LAST_TIER; tier++) {
        printf("tier %d\n", tier);
        for (unsigned i = 1; i < PTX_N_OPCODES; i++) {
            struct result result;

            if (ptx__opcodes[i].tier != tier)
                continue;
            result = print_opcode(&ptx__opcodes[i], with_forms);
            refused += result.n == result.n_refused;
            n += result.n;
            n_refused += result.n_refused;
            failed |= result.failed;
        }
    }
    printf("%u statements of their forms: %u refused\n", n, n_refused);
    printf("%u instructions: %u supported, %u refused\n", PTX_N_OPCODES - 1,
           PTX_N_OPCODES - 1 - refused, refused);
    return failed || fflush(stdout) || ferror(stdout) ? COMMAND_FAILED : COMMAND_OK;
}
