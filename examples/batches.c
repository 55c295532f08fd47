/* SPDX-License-Identifier: MIT */
/*
 * batches FILE: one slice with several batches in it. Each batch is processed by its own launch.
 * Views name the batches; they are values and need not be freed. The launches alternate between two
 * streams. No two of them use the same bytes, so none waits for another. FILE is PTX with
 * sin_kernel in it.
 *
 * Exit status: 0 the result is right, 1 there is no usable driver or a call failed, 2 wrong usage.
 */
#include <math.h>
#include <stdio.h>

#include <cushim/cushim.h>

enum { BATCHES = 6, LENGTH = 10, N = BATCHES * LENGTH };

struct work {
    cushim_stream streams[2];
    cushim_function f;
    cushim_slice in, out;
};

static cushim_status batch(const struct work *w, size_t i)
{
    const int n = LENGTH;
    cushim_view in, out;

    CUSHIM_TRY(cushim_view_part(CUSHIM_VIEW(w->in), i * LENGTH, LENGTH, &in));
    CUSHIM_TRY(cushim_view_part(CUSHIM_VIEW(w->out), i * LENGTH, LENGTH, &out));
    return cushim_launch(w->streams[i % 2], w->f, cushim_for_elements(LENGTH), CUSHIM_OUT(out),
                         CUSHIM_IN(in), CUSHIM_VALUE(n));
}

static cushim_status sines(const char *file, const float *in, float *out)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) second = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) a = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) b = CUSHIM_NONE;
    struct work w;

    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    CUSHIM_TRY(cushim_stream_default(context, &w.streams[0]));
    CUSHIM_TRY(cushim_stream_new(context, NULL, &second));
    CUSHIM_TRY(cushim_module_load_file(context, file, NULL, &module));
    CUSHIM_TRY(cushim_module_function(module, "sin_kernel", &w.f));
    CUSHIM_TRY(cushim_slice_from(w.streams[0], in, N, &a));
    CUSHIM_TRY(cushim_slice_alloc(w.streams[0], sizeof(float), N, &b));
    w.streams[1] = second;
    w.in = a;
    w.out = b;
    for (size_t i = 0; i < BATCHES; i++)
        CUSHIM_TRY(batch(&w, i));
    return cushim_slice_read(w.streams[0], b, out, N);
}

int main(int argc, char **argv)
{
    float in[N], out[N];
    int wrong = 0;

    if (argc != 2) {
        fprintf(stderr, "usage: batches FILE\n");
        return 2;
    }
    for (int i = 0; i < N; i++)
        in[i] = 0.05f * (float) i;
    if (sines(argv[1], in, out) != CUSHIM_OK) {
        fprintf(stderr, "batches: %s\n", cushim_error_text());
        return 1;
    }
    for (int i = 0; i < N; i++)
        wrong += fabsf(out[i] - sinf(in[i])) > 1e-6f;
    printf("%d batches of %d, %d wrong\n", BATCHES, LENGTH, wrong);
    return wrong ? 1 : 0;
}
