/* SPDX-License-Identifier: MIT */
/* Reads instructions such as "@!%p1 add.rn.f32 %f1, %f2, %f3;". */
#include <string.h>

#include "mock/ptx/check/check.h"
#include "mock/ptx/parse/parse.h"

#define MOST_WORDS     24
#define LONGEST_OPCODE 64

/* The words of an instruction, which are separated by dots; the opcode's name comes first. */
struct words {
    struct ptx__token tokens[MOST_WORDS];
    unsigned n;
};

/* The numbers of the words after the opcode's name. */
struct sorted_words {
    uint16_t numbers[MOST_WORDS];
    unsigned n;
};

static bool read_words(struct ptx__parser *parser, struct words *words)
{
    struct ptx__lexer *lexer = &parser->lexer;

    words->n = 0;
    if (lexer->token.kind != PTX_NAME)
        return ptx__unexpected(parser);
    do {
        if (words->n == MOST_WORDS)
            return ptx__fatal(parser, lexer->token.place, "Too many modifiers");
        words->tokens[words->n++] = lexer->token;
        ptx__next(lexer);
    } while (lexer->token.kind == PTX_DOTTED);
    return true;
}

/* Finds the longest name that the first words form: "cp.async" and not "cp". */
static enum ptx__opcode find_opcode(const struct words *words, unsigned *ret_n)
{
    enum ptx__opcode found = PTX_NO_OPCODE;
    char text[LONGEST_OPCODE];
    size_t length = 0;

    for (unsigned i = 0; i < words->n; i++) {
        const struct ptx__token *token = &words->tokens[i];
        enum ptx__opcode longer;

        if (length + token->length > sizeof(text))
            break;
        memcpy(text + length, token->text, token->length);
        length += token->length;
        longer = ptx__opcode_find(text, length);
        if (longer) {
            found = longer;
            *ret_n = i + 1;
        }
    }
    return found;
}

static bool add_modifier(struct ptx__parser *parser, struct ptx__instruction *instruction,
                         const struct ptx__token *token, unsigned word)
{
    if (word > PTX_WORD_VECTOR) {
        instruction->vector = (uint8_t) (word - PTX_WORD_VECTOR);
    } else if (word > PTX_WORD_SPACE) {
        if (instruction->n_spaces == 2)
            return ptx__fatal(parser, token->place, "Too many modifiers");
        instruction->spaces[instruction->n_spaces++] = (uint8_t) (word - PTX_WORD_SPACE);
    } else if (word > PTX_WORD_TYPE) {
        if (instruction->n_types == PTX_MAX_TYPES)
            return ptx__fatal(parser, token->place, "Too many modifiers");
        instruction->types[instruction->n_types++] = (uint8_t) (word - PTX_WORD_TYPE);
    } else {
        if (instruction->n_modifiers == PTX_MAX_MODIFIERS)
            return ptx__fatal(parser, token->place, "Too many modifiers");
        instruction->modifiers[instruction->n_modifiers++] = (uint16_t) word;
    }
    return true;
}

/*
 * Sorts the words after the opcode's name. A refused instruction may have any words. An unknown
 * word is an error in the log, and the next ones are still sorted.
 */
static bool sort_words(struct ptx__parser *parser, struct ptx__instruction *instruction,
                       const struct words *words, unsigned first, struct sorted_words *ret_sorted)
{
    const bool refused = ptx__opcodes[instruction->opcode].refused;

    ret_sorted->n = 0;
    for (unsigned i = first; i < words->n; i++) {
        const struct ptx__token *token = &words->tokens[i];
        const unsigned word = ptx__word_find(token->text + 1, token->length - 1);

        if (!word && !refused)
            ptx__error(parser, token->place, "Unknown modifier '%.*s'", PTX_TEXT(*token));
        if (!word || refused)
            continue;
        if (!add_modifier(parser, instruction, token, word))
            return false;
        ret_sorted->numbers[ret_sorted->n++] = (uint16_t) word;
    }
    return true;
}

/* Reads "@!%p1". */
static bool read_guard(struct ptx__parser *parser, struct ptx__instruction *instruction)
{
    struct ptx__token name;

    instruction->guard = PTX_NONE;
    if (!ptx__accept(&parser->lexer, "@"))
        return true;
    instruction->guard_negated = ptx__accept(&parser->lexer, "!");
    if (!ptx__expect_name(parser, &name) ||
        !ptx__parse_register(parser, &name, &instruction->guard))
        return false;
    if (instruction->guard == PTX_NONE)
        return ptx__error(parser, name.place, "Unknown symbol '%.*s'", PTX_TEXT(name));
    if (parser->function->registers[instruction->guard].type != PTX_PRED)
        return ptx__error(parser, name.place, "Predicate expression expected");
    return true;
}

/* Allocates this many operands, in memory that does not move. */
static bool make_operands(struct ptx__parser *parser, struct ptx__instruction *instruction,
                          uint32_t n)
{
    instruction->operands =
        cushim__arena_alloc(&parser->module->arena, n * sizeof(*instruction->operands));
    instruction->n_operands = n;
    return instruction->operands || ptx__no_memory(parser);
}

/* Reads "bra L;". */
static bool read_branch(struct ptx__parser *parser, struct ptx__instruction *instruction)
{
    struct ptx__token label;

    if (!make_operands(parser, instruction, 1) || !ptx__expect_name(parser, &label))
        return false;
    instruction->operands[0] =
        (struct ptx__operand){.kind = PTX_LABEL, .target = PTX_NONE, .place = label.place};
    return ptx__refer(parser, &label, &instruction->operands[0].target);
}

static bool find_table(struct ptx__parser *parser, const struct ptx__token *token,
                       uint32_t *ret_table)
{
    const struct ptx__name *name = ptx__scope_find(&parser->scope, token->text, token->length);

    if (!name || name->kind != PTX_NAME_TABLE || parser->function->tables[name->number].calls)
        return ptx__error(parser, token->place, "Arguments mismatch for instruction 'brx.idx'");
    *ret_table = name->number;
    return true;
}

/* Reads "brx.idx %r1, table;". */
static bool read_indexed_branch(struct ptx__parser *parser, struct ptx__instruction *instruction)
{
    struct ptx__token index, table;
    struct ptx__operand *operands;

    if (!make_operands(parser, instruction, 2) || !ptx__expect_name(parser, &index) ||
        !ptx__expect(parser, ",") || !ptx__expect_name(parser, &table))
        return false;
    operands = instruction->operands;
    operands[0] =
        (struct ptx__operand){.kind = PTX_REGISTER, .component = -1, .place = index.place};
    operands[1] =
        (struct ptx__operand){.kind = PTX_TABLE, .target = PTX_NONE, .place = table.place};
    if (!ptx__parse_register(parser, &index, &operands[0].reg))
        return false;
    if (operands[0].reg == PTX_NONE)
        return ptx__error(parser, index.place, "Unknown symbol '%.*s'", PTX_TEXT(index));
    operands[0].type = parser->function->registers[operands[0].reg].type;
    return find_table(parser, &table, &operands[1].target);
}

static bool read_operands(struct ptx__parser *parser, struct ptx__instruction *instruction)
{
    switch ((enum ptx__opcode) instruction->opcode) {
    case PTX_OP_BRA:
        return read_branch(parser, instruction);
    case PTX_OP_BRX_IDX:
        return read_indexed_branch(parser, instruction);
    case PTX_OP_CALL:
        return make_operands(parser, instruction, 4) &&
               ptx__parse_call(parser, instruction->operands);
    default:
        return ptx__parse_operands(parser, instruction);
    }
}

static bool add(struct ptx__parser *parser, const struct ptx__instruction *instruction)
{
    struct ptx__function *function = parser->function;
    struct ptx__instruction *added =
        ptx__append(parser, &function->instructions, &function->n_instructions, sizeof(*added));

    if (!added)
        return false;
    *added = *instruction;
    return true;
}

bool ptx__parse_instruction(struct ptx__parser *parser)
{
    struct ptx__instruction instruction = {.location = parser->location};
    const size_t errors = parser->log->n_errors;
    struct words words = {.n = 0};
    struct sorted_words sorted;
    unsigned first = 0;

    if (!read_guard(parser, &instruction))
        return false;
    instruction.place = parser->lexer.token.place;
    if (!read_words(parser, &words))
        return false;
    instruction.opcode = (uint16_t) find_opcode(&words, &first);
    if (!instruction.opcode) {
        ptx__error(parser, instruction.place, "Not a name of any known instruction: '%.*s'",
                   PTX_TEXT(words.tokens[0]));
        return ptx__skip_statement(parser);
    }
    if (!sort_words(parser, &instruction, &words, first, &sorted) ||
        !read_operands(parser, &instruction) || !ptx__expect(parser, ";"))
        return false;
    if (parser->log->n_errors == errors &&
        !ptx__check_instruction(parser, &instruction, sorted.numbers, sorted.n))
        return false;
    return add(parser, &instruction);
}
