/* SPDX-License-Identifier: MIT */
/* The kernels of kernels.ptx.h as functions of the host, for the mock. */
#include <cushim/mock.h>
#include <unistd.h>

static void nop(const struct cushim_mock_launch *launch, void *const *args)
{
    (void) launch, (void) args;
}

/* addk(unsigned *p, unsigned v, unsigned n) */
static void addk(const struct cushim_mock_launch *launch, void *const *args)
{
    const unsigned v = *(const unsigned *) args[1], n = *(const unsigned *) args[2];
    const size_t threads = (size_t) launch->grid[0] * launch->block[0];
    unsigned *p = cushim_mock_pointer(*(const uint64_t *) args[0], n * sizeof(*p));

    for (size_t i = 0; p && i < n && i < threads; i++)
        p[i] += v;
}

static void spin(const struct cushim_mock_launch *launch, void *const *args)
{
    (void) launch;
    usleep((useconds_t) (*(const uint64_t *) args[0] / 1000));
}

static void oob(const struct cushim_mock_launch *launch, void *const *args)
{
    const uint64_t address = *(const uint64_t *) args[0];
    uint32_t *p;

    (void) launch;
    if (address % sizeof(*p)) {
        cushim_mock_kernel_fail(716);
        return;
    }
    p = cushim_mock_pointer(address, sizeof(*p));
    if (p)
        *p = 7;
}

static void trapk(const struct cushim_mock_launch *launch, void *const *args)
{
    (void) launch, (void) args;
    cushim_mock_kernel_fail(719);
}

/* st16(struct { int a, b, c; } p, unsigned char c, int *q) */
static void st16(const struct cushim_mock_launch *launch, void *const *args)
{
    int *q = cushim_mock_pointer(*(const uint64_t *) args[2], 2 * sizeof(*q));

    (void) launch;
    if (!q)
        return;
    q[0] = ((const int *) args[0])[2];
    q[1] = *(const unsigned char *) args[1];
}

const struct cushim_mock_kernel cushim_mock_kernels[] = {
    {"addk", addk, NULL}, {"spin", spin, NULL}, {"oob", oob, NULL},   {"trapk", trapk, NULL},
    {"nop", nop, NULL},   {"smem", nop, NULL},  {"st16", st16, NULL}, {NULL, NULL, NULL},
};
