/* SPDX-License-Identifier: MIT */
#include "standin/code/code.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "mock/ptx/container/image.h"
#include "mock/ptx/container/joined.h"
#include "mock/ptx/link/read.h"
#include "mock/ptx/link/registers.h"

enum { MOST_BYTES = 1 << 30, OLDEST = 10 };

bool code_set_arch(struct code *code, const char *arch)
{
    static const char *const families[] = {"sm_", "compute_", "lto_"};
    size_t length = 0;
    char *end;

    for (size_t i = 0; i < ARRAY_SIZE(families); i++)
        if (!strncmp(arch, families[i], strlen(families[i])))
            length = strlen(families[i]);
    if (!length || !isdigit((unsigned char) arch[length]) || strlen(arch) >= sizeof(code->arch))
        return false;
    code->linker.capability = (int) strtol(arch + length, &end, 10);
    snprintf(code->arch, sizeof(code->arch), "%s", arch);
    return code->linker.capability >= OLDEST &&
           (!*end || (islower((unsigned char) *end) && !end[1]));
}

static const char *why_no_text(enum ptx__status status)
{
    switch (status) {
    case PTX_MACHINE_CODE:
        return "it has machine code only, which is not run here: build it with its PTX (nvcc "
               "-gencode arch=compute_NN,code=compute_NN)";
    case PTX_NO_TARGET:
        return "it has PTX for other architectures only";
    case PTX_TOO_LARGE:
        return "it is too large";
    case PTX_NO_LIBRARY:
        return "it is compressed, and libzstd.so.1 is not installed";
    case PTX_OUT_OF_MEMORY:
        return "there is no memory";
    default:
        return "it is not PTX, and has none";
    }
}

/* An input that has no text, or that is no link. */
static void tell_input(struct code *code, enum ptx__status status, const char *name)
{
    if (code->tool)
        cushim__str_append(&code->errors, "%s fatal   : %s: %s\n", code->tool, name,
                           why_no_text(status));
    else
        cushim__str_append(&code->errors, "error   : %s: %s\n", name, why_no_text(status));
}

/* A text with an error in it has messages of its own. */
static void tell_errors(struct code *code, enum ptx__status status, const struct ptx__log *log,
                        const char *name)
{
    ptx__log_append(&code->infos, log, name, false);
    if (log->n_errors)
        ptx__log_append(&code->errors, log, name, true);
    else if (status != PTX_OK)
        tell_input(code, status, name);
}

/* What is missing, in the words of the linker. */
static void tell_link(struct code *code, const struct ptx__log *log)
{
    char name[512];

    for (size_t i = 0; i < log->n_messages; i++) {
        const struct ptx__message *message = &log->messages[i];

        if (message->severity < PTX_ERROR)
            continue;
        if (sscanf(message->text, "Unresolved extern %*s '%511[^']'", name) == 1)
            cushim__str_append(&code->errors, "%s error   : Undefined reference to '%s'\n",
                               code->tool, name);
        else
            cushim__str_append(&code->errors, "%s error   : %s\n", code->tool, message->text);
    }
}

static enum ptx__status add_text(struct code *code, const char *text, const char *name)
{
    struct ptx__log log = {.messages = NULL};
    const enum ptx__status status = ptx__linker_add(&code->linker, text, &log);

    tell_errors(code, status, &log, name);
    ptx__log_finish(&log);
    return status;
}

static enum ptx__status add_parts(struct code *code, const struct ptx__parts *parts,
                                  const char *name)
{
    for (size_t i = 0; i < parts->n; i++) {
        SCOPED_FREE char *text = strndup(parts->texts[i], parts->lengths[i]);
        const enum ptx__status status = text ? add_text(code, text, name) : PTX_OUT_OF_MEMORY;

        if (status != PTX_OK)
            return status;
    }
    return PTX_OK;
}

/* Tells whether this can be PTX at all: a text, in which a version is said. */
static bool looks_like_ptx(const char *text)
{
    return strstr(text, ".version");
}

enum ptx__status code_add(struct code *code, const void *data, size_t size, const char *name)
{
    SCOPED_FREE char *text = NULL;
    struct ptx__parts parts = {.n = 0};
    enum ptx__status status =
        ptx__image_text(data, size, code->linker.capability, MOST_BYTES, &text);

    if (status == PTX_OK && !looks_like_ptx(text))
        status = PTX_NO_PTX;
    if (status == PTX_OK)
        status = ptx__split(text, &parts);
    if (status == PTX_OK)
        status = add_parts(code, &parts, name);
    else if (status != PTX_NO_TARGET || !code->skips_other_targets)
        tell_input(code, status, name);
    ptx__parts_finish(&parts);
    return status;
}

/* --- what kernels use --- */

static void tell_kernel(struct code *code, const struct ptx__function *kernel)
{
    const struct ptx__limits *limits = &code->linker.limits;

    cushim__str_append(&code->infos,
                       "ptxas info    : Compiling entry function '%s' for '%s'\n"
                       "ptxas info    : Function properties for %s\n"
                       "    %u bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                       "ptxas info    : Used %u registers",
                       kernel->name, code->arch, kernel->name, (unsigned) kernel->usage.local_bytes,
                       ptx__limit_registers(kernel, limits->registers, limits->threads));
    if (kernel->usage.shared_bytes)
        cushim__str_append(&code->infos, ", %u bytes smem", (unsigned) kernel->usage.shared_bytes);
    cushim__str_append(&code->infos, "\n");
}

static void tell_usage(struct code *code, const char *image)
{
    struct ptx__module module = {.n_functions = 0};
    struct ptx__log log = {.messages = NULL};

    if (ptx__read_image(image, code->linker.capability, &module, &log) == PTX_OK)
        for (uint32_t i = 0; i < module.n_functions; i++)
            if (module.functions[i].is_kernel && module.functions[i].has_body &&
                !module.functions[i].replaced)
                tell_kernel(code, &module.functions[i]);
    ptx__finish(&module);
    ptx__log_finish(&log);
}

/* --- the image --- */

/* A linker makes an image of nothing, too. */
static enum ptx__status add_nothing(struct code *code)
{
    char text[80];

    snprintf(text, sizeof(text), ".version 7.0\n.target sm_%d\n.address_size 64\n",
             code->linker.capability < 80 ? code->linker.capability : 80);
    return add_text(code, text, "nothing");
}

static enum ptx__status link_all(struct code *code, char **ret_image, size_t *ret_length)
{
    struct ptx__log log = {.messages = NULL};
    const enum ptx__status status =
        ptx__linker_complete(&code->linker, ret_image, ret_length, &log);

    if (code->links && log.n_errors)
        tell_link(code, &log);
    else
        tell_errors(code, status, &log, "the linked code");
    ptx__log_finish(&log);
    return status;
}

enum ptx__status code_complete(struct code *code, bool is_verbose, char **ret_image,
                               size_t *ret_size)
{
    enum ptx__status status = code->linker.n_texts ? PTX_OK : add_nothing(code);
    size_t length = 0;

    if (status == PTX_OK)
        status = link_all(code, ret_image, &length);
    if (status != PTX_OK)
        return status;
    if (is_verbose)
        tell_usage(code, *ret_image);
    *ret_size = length + 1;
    return PTX_OK;
}

enum ptx__status code_join(const struct code *code, char **ret_image, size_t *ret_size)
{
    size_t length = 0;

    *ret_image = ptx__join((const char *const *) code->linker.texts, code->linker.n_texts, &length);
    *ret_size = length + 1;
    return *ret_image ? PTX_OK : PTX_OUT_OF_MEMORY;
}

void code_finish(struct code *code)
{
    ptx__linker_finish(&code->linker);
    cushim__str_finish(&code->errors);
    cushim__str_finish(&code->infos);
}
