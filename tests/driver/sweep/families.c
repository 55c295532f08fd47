/* SPDX-License-Identifier: MIT */
#include "rows.h"

const struct family families[] = {
    {"errors", rows_errors},
    {"devices", rows_devices},
    {"contexts", rows_contexts},
    {"modules", rows_modules},
    {"libraries", rows_libraries},
    {"functions", rows_functions},
    {"memcpy", rows_memcpy},
    {"memset", rows_memset},
    {"pools", rows_pools},
    {"virtual", rows_virtual},
    {"arrays", rows_arrays},
    {"textures", rows_textures},
    {"tensor_maps", rows_tensor_maps},
    {"graphs", rows_graphs},
    {"streams", rows_streams},
    {"events", rows_events},
    {"external", rows_external},
    {"green", rows_green},
    {"logs", rows_logs},
    {"memory", rows_memory},
    {0},
};
