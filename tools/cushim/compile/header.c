/* SPDX-License-Identifier: MIT */
#include "header.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

/*
 * Tells the code of one header from that of all others: two that are linked into one program may
 * have the same prefix. It is FNV-1a.
 */
static uint64_t hash_of(const char *code, size_t n)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char) code[i]) * UINT64_C(0x100000001b3);
    return hash;
}

struct writer {
    struct cushim__str *str;
    const struct request *request;
    const char *prefix;
    const char *symbols; /* the beginning of all names with code behind them */
};

static void append_guard(struct writer *writer)
{
    struct cushim__str *str = writer->str;
    const char *guard = cushim__arena_printf(writer->request->arena, "%s_H", writer->prefix);

    for (char *p = (char *) guard; *p; p++)
        *p = (char) toupper((unsigned char) *p);
    cushim__str_append(str, "#ifndef %s\n#define %s\n\n", guard, guard);
}

/* "<stdint.h>" keeps its brackets. */
static void append_include(struct cushim__str *str, const char *header)
{
    const char *quote = *header == '<' || *header == '"' ? "" : "\"";

    cushim__str_append(str, "#include %s%s%s\n", quote, header, quote);
}

static void append_top(struct writer *writer)
{
    const char *source = strrchr(writer->request->source, '/');
    struct cushim__str *str = writer->str;

    cushim__str_append(
        str, "/* Written by `cushim compile %s`. cushim/embedded.h says how to use it. */\n",
        source ? source + 1 : writer->request->source);
    append_guard(writer);
    cushim__str_append(str, "#include <stdbool.h>\n\n#include <cushim/embedded.h>\n"
                            "#include <cushim/half.h>\n");
    for (size_t i = 0; i < writer->request->n_headers; i++)
        append_include(str, writer->request->headers[i]);
    cushim__str_append(str, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
}

/* Begins a definition. It is weak: whatever includes the header, a program has it once. */
static void append_symbol(struct writer *writer, const char *type, const char *kind,
                          const char *kernel, const char *array)
{
    for (int defined = 0; defined < 2; defined++)
        cushim__str_append(writer->str, "%s%s %s_%s%s%s%s%s",
                           defined ? "" : "extern CUSHIM_EMBEDDED_ONCE ", type, writer->symbols,
                           kind, *kernel ? "_" : "", kernel, array, defined ? " = " : ";\n");
}

static void append_code(struct writer *writer, const char *code, size_t n)
{
    struct cushim__str *str = writer->str;

    append_symbol(writer, "const unsigned char", "code", "",
                  cushim__arena_printf(writer->request->arena, "[%zu]", n));
    cushim__str_append(str, "{");
    for (size_t i = 0; i < n; i++)
        cushim__str_append(str, "%s%u,", i % 24 ? "" : "\n    ", (unsigned char) code[i]);
    cushim__str_append(str, "\n};\n");
    append_symbol(writer, "const struct cushim_embedded", "module", "", "");
    cushim__str_append(str, "{\n    sizeof(struct cushim_embedded), \"%s\", %s_code, %zu,\n};\n\n",
                       writer->symbols, writer->symbols, n);
}

static void append_functions(struct writer *writer)
{
    const char *prefix = writer->prefix, *symbols = writer->symbols;

    cushim__str_append(
        writer->str,
        "/** Loads the code into a context, so that no launch has to. */\n"
        "static inline CUSHIM_CHECKED cushim_status %s_load(cushim_context context)\n"
        "{\n    return cushim_embedded_load(context, &%s_module);\n}\n\n"
        "/** Unloads it, after its last kernel has ended. */\n"
        "static inline CUSHIM_CHECKED cushim_status %s_unload(cushim_context context)\n"
        "{\n    return cushim_embedded_unload(context, &%s_module);\n}\n\n",
        prefix, symbols, prefix, symbols);
}

/* The sizes of structures are those of the device, and must be the host's. */
static void append_checks(struct writer *writer, const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->n; i++)
        if (kernel->types[i].kind == TYPE_STRUCTURE && !kernel->types[i].is_half)
            cushim__str_append(
                writer->str,
                "struct %s_%s_check_%zu {\n"
                "    char %s_has_another_size_in_the_kernel[sizeof(%s) == %zu ? 1 : -1];\n};\n",
                writer->symbols, kernel->c, i, kernel->types[i].c, kernel->types[i].c,
                kernel->bytes[i]);
}

static void append_elements(struct writer *writer, const struct kernel *kernel)
{
    struct cushim__str *str = writer->str;

    append_symbol(writer, "const size_t", "elements", kernel->c,
                  cushim__arena_printf(writer->request->arena, "[%zu]", kernel->n));
    cushim__str_append(str, "{\n");
    for (size_t i = 0; i < kernel->n; i++) {
        const struct type *type = &kernel->types[i];

        if (type->kind == TYPE_MEMORY && type->element && (type->of_floats || type->of_integers))
            cushim__str_append(str, "    %zu | (size_t) CUSHIM_ELEMENT_%s << 56,\n", type->element,
                               type->of_floats ? "FLOAT" : "INTEGER");
        else
            cushim__str_append(str, "    %zu,\n", type->kind == TYPE_MEMORY ? type->element : 0);
    }
    cushim__str_append(str, "};\n");
}

static void append_kernel(struct writer *writer, const struct kernel *kernel)
{
    const char *symbols = writer->symbols;
    const char *elements = kernel->n ? cushim__arena_printf(writer->request->arena,
                                                            "%s_elements_%s", symbols, kernel->c)
                                     : "NULL";

    if (kernel->n)
        append_elements(writer, kernel);
    append_symbol(writer, "uint64_t", "cache", kernel->c, "[CUSHIM_EMBEDDED_CACHE]");
    cushim__str_append(writer->str, "{0};\n");
    append_symbol(writer, "const struct cushim_embedded_kernel", "kernel", kernel->c, "");
    cushim__str_append(writer->str,
                       "{\n    sizeof(struct cushim_embedded_kernel), &%s_module, \"%s\",\n"
                       "    %s, %zu, %s_cache_%s,\n};\n\n",
                       symbols, kernel->entry, elements, kernel->n, symbols, kernel->c);
}

/*
 * The parameters of the function have names of ours: the kernel's may be those of macros of the
 * program, or words of C.
 */
static void append_parameter(struct cushim__str *str, const struct kernel *kernel, size_t i)
{
    const struct type *type = &kernel->types[i];

    if (type->kind == TYPE_MEMORY)
        cushim__str_append(str, ",\n    cushim_view cushim__%zu /* %s: %s%s */", i,
                           kernel->parameters[i], type->is_const ? "const " : "", type->c);
    else
        cushim__str_append(str, ",\n    %s cushim__%zu /* %s */", type->c, i,
                           kernel->parameters[i]);
}

static void append_argument(struct cushim__str *str, const struct kernel *kernel, size_t i)
{
    const struct type *type = &kernel->types[i];
    const char *name = kernel->parameters[i];

    if (type->kind == TYPE_MEMORY)
        cushim__str_append(str,
                           "        cushim__argument_view(CUSHIM_INTENT_%s, \"%s\", cushim__%zu),\n",
                           type->is_const ? "IN" : "INOUT", name, i);
    else
        cushim__str_append(
            str, "        cushim__argument_value(\"%s\", &cushim__%zu, sizeof(cushim__%zu)),\n",
            name, i, i);
}

/*
 * The function that the macro calls. A kernel's name in the middle of a name could make that of the
 * macro of another kernel, such as scale__launch for scale and for scale_.
 */
static void append_launch(struct writer *writer, const struct kernel *kernel)
{
    struct cushim__str *str = writer->str;

    cushim__str_append(str,
                       "static inline CUSHIM_CHECKED cushim_status cushim__launch_%s(\n"
                       "    cushim_stream stream, struct cushim_launch_config config",
                       kernel->c);
    for (size_t i = 0; i < kernel->n; i++)
        append_parameter(str, kernel, i);
    cushim__str_append(str, ")\n{\n");
    if (kernel->n)
        cushim__str_append(str, "    const struct cushim_argument arguments[] = {\n");
    for (size_t i = 0; i < kernel->n; i++)
        append_argument(str, kernel, i);
    cushim__str_append(
        str, "%s    return cushim_embedded_launch(stream, &%s_kernel_%s, &config, %s, %zu);\n}\n",
        kernel->n ? "    };\n\n" : "", writer->symbols, kernel->c, kernel->n ? "arguments" : "NULL",
        kernel->n);
}

/* The function above with slices and the like for views. */
static void append_macro(struct writer *writer, const struct kernel *kernel)
{
    struct cushim__str *str = writer->str;

    cushim__str_append(str, "#define %s_launch(stream, config", kernel->c);
    for (size_t i = 0; i < kernel->n; i++)
        cushim__str_append(str, ", %s", kernel->parameters[i]);
    cushim__str_append(str, ") \\\n    cushim__launch_%s((stream), (config)", kernel->c);
    for (size_t i = 0; i < kernel->n; i++) {
        const enum type_kind kind = kernel->types[i].kind;

        cushim__str_append(str, ", \\\n        %s(%s)",
                           kind == TYPE_MEMORY    ? "CUSHIM_VIEW"
                           : kind == TYPE_INTEGER ? "CUSHIM_EMBEDDED_INTEGER"
                                                  : "",
                           kernel->parameters[i]);
    }
    cushim__str_append(str, ")\n");
}

static void append_function(struct writer *writer, const struct kernel *kernel)
{
    cushim__str_append(
        writer->str,
        "/** Returns the kernel, for cushim_launch(). */\n"
        "static inline CUSHIM_CHECKED cushim_status %s_function(\n"
        "    cushim_context context, cushim_function *ret_function)\n"
        "{\n    return cushim_embedded_function(context, &%s_kernel_%s, ret_function);\n}\n",
        kernel->c, writer->symbols, kernel->c);
}

void append_header(struct cushim__str *str, const struct request *request, const char *code,
                   size_t n_code, const struct kernel *kernels, size_t n)
{
    struct writer writer = {
        .str = str,
        .request = request,
        .prefix = request->prefix,
        .symbols = cushim__arena_printf(request->arena, "%s_%016" PRIx64, request->prefix,
                                        hash_of(code, n_code)),
    };

    append_top(&writer);
    append_code(&writer, code, n_code);
    append_functions(&writer);
    for (size_t i = 0; i < n; i++) {
        append_checks(&writer, &kernels[i]);
        append_kernel(&writer, &kernels[i]);
        append_launch(&writer, &kernels[i]);
        append_macro(&writer, &kernels[i]);
        append_function(&writer, &kernels[i]);
        cushim__str_append(str, "\n");
    }
    cushim__str_append(str, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}
