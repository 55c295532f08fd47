/* SPDX-License-Identifier: MIT */
/*
 * Tells packagers which libraries this one opens at run time: an ELF note with JSON, in the format
 * of https://systemd.io/ELF_DLOPEN_METADATA/. `dlopen-notes` and the packaging tools of
 * distributions read it.
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
#define NVJITLINK_JSON                                                                             \
    "[{\"feature\":\"nvjitlink\",\"description\":\"Links LTO-IR at run time\","                    \
    "\"priority\":\"suggested\",\"soname\":[\"libnvJitLink.so.13\",\"libnvJitLink.so.12\"]}]"

enum { NOTE_TYPE = 0x407c0c0a };

/* The address sanitizer would add bytes behind each note, where the next note must begin. */
#ifdef __clang__
#define AS_IT_IS __attribute__((no_sanitize("address")))
#else
#define AS_IT_IS /* gcc adds nothing to variables that have their own section */
#endif

#define NOTE(variable, json)                                                                       \
    AS_IT_IS __attribute__((used, section(".note.dlopen"), aligned(4))) static const struct {      \
        uint32_t name_size, text_size, type;                                                       \
        char name[4];                                                                              \
        _Alignas(4) char text[sizeof(json)];                                                       \
    } variable = {4, sizeof(json), NOTE_TYPE, "FDO", json}

NOTE(note_cuda, CUDA_JSON);
NOTE(note_nvrtc, NVRTC_JSON);
NOTE(note_nvjitlink, NVJITLINK_JSON);

/* The linker takes an object out of a static library only if something refers to it. */
void cushim__note_anchor(void)
{
}
