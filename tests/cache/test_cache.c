/* SPDX-License-Identifier: MIT */
/* What the cache finds again, with an NVRTC that numbers what it compiles. */
#include "base/include_lines.h"
#include "outcome.h"

TestSuite(cache, .init = setup, .fini = teardown);

/* --- what is found again --- */

Test(cache, a_hit_gives_what_the_compiler_gave)
{
    CUSHIM_SCOPED(cushim_image) made = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_image) found = CUSHIM_NONE;
    const struct cushim_compile_params *params =
        cushim_compile_params(.nvrtc = nvrtc, .cache = folder, .name = "a.cu",
                              .name_expressions = LIST("f<int>", "g"));
    const struct cushim_cache_counts before = counts_now();
    const char *name = "";
    size_t n = 0, k = 0;

    cr_assert(eq(int, cushim_compile("source", params, &made), 0));
    cr_assert(eq(int, cushim_compile("source", params, &found), 0));
    cr_expect(eq(u64, counts_now().hits, before.hits + 1));
    cr_expect(eq(u64, counts_now().stored, before.stored + 1));
    cr_expect(eq(str, cushim_image_data(found, &n), cushim_image_data(made, &k)));
    cr_expect(eq(sz, n, k));
    cr_expect(eq(str, cushim_image_log(found), "a warning about source"));
    cr_assert(eq(int, cushim_image_lowered_name(found, "f<int>", &name), 0));
    cr_expect(eq(str, name, "_Z_f<int>"));
    cr_assert(eq(int, cushim_image_lowered_name(found, "g", &name), 0));
    cr_expect(eq(str, name, "_Z_g"));
    cr_expect(eq(sz, count_files(folder, ""), 1));
}

Test(cache, all_that_can_change_the_result_is_in_the_key)
{
    const struct cushim_header one[] = {{"a.h", "1"}, {0}}, two[] = {{"a.h", "2"}, {0}},
                               other[] = {{"b.h", "1"}, {0}};
    struct cushim_compile_params variants[] = {
        {.name = "other.cu"},
        {.arch = "compute_80"},
        {.ftz = CUSHIM_ON},
        {.ftz = CUSHIM_OFF},
        {.prec_sqrt = CUSHIM_OFF},
        {.prec_div = CUSHIM_OFF},
        {.fmad = CUSHIM_OFF},
        {.fast_math = true},
        {.max_registers = 32},
        {.max_registers = 33},
        {.line_info = true},
        {.device_debug = true},
        {.std = "c++17"},
        {.include_paths = LIST("/nowhere")},
        {.definitions = LIST("AB")},
        {.definitions = LIST("A", "B")},
        {.headers = one},
        {.headers = two},
        {.headers = other},
        {.name_expressions = LIST("a")},
        {.name_expressions = LIST("b")},
        {.name_expressions = LIST("a", "b")},
        {.options = LIST("-dopt=on")},
        {.options = LIST("--restrict")},
    };

    cr_expect(eq(int, OUTCOME("source"), MISS));
    cr_expect(eq(int, OUTCOME("sourcf"), MISS));
    for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
        variants[i].size = sizeof(variants[i]);
        cr_expect(eq(int, outcome_of("source", &variants[i]), MISS), "variant %zu", i);
        cr_expect(eq(int, outcome_of("source", &variants[i]), HIT), "variant %zu", i);
    }
    cr_expect(eq(int, OUTCOME("source"), HIT));
}

Test(cache, another_nvrtc_has_its_own_images)
{
    static const char *const others[] = {FAKE_NVRTC_1, FAKE_NVRTC_COPY};

    cr_expect(eq(int, OUTCOME("source"), MISS));
    for (size_t i = 0; i < 2; i++) {
        cushim_nvrtc_close(&nvrtc);
        open_nvrtc(others[i], &nvrtc);
        cr_expect(eq(int, OUTCOME("source"), MISS), "%s", others[i]);
        cr_expect(eq(int, OUTCOME("source"), HIT), "%s", others[i]);
    }
}

Test(cache, the_current_folder_counts_where_it_is_in_the_image)
{
    char before[512];

    NEED(getcwd(before, sizeof(before)));
    cr_expect(eq(int, OUTCOME("source"), MISS));
    cr_expect(eq(int, OUTCOME("source", .line_info = true), MISS));
    NEED(!chdir(folder));
    cr_expect(eq(int, OUTCOME("source"), HIT));
    cr_expect(eq(int, OUTCOME("source", .line_info = true), MISS));
    NEED(!chdir(before));
    cr_expect(eq(int, OUTCOME("source", .line_info = true), HIT));
}

Test(cache, errors_are_not_kept)
{
    cr_expect(eq(int, OUTCOME("a mistake"), FAILED));
    cr_expect(eq(int, OUTCOME("a mistake"), FAILED));
    cr_expect(eq(sz, count_files(folder, ""), 0));
}

/* --- headers --- */

Test(cache, a_header_three_levels_deep_counts)
{
    char headers[64];
    const char *const paths[] = {headers, NULL};

    new_folder(headers);
    write_text(headers, "a.h", "#include \"b.h\"\n");
    write_text(headers, "b.h", "#if 0\n#include <c.h>\n#endif\n");
    write_text(headers, "c.h", "int c;\n");
    cr_expect(eq(int, OUTCOME("#include <a.h>", .include_paths = paths), MISS));
    cr_expect(eq(int, OUTCOME("#include <a.h>", .include_paths = paths), HIT));
    write_text(headers, "c.h", "int d;\n");
    cr_expect(eq(int, OUTCOME("#include <a.h>", .include_paths = paths), MISS));
    write_text(headers, "c.h", "int c;\n");
    cr_expect(eq(int, OUTCOME("#include <a.h>", .include_paths = paths), HIT));
    write_text(headers, "unused.h", "int c;\n");
    cr_expect(eq(int, OUTCOME("#include <a.h>", .include_paths = paths), HIT));
    remove_folder(headers);
}

Test(cache, a_header_that_appears_before_another_counts)
{
    char first[64], second[64];
    const char *const paths[] = {first, second, NULL};

    new_folder(first);
    new_folder(second);
    write_text(second, "a.h", "int a;\n");
    cr_expect(eq(int, OUTCOME("#include <a.h>", .include_paths = paths), MISS));
    write_text(first, "a.h", "int b;\n");
    cr_expect(eq(int, OUTCOME("#include <a.h>", .include_paths = paths), MISS));
    cr_expect(eq(int, OUTCOME("#include <a.h>", .include_paths = LIST(second, first)), MISS));
    cr_expect(eq(int, OUTCOME("#include <a.h>", .include_paths = paths), HIT));
    remove_folder(first);
    remove_folder(second);
}

Test(cache, options_name_folders_and_headers_too)
{
    char headers[64], joined[80], named[96];

    new_folder(headers);
    snprintf(joined, sizeof(joined), "-I%s", headers);
    snprintf(named, sizeof(named), "--pre-include=%s/p.h", headers);
    write_text(headers, "a.h", "1");
    write_text(headers, "p.h", "1");
    for (int i = 0; i < 3; i++) {
        const enum outcome outcome = i == 1 ? HIT : MISS;

        if (i == 2)
            write_text(headers, "a.h", "2"), write_text(headers, "p.h", "2");
        cr_expect(eq(int, OUTCOME("#include <a.h>", .options = LIST(joined)), outcome));
        cr_expect(eq(int, OUTCOME("#include <a.h>", .options = LIST("-I", headers)), outcome));
        cr_expect(eq(int, OUTCOME("source", .options = LIST(named)), outcome));
        cr_expect(
            eq(int, OUTCOME("source", .options = LIST("-I", headers, "-include", "p.h")), outcome));
    }
    remove_folder(headers);
}

Test(cache, a_header_that_changes_meanwhile_is_not_kept)
{
    char source[256];

    write_text(folder, "a.h", "1");
    snprintf(source, sizeof(source), "#include \"%s/a.h\"\n// changes %s/a.h", folder, folder);
    cr_expect(eq(int, OUTCOME(source), MISS));
    cr_expect(eq(int, OUTCOME(source), MISS));
    cr_expect(eq(sz, count_files(folder, ".cushim"), 0));
    cr_expect(ne(ptr, strstr(log_text, "changed meanwhile"), NULL), "%s", log_text);
}

static void append_name(const char *name, size_t length, bool quotes, void *user)
{
    char *all = user;

    (void) quotes;
    snprintf(all + strlen(all), 256 - strlen(all), "%.*s;", (int) length, name);
}

Test(cache, includes_are_seen_however_they_are_written)
{
    static const struct {
        const char *text, *names; /* NULL: it is not known */
    } cases[] = {
        {"#include \"a.h\"\n#include <b/c.h>", "a.h;b/c.h;"},
        {"  #  include\t<a.h>", "a.h;"},
        {"%:include <a.h>", "a.h;"},
        {"/* x */ # /* y\n */ include /* z */ \"a.h\"", "a.h;"},
        {"/* x\n*/#include <a.h>", "a.h;"},
        {"\xef\xbb\xbf#include <a.h>", "a.h;"},
        {"#in\\\nclude \\\n<a\\\r\n.h>", "a.h;"},
        {"#if 0\n#include <a.h>\n#endif", "a.h;"},
        {"#include_next <a.h>", "a.h;"},
        {"int x; // #include <a.h>", ""},
        {"// #include NAME", ""},
        {"#includes NAME", ""},
        {"#define X #include", ""},
        {"#include NAME", NULL},
        {"#include", NULL},
        {"#include <a.h", NULL},
        {"#include \"\"", NULL},
        {"#if __has_include(<a.h>)", "a.h;"},
        {"#if defined(__has_include) && __has_include ( \"a.h\" )", "a.h;"},
        {"#ifdef __has_include\n#endif", ""},
        {"#define HAS __has_include", NULL},
        {"#if __has_include(NAME)", NULL},
        {"const char *t = __TIME__;", NULL},
        {"const char *t = __TIME__2;", ""},
        {"int import, exported;", ""},
        {"import <vector>;", NULL},
        {"\?\?=include <a.h>", NULL},
        {"a \?\?/", NULL},
        {"int x = 5 % 3; # pragma once", ""},
        {"", ""},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char names[256] = "";
        const char *why =
            cushim__include_lines(cases[i].text, strlen(cases[i].text), append_name, names);

        cr_expect(eq(int, !why, cases[i].names != NULL), "%s: %s", cases[i].text, why);
        if (!why && cases[i].names)
            cr_expect(eq(str, names, cases[i].names), "%s", cases[i].text);
    }
    cr_expect(
        ne(ptr, (void *) (uintptr_t) cushim__include_lines("a\0b", 3, append_name, NULL), NULL));
}

static void append_quotes(const char *name, size_t length, bool quotes, void *user)
{
    append_name(name, length, quotes, user);
    strcat(user, quotes ? "q " : "a ");
}

/* A name that is not known hides no other one. */
Test(cache, all_other_includes_are_seen)
{
    static const char text[] = "#include NAME\n\?\?=\n#include <a.h>\n__DATE__\n#include \"b.h\"\n"
                               "#if __has_include(NAME)\n#if __has_include(<c.h>)";
    char names[256] = "";
    const char *why = cushim__include_lines(text, strlen(text), append_quotes, names);

    cr_expect(eq(str, (char *) (uintptr_t) (why ? why : ""), "a header has trigraphs"));
    cr_expect(eq(str, names, "a.h;a b.h;q c.h;a "));
}

/* --- what the cache is not used for --- */

Test(cache, what_is_not_sure_is_compiled)
{
    static const struct {
        const char *source, *option, *why;
    } cases[] = {
        {"#include NAME", NULL, "kernel.cu: a macro makes the name"},
        {"__DATE__", NULL, "depends on the time"},
        {"#include </dev/null>", NULL, "/dev/null: it cannot be read as a file"},
        {"source", "-DNOW=__TIME__", "depends on the time"},
        {"source", "--pch", "--pch: the cache does not know this option"},
        {"source", "--time=x", "--time=x: the cache does not know this option"},
        {"source", "file.cu", "file.cu: the cache does not know this option"},
        {"source", "-I a", "is unusual"},
        {"source", "-I", "-I: the option has no value"},
        {"source", "-Xptxas=--options-file=x", "ptxas may read a file"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *const options[] = {cases[i].option, NULL};

        for (int k = 0; k < 2; k++)
            cr_expect(eq(int, OUTCOME(cases[i].source, .options = options), BYPASS), "case %zu", i);
        cr_expect(ne(ptr, strstr(log_text, cases[i].why), NULL), "%s", log_text);
    }
    cr_expect(eq(sz, count_files(folder, ""), 0));
}

Test(cache, variables_for_nvrtc_make_it_unsure)
{
    setenv("NVRTC_APPEND_FLAGS", "-DX", 1);
    cr_expect(eq(int, OUTCOME("source"), BYPASS));
    unsetenv("NVRTC_APPEND_FLAGS");
    cr_expect(eq(int, OUTCOME("source"), MISS));
}

Test(cache, hooks_make_it_unsure)
{
    const struct cushim_hooks hooks = {0};
    cushim_nvrtc below = nvrtc;

    NEED(!cushim_interpose_nvrtc(below, &hooks, 1, &nvrtc));
    cr_expect(eq(int, OUTCOME("source"), BYPASS));
    cr_expect(ne(ptr, strstr(log_text, "hooks stand before this NVRTC"), NULL), "%s", log_text);
    cushim_nvrtc_close(&nvrtc);
    nvrtc = below;
}

/* --- the environment --- */

static void compile_with_environment(const char *cache, cushim_image *ret_image, int *ret_status)
{
    cushim_image_free(ret_image);
    *ret_status =
        cushim_compile("source", cushim_compile_params(.nvrtc = nvrtc, .cache = cache), ret_image);
}

Test(cache, the_environment_names_a_folder_and_a_size)
{
    const struct cushim_cache_counts before = counts_now();
    cushim_image image = CUSHIM_NONE;
    int status;

    compile_with_environment(NULL, &image, &status);
    cr_expect(eq(int, status, 0));
    setenv("CUSHIM_CACHE", folder, 1);
    compile_with_environment("", &image, &status); /* the program does not want one */
    cr_expect(eq(int, status, 0));
    cr_expect(
        eq(u64, counts_now().misses + counts_now().bypasses, before.misses + before.bypasses));
    setenv("CUSHIM_CACHE_BYTES", "2k", 1);
    compile_with_environment(NULL, &image, &status);
    cr_expect(eq(int, status, 0));
    cr_expect(eq(u64, counts_now().stored, before.stored + 1));
    setenv("CUSHIM_CACHE_BYTES", "many", 1);
    compile_with_environment(NULL, &image, &status);
    cr_expect(eq(int, status, CUSHIM_ERROR_INVALID_ARGUMENT));
    cr_expect(ne(ptr, strstr(cushim_error_text(), "CUSHIM_CACHE_BYTES is 'many'"), NULL), "%s",
              cushim_error_text());
    setenv("CUSHIM_CACHE_BYTES", "0", 1);
    compile_with_environment(NULL, &image, &status);
    cr_expect(eq(int, status, CUSHIM_ERROR_INVALID_ARGUMENT));
    cr_expect(ne(ptr, strstr(cushim_error_text(), "'0', and not a number of bytes above 0"), NULL),
              "%s", cushim_error_text());
    unsetenv("CUSHIM_CACHE");
    unsetenv("CUSHIM_CACHE_BYTES");
    cushim_image_free(&image);
}
