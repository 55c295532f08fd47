/* SPDX-License-Identifier: MIT */
/*
 * op_saxpy: y = a * x + y as one operation, from memory of the host to memory of the host. It is
 * described first, and submitted as a whole. The host does other work meanwhile, and then waits.
 *
 * Exit status: 0 the result is right, 1 there is no usable driver or a call failed.
 */
#include <stdio.h>

#include <cushim/cushim.h>

#include "op_kernels.h"

enum { N = 1000 };

/* Calls no driver. x is read, and y written, when the operation runs. */
static cushim_op saxpy_of(cushim_function saxpy, float a, const float *x, float *y, size_t n)
{
    cushim_op dx = cushim_op_from(x, n), dy = cushim_op_from(y, n);
    cushim_op sum = cushim_op_launch(saxpy, cushim_for_elements(n), CUSHIM_VALUE(a),
                                     CUSHIM_OP_IN(dx), CUSHIM_OP_INOUT(dy), CUSHIM_VALUE(n));

    return cushim_op_to_host(cushim_op_output(sum, 2), y, n); /* argument 2 is dy */
}

static double other_work(size_t n)
{
    double sum = 0;

    for (size_t i = 1; i <= n; i++)
        sum += 1 / (double) (i * i);
    return sum;
}

static cushim_status run(const float *x, float *y)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_policy) policy = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_future) future = CUSHIM_NONE;
    cushim_function saxpy;

    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    CUSHIM_TRY(cushim_module_load_text(context, op_kernels_ptx, NULL, &module));
    CUSHIM_TRY(cushim_module_function(module, "saxpy", &saxpy));
    CUSHIM_TRY(cushim_policy_round_robin(context, NULL, &policy)); /* of four streams */

    CUSHIM_TRY(cushim_op_submit(saxpy_of(saxpy, 2, x, y, N), policy, &future));
    printf("meanwhile, on the CPU: %f\n", other_work(1000));
    return cushim_future_wait(future, CUSHIM_FOREVER);
}

int main(void)
{
    float x[N], y[N];
    int wrong = 0;

    for (int i = 0; i < N; i++) {
        x[i] = (float) i;
        y[i] = 1;
    }
    if (run(x, y) != CUSHIM_OK) {
        fprintf(stderr, "op_saxpy: %s\n", cushim_error_text());
        return 1;
    }
    for (int i = 0; i < N; i++)
        wrong += y[i] != 2 * (float) i + 1;
    printf("%d results, %d wrong\n", N, wrong);
    return wrong ? 1 : 0;
}
