/* SPDX-License-Identifier: MIT */
/*
 * gpu_or_cpu: one binary for machines with and without a GPU. It asks for a driver, says
 * what it found, and works on the CPU where there is none.
 *
 * This file needs no header of CUDA.
 *
 * Exit status: 0 in both cases; 1 if the function that it asks for is not even known.
 */
#include <stdio.h>

#include <cushim/cushim.h>

static void on_the_gpu(cushim_driver driver)
{
    int version;

    if (cushim_driver_version(driver, &version) == CUSHIM_OK)
        printf("on the GPU: %s, CUDA %d.%d\n", cushim_driver_path(driver), version / 1000,
               version % 1000 / 10);
    /* What a newer driver offers is asked for by name, before it is used. */
    if (cushim_driver_has(driver, "cuLaunchKernelEx"))
        printf("this driver launches clusters\n");
    else
        printf("without clusters: %s\n", cushim_error_text());
}

static void on_the_cpu(void)
{
    printf("on the CPU: %s\n", cushim_error_text());
}

int main(void)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;

    if (cushim_open(NULL, &driver) == CUSHIM_OK)
        on_the_gpu(driver);
    else
        on_the_cpu();
    return cushim_error_status() == CUSHIM_ERROR_UNKNOWN_SYMBOL;
}
