/* SPDX-License-Identifier: MIT */
/* The options of nvJitLink: jitlink.h declares options_read(). */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "standin/jitlink/jitlink.h"

enum { MOST_REGISTERS = 255 };

/* Those that choose how machine code is made, which is not made here. "=" takes a value. */
static const char *const without_effect[] = {
    "-O0",
    "-O1",
    "-O2",
    "-O3",
    "-O=",
    "-g",
    "-lineinfo",
    "-ftz=",
    "-prec-div=",
    "-prec-sqrt=",
    "-fma=",
    "-kernels-used=",
    "-variables-used=",
    "-optimize-unused-variables",
    "-Xptxas=",
    "-Xnvvm=",
    "-split-compile=",
    "-split-compile-extended=",
    "-no-cache",
    "-time",
    "-jump-table-density=",
    "-device-stack-protector=",
    "-cache=",
    "-force-device-c=",
    "-minimal",
    "-reflect-library=",
    "-inline-info",
    "-r",
    "-relocatable-device-code=",
    "-opt-level=",
    "-debug",
    "-generate-line-info",
    "-use-host-info=",
    "-numba-debug",
};

/* Returns the value of an option, or NULL if it is another one. */
static const char *value_of(const char *option, const char *name)
{
    const size_t length = strlen(name);

    return strncmp(option, name, length) || option[length] != '=' ? NULL : option + length + 1;
}

static bool has_no_effect(const char *option)
{
    for (size_t i = 0; i < ARRAY_SIZE(without_effect); i++) {
        const char *known = without_effect[i];
        const size_t length = strlen(known);

        if (known[length - 1] == '=' ? !strncmp(option, known, length) && option[length]
                                     : !strcmp(option, known))
            return true;
    }
    return false;
}

static int unrecognized(struct jitlink *link, const char *option)
{
    cushim__str_append(&link->code.errors, "unrecognized option: %s\n", option);
    link->refused = true;
    return LINK_UNRECOGNIZED_OPTION;
}

static int read_arch(struct jitlink *link, const char *arch)
{
    if (code_set_arch(&link->code, arch))
        return LINK_SUCCESS;
    cushim__str_append(&link->code.errors, "unrecognized architecture: %s\n", arch);
    return LINK_UNRECOGNIZED_ARCH;
}

/* Numbers that no kernel can have are no limit. */
static int read_registers(struct jitlink *link, const char *option, const char *number)
{
    char *end;
    const long most = strtol(number, &end, 10);

    if (!*number || *end)
        return unrecognized(link, option);
    link->code.linker.limits.registers = most > 0 && most <= MOST_REGISTERS ? (unsigned) most : 0;
    return LINK_SUCCESS;
}

static int read_option(struct jitlink *link, const char *option)
{
    const char *value;

    if ((value = value_of(option, "-arch")))
        return *value ? read_arch(link, value) : unrecognized(link, option);
    if ((value = value_of(option, "-maxrregcount")))
        return read_registers(link, option, value);
    if (!strcmp(option, "-lto") || !strcmp(option, "-dlto"))
        link->lto = true;
    else if (!strcmp(option, "-ptx"))
        link->ptx = true;
    else if (!strcmp(option, "-verbose") || !strcmp(option, "-v"))
        link->verbose = true;
    else if (!has_no_effect(option))
        return unrecognized(link, option);
    return LINK_SUCCESS;
}

static bool keep(struct jitlink *link, const char *option)
{
    char *copy = strdup(option);

    if (copy)
        link->options[link->n_options++] = copy;
    return copy;
}

static int check(struct jitlink *link)
{
    const char *wrong = NULL;

    if (!*link->code.arch)
        return LINK_MISSING_ARCH;
    if (link->ptx && !link->lto)
        wrong = "-ptx requires -lto";
    else if (!strncmp(link->code.arch, "compute_", strlen("compute_")) && !link->ptx)
        wrong = "virtual arch requires -ptx";
    if (!wrong)
        return LINK_SUCCESS;
    cushim__str_append(&link->code.errors, "ERROR: %s\n", wrong);
    return LINK_INCOMPATIBLE_OPTIONS;
}

int options_read(struct jitlink *link, unsigned n, const char *const *options)
{
    link->options = calloc((size_t) n + 1, sizeof(*link->options));
    if (!link->options)
        return LINK_INTERNAL;
    for (unsigned i = 0; i < n; i++) {
        int result;

        if (!options[i])
            return LINK_NULL_INPUT;
        result = read_option(link, options[i]);
        if (!result && !keep(link, options[i]))
            result = LINK_INTERNAL;
        if (result)
            return result;
    }
    return check(link);
}
