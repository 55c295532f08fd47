/* SPDX-License-Identifier: MIT */
/*
 * launches: modules and launches on the GPU of this machine, or on the mock, with kernels that
 * really run. Exit status: 0 right, 1 wrong, 77 there is no GPU here.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cushim/cushim.h>

enum { SKIP = 77, N = 1000 };

static int failures;

static void expect(bool condition, const char *text, int line)
{
    if (condition)
        return;
    failures++;
    printf("line %d: %s\n  %s\n%s\n", line, text, cushim_error_text(), cushim_error_log());
}

#define EXPECT(condition) expect((condition), #condition, __LINE__)
#define OK(call)          expect((call) == CUSHIM_OK, #call, __LINE__)
#define REFUSED(call, part)                                                                        \
    expect((call) != CUSHIM_OK && strstr(cushim_error_text(), (part)), #call, __LINE__)

/* y[i] = a * x[i] + y[i]; and a variable that counts the blocks. */
static const char ptx[] = ".version 6.0\n"
                          ".target sm_50\n"
                          ".address_size 64\n"
                          ".visible .global .align 4 .u32 blocks;\n"
                          ".visible .entry saxpy(.param .f32 pa, .param .u64 px, .param .u64 py,\n"
                          "                      .param .u64 pn)\n"
                          "{\n"
                          "  .reg .pred %p<3>;\n"
                          "  .reg .f32 %f<5>;\n"
                          "  .reg .b32 %r<6>;\n"
                          "  .reg .b64 %d<10>;\n"
                          "  ld.param.f32 %f1, [pa];\n"
                          "  ld.param.u64 %d1, [px];\n"
                          "  ld.param.u64 %d2, [py];\n"
                          "  ld.param.u64 %d3, [pn];\n"
                          "  mov.u32 %r1, %ctaid.x;\n"
                          "  mov.u32 %r2, %ntid.x;\n"
                          "  mov.u32 %r3, %tid.x;\n"
                          "  setp.ne.u32 %p2, %r3, 0;\n"
                          "  @%p2 bra WORK;\n"
                          "  mov.u64 %d9, blocks;\n"
                          "  atom.global.add.u32 %r5, [%d9], 1;\n"
                          "WORK:\n"
                          "  mad.lo.u32 %r4, %r1, %r2, %r3;\n"
                          "  cvt.u64.u32 %d4, %r4;\n"
                          "  setp.ge.u64 %p1, %d4, %d3;\n"
                          "  @%p1 bra DONE;\n"
                          "  shl.b64 %d5, %d4, 2;\n"
                          "  cvta.to.global.u64 %d6, %d1;\n"
                          "  cvta.to.global.u64 %d7, %d2;\n"
                          "  add.u64 %d6, %d6, %d5;\n"
                          "  add.u64 %d7, %d7, %d5;\n"
                          "  ld.global.f32 %f2, [%d6];\n"
                          "  ld.global.f32 %f3, [%d7];\n"
                          "  fma.rn.f32 %f4, %f1, %f2, %f3;\n"
                          "  st.global.f32 [%d7], %f4;\n"
                          "DONE:\n"
                          "  ret;\n"
                          "}\n";

static cushim_context context;
static cushim_stream stream, other;
static cushim_module module;
static cushim_function saxpy;
static cushim_slice x, y;
static const float a = 2;
static const size_t n = N;

#define LAUNCH(on, config)                                                                         \
    cushim_launch(on, saxpy, config, CUSHIM_VALUE(a), CUSHIM_IN(x), CUSHIM_INOUT(y),               \
                  CUSHIM_VALUE(n))

static float first_of_y(void)
{
    float out[N] = {NAN};

    OK(cushim_slice_read(stream, y, out, N));
    for (int i = 1; i < N; i++)
        if (out[i] != out[0])
            return NAN;
    return out[0];
}

static void results(void)
{
    cushim_slice blocks;
    cushim_view count;
    unsigned counted = 0;

    OK(cushim_slice_fill(stream, x, 1.0f));
    OK(cushim_slice_fill(stream, y, 1.0f));
    OK(LAUNCH(stream, cushim_for_elements(n)));
    EXPECT(first_of_y() == 3);
    /* Between two streams, with nothing said about order. */
    for (int i = 0; i < 100; i++)
        OK(LAUNCH(i % 2 ? stream : other, cushim_for_elements(n)));
    EXPECT(first_of_y() == 203);
    OK(cushim_module_global(module, "blocks", &blocks));
    OK(CUSHIM_VIEW_AS(blocks, unsigned, &count));
    OK(cushim_slice_read(stream, count, &counted, 1));
    EXPECT(counted == 101 * 4);
}

static void mistakes(void)
{
    const struct cushim_launch_config one = cushim_launch_config(.grid = {1}, .block = {1});
    cushim_module wrong = CUSHIM_NONE;
    cushim_function missing;
    const int small = N;

    REFUSED(cushim_launch(stream, saxpy, one, CUSHIM_VALUE(a), CUSHIM_IN(x), CUSHIM_INOUT(y),
                          CUSHIM_VALUE(small)),
            "saxpy: argument 3 (small) is 4 bytes, the kernel's parameter is 8");
    REFUSED(cushim_launch(stream, saxpy, one), "saxpy: 0 arguments, the kernel has 4 parameters");
    REFUSED(cushim_launch(stream, saxpy, one, CUSHIM_VALUE(a), CUSHIM_IN(x), CUSHIM_OUT(x),
                          CUSHIM_VALUE(n)),
            "saxpy: argument 1 (x), which the kernel reads, and argument 2 (x), which it writes, "
            "overlap in 4000 bytes");
    REFUSED(LAUNCH(stream, cushim_launch_config(.grid = {1}, .block = {2048})), "a block of 2048");
    REFUSED(
        LAUNCH(stream, cushim_launch_config(.grid = {1}, .block = {1}, .shared_bytes = 1 << 24)),
        "shared memory");
    REFUSED(cushim_module_function(module, "saxpi", &missing), "; the module has the kernel saxpy");
    REFUSED(cushim_module_load_text(context,
                                    ".version 6.0\n.target sm_50\n.address_size 64\n"
                                    ".visible .entry k() { bogus.u32 %r1; }\n",
                                    NULL, &wrong),
            "cushim_module_load_text: ");
    EXPECT(*cushim_error_log());
    cushim_module_free(&wrong);
    OK(LAUNCH(stream, cushim_for_elements(0)));
    /* None of it has hurt the context. */
    OK(cushim_stream_synchronize(stream));
}

static void questions(void)
{
    struct cushim_parameter parameters[4];
    unsigned blocks = 0, threads = 0, grid = 0;
    size_t count = 0, bytes = 0;
    int value = 0;

    OK(cushim_function_parameters(saxpy, parameters, 4, &count));
    EXPECT(count == 4 && parameters[0].size == 4 && parameters[3].offset == 24);
    OK(cushim_function_attribute(saxpy, CUSHIM_FUNCTION_REGISTERS, &value));
    EXPECT(value > 0);
    OK(cushim_function_max_active_blocks(saxpy, 256, 0, &blocks));
    EXPECT(blocks > 0);
    OK(cushim_function_block_size(saxpy, NULL, &threads, &grid));
    EXPECT(threads >= 32 && grid > 0);
    OK(cushim_function_available_shared(saxpy, 1, 256, &bytes));
    EXPECT(bytes >= 16384);
    OK(cushim_function_set_cache_config(saxpy, CUSHIM_CACHE_PREFER_L1));
}

static void options(void)
{
    cushim_event start = CUSHIM_NONE, end = CUSHIM_NONE;
    struct cushim_launch_config config = cushim_launch_config(.grid = {4}, .block = {256});
    float ms = -1;

    OK(cushim_slice_fill(stream, y, 1.0f));
    config.options = cushim_launch_options(.ret_start = &start, .ret_end = &end);
    OK(LAUNCH(stream, config));
    OK(cushim_event_synchronize(end));
    OK(cushim_event_elapsed(start, end, &ms));
    EXPECT(ms >= 0 && ms < 1000);
    config.options = cushim_launch_options(.cooperative = true);
    OK(LAUNCH(stream, config));
    config.options = cushim_launch_options(.priority = &(const int){0});
    OK(LAUNCH(stream, config));
    EXPECT(first_of_y() == 7);
    cushim_event_free(&start);
    cushim_event_free(&end);
}

/* On devices of compute capability 9.0 and later. */
static void clusters(void)
{
    struct cushim_launch_config config = cushim_launch_config(.grid = {4}, .block = {256});
    unsigned most = 0;

    config.options = cushim_launch_options(.cluster = {2});
    OK(cushim_slice_fill(stream, y, 1.0f));
    OK(LAUNCH(stream, config));
    EXPECT(first_of_y() == 3);
    OK(cushim_function_max_active_clusters(saxpy, stream, &config, &most));
    EXPECT(most > 0);
    OK(cushim_function_max_cluster_blocks(saxpy, stream, &config, &most));
    EXPECT(most >= 8);
}

static void others(void)
{
    const struct cushim_link_input input = {
        .kind = CUSHIM_LINK_PTX, .data = ptx, .bytes = sizeof(ptx) - 1, .name = "saxpy.ptx"};
    cushim_code_library library = CUSHIM_NONE;
    cushim_module linked = CUSHIM_NONE, from_library = CUSHIM_NONE;
    cushim_image image = CUSHIM_NONE;
    const cushim_function before = saxpy;

    OK(cushim_link(context, &input, 1, NULL, &image));
    OK(cushim_module_load_image(context, image, NULL, &linked));
    OK(cushim_slice_fill(stream, y, 1.0f));
    OK(cushim_module_function(linked, "saxpy", &saxpy));
    OK(LAUNCH(stream, cushim_for_elements(n)));
    EXPECT(first_of_y() == 3);
    if (!cushim_code_library_load(context, ptx, sizeof(ptx), NULL, &library)) {
        OK(cushim_code_library_module(library, context, &from_library));
        OK(cushim_module_function(from_library, "saxpy", &saxpy));
        OK(LAUNCH(stream, cushim_for_elements(n)));
        EXPECT(first_of_y() == 5);
    }
    saxpy = before;
    cushim_module_free(&linked);
    cushim_module_free(&from_library);
    cushim_code_library_free(&library);
    cushim_image_free(&image);
}

static void run(cushim_driver driver)
{
    int major = 0, minor = 0;

    OK(cushim_context_primary(driver, 0, &context));
    OK(cushim_stream_new(context, NULL, &stream));
    OK(cushim_stream_new(context, NULL, &other));
    OK(cushim_module_load_text(context, ptx, NULL, &module));
    OK(cushim_module_function(module, "saxpy", &saxpy));
    OK(cushim_slice_alloc(stream, sizeof(float), N, &x));
    OK(cushim_slice_alloc(stream, sizeof(float), N, &y));
    results();
    mistakes();
    questions();
    options();
    OK(cushim_device_compute_capability(driver, 0, &major, &minor));
    if (major >= 9)
        clusters();
    others();
    /* The module is unloaded after what is under way. */
    OK(LAUNCH(stream, cushim_for_elements(n)));
    cushim_module_free(&module);
    OK(cushim_context_check(context));
    OK(cushim_stream_synchronize(stream));
}

int main(void)
{
    cushim_driver driver = CUSHIM_NONE;

    if (cushim_open(NULL, &driver)) {
        printf("%s\n", cushim_error_text());
        return SKIP;
    }
    printf("on %s\n", cushim_driver_path(driver));
    run(driver);
    cushim_slice_free(&x);
    cushim_slice_free(&y);
    cushim_stream_free(&stream);
    cushim_stream_free(&other);
    cushim_context_free(&context);
    cushim_close(&driver);
    printf("%d wrong\n", failures);
    return failures ? 1 : 0;
}
