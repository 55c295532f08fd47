/* SPDX-License-Identifier: MIT */
#include "standin/ptxas/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

enum { ARCH = TOOL_OWN, OUTPUT, REGISTERS, TEXT, RELOCATABLE, VERBOSE };

enum { MOST_REGISTERS = 255 };

static const struct tool_option known[] = {
    {"gpu-name", "arch", ARCH, TOOL_VALUE},
    {"output-file", "o", OUTPUT, TOOL_VALUE},
    {"maxrregcount", "maxrregcount", REGISTERS, TOOL_VALUE},
    {"machine", "m", TOOL_MACHINE, TOOL_VALUE},
    {"options-file", "optf", TOOL_OPTIONS_FILE, TOOL_VALUE},
    {"input-as-string", "ias", TEXT, TOOL_VALUE},
    {"compile-only", "c", RELOCATABLE, TOOL_NO_VALUE},
    {"verbose", "v", VERBOSE, TOOL_NO_VALUE},
    {"verbose2", "v2", VERBOSE, TOOL_NO_VALUE},
    {"list-arch", "arch-ls", TOOL_REFUSED, TOOL_NO_VALUE},
    {"list-version", "version-ls", TOOL_REFUSED, TOOL_NO_VALUE},
    {"version", "V", TOOL_VERSION, TOOL_NO_VALUE},
    {"help", "h", TOOL_HELP, TOOL_NO_VALUE},
    {"Ofast-compile", "Ofc", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"allow-expensive-optimizations", "allow-expensive-optimizations", TOOL_WITHOUT_EFFECT,
     TOOL_VALUE},
    {"apply-controls", "apply-controls", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"compile-as-tools-patch", "astoolspatch", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"compiler-annotations", "annotate", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"def-load-cache", "dlcm", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"def-store-cache", "dscm", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"device-debug", "g", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"device-function-maxrregcount", "func-maxrregcount", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"device-stack-protector", "device-stack-protector", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"disable-optimizer-constants", "disable-optimizer-consts", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"disable-warnings", "w", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"dont-merge-basicblocks", "no-bb-merge", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"entry", "e", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"enable-func-clone-sc", "enable-func-clone-sc", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"extensible-whole-program", "ewp", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"fmad", "fmad", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"force-load-cache", "flcm", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"force-store-cache", "fscm", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"g-tensor-memory-access-check", "g-tmem-access-check", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"generate-line-info", "lineinfo", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"gno-fabric-access-check", "gno-fabric-access-check", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"gno-tensor-memory-access-check", "gno-tmem-access-check", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"jobserver", "jobserver", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior", TOOL_WITHOUT_EFFECT,
     TOOL_NO_VALUE},
    {"make-errors-visible-at-exit", "make-errors-visible-at-exit", TOOL_WITHOUT_EFFECT,
     TOOL_NO_VALUE},
    {"maxntid", "maxntid", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"minnctapersm", "minnctapersm", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"opt-level", "O", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"optimize-float-atomics", "opt-fp-atomics", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"override-directive-values", "override-directive-values", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"position-independent-code", "pic", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"preserve-relocs", "preserve-relocs", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"regAllocOptLevel", "regAllocOptLevel", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"register-usage-level", "regUsageLevel", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"return-at-end", "ret-end", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"sanitize", "sanitize", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"sp-bounds-check", "sp-bounds-check", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"split-compile", "split-compile", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"suppress-async-bulk-multicast-advisory-warning",
     "suppress-async-bulk-multicast-advisory-warning", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"suppress-debug-info", "suppress-debug-info", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"suppress-double-demote-warning", "suppress-double-demote-warning", TOOL_WITHOUT_EFFECT,
     TOOL_NO_VALUE},
    {"suppress-position-independent-code-warning", "suppress-position-independent-code-warning",
     TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info", TOOL_WITHOUT_EFFECT,
     TOOL_NO_VALUE},
    {"suppress-stack-size-warning", "suppress-stack-size-warning", TOOL_WITHOUT_EFFECT,
     TOOL_NO_VALUE},
    {"warn-on-double-precision-use", "warn-double-usage", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"warn-on-local-memory-usage", "warn-lmem-usage", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"warn-on-spills", "warn-spills", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"warning-as-error", "Werror", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
};

/* "archmax" and "archmin" are words for it, too. What is too many is ignored, as ptxas does. */
static bool set_registers(struct ptxas_options *options, const char *value)
{
    char *end;
    const long number = strtol(value, &end, 10);

    if (!strcmp(value, "archmax") || !strcmp(value, "archmin"))
        return true;
    if (!*value || *end)
        return tool_fail("ptxas", "Invalid value '%s' for option 'maxrregcount'", value);
    if (number < 0 || number > MOST_REGISTERS)
        fprintf(stderr,
                "ptxas warning : Too big maxrregcount value specified %s, will be ignored\n",
                value);
    else
        options->registers = (unsigned) number;
    return true;
}

static bool set(void *user, int what, const char *value)
{
    struct ptxas_options *options = user;

    switch (what) {
    case ARCH:
        options->arch = value;
        return true;
    case OUTPUT:
        options->output = value;
        return true;
    case REGISTERS:
        return set_registers(options, value);
    case TEXT:
        options->are_texts = true;
        return tool_list_add("ptxas", &options->words.inputs, &options->words.n_inputs, value);
    case RELOCATABLE:
        return options->relocatable = true;
    default:
        return options->verbose = true;
    }
}

bool ptxas_options_read(int argc, char **argv, struct ptxas_options *ret_options)
{
    *ret_options = (struct ptxas_options){.arch = "sm_75",
                                          .output = "elf.o",
                                          .words = {.tool = "ptxas",
                                                    .options = known,
                                                    .n_options = ARRAY_SIZE(known),
                                                    .set = set,
                                                    .user = ret_options}};
    return tool_words_read(&ret_options->words, argc, argv);
}

void ptxas_options_finish(struct ptxas_options *options)
{
    tool_words_finish(&options->words);
}
