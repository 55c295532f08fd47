/* SPDX-License-Identifier: MIT */
#include "ptx_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "command.h"
#include "mock/ptx/container/device_runtime.h"
#include "mock/ptx/container/fatbin.h"
#include "mock/ptx/container/image.h"
#include "mock/ptx/container/joined.h"
#include "mock/ptx/container/object.h"
#include "util.h"

/* The maximum size of a file, and of a compressed text in one. This is the mock's default. */
#define LARGEST ((size_t) 512 << 20)

/* Returns why code has no text. */
static const char *reason(enum ptx__status status)
{
    switch (status) {
    case PTX_MACHINE_CODE:
        return "there is no PTX in it, only machine code, which the mock does not run";
    case PTX_NO_TARGET:
        return "there is no PTX for this device in it";
    case PTX_TOO_LARGE:
        return "its text is larger than 512 MiB";
    case PTX_NO_LIBRARY:
        return "it is compressed, and libzstd.so.1 is not installed";
    default:
        return "broken, or compressed in a way that cannot be read here";
    }
}

static int refuse(const char *name, enum ptx__status status)
{
    fprintf(stderr, "%s: %s\n", name, reason(status));
    return COMMAND_NO;
}

static struct ptx_unit *add_unit(struct ptx_files *files, const char *label)
{
    files->units = must_realloc(files->units, (files->n + 1) * sizeof(*files->units));
    files->units[files->n] = (struct ptx_unit){.label = format("%s", label)};
    return &files->units[files->n++];
}

/* The unit of what is linked. Its label is the file, if it is only one. */
static struct ptx_unit *linked(struct ptx_files *files, const char *label)
{
    struct ptx_unit *unit = &files->units[0];

    if (!unit->n || strcmp(unit->label, label)) {
        free(unit->label);
        unit->label = format("%s", unit->n ? "linked texts" : label);
    }
    return unit;
}

static void add_text(struct ptx_unit *unit, const char *text, size_t length)
{
    unit->texts = must_realloc(unit->texts, (unit->n + 1) * sizeof(*unit->texts));
    unit->texts[unit->n++] = format("%.*s", (int) length, text);
}

/* A linker's image is several texts in one. */
static int add_texts(struct ptx_unit *unit, const char *text, const char *name)
{
    struct ptx__parts parts;
    const enum ptx__status status = ptx__split(text, &parts);

    for (size_t i = 0; status == PTX_OK && i < parts.n; i++)
        add_text(unit, parts.texts[i], parts.lengths[i]);
    ptx__parts_finish(&parts);
    return status == PTX_OK ? -1 : refuse(name, status);
}

static void print_entries(const struct ptx_files *files, struct ptx__piece code, const char *name)
{
    static const char *const words[] = {"PTX", "machine code", "LTO-IR", "something unknown"};
    struct ptx__fatbin_entry entry;
    size_t at = 0;

    while (!files->quiet && ptx__fatbin_next(code.bytes, code.size, &at, &entry)) {
        const char suffix[] = {entry.suffix, '\0'};

        printf("%s: %s for sm_%d%s\n", name, words[entry.kind], entry.target, suffix);
    }
}

/* Adds a text, a fat binary, or machine code for a device, of which there is nothing to add. */
static int add_code(const struct ptx_files *files, struct ptx_unit *unit, struct ptx__piece code,
                    const char *name)
{
    char *text = NULL;
    enum ptx__status status;
    int result;

    if (ptx__is_fatbin(code.bytes, code.size))
        print_entries(files, code, name);
    status = ptx__image_text(code.bytes, code.size, files->capability, LARGEST, &text);
    if (status != PTX_OK)
        return refuse(name, status);
    result = add_texts(unit, text, name);
    free(text);
    return result;
}

/* What is not linked yet is linked here, with all that is not; each other one is a module. */
static int add_section(struct ptx_files *files, struct ptx__piece object, const char *section,
                       const char *name)
{
    const struct ptx__piece all = ptx__object_section(object, section);
    const bool is_linked = !strcmp(section, PTX__LINKED_SECTION);
    struct ptx__piece binary;
    size_t at = 0;
    int worst = -1;

    for (unsigned number = 1; ptx__binaries_next(all, &at, &binary); number++) {
        char *label = format("%s, %s %u", name, section, number);
        struct ptx_unit *unit = is_linked ? add_unit(files, label) : linked(files, label);
        const int status = add_code(files, unit, binary, label);

        worst = status > worst ? status : worst;
        free(label);
    }
    return worst;
}

static int add_object(struct ptx_files *files, struct ptx__piece object, const char *name)
{
    int linked_status, status;

    if (!ptx__object_section(object, PTX__LINKED_SECTION).size &&
        !ptx__object_section(object, PTX__RELOCATABLE_SECTION).size) {
        if (!files->quiet)
            printf("%s: no code for a device\n", name);
        return -1;
    }
    status = add_section(files, object, PTX__RELOCATABLE_SECTION, name);
    linked_status = add_section(files, object, PTX__LINKED_SECTION, name);
    return status > linked_status ? status : linked_status;
}

static int add_any(struct ptx_files *files, struct ptx__piece file, const char *name)
{
    return ptx__is_host_object(file) ? add_object(files, file, name)
                                     : add_code(files, linked(files, name), file, name);
}

static int add_library(struct ptx_files *files, struct ptx__piece library, const char *path)
{
    struct ptx__piece member;
    char member_name[64];
    size_t at = 0;
    int worst = -1;

    if (ptx__is_device_runtime(library.bytes, library.size)) {
        printf("%s: NVIDIA's device runtime; the mock has functions of its own in its place\n",
               path);
        return -1;
    }
    while (ptx__library_next(library, &at, &member, member_name)) {
        char *name = format("%s:%s", path, member_name);
        const int status =
            ptx__is_elf(member.bytes, member.size) ? add_any(files, member, name) : -1;

        worst = status > worst ? status : worst;
        free(name);
    }
    return worst;
}

int ptx_files_add(struct ptx_files *files, const char *path)
{
    struct cushim__file file;
    struct ptx__piece all;
    int status;

    if (!cushim__file_read(path, LARGEST, &file)) {
        fprintf(stderr, "cushim ptx: %s: %s\n", path, file.why);
        return COMMAND_FAILED;
    }
    if (!files->n)
        add_unit(files, path);
    all = (struct ptx__piece){file.bytes, (size_t) file.size};
    status = ptx__is_library(all) ? add_library(files, all, path) : add_any(files, all, path);
    cushim__file_finish(&file);
    return status;
}

void ptx_files_finish(struct ptx_files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        for (size_t j = 0; j < files->units[i].n; j++)
            free(files->units[i].texts[j]);
        free(files->units[i].texts);
        free(files->units[i].label);
    }
    free(files->units);
}
