/* SPDX-License-Identifier: MIT */
/*
 * cuLaunch, cuLaunchGrid, cuLaunchGridAsync: launches with the shape and the arguments that were
 * set before.
 */
#include "mock/base/state.h"
#include "mock/launch/launch.h"
#include "mock/module/module.h"
#include "mock/stream/capture.h"

/* Of a shape that was never set. */
static unsigned extent(unsigned set)
{
    return set ? set : 1;
}

static CUresult launch(CUfunction f, int grid_width, int grid_height, CUstream hStream)
{
    struct mock__function *function = NULL;
    struct mock__request request;
    size_t bytes;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, NULL, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};

    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    MOCK__TRY(mock__function_find_here(f, &function));
    MOCK__REQUIRE(grid_width > 0 && grid_height > 0, CUDA_ERROR_INVALID_VALUE);
    bytes = function->params_bytes;
    extra[1] = function->params;
    request = (struct mock__request){
        .function = f,
        .stream = hStream,
        .grid = {(unsigned) grid_width, (unsigned) grid_height, 1},
        .block = {extent(function->block[0]), extent(function->block[1]),
                  extent(function->block[2])},
        .shared_bytes = function->shared_bytes,
        .extra = function->params ? extra : NULL,
    };
    return mock__launch(&request);
}

CUresult mock_cuLaunch(CUfunction f)
{
    return launch(f, 1, 1, NULL);
}

CUresult mock_cuLaunchGrid(CUfunction f, int grid_width, int grid_height)
{
    return launch(f, grid_width, grid_height, NULL);
}

CUresult mock_cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream)
{
    return launch(f, grid_width, grid_height, hStream);
}
