/* SPDX-License-Identifier: MIT */
/*
 * build_time: y = 2x + y with a kernel that was compiled when the program was built, so that the
 * program needs no NVRTC. This folder is a project of its own, for Meson and for CMake, which shows
 * how a project with an installed cushim does it:
 *
 *     meson setup build && ninja -C build          cmake -B build && cmake --build build
 *
 * Exit status: 0 all is right, 1 a result is wrong, or there is no driver.
 */
#include <stdio.h>

#include <cushim/cushim.h>

#include "saxpy.h" /* made by `cushim compile saxpy.cu` */

enum { N = 1000 };

static cushim_status gpu_saxpy(float a, const float *x, float *y)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) context = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) dx = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) dy = CUSHIM_NONE;
    cushim_stream stream;

    CUSHIM_TRY(cushim_open(NULL, &driver));
    CUSHIM_TRY(cushim_context_primary(driver, 0, &context));
    CUSHIM_TRY(cushim_stream_default(context, &stream));
    CUSHIM_TRY(cushim_slice_from(stream, x, N, &dx));
    CUSHIM_TRY(cushim_slice_from(stream, y, N, &dy));
    CUSHIM_TRY(saxpy_launch(stream, cushim_for_elements(N), a, dx, dy, N));
    return cushim_slice_read(stream, dy, y, N);
}

int main(void)
{
    float x[N], y[N];
    int wrong = 0;

    for (int i = 0; i < N; i++) {
        x[i] = (float) i;
        y[i] = 1;
    }
    if (gpu_saxpy(2, x, y) != CUSHIM_OK) {
        printf("build_time: %s\n", cushim_error_text());
        return 1;
    }
    for (int i = 0; i < N; i++)
        wrong += y[i] != 2 * (float) i + 1;
    printf("%d results, %d wrong\n", N, wrong);
    return wrong != 0;
}
