/* SPDX-License-Identifier: MIT */
/* The control interface of the mock. Its errors are in cushim_mock_error_text(). */
#include "rows.h"

/* What is called before the driver is opened. */
#define EARLY_ROWS(X, X0) X(cushim_mock_configure, STATUS, MOCK_CONFIG)

DEFINE_ROWS(early_rows, EARLY_ROWS)

#define MOCK_ROWS(X, X0)                                                                           \
    X0(cushim_mock_error_text, POINTER)                                                            \
    X(cushim_mock_fail, STATUS, SYMBOL, FAULT)                                                     \
    X0(cushim_mock_faults_clear, NOTHING)                                                          \
    X(cushim_mock_pointer, VALUE, DEVICE_ADDRESS, SIZE)                                            \
    X(cushim_mock_input, VALUE, DEVICE_ADDRESS, SIZE)                                              \
    X(cushim_mock_output, VALUE, DEVICE_ADDRESS, SIZE)                                             \
    X(cushim_mock_set_condition, NOTHING, DEVICE_ADDRESS, UNSIGNED)                                \
    X(cushim_mock_kernel_fail, NOTHING, INT)                                                       \
    X(cushim_mock_register_kernel, STATUS, ANY_NAME, MOCK_KERNEL, USER)                            \
    X0(cushim_mock_stats, VALUE)                                                                   \
    X(cushim_mock_findings, VALUE, OUT_OR_NULL)                                                    \
    X(cushim_mock_label, STATUS, DEVICE_ADDRESS, TEXT_OR_NULL)                                     \
    X0(cushim_mock_kernels_text, POINTER)                                                          \
    X0(cushim_mock_checks, VALUE)

DEFINE_ROWS(mock_rows, MOCK_ROWS)
