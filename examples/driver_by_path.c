/* SPDX-License-Identifier: MIT */
/*
 * driver_by_path PATH [PATH...]: opens drivers by their paths, several in one process, and prints
 * their versions. This is for a program that needs a certain driver, such as a compatibility
 * library that it ships: a path means that file and no other.
 *
 * Exit status: 0 all of them could be opened, 1 one could not, 2 wrong usage.
 */
#include <stdio.h>

#include <cushim/cushim.h>
#include <cushim/table.h>

static int show(const char *path)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    const struct cushim_open_params *params =
        cushim_open_params(.library = path, .load_only = true, .label = path);
    int version = 0, devices = 0;
    CUresult result;

    if (cushim_open(params, &driver) != CUSHIM_OK) {
        fprintf(stderr, "driver_by_path: %s\n", cushim_error_text());
        return 1;
    }
    if (cushim_driver_version(driver, &version) == CUSHIM_OK)
        printf("%s: CUDA %d.%d", cushim_driver_path(driver), version / 1000, version % 1000 / 10);

    /* Loading a driver does not initialise it: cuInit() does. */
    result = cushim_cuda(driver)->cuInit(0);
    if (result == CUDA_SUCCESS)
        result = cushim_cuda(driver)->cuDeviceGetCount(&devices);
    if (result == CUDA_SUCCESS)
        printf(", %d device%s\n", devices, devices == 1 ? "" : "s");
    else
        printf(", not started: %s\n", cushim_status_text((int) result));
    return result != CUDA_SUCCESS;
}

int main(int argc, char **argv)
{
    int failed = 0;

    if (argc < 2) {
        fprintf(stderr, "usage: driver_by_path PATH [PATH...]\n");
        return 2;
    }
    for (int i = 1; i < argc; i++)
        failed |= show(argv[i]);
    return failed;
}
