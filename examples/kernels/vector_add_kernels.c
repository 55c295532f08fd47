/* SPDX-License-Identifier: MIT */
/*
 * A plug-in for the mock: a replacement kernel for vector_add. The mock runs kernels from their
 * PTX, but if a plug-in has a function with a kernel's name, the mock calls that function instead.
 * This is for kernels without PTX, for kernels that are too slow on the mock, and for stand-ins.
 *
 *     CUSHIM_LIBCUDA=mock CUSHIM_MOCK_KERNELS=./libvector_add_kernels.so ./vector_add
 */
#include <cushim/mock.h>

/* __global__ void vector_add(const float *a, const float *b, float *c, unsigned n) */
struct vectors {
    const float *a, *b;
    float *c;
    unsigned n;
};

/* The kernel for one thread. */
static void add_one(const struct cushim_mock_thread *thread, void *data)
{
    const struct vectors *v = data;
    const size_t i =
        (size_t) thread->block_index[0] * thread->launch->block[0] + thread->thread_index[0];

    if (i < v->n)
        v->c[i] = v->a[i] + v->b[i];
}

static void vector_add(const struct cushim_mock_launch *launch, void *const *args)
{
    const unsigned n = *(const unsigned *) args[3];
    const size_t bytes = n * sizeof(float);
    struct vectors v = {
        .a = cushim_mock_input(*(const uint64_t *) args[0], bytes),
        .b = cushim_mock_input(*(const uint64_t *) args[1], bytes),
        .c = cushim_mock_output(*(const uint64_t *) args[2], bytes),
        .n = n,
    };

    /* If an address is not valid, the launch has failed already. */
    if (v.a && v.b && v.c)
        cushim_mock_for_each_thread(launch, add_one, &v);
}

const struct cushim_mock_kernel cushim_mock_kernels[] = {
    {"vector_add", vector_add, NULL},
    {NULL, NULL, NULL},
};
