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

#include "columns.h"
#include "command.h"
#include "mock/ptx/link/read.h"
#include "mock/ptx/lower/program.h"
#include "ptx_coverage.h"
#include "ptx_files.h"
#include "util.h"

static const char usage[] =
    "usage: cushim ptx [--capability CC] [--text] FILE...\n"
    "       cushim ptx --coverage [--forms]\n"
    "\n"
    "Tells the kernels, parameters and resources of a module, and what of it the mock does not\n"
    "run. FILE is PTX text, what the stand-ins for ptxas and nvlink have made, a fat binary, or "
    "an\n"
    "object, a library or a program of the host with fat binaries in it. Texts that are not "
    "linked\n"
    "yet are linked into one module.\n"
    "\n"
    "  --capability CC    for a device of this compute capability, such as 8.0; else 9.0\n"
    "  --text             print the PTX itself, and nothing else\n"
    "  --coverage         print all instructions of PTX, and which are refused\n"
    "  --forms            the forms of each of them, too\n"
    "  --help             print this\n"
    "\n"
    "Exit status: 0 the mock runs it, 1 it does not, 2 wrong usage, 3 a file cannot be read.\n";

enum { OPTION_CAPABILITY = 1000, OPTION_COVERAGE, OPTION_FORMS, OPTION_TEXT };

static const struct option options[] = {
    {"capability", required_argument, NULL, OPTION_CAPABILITY},
    {"coverage", no_argument, NULL, OPTION_COVERAGE},
    {"forms", no_argument, NULL, OPTION_FORMS},
    {"text", no_argument, NULL, OPTION_TEXT},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct request {
    int capability;
    bool coverage, forms, text;
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
        request->text = request->text || code == OPTION_TEXT;
    }
    request->paths = argv + optind;
    request->n_paths = (size_t) (argc - optind);
    if (request->coverage ? !request->n_paths : request->n_paths && !request->forms)
        return -1;
    fputs(usage, stderr);
    return COMMAND_USAGE;
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

static int show(const struct ptx_unit *unit, int capability)
{
    const char *const *texts = (const char *const *) unit->texts;
    size_t *lengths = must_calloc(unit->n, sizeof(*lengths));
    struct ptx__program *program = NULL;
    struct ptx__log log = {.messages = NULL};
    struct ptx__module module;
    enum ptx__status status;

    for (size_t i = 0; i < unit->n; i++)
        lengths[i] = strlen(texts[i]);
    status = ptx__read(texts, lengths, unit->n, capability, &module, &log);
    if (status == PTX_OK) {
        print_module(&module);
        status = ptx__lower(&module, &log, &program);
    }
    if (status == PTX_NO_PTX)
        printf("%s: error: this is no PTX\n", unit->label);
    ptx__program_free(program);
    print_messages(&log, unit->label);
    ptx__finish(&module);
    ptx__log_finish(&log);
    free(lengths);
    return status == PTX_OK              ? COMMAND_OK
           : status == PTX_OUT_OF_MEMORY ? COMMAND_FAILED
                                         : COMMAND_NO;
}

static int print_texts(const struct ptx_unit *unit)
{
    for (size_t i = 0; i < unit->n; i++)
        puts(unit->texts[i]);
    return COMMAND_OK;
}

/* Returns the worst status of all modules; a file without any is no module. */
static int show_all(const struct ptx_files *files, const struct request *request)
{
    int worst = -1;

    for (size_t i = 0; i < files->n; i++) {
        const struct ptx_unit *unit = &files->units[i];
        int status;

        if (!unit->n)
            continue;
        if (files->n > 1 && !request->text)
            printf("-- %s\n", unit->label);
        status = request->text ? print_texts(unit) : show(unit, request->capability);
        worst = status > worst ? status : worst;
    }
    return worst < 0 ? COMMAND_NO : worst;
}

int command_ptx(int argc, char **argv)
{
    struct request request = {.capability = 90};
    struct ptx_files files = {.n = 0};
    int status = parse(argc, argv, &request), worst = -1;

    if (status != -1)
        return status;
    if (request.coverage)
        return print_coverage(request.forms);
    files.capability = request.capability;
    files.quiet = request.text;
    for (size_t i = 0; i < request.n_paths && worst != COMMAND_FAILED; i++) {
        status = ptx_files_add(&files, request.paths[i]);
        worst = status > worst ? status : worst;
    }
    if (worst != COMMAND_FAILED) {
        status = show_all(&files, &request);
        worst = status > worst ? status : worst;
    }
    ptx_files_finish(&files);
    return fflush(stdout) || ferror(stdout) ? COMMAND_FAILED : worst;
}
