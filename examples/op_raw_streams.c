/* SPDX-License-Identifier: MIT */
/*
 * op_raw_streams: a program that has streams and calls of its own. It makes a CUstream through the
 * table of functions, and operations run on it in order with what it submits itself.
 *
 * Exit status: 0 the result is right, 1 there is no usable driver or a call failed.
 */
#include <stdint.h>
#include <stdio.h>

#include <cushim/cushim.h>
#include <cushim/table.h>

#include "op_kernels.h"

enum { N = 1000 };

/* x = 2, without cushim: before the call and after it, the memory is said to be used. */
static cushim_status raw_fill(const struct cushim_cuda_api *cu, CUstream raw, cushim_stream stream,
                              cushim_slice x)
{
    uint64_t address;

    CUSHIM_TRY(cushim_slice_use(stream, x, true, &address));
    CUSHIM_TRY(cu->cuMemsetD32Async(address, 0x40000000, N, raw)); /* the float 2 */
    return cushim_slice_used(stream, x, true);
}

/* y = 3 * x + 1 in another stream, where it waits for the fill. */
static cushim_status compute(cushim_context context, cushim_slice x, float *y)
{
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_policy) policy = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_future) future = CUSHIM_NONE;
    const size_t n = N;
    cushim_function saxpy;
    cushim_op dy;

    CUSHIM_TRY(cushim_module_load_text(context, op_kernels_ptx, NULL, &module));
    CUSHIM_TRY(cushim_module_function(module, "saxpy", &saxpy));
    CUSHIM_TRY(cushim_policy_round_robin(context, NULL, &policy));
    dy = cushim_op_launch(saxpy, cushim_for_elements(n), CUSHIM_VALUE(3.0f), CUSHIM_IN(x),
                          CUSHIM_OP_INOUT(cushim_op_from(y, n)), CUSHIM_VALUE(n));
    CUSHIM_TRY(cushim_op_submit(cushim_op_to_host(cushim_op_output(dy, 2), y, n), policy, &future));
    return cushim_future_wait(future, CUSHIM_FOREVER);
}

static cushim_status run_on(cushim_context context, const struct cushim_cuda_api *cu, CUstream raw,
                            float *y)
{
    CUSHIM_SCOPED(cushim_stream) stream = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) x = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_future) future = CUSHIM_NONE;

    CUSHIM_TRY(cushim_stream_adopt(context, raw, &stream));
    /* An operation on the program's stream, and its output while the device is still at it. */
    CUSHIM_TRY(cushim_op_submit_on(cushim_op_zeros(CUSHIM_ELEMENT(float), N), stream, &future));
    CUSHIM_TRY(cushim_future_take_slice(future, &x));
    CUSHIM_TRY(raw_fill(cu, raw, stream, x));
    return compute(context, x, y);
}

static cushim_status run(float *y)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    const struct cushim_cuda_api *cu;
    cushim_status status;
    CUstream raw;

    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    cu = cushim_cuda(driver);
    CUSHIM_TRY(cushim_context_push(context)); /* the calls of the driver need a current context */
    status = (cushim_status) cu->cuStreamCreate(&raw, CU_STREAM_NON_BLOCKING);
    if (!status) {
        status = run_on(context, cu, raw, y);
        cu->cuStreamSynchronize(raw); /* the memory of x is freed in it */
        cu->cuStreamDestroy(raw);
    }
    CUSHIM_IGNORE(cushim_context_pop(driver, NULL));
    return status;
}

int main(void)
{
    float y[N];
    cushim_status status;
    int wrong = 0;

    for (int i = 0; i < N; i++)
        y[i] = 1;
    status = run(y);
    if (status != CUSHIM_OK) {
        /* Direct calls of the driver set no error text. */
        fprintf(stderr, "op_raw_streams: %s\n",
                *cushim_error_text() ? cushim_error_text() : cushim_status_text(status));
        return 1;
    }
    for (int i = 0; i < N; i++)
        wrong += y[i] != 7;
    printf("%d results, %d wrong\n", N, wrong);
    return wrong ? 1 : 0;
}
