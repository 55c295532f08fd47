/* SPDX-License-Identifier: MIT */
/* Reads the places in the program's source: .file, .loc, and debug sections. */
#include "mock/ptx/parse/parse.h"

/*
 * Finds a file in the module's list, or PTX_NONE. Each text has its own numbers of files. NVRTC
 * writes .file at the end, behind all places in it, so a file is in the list from its first place
 * on, and gets its path later.
 */
static bool find_file(struct ptx__parser *parser, size_t number, uint32_t *ret_file)
{
    struct ptx__module *module = parser->module;
    struct ptx__file *file;
    uint32_t *place;

    *ret_file = PTX_NONE;
    if (number > UINT32_MAX)
        return true;
    place = ptx__map_at(&parser->files, 0, (uint32_t) number);
    if (!place)
        return ptx__no_memory(parser);
    if (*place == PTX_NONE) {
        file = ptx__append(parser, &module->files, &module->n_files, sizeof(*file));
        if (!file)
            return ptx__no_memory(parser);
        *file = (struct ptx__file){(uint32_t) number, NULL, parser->unit};
        *place = module->n_files - 1;
    }
    *ret_file = *place;
    return true;
}

/* Reads ".file 1 "a.cu", 1234, 56". The time and the size are ignored. */
bool ptx__parse_file(struct ptx__parser *parser)
{
    struct ptx__token path;
    struct ptx__file *file;
    uint32_t index;
    size_t number = 0;

    if (!ptx__parse_size(parser, &number))
        return false;
    path = parser->lexer.token;
    if (path.kind != PTX_STRING)
        return ptx__unexpected(parser);
    ptx__next(&parser->lexer);
    while (ptx__accept(&parser->lexer, ",")) {
        size_t ignored;

        if (!ptx__parse_size(parser, &ignored))
            return false;
    }
    if (!find_file(parser, number, &index))
        return false;
    if (index == PTX_NONE)
        return true; /* no place can name it */
    file = &parser->module->files[index];
    if (file->path)
        return ptx__error(parser, path.place, "Duplicate file index #%zu", number);
    path.text++;
    path.length -= 2;
    file->path = ptx__copy(parser, &path);
    return file->path;
}

static bool read_place(struct ptx__parser *parser, struct ptx__location *location)
{
    size_t file = 0, line = 0, column = 0;

    if (!ptx__parse_size(parser, &file) || !ptx__parse_size(parser, &line))
        return false;
    /* The column may be missing before a comma. */
    if (ptx__at_number(parser) && !ptx__parse_size(parser, &column))
        return false;
    *location = (struct ptx__location){0, (uint32_t) line, (uint32_t) column, 0};
    return find_file(parser, file, &location->file);
}

/* Returns the number of a location. Equal locations have one number. */
static bool note(struct ptx__parser *parser, const struct ptx__location *location,
                 uint32_t *ret_number)
{
    struct ptx__module *module = parser->module;
    struct ptx__location *added;

    for (uint32_t i = module->n_locations; i-- > 1 && i + 16 > module->n_locations;) {
        const struct ptx__location *known = &module->locations[i];

        if (known->file == location->file && known->line == location->line &&
            known->column == location->column && known->inlined_at == location->inlined_at) {
            *ret_number = i;
            return true;
        }
    }
    added = ptx__append(parser, &module->locations, &module->n_locations, sizeof(*added));
    if (!added)
        return false;
    *added = *location;
    *ret_number = module->n_locations - 1;
    return true;
}

/* Reads "function_name $L__info_string0 + 4". */
static bool read_function_name(struct ptx__parser *parser)
{
    struct ptx__number offset;

    if (parser->lexer.token.kind != PTX_NAME && parser->lexer.token.kind != PTX_DOTTED)
        return ptx__unexpected(parser);
    ptx__next(&parser->lexer);
    return !ptx__accept(&parser->lexer, "+") || ptx__parse_number(parser, &offset);
}

/* Reads ".loc 1 5 3, function_name name, inlined_at 1 10 2". */
bool ptx__parse_location(struct ptx__parser *parser)
{
    struct ptx__location location, caller;

    if (!read_place(parser, &location))
        return false;
    while (ptx__accept(&parser->lexer, ",")) {
        if (ptx__accept(&parser->lexer, "function_name")) {
            if (!read_function_name(parser))
                return false;
        } else if (ptx__accept(&parser->lexer, "inlined_at")) {
            if (!read_place(parser, &caller) || !note(parser, &caller, &location.inlined_at))
                return false;
        } else {
            return ptx__unexpected(parser);
        }
    }
    return note(parser, &location, &parser->location);
}

/* Skips a section for debuggers; only its braces are counted. */
bool ptx__parse_section(struct ptx__parser *parser)
{
    if (parser->lexer.token.kind != PTX_DOTTED && parser->lexer.token.kind != PTX_NAME)
        return ptx__unexpected(parser);
    ptx__next(&parser->lexer);
    if (!ptx__expect(parser, "{"))
        return false;
    while (!ptx__accept(&parser->lexer, "}")) {
        const enum ptx__token_kind kind = parser->lexer.token.kind;

        if (kind == PTX_END || kind == PTX_STRING || ptx__is(&parser->lexer, "{"))
            return ptx__unexpected(parser);
        ptx__next(&parser->lexer);
    }
    return true;
}
