/* SPDX-License-Identifier: MIT */
/* A program that uses an installed cushim: it fills a slice on the device, and reads it back. */
#ifdef WITH_CUDA
#include <cuda.h>
#endif
#include <cushim/cushim.h>
#include <cushim/mock.h>
#include <stdio.h>

enum { N = 100 };

static cushim_status run(float *ret_sum)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) x = CUSHIM_NONE;
    cushim_stream stream;
    float values[N];

    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    CUSHIM_TRY(cushim_stream_default(context, &stream));
    CUSHIM_TRY(cushim_slice_zeros(stream, sizeof(float), N, &x));
    CUSHIM_TRY(cushim_slice_fill(stream, x, 0.5f));
    CUSHIM_TRY(cushim_slice_read(stream, x, values, N));
    *ret_sum = 0;
    for (int i = 0; i < N; i++)
        *ret_sum += values[i];
    return CUSHIM_OK;
}

int main(void)
{
    float sum = 0;

    if (run(&sum)) {
        fprintf(stderr, "%s\n", cushim_error_text());
        return 1;
    }
    printf("sum %g\n", sum);
    return 0;
}
