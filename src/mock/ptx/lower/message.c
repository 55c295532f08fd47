/* SPDX-License-Identifier: MIT */
#include "mock/ptx/lower/message.h"

#include "mock/ptx/syntax/ast.h"

static bool in_shared(const struct ptx__instruction *instruction)
{
    return instruction->n_spaces && instruction->spaces[0] == PTX_SHARED;
}

static bool is_message(const struct ptx__instruction *instruction)
{
    return ptx__has(instruction, PTX_MOD_SYS) || ptx__has(instruction, PTX_MOD_MMIO) ||
           (ptx__has(instruction, PTX_MOD_VOLATILE) && !in_shared(instruction));
}

bool ptx__has_messages(const struct ptx__module *module)
{
    for (uint32_t i = 0; i < module->n_functions; i++)
        for (uint32_t k = 0; k < module->functions[i].n_instructions; k++)
            if (is_message(&module->functions[i].instructions[k]))
                return true;
    return false;
}
