/* SPDX-License-Identifier: MIT */
/*
 * The devices and the data of op_perceptron.c: each device has a part of the batch, a copy of the
 * weights, and memory for what is computed from them.
 */
#ifndef OP_PERCEPTRON_H
#define OP_PERCEPTRON_H

#include <math.h>

#include <cushim/cushim.h>

#include "op_kernels.h"

enum { BATCH = 64, IN = 3, HIDDEN = 8, MOST = 8 /* devices */ };

/* Inputs, targets, hidden values, errors, those of hidden values, weights, gradients. */
enum { X, T, H, Y, E, W1, W2, G1, G2, MATRICES };

struct matrix {
    cushim_slice slice;
    unsigned rows, columns, row, column; /* distances from row to row and from column to column */
};

struct device {
    cushim_context context;
    cushim_module module;
    cushim_stream stream;
    cushim_function product, gate, saxpy;
    struct matrix m[MATRICES];
};

static float x[BATCH * IN], t[BATCH], w1[IN * HIDDEN], w2[HIDDEN], zeros[BATCH * HIDDEN];

/* A number from -1 to 1, the same ones in each run. */
static inline float draw(void)
{
    static unsigned state = 1;

    state = state * 1103515245 + 12345;
    return (float) (state >> 16 & 0x7fff) / 16384 - 1;
}

/* What is to be learnt: the distance of two numbers. */
static inline void make_data(void)
{
    for (int i = 0; i < BATCH; i++) {
        x[IN * i] = draw();
        x[IN * i + 1] = draw();
        x[IN * i + 2] = 1;
        t[i] = fabsf(x[IN * i] - x[IN * i + 1]);
    }
    for (int i = 0; i < IN * HIDDEN; i++)
        w1[i] = draw();
    for (int i = 0; i < HIDDEN; i++)
        w2[i] = draw();
}

static inline cushim_status put(struct device *d, int which, const float *host, unsigned rows,
                                unsigned columns)
{
    d->m[which] = (struct matrix){CUSHIM_NONE, rows, columns, columns, 1};
    return cushim_slice_from(d->stream, host, (size_t) rows * columns, &d->m[which].slice);
}

/* Opens device i of n with its part of the batch. */
static inline cushim_status open_device(cushim_driver driver, int i, int n, struct device *d)
{
    const int first = BATCH * i / n;
    const unsigned rows = (unsigned) (BATCH * (i + 1) / n - first);

    CUSHIM_TRY(cushim_context_primary(driver, i, &d->context));
    CUSHIM_TRY(cushim_stream_new(d->context, NULL, &d->stream));
    CUSHIM_TRY(cushim_module_load_text(d->context, op_kernels_ptx, NULL, &d->module));
    CUSHIM_TRY(cushim_module_function(d->module, "product", &d->product));
    CUSHIM_TRY(cushim_module_function(d->module, "gate", &d->gate));
    CUSHIM_TRY(cushim_module_function(d->module, "saxpy", &d->saxpy));
    CUSHIM_TRY(put(d, X, x + first * IN, rows, IN));
    CUSHIM_TRY(put(d, T, t + first, rows, 1));
    CUSHIM_TRY(put(d, H, zeros, rows, HIDDEN));
    CUSHIM_TRY(put(d, Y, zeros, rows, 1));
    CUSHIM_TRY(put(d, E, zeros, rows, HIDDEN));
    CUSHIM_TRY(put(d, W1, w1, IN, HIDDEN));
    CUSHIM_TRY(put(d, W2, w2, HIDDEN, 1));
    CUSHIM_TRY(put(d, G1, zeros, IN, HIDDEN));
    return put(d, G2, zeros, HIDDEN, 1);
}

static inline void close_device(struct device *d)
{
    for (int i = 0; i < MATRICES; i++)
        cushim_slice_free(&d->m[i].slice);
    cushim_module_free(&d->module);
    cushim_stream_free(&d->stream);
    cushim_context_free(&d->context);
}

#endif
