/* SPDX-License-Identifier: MIT */
/* Reads the parts of a text outside of functions. */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/parse/parse.h"

#define NEWEST_VERSION 95

/* PTX ISA 9.5, that of CUDA 13.5, is the newest version that is supported. */
static bool read_version(struct ptx__parser *parser)
{
    const struct ptx__token token = parser->lexer.token;
    char text[16] = "", *end;
    unsigned long major, minor;

    if (token.kind != PTX_NUMBER || token.length >= sizeof(text))
        return ptx__unexpected(parser);
    memcpy(text, token.text, token.length);
    major = strtoul(text, &end, 10);
    minor = *end == '.' ? strtoul(end + 1, &end, 10) : 100;
    if (*end || major > 1000 || minor > 9)
        return ptx__unexpected(parser);
    if (parser->has_version)
        return ptx__fatal(parser, token.place, "Duplicate .version directive");
    parser->has_version = true;
    parser->version = (int) (10 * major + minor);
    if (parser->version > NEWEST_VERSION) {
        parser->status = PTX_NEWER_VERSION;
        return ptx__fatal(parser, token.place,
                          "Unsupported .version %lu.%lu; current version is '%d.%d'", major, minor,
                          NEWEST_VERSION / 10, NEWEST_VERSION % 10);
    }
    ptx__next(&parser->lexer);
    return true;
}

/* Reads "sm_90a". Code for a target with the suffix a or f does not run on all later devices. */
static bool read_sm(struct ptx__parser *parser, const struct ptx__token *token)
{
    char text[16] = "", *end;
    long target;

    if (token->length <= 3 || token->length >= sizeof(text))
        return ptx__fatal(parser, token->place, "Unrecognized target '%.*s'", PTX_TEXT(*token));
    memcpy(text, token->text, token->length);
    target = strtol(text + 3, &end, 10);
    if (target < 10 || target > 999 || (*end && ((*end != 'a' && *end != 'f') || end[1])))
        return ptx__fatal(parser, token->place, "Unrecognized target '%.*s'", PTX_TEXT(*token));
    parser->target = (int) target;
    parser->suffix = *end;
    parser->has_target = true;
    /* PTX runs on its target and on later ones. */
    if (parser->target > parser->capability ||
        (parser->suffix == 'a' && parser->target != parser->capability) ||
        (parser->suffix == 'f' && parser->target / 10 != parser->capability / 10)) {
        parser->status = PTX_OTHER_TARGET;
        return ptx__fatal(parser, token->place,
                          "PTX with .target '%.*s' cannot be compiled to architecture 'sm_%d'",
                          PTX_TEXT(*token), parser->capability);
    }
    return true;
}

static bool read_target(struct ptx__parser *parser)
{
    struct ptx__token token;

    do {
        if (!ptx__expect_name(parser, &token))
            return false;
        if (token.length >= 3 && !memcmp(token.text, "sm_", 3) && !read_sm(parser, &token))
            return false;
        if (token.length == 5 && !memcmp(token.text, "debug", 5))
            parser->module->debug = true;
    } while (ptx__accept(&parser->lexer, ","));
    return parser->has_target ||
           ptx__fatal(parser, token.place, "Unrecognized target '%.*s'", PTX_TEXT(token));
}

static bool read_address_size(struct ptx__parser *parser)
{
    const struct ptx__place place = parser->lexer.token.place;
    size_t bits = 0;

    if (!ptx__parse_size(parser, &bits))
        return false;
    if (bits != 32 && bits != 64)
        return ptx__fatal(parser, place, "Invalid .address_size");
    if (bits == 32)
        return ptx__fatal(parser, place, "32-Bit addressing is not supported");
    parser->module->address_bits = 64;
    return true;
}

/* Reads ".alias f, g;", which makes the declared function f another name of g. */
static bool read_alias(struct ptx__parser *parser)
{
    struct ptx__token alias, aliasee;
    const struct ptx__name *names[2];
    struct ptx__alias *added;

    if (!ptx__expect_name(parser, &alias) || !ptx__expect(parser, ",") ||
        !ptx__expect_name(parser, &aliasee) || !ptx__expect(parser, ";"))
        return false;
    names[0] = ptx__scope_find(&parser->scope, alias.text, alias.length);
    names[1] = ptx__scope_find(&parser->scope, aliasee.text, aliasee.length);
    for (int i = 0; i < 2; i++) {
        const struct ptx__token *token = i ? &aliasee : &alias;

        if (!names[i] || names[i]->symbol.kind != PTX_FUNCTION)
            return ptx__error(parser, token->place, "Unknown symbol '%.*s'", PTX_TEXT(*token));
    }
    if (parser->module->functions[names[0]->symbol.number].has_body)
        return ptx__error(parser, alias.place, "Alias '%.*s' must not have a body",
                          PTX_TEXT(alias));
    added =
        ptx__append(parser, &parser->module->aliases, &parser->module->n_aliases, sizeof(*added));
    if (!added)
        return false;
    *added = (struct ptx__alias){parser->module->functions[names[0]->symbol.number].name,
                                 names[1]->symbol.number, names[0]->symbol.number};
    return true;
}

static bool read_linkage(struct ptx__parser *parser, enum ptx__linkage *ret_linkage)
{
    static const struct {
        const char *word;
        enum ptx__linkage linkage;
    } linkages[] = {{".visible", PTX_VISIBLE},
                    {".extern", PTX_EXTERN},
                    {".weak", PTX_WEAK},
                    {".common", PTX_COMMON}};

    *ret_linkage = PTX_STATIC;
    for (size_t i = 0; i < sizeof(linkages) / sizeof(*linkages); i++) {
        if (ptx__accept(&parser->lexer, linkages[i].word)) {
            *ret_linkage = linkages[i].linkage;
            return true;
        }
    }
    return false;
}

/* Reads a function or a variable. */
static bool read_definition(struct ptx__parser *parser)
{
    static const struct {
        const char *word;
        enum ptx__space space;
    } spaces[] = {{".global", PTX_GLOBAL}, {".const", PTX_CONST}, {".shared", PTX_SHARED},
                  {".local", PTX_LOCAL},   {".param", PTX_PARAM}, {".reg", PTX_REG}};
    enum ptx__linkage linkage;

    read_linkage(parser, &linkage);
    if (ptx__accept(&parser->lexer, ".entry"))
        return ptx__read_function(parser, true, linkage);
    if (ptx__accept(&parser->lexer, ".func"))
        return ptx__read_function(parser, false, linkage);
    for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++) {
        if (ptx__accept(&parser->lexer, spaces[i].word))
            return ptx__parse_variables(parser, spaces[i].space, linkage);
    }
    if (ptx__is(&parser->lexer, ".tex"))
        return ptx__fatal(parser, parser->lexer.token.place,
                          "Deprecated feature: '.tex' not supported as of PTX version 1.5");
    return ptx__unexpected(parser);
}

static bool read_statement(struct ptx__parser *parser)
{
    struct ptx__lexer *lexer = &parser->lexer;

    if (ptx__accept(lexer, ".file"))
        return ptx__parse_file(parser);
    if (ptx__accept(lexer, ".section"))
        return ptx__parse_section(parser);
    if (ptx__accept(lexer, ".pragma"))
        return ptx__skip_statement(parser);
    if (ptx__accept(lexer, ".alias"))
        return read_alias(parser);
    return read_definition(parser);
}

/* Reads the beginning of a text: version, target and address size. */
static bool read_header(struct ptx__parser *parser)
{
    struct ptx__lexer *lexer = &parser->lexer;

    if (!ptx__accept(lexer, ".version"))
        return ptx__fatal(parser, lexer->token.place,
                          "Missing .version directive at start of file");
    if (!read_version(parser))
        return false;
    if (!ptx__accept(lexer, ".target"))
        return ptx__fatal(parser, lexer->token.place, "Missing .target directive");
    if (!read_target(parser))
        return false;
    return !ptx__accept(lexer, ".address_size") || read_address_size(parser);
}

bool ptx__read_text(struct ptx__parser *parser)
{
    struct ptx__module *module = parser->module;

    if (!ptx__is(&parser->lexer, ".version")) {
        parser->status = PTX_NO_PTX;
        return false;
    }
    if (!read_header(parser))
        return false;
    module->version = parser->version > module->version ? parser->version : module->version;
    if (parser->target > module->target) {
        module->target = parser->target;
        module->target_suffix = parser->suffix;
    }
    while (parser->lexer.token.kind != PTX_END) {
        if (!read_statement(parser))
            return false;
    }
    return true;
}
