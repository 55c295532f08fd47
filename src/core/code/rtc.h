/* SPDX-License-Identifier: MIT */
/* Compiling CUDA C++ through NVRTC's table. rtc_options.c makes the options. */
#ifndef CUSHIM_CORE_CODE_RTC_H
#define CUSHIM_CORE_CODE_RTC_H

#include "base/str.h"
#include "core/code/image.h"
#include "core/object/driver.h"

/*
 * The common type of NVRTC functions that return a value of a program. They return int, and a
 * program is a pointer.
 */
typedef int cushim__rtc_get(void *program, void *ret);

/* NVRTC's options for some parameters: one text after another, each with a NUL at its end. */
struct cushim__rtc_options {
    struct cushim__str text;
    size_t count;
};

/*
 * Fills options. The caller frees them with cushim__str_finish(&options->text). Fails only if the
 * parameters are wrong.
 */
cushim_status cushim__rtc_options_make(const struct cushim_compile_params *params, const char *call,
                                       struct cushim__rtc_options *ret_options);

/* Tells whether this kind of image needs a real architecture ("sm_...") and not a virtual one. */
bool cushim__rtc_wants_real(enum cushim_image_kind kind);

/* Compiles a program. The caller has pinned rtc. params must not be NULL. */
cushim_status cushim__rtc_compile(const struct cushim__driver *rtc, const char *source,
                                  const struct cushim_compile_params *params, const char *call,
                                  struct cushim__image **ret_image);

/* Returns all architectures that this NVRTC compiles for. The caller frees the array. */
cushim_status cushim__rtc_architectures(const struct cushim__driver *rtc, const char *call,
                                        int **ret_archs, size_t *ret_count);

#endif
