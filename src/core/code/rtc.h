/* SPDX-License-Identifier: MIT */
/* Compiling CUDA C++ through NVRTC's table. */
#ifndef CUSHIM_CORE_CODE_RTC_H
#define CUSHIM_CORE_CODE_RTC_H

#include "base/str.h"
#include "core/code/image.h"
#include "core/object/driver.h"

/* NVRTC's functions return int, and a program is a pointer. */
typedef int cushim__rtc_get(void *program, void *ret);

/* The options that parameters mean, one after another, each ended by a NUL. */
struct cushim__rtc_options {
    struct cushim__str text;
    size_t count;
};

/* Fills options, which cushim__str_finish(&options->text) frees. Fails for bad parameters only. */
cushim_status cushim__rtc_options_make(const struct cushim_compile_params *params, const char *call,
                                       struct cushim__rtc_options *ret_options);

/* Is the option meant to give this kind of architecture, "sm_..." for a cubin? */
bool cushim__rtc_wants_real(enum cushim_image_kind kind);

/* Compiles. rtc is pinned by the caller; params is not NULL. */
cushim_status cushim__rtc_compile(const struct cushim__driver *rtc, const char *source,
                                  const struct cushim_compile_params *params, const char *call,
                                  struct cushim__image **ret_image);

/* All architectures that it compiles for; the caller frees them. */
cushim_status cushim__rtc_architectures(const struct cushim__driver *rtc, const char *call,
                                        int **ret_archs, size_t *ret_count);

/*
 * Pins the NVRTC that a handle names, or, for 0, opens the default one and pins that.
 * cushim__rtc_unpin() gives back what this took.
 */
struct cushim__rtc {
    const struct cushim__driver *driver;
    uint64_t id, opened; /* opened: to be closed again, 0 if the caller had opened it */
};

cushim_status cushim__rtc_pin(uint64_t id, const char *call, struct cushim__rtc *ret_rtc);
void cushim__rtc_unpin(struct cushim__rtc *rtc);

#endif
