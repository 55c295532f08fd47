/* SPDX-License-Identifier: MIT */
#include "standin/nvlink/options.h"

#include <stdlib.h>

#include "base/util.h"

enum {
    ARCH = TOOL_OWN,
    OUTPUT,
    REGISTERS,
    LIBRARY,
    FOLDER,
    RELOCATABLE,
    VERBOSE,
    NO_WARNINGS,
    NO_ARCH_WARNINGS,
};

/* Those of the real one, of CUDA 13.0 to 13.5, and those that nvcc passes although no list has
 * them. */
static const struct tool_option known[] = {
    {"arch", "arch", ARCH, TOOL_VALUE},
    {"output-file", "o", OUTPUT, TOOL_VALUE},
    {"register-link-binaries", "register-link-binaries", REGISTERS, TOOL_VALUE},
    {"library", "l", LIBRARY, TOOL_GLUED},
    {"library-path", "L", FOLDER, TOOL_GLUED},
    {"relocatable-link", "r", RELOCATABLE, TOOL_NO_VALUE},
    {"verbose", "v", VERBOSE, TOOL_NO_VALUE},
    {"verbose2", "v2", VERBOSE, TOOL_NO_VALUE},
    {"disable-warnings", "w", NO_WARNINGS, TOOL_NO_VALUE},
    {"suppress-arch-warning", "suppress-arch-warning", NO_ARCH_WARNINGS, TOOL_NO_VALUE},
    {"machine", "m", TOOL_MACHINE, TOOL_VALUE},
    {"options-file", "optf", TOOL_OPTIONS_FILE, TOOL_VALUE},
    {"version", "V", TOOL_VERSION, TOOL_NO_VALUE},
    {"help", "h", TOOL_HELP, TOOL_NO_VALUE},
    {"dlto", "dlto", TOOL_REFUSED, TOOL_NO_VALUE},
    {"dump-callgraph", "dump-callgraph", TOOL_REFUSED, TOOL_NO_VALUE},
    {"dump-callgraph-no-demangle", "dump-callgraph-no-demangle", TOOL_REFUSED, TOOL_NO_VALUE},
    {"emit-ptx", "emit-ptx", TOOL_REFUSED, TOOL_NO_VALUE},
    {"gen-host-linker-script", "ghls", TOOL_REFUSED, TOOL_MAY_HAVE_VALUE},
    {"link-time-opt", "lto", TOOL_REFUSED, TOOL_NO_VALUE},
    {"time", "time", TOOL_REFUSED, TOOL_VALUE},
    {"Ofast-compile", "Ofc", TOOL_REFUSED, TOOL_MAY_HAVE_VALUE}, /* with -dlto only */
    {"Xnvvm", "Xnvvm", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"Xptxas", "Xptxas", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"cpu-arch", "cpu-arch", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"debug", "g", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"device-stack-protector", "device-stack-protector", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"disable-infos", "disable-infos", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"extra-warnings", "extrawarn", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"host-ccbin", "host-ccbin", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"ignore-host-info", "ignore-host-info", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"keep-system-libraries", "keep-system-libraries", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"kernels-used", "kernels-used", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"link-as-tools-patch", "astoolspatch", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"maxrregcount", "maxrregcount", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"nvvm-latest", "nvvm-latest", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"nvvmpath", "nvvmpath", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"preserve-relocs", "preserve-relocs", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"report-arch", "report-arch", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"split-compile", "split-compile", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"split-compile-extended", "split-compile-extended", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"suppress-debug-info", "suppress-debug-info", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"suppress-stack-size-warning", "suppress-stack-size-warning", TOOL_WITHOUT_EFFECT,
     TOOL_NO_VALUE},
    {"uidx-file", "uidx", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"use-host-info", "use-host-info", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"variables-used", "variables-used", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"warning-as-error", "Werror", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
};

static bool set(void *user, int what, const char *value)
{
    struct nvlink_options *options = user;

    switch (what) {
    case ARCH:
        options->arch = value;
        return true;
    case OUTPUT:
        options->output = value;
        return true;
    case REGISTERS:
        options->registers = value;
        return true;
    case LIBRARY:
        return tool_list_add("nvlink", &options->libraries, &options->n_libraries, value);
    case FOLDER:
        return tool_list_add("nvlink", &options->folders, &options->n_folders, value);
    case RELOCATABLE:
        return options->relocatable = true;
    case VERBOSE:
        return options->verbose = true;
    case NO_WARNINGS:
        return options->no_warnings = true;
    default:
        return options->no_arch_warnings = true;
    }
}

bool nvlink_options_read(int argc, char **argv, struct nvlink_options *ret_options)
{
    *ret_options = (struct nvlink_options){.words = {.tool = "nvlink",
                                                     .options = known,
                                                     .n_options = ARRAY_SIZE(known),
                                                     .set = set,
                                                     .user = ret_options}};
    return tool_words_read(&ret_options->words, argc, argv);
}

void nvlink_options_finish(struct nvlink_options *options)
{
    tool_words_finish(&options->words);
    free(options->libraries);
    free(options->folders);
}
