/* SPDX-License-Identifier: MIT */
#include "kernels.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "command.h"
#include "core/code/ptx_params.h"
#include "names.h"

enum { MOST_KERNELS = 1024 };

/* The names in the code, before anything else is known of the kernels. */
struct entry {
    const char *name;
    const struct wanted *wanted; /* NULL: the command line does not name it */
    const char
        *expression; /* that NVRTC is asked for its type with; NULL: the name has the types */
};

struct finder {
    const struct request *request;
    struct cushim__arena *arena;
    const char *text;
    const struct built *built;
    struct entry entries[MOST_KERNELS];
    size_t n;
};

const char *const *wanted_expressions(const struct request *request)
{
    const char **list;
    size_t n = 0;

    if (!request->n_wanted)
        return NULL;
    list = cushim__arena_alloc(request->arena, (request->n_wanted + 1) * sizeof(*list));
    for (size_t i = 0; list && i < request->n_wanted; i++)
        /* The name of a kernel in the code is no expression, it only gives it another one in C. */
        if (strncmp(request->wanted[i].expression, "_Z", 2) != 0)
            list[n++] = request->wanted[i].expression;
    return n ? list : NULL;
}

static int refuse(const struct finder *finder, const char *kernel, const char *why)
{
    fprintf(stderr, "cushim compile: %s: kernel %s: %s\n", finder->request->source, kernel, why);
    return COMMAND_NO;
}

static int refuse_file(const struct finder *finder, const char *why)
{
    fprintf(stderr, "cushim compile: %s: %s\n", finder->request->source, why);
    return COMMAND_NO;
}

/* Reads the names of all entries of the PTX. */
static bool read_entries(struct finder *finder)
{
    const char *p = finder->built->bytes;

    while ((p = strstr(p, ".entry")) != NULL) {
        size_t length;

        p += strlen(".entry");
        if (!isspace((unsigned char) *p))
            continue;
        p += strspn(p, " \t\r\n");
        length = strcspn(p, "( \t\r\n");
        if (finder->n == MOST_KERNELS)
            return false;
        finder->entries[finder->n++].name =
            cushim__arena_printf(finder->arena, "%.*s", (int) length, p);
    }
    return true;
}

static struct entry *entry_of(struct finder *finder, const char *name)
{
    for (size_t i = 0; i < finder->n; i++)
        if (!strcmp(finder->entries[i].name, name))
            return &finder->entries[i];
    return NULL;
}

/* Finds the entries that the command line names. */
static int match_wanted(struct finder *finder)
{
    for (size_t i = 0; i < finder->request->n_wanted; i++) {
        const struct wanted *wanted = &finder->request->wanted[i];
        const char *name = wanted->expression;
        struct entry *entry;

        (void) !cushim_image_lowered_name(finder->built->image, wanted->expression, &name);
        entry = entry_of(finder, name);
        if (!entry)
            return refuse(finder, wanted->expression, "there is none");
        if (entry->wanted)
            return refuse(finder, wanted->expression,
                          "two --kernel name it, and it has one name in C");
        entry->wanted = wanted;
        if (name != wanted->expression)
            entry->expression = wanted->expression;
    }
    for (size_t i = 0; i < finder->n; i++)
        if (strncmp(finder->entries[i].name, "_Z", 2) != 0)
            finder->entries[i].expression = finder->entries[i].name;
    return -1;
}

static const char *signature_expression(const struct finder *finder, const struct entry *entry)
{
    return cushim__arena_printf(finder->arena, SIGNATURE_TEMPLATE "<decltype(%s)>",
                                entry->expression);
}

static const char no_types[] =
    "the types of a kernel are not known: where an extern \"C\" kernel has the name of another "
    "function, of CUDA or of the source, give it another name, or leave out extern \"C\"";

/* Compiles the source with a template at its end, whose instances have the types in their names. */
static int ask_types(const struct finder *finder, struct built *ret_asked)
{
    const char **expressions =
        cushim__arena_alloc(finder->arena, (finder->n + 1) * sizeof(*expressions));
    struct cushim__str text = {0};
    size_t n = 0;
    int status;

    for (size_t i = 0; expressions && i < finder->n; i++)
        if (finder->entries[i].expression)
            expressions[n++] = signature_expression(finder, &finder->entries[i]);
    cushim__str_append(&text, "%s%s", finder->text, SIGNATURE_SOURCE);
    if (!expressions || text.failed)
        status = refuse_file(finder, "out of memory");
    else
        status = build_text(finder->request, text.text, finder->built->arch, expressions, false,
                            ret_asked);
    cushim__str_finish(&text);
    /* The source alone has been compiled before. */
    return status == COMMAND_NO ? refuse_file(finder, no_types) : status;
}

static const char *last_name(struct cushim__arena *arena, const char *name)
{
    const size_t length = strcspn(name, "<");
    const char *plain = cushim__arena_printf(arena, "%.*s", (int) length, name);
    const char *colon = strrchr(plain, ':');

    return colon ? colon + 1 : plain;
}

/* "ns::scale" becomes "ns_scale"; a namespace without a name is left out. */
static const char *c_name(struct cushim__arena *arena, const char *name)
{
    struct cushim__str str = {0};
    const char *result;

    while (*name) {
        const size_t length = strcspn(name, ":");

        if (strncmp(name, "_GLOBAL__N_", strlen("_GLOBAL__N_")) != 0)
            cushim__str_append(&str, "%s%.*s", str.length ? "_" : "", (int) length, name);
        name += length + strspn(name + length, ":");
    }
    result = cushim__arena_printf(arena, "%s", cushim__str_get(&str));
    cushim__str_finish(&str);
    return result;
}

/* The sizes in the code and those of the types must agree; those of structures are in the code
 * only. */
static bool sizes_agree(const struct finder *finder, struct kernel *kernel)
{
    struct cushim__param params[MOST_PARAMETERS];
    const int n = cushim__ptx_params(finder->built->bytes, kernel->entry, params, MOST_PARAMETERS);

    if (n < 0 || (size_t) n != kernel->n)
        return false;
    for (size_t i = 0; i < kernel->n; i++) {
        if (kernel->types[i].bytes && kernel->types[i].bytes != params[i].size)
            return false;
        kernel->bytes[i] = params[i].size;
    }
    return true;
}

static int check_structures(const struct finder *finder, const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->n; i++)
        if (kernel->types[i].kind == TYPE_STRUCTURE && !kernel->types[i].is_half &&
            !finder->request->n_headers)
            return refuse(
                finder, kernel->entry,
                cushim__arena_printf(finder->arena,
                                     "parameter %zu (%s) is a value of type %s: name a header that "
                                     "declares it to C with --include",
                                     i, kernel->parameters[i], kernel->types[i].c));
    return -1;
}

static int fill_kernel(const struct finder *finder, const struct mangled *mangled,
                       const char *source_name, struct kernel *kernel)
{
    kernel->types = mangled->types;
    kernel->n = mangled->n;
    kernel->bytes = cushim__arena_alloc(finder->arena, (kernel->n + 1) * sizeof(*kernel->bytes));
    kernel->parameters =
        cushim__arena_alloc(finder->arena, (kernel->n + 1) * sizeof(*kernel->parameters));
    if (finder->arena->failed)
        return refuse(finder, kernel->entry, "out of memory");
    if (!sizes_agree(finder, kernel))
        return refuse(finder, kernel->entry, "its code has other parameters than its type");
    name_parameters(finder->arena, finder->text, last_name(finder->arena, source_name), kernel);
    return check_structures(finder, kernel);
}

/* Reads the types of one kernel, from its own name or from what NVRTC was asked. */
static int read_kernel(const struct finder *finder, const struct entry *entry, cushim_image asked,
                       struct kernel *kernel)
{
    const char *why = "", *lowered = NULL, *name = entry->expression;
    struct mangled mangled = {.n = 0};

    kernel->entry = entry->name;
    if (!name) {
        if (!mangled_kernel(finder->arena, entry->name, &mangled, &why))
            return refuse(finder, entry->name, why);
        name = mangled.name;
    } else if (cushim_image_lowered_name(asked, signature_expression(finder, entry), &lowered)) {
        return refuse(finder, entry->name, cushim_error_text());
    } else if (!mangled_signature(finder->arena, lowered, &mangled, &why)) {
        return refuse(finder, entry->name, why);
    }
    kernel->c = entry->wanted && entry->wanted->name ? entry->wanted->name
                                                     : c_name(finder->arena, name);
    if (strcspn(kernel->c, "<(& ") != strlen(kernel->c))
        return refuse(finder, name, "it needs a name in C: --kernel NAME='...'");
    return fill_kernel(finder, &mangled, name, kernel);
}

static int check_names(const struct finder *finder, const struct kernel *kernels)
{
    for (size_t i = 0; i < finder->n; i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(kernels[i].c, kernels[k].c))
                return refuse(finder, kernels[i].c,
                              cushim__arena_printf(finder->arena,
                                                   "there are two: name one --kernel NAME=%s",
                                                   kernels[i].entry));
    return -1;
}

/* A template without a name for C is found by its arguments in the name. */
static int check_templates(const struct finder *finder)
{
    for (size_t i = 0; i < finder->n; i++) {
        const struct entry *entry = &finder->entries[i];
        struct mangled mangled;
        const char *why;

        if (!entry->expression && !mangled_kernel(finder->arena, entry->name, &mangled, &why))
            return refuse(finder, entry->name,
                          cushim__arena_printf(finder->arena,
                                               "%s: if it is an instance of a template, name it: "
                                               "--kernel NAME='name<...>'",
                                               why));
    }
    return -1;
}

static int read_kernels(const struct finder *finder, struct kernel *kernels)
{
    struct built asked = {.arch = NULL};
    int status = check_templates(finder);

    if (status == -1)
        status = ask_types(finder, &asked);
    for (size_t i = 0; i < finder->n && status == -1; i++)
        status = read_kernel(finder, &finder->entries[i], asked.image, &kernels[i]);
    cushim_image_free(&asked.image);
    return status == -1 ? check_names(finder, kernels) : status;
}

int find_kernels(const struct request *request, const char *text, const struct built *built,
                 struct kernel **ret_kernels, size_t *ret_n)
{
    struct finder *finder = cushim__arena_alloc(request->arena, sizeof(*finder));
    struct kernel *kernels;
    int status;

    if (!finder)
        return COMMAND_FAILED;
    *finder =
        (struct finder){.request = request, .arena = request->arena, .text = text, .built = built};
    if (!read_entries(finder))
        return refuse_file(finder, "more than 1024 kernels");
    if (!finder->n)
        return refuse_file(finder,
                           "no kernels: a template becomes one by --kernel NAME='name<...>'");
    kernels = cushim__arena_alloc(request->arena, finder->n * sizeof(*kernels));
    if (!kernels)
        return COMMAND_FAILED;
    status = match_wanted(finder);
    if (status == -1)
        status = read_kernels(finder, kernels);
    *ret_kernels = kernels;
    *ret_n = finder->n;
    return status;
}
