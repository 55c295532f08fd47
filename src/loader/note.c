/* SPDX-License-Identifier: MIT */
/*
 * Tells packagers what this library opens at run time. The format is
 * https://systemd.io/ELF_DLOPEN_METADATA/: an ELF note with JSON, which
 * `dlopen-notes` and the packaging tools of distributions read.
 */
#include <stdint.h>

#include "loader/library.h"

#define CUDA_JSON                                                                                  \
    "[{\"feature\":\"cuda\",\"description\":\"The NVIDIA driver: runs work on GPUs\","             \
    "\"priority\":\"suggested\",\"soname\":[\"libcuda.so.1\"]}]"
#define NVRTC_JSON                                                                                 \
    "[{\"feature\":\"nvrtc\",\"description\":\"Compiles CUDA C++ at run time\","                   \
    "\"priority\":\"suggested\",\"soname\":[\"libnvrtc.so.13\",\"libnvrtc.so.12\","                \
    "\"libnvrtc.so.11.2\",\"libnvrtc.so.11.1\",\"libnvrtc.so.11.0\"]}]"

enum { NOTE_TYPE = 0x407c0c0a };

/* The address sanitizer would put a red zone behind each note, where the next one belongs. */
#ifdef __clang__
#define AS_IT_IS __attribute__((no_sanitize("address")))
#else
#define AS_IT_IS /* gcc leaves variables with a section of their own alone */
#endif

#define NOTE(variable, json)                                                                       \
    AS_IT_IS __attribute__((used, section(".note.dlopen"), aligned(4))) static const struct {      \
        uint32_t name_size, text_size, type;                                                       \
        char name[4];                                                                              \
        _Alignas(4) char text[sizeof(json)];                                                       \
    } variable = {4, sizeof(json), NOTE_TYPE, "FDO", json}

NOTE(note_cuda, CUDA_JSON);
NOTE(note_nvrtc, NVRTC_JSON);

/* An object of a static library is linked only if something in it is asked for. */
void cushim__note_anchor(void)
{
}
