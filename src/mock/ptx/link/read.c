/* SPDX-License-Identifier: MIT */
#include "mock/ptx/link/read.h"

#include <string.h>

#include "mock/ptx/link/link.h"
#include "mock/ptx/parse/parse.h"

/* Reads one text, which has its own names and numbers of files. */
static bool read_unit(struct ptx__parser *parser, const char *text, size_t length)
{
    bool read;

    if (!ptx__scope_init(&parser->scope))
        return ptx__no_memory(parser);
    parser->has_version = parser->has_target = false;
    parser->function = NULL;
    parser->references = NULL;
    ptx__lexer_init(&parser->lexer, text, length);
    read = ptx__read_text(parser);
    ptx__scope_finish(&parser->scope);
    ptx__map_finish(&parser->files);
    return read;
}

/* Location 0 stands for none. */
static bool begin(struct ptx__parser *parser)
{
    struct ptx__location *none = ptx__append(parser, &parser->module->locations,
                                             &parser->module->n_locations, sizeof(*none));

    parser->module->address_bits = 64;
    if (none)
        none->file = PTX_NONE;
    return none;
}

static enum ptx__status finish(struct ptx__parser *parser)
{
    if (!ptx__link(parser) || !ptx__lay_out(parser) || !ptx__check_calls(parser))
        return parser->status;
    return parser->log->n_errors ? PTX_INVALID : PTX_OK;
}

static enum ptx__status read_texts(struct ptx__parser *parser, const char *const *texts,
                                   const size_t *lengths, size_t n)
{
    struct ptx__module *module = parser->module;

    *module = (struct ptx__module){.version = 0};
    if (!begin(parser))
        return PTX_OUT_OF_MEMORY;
    for (size_t i = 0; i < n; i++) {
        parser->unit = (uint32_t) i;
        if (!read_unit(parser, texts[i], lengths[i]))
            return parser->status;
    }
    if (module->arena.failed)
        return PTX_OUT_OF_MEMORY;
    return parser->log->n_errors ? PTX_INVALID : PTX_OK;
}

enum ptx__status ptx__read(const char *const *texts, const size_t *lengths, size_t n,
                           int capability, struct ptx__module *module, struct ptx__log *log)
{
    struct ptx__parser parser = {
        .module = module, .log = log, .capability = capability, .status = PTX_INVALID};
    const enum ptx__status status = read_texts(&parser, texts, lengths, n);

    return status == PTX_OK ? finish(&parser) : status;
}

enum ptx__status ptx__read_part(const char *text, size_t length, int capability,
                                struct ptx__module *module, struct ptx__log *log)
{
    struct ptx__parser parser = {
        .module = module, .log = log, .capability = capability, .status = PTX_INVALID};

    return read_texts(&parser, &text, &length, 1);
}

void ptx__finish(struct ptx__module *module)
{
    cushim__arena_finish(&module->arena);
    *module = (struct ptx__module){.version = 0};
}

uint32_t ptx__function_find(const struct ptx__module *module, const char *name)
{
    for (uint32_t i = 0; i < module->n_functions; i++) {
        const struct ptx__function *function = &module->functions[i];

        if (function->has_body && !function->replaced && !strcmp(function->name, name))
            return i;
    }
    for (uint32_t i = 0; i < module->n_aliases; i++) {
        if (!strcmp(module->aliases[i].name, name))
            return module->aliases[i].function;
    }
    return PTX_NONE;
}
