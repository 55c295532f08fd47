/* SPDX-License-Identifier: MIT */
/* What the machine shows of a CUDA driver without asking the driver itself. */
#ifndef CUSHIM_TOOL_MACHINE_H
#define CUSHIM_TOOL_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

enum { RELEASE_SIZE = 32 };

/** The strings of the environment are NULL where a variable is not set. */
struct machine {
    char kernel_release[RELEASE_SIZE]; /* of the loaded kernel module, such as "550.54.15", or "" */
    bool has_nvidiactl;                /* /dev/nvidiactl: the kernel module's control device */
    bool has_nvidia_uvm;               /* /dev/nvidia-uvm: without it cuInit() answers 999 */
    bool has_dxg;                      /* /dev/dxg: the GPU of a Windows host, in WSL */
    bool in_container;
    const char *visible_devices; /* CUDA_VISIBLE_DEVICES */
    const char *library_path;    /* LD_LIBRARY_PATH */
};

void machine_look(struct machine *machine);

/** A library's file, with all links followed. Freed by the caller; NULL if there is none. */
char *machine_resolve(const char *path);

/**
 * The release that the name of the driver's file ends in ("libcuda.so.550.54.15"), or "".
 * Other libraries are not named so, and have none.
 */
void machine_file_release(const char *path, char ret_release[static RELEASE_SIZE]);

/** Is the folder of this file in LD_LIBRARY_PATH? Then *ret_length is how much of path it is. */
bool machine_searches_folder_of(const struct machine *machine, const char *path,
                                size_t *ret_length);

#endif
