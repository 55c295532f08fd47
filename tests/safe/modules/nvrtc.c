/* SPDX-License-Identifier: MIT */
/*
 * nvrtc: compiles with the NVRTC of this machine. Exit status: 0 right, 1 wrong, 77 there is none.
 */
#include <stdio.h>
#include <string.h>

#include <cushim/cushim.h>

enum { SKIP = 77 };

static int failures;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf("%s:%d: %s\n  %s\n%s\n", __FILE__, __LINE__, #condition, cushim_error_text(),   \
                   cushim_error_log());                                                            \
        }                                                                                          \
    } while (0)

static const char twice[] = "#include \"factor.h\"\n"
                            "template<class T> __global__ void scale(T *p, T by) { *p *= by; }\n"
                            "__constant__ int table[4];\n"
                            "extern \"C\" __global__ void twice(float *p) {\n"
                            "    int unused;\n"
                            "    *p = FACTOR / *p;\n"
                            "}\n";

static const struct cushim_header headers[] = {{"factor.h", "#define FACTOR 2.0f\n"}, {0}};

static void ptx(void)
{
    CUSHIM_SCOPED(cushim_image) image = CUSHIM_NONE;
    const char *const expressions[] = {"scale<float>", "&table", NULL};
    const char *name = "", *text;
    size_t bytes = 0;

    EXPECT(!cushim_compile(twice,
                           cushim_compile_params(.headers = headers, .name = "twice.cu",
                                                 .name_expressions = expressions),
                           &image));
    text = cushim_image_data(image, &bytes);
    EXPECT(text && strlen(text) == bytes && strstr(text, ".entry twice("));
    EXPECT(!cushim_image_lowered_name(image, "scale<float>", &name));
    EXPECT(strstr(name, "scale") && text && strstr(text, name));
    EXPECT(!cushim_image_lowered_name(image, "&table", &name) && strstr(name, "table"));
    EXPECT(strstr(cushim_image_log(image), "unused"));
}

/* Does this choice change the text as it should? */
static bool has(const char *part, const struct cushim_compile_params *params)
{
    CUSHIM_SCOPED(cushim_image) image = CUSHIM_NONE;
    const char *text;

    EXPECT(!cushim_compile(twice, params, &image));
    text = cushim_image_data(image, NULL);
    return text && strstr(text, part);
}

static void choices(void)
{
    const char *const factor[] = {"FACTOR=3.0f", NULL};
    const struct cushim_header empty[] = {{"factor.h", ""}, {0}};

#define WITH(...) cushim_compile_params(.headers = headers, __VA_ARGS__)
    EXPECT(has("div.rn.f32", WITH(.name = "")));
    EXPECT(has("div.rn.ftz.f32", WITH(.ftz = CUSHIM_ON)));
    EXPECT(!has("div.rn.f32", WITH(.prec_div = CUSHIM_OFF)));
    EXPECT(has(".ftz", WITH(.fast_math = true)));
    EXPECT(has(".maxnreg", WITH(.max_registers = 40)) || has("32", WITH(.max_registers = 32)));
    EXPECT(has(".loc", WITH(.line_info = true)));
    EXPECT(has("0f40400000", cushim_compile_params(.headers = empty, .definitions = factor)));
#undef WITH
}

static void machine_code(void)
{
    CUSHIM_SCOPED(cushim_image) cubin = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_image) lto = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_image) optix = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_nvrtc) nvrtc = CUSHIM_NONE;
    char arch[16];
    int archs[64];
    size_t n = 0, bytes = 0;
    const char *code;

    EXPECT(!cushim_nvrtc_open(NULL, &nvrtc));
    EXPECT(!cushim_compile_architectures(nvrtc, archs, 64, &n) && n > 0);
    for (size_t i = 1; i < n && i < 64; i++)
        EXPECT(archs[i] > archs[i - 1]);
    snprintf(arch, sizeof(arch), "%d", archs[0]);
    EXPECT(!cushim_compile(twice,
                           cushim_compile_params(.nvrtc = nvrtc, .headers = headers,
                                                 .kind = CUSHIM_IMAGE_CUBIN, .arch = arch),
                           &cubin));
    code = cushim_image_data(cubin, &bytes);
    EXPECT(code && bytes > 64 && !memcmp(code, "\177ELF", 4));
    if (!cushim_nvrtc_has(nvrtc, "nvrtcGetLTOIR"))
        return;
    EXPECT(!cushim_compile(twice,
                           cushim_compile_params(.nvrtc = nvrtc, .headers = headers,
                                                 .kind = CUSHIM_IMAGE_LTOIR, .arch = arch),
                           &lto));
    EXPECT(cushim_image_data(lto, &bytes) && bytes > 64);
    EXPECT(!cushim_compile(twice,
                           cushim_compile_params(.nvrtc = nvrtc, .headers = headers,
                                                 .kind = CUSHIM_IMAGE_OPTIXIR, .arch = arch),
                           &optix));
    EXPECT(cushim_image_data(optix, &bytes) && bytes > 64);
}

static void mistakes(void)
{
    const char *const no_such[] = {"missing<int>", NULL}, *const wrong[] = {"--no-such-option",
                                                                            NULL};
    cushim_image image = CUSHIM_NONE;

    EXPECT(cushim_compile("__global__ void f(int *p) {\n    *p = 1\n}\nint g = h;\n",
                          cushim_compile_params(.name = "wrong.cu"),
                          &image) == CUSHIM_STATUS_NVRTC(6));
    EXPECT(strstr(cushim_error_text(), "cushim_compile: wrong.cu(") &&
           strstr(cushim_error_text(), "error: expected a \";\""));
    EXPECT(strstr(cushim_error_log(), "\"h\" is undefined"));
    EXPECT(cushim_compile("int f;", cushim_compile_params(.arch = "compute_1"), &image) ==
           CUSHIM_STATUS_NVRTC(5));
    EXPECT(strstr(cushim_error_text(), "gpu-architecture"));
    EXPECT(cushim_compile("int f;", cushim_compile_params(.options = wrong), &image) ==
           CUSHIM_STATUS_NVRTC(5));
    EXPECT(strstr(cushim_error_text(), "no-such-option"));
    EXPECT(cushim_compile("int f;", cushim_compile_params(.name_expressions = no_such), &image) ==
           CUSHIM_STATUS_NVRTC(6));
    EXPECT(strstr(cushim_error_log(), "missing"));
    EXPECT(cushim_compile(twice,
                          cushim_compile_params(.headers = headers, .arch = "compute_90",
                                                .kind = CUSHIM_IMAGE_CUBIN),
                          &image) != CUSHIM_OK);
    EXPECT(image.id == 0);
}

static char leaks[1000];

static void keep(enum cushim_log_level level, const char *message, void *user)
{
    (void) level, (void) user;
    snprintf(leaks + strlen(leaks), sizeof(leaks) - strlen(leaks), "%s\n", message);
}

/* Opening NVRTC on the way must not take the location that is for the module. */
static void location_of_a_module(void)
{
    cushim_driver driver = CUSHIM_NONE;
    cushim_context context = CUSHIM_NONE;
    cushim_module module = CUSHIM_NONE;
    char expected[100];

    if (cushim_open(cushim_open_params(.library = "mock"), &driver))
        return; /* a build without the mock */
    EXPECT(!cushim_context_primary(driver, 0, &context));
    snprintf(expected, sizeof(expected), "module 'kernel.cu', made by nvrtc.c:%d", __LINE__ + 1);
    EXPECT(!cushim_module_compile(context, "extern \"C\" __global__ void f() {}", NULL, &module));
    cushim_context_free(&context);
    cushim_log_set(CUSHIM_LOG_WARNING, keep, NULL);
    cushim_close(&driver);
    cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
    if (!strstr(leaks, expected)) {
        failures++;
        printf("'%s' does not contain '%s'\n", leaks, expected);
    }
    cushim_module_free(&module);
}

int main(void)
{
    cushim_nvrtc nvrtc = CUSHIM_NONE;

    if (cushim_nvrtc_open(NULL, &nvrtc)) {
        printf("%s\n", cushim_error_text());
        return SKIP;
    }
    printf("%s\n", cushim_nvrtc_path(nvrtc));
    cushim_nvrtc_close(&nvrtc);
    ptx();
    choices();
    machine_code();
    mistakes();
    location_of_a_module();
    return failures ? 1 : 0;
}
