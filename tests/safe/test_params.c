/* SPDX-License-Identifier: MIT */
/* Parameter structures without a size. tests/unit/test_params.c has programs of other versions. */
#include "support.h"

/*
 * Every public function that takes such a structure refuses one without a size, before it looks at
 * anything else.
 */
#define REFUSES(structure, call)                                                                   \
    do {                                                                                           \
        struct structure params = {0};                                                             \
                                                                                                   \
        assert_refused((call), CUSHIM_ERROR_INVALID_ARGUMENT,                                      \
                       "struct " #structure " has no size");                                       \
    } while (0)

Test(params, every_function_looks_at_the_size)
{
    const struct cushim_report *report = NULL;
    cushim_driver driver = CUSHIM_NONE;
    cushim_nvrtc nvrtc = CUSHIM_NONE;
    cushim_nvjitlink linker = CUSHIM_NONE;
    cushim_context context = CUSHIM_NONE;
    cushim_stream stream = CUSHIM_NONE, recorder = CUSHIM_NONE;
    cushim_module module = CUSHIM_NONE;
    cushim_code_library library = CUSHIM_NONE;
    cushim_image image = CUSHIM_NONE;
    cushim_function function = CUSHIM_NONE;
    cushim_trace trace = CUSHIM_NONE;
    cushim_faults faults = CUSHIM_NONE;
    cushim_external_semaphore semaphore = CUSHIM_NONE;
    cushim_external_memory memory = CUSHIM_NONE;
    cushim_pool pool = CUSHIM_NONE;
    cushim_arena arena = CUSHIM_NONE;
    unsigned n;

    REFUSES(cushim_open_params, cushim_open(&params, &driver));
    REFUSES(cushim_open_params, cushim_nvrtc_open(&params, &nvrtc));
    REFUSES(cushim_open_params, cushim_report_create(CUSHIM_LIBRARY_CUDA, &params, &report));
    REFUSES(cushim_stream_params, cushim_stream_new(context, &params, &stream));
    REFUSES(cushim_capture_params, cushim_capture_begin_with(context, &params, &recorder));
    REFUSES(cushim_capture_params, cushim_capture_begin_on(stream, &params));
    REFUSES(cushim_compile_params, cushim_compile("", &params, &image));
    REFUSES(cushim_compile_params, cushim_module_compile(context, "", &params, &module));
    REFUSES(cushim_module_params, cushim_module_load(context, "x", 1, &params, &module));
    REFUSES(cushim_module_params, cushim_module_load_text(context, "x", &params, &module));
    REFUSES(cushim_module_params, cushim_module_load_file(context, "x", &params, &module));
    REFUSES(cushim_module_params, cushim_module_load_image(context, image, &params, &module));
    REFUSES(cushim_module_params, cushim_code_library_load(context, "x", 1, &params, &library));
    REFUSES(cushim_module_params, cushim_link(context, NULL, 0, &params, &image));
    REFUSES(cushim_lto_params, cushim_link_lto(NULL, 0, &params, &image));
    REFUSES(cushim_open_params, cushim_nvjitlink_open(&params, &linker));
    REFUSES(cushim_launch_config, cushim_launch_arguments(stream, function, &params, NULL, 0));
    REFUSES(cushim_launch_config,
            cushim_function_max_active_clusters(function, stream, &params, &n));
    REFUSES(cushim_launch_config,
            cushim_function_max_cluster_blocks(function, stream, &params, &n));
    REFUSES(cushim_launch_options,
            cushim_launch(stream, function, cushim_launch_config(.options = &params)));
    REFUSES(cushim_block_size_params, cushim_function_block_size(function, &params, &n, &n));
    REFUSES(cushim_arena_params, cushim_arena_new(context, &params, &arena));
    REFUSES(cushim_pool_params, cushim_pool_new(context, &params, &pool));
    REFUSES(cushim_external_memory_params,
            cushim_external_memory_import(context, &params, &memory));
    REFUSES(cushim_external_semaphore_params,
            cushim_external_semaphore_import(context, &params, &semaphore));
    REFUSES(cushim_trace_params, cushim_trace_create(&params, &trace));
    REFUSES(cushim_faults_params, cushim_faults_create(&params, &faults));
    assert_ok(cushim_faults_create(NULL, &faults));
    REFUSES(cushim_fault, cushim_faults_add(faults, "cuInit", &params));
    cushim_faults_free(&faults);
}

Test(params, of_the_mock)
{
    const struct cushim_mock_config config = {.seed = 1};
    const struct cushim_fault fault = {.result = 1};

    assert_status(cushim_mock_configure(&config), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_contains(cushim_mock_error_text(), "struct cushim_mock_config has no size");
    assert_status(cushim_mock_fail("cuInit", &fault), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_contains(cushim_mock_error_text(), "struct cushim_fault has no size");
}
