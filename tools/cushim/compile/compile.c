/* SPDX-License-Identifier: MIT */
/*
 * `cushim compile`: compiles CUDA C++ when a program is built, to PTX, machine code, or a header
 * with the code and a function for each kernel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "command.h"
#include "fat.h"
#include "header.h"
#include "includes.h"
#include "output.h"

#define LARGEST_SOURCE ((size_t) 64 << 20)

/* The images of all architectures, and the code that is made of them. */
struct result {
    struct built built[MOST_OPTIONS];
    size_t n;
    struct built ptx;        /* to read the kernels from */
    bool ptx_is_one_of_them; /* it is one of the above */
    char *fat;
    const char *code;
    size_t n_code;
};

/* NVRTC compiles the names together with the source, as a text of its own. */
static const char wrong_kernel[] =
    "cushim compile: where an error is in \"__nv_name_map\", it is one of --kernel, which takes a "
    "kernel of the source by its name in C++: --kernel scale_float='scale<float>'\n";

static int compile_all(const struct request *request, const char *text, struct result *result)
{
    const char *const *expressions = wanted_expressions(request);
    int status = check_archs(request);

    for (size_t i = 0; i < request->n_archs && status == -1; i++) {
        status =
            build_text(request, text, &request->archs[i], expressions, i == 0, &result->built[i]);
        result->n += status == -1;
    }
    if (status == COMMAND_NO && expressions)
        fprintf(stderr, "%s", wrong_kernel);
    return status;
}

/* Machine code says nothing of its kernels that could be read here, so it is compiled to PTX, too.
 */
static int compile_ptx(const struct request *request, const char *text, struct result *result)
{
    static struct arch arch;

    for (size_t i = 0; i < result->n; i++)
        if (!result->built[i].arch->machine_code) {
            result->ptx = result->built[i];
            result->ptx_is_one_of_them = true;
            return -1;
        }
    arch = request->archs[0];
    arch.machine_code = false;
    arch.text = cushim__arena_printf(request->arena, "compute_%s", arch.text + strlen("sm_"));
    return build_text(request, text, &arch, wanted_expressions(request), false, &result->ptx);
}

/* One image is the code itself. */
static bool join(const struct request *request, struct result *result)
{
    if (result->n == 1 && request->format != FORMAT_FAT) {
        result->code = result->built[0].bytes;
        result->n_code = result->built[0].n_bytes;
        return true;
    }
    if (!join_images(result->built, result->n, &result->fat, &result->n_code))
        return false;
    result->code = result->fat;
    return true;
}

static int write_header(const struct request *request, const char *text, struct result *result)
{
    struct cushim__str str = {0};
    struct kernel *kernels = NULL;
    size_t n = 0;
    int status = compile_ptx(request, text, result);

    if (status == -1)
        status = find_kernels(request, text, &result->ptx, &kernels, &n);
    if (status != -1)
        return status;
    append_header(&str, request, result->code, result->n_code, kernels, n);
    status = !str.failed && write_whole(request->output, str.text, str.length) ? COMMAND_OK
                                                                               : COMMAND_FAILED;
    cushim__str_finish(&str);
    return status;
}

static int write_result(const struct request *request, const char *text, struct result *result)
{
    int status;

    if (!join(request, result))
        return COMMAND_FAILED;
    /* First, so that an output is never newer than what it depends on. */
    if (request->dependencies && (status = write_dependencies(request, text)) != -1)
        return status;
    if (request->format == FORMAT_HEADER)
        return write_header(request, text, result);
    return write_whole(request->output, result->code, result->n_code) ? COMMAND_OK : COMMAND_FAILED;
}

static void finish(struct result *result)
{
    if (!result->ptx_is_one_of_them)
        cushim_image_free(&result->ptx.image);
    for (size_t i = 0; i < result->n; i++)
        cushim_image_free(&result->built[i].image);
    free(result->fat);
    free(result);
}

static int compile_file(const struct request *request, const char *text)
{
    struct result *result = calloc(1, sizeof(*result));
    int status;

    if (!result)
        return COMMAND_FAILED;
    status = compile_all(request, text, result);
    if (status == -1)
        status = write_result(request, text, result);
    finish(result);
    return status;
}

/* Some editors begin a text with the mark of UTF-8, which NVRTC does not know. */
static const char *text_of(const struct cushim__file *file)
{
    static const char mark[] = "\xef\xbb\xbf";

    return file->bytes + (strncmp(file->bytes, mark, strlen(mark)) ? 0 : strlen(mark));
}

static int run(int argc, char **argv, struct request *request)
{
    struct cushim__file file;
    int status = read_request(argc, argv, request);

    if (status != -1)
        return status;
    if (!cushim__file_read_text(request->source, LARGEST_SOURCE, &file)) {
        fprintf(stderr, "cushim compile: %s: %s\n", request->source, file.why);
        return COMMAND_FAILED;
    }
    status = compile_file(request, text_of(&file));
    cushim__file_finish(&file);
    return status;
}

int command_compile(int argc, char **argv)
{
    struct cushim__arena arena = {0};
    struct request *request = calloc(1, sizeof(*request));
    int status = COMMAND_FAILED;

    if (request) {
        request->arena = &arena;
        status = run(argc, argv, request);
    }
    if (arena.failed) {
        fputs("cushim compile: out of memory\n", stderr);
        status = COMMAND_FAILED;
    }
    cushim__arena_finish(&arena);
    free(request);
    return status;
}
