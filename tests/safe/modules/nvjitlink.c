/* SPDX-License-Identifier: MIT */
/*
 * nvjitlink: links with the NVRTC and the nvJitLink of this machine, and runs the result on the
 * mock. Exit status: 0 right, 1 wrong, 77 one of them is missing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/cushim.h>

enum { SKIP = 77, N = 64 };

static int failures;
static char arch[16];

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf("%s:%d: %s\n  %s\n%s\n", __FILE__, __LINE__, #condition, cushim_error_text(),   \
                   cushim_error_log());                                                            \
        }                                                                                          \
    } while (0)

/* What nvJitLink itself allocates and does not free is no leak of cushim. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libnvJitLink";
}

/* Does the last error have this status, and these words in its sentence? */
static int failed_with(cushim_status got, cushim_status wanted, const char *words)
{
    return got == wanted && strstr(cushim_error_text(), words) != NULL;
}

static const char scale[] = "__device__ float scaled(float x) { return 3 * x; }\n";
static const char kernel[] = "extern __device__ float scaled(float x);\n"
                             "extern \"C\" __global__ void scale(float *p, unsigned n) {\n"
                             "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n) p[i] = scaled(p[i]);\n"
                             "}\n";

static cushim_image compile(const char *source, const char *name, enum cushim_image_kind kind)
{
    const char *const options[] = {"--relocatable-device-code=true", NULL};
    cushim_image image = CUSHIM_NONE;

    EXPECT(!cushim_compile(
        source, cushim_compile_params(.name = name, .kind = kind, .arch = arch, .options = options),
        &image));
    return image;
}

static void run_on_the_mock(cushim_image image)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) slice = CUSHIM_NONE;
    cushim_stream stream;
    cushim_function function;
    float values[N];
    const unsigned n = N;

    if (cushim_open(cushim_open_params(.library = "mock"), &driver))
        return; /* a build without the mock */
    for (int i = 0; i < N; i++)
        values[i] = (float) i;
    EXPECT(!cushim_context_primary(driver, 0, &context));
    EXPECT(!cushim_stream_default(context, &stream));
    EXPECT(!cushim_module_load_image(context, image, NULL, &module));
    EXPECT(!cushim_module_function(module, "scale", &function));
    EXPECT(!cushim_slice_from(stream, values, N, &slice));
    EXPECT(!cushim_launch(stream, function, cushim_for_elements(N), CUSHIM_INOUT(slice),
                          CUSHIM_VALUE(n)));
    EXPECT(!cushim_slice_read(stream, slice, values, N));
    for (int i = 0; i < N; i++)
        EXPECT(values[i] == 3 * (float) i);
}

/* LTO-IR of two sources becomes one kernel, without a call of the other source's function. */
static void link_two(cushim_image a, cushim_image b)
{
    CUSHIM_SCOPED(cushim_image) ptx = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_image) cubin = CUSHIM_NONE;
    size_t bytes = 0, other_bytes = 0;
    const void *other = cushim_image_data(b, &other_bytes);
    const struct cushim_link_input inputs[] = {
        {.image = a},
        {.kind = CUSHIM_LINK_LTOIR, .data = other, .bytes = other_bytes, .name = "b"}};
    enum cushim_image_kind kind;
    const char *text, *code;

    EXPECT(!cushim_link_lto(inputs, 2, cushim_lto_params(.arch = arch), &ptx));
    text = cushim_image_data(ptx, &bytes);
    EXPECT(text && strlen(text) == bytes && strstr(text, ".entry scale(") && !strstr(text, "call"));
    EXPECT(!cushim_image_kind(ptx, &kind) && kind == CUSHIM_IMAGE_PTX && cushim_image_log(ptx));
    run_on_the_mock(ptx);
    EXPECT(!cushim_link_lto(inputs, 2, cushim_lto_params(.arch = arch, .kind = CUSHIM_IMAGE_CUBIN),
                            &cubin));
    code = cushim_image_data(cubin, &bytes);
    EXPECT(code && bytes > 64 && !memcmp(code, "\177ELF", 4));
    EXPECT(!cushim_image_kind(cubin, &kind) && kind == CUSHIM_IMAGE_CUBIN);
}

/* Other pieces go with LTO-IR, but not into PTX. */
static void link_with_ptx(cushim_image a)
{
    CUSHIM_SCOPED(cushim_image) piece = compile(scale, "scale.cu", CUSHIM_IMAGE_PTX);
    CUSHIM_SCOPED(cushim_image) cubin = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_image) alone = CUSHIM_NONE;
    cushim_image ptx = CUSHIM_NONE;
    const struct cushim_link_input inputs[] = {{.image = a}, {.image = piece}};
    size_t bytes = 0;

    EXPECT(!cushim_link_lto(inputs, 2, cushim_lto_params(.arch = arch, .kind = CUSHIM_IMAGE_CUBIN),
                            &cubin));
    EXPECT(cushim_image_data(cubin, &bytes) && bytes > 64);
    EXPECT(!cushim_link_lto(inputs + 1, 1,
                            cushim_lto_params(.arch = arch, .kind = CUSHIM_IMAGE_CUBIN), &alone));
    EXPECT(cushim_link_lto(inputs, 2, cushim_lto_params(.arch = arch), &ptx));
    EXPECT(!ptx.id);
}

static void mistakes(cushim_image a)
{
    CUSHIM_SCOPED(cushim_image)
    optix = compile("extern \"C\" __global__ void f() {}", "optix.cu", CUSHIM_IMAGE_OPTIXIR);
    const struct cushim_link_input one = {.image = a}, nothing = {.kind = CUSHIM_LINK_PTX},
                                   garbage = {.kind = CUSHIM_LINK_LTOIR,
                                              .data = scale,
                                              .bytes = sizeof(scale),
                                              .name = "garbage"},
                                   for_optix = {.image = optix};
    const char *const wrong[] = {"-no-such-option", NULL};
    static const char *const makes_ptx[] = {"-ptx", NULL};
    cushim_image image = CUSHIM_NONE;

#define LINK(input, ...) cushim_link_lto(&(input), 1, cushim_lto_params(__VA_ARGS__), &image)
    EXPECT(LINK(one, .arch = arch, .name = "alone", .kind = CUSHIM_IMAGE_CUBIN) >=
           CUSHIM_STATUS_NVJITLINK(1));
    EXPECT(strstr(cushim_error_text(), "cushim_link_lto: alone: ") &&
           strstr(cushim_error_text(), "scaled"));
    EXPECT(strstr(cushim_error_log(), "scaled"));
    EXPECT(failed_with(LINK(one, .arch = NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                       "the architecture is missing"));
    EXPECT(failed_with(LINK(one, .arch = arch, .kind = CUSHIM_IMAGE_LTOIR),
                       CUSHIM_ERROR_INVALID_ARGUMENT, "CUSHIM_IMAGE_PTX or CUSHIM_IMAGE_CUBIN"));
    EXPECT(failed_with(LINK(one, .arch = arch, .kind = CUSHIM_IMAGE_CUBIN, .options = makes_ptx),
                       CUSHIM_ERROR_INVALID_ARGUMENT, "the option -ptx makes no machine code"));
    EXPECT(LINK(one, .arch = arch, .options = wrong) == CUSHIM_STATUS_NVJITLINK(1));
    EXPECT(failed_with(LINK(one, .arch = "sm_1"), CUSHIM_ERROR_INVALID_ARGUMENT,
                       "'sm_1' is no architecture"));
    EXPECT(LINK(one, .arch = "sm_10") >= CUSHIM_STATUS_NVJITLINK(1));
    EXPECT(failed_with(LINK(nothing, .arch = arch), CUSHIM_ERROR_INVALID_ARGUMENT, "has no data"));
    EXPECT(failed_with(LINK(garbage, .arch = arch), CUSHIM_ERROR_INVALID_ARGUMENT,
                       "'garbage' is no LTO-IR"));
    EXPECT(failed_with(LINK(for_optix, .arch = arch), CUSHIM_ERROR_INVALID_ARGUMENT,
                       "which only OptiX takes"));
#undef LINK
    EXPECT(!image.id);
}

/* The driver's linker says who links LTO-IR. */
static void driver_linker(cushim_image a)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    const struct cushim_link_input one = {.image = a};
    cushim_image image = CUSHIM_NONE;

    if (cushim_open(cushim_open_params(.library = "mock"), &driver))
        return; /* a build without the mock */
    EXPECT(!cushim_context_primary(driver, 0, &context));
    EXPECT(failed_with(cushim_link(context, &one, 1, NULL, &image), CUSHIM_ERROR_INVALID_ARGUMENT,
                       "which cushim_link_lto() links"));
}

/* Each function that fails gives its result, and an image never. */
static void faults(cushim_nvjitlink linker, cushim_image a, cushim_image b)
{
    static const char *const functions[] = {
        "nvJitLinkCreate",           "nvJitLinkAddData",      "nvJitLinkComplete",
        "nvJitLinkGetLinkedPtxSize", "nvJitLinkGetLinkedPtx",
    };
    const struct cushim_link_input inputs[] = {{.image = a}, {.image = b}};
    const struct cushim_fault *fault = cushim_fault(.result = 8, .count = 1);

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        CUSHIM_SCOPED(cushim_faults) rules = CUSHIM_NONE;
        CUSHIM_SCOPED(cushim_nvjitlink) faulty = CUSHIM_NONE;
        CUSHIM_SCOPED(cushim_image) image = CUSHIM_NONE;
        struct cushim_hooks hooks;

        EXPECT(!cushim_faults_create(NULL, &rules));
        EXPECT(!cushim_faults_add(rules, functions[i], fault));
        hooks = cushim_faults_hooks(rules);
        EXPECT(!cushim_interpose_nvjitlink(linker, &hooks, 1, &faulty));
        EXPECT(cushim_link_lto(inputs, 2, cushim_lto_params(.arch = arch, .nvjitlink = faulty),
                               &image) == CUSHIM_STATUS_NVJITLINK(8));
        EXPECT(!image.id);
        EXPECT(!cushim_link_lto(inputs, 2, cushim_lto_params(.arch = arch, .nvjitlink = faulty),
                                &image));
    }
}

static int find_arch(cushim_nvrtc nvrtc)
{
    int archs[64];
    size_t n = 0;

    if (!cushim_nvrtc_has(nvrtc, "nvrtcGetLTOIR") ||
        cushim_compile_architectures(nvrtc, archs, 64, &n))
        return 0;
    snprintf(arch, sizeof(arch), "%d", archs[n / 2]);
    return 1;
}

int main(void)
{
    CUSHIM_SCOPED(cushim_nvrtc) nvrtc = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_nvjitlink) linker = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_image) a = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_image) b = CUSHIM_NONE;
    int version = 0, other = 0;

    if (cushim_nvrtc_open(NULL, &nvrtc) || !find_arch(nvrtc) ||
        cushim_nvjitlink_open(NULL, &linker)) {
        printf("%s\n", cushim_error_text());
        return SKIP;
    }
    EXPECT(!cushim_nvjitlink_version(linker, &version) && !cushim_nvrtc_version(nvrtc, &other));
    printf("%s, %d; NVRTC %d\n", cushim_nvjitlink_path(linker), version, other);
    if (version < other) {
        printf("the nvJitLink is older than the NVRTC, whose LTO-IR it need not take\n");
        return SKIP;
    }
    EXPECT(cushim_nvjitlink_has(linker, "nvJitLinkComplete") &&
           !cushim_nvjitlink_has(linker, "nvrtcVersion"));
    a = compile(kernel, "kernel.cu", CUSHIM_IMAGE_LTOIR);
    b = compile(scale, "scale.cu", CUSHIM_IMAGE_LTOIR);
    link_two(a, b);
    link_with_ptx(a);
    faults(linker, a, b);
    mistakes(a);
    driver_linker(a);
    return failures ? 1 : 0;
}
