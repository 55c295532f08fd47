/* SPDX-License-Identifier: MIT */
/*
 * Kernels that are part of the program.
 *
 * `cushim compile kernels.cu -o kernels.h` compiles CUDA C++ when the program is built, and writes
 * a header with the code and one function for each kernel, which launches it:
 *
 *     #include "kernels.h"
 *
 *     CUSHIM_TRY(saxpy_launch(stream, cushim_for_elements(n), 2.0f, x, y, n));
 *
 * It is a macro, so a structure that is written in place stands in parentheses of its own:
 * move_launch(stream, config, ((particle){1, 2}), y). Its parameters have the types of the
 * kernel's, so a wrong argument is an error of the C or C++ compiler. A parameter that is a pointer
 * takes a slice, pinned memory, unified memory or a view.
 * The kernel reads what a pointer to const points to (CUSHIM_IN()), and reads and writes other
 * memory (CUSHIM_INOUT()). cushim compares the elements of the memory, as far as it knows them,
 * with those of the pointer when the kernel is launched.
 *
 * The code is loaded into a context when one of its kernels is first launched there, once,
 * whichever threads launch it. It stays until the program unloads it, or until the context loses
 * its last handle. Loading is not possible while a stream of the context records a graph, so a
 * program that records a launch loads the code before.
 *
 * The header also has functions that call those below: kernels_load(), kernels_unload(), and
 * saxpy_function() for a launch with other intents. Programs call the functions below only through
 * the header. docs/cushim-compile.md describes the command. All functions are thread-safe.
 */
#ifndef CUSHIM_EMBEDDED_H
#define CUSHIM_EMBEDDED_H

#include <cushim/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Code in the memory of the program. It must stay as it is for as long as it is used. */
struct cushim_embedded {
    size_t size; /* sizeof the structure */

    /** The name of the module in its context; the same code always has the same name. */
    const char *name;
    const void *data; /* PTX, a cubin or a fat binary */
    size_t bytes;
};

/** The number of words of the cache of a kernel. */
enum { CUSHIM_EMBEDDED_CACHE = 16 };

/** A kernel of such code. */
struct cushim_embedded_kernel {
    size_t size; /* sizeof the structure */

    const struct cushim_embedded *code;
    const char *name; /* in the code */
    /**
     * For each parameter the size of the elements that it points to, as CUSHIM_ELEMENT() has it; 0
     * for values, and for elements that are not known. NULL if there are no parameters.
     */
    const size_t *elements;
    size_t parameters;
    /**
     * CUSHIM_EMBEDDED_CACHE words, which are zero at first and belong to cushim afterwards; or
     * NULL, which makes each launch look for the kernel by its name.
     */
    uint64_t *cache;
};

/**
 * Loads code into a context, if it is not loaded there yet. The results are those of
 * cushim_module_load().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_embedded_load(cushim_context context,
                                                             const struct cushim_embedded *code);

/**
 * Unloads code from a context, after its last kernel has ended. It succeeds if the code is not
 * loaded. The next launch loads it again.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_embedded_unload(cushim_context context,
                                                               const struct cushim_embedded *code);

/**
 * Returns a kernel, of code that is loaded if it is not yet. The handle becomes stale when the code
 * is unloaded.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_embedded_function(cushim_context context, const struct cushim_embedded_kernel *kernel,
                         cushim_function *ret_function);

/**
 * Launches a kernel like cushim_launch_arguments(), and loads its code first if it is not loaded
 * yet. The result is CUSHIM_ERROR_INVALID_ARGUMENT if memory has other elements than the parameter;
 * CUSHIM_VIEW_AS() views memory as other elements. Memory of bytes goes with every parameter.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_embedded_launch(
    cushim_stream stream, const struct cushim_embedded_kernel *kernel,
    const struct cushim_launch_config *config, const struct cushim_argument *arguments, size_t n);

/*
 * What a header defines: whatever includes it, a program has it once, and each of its shared
 * libraries, too.
 */
#define CUSHIM_EMBEDDED_ONCE __attribute__((weak, visibility("hidden"), aligned(8)))

/*
 * A number that becomes a parameter of an integer type. A floating-point number, which the compiler
 * would convert, is an error, and so is a pointer.
 */
#define CUSHIM__NO_INTEGER "the kernel takes an integer here, and this is none"
#ifndef __cplusplus
#define CUSHIM_EMBEDDED_INTEGER(x)                                                                 \
    ((void) sizeof(struct {                                                                        \
         _Static_assert(_Generic((x), float : 0, double : 0, long double : 0, default : 1) &&      \
                            __builtin_classify_type(x) != 5,                                       \
                        CUSHIM__NO_INTEGER);                                                       \
         char unused;                                                                              \
     }),                                                                                           \
     (x))
#else
}
extern "C++" {
template <class T> struct cushim__is_long_double {
    static const bool value = false;
};
template <> struct cushim__is_long_double<long double> {
    static const bool value = true;
};
template <class T> static inline const T &cushim__embedded_integer(const T &x)
{
    static_assert(cushim__type_of<T>::number != CUSHIM_ELEMENT_FLOAT &&
                      !cushim__is_long_double<T>::value && !cushim__is_pointer<T>::value,
                  CUSHIM__NO_INTEGER);
    return x;
}
}
extern "C" {
#define CUSHIM_EMBEDDED_INTEGER(x) cushim__embedded_integer(x)
#endif

#ifdef __cplusplus
}
#endif

#endif
