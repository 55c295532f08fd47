/* SPDX-License-Identifier: MIT */
/*
 * A ptxas that makes no machine code: its output is an image with the PTX of the inputs, which the
 * mock loads. Messages, options and the exit status are those of ptxas.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/util.h"
#include "standin/code/code.h"
#include "standin/ptxas/options.h"

enum { MOST_FILE_BYTES = 1 << 30, FAILED = 255 };

static bool fail(struct code *code, const char *input, const char *why)
{
    cushim__str_append(&code->errors, "ptxas fatal   : Input file '%s' %s\n", input, why);
    return false;
}

/* Reads to the end. NULL: there is no memory for it. */
static char *read_stream(FILE *stream, size_t *ret_size)
{
    char *bytes = NULL;
    size_t room = 0;

    for (*ret_size = 0; *ret_size == room;
         *ret_size += fread(bytes + *ret_size, 1, room - *ret_size, stream)) {
        char *larger =
            room < MOST_FILE_BYTES ? realloc(bytes, room = room ? 2 * room : 1 << 16) : NULL;

        if (!larger) {
            free(bytes);
            return NULL;
        }
        bytes = larger;
    }
    return bytes;
}

/* What is no file, such as a pipe. "-" is the standard input. */
static bool add_stream(struct code *code, const char *input)
{
    FILE *stream = strcmp(input, "-") != 0 ? fopen(input, "rb") : stdin;
    SCOPED_FREE char *bytes = NULL;
    size_t size;

    if (!stream)
        return fail(code, input, "could not be opened");
    bytes = read_stream(stream, &size);
    if (stream != stdin)
        fclose(stream);
    return bytes ? code_add(code, bytes, size, input) == PTX_OK
                 : fail(code, input, "is larger than what there is memory for");
}

static bool add_input(struct code *code, const struct ptxas_options *options, const char *input)
{
    SCOPED_FILE file = {.bytes = NULL};

    if (options->are_texts)
        return code_add(code, input, strlen(input), "<string>") == PTX_OK;
    if (cushim__file_read(input, MOST_FILE_BYTES, &file))
        return code_add(code, file.bytes, (size_t) file.size, input) == PTX_OK;
    if (!strcmp(input, "-") || file.state == CUSHIM__FILE_SPECIAL)
        return add_stream(code, input);
    return fail(code, input, "could not be opened");
}

/* What will be linked later may take names from other inputs, so it is not linked now. */
static bool make_image(struct code *code, const struct ptxas_options *options, char **ret_image,
                       size_t *ret_size)
{
    for (size_t i = 0; i < options->words.n_inputs; i++)
        if (!add_input(code, options, options->words.inputs[i]))
            return false;
    if (!options->relocatable)
        return code_complete(code, options->verbose, ret_image, ret_size) == PTX_OK;
    return code_join(code, ret_image, ret_size) == PTX_OK;
}

/* A virtual architecture asks for the checks alone. */
static bool is_real(const struct code *code)
{
    return !strncmp(code->arch, "sm_", strlen("sm_"));
}

static bool write_image(struct code *code, const char *path, const char *image, size_t size)
{
    if (tool_write_file(path, image, size))
        return true;
    cushim__str_append(&code->errors, "ptxas fatal   : Output file '%s' could not be written\n",
                       path);
    return false;
}

static bool assemble(struct code *code, const struct ptxas_options *options)
{
    SCOPED_FREE char *image = NULL;
    size_t size = 0;

    if (!code_set_arch(code, options->arch)) {
        cushim__str_append(&code->errors,
                           "ptxas fatal   : Value '%s' is not defined for option 'gpu-name'\n",
                           options->arch);
        return false;
    }
    code->linker.limits.registers = options->registers;
    return make_image(code, options, &image, &size) &&
           (!is_real(code) || write_image(code, options->output, image, size));
}

static int run(const struct ptxas_options *options)
{
    struct code code = {.tool = "ptxas"};
    const bool done = assemble(&code, options);

    fputs(cushim__str_get(&code.infos), stderr);
    fputs(cushim__str_get(&code.errors), stderr);
    code_finish(&code);
    return done ? 0 : FAILED;
}

int main(int argc, char **argv)
{
    struct ptxas_options options;
    int status = FAILED;

    if (!ptxas_options_read(argc, argv, &options))
        status = FAILED;
    else if (options.words.version)
        status = tool_print_version("ptxas");
    else if (options.words.help)
        status = puts("Usage  : ptxas [options] <ptx file>,...") < 0;
    else if (!options.words.n_inputs)
        fprintf(stderr, "ptxas fatal   : Missing input file\n");
    else
        status = run(&options);
    ptxas_options_finish(&options);
    return status;
}
