/* SPDX-License-Identifier: MIT */
/*
 * `cushim ptx`: prints the contents of a PTX module, and whether the mock can run it. It uses the
 * code with which the mock loads modules.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "columns.h"
#include "command.h"
#include "mock/ptx/container/fatbin.h"
#include "mock/ptx/link/read.h"
#include "mock/ptx/lower/program.h"
#include "ptx_coverage.h"
#include "util.h"

static const char usage[] =
    "usage: cushim ptx [--capability CC] FILE...\n"
    "       cushim ptx --coverage [--forms]\n"
    "\n"
    "Tells the kernels, parameters and resources of a module, and what of it the mock does not\n"
    "run. FILE is PTX text or a fat binary; several texts are linked into one module.\n"
    "\n"
    "  --capability CC    for a device of this compute capability, such as 8.0; else 9.0\n"
    "  --coverage         print all instructions of PTX, and which are refused\n"
    "  --forms            the forms of each of them, too\n"
    "  --help             print this\n"
    "\n"
    "Exit status: 0 the mock runs it, 1 it does not, 2 wrong usage, 3 a file cannot be read.\n";

enum { OPTION_CAPABILITY = 1000, OPTION_COVERAGE, OPTION_FORMS };

/* The maximum size of a file, and of a compressed text in one. This is the mock's default. */
#define LARGEST ((size_t) 512 << 20)

static const struct option options[] = {
    {"capability", required_argument, NULL, OPTION_CAPABILITY},
    {"coverage", no_argument, NULL, OPTION_COVERAGE},
    {"forms", no_argument, NULL, OPTION_FORMS},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct request {
    int capability;
    bool coverage, forms;
    char **paths;
    size_t n_paths;
};

/* Reads a capability: "8.6" becomes 86. */
static bool read_capability(const char *text, int *ret_capability)
{
    int major, minor, length = 0;

    if (sscanf(text, "%2d.%1d%n", &major, &minor, &length) != 2 || text[length] || major < 1 ||
        minor < 0) {
        fprintf(stderr, "cushim ptx: '%s' is no compute capability such as 9.0\n", text);
        return false;
    }
    *ret_capability = 10 * major + minor;
    return true;
}

/* Reads the options. Returns -1 to continue, or the exit status. */
static int parse(int argc, char **argv, struct request *request)
{
    int code;

    while ((code = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (code == 'h') {
            fputs(usage, stdout);
            return COMMAND_OK;
        }
        if (code == '?' ||
            (code == OPTION_CAPABILITY && !read_capability(optarg, &request->capability)))
            return COMMAND_USAGE;
        request->coverage = request->coverage || code == OPTION_COVERAGE;
        request->forms = request->forms || code == OPTION_FORMS;
    }
    request->paths = argv + optind;
    request->n_paths = (size_t) (argc - optind);
    if (request->coverage ? !request->n_paths : request->n_paths && !request->forms)
        return -1;
    fputs(usage, stderr);
    return COMMAND_USAGE;
}

/* Returns why a binary contains no text. */
static const char *reason(enum ptx__status status)
{
    switch (status) {
    case PTX_MACHINE_CODE:
        return "there is no PTX in it, only machine code";
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

/* Reads the text of a file. Returns -1 and the text, or the exit status. */
static int read_text(const char *path, int capability, char **ret_text)
{
    enum ptx__status status = PTX_MACHINE_CODE;
    struct cushim__file file;

    if (!cushim__file_read(path, LARGEST, &file)) {
        fprintf(stderr, "cushim ptx: %s: %s\n", path, file.why);
        return COMMAND_FAILED;
    }
    *ret_text = file.bytes;
    if (!ptx__is_fatbin(file.bytes, (size_t) file.size) &&
        !ptx__is_elf(file.bytes, (size_t) file.size))
        return -1;
    if (!ptx__is_elf(file.bytes, (size_t) file.size))
        status = ptx__fatbin_text(file.bytes, (size_t) file.size, capability, LARGEST, ret_text);
    if (status == PTX_OK) {
        free(file.bytes);
        return -1;
    }
    fprintf(stderr, "%s: %s\n", path, reason(status));
    return COMMAND_NO;
}

static void print_parameter(const struct ptx__parameter *parameter, struct columns *columns)
{
    columns_add(columns, "%s", parameter->name);
    columns_add(columns, "offset %zu", parameter->offset);
    columns_add(columns, "%zu bytes", parameter->bytes);
    columns_add(columns, ".%s%s", ptx__type_name((enum ptx__type) parameter->type),
                parameter->array ? "[]" : "");
    columns_end_row(columns);
}

static void print_kernel(const struct ptx__function *function)
{
    const struct ptx__resource_usage *facts = &function->usage;
    struct columns columns = {0};

    printf("kernel %s\n", function->name);
    printf("    %zu bytes of parameters, %zu shared%s, %zu local%s, about %u registers",
           facts->parameter_bytes, facts->shared_bytes,
           facts->uses_dynamic_shared ? " and dynamic" : "", facts->local_bytes,
           facts->recursive ? " and a stack" : "", facts->registers);
    if (facts->max_threads)
        printf(", %u threads at most", facts->max_threads);
    printf("\n");
    for (uint32_t i = 0; i < function->n_parameters; i++)
        print_parameter(&function->parameters[i], &columns);
    if (function->n_parameters)
        columns_print(&columns, stdout, "    ");
}

static void print_module(const struct ptx__module *module)
{
    const char suffix[] = {module->target_suffix, '\0'};

    printf("PTX %d.%d for sm_%d%s, %zu bytes of constants\n", module->version / 10,
           module->version % 10, module->target, suffix, module->constant_bytes);
    for (uint32_t i = 0; i < module->n_functions; i++) {
        const struct ptx__function *function = &module->functions[i];

        if (function->is_kernel && function->has_body && !function->replaced)
            print_kernel(function);
    }
}

static void print_messages(const struct ptx__log *log, const char *path)
{
    static const char *const severities[] = {"info", "warning", "error", "error"};

    for (size_t i = 0; i < log->n_messages; i++) {
        const struct ptx__message *message = &log->messages[i];
        char *text = printable(message->text);

        printf("%s:", path);
        if (message->place.line)
            printf("%u:%u:", message->place.line, message->place.column);
        printf(" %s: %s\n", severities[message->severity], text);
        free(text);
    }
}

static int show(const char *const *texts, const struct request *request)
{
    size_t *lengths = must_calloc(request->n_paths, sizeof(*lengths));
    struct ptx__program *program = NULL;
    struct ptx__log log = {.messages = NULL};
    struct ptx__module module;
    enum ptx__status status;

    for (size_t i = 0; i < request->n_paths; i++)
        lengths[i] = strlen(texts[i]);
    status = ptx__read(texts, lengths, request->n_paths, request->capability, &module, &log);
    if (status == PTX_OK) {
        print_module(&module);
        status = ptx__lower(&module, &log, &program);
    }
    if (status == PTX_NO_PTX)
        printf("%s: error: this is no PTX\n", request->paths[0]);
    ptx__program_free(program);
    print_messages(&log, request->n_paths == 1 ? request->paths[0] : "linked texts");
    ptx__finish(&module);
    ptx__log_finish(&log);
    free(lengths);
    return status == PTX_OK              ? COMMAND_OK
           : status == PTX_OUT_OF_MEMORY ? COMMAND_FAILED
                                         : COMMAND_NO;
}

int command_ptx(int argc, char **argv)
{
    struct request request = {.capability = 90};
    int status = parse(argc, argv, &request);
    char **texts;

    if (status != -1)
        return status;
    if (request.coverage)
        return print_coverage(request.forms);
    texts = must_calloc(request.n_paths, sizeof(*texts));
    for (size_t i = 0; i < request.n_paths && status == -1; i++)
        status = read_text(request.paths[i], request.capability, &texts[i]);
    if (status == -1)
        status = show((const char *const *) texts, &request);
    for (size_t i = 0; i < request.n_paths; i++)
        free(texts[i]);
    free(texts);
    return fflush(stdout) || ferror(stdout) ? COMMAND_FAILED : status;
}
