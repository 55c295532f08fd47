/* SPDX-License-Identifier: MIT */
#include "types.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

struct builtin {
    char letter;
    const char *c;
    size_t bytes;
    enum type_kind kind;
    bool raw; /* memory of this type may be any bytes */
};

static const struct builtin builtins[] = {
    {'v', "void", 0, TYPE_INTEGER, true},
    {'b', "bool", 1, TYPE_INTEGER, false},
    {'c', "char", 1, TYPE_INTEGER, true},
    {'a', "signed char", 1, TYPE_INTEGER, true},
    {'h', "unsigned char", 1, TYPE_INTEGER, true},
    {'s', "short", 2, TYPE_INTEGER, false},
    {'t', "unsigned short", 2, TYPE_INTEGER, false},
    {'i', "int", 4, TYPE_INTEGER, false},
    {'j', "unsigned", 4, TYPE_INTEGER, false},
    {'l', "long", 8, TYPE_INTEGER, false},
    {'m', "unsigned long", 8, TYPE_INTEGER, false},
    {'x', "long long", 8, TYPE_INTEGER, false},
    {'y', "unsigned long long", 8, TYPE_INTEGER, false},
    {'f', "float", 4, TYPE_FLOAT, false},
    {'d', "double", 8, TYPE_FLOAT, false},
};

/* Types of CUDA's headers that cushim has under another name. */
static const struct {
    const char *cuda, *c;
    size_t bytes;
} halves[] = {{"__half", "cushim_f16", 2}, {"__nv_bfloat16", "cushim_bf16", 2}};

enum node_kind {
    NODE_BUILTIN,
    NODE_CLASS, /* or a namespace, or a template without its arguments */
    NODE_POINTER,
    NODE_FUNCTION,
    NODE_OTHER, /* understood, and nothing that the host could give a kernel */
};

/* A type. Those that S_ and its like refer to are kept in a list. */
struct node {
    enum node_kind kind;
    const struct builtin *builtin;
    const char *name; /* of a class, with its namespaces */
    bool templated;   /* the name has arguments of a template */
    bool is_const;
    const struct node *to;          /* of a pointer */
    const struct node **parameters; /* of a function, without its result */
    size_t n_parameters;
};

enum { MOST_SEEN = 256, MOST_DEPTH = 64 };

struct reader {
    struct cushim__arena *arena;
    const char *at;
    const struct node *seen[MOST_SEEN];
    size_t n_seen;
    unsigned depth;
};

static const struct node *read_type(struct reader *reader);

static bool take(struct reader *reader, const char *text)
{
    const size_t length = strlen(text);

    if (strncmp(reader->at, text, length) != 0)
        return false;
    reader->at += length;
    return true;
}

static struct node *new_node(struct reader *reader, enum node_kind kind)
{
    struct node *node = cushim__arena_alloc(reader->arena, sizeof(*node));

    if (node)
        node->kind = kind;
    return node;
}

/* Keeps a type for references to it. */
static const struct node *keep(struct reader *reader, const struct node *node)
{
    if (!node || reader->n_seen == MOST_SEEN)
        return NULL;
    return reader->seen[reader->n_seen++] = node;
}

/* Reads "5saxpy". Returns NULL if there is none. */
static const char *read_identifier(struct reader *reader)
{
    const char *name;
    char *end;
    unsigned long length;

    if (!isdigit((unsigned char) *reader->at))
        return NULL;
    length = strtoul(reader->at, &end, 10);
    if (!length || length > strlen(end))
        return NULL;
    name = cushim__arena_printf(reader->arena, "%.*s", (int) length, end);
    reader->at = end + length;
    return name;
}

static const struct node *class_in(struct reader *reader, const struct node *outer,
                                   const char *name)
{
    struct node *node = new_node(reader, NODE_CLASS);

    if (!node || !name)
        return NULL;
    node->name = outer ? cushim__arena_printf(reader->arena, "%s::%s", outer->name, name) : name;
    node->templated = outer && outer->templated;
    return node;
}

/* Reads "LE" and the like: a value of a template's argument. */
static bool skip_literal(struct reader *reader)
{
    if (!read_type(reader))
        return false;
    reader->at += strcspn(reader->at, "E");
    return take(reader, "E");
}

/* Reads "I...E", which are the arguments of a template. */
static const struct node *template_of(struct reader *reader, const struct node *plain)
{
    struct node *node;

    while (!take(reader, "E")) {
        if (!(take(reader, "L") ? skip_literal(reader) : read_type(reader) != NULL))
            return NULL;
    }
    node = new_node(reader, NODE_CLASS);
    if (!node)
        return NULL;
    *node = *plain;
    node->templated = true;
    return node;
}

/* Reads "S_", "S0_", "S1_", and "St". */
static const struct node *read_reference(struct reader *reader)
{
    size_t index = 0;

    if (take(reader, "t"))
        return class_in(reader, NULL, "std");
    if (*reader->at != '_') {
        for (; isdigit((unsigned char) *reader->at) || isupper((unsigned char) *reader->at);
             reader->at++)
            index = 36 * (index % MOST_SEEN) + (size_t) (isdigit((unsigned char) *reader->at)
                                                             ? *reader->at - '0'
                                                             : *reader->at - 'A' + 10);
        index++;
    }
    return take(reader, "_") && index < reader->n_seen ? reader->seen[index] : NULL;
}

/*
 * Reads "N...E", a name within namespaces or classes. Whether the last part is kept depends on
 * whether it is a type.
 */
static const struct node *read_nested(struct reader *reader, bool is_type)
{
    const struct node *node = NULL;

    while (!take(reader, "E")) {
        const bool reference = take(reader, "S");

        if (reference)
            node = node ? NULL : read_reference(reader);
        else if (take(reader, "I"))
            node = node ? template_of(reader, node) : NULL;
        else
            node = class_in(reader, node, read_identifier(reader));
        if (!node || node->kind != NODE_CLASS)
            return NULL;
        if (!reference && (is_type || *reader->at != 'E') && !keep(reader, node))
            return NULL;
    }
    return node;
}

/* Arguments may follow the name of a template. */
static const struct node *with_arguments(struct reader *reader, const struct node *node)
{
    if (!node || node->kind != NODE_CLASS || !take(reader, "I"))
        return node;
    return keep(reader, template_of(reader, node));
}

static const struct node *read_function(struct reader *reader)
{
    const struct node *parameters[MOST_PARAMETERS];
    struct node *node = new_node(reader, NODE_FUNCTION);
    size_t n = 0;

    take(reader, "Y"); /* extern "C" */
    if (!node || !read_type(reader))
        return NULL;
    while (!take(reader, "E")) {
        if (n == MOST_PARAMETERS || !(parameters[n] = read_type(reader)))
            return NULL;
        n++;
    }
    if (n == 1 && parameters[0]->kind == NODE_BUILTIN && parameters[0]->builtin->letter == 'v')
        n = 0;
    node->parameters = cushim__arena_alloc(reader->arena, (n + 1) * sizeof(*parameters));
    if (!node->parameters)
        return NULL;
    memcpy(node->parameters, parameters, n * sizeof(*parameters));
    node->n_parameters = n;
    return keep(reader, node);
}

static const struct node *read_pointer(struct reader *reader, enum node_kind kind)
{
    struct node *node = new_node(reader, kind);
    const struct node *to = read_type(reader);

    if (!node || !to)
        return NULL;
    node->to = to;
    return keep(reader, node);
}

static const struct node *read_qualified(struct reader *reader)
{
    struct node *node = new_node(reader, NODE_OTHER);
    const struct node *plain;
    bool is_const = false;

    for (; *reader->at && strchr("rVK", *reader->at); reader->at++)
        is_const |= *reader->at == 'K';
    plain = read_type(reader);
    if (!node || !plain)
        return NULL;
    *node = *plain;
    node->is_const = is_const;
    return keep(reader, node);
}

static const struct node *read_array(struct reader *reader)
{
    reader->at += strspn(reader->at, "0123456789");
    return take(reader, "_") ? read_pointer(reader, NODE_OTHER) : NULL;
}

static const struct node *read_builtin(struct reader *reader)
{
    struct node *node = new_node(reader, NODE_BUILTIN);

    for (size_t i = 0; node && i < ARRAY_SIZE(builtins); i++) {
        if (builtins[i].letter != *reader->at)
            continue;
        node->builtin = &builtins[i];
        reader->at++;
        return node;
    }
    return NULL;
}

static const struct node *read_standard(struct reader *reader)
{
    const struct node *node = read_reference(reader);

    /* "St4byte" is std::byte; only this reference is followed by a name. */
    if (node && isdigit((unsigned char) *reader->at) && reader->at[-1] == 't')
        node = keep(reader, class_in(reader, node, read_identifier(reader)));
    return with_arguments(reader, node);
}

static const struct node *read_any(struct reader *reader)
{
    switch (*reader->at) {
    case 'r':
    case 'V':
    case 'K':
        return read_qualified(reader);
    case 'P':
        reader->at++;
        return read_pointer(reader, NODE_POINTER);
    case 'R':
    case 'O':
        reader->at++;
        return read_pointer(reader, NODE_OTHER);
    case 'A':
        reader->at++;
        return read_array(reader);
    case 'F':
        reader->at++;
        return read_function(reader);
    case 'N':
        reader->at++;
        return read_nested(reader, true);
    case 'S':
        reader->at++;
        return read_standard(reader);
    default:
        if (take(reader, "DoF"))
            return read_function(reader);
        if (!isdigit((unsigned char) *reader->at))
            return read_builtin(reader);
        return with_arguments(reader,
                              keep(reader, class_in(reader, NULL, read_identifier(reader))));
    }
}

static const struct node *read_type(struct reader *reader)
{
    const struct node *node;

    if (reader->depth == MOST_DEPTH)
        return NULL;
    reader->depth++;
    node = read_any(reader);
    reader->depth--;
    return node;
}

/* Returns what is wrong with a value of the type, or NULL. */
static const char *value_of(const struct node *node, struct type *type)
{
    if (node->kind == NODE_BUILTIN) {
        type->kind = node->builtin->kind;
        type->c = node->builtin->c;
        type->bytes = node->builtin->bytes;
        return NULL;
    }
    for (size_t i = 0; node->kind == NODE_CLASS && i < ARRAY_SIZE(halves); i++) {
        if (strcmp(node->name, halves[i].cuda) != 0)
            continue;
        *type = (struct type){
            .kind = TYPE_STRUCTURE, .c = halves[i].c, .bytes = halves[i].bytes, .is_half = true};
        return NULL;
    }
    if (node->kind != NODE_CLASS)
        return "is of a type that the host cannot give a kernel";
    if (node->templated || strchr(node->name, ':'))
        return "is of a class that has no name in C";
    type->kind = TYPE_STRUCTURE;
    type->c = node->name;
    return NULL;
}

/* What a pointer points to. */
static const char *memory_of(const struct node *to, struct type *type)
{
    struct type element = {.kind = TYPE_STRUCTURE};

    if (to->kind == NODE_FUNCTION)
        return "points to a function, and the host has none of a device";
    *type = (struct type){.kind = TYPE_MEMORY, .bytes = 8, .is_const = to->is_const};
    if (to->kind == NODE_POINTER)
        element = (struct type){.kind = TYPE_STRUCTURE, .c = "pointers", .bytes = 8};
    else
        (void) value_of(to, &element);
    type->c = element.c ? element.c : to->name ? to->name : "arrays";
    if (to->kind == NODE_BUILTIN && to->builtin->raw)
        return NULL;
    type->element = element.bytes;
    type->of_integers = element.kind == TYPE_INTEGER;
    type->of_floats = element.kind == TYPE_FLOAT;
    return NULL;
}

static bool convert(struct cushim__arena *arena, const struct node *const *nodes, size_t n,
                    struct mangled *kernel, const char **ret_why)
{
    kernel->types = cushim__arena_alloc(arena, (n + 1) * sizeof(*kernel->types));
    for (size_t i = 0; kernel->types && i < n; i++) {
        const struct node *node = nodes[i];
        const char *why = node->kind == NODE_POINTER ? memory_of(node->to, &kernel->types[i])
                                                     : value_of(node, &kernel->types[i]);

        if (why) {
            *ret_why =
                cushim__arena_printf(arena, "parameter %zu%s%s %s", i, node->name ? ", a " : "",
                                     node->name ? node->name : "", why);
            return false;
        }
    }
    kernel->n = n;
    return kernel->types != NULL;
}

static bool not_understood(struct cushim__arena *arena, const char *mangled, const char **ret_why)
{
    *ret_why = cushim__arena_printf(arena, "its parameters are not understood, %s", mangled);
    return false;
}

bool mangled_signature(struct cushim__arena *arena, const char *mangled, struct mangled *ret_kernel,
                       const char **ret_why)
{
    struct reader reader = {.arena = arena, .at = mangled};
    const struct node *function = NULL;

    *ret_why = "";
    if (take(&reader, "_Z") && keep(&reader, class_in(&reader, NULL, read_identifier(&reader))) &&
        take(&reader, "I"))
        function = read_type(&reader);
    if (!function || function->kind != NODE_FUNCTION || !take(&reader, "E"))
        return not_understood(arena, mangled, ret_why);
    return convert(arena, function->parameters, function->n_parameters, ret_kernel, ret_why);
}

bool mangled_kernel(struct cushim__arena *arena, const char *mangled, struct mangled *ret_kernel,
                    const char **ret_why)
{
    struct reader reader = {.arena = arena, .at = mangled};
    const struct node *name = NULL, *function;

    *ret_why = "";
    if (take(&reader, "_Z")) {
        take(&reader, "L");
        name = take(&reader, "N") ? read_nested(&reader, false)
                                  : class_in(&reader, NULL, read_identifier(&reader));
    }
    if (!name || name->templated || *reader.at == 'I')
        return not_understood(arena, mangled, ret_why);
    ret_kernel->name = name->name;
    /* As the type of a function whose result comes first and whose end is marked. */
    reader.at = cushim__arena_printf(arena, "v%sE", reader.at);
    function = read_function(&reader);
    if (!function || *reader.at)
        return not_understood(arena, mangled, ret_why);
    return convert(arena, function->parameters, function->n_parameters, ret_kernel, ret_why);
}
