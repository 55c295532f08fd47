/* SPDX-License-Identifier: MIT */
/*
 * op_matrix: the product of two matrices. The result is divided into tiles of 16 by 16, of which
 * those at the edges are smaller. Each block of the launch computes one tile, and the launch gets
 * its grid from the tiles: a grid that leaves some of them out is refused, and says so.
 *
 * Exit status: 0 the result is right, 1 there is no usable driver or a call failed.
 */
#include <stdio.h>

#include <cushim/cushim.h>

#include "op_kernels.h"

enum { ROWS = 40, COLUMNS = 100, INNER = 30, TILE = 16 };

static float a[ROWS * INNER], b[INNER * COLUMNS], c[ROWS * COLUMNS];

static cushim_op product_of(cushim_function product, struct cushim_launch_config config)
{
    const struct shape s = {ROWS, COLUMNS, INNER, .a_row = INNER, 1, .b_row = COLUMNS, 1};
    cushim_op da = cushim_op_from(a, ROWS * INNER), db = cushim_op_from(b, INNER * COLUMNS);
    cushim_op dc = cushim_op_partition(
        cushim_op_alloc(CUSHIM_ELEMENT(float), (size_t) ROWS * COLUMNS),
        cushim_tiling(.shape = {COLUMNS, ROWS}, .tile = {TILE, TILE})); /* x varies fastest */
    cushim_op product_op = cushim_op_launch(product, config, CUSHIM_OP_IN(da), CUSHIM_OP_IN(db),
                                            CUSHIM_OP_OUT(dc), CUSHIM_VALUE(s));

    return cushim_op_to_host(cushim_op_unpartition(cushim_op_output(product_op, 2)), c,
                             ROWS * COLUMNS);
}

static cushim_status multiply(void)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_module) module = CUSHIM_NONE;
    cushim_stream stream;
    cushim_function product;
    cushim_op op;

    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    CUSHIM_TRY(cushim_stream_default(context, &stream));
    CUSHIM_TRY(cushim_module_load_text(context, op_kernels_ptx, NULL, &module));
    CUSHIM_TRY(cushim_module_function(module, "product", &product));

    op = product_of(product, cushim_launch_config(.grid = {6, 3}, .block = {TILE, TILE}));
    if (cushim_op_run(op, stream, NULL))
        printf("refused: %s\n", cushim_error_text());
    op = product_of(product, cushim_launch_config(.block = {TILE, TILE}));
    return cushim_op_run(op, stream, NULL); /* submits, and waits */
}

static float element(int row, int column)
{
    float sum = 0;

    for (int k = 0; k < INNER; k++)
        sum += a[row * INNER + k] * b[k * COLUMNS + column];
    return sum;
}

int main(void)
{
    int wrong = 0;

    for (int i = 0; i < ROWS * INNER; i++)
        a[i] = (float) (i % 7);
    for (int i = 0; i < INNER * COLUMNS; i++)
        b[i] = (float) (i % 11);
    if (multiply() != CUSHIM_OK) {
        fprintf(stderr, "op_matrix: %s\n", cushim_error_text());
        return 1;
    }
    for (int i = 0; i < ROWS * COLUMNS; i++)
        wrong += c[i] != element(i / COLUMNS, i % COLUMNS);
    printf("%d elements, %d wrong\n", ROWS * COLUMNS, wrong);
    return wrong ? 1 : 0;
}
