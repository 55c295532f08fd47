/* SPDX-License-Identifier: MIT */
#include "standin/ptxas/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

enum what { WITHOUT_EFFECT, ARCH, OUTPUT, REGISTERS, TEXTS, RELOCATABLE, VERBOSE, VERSION, HELP };

/*
 * An option has two names, each after one "-" or two. Those without effect choose how machine code
 * is made, which is not made here.
 */
static const struct known {
    const char *name, *short_name;
    enum what what;
    bool has_value;
} known[] = {
    {"gpu-name", "arch", ARCH, true},
    {"output-file", "o", OUTPUT, true},
    {"maxrregcount", "maxrregcount", REGISTERS, true},
    {"input-as-string", "ias", TEXTS, false},
    {"compile-only", "c", RELOCATABLE, false},
    {"verbose", "v", VERBOSE, false},
    {"version", "V", VERSION, false},
    {"help", "h", HELP, false},
    {"Ofast-compile", "Ofc", WITHOUT_EFFECT, true},
    {"allow-expensive-optimizations", "allow-expensive-optimizations", WITHOUT_EFFECT, true},
    {"compile-as-tools-patch", "astoolspatch", WITHOUT_EFFECT, false},
    {"compiler-annotations", "annotate", WITHOUT_EFFECT, false},
    {"def-load-cache", "dlcm", WITHOUT_EFFECT, true},
    {"def-store-cache", "dscm", WITHOUT_EFFECT, true},
    {"device-debug", "g", WITHOUT_EFFECT, false},
    {"device-function-maxrregcount", "func-maxrregcount", WITHOUT_EFFECT, true},
    {"device-stack-protector", "device-stack-protector", WITHOUT_EFFECT, true},
    {"disable-optimizer-constants", "disable-optimizer-consts", WITHOUT_EFFECT, false},
    {"disable-warnings", "w", WITHOUT_EFFECT, false},
    {"dont-merge-basicblocks", "no-bb-merge", WITHOUT_EFFECT, false},
    {"entry", "e", WITHOUT_EFFECT, true},
    {"extensible-whole-program", "ewp", WITHOUT_EFFECT, false},
    {"fmad", "fmad", WITHOUT_EFFECT, true},
    {"force-load-cache", "flcm", WITHOUT_EFFECT, true},
    {"force-store-cache", "fscm", WITHOUT_EFFECT, true},
    {"g-tensor-memory-access-check", "g-tmem-access-check", WITHOUT_EFFECT, false},
    {"generate-line-info", "lineinfo", WITHOUT_EFFECT, false},
    {"gno-tensor-memory-access-check", "gno-tmem-access-check", WITHOUT_EFFECT, false},
    {"legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior", WITHOUT_EFFECT, false},
    {"machine", "m", WITHOUT_EFFECT, true},
    {"make-errors-visible-at-exit", "make-errors-visible-at-exit", WITHOUT_EFFECT, false},
    {"maxntid", "maxntid", WITHOUT_EFFECT, true},
    {"minnctapersm", "minnctapersm", WITHOUT_EFFECT, true},
    {"opt-level", "O", WITHOUT_EFFECT, true},
    {"optimize-float-atomics", "opt-fp-atomics", WITHOUT_EFFECT, false},
    {"override-directive-values", "override-directive-values", WITHOUT_EFFECT, false},
    {"position-independent-code", "pic", WITHOUT_EFFECT, true},
    {"preserve-relocs", "preserve-relocs", WITHOUT_EFFECT, false},
    {"regAllocOptLevel", "regAllocOptLevel", WITHOUT_EFFECT, true},
    {"register-usage-level", "regUsageLevel", WITHOUT_EFFECT, true},
    {"return-at-end", "ret-end", WITHOUT_EFFECT, false},
    {"sp-bounds-check", "sp-bounds-check", WITHOUT_EFFECT, false},
    {"split-compile", "split-compile", WITHOUT_EFFECT, true},
    {"suppress-async-bulk-multicast-advisory-warning",
     "suppress-async-bulk-multicast-advisory-warning", WITHOUT_EFFECT, false},
    {"suppress-debug-info", "suppress-debug-info", WITHOUT_EFFECT, false},
    {"suppress-double-demote-warning", "suppress-double-demote-warning", WITHOUT_EFFECT, false},
    {"suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info", WITHOUT_EFFECT,
     false},
    {"suppress-stack-size-warning", "suppress-stack-size-warning", WITHOUT_EFFECT, false},
    {"warn-on-double-precision-use", "warn-double-usage", WITHOUT_EFFECT, false},
    {"warn-on-local-memory-usage", "warn-lmem-usage", WITHOUT_EFFECT, false},
    {"warn-on-spills", "warn-spills", WITHOUT_EFFECT, false},
    {"warning-as-error", "Werror", WITHOUT_EFFECT, false},
};

static bool is_named(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && !memcmp(word, name, length);
}

/* "-O3" and "-O 3" are both understood. */
static const struct known *find(const char *word, const char **ret_value)
{
    const char *name = word + (word[1] == '-' ? 2 : 1), *equals = strchr(name, '=');
    const size_t length = equals ? (size_t) (equals - name) : strlen(name);

    *ret_value = equals ? equals + 1 : NULL;
    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        if (is_named(name, length, known[i].name) || is_named(name, length, known[i].short_name))
            return &known[i];
        if (!strcmp(known[i].short_name, "O") && name[0] == 'O' && length == 2) {
            *ret_value = name + 1;
            return &known[i];
        }
    }
    return NULL;
}

static bool set(struct ptxas_options *options, const struct known *option, const char *value)
{
    char *end;

    switch (option->what) {
    case ARCH:
        options->arch = value;
        return true;
    case OUTPUT:
        options->output = value;
        return true;
    case REGISTERS:
        options->registers = (unsigned) strtoul(value, &end, 10);
        /* "archmax" and "archmin" are words for it, too. */
        return !*end || !strncmp(value, "arch", 4);
    case TEXTS:
        return options->are_texts = true;
    case RELOCATABLE:
        return options->relocatable = true;
    case VERBOSE:
        return options->verbose = true;
    case VERSION:
        return options->version = true;
    case HELP:
        return options->help = true;
    default:
        return true;
    }
}

static bool fail(const char *format, const char *word)
{
    fprintf(stderr, "ptxas fatal   : ");
    fprintf(stderr, format, word);
    fprintf(stderr, "\n");
    return false;
}

/* Reads an option at a place, and moves the place to its last word. */
static bool read_option(struct ptxas_options *options, int argc, char **argv, int *at)
{
    const char *word = argv[*at], *value;
    const struct known *option = find(word, &value);

    if (!option)
        return fail("Unknown option '%s'", word + 1);
    if (option->has_value && !value && ++*at == argc)
        return fail("Value missing for option '%s'", word + 1);
    if (option->has_value && !value)
        value = argv[*at];
    return set(options, option, value) || fail("The value of option '%s' is not valid", word + 1);
}

bool ptxas_options_read(int argc, char **argv, struct ptxas_options *ret_options)
{
    *ret_options = (struct ptxas_options){.arch = "sm_75", .output = "elf.o"};
    ret_options->inputs = calloc((size_t) argc, sizeof(*ret_options->inputs));
    if (!ret_options->inputs)
        return fail("%s", "there is no memory");
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || !argv[i][1])
            ret_options->inputs[ret_options->n_inputs++] = argv[i];
        else if (!read_option(ret_options, argc, argv, &i))
            return false;
    }
    return true;
}
