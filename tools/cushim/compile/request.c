/* SPDX-License-Identifier: MIT */
#include "request.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/util.h"
#include "command.h"

static const char usage[] =
    "usage: cushim compile [OPTION...] SOURCE -o OUTPUT\n"
    "\n"
    "Compiles CUDA C++ with NVRTC, which needs no GPU and no toolkit. The name of OUTPUT says "
    "what\n"
    "is written: .h a header for C and C++ with the code and a function for each kernel, .ptx "
    "PTX,\n"
    ".cubin machine code, .fatbin both for several architectures.\n"
    "\n"
    "  --arch LIST            architectures, separated by commas: 90 or compute_90 is PTX, sm_90\n"
    "                         machine code; else PTX of the oldest one that NVRTC has\n"
    "  --kernel [NAME=]EXPR   a kernel by its name in C++, such as scale_float='scale<float>'; "
    "each\n"
    "                         template needs one; NAME is its name in C\n"
    "  -I FOLDER              a folder for #include\n"
    "  -D NAME[=VALUE]        a macro\n"
    "  --std NAME             the language: c++14, c++17, c++20\n"
    "  --fast-math            faster and less exact functions\n"
    "  --line-info            lines of the source in the code\n"
    "  --option OPTION        any other option of NVRTC\n"
    "  --include HEADER       a header that the written one includes, for structures that kernels\n"
    "                         take as values\n"
    "  --prefix NAME          of the functions for all kernels; else the name of OUTPUT\n"
    "  -MF FILE               write the headers that were read to FILE, for make and ninja\n"
    "  --help                 print this\n"
    "\n"
    "Exit status: 0 written, 1 the source is refused, 2 wrong usage, 3 no NVRTC, or a file cannot\n"
    "be read or written.\n";

enum {
    OPTION_ARCH = 1000,
    OPTION_KERNEL,
    OPTION_STD,
    OPTION_FAST_MATH,
    OPTION_LINE_INFO,
    OPTION_OPTION,
    OPTION_INCLUDE,
    OPTION_PREFIX,
};

static const struct option options[] = {
    {"arch", required_argument, NULL, OPTION_ARCH},
    {"kernel", required_argument, NULL, OPTION_KERNEL},
    {"std", required_argument, NULL, OPTION_STD},
    {"fast-math", no_argument, NULL, OPTION_FAST_MATH},
    {"line-info", no_argument, NULL, OPTION_LINE_INFO},
    {"option", required_argument, NULL, OPTION_OPTION},
    {"include", required_argument, NULL, OPTION_INCLUDE},
    {"prefix", required_argument, NULL, OPTION_PREFIX},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static bool wrong(const char *format, const char *word)
{
    fputs("cushim compile: ", stderr);
    fprintf(stderr, "'%s' %s\n", word, format);
    return false;
}

static bool is_identifier(const char *text)
{
    size_t n = 0;

    if (isdigit((unsigned char) *text))
        return false;
    while (isalnum((unsigned char) text[n]) || text[n] == '_')
        n++;
    return n && !text[n];
}

static bool add(const char **list, size_t *n, const char *text)
{
    if (*n == MOST_OPTIONS)
        return wrong("is one option too many", text);
    list[(*n)++] = text;
    return true;
}

/* Reads one architecture: "90a", "compute_90a" or "sm_90a". */
static bool add_arch(struct request *request, const char *word)
{
    static const char no_arch[] = "is no architecture, such as 90, compute_90 or sm_90";
    const bool machine_code = !strncmp(word, "sm_", 3);
    const char *number = machine_code ? word + 3 : !strncmp(word, "compute_", 8) ? word + 8 : word;
    struct arch arch = {.machine_code = machine_code};
    int length = 0;

    if (!isdigit((unsigned char) *number) || sscanf(number, "%3u%n", &arch.number, &length) != 1 ||
        arch.number < 10)
        return wrong(no_arch, word);
    arch.suffix = number[length];
    if (arch.suffix && (!strchr("af", arch.suffix) || number[length + 1]))
        return wrong(no_arch, word);
    arch.text =
        cushim__arena_printf(request->arena, "%s%s", machine_code ? "sm_" : "compute_", number);
    for (size_t i = 0; i < request->n_archs; i++)
        if (!strcmp(request->archs[i].text, arch.text))
            return wrong("is named twice", arch.text);
    if (request->n_archs == MOST_OPTIONS)
        return wrong("is one architecture too many", word);
    request->archs[request->n_archs++] = arch;
    return true;
}

static bool add_archs(struct request *request, const char *list)
{
    for (;;) {
        const size_t length = strcspn(list, ",");

        if (!add_arch(request, cushim__arena_printf(request->arena, "%.*s", (int) length, list)))
            return false;
        if (!list[length])
            return true;
        list += length + 1;
    }
}

/* Reads "NAME=EXPRESSION", or only the expression, which may have a "=" elsewhere. */
static bool add_wanted(struct request *request, const char *text)
{
    const char *equals = strchr(text, '=');
    const char *name =
        equals ? cushim__arena_printf(request->arena, "%.*s", (int) (equals - text), text) : NULL;
    struct wanted wanted = {.expression = text};

    if (request->n_wanted == MOST_OPTIONS)
        return wrong("is one kernel too many", text);
    if (name && is_identifier(name))
        wanted = (struct wanted){name, equals + 1};
    else if (name && !name[strspn(name, LETTERS)])
        return wrong("has no name in C before its '=': --kernel NAME=EXPR", text);
    if (!*wanted.expression)
        return wrong("names no kernel", text);
    request->wanted[request->n_wanted++] = wanted;
    return true;
}

/* -MF FILE is one option with one letter more than getopt_long() knows. */
static bool set_dependencies(struct request *request, const char *word, int argc, char **argv)
{
    if (*word != 'F')
        return wrong("is not known; only -MF FILE is",
                     cushim__arena_printf(request->arena, "-M%s", word));
    if (word[1])
        request->dependencies = word + 1;
    else if (optind < argc)
        request->dependencies = argv[optind++];
    else
        return wrong("needs a file", "-MF");
    return true;
}

static bool take_option(struct request *request, int code, int argc, char **argv)
{
    switch (code) {
    case OPTION_ARCH:
        return add_archs(request, optarg);
    case OPTION_KERNEL:
        return add_wanted(request, optarg);
    case 'I':
        return add(request->include_paths, &request->n_include_paths, optarg);
    case 'D':
        return add(request->definitions, &request->n_definitions, optarg);
    case OPTION_OPTION:
        return add(request->options, &request->n_options, optarg);
    case OPTION_INCLUDE:
        return add(request->headers, &request->n_headers, optarg);
    case 'M':
        return set_dependencies(request, optarg, argc, argv);
    case OPTION_STD:
        request->std = optarg;
        return true;
    case OPTION_FAST_MATH:
        return request->fast_math = true;
    case OPTION_LINE_INFO:
        return request->line_info = true;
    case OPTION_PREFIX:
        request->prefix = optarg;
        return is_identifier(optarg) || wrong("is no name in C", optarg);
    case 'o':
        request->output = optarg;
        return true;
    default:
        return false;
    }
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Determines from its name what the output is. */
static bool set_format(struct request *request)
{
    static const struct {
        const char *suffix;
        enum output_format format;
    } formats[] = {{".ptx", FORMAT_PTX},   {".cubin", FORMAT_CUBIN}, {".fatbin", FORMAT_FAT},
                   {".h", FORMAT_HEADER},  {".hh", FORMAT_HEADER},   {".hpp", FORMAT_HEADER},
                   {".hxx", FORMAT_HEADER}};
    const char *suffix = strrchr(base_name(request->output), '.');

    for (size_t i = 0; suffix && i < ARRAY_SIZE(formats); i++)
        if (!strcmp(suffix, formats[i].suffix))
            request->format = formats[i].format;
    return request->format ||
           wrong("ends neither with .h nor .ptx, .cubin or .fatbin", request->output);
}

/* One file of PTX or machine code has one image. */
static bool fits_format(const struct request *request)
{
    const char *output = request->output;

    if (request->format == FORMAT_PTX || request->format == FORMAT_CUBIN) {
        if (request->n_archs > 1)
            return wrong("holds one architecture; a .fatbin holds several", output);
        if (request->format == FORMAT_CUBIN && !request->n_archs)
            return wrong("needs an architecture: --arch sm_90", output);
        if (request->n_archs && request->archs[0].machine_code != (request->format == FORMAT_CUBIN))
            return wrong(request->format == FORMAT_PTX
                             ? "is PTX, which is for an architecture such as compute_90"
                             : "is machine code, which is for an architecture such as sm_90",
                         output);
    }
    return true;
}

static bool is_same(const char *a, const char *b)
{
    struct stat of_a, of_b;

    return !strcmp(a, b) || (!stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev &&
                             of_a.st_ino == of_b.st_ino);
}

/* Nothing that is written replaces the source, or what else is written. */
static bool writes_new_files(const struct request *request)
{
    const char *dependencies = request->dependencies;

    if (is_same(request->source, request->output))
        return wrong("is the source, which the output would replace", request->output);
    if (dependencies && is_same(request->source, dependencies))
        return wrong("is the source, which the file of -MF would replace", dependencies);
    if (dependencies && is_same(request->output, dependencies))
        return wrong("is the output, which the file of -MF would replace", dependencies);
    return true;
}

/* A file of -MF has no way to write a line end in a name. */
static bool names_fit(const struct request *request)
{
    const char *const names[] = {request->source, request->output};

    for (size_t i = 0; request->dependencies && i < ARRAY_SIZE(names); i++)
        if (strchr(names[i], '\n'))
            return wrong("has a line end in its name, which the file of -MF cannot hold", names[i]);
    for (size_t i = 0; request->dependencies && i < request->n_include_paths; i++)
        if (strchr(request->include_paths[i], '\n'))
            return wrong("has a line end in its name, which the file of -MF cannot hold",
                         request->include_paths[i]);
    return true;
}

static bool is_complete(const struct request *request, int argc, char **argv)
{
    if (argc == 1)
        return false;
    if (optind == argc)
        fputs("cushim compile: no source is given\n\n", stderr);
    else if (optind + 1 < argc)
        fprintf(stderr,
                "cushim compile: one source at a time: '%s' is another one; one that includes both "
                "becomes one header\n\n",
                argv[optind + 1]);
    else if (!request->output)
        fputs("cushim compile: no output is given: -o OUTPUT\n\n", stderr);
    else
        return true;
    return false;
}

/* The name of the output without its suffix, as a name in C. */
static const char *default_prefix(const struct request *request)
{
    const char *base = base_name(request->output);
    const int length = (int) (strrchr(base, '.') - base);
    const char *prefix = cushim__arena_printf(
        request->arena, "%s%.*s", isalpha((unsigned char) *base) ? "" : "kernels_", length, base);

    for (char *p = (char *) prefix; *p; p++)
        if (!isalnum((unsigned char) *p))
            *p = '_';
    return prefix;
}

int read_request(int argc, char **argv, struct request *request)
{
    int code;

    while ((code = getopt_long(argc, argv, "hI:D:M:o:", options, NULL)) != -1) {
        if (code == 'h') {
            fputs(usage, stdout);
            return COMMAND_OK;
        }
        if (!take_option(request, code, argc, argv))
            return COMMAND_USAGE;
    }
    if (!is_complete(request, argc, argv)) {
        fputs(usage, stderr);
        return COMMAND_USAGE;
    }
    request->source = argv[optind];
    if (!set_format(request) || !fits_format(request) || !writes_new_files(request) ||
        !names_fit(request))
        return COMMAND_USAGE;
    if (!request->n_archs)
        request->archs[request->n_archs++] = (struct arch){.text = NULL};
    if (!request->prefix)
        request->prefix = default_prefix(request);
    return -1;
}
