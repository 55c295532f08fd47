/* SPDX-License-Identifier: MIT */
/* The rows of each family, up to one without a name. */
#ifndef CUSHIM_TESTS_DRIVER_SWEEP_ROWS_H
#define CUSHIM_TESTS_DRIVER_SWEEP_ROWS_H

#include "sweep.h"

extern const struct row rows_errors[], rows_devices[], rows_contexts[], rows_modules[],
    rows_libraries[], rows_functions[], rows_memcpy[], rows_memset[], rows_pools[], rows_virtual[],
    rows_arrays[], rows_textures[], rows_tensor_maps[], rows_graphs[], rows_streams[],
    rows_events[], rows_external[], rows_green[], rows_logs[], rows_memory[];

#endif
