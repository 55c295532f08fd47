/* SPDX-License-Identifier: MIT */
/* What can be found out about a CUDA driver without calling it. */
#ifndef CUSHIM_TOOL_MACHINE_H
#define CUSHIM_TOOL_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

enum { RELEASE_SIZE = 32 };

/** A string of the environment is NULL if its variable is not set. */
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

/** Returns a library's file with all links followed, or NULL. The caller frees it. */
char *machine_resolve(const char *path);

/**
 * Returns the release at the end of the file name of the driver's library ("libcuda.so.550.54.15"),
 * or "". Other libraries do not have it in their name.
 */
void machine_file_release(const char *path, char ret_release[static RELEASE_SIZE]);

/**
 * Tells whether the folder of this file is in LD_LIBRARY_PATH. If so, *ret_length is the length of
 * the folder's name in path.
 */
bool machine_searches_folder_of(const struct machine *machine, const char *path,
                                size_t *ret_length);

#endif
