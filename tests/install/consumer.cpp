// SPDX-License-Identifier: MIT
// consumer.c in C++, with the macros that write a structure in place.
#ifdef WITH_CUDA
#include <cuda.h>
#endif
#include <cstdio>
#include <cushim/cushim.h>
#include <vector>

static cushim_status run(float *ret_sum)
{
    const std::size_t n = 100;
    std::vector<float> values(n);
    cushim_driver driver = CUSHIM_NONE;
    cushim_context context = CUSHIM_NONE;
    cushim_slice x = CUSHIM_NONE;
    cushim_stream stream = CUSHIM_NONE;
    cushim_status status = cushim_open(cushim_open_params(.label = "consumer"), &driver);

    if (!status)
        status = cushim_context_primary(driver, 0, &context);
    if (!status)
        status = cushim_stream_new(
            context, cushim_stream_params(.blocking = true, .label = "work"), &stream);
    if (!status)
        status = cushim_slice_zeros(stream, sizeof(float), n, &x);
    if (!status)
        status = cushim_slice_fill(stream, x, 0.5f);
    if (!status)
        status = cushim_slice_read(stream, x, values.data(), n);
    *ret_sum = 0;
    for (float value : values)
        *ret_sum += value;
    cushim_slice_free(&x);
    x = CUSHIM_NONE;
    cushim_stream_free(&stream);
    cushim_context_free(&context);
    cushim_close(&driver);
    return status;
}

int main()
{
    float sum = 0;

    if (run(&sum)) {
        std::fprintf(stderr, "%s\n", cushim_error_text());
        return 1;
    }
    std::printf("sum %g\n", sum);
    return 0;
}
