/* SPDX-License-Identifier: MIT */
/*
 * matrix_product: compiles a kernel at run time, multiplies two matrices with it, and prints how
 * long each step took.
 *
 * Exit status: 0 the product is right, 1 there is no usable driver or NVRTC, or a call failed.
 */
#include <stdio.h>
#include <time.h>

#include <cushim/cushim.h>

enum { N = 2 };

static const char kernel[] =
    "extern \"C\" __global__ void matmul(const float *a, const float *b, float *c, int n) {\n"
    "    int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "    int column = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    float sum = 0;\n"
    "    if (row >= n || column >= n)\n"
    "        return;\n"
    "    for (int i = 0; i < n; i++)\n"
    "        sum += a[row * n + i] * b[i * n + column];\n"
    "    c[row * n + column] = sum;\n"
    "}\n";

static void passed(const char *what)
{
    static struct timespec before;
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (what)
        printf("%s in %.3f ms\n", what,
               (double) (now.tv_sec - before.tv_sec) * 1e3 +
                   (double) (now.tv_nsec - before.tv_nsec) / 1e6);
    before = now;
}

static cushim_status multiply(const float *a, const float *b, float *c)
{
    CUSHIM_SCOPED(cushim_image) image = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) da = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) db = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) dc = CUSHIM_NONE;
    cushim_stream stream;
    cushim_function f;
    const int n = N;

    passed(NULL);
    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    CUSHIM_TRY(cushim_stream_default(context, &stream));
    passed("started");
    CUSHIM_TRY(cushim_compile(kernel, cushim_compile_params(.name = "matmul.cu"), &image));
    passed("compiled");
    CUSHIM_TRY(cushim_module_load_image(context, image, NULL, &module));
    CUSHIM_TRY(cushim_module_function(module, "matmul", &f));
    passed("loaded");

    CUSHIM_TRY(cushim_slice_from(stream, a, N * N, &da));
    CUSHIM_TRY(cushim_slice_from(stream, b, N * N, &db));
    CUSHIM_TRY(cushim_slice_zeros(stream, sizeof(float), (size_t) N * N, &dc));
    passed("copied");
    CUSHIM_TRY(cushim_launch(stream, f, cushim_for_2d(N, N), CUSHIM_IN(da), CUSHIM_IN(db),
                             CUSHIM_OUT(dc), CUSHIM_VALUE(n)));
    CUSHIM_TRY(cushim_slice_read(stream, dc, c, N * N));
    passed("multiplied");
    return CUSHIM_OK;
}

int main(void)
{
    const float a[N * N] = {1, 2, 3, 4}, b[N * N] = {1, 2, 3, 4};
    float c[N * N];

    if (multiply(a, b, c) != CUSHIM_OK) {
        fprintf(stderr, "matrix_product: %s\n", cushim_error_text());
        return 1;
    }
    printf("product: %g %g %g %g\n", c[0], c[1], c[2], c[3]);
    return c[0] == 7 && c[1] == 10 && c[2] == 15 && c[3] == 22 ? 0 : 1;
}
