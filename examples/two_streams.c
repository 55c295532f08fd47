/* SPDX-License-Identifier: MIT */
/*
 * two_streams FILE: copies in one stream, computes in another, and reads in the first one again.
 * The program uses no events: cushim knows which streams use each slice, and makes streams wait
 * where necessary. FILE is PTX with sin_kernel in it.
 *
 * Exit status: 0 the result is right, 1 there is no usable driver or a call failed, 2 wrong usage.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cushim/cushim.h>

enum { N = 3 };

static cushim_status sines(const char *file, const float *in, float *in_again, float *out)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) second = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) a = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) b = CUSHIM_NONE;
    const int n = N;
    cushim_stream first;
    cushim_function f;

    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    CUSHIM_TRY(cushim_stream_default(context, &first));
    CUSHIM_TRY(cushim_module_load_file(context, file, NULL, &module));
    CUSHIM_TRY(cushim_module_function(module, "sin_kernel", &f));

    CUSHIM_TRY(cushim_slice_from(first, in, N, &a));
    CUSHIM_TRY(cushim_slice_zeros(first, sizeof(float), N, &b));
    /* Work of the second stream comes after the work that is in the first one now. */
    CUSHIM_TRY(cushim_stream_fork(first, &second));
    CUSHIM_TRY(cushim_launch(second, f, cushim_for_elements(N), CUSHIM_OUT(b), CUSHIM_IN(a),
                             CUSHIM_VALUE(n)));
    /*
     * Nothing has written a since it was filled, so this read waits for nothing. b was written by
     * the kernel, so its read waits for the kernel.
     */
    CUSHIM_TRY(cushim_slice_read(first, a, in_again, N));
    return cushim_slice_read(first, b, out, N);
}

int main(int argc, char **argv)
{
    const float in[N] = {1, 2, 3};
    float in_again[N], out[N];
    int wrong = 0;

    if (argc != 2) {
        fprintf(stderr, "usage: two_streams FILE\n");
        return 2;
    }
    if (sines(argv[1], in, in_again, out) != CUSHIM_OK) {
        fprintf(stderr, "two_streams: %s\n", cushim_error_text());
        return 1;
    }
    for (int i = 0; i < N; i++) {
        printf("sin(%g) = %f, expected %f\n", in[i], out[i], sinf(in[i]));
        wrong += fabsf(out[i] - sinf(in[i])) > 1e-6f;
    }
    return wrong || memcmp(in, in_again, sizeof(in)) ? 1 : 0;
}
