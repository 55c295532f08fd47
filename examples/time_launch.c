/* SPDX-License-Identifier: MIT */
/*
 * time_launch: measures how long a kernel takes. A launcher is prepared once and launched ten
 * times. Each launch records an event before and one after the kernel; the time between them is
 * that of the kernel.
 *
 * Exit status: 0 it was measured and the result is right, 1 there is no usable driver or NVRTC, or
 * a call failed.
 */
#include <stdio.h>

#include <cushim/cushim.h>

enum { N = 1 << 16, TIMES = 10 };

static const char kernel[] =
    "extern \"C\" __global__ void scale(float *p, float by, unsigned n) {\n"
    "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) p[i] *= by;\n"
    "}\n";

static cushim_status time_one(cushim_launcher launcher, cushim_stream stream, float *ret_ms)
{
    CUSHIM_SCOPED(cushim_event) start = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_event) end = CUSHIM_NONE;

    CUSHIM_TRY(cushim_launcher_launch(
        launcher, stream,
        cushim_launch_config(.elements = N, .options = cushim_launch_options(.ret_start = &start,
                                                                             .ret_end = &end))));
    CUSHIM_TRY(cushim_event_synchronize(end));
    return cushim_event_elapsed(start, end, ret_ms);
}

static cushim_status time_all(float *first, float *ret_fastest)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_launcher) launcher = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) p = CUSHIM_NONE;
    const float by = 2;
    const unsigned n = N;
    cushim_stream stream;
    cushim_function scale;
    float ms;

    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    CUSHIM_TRY(cushim_stream_default(context, &stream));
    CUSHIM_TRY(cushim_module_compile(context, kernel, NULL, &module));
    CUSHIM_TRY(cushim_module_function(module, "scale", &scale));
    CUSHIM_TRY(cushim_slice_alloc(stream, sizeof(float), N, &p));
    CUSHIM_TRY(cushim_slice_fill(stream, p, 1.0f));

    CUSHIM_TRY(cushim_launcher_create(scale, &launcher));
    CUSHIM_TRY(cushim_launcher_push(launcher, CUSHIM_INOUT(p), CUSHIM_VALUE(by), CUSHIM_VALUE(n)));
    for (int i = 0; i < TIMES; i++) {
        CUSHIM_TRY(time_one(launcher, stream, &ms));
        if (!i || ms < *ret_fastest)
            *ret_fastest = ms;
    }
    return cushim_slice_read(stream, p, first, N);
}

int main(void)
{
    static float p[N];
    float fastest;
    int wrong = 0;

    if (time_all(p, &fastest) != CUSHIM_OK) {
        fprintf(stderr, "time_launch: %s\n", cushim_error_text());
        return 1;
    }
    for (int i = 0; i < N; i++)
        wrong += p[i] != 1 << TIMES;
    printf("the fastest of %d launches took %.4f ms; %d of %d results are wrong\n", TIMES, fastest,
           wrong, N);
    return wrong ? 1 : 0;
}
