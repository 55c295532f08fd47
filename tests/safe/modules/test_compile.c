/* SPDX-License-Identifier: MIT */
/* Compiling, with an NVRTC that notes what it is asked: options, headers, names, errors. */
#include "support.h"

#include <stdio.h>

#include <cushim/cushim.h>

#include "modules.h"

SUITE(compile);

static struct {
    char options[1024], headers[256], expressions[256], name[64];
    const char *log;
    int created, destroyed, compile_result, name_result;
    size_t no_cubin;
    const char *cubin;
} fake;

static int fake_version(int *major, int *minor)
{
    *major = 12;
    *minor = 4;
    return 0;
}

static int fake_create(void **ret_program, const char *source, const char *name, int n,
                       const char *const *texts, const char *const *names)
{
    (void) source;
    snprintf(fake.name, sizeof(fake.name), "%s", name);
    for (int i = 0; i < n; i++)
        snprintf(fake.headers + strlen(fake.headers), 100, "%s=%s;", names[i], texts[i]);
    *ret_program = &fake;
    fake.created++;
    return 0;
}

static int fake_destroy(void **program)
{
    *program = NULL;
    fake.destroyed++;
    return 0;
}

static int fake_compile(void *program, int n, const char *const *options)
{
    (void) program;
    for (int i = 0; i < n; i++)
        snprintf(fake.options + strlen(fake.options), 100, "%s ", options[i]);
    return fake.compile_result;
}

static int fake_size(void *program, size_t *ret_size)
{
    (void) program;
    *ret_size = sizeof(".version");
    return 0;
}

static int fake_get(void *program, char *ret_bytes)
{
    (void) program;
    memcpy(ret_bytes, ".version", sizeof(".version"));
    return 0;
}

static int fake_get_cubin(void *program, char *ret_bytes)
{
    (void) program;
    memcpy(ret_bytes, fake.cubin ? fake.cubin : ".version", fake.no_cubin);
    return 0;
}

static int fake_no_size(void *program, size_t *ret_size)
{
    (void) program;
    *ret_size = fake.no_cubin;
    return 0;
}

static int fake_log_size(void *program, size_t *ret_size)
{
    (void) program;
    *ret_size = fake.log ? strlen(fake.log) + 1 : 0;
    return 0;
}

static int fake_log(void *program, char *ret_log)
{
    (void) program;
    memcpy(ret_log, fake.log, strlen(fake.log) + 1);
    return 0;
}

static int fake_add(void *program, const char *expression)
{
    (void) program;
    snprintf(fake.expressions + strlen(fake.expressions), 100, "%s;", expression);
    return 0;
}

static int fake_lowered(void *program, const char *expression, const char **ret_name)
{
    (void) program;
    *ret_name = !strcmp(expression, "twice<int>") ? "_Z5twiceIiEvv" : "_Z1fv";
    return fake.name_result;
}

static int fake_n_archs(int *ret_n)
{
    *ret_n = 3;
    return 0;
}

static int fake_archs(int *ret_archs)
{
    memcpy(ret_archs, (int[]){75, 80, 90}, 3 * sizeof(int));
    return 0;
}

static const char *fake_string(int result)
{
    (void) result;
    return "?";
}

#define F(name, function)                                                                          \
    {                                                                                              \
        name, (cushim_entry) (function)                                                            \
    }

static void *resolve(const char *symbol, void *user)
{
    static const struct {
        const char *name;
        cushim_entry function;
    } functions[] = {
        F("nvrtcVersion", fake_version),
        F("nvrtcGetErrorString", fake_string),
        F("nvrtcCreateProgram", fake_create),
        F("nvrtcDestroyProgram", fake_destroy),
        F("nvrtcCompileProgram", fake_compile),
        F("nvrtcGetPTXSize", fake_size),
        F("nvrtcGetPTX", fake_get),
        F("nvrtcGetCUBINSize", fake_no_size),
        F("nvrtcGetCUBIN", fake_get_cubin),
        F("nvrtcGetProgramLogSize", fake_log_size),
        F("nvrtcGetProgramLog", fake_log),
        F("nvrtcAddNameExpression", fake_add),
        F("nvrtcGetLoweredName", fake_lowered),
        F("nvrtcGetNumSupportedArchs", fake_n_archs),
        F("nvrtcGetSupportedArchs", fake_archs),
    };

    (void) user;
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (!strcmp(functions[i].name, symbol))
            return (void *) (intptr_t) functions[i].function;
    return NULL;
}

static cushim_nvrtc open_fake(void)
{
    cushim_nvrtc nvrtc = CUSHIM_NONE;

    memset(&fake, 0, sizeof(fake));
    assert_ok(cushim_nvrtc_open(cushim_open_params(.resolver = resolve), &nvrtc));
    return nvrtc;
}

#define compile(image, ...)                                                                        \
    cushim_compile("text", cushim_compile_params(.nvrtc = nvrtc, __VA_ARGS__), image)

static void check_freed(void)
{
    cr_assert(eq(int, fake.created, fake.destroyed));
}

Test(compile, options_stand_for_fields)
{
    CUSHIM_SCOPED(cushim_nvrtc) nvrtc = open_fake();
    CUSHIM_SCOPED(cushim_image) image = CUSHIM_NONE;
    const char *const options[] = {"--pch", "-lineinfo", NULL}, *const paths[] = {"/a", "/b", NULL};
    const char *const macros[] = {"N=4", "FAST", NULL};

    assert_ok(compile(&image, .ftz = CUSHIM_ON, .prec_sqrt = CUSHIM_OFF, .prec_div = CUSHIM_OFF,
                      .fmad = CUSHIM_ON, .fast_math = true, .max_registers = 32, .line_info = true,
                      .device_debug = true, .std = "c++17", .include_paths = paths,
                      .definitions = macros, .arch = "90a", .options = options, .name = "a.cu"));
    cr_assert(eq(str, fake.options,
                 S("--ftz=true --prec-sqrt=false --prec-div=false --fmad=true --use_fast_math "
                   "--maxrregcount=32 --generate-line-info --device-debug --std=c++17 "
                   "--include-path=/a --include-path=/b --define-macro=N=4 --define-macro=FAST "
                   "--gpu-architecture=compute_90a --pch -lineinfo ")));
    cr_assert(eq(str, fake.name, S("a.cu")));
    check_freed();
}

Test(compile, without_parameters_there_are_no_options)
{
    CUSHIM_SCOPED(cushim_nvrtc) nvrtc = open_fake();
    CUSHIM_SCOPED(cushim_image) image = CUSHIM_NONE;
    enum cushim_image_kind kind;
    size_t bytes = 0;

    assert_ok(compile(&image, .max_registers = 0));
    cr_assert(eq(str, fake.options, S("")));
    cr_assert(eq(str, fake.name, S("kernel.cu")));
    cr_assert(eq(str, S(cushim_image_data(image, &bytes)), S(".version")));
    cr_assert(eq(sz, bytes, 8));
    cr_assert(eq(str, S(cushim_image_log(image)), S("")));
    assert_ok(cushim_image_kind(image, &kind));
    cr_assert(eq(int, kind, CUSHIM_IMAGE_PTX));
}

Test(compile, a_prefix_is_kept_and_a_kind_has_its_own)
{
    CUSHIM_SCOPED(cushim_nvrtc) nvrtc = open_fake();
    CUSHIM_SCOPED(cushim_image) a = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_image) b = CUSHIM_NONE;

    fake.no_cubin = 8;
    assert_ok(compile(&a, .arch = "sm_80"));
    assert_ok(compile(&b, .arch = "80", .kind = CUSHIM_IMAGE_CUBIN));
    cr_assert(eq(str, fake.options, S("--gpu-architecture=sm_80 --gpu-architecture=sm_80 ")));
}

Test(compile, headers_and_names)
{
    CUSHIM_SCOPED(cushim_nvrtc) nvrtc = open_fake();
    CUSHIM_SCOPED(cushim_image) image = CUSHIM_NONE;
    const struct cushim_header headers[] = {{"a.h", "int a;"}, {"b.h", NULL}, {NULL, NULL}};
    const char *const expressions[] = {"twice<int>", "&f", NULL};
    const char *name = NULL;

    fake.log = "a warning\n";
    assert_ok(compile(&image, .headers = headers, .name_expressions = expressions));
    cr_assert(eq(str, fake.headers, S("a.h=int a;;b.h=;")));
    cr_assert(eq(str, fake.expressions, S("twice<int>;&f;")));
    assert_ok(cushim_image_lowered_name(image, "twice<int>", &name));
    cr_assert(eq(str, S(name), S("_Z5twiceIiEvv")));
    assert_ok(cushim_image_lowered_name(image, "&f", &name));
    cr_assert(eq(str, S(name), S("_Z1fv")));
    assert_status(cushim_image_lowered_name(image, "g", &name), 500);
    assert_contains(cushim_error_text(), "'g' was not among the name expressions of kernel.cu");
    cr_assert(eq(str, S(cushim_image_log(image)), S("a warning\n")));
}

Test(compile, the_first_error_is_the_sentence_and_the_log_is_kept)
{
    CUSHIM_SCOPED(cushim_nvrtc) nvrtc = open_fake();
    cushim_image image = CUSHIM_NONE;
    const char *log = "a.cu(1): warning: odd\na.cu(3): error: expected a \";\"\n\n1 error\n";

    fake.compile_result = 6;
    fake.log = log;
    assert_status(compile(&image, .name = "a.cu"), CUSHIM_STATUS_NVRTC(6));
    cr_assert(
        eq(str, S(cushim_error_text()), S("cushim_compile: a.cu(3): error: expected a \";\"")));
    cr_assert(eq(str, S(cushim_error_log()), S(log)));
    cr_assert(eq(str, S(cushim_error_call()), S("nvrtcCompileProgram")));
    cr_assert(eq(str, S(cushim_error_label()), S("a.cu")));
    cr_assert(eq(u64, image.id, 0));
    check_freed();
    /* The next error has no log. */
    assert_status(cushim_compile(NULL, NULL, &image), CUSHIM_ERROR_INVALID_ARGUMENT);
    cr_assert(eq(str, S(cushim_error_log()), S("")));
}

Test(compile, a_failure_without_a_log_has_the_text_of_the_code)
{
    CUSHIM_SCOPED(cushim_nvrtc) nvrtc = open_fake();
    cushim_image image = CUSHIM_NONE;

    fake.compile_result = 5;
    assert_status(compile(&image, .arch = "1"), CUSHIM_STATUS_NVRTC(5));
    cr_assert(eq(str, S(cushim_error_text()), S("cushim_compile: kernel.cu, invalid option")));
    fake.compile_result = 0;
    fake.name_result = 10;
    assert_status(compile(&image, .name_expressions = (const char *const[]){"x", NULL}),
                  CUSHIM_STATUS_NVRTC(10));
    check_freed();
}

Test(compile, what_this_nvrtc_cannot_make)
{
    CUSHIM_SCOPED(cushim_nvrtc) nvrtc = open_fake();
    cushim_image image = CUSHIM_NONE;

    assert_status(compile(&image, .kind = CUSHIM_IMAGE_LTOIR), CUSHIM_ERROR_MISSING_SYMBOL);
    assert_contains(cushim_error_text(), "nvrtcGetLTOIR");
    assert_status(compile(&image, .kind = CUSHIM_IMAGE_CUBIN), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_contains(cushim_error_text(), "no machine code was made: it takes an arch \"sm_...\"");
    check_freed();
}

Test(compile, architectures)
{
    CUSHIM_SCOPED(cushim_nvrtc) nvrtc = open_fake();
    int archs[2] = {0};
    size_t n = 0;

    assert_ok(cushim_compile_architectures(nvrtc, NULL, 0, &n));
    cr_assert(eq(sz, n, 3));
    assert_ok(cushim_compile_architectures(nvrtc, archs, 2, &n));
    cr_assert(eq(int, archs[1], 80));
    assert_status(cushim_compile_architectures(nvrtc, NULL, 2, &n), CUSHIM_ERROR_INVALID_ARGUMENT);
}

Test(compile, misuse)
{
    CUSHIM_SCOPED(cushim_nvrtc) nvrtc = open_fake();
    cushim_image image = CUSHIM_NONE, copy;
    const char *name;

    assert_status(compile(&image, .kind = (enum cushim_image_kind) 9),
                  CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_status(compile(&image, .ftz = (enum cushim_choice) 3), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_status(compile(&image, .max_registers = -1), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_status(compile(NULL, .max_registers = 0), CUSHIM_ERROR_INVALID_ARGUMENT);
    cr_assert(eq(int, fake.created, 0));
    assert_ok(compile(&image, .max_registers = 0));
    copy = image;
    cushim_image_free(&image);
    cushim_image_free(&image);
    cr_assert(eq(ptr, (void *) cushim_image_data(copy, NULL), NULL));
    assert_status(cushim_error_status(), CUSHIM_ERROR_STALE_HANDLE);
    cr_assert(eq(ptr, (void *) cushim_image_log(copy), NULL));
    assert_status(cushim_image_lowered_name(copy, "f", &name), CUSHIM_ERROR_STALE_HANDLE);
    assert_status(cushim_image_lowered_name((cushim_image){nvrtc.id}, "f", &name),
                  CUSHIM_ERROR_WRONG_HANDLE);
    assert_status(cushim_compile("x", cushim_compile_params(.nvrtc = {copy.id}), &image),
                  CUSHIM_ERROR_WRONG_HANDLE);
}

Test(compile, without_nvrtc, .init = no_nvrtc)
{
    cushim_image image = CUSHIM_NONE;
    size_t n;

    assert_status(cushim_compile("x", NULL, &image), CUSHIM_ERROR_NO_NVRTC);
    assert_contains(cushim_error_text(), "no NVRTC found. disabled by CUSHIM_LIBNVRTC");
    assert_status(cushim_compile_architectures((cushim_nvrtc) CUSHIM_NONE, NULL, 0, &n),
                  CUSHIM_ERROR_NO_NVRTC);
}

#ifdef MOCK
/* The fake's version is 12.4, and it compiles for 7.5, 8.0 and 9.0; the device has 9.0. */
static void compile_for(cushim_context context, const struct cushim_compile_params *params)
{
    cushim_module module = CUSHIM_NONE;

    *fake.options = '\0';
    /* What it makes is no PTX, but what it was asked is what matters. */
    CUSHIM_IGNORE(cushim_module_compile(context, "text", params, &module));
    cushim_module_free(&module);
    check_freed();
}

static void check_options(cushim_context context, cushim_nvrtc nvrtc, const char *expected)
{
    compile_for(context, cushim_compile_params(.nvrtc = nvrtc));
    cr_assert(eq(str, fake.options, S(expected)));
}

Test(compile, a_module_is_compiled_for_its_device)
{
    CUSHIM_SCOPED(cushim_nvrtc) nvrtc = open_fake();
    struct world w;

    open_world(&w);
    if (compute_capability(&w) != 90)
        cr_skip("the device's compute capability is not 9.0");
    check_options(w.context, nvrtc, "--gpu-architecture=compute_90 ");
    compile_for(w.context, cushim_compile_params(.nvrtc = nvrtc, .arch = "sm_80"));
    cr_assert(eq(str, fake.options, S("--gpu-architecture=sm_80 ")));
    close_world(&w);
}

Test(compile, an_older_driver_gets_machine_code)
{
    CUSHIM_SCOPED(cushim_nvrtc) nvrtc = open_fake();
    struct world w;

    open_old_world(&w, "11.8");
    check_options(w.context, nvrtc, "--gpu-architecture=sm_90 ");
    close_world(&w);
}

Test(compile, why_an_older_driver_got_machine_code_is_told)
{
    CUSHIM_SCOPED(cushim_nvrtc) nvrtc = open_fake();
    cushim_module module = CUSHIM_NONE;
    struct world w;

    open_old_world(&w, "11.8");
    fake.cubin = "\x7f"
                 "ELF";
    fake.no_cubin = strlen(fake.cubin);
    assert_refused(
        cushim_module_compile(w.context, "text", cushim_compile_params(.nvrtc = nvrtc), &module),
        209,
        "; NVRTC 12.4 is newer than this driver (11.8), so machine code was made: "
        "name an NVRTC up to 11.8 in CUSHIM_LIBNVRTC");
    /* What the program asked for is not explained. */
    assert_status(cushim_module_compile(w.context, "text",
                                        cushim_compile_params(.nvrtc = nvrtc, .arch = "90",
                                                              .kind = CUSHIM_IMAGE_CUBIN),
                                        &module),
                  209);
    cr_assert(eq(ptr, (void *) strstr(cushim_error_text(), "NVRTC 12.4"), NULL));
    close_world(&w);
}

Test(compile, a_device_that_nvrtc_does_not_know_gets_ptx_of_the_one_before)
{
    CUSHIM_SCOPED(cushim_nvrtc) nvrtc = open_fake();
    struct world w;

    run_alone();
    setenv("CUSHIM_MOCK_DEVICES", "rtx4090", 1); /* 8.9 */
    open_old_world(&w, "11.8");
    check_options(w.context, nvrtc, "--gpu-architecture=compute_80 ");
    close_world(&w);
}

Test(compile, a_module_of_what_cannot_be_loaded)
{
    CUSHIM_SCOPED(cushim_nvrtc) nvrtc = open_fake();
    cushim_module module = CUSHIM_NONE;
    struct world w;

    open_world(&w);
    fake.compile_result = 6;
    fake.log = "k.cu(1): error: no\n";
    assert_refused(cushim_module_compile(w.context, "text",
                                         cushim_compile_params(.nvrtc = nvrtc, .name = "k.cu"),
                                         &module),
                   CUSHIM_STATUS_NVRTC(6), "cushim_module_compile: k.cu(1): error: no");
    fake.compile_result = 0;
    assert_refused(cushim_module_compile(w.context, "text",
                                         cushim_compile_params(.nvrtc = nvrtc, .name = "k.cu"),
                                         &module),
                   218, "cushim_module_compile: k.cu: ptxas");
    assert_refused(cushim_module_compile(w.context, NULL, NULL, &module),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "source is NULL");
    assert_refused(cushim_module_load_image(w.context, (cushim_image){w.context.id}, NULL, &module),
                   CUSHIM_ERROR_WRONG_HANDLE, "expected a compiled image");
    close_world(&w);
}
#endif
