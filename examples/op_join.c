/* SPDX-License-Identifier: MIT */
/*
 * op_join: eight operations are joined into one, which adds up what they give. The policy spreads
 * them over four streams, so the device may run them at the same time. The program uses no events:
 * the additions come after the work that they need, wherever that runs.
 *
 * Exit status: 0 the result is right, 1 there is no usable driver or a call failed.
 */
#include <stdio.h>

#include <cushim/cushim.h>

#include "op_kernels.h"

enum { PARTS = 8, N = 1000 };

/* y = a * x + y, which gives y. It consumes the operations x and y. */
static cushim_op saxpy_of(cushim_function saxpy, float a, cushim_op x, cushim_op y)
{
    const size_t n = N;

    return cushim_op_output(cushim_op_launch(saxpy, cushim_for_elements(n), CUSHIM_VALUE(a),
                                             CUSHIM_OP_IN(x), CUSHIM_OP_INOUT(y), CUSHIM_VALUE(n)),
                            2);
}

/* Is called when all parts are submitted, with the list of what they give. */
static cushim_op add_up(const struct cushim_exec *exec, cushim_output *parts, void *user)
{
    cushim_op sum = cushim_op_zeros(CUSHIM_ELEMENT(float), N);

    (void) exec;
    for (size_t i = 0; i < cushim_output_length(parts); i++) {
        cushim_slice part = CUSHIM_NONE;

        if (cushim_output_take_slice(cushim_output_item(parts, i), &part)) {
            cushim_op_free(&sum);
            return (cushim_op) CUSHIM_NONE; /* the operation fails with that error */
        }
        sum = saxpy_of(*(const cushim_function *) user, 1, cushim_op_take(&part), sum);
    }
    return sum;
}

static cushim_status run(float *sums)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_policy) policy = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_future) future = CUSHIM_NONE;
    cushim_function saxpy;
    cushim_op parts[PARTS];

    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    CUSHIM_TRY(cushim_module_load_text(context, op_kernels_ptx, NULL, &module));
    CUSHIM_TRY(cushim_module_function(module, "saxpy", &saxpy));
    CUSHIM_TRY(cushim_policy_round_robin(context, cushim_policy_params(.spread = true), &policy));

    for (int i = 0; i < PARTS; i++) {
        cushim_op ones = cushim_op_fill(cushim_op_alloc(CUSHIM_ELEMENT(float), N), 1.0f);
        cushim_op zeros = cushim_op_zeros(CUSHIM_ELEMENT(float), N);

        parts[i] = saxpy_of(saxpy, (float) (1 << i), ones, zeros);
    }
    CUSHIM_TRY(cushim_op_submit(
        cushim_op_to_host(cushim_op_then_all(parts, PARTS, add_up, &saxpy), sums, N), policy,
        &future));
    return cushim_future_wait(future, CUSHIM_FOREVER);
}

int main(void)
{
    float sums[N];
    int wrong = 0;

    if (run(sums) != CUSHIM_OK) {
        fprintf(stderr, "op_join: %s\n", cushim_error_text());
        return 1;
    }
    for (int i = 0; i < N; i++)
        wrong += sums[i] != (1 << PARTS) - 1;
    printf("%d sums of %d parts, %d wrong\n", N, PARTS, wrong);
    return wrong ? 1 : 0;
}
