/* SPDX-License-Identifier: MIT */
/*
 * op_perceptron: trains a perceptron with a hidden layer on all devices. Each has a part of the
 * batch and a copy of the weights. In each step it computes the gradients of its part, and adds up
 * those of all devices, which are copied where necessary. The whole training is one operation, and
 * nothing in it is ordered by the program.
 *
 * Exit status: 0 it has learnt, on all devices what it learns on one; 1 it has not, there is no
 * usable driver or a call failed.
 */
#include <stdio.h>

#include "op_perceptron.h"

enum { STEPS = 100 };

/* c = a b */
static cushim_op product(const struct device *d, struct matrix a, struct matrix b, struct matrix c)
{
    const struct shape s = {a.rows, b.columns, a.columns, a.row, a.column, b.row, b.column};

    return cushim_op_launch(d->product, cushim_for_2d(s.columns, s.rows), CUSHIM_IN(a.slice),
                            CUSHIM_IN(b.slice), CUSHIM_OUT(c.slice), CUSHIM_VALUE(s));
}

static struct matrix transposed(struct matrix m)
{
    return (struct matrix){m.slice, m.columns, m.rows, m.column, m.row};
}

/* to += factor * what, which may be on another device. */
static cushim_op add(const struct device *d, float factor, struct matrix what, struct matrix to)
{
    const size_t n = (size_t) to.rows * to.columns;

    return cushim_op_launch(d->saxpy, cushim_for_elements(n), CUSHIM_VALUE(factor),
                            CUSHIM_OP_IN(cushim_op_borrow(what.slice)), CUSHIM_INOUT(to.slice),
                            CUSHIM_VALUE(n));
}

/* What belongs to hidden values that are not positive becomes 0; those themselves, too. */
static cushim_op gate(const struct device *d, struct matrix to)
{
    const size_t n = (size_t) to.rows * to.columns;
    const cushim_slice h = d->m[H].slice;

    return cushim_op_launch(d->gate, cushim_for_elements(n),
                            to.slice.id == h.id ? CUSHIM_SAME(h) : CUSHIM_IN(h),
                            CUSHIM_INOUT(to.slice), CUSHIM_VALUE(n));
}

static cushim_op gradients(const struct device *d)
{
    const struct matrix *m = d->m;

    return cushim_op_on(cushim_op_zip(product(d, m[X], m[W1], m[H]), gate(d, m[H]),
                                      product(d, m[H], m[W2], m[Y]), add(d, -1, m[T], m[Y]),
                                      product(d, transposed(m[H]), m[Y], m[G2]),
                                      product(d, m[Y], transposed(m[W2]), m[E]), gate(d, m[E]),
                                      product(d, transposed(m[X]), m[E], m[G1])),
                        d->stream);
}

static cushim_op learn(const struct device *d, const struct device *all, int n)
{
    cushim_op steps[2 * MOST];

    for (int i = 0; i < n; i++) {
        steps[2 * i] = add(d, -0.25f / BATCH, all[i].m[G1], d->m[W1]);
        steps[2 * i + 1] = add(d, -0.25f / BATCH, all[i].m[G2], d->m[W2]);
    }
    return cushim_op_on(cushim_op_all(steps, 2 * (size_t) n), d->stream);
}

/* Describes the training, and the copy of the last errors to the host. */
static cushim_op training(const struct device *d, int n, float *errors)
{
    cushim_op steps[STEPS + 1], parts[2 * MOST];

    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < n; i++) {
            parts[i] = gradients(&d[i]);
            parts[n + i] = learn(&d[i], d, n);
        }
        steps[step] = cushim_op_all(parts, 2 * (size_t) n);
    }
    for (int i = 0; i < n; errors += d[i++].m[Y].rows)
        parts[i] = cushim_op_on(
            cushim_op_to_host(cushim_op_borrow(d[i].m[Y].slice), errors, d[i].m[Y].rows),
            d[i].stream);
    steps[STEPS] = cushim_op_all(parts, (size_t) n);
    return cushim_op_all(steps, STEPS + 1);
}

static cushim_status train(cushim_driver driver, int n, float *ret_error)
{
    struct device devices[MOST] = {0};
    float errors[BATCH], sum = 0;
    cushim_status status = CUSHIM_OK;

    for (int i = 0; i < n && !status; i++)
        status = open_device(driver, i, n, &devices[i]);
    if (!status)
        status = cushim_op_run(training(devices, n, errors), devices[0].stream, NULL);
    for (int i = 0; i < n; i++)
        close_device(&devices[i]);
    CUSHIM_TRY(status);
    for (int i = 0; i < BATCH; i++)
        sum += errors[i] * errors[i];
    *ret_error = sum / BATCH;
    return CUSHIM_OK;
}

int main(void)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    float alone = 1, together = 1;
    int n = 0;

    make_data();
    if (cushim_open(NULL, &driver) || cushim_device_count(driver, &n) || train(driver, 1, &alone) ||
        train(driver, n < MOST ? n : MOST, &together)) {
        fprintf(stderr, "op_perceptron: %s\n", cushim_error_text());
        return 1;
    }
    printf("the mean error is %.5f after %d steps on one device, %.5f on %d\n", alone, STEPS,
           together, n);
    return together < 0.02f && fabsf(alone - together) < 1e-4f ? 0 : 1;
}
