/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "base/util.h"
#include "core/code/cache.h"
#include "core/code/includes.h"

/* Is in each key. Another form of keys or of files gets another text. */
static const char version[] = "cushim compilation 1";

enum { MOST_FOLDERS = 256 };

/* Computing one key. */
struct making {
    const struct cushim__cache_input *input;
    struct cushim__sha256 digest;
    const char *folders[MOST_FOLDERS + 1];
    const char *before[MOST_FOLDERS + 1]; /* headers that the options include before the program */
    size_t n_folders, n_before;
    bool here; /* the current folder is part of the result */
    char *why;
    size_t why_size;
};

static bool unsure(struct making *making, const char *where, const char *why)
{
    snprintf(making->why, making->why_size, "%s%s%s", where, *where ? ": " : "", why);
    return false;
}

static void add_bytes(struct making *making, const void *bytes, size_t n)
{
    cushim__sha256_add(&making->digest, bytes, n);
}

static void add_number(struct making *making, uint64_t number)
{
    add_bytes(making, &number, sizeof(number));
}

/* The length comes first, so that no two lists of texts are the same bytes. */
static void add_text(struct making *making, const char *text)
{
    const size_t length = text ? strlen(text) : 0;

    add_number(making, text ? length : UINT64_MAX);
    add_bytes(making, text, length);
}

/* --- NVRTC --- */

static void add_file(struct making *making, const char *path)
{
    struct stat info = {0};

    if (stat(path, &info) < 0)
        info.st_size = -1;
    add_number(making, (uint64_t) info.st_size);
    add_number(making, (uint64_t) info.st_mtim.tv_sec);
    add_number(making, (uint64_t) info.st_mtim.tv_nsec);
}

/*
 * Two builds of one version are told apart by size and time of their files. The second file is in
 * the same folder.
 */
static bool add_compiler(struct making *making)
{
    const struct cushim__driver *rtc = making->input->rtc;
    const struct cushim__library *library = rtc->library;
    const char *slash = strrchr(library->path, '/');
    SCOPED_STR builtins = {0};

    if (rtc->slot >= 0)
        return unsure(making, "", "hooks stand before this NVRTC");
    if (!slash)
        return unsure(making, "", "the file of this NVRTC is not known");
    cushim__str_append(&builtins, "%.*s/libnvrtc-builtins.so.%d.%d", (int) (slash - library->path),
                       library->path, library->version / 1000, library->version % 1000 / 10);
    if (builtins.failed)
        return unsure(making, "", "there is no memory");
    add_number(making, (uint64_t) library->version);
    add_file(making, library->path);
    add_file(making, cushim__str_get(&builtins));
    return true;
}

/* NVRTC and its parts read variables that add options, and that the key does not have. */
static bool check_environment(struct making *making)
{
    static const char *const families[] = {"NVRTC_", "NVVM_", "LIBNVVM_", "EDG_", "CPPCX_"};

    for (char **variable = environ; variable && *variable; variable++)
        for (size_t i = 0; i < ARRAY_SIZE(families); i++)
            if (!strncmp(*variable, families[i], strlen(families[i])))
                return unsure(making, "",
                              "a variable of the environment may change the result: "
                              "NVRTC_..., NVVM_..., LIBNVVM_..., EDG_..., CPPCX_...");
    return true;
}

/* --- options --- */

enum option_kind {
    OPTION_PLAIN,
    OPTION_FOLDER, /* names a folder for headers */
    OPTION_HEADER, /* names a header */
    OPTION_HERE,   /* the result has paths, or the current folder in another form */
    OPTION_PTXAS,  /* holds options of another compiler */
};

/*
 * The options whose effect is known, without the dashes before them: those that NVRTC's
 * documentation lists, except for those that read or write further files. A value may follow a
 * letter at once.
 */
static const struct option {
    const char *name;
    enum option_kind kind;
    bool letter;
} known[] = {
    {"I", OPTION_FOLDER, true},
    {"include-path", OPTION_FOLDER, false},
    {"include", OPTION_HEADER, false},
    {"pre-include", OPTION_HEADER, false},
    {"lineinfo", OPTION_HERE, false},
    {"generate-line-info", OPTION_HERE, false},
    {"G", OPTION_HERE, false},
    {"device-debug", OPTION_HERE, false},
    {"Xptxas", OPTION_PTXAS, false},
    {"ptxas-options", OPTION_PTXAS, false},
    {"D", OPTION_PLAIN, true},
    {"U", OPTION_PLAIN, true},
    {"arch", OPTION_PLAIN, false},
    {"gpu-architecture", OPTION_PLAIN, false},
    {"std", OPTION_PLAIN, false},
    {"dc", OPTION_PLAIN, false},
    {"device-c", OPTION_PLAIN, false},
    {"dw", OPTION_PLAIN, false},
    {"device-w", OPTION_PLAIN, false},
    {"rdc", OPTION_PLAIN, false},
    {"relocatable-device-code", OPTION_PLAIN, false},
    {"ewp", OPTION_PLAIN, false},
    {"extensible-whole-program", OPTION_PLAIN, false},
    {"dopt", OPTION_PLAIN, false},
    {"maxrregcount", OPTION_PLAIN, false},
    {"ftz", OPTION_PLAIN, false},
    {"prec-sqrt", OPTION_PLAIN, false},
    {"prec-div", OPTION_PLAIN, false},
    {"fmad", OPTION_PLAIN, false},
    {"use_fast_math", OPTION_PLAIN, false},
    {"extra-device-vectorization", OPTION_PLAIN, false},
    {"modify-stack-limit", OPTION_PLAIN, false},
    {"dlto", OPTION_HERE, false},
    {"dlink-time-opt", OPTION_HERE, false},
    {"gen-opt-lto", OPTION_HERE, false},
    {"optix-ir", OPTION_HERE, false},
    {"jtd", OPTION_PLAIN, false},
    {"jump-table-density", OPTION_PLAIN, false},
    {"device-stack-protector", OPTION_PLAIN, false},
    {"no-source-include", OPTION_PLAIN, false},
    {"builtin-move-forward", OPTION_PLAIN, false},
    {"builtin-initializer-list", OPTION_PLAIN, false},
    {"w", OPTION_PLAIN, false},
    {"disable-warnings", OPTION_PLAIN, false},
    {"restrict", OPTION_PLAIN, false},
    {"default-device", OPTION_PLAIN, false},
    {"device-as-default-execution-space", OPTION_PLAIN, false},
    {"device-int128", OPTION_PLAIN, false},
    {"device-float128", OPTION_PLAIN, false},
    {"opt-info", OPTION_PLAIN, false},
    {"optimization-info", OPTION_PLAIN, false},
    {"err-no", OPTION_PLAIN, false},
    {"display-error-number", OPTION_PLAIN, false},
    {"no-err-no", OPTION_PLAIN, false},
    {"no-display-error-number", OPTION_PLAIN, false},
    {"diag-error", OPTION_PLAIN, false},
    {"diag-suppress", OPTION_PLAIN, false},
    {"diag-warn", OPTION_PLAIN, false},
    {"brief-diag", OPTION_PLAIN, false},
    {"brief-diagnostics", OPTION_PLAIN, false},
    {"dQ", OPTION_PLAIN, false},
    {"version-ident", OPTION_PLAIN, false},
    {"fdevice-syntax-only", OPTION_PLAIN, false},
    {"minimal", OPTION_PLAIN, false},
    {"Ofast-compile", OPTION_PLAIN, false},
    {"split-compile", OPTION_PLAIN, false},
    {"no-cache", OPTION_PLAIN, false},
    {"define-macro", OPTION_PLAIN, false},
    {"undefine-macro", OPTION_PLAIN, false},
};

/* Finds an option. *ret_value is what follows its name, or NULL if nothing does. */
static const struct option *find_option(const char *text, const char **ret_value)
{
    const char *name = text + strspn(text, "-");

    if (name == text)
        return NULL;
    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        const size_t length = strlen(known[i].name);

        if (strncmp(name, known[i].name, length))
            continue;
        *ret_value = name[length] ? name + length + (name[length] == '=') : NULL;
        if (!name[length] || name[length] == '=' || known[i].letter)
            return &known[i];
    }
    return NULL;
}

static bool add_to(struct making *making, const char **list, size_t *n, const char *value)
{
    /* NVRTC takes some characters for more than a part of the name. */
    if (!*value || strpbrk(value, " \t\"'"))
        return unsure(making, value, "the name of a folder or a header is unusual");
    if (*n == MOST_FOLDERS)
        return unsure(making, value, "there are too many folders");
    list[(*n)++] = value;
    return true;
}

static bool use_option(struct making *making, const struct option *option, const char *value)
{
    switch (option->kind) {
    case OPTION_FOLDER:
        return add_to(making, making->folders, &making->n_folders, value);
    case OPTION_HEADER:
        return add_to(making, making->before, &making->n_before, value);
    case OPTION_HERE:
        making->here = true;
        return true;
    case OPTION_PTXAS:
        if (strstr(value, "file") || strstr(value, "optf") || strpbrk(value, "@/"))
            return unsure(making, value, "ptxas may read a file");
        return true;
    case OPTION_PLAIN:
        break;
    }
    return true;
}

static bool takes_value(const struct option *option)
{
    return option->kind != OPTION_PLAIN && option->kind != OPTION_HERE;
}

/* The value of an option may be the next text. */
static bool read_options(struct making *making)
{
    const struct cushim__rtc_options *options = making->input->options;
    const char *text = options->text.text, *value;

    for (size_t i = 0; i < options->count; i++, text += strlen(text) + 1) {
        const struct option *option = find_option(text, &value);

        add_text(making, text);
        if (!option)
            return unsure(making, text, "the cache does not know this option");
        if (!value && (takes_value(option) || option->letter)) {
            if (++i == options->count)
                return unsure(making, text, "the option has no value");
            text += strlen(text) + 1;
            value = text;
            add_text(making, text);
        }
        if (!use_option(making, option, value))
            return false;
    }
    return true;
}

/* --- what is read --- */

static void add_list(struct making *making, const char *const *texts)
{
    for (; texts && *texts; texts++)
        add_text(making, *texts);
    add_text(making, NULL);
}

/* Options and name expressions are text that the compiler reads, too. */
static void look_into_texts(struct cushim__includes *includes,
                            const struct cushim__cache_input *input)
{
    const struct cushim_header *headers = input->params->headers;
    const char *const *names = input->params->name_expressions;
    const char *option = input->options->text.text;

    cushim__includes_text(includes, input->name, input->source);
    for (; headers && headers->name; headers++)
        cushim__includes_text(includes, headers->name, headers->text ? headers->text : "");
    for (; names && *names; names++)
        cushim__includes_text(includes, input->name, *names);
    for (size_t i = 0; i < input->options->count; i++, option += strlen(option) + 1)
        cushim__includes_text(includes, input->name, option);
}

static bool add_files(struct making *making)
{
    struct cushim__includes includes = {.digest = &making->digest, .folders = making->folders};
    bool sure;

    look_into_texts(&includes, making->input);
    for (size_t i = 0; i < making->n_before; i++)
        cushim__includes_header(&includes, making->before[i]);
    cushim__includes_read(&includes);
    sure = !includes.why || unsure(making, includes.where, includes.why);
    cushim__includes_finish(&includes);
    return sure;
}

static bool add_here(struct making *making)
{
    SCOPED_FREE char *here = making->here ? getcwd(NULL, 0) : NULL;

    if (making->here && !here)
        return unsure(making, "", "the current folder has no name");
    add_text(making, here);
    return true;
}

static void add_given(struct making *making)
{
    const struct cushim__cache_input *input = making->input;
    const struct cushim_header *headers = input->params->headers;

    add_text(making, version);
    add_number(making, (uint64_t) input->params->kind);
    add_text(making, input->name);
    add_text(making, input->source);
    add_list(making, input->params->name_expressions);
    for (; headers && headers->name; headers++) {
        add_text(making, headers->name);
        add_text(making, headers->text ? headers->text : "");
    }
    add_text(making, NULL);
}

bool cushim__cache_key_make(const struct cushim__cache_input *input,
                            struct cushim__cache_key *ret_key, char *why, size_t why_size)
{
    struct making making = {.input = input, .why = why, .why_size = why_size};

    cushim__sha256_start(&making.digest);
    add_given(&making);
    if (!add_compiler(&making) || !check_environment(&making) || !read_options(&making) ||
        !add_here(&making) || !add_files(&making))
        return false;
    cushim__sha256_end(&making.digest, ret_key->bytes);
    return true;
}
