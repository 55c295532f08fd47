/* SPDX-License-Identifier: MIT */
/*
 * An nvlink for the images of the ptxas that stands beside it: it links the PTX that is in them, in
 * fat binaries, and in objects and libraries of the host. Messages, options and the exit status are
 * those of nvlink.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/util.h"
#include "mock/ptx/container/device_runtime.h"
#include "mock/ptx/container/fatbin.h"
#include "mock/ptx/container/object.h"
#include "standin/code/code.h"
#include "standin/nvlink/options.h"

enum { MOST_FILE_BYTES = 1 << 30, WRONG_USE = 1, FAILED = 255, PATH_BYTES = 4096 };

/* Where an object of the host has device code that is not linked yet, and the name of its module.
 */
#define CODE_SECTION   PTX__RELOCATABLE_SECTION
#define MODULE_SECTION "__nv_module_id"

struct link {
    const struct nvlink_options *options;
    struct code code;
    struct cushim__str modules; /* a line of host code for each object */
    unsigned n_modules;
    int status; /* if it fails */
};

static bool fail(struct link *link, const char *what, const char *path)
{
    link->status = WRONG_USE;
    return tool_fail("nvlink", "Could not open %s file '%s'", what, path);
}

/* Code for other architectures alone is left out; what it has is missed later, or it is not. */
static bool add_code(struct link *link, struct ptx__piece code, const char *name)
{
    const enum ptx__status status = code_add(&link->code, code.bytes, code.size, name);

    if (status != PTX_NO_TARGET)
        return status == PTX_OK;
    if (!link->options->no_warnings && !link->options->no_arch_warnings)
        fprintf(stderr, "nvlink warning : SM Arch ('%s') not found in '%s'\n", link->code.arch,
                name);
    return true;
}

static bool add_binaries(struct link *link, struct ptx__piece all, const char *name)
{
    struct ptx__piece binary;
    size_t at = 0;

    while (ptx__binaries_next(all, &at, &binary))
        if (!add_code(link, binary, name))
            return false;
    return true;
}

/* An object without device code is the host's business alone. */
static bool add_object(struct link *link, struct ptx__piece object, const char *name)
{
    const struct ptx__piece code = ptx__object_section(object, CODE_SECTION);
    const struct ptx__piece module = ptx__object_section(object, MODULE_SECTION);

    if (code.size && module.size) {
        link->n_modules++;
        cushim__str_append(&link->modules, "DEFINE_REGISTER_FUNC(%.*s)\n",
                           (int) strnlen(module.bytes, module.size), module.bytes);
    }
    return add_binaries(link, code, name);
}

static bool add_library(struct link *link, struct ptx__piece library, const char *name)
{
    char member_name[64], full[PATH_BYTES + 80];
    struct ptx__piece member;
    size_t at = 0;

    if (ptx__is_device_runtime(library.bytes, library.size)) {
        link->code.linker.has_runtime = true;
        return true;
    }
    while (ptx__library_next(library, &at, &member, member_name)) {
        snprintf(full, sizeof(full), "%.*s:%s", PATH_BYTES, name, member_name);
        if (ptx__is_host_object(member)
                ? !add_object(link, member, full)
                : ptx__is_elf(member.bytes, member.size) && !add_code(link, member, full))
            return false;
    }
    return true;
}

static bool add_file(struct link *link, const char *path)
{
    SCOPED_FILE file = {.bytes = NULL};
    struct ptx__piece all;

    if (!cushim__file_read(path, MOST_FILE_BYTES, &file))
        return fail(link, "input", path);
    all = (struct ptx__piece){file.bytes, (size_t) file.size};
    if (ptx__is_library(all))
        return add_library(link, all, path);
    return ptx__is_host_object(all) ? add_object(link, all, path) : add_code(link, all, path);
}

/* A library that is in none of the folders is one of the host, as for the real one. */
static bool add_named(struct link *link, const char *library)
{
    char path[PATH_BYTES];

    for (size_t i = 0; i < link->options->n_folders; i++) {
        snprintf(path, sizeof(path), "%s/lib%s.a", link->options->folders[i], library);
        if (!access(path, R_OK))
            return add_file(link, path);
    }
    return true;
}

static bool add_all(struct link *link)
{
    const struct nvlink_options *options = link->options;

    for (size_t i = 0; i < options->words.n_inputs; i++)
        if (!add_file(link, options->words.inputs[i]))
            return false;
    for (size_t i = 0; i < options->n_libraries; i++)
        if (!add_named(link, options->libraries[i]))
            return false;
    return true;
}

static bool write_file(struct link *link, const char *path, const char *bytes, size_t size)
{
    return tool_write_file(path, bytes, size) || fail(link, "output", path);
}

static bool write_all(struct link *link)
{
    const struct nvlink_options *options = link->options;
    SCOPED_FREE char *image = NULL;
    SCOPED_STR text = {.text = NULL};
    size_t size = 0;

    if ((options->relocatable
             ? code_join(&link->code, &image, &size)
             : code_complete(&link->code, options->verbose, &image, &size)) != PTX_OK)
        return false;
    cushim__str_append(&text, "#define NUM_PRELINKED_OBJECTS %u\n%s", link->n_modules,
                       cushim__str_get(&link->modules));
    return write_file(link, options->output, image, size) &&
           (!options->registers ||
            write_file(link, options->registers, cushim__str_get(&text), text.length));
}

static int run(const struct nvlink_options *options)
{
    struct link link = {.options = options,
                        .code = {.tool = "nvlink", .links = true, .skips_other_targets = true},
                        .status = FAILED};
    bool done;

    if (!options->arch || !code_set_arch(&link.code, options->arch)) {
        tool_fail("nvlink",
                  options->arch ? "Value '%s' is not defined for option 'arch'"
                                : "Unknown arch name '%s'",
                  options->arch ? options->arch : "(null)");
        return WRONG_USE;
    }
    done = add_all(&link) && write_all(&link);
    fputs(cushim__str_get(&link.code.infos), stderr);
    fputs(cushim__str_get(&link.code.errors), stderr);
    code_finish(&link.code);
    cushim__str_finish(&link.modules);
    return done ? 0 : link.status;
}

int main(int argc, char **argv)
{
    struct nvlink_options options;
    int status = WRONG_USE;

    if (!nvlink_options_read(argc, argv, &options))
        status = WRONG_USE;
    else if (options.words.version)
        status = tool_print_version("nvlink");
    else if (options.words.help)
        status = puts("Usage  : nvlink [options] <objects>") < 0;
    else if (options.arch && !options.output)
        tool_fail("nvlink", "Must specify output file with -o option");
    else
        status = run(&options);
    nvlink_options_finish(&options);
    return status;
}
