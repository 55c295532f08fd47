/* SPDX-License-Identifier: MIT */
/* A module of small kernels, and what their last launch was: for tests of launches. */
#ifndef CUSHIM_TESTS_LAUNCH_KERNELS_H
#define CUSHIM_TESTS_LAUNCH_KERNELS_H

#include "../support.h"

#include <stdio.h>

enum { N = 1000 };

static struct world w;
static cushim_stream stream;
static cushim_module module;
static cushim_function saxpy, nothing, pair, three;

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u64 n) { ret; }\n"
    ".visible .entry nothing() { ret; }\n"
    ".visible .entry three(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) { ret; }\n"
    ".visible .entry pair(.param .align 8 .b8 s[16], .param .u8 c) { ret; }\n";

struct two {
    double d[2];
};

static unsigned grid_of_last[3], block_of_last[3];
static int launched;
static unsigned char pair_of_last[17];

static void note(const struct cushim_mock_launch *launch)
{
    memcpy(grid_of_last, launch->grid, sizeof(grid_of_last));
    memcpy(block_of_last, launch->block, sizeof(block_of_last));
    launched++;
}

static void run_saxpy(const struct cushim_mock_launch *launch, void *const *args)
{
    const float a = *(const float *) args[0];
    const size_t n = *(const size_t *) args[3];
    const float *x = cushim_mock_input(*(const uint64_t *) args[1], n * sizeof(float));
    float *y = cushim_mock_pointer(*(const uint64_t *) args[2], n * sizeof(float));

    note(launch);
    for (size_t i = 0; x && y && i < n; i++)
        y[i] += a * x[i];
}

static void run_nothing(const struct cushim_mock_launch *launch, void *const *args)
{
    (void) args;
    note(launch);
}

static void run_pair(const struct cushim_mock_launch *launch, void *const *args)
{
    note(launch);
    memcpy(pair_of_last, args[0], 16);
    pair_of_last[16] = *(const unsigned char *) args[1];
}

static void begin(void)
{
    open_world(&w);
    assert_ok(cushim_mock_register_kernel("saxpy", run_saxpy, NULL));
    assert_ok(cushim_mock_register_kernel("nothing", run_nothing, NULL));
    assert_ok(cushim_mock_register_kernel("pair", run_pair, NULL));
    assert_ok(cushim_mock_register_kernel("three", run_nothing, NULL));
    assert_ok(cushim_stream_new(w.context, NULL, &stream));
    assert_ok(cushim_module_load_text(w.context, ptx, NULL, &module));
    assert_ok(cushim_module_function(module, "saxpy", &saxpy));
    assert_ok(cushim_module_function(module, "nothing", &nothing));
    assert_ok(cushim_module_function(module, "pair", &pair));
    assert_ok(cushim_module_function(module, "three", &three));
}

static void finish(void)
{
    cushim_stream_free(&stream);
    cushim_module_free(&module);
    close_world(&w);
}

static cushim_slice ones(size_t n)
{
    cushim_slice slice = CUSHIM_NONE;

    assert_ok(cushim_slice_alloc(stream, sizeof(float), n, &slice));
    assert_ok(cushim_slice_fill(stream, slice, 1.0f));
    return slice;
}

#endif
