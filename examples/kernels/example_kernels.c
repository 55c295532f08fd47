/* SPDX-License-Identifier: MIT */
/*
 * The kernels of the examples, for the mock: each as a function of the host, under the name that
 * its PTX has. What they do is in the examples' own sources.
 *
 *     CUSHIM_LIBCUDA=mock CUSHIM_MOCK_KERNELS=./libexample_kernels.so ./saxpy
 */
#include <cushim/mock.h>
#include <math.h>

#define ARG(type, i)       (*(const type *) args[i])
#define ADDRESS(i)         ARG(uint64_t, i)
#define INPUT(type, i, n)  ((const type *) cushim_mock_input(ADDRESS(i), (n) * sizeof(type)))
#define OUTPUT(type, i, n) ((type *) cushim_mock_output(ADDRESS(i), (n) * sizeof(type)))
#define INOUT(type, i, n)  ((type *) cushim_mock_pointer(ADDRESS(i), (n) * sizeof(type)))

/* saxpy(float a, const float *x, float *y, size_t n) */
static void saxpy(const struct cushim_mock_launch *launch, void *const *args)
{
    const float a = ARG(float, 0);
    const size_t n = ARG(size_t, 3);
    const float *x = INPUT(float, 1, n);
    float *y = INOUT(float, 2, n);

    (void) launch;
    for (size_t i = 0; x && y && i < n; i++)
        y[i] = a * x[i] + y[i];
}

/* sin_kernel(float *out, const float *in, int n) */
static void sines(const struct cushim_mock_launch *launch, void *const *args)
{
    const size_t n = (size_t) ARG(int, 2);
    const float *in = INPUT(float, 1, n);
    float *out = OUTPUT(float, 0, n);

    (void) launch;
    for (size_t i = 0; in && out && i < n; i++)
        out[i] = sinf(in[i]);
}

/* matmul(const float *a, const float *b, float *c, int n) */
static void matmul(const struct cushim_mock_launch *launch, void *const *args)
{
    const size_t n = (size_t) ARG(int, 3);
    const float *a = INPUT(float, 0, n *n), *b = INPUT(float, 1, n *n);
    float *c = OUTPUT(float, 2, n *n);

    (void) launch;
    for (size_t i = 0; a && b && c && i < n * n; i++) {
        float sum = 0;

        for (size_t k = 0; k < n; k++)
            sum += a[i / n * n + k] * b[k * n + i % n];
        c[i] = sum;
    }
}

/* move(struct particle p, float seconds, float *out) */
static void move(const struct cushim_mock_launch *launch, void *const *args)
{
    struct particle {
        float position[3], velocity[3];
        int id;
    };
    const struct particle *p = args[0];
    const float seconds = ARG(float, 1);
    float *out = OUTPUT(float, 2, 4);

    (void) launch;
    for (int i = 0; out && i < 3; i++)
        out[i] = p->position[i] + seconds * p->velocity[i];
    if (out)
        out[3] = (float) p->id;
}

/* square(int *out, int i) */
static void square(const struct cushim_mock_launch *launch, void *const *args)
{
    int *out = OUTPUT(int, 0, 1);

    (void) launch;
    if (out)
        *out = ARG(int, 1) * ARG(int, 1);
}

/* scale(float *p, float by, unsigned n) */
static void scale(const struct cushim_mock_launch *launch, void *const *args)
{
    const unsigned n = ARG(unsigned, 2);
    float *p = INOUT(float, 0, n);

    (void) launch;
    for (unsigned i = 0; p && i < n; i++)
        p[i] *= ARG(float, 1);
}

const struct cushim_mock_kernel cushim_mock_kernels[] = {
    {"saxpy", saxpy, NULL}, {"sin_kernel", sines, NULL}, {"matmul", matmul, NULL},
    {"move", move, NULL},   {"square", square, NULL},    {"scale", scale, NULL},
    {NULL, NULL, NULL},
};
