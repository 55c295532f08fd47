/* SPDX-License-Identifier: MIT */
/*
 * gpu_or_cpu: one binary for machines with and without a GPU. It opens a driver, prints what it
 * found, and computes on the CPU if there is no driver.
 *
 * This file needs no header of CUDA.
 *
 * Exit status: 0 in both cases; 1 if cushim does not know the function that the program asks for.
 */
#include <stdio.h>

#include <cushim/cushim.h>

static void on_the_gpu(cushim_driver driver)
{
    int version;

    if (cushim_driver_version(driver, &version) == CUSHIM_OK)
        printf("on the GPU: %s, CUDA %d.%d\n", cushim_driver_path(driver), version / 1000,
               version % 1000 / 10);
    /* A program asks for functions of newer drivers by name before it uses them. */
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
