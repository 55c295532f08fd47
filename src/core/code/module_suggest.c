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

static void read_text(const char *ptx, struct names *names)
{
    static const char entry[] = ".entry";
    char name[MAX_NAME];

    for (const char *p = strstr(ptx, entry); p; p = strstr(p, entry)) {
        p += sizeof(entry) - 1;
        p += strspn(p, " \t\n\r");
        snprintf(name, sizeof(name), "%.*s", (int) strcspn(p, " \t\n\r(){"), p);
        consider(names, name);
    }
}

const char *cushim__module_suggest(const struct cushim__scope *scope, struct cushim__module *module,
                                   const char *name, char *buffer, size_t size)
{
    struct names names = {.wanted = name};
    size_t used;

    for (size_t i = 0; i < module->n_lowered; i++)
        consider(&names, module->lowered[i].expression);
    if (module->ptx)
        read_text(module->ptx, &names);
    else
        ask_driver(scope, module->cu, &names);
    if (!names.n)
        return "";
    used = (size_t) snprintf(buffer, size, "; it has %s", names.best[0].name);
    for (unsigned i = 1; i < names.n && used < size; i++)
        used += (size_t) snprintf(buffer + used, size - used, ", %s", names.best[i].name);
    if (names.total > names.n && used < size)
        used +=
            (size_t) snprintf(buffer + used, size - used, " and %u more", names.total - names.n);
    /* C++ changes names that are not declared extern "C". */
    if (!strncmp(names.best[0].name, "_Z", 2) && strncmp(name, "_Z", 2) != 0 && used < size)
        snprintf(buffer + used, size - used,
                 ": declare the kernel extern \"C\", or name it in .name_expressions");
    return buffer;
}
