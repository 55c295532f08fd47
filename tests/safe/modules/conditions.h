/* SPDX-License-Identifier: MIT */
/* What the tests of conditional nodes share. */
#ifndef CUSHIM_TESTS_CONDITIONS_H
#define CUSHIM_TESTS_CONDITIONS_H

#include "recording.h"

/* flag -= 1, x += 1 */
static const char step_ptx[] =
    ".version 6.4\n.target sm_52\n.address_size 64\n"
    ".visible .entry step(.param .u64 flag, .param .u64 x) {\n"
    ".reg .b32 %a, %b; .reg .b64 %f, %x;\n"
    "ld.param.u64 %f, [flag]; ld.param.u64 %x, [x];\n"
    "cvta.to.global.u64 %f, %f; cvta.to.global.u64 %x, %x;\n"
    "ld.global.u32 %a, [%f]; sub.u32 %a, %a, 1; st.global.u32 [%f], %a;\n"
    "ld.global.u32 %b, [%x]; add.u32 %b, %b, 1; st.global.u32 [%x], %b; ret; }\n";

static cushim_module steps;
static cushim_function step;

static inline bool has_conditions(int version)
{
    int of_driver = 0;

    assert_ok(cushim_driver_version(w.driver, &of_driver));
    return of_driver >= version;
}

#define NEEDS(version)                                                                             \
    do {                                                                                           \
        if (!has_conditions(version)) {                                                            \
            end_conditions();                                                                      \
            cr_skip_test("the driver is older than CUDA %d.%d", (version) / 1000,                  \
                         (version) % 1000 / 10);                                                   \
        }                                                                                          \
    } while (0)

static inline void begin_conditions(void)
{
    begin();
    assert_ok(cushim_module_load_text(w.context, step_ptx, NULL, &steps));
    assert_ok(cushim_module_function(steps, "step", &step));
}

static inline void end_conditions(void)
{
    cushim_module_free(&steps);
    finish();
}

static inline cushim_slice number(unsigned value)
{
    cushim_slice slice = CUSHIM_NONE;

    assert_ok(cushim_slice_zeros(stream, CUSHIM_ELEMENT(unsigned), 1, &slice));
    assert_ok(cushim_slice_fill(stream, slice, value));
    return slice;
}

static inline unsigned value_of(cushim_slice slice)
{
    unsigned value = 0;

    assert_ok(cushim_slice_read(stream, slice, &value, 1));
    return value;
}

static inline void record_step(cushim_stream recorder, cushim_slice flag, cushim_slice x)
{
    assert_ok(cushim_launch(recorder, step, cushim_launch_config(.grid = {1}, .block = {1}),
                            CUSHIM_INOUT(flag), CUSHIM_INOUT(x)));
}

static inline cushim_stream begin_graph(enum cushim_capture_order order)
{
    cushim_stream recorder = CUSHIM_NONE;

    assert_ok(
        cushim_capture_begin_with(w.context, cushim_capture_params(.order = order), &recorder));
    return recorder;
}

#endif
