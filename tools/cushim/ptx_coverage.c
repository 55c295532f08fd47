/* SPDX-License-Identifier: MIT */
#include "ptx_coverage.h"

#include <stdio.h>

#include "command.h"
#include "mock/ptx/isa.h"
#include "mock/ptx/types.h"

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

/* "{.sat}" or ".u16/u32" */
static void print_slot(const struct ptx__slot *slot)
{
    printf("%s.", slot->optional ? "{" : "");
    for (unsigned i = 0; i < slot->n; i++) {
        printf("%s", i ? "/" : "");
        print_word(ptx__slot_words[slot->first + i]);
    }
    printf("%s", slot->optional ? "}" : "");
}

static void print_form(const struct ptx__form *form)
{
    printf("        %s", ptx__opcodes[form->opcode].name);
    for (unsigned i = 0; i < form->n_slots; i++)
        print_slot(&ptx__slots[form->first_slot + i]);
    printf("    PTX %d.%d, sm_%d%.1s\n", form->version / 10, form->version % 10, form->target,
           &form->suffix);
}

static void print_opcode(const struct ptx__opcode_row *row, bool with_forms)
{
    if (row->refused) {
        printf("    %-44s refused\n", row->name);
        return;
    }
    printf("    %-44s supported, %u form%s\n", row->name, row->n_forms,
           row->n_forms == 1 ? "" : "s");
    for (unsigned i = 0; i < row->n_forms && with_forms; i++)
        print_form(&ptx__forms[row->first_form + i]);
}

int print_coverage(bool with_forms)
{
    unsigned refused = 0;

    for (int tier = 1; tier <= LAST_TIER; tier++) {
        printf("tier %d\n", tier);
        for (unsigned i = 1; i < PTX_N_OPCODES; i++) {
            if (ptx__opcodes[i].tier == tier)
                print_opcode(&ptx__opcodes[i], with_forms);
        }
    }
    for (unsigned i = 1; i < PTX_N_OPCODES; i++)
        refused += ptx__opcodes[i].refused;
    printf("%u instructions: %u supported, %u refused\n", PTX_N_OPCODES - 1,
           PTX_N_OPCODES - 1 - refused, refused);
    return fflush(stdout) || ferror(stdout) ? COMMAND_FAILED : COMMAND_OK;
}
