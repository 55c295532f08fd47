/* SPDX-License-Identifier: MIT */
/*
 * Suggestions for a name that a module does not have. In most cases the name is misspelled, or it
 * is mangled in the module.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/code/module.h"

enum { MAX_NAME = 200, MAX_NAMES = 256, SHOWN = 3 };

struct names {
    const char *wanted;
    struct {
        char name[MAX_NAME];
        unsigned distance;
    } best[SHOWN];
    unsigned n, total;
};

/*
 * Returns the edit distance: how many letters must be changed, added or removed to turn a into b.
 */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[MAX_NAME + 1];
    const size_t length = strnlen(b, MAX_NAME);

    for (unsigned k = 0; k <= length; k++)
        row[k] = k;
    for (unsigned i = 1; *a && i < MAX_NAME; a++, i++) {
        unsigned diagonal = row[0];

        row[0] = i;
        for (size_t k = 1; k <= length; k++) {
            const unsigned change = diagonal + (*a != b[k - 1]);

            diagonal = row[k];
            row[k] = row[k] < row[k - 1] ? row[k] + 1 : row[k - 1] + 1;
            if (change < row[k])
                row[k] = change;
        }
    }
    return row[length];
}

/* Returns the distance, but 0 if the name contains the wanted one, as a mangled name does. */
static unsigned likeness(const char *wanted, const char *name)
{
    return strstr(name, wanted) ? 0 : distance(wanted, name);
}

/* Keeps the most similar names, the best one first. */
static void consider(struct names *names, const char *name)
{
    const unsigned d = likeness(names->wanted, name);
    unsigned place = names->n < SHOWN ? names->n++ : SHOWN;

    names->total++;
    if (place == SHOWN && names->best[SHOWN - 1].distance <= d)
        return;
    if (place == SHOWN)
        place--;
    for (; place && names->best[place - 1].distance > d; place--)
        names->best[place] = names->best[place - 1];
    names->best[place].distance = d;
    snprintf(names->best[place].name, MAX_NAME, "%s", name);
}

static void ask_driver(const struct cushim__scope *scope, CUmodule module, struct names *names)
{
    CUfunction functions[MAX_NAMES] = {NULL};
    unsigned n = 0;
    const char *name;

    if (CU_FN(scope->table, cuModuleGetFunctionCount)(&n, module))
        return;
    n = n < MAX_NAMES ? n : MAX_NAMES;
    if (CU_FN(scope->table, cuModuleEnumerateFunctions)(functions, n, module))
        return;
    for (unsigned i = 0; i < n; i++)
        if (!CU_FN(scope->table, cuFuncGetName)(&name, functions[i]) && name)
            consider(names, name);
}

/*
 * Adds the names of statements with a directive of the text, each of which is the last word before
 * what ends it: .global .align 4 .b8 name[16] = ... The directive is no part of a longer word, such
 * as ld.global.
 */
static void read_text(const char *ptx, const char *word, const char *end, struct names *names)
{
    char name[MAX_NAME];
    size_t n;

    for (const char *p = strstr(ptx, word); p; p = strstr(p, word)) {
        const bool is_directive = p == ptx || strchr(" \t\n\r", p[-1]);

        p += strlen(word);
        if (!is_directive)
            continue;
        n = strcspn(p, end);
        while (n && strchr(" \t\n\r", p[n - 1]))
            n--;
        p += n;
        for (n = 0; !strchr(" \t\n\r", p[-1]); n++)
            p--;
        snprintf(name, sizeof(name), "%.*s", (int) n, p);
        consider(names, name);
    }
}

/* Only a text tells its variables. In name expressions, they begin with an ampersand. */
static void collect(const struct cushim__scope *scope, const struct cushim__module *module,
                    enum cushim__module_kind kind, struct names *names)
{
    for (size_t i = 0; i < module->n_lowered; i++)
        if ((*module->lowered[i].expression == '&') == (kind == CUSHIM__MODULE_VARIABLE))
            consider(names, module->lowered[i].expression);
    if (kind == CUSHIM__MODULE_FUNCTION && module->ptx)
        read_text(module->ptx, ".entry", "({", names);
    else if (kind == CUSHIM__MODULE_FUNCTION)
        ask_driver(scope, module->cu, names);
    else if (module->ptx) {
        read_text(module->ptx, ".global", "[=;", names);
        read_text(module->ptx, ".const", "[=;", names);
    }
}

/* Tells whether the name is one of the other kind. */
static bool is_other(const struct cushim__scope *scope, const struct cushim__module *module,
                     struct cushim__module_name name)
{
    CUfunction function = NULL;
    CUdeviceptr address = 0;
    size_t bytes = 0;

    return name.kind == CUSHIM__MODULE_FUNCTION
               ? !CU_FN(scope->table, cuModuleGetGlobal_v2)(&address, &bytes, module->cu, name.name)
               : !CU_FN(scope->table, cuModuleGetFunction)(&function, module->cu, name.name);
}

/* Writes such as "; the module has the kernels saxpy, saxpby and 3 more". */
static const char *write(const struct names *names, const char *where, const char *noun,
                         char *buffer, size_t size)
{
    size_t used;

    if (!names->n)
        return "";
    used = (size_t) snprintf(buffer, size, "; the %s has the %s%s %s", where, noun,
                             names->total > 1 ? "s" : "", names->best[0].name);
    for (unsigned i = 1; i < names->n && used < size; i++)
        used += (size_t) snprintf(buffer + used, size - used, ", %s", names->best[i].name);
    if (names->total > names->n && used < size)
        used +=
            (size_t) snprintf(buffer + used, size - used, " and %u more", names->total - names->n);
    /* C++ changes names that are not declared extern "C". */
    if (!strncmp(names->best[0].name, "_Z", 2) && strncmp(names->wanted, "_Z", 2) != 0 &&
        used < size)
        snprintf(buffer + used, size - used,
                 ": declare the %s extern \"C\", or name it in .name_expressions", noun);
    return buffer;
}

const char *cushim__module_suggest(const struct cushim__scope *scope, struct cushim__module *module,
                                   struct cushim__module_name name, char *buffer, size_t size)
{
    const bool is_function = name.kind == CUSHIM__MODULE_FUNCTION;
    struct names names = {.wanted = name.name};

    if (is_other(scope, module, name)) {
        snprintf(buffer, size, "; it is a %s: %s() returns it",
                 is_function ? "variable" : "function",
                 is_function ? "cushim_module_global" : "cushim_module_function");
        return buffer;
    }
    collect(scope, module, name.kind, &names);
    return write(&names, "module", is_function ? "kernel" : "variable", buffer, size);
}

const char *cushim__library_suggest(const struct cushim__scope *scope, CUlibrary library,
                                    const char *name, char *buffer, size_t size)
{
    CUkernel kernels[MAX_NAMES] = {NULL};
    struct names names = {.wanted = name};
    const char *known;
    unsigned n = 0;

    if (CU_FN(scope->table, cuLibraryGetKernelCount)(&n, library))
        return "";
    n = n < MAX_NAMES ? n : MAX_NAMES;
    if (CU_FN(scope->table, cuLibraryEnumerateKernels)(kernels, n, library))
        return "";
    for (unsigned i = 0; i < n; i++)
        if (!CU_FN(scope->table, cuKernelGetName)(&known, kernels[i]) && known)
            consider(&names, known);
    return write(&names, "library", "kernel", buffer, size);
}
