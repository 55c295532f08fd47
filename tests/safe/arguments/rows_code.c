/* SPDX-License-Identifier: MIT */
/* Compiling, modules, functions and code libraries. */
#define CUSHIM_NO_SOURCE_LOCATIONS /* the macros over functions */
#include "rows.h"

#define CODE_ROWS(X, X0)                                                                           \
    X(cushim_compile, STATUS, SOURCE, COMPILE_PARAMS, MADE)                                        \
    X(cushim_compile_architectures, STATUS, NVRTC_OR_NONE, HOST, ONE, OUT)                         \
    X(cushim_compile_cache_counts, STATUS, CACHE_COUNTS)                                           \
    X(cushim_compile_cache_look, STATUS, CACHE_FOLDER, CACHE_STATE)                                \
    X(cushim_image_data, POINTER, IMAGE, OUT_OR_NULL)                                              \
    X(cushim_image_free, FREES, TAKEN_IMAGE)                                                       \
    X(cushim_image_kind, STATUS, IMAGE, OUT)                                                       \
    X(cushim_image_log, POINTER, IMAGE)                                                            \
    X(cushim_image_lowered_name, STATUS, IMAGE, EXPRESSION, OUT)                                   \
    X(cushim_link, STATUS, CONTEXT, LINK_INPUTS, LENGTH_1, MODULE_PARAMS, MADE)                    \
    X(cushim_link_lto, STATUS, LTO_INPUTS, LENGTH_1, LTO_PARAMS, MADE)                             \
    X(cushim_module_load, STATUS, CONTEXT, PTX_BYTES, PTX_LENGTH, MODULE_PARAMS, MADE)             \
    X(cushim_module_load_text, STATUS, CONTEXT, PTX, MODULE_PARAMS, MADE)                          \
    X(cushim_module_load_file, STATUS, CONTEXT, PTX_FILE, MODULE_PARAMS, MADE)                     \
    X(cushim_module_load_image, STATUS, CONTEXT, IMAGE, MODULE_PARAMS, MADE)                       \
    X(cushim_module_compile, STATUS, CONTEXT, SOURCE, COMPILE_PARAMS, MADE)                        \
    X(cushim_module_free, FREES, TAKEN_MODULE)                                                     \
    X(cushim_module_raw, STATUS, MODULE, OUT)                                                      \
    X(cushim_module_log, POINTER, MODULE)                                                          \
    X(cushim_module_function, STATUS, MODULE, KERNEL_NAME, OUT)                                    \
    X(cushim_module_global, STATUS, MODULE, VARIABLE_NAME, OUT)                                    \
    X(cushim_module_find, STATUS, CONTEXT, MODULE_NAME, MADE)                                      \
    X(cushim_module_unregister, STATUS, CONTEXT, MODULE_NAME)                                      \
    X(cushim_function_find, STATUS, CONTEXT, MODULE_NAME, KERNEL_NAME, OUT)                        \
    X(cushim_function_attribute, STATUS, FUNCTION, FUNCTION_ATTRIBUTE, OUT)                        \
    X(cushim_function_set_attribute, STATUS, FUNCTION, FUNCTION_ATTRIBUTE, INT)                    \
    X(cushim_function_set_cache_config, STATUS, FUNCTION, CACHE)                                   \
    X(cushim_function_set_shared_config, STATUS, FUNCTION, BANKS)                                  \
    X(cushim_function_raw, STATUS, FUNCTION, OUT)                                                  \
    X(cushim_function_name, POINTER, FUNCTION)                                                     \
    X(cushim_function_parameters, STATUS, FUNCTION, HOST, FOUR, OUT)                               \
    X(cushim_function_max_active_blocks, STATUS, FUNCTION, UNSIGNED, INDEX, OUT)                   \
    X(cushim_function_block_size, STATUS, FUNCTION, BLOCK_SIZE_PARAMS, OUT, OUT)                   \
    X(cushim_function_available_shared, STATUS, FUNCTION, UNSIGNED, UNSIGNED, OUT)                 \
    X(cushim_function_max_active_clusters, STATUS, FUNCTION, STREAM, CLUSTER_CONFIG, OUT)          \
    X(cushim_function_max_cluster_blocks, STATUS, FUNCTION, STREAM, CLUSTER_CONFIG, OUT)           \
    X(cushim_embedded_load, STATUS, CONTEXT, EMBEDDED)                                             \
    X(cushim_embedded_unload, STATUS, CONTEXT, EMBEDDED)                                           \
    X(cushim_embedded_function, STATUS, CONTEXT, EMBEDDED_KERNEL, OUT)                             \
    X(cushim_embedded_launch, STATUS, STREAM, EMBEDDED_KERNEL, LAUNCH_CONFIG, ARGUMENTS,           \
      ARGUMENT_COUNT)                                                                              \
    X(cushim_code_library_load, STATUS, CONTEXT, PTX_BYTES, PTX_LENGTH, MODULE_PARAMS, MADE)       \
    X(cushim_code_library_free, FREES, TAKEN_CODE_LIBRARY)                                         \
    X(cushim_code_library_module, STATUS, CODE_LIBRARY, CONTEXT, MADE)                             \
    X(cushim_code_library_count, STATUS, CODE_LIBRARY, OUT)                                        \
    X(cushim_code_library_kernel, STATUS, CODE_LIBRARY, KERNEL_NAME, OUT)                          \
    X(cushim_kernel_attribute, STATUS, KERNEL, CONTEXT, FUNCTION_ATTRIBUTE, OUT)                   \
    X(cushim_kernel_set_attribute, STATUS, KERNEL, CONTEXT, FUNCTION_ATTRIBUTE, INT)               \
    X(cushim_kernel_set_cache_config, STATUS, KERNEL, CONTEXT, CACHE)

DEFINE_ROWS(code_rows, CODE_ROWS)
