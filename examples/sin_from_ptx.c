/* SPDX-License-Identifier: MIT */
/*
 * sin_from_ptx FILE: loads a kernel from a file of PTX and computes three sines with it.
 *
 * Exit status: 0 they are right, 1 there is no usable driver or a call failed, 2 wrong usage.
 */
#include <math.h>
#include <stdio.h>

#include <cushim/cushim.h>

enum { N = 3 };

static cushim_status sines(const char *file, const float *in, float *out)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) a = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) b = CUSHIM_NONE;
    const int n = N;
    cushim_stream stream;
    cushim_function f;

    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    CUSHIM_TRY(cushim_stream_default(context, &stream));
    CUSHIM_TRY(cushim_module_load_file(context, file, NULL, &module));
    CUSHIM_TRY(cushim_module_function(module, "sin_kernel", &f));

    CUSHIM_TRY(cushim_slice_from(stream, in, N, &a));
    CUSHIM_TRY(cushim_slice_zeros(stream, sizeof(float), N, &b));
    CUSHIM_TRY(cushim_launch(stream, f, cushim_for_elements(N), CUSHIM_OUT(b), CUSHIM_IN(a),
                             CUSHIM_VALUE(n)));
    return cushim_slice_read(stream, b, out, N);
}

int main(int argc, char **argv)
{
    const float in[N] = {1, 2, 3};
    float out[N];
    int wrong = 0;

    if (argc != 2) {
        fprintf(stderr, "usage: sin_from_ptx FILE\n");
        return 2;
    }
    if (sines(argv[1], in, out) != CUSHIM_OK) {
        fprintf(stderr, "sin_from_ptx: %s\n", cushim_error_text());
        return 1;
    }
    for (int i = 0; i < N; i++) {
        printf("sin(%g) = %f, expected %f\n", in[i], out[i], sinf(in[i]));
        wrong += fabsf(out[i] - sinf(in[i])) > 1e-6f;
    }
    return wrong ? 1 : 0;
}
