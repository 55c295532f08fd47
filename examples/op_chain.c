/* SPDX-License-Identifier: MIT */
/*
 * op_chain: C decides what comes next. An array is summed up by halves: each step adds its second
 * half to its first one. A function of the program is called after each step, looks at what is
 * left, and describes one more step, or the end. All of it is one operation, and the device is
 * never waited for in between.
 *
 * Exit status: 0 the result is right, 1 there is no usable driver or a call failed.
 */
#include <stdio.h>

#include <cushim/cushim.h>

#include "op_kernels.h"

enum { N = 1000 };

struct state {
    cushim_function saxpy;
    size_t left; /* elements that are still to be summed up */
    int steps;
};

/* Adds the second half to the first one; an element in the middle stays. */
static cushim_status add_halves(cushim_stream stream, cushim_slice slice, struct state *s)
{
    const size_t half = s->left / 2;
    cushim_view first, second;

    CUSHIM_TRY(cushim_view_part(CUSHIM_VIEW(slice), 0, half, &first));
    CUSHIM_TRY(cushim_view_part(CUSHIM_VIEW(slice), s->left - half, half, &second));
    s->left -= half;
    s->steps++;
    return cushim_launch(stream, s->saxpy, cushim_for_elements(half), CUSHIM_VALUE(1.0f),
                         CUSHIM_IN(second), CUSHIM_INOUT(first), CUSHIM_VALUE(half));
}

static cushim_op next(const struct cushim_exec *exec, cushim_output *output, void *user)
{
    const cushim_op failed = CUSHIM_NONE; /* with the error of the call that failed */
    CUSHIM_SCOPED(cushim_slice) slice = CUSHIM_NONE;
    struct state *s = user;

    if (cushim_output_take_slice(output, &slice))
        return failed;
    if (s->left == 1)
        return cushim_op_take(&slice);
    if (add_halves(exec->stream, slice, s))
        return failed;
    return cushim_op_then(cushim_op_take(&slice), next, s);
}

static cushim_status sum_of(const float *values, float *ret_sum, int *ret_steps)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_future) future = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) result = CUSHIM_NONE;
    struct state s = {.left = N};
    cushim_stream stream;
    cushim_view first;

    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    CUSHIM_TRY(cushim_stream_default(context, &stream));
    CUSHIM_TRY(cushim_module_load_text(context, op_kernels_ptx, NULL, &module));
    CUSHIM_TRY(cushim_module_function(module, "saxpy", &s.saxpy));

    CUSHIM_TRY(
        cushim_op_submit_on(cushim_op_then(cushim_op_from(values, N), next, &s), stream, &future));
    *ret_steps = s.steps;
    /* The slice may be used at once: what uses it comes after the operation. */
    CUSHIM_TRY(cushim_future_take_slice(future, &result));
    CUSHIM_TRY(cushim_view_part(CUSHIM_VIEW(result), 0, 1, &first));
    return cushim_slice_read(stream, first, ret_sum, 1);
}

int main(void)
{
    float values[N], sum = 0;
    int steps = 0;

    for (int i = 0; i < N; i++)
        values[i] = (float) (i + 1);
    if (sum_of(values, &sum, &steps) != CUSHIM_OK) {
        fprintf(stderr, "op_chain: %s\n", cushim_error_text());
        return 1;
    }
    printf("the sum of 1 to %d after %d steps: %g\n", N, steps, sum);
    return sum == N * (N + 1) / 2 ? 0 : 1;
}
