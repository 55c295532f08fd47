/* SPDX-License-Identifier: MIT */
/*
 * Status codes, and the last error of the calling thread.
 *
 * Every function that can fail returns a cushim_status, which the program must look at
 * (CUSHIM_TRY(), CUSHIM_IGNORE()). Its outputs are the last parameters, have names that begin with
 * ret_, and are written only on success.
 *
 *     0                          success
 *     positive, below 10000      the driver's CUresult, unchanged
 *     10000 and up               an nvrtcResult, as CUSHIM_STATUS_NVRTC(result)
 *     20000 and up               an nvJitLinkResult, as CUSHIM_STATUS_NVJITLINK(result)
 *     negative                   cushim's own, below
 *
 * The names and texts of all codes are built into cushim. They are available without a driver, and
 * also for results that are newer than the installed driver.
 */
#ifndef CUSHIM_STATUS_H
#define CUSHIM_STATUS_H

#include <cushim/version.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int cushim_status;

/* cushim's own codes: X(name, value, text). A value is never given a new meaning. */
#define CUSHIM_STATUS_MAP(X)                                                                       \
    X(CUSHIM_OK, 0, "no error")                                                                    \
    X(CUSHIM_ERROR_INVALID_ARGUMENT, -1, "an argument is not valid")                               \
    X(CUSHIM_ERROR_NO_MEMORY, -2, "the host is out of memory")                                     \
    X(CUSHIM_ERROR_STALE_HANDLE, -3, "the object was freed, or the handle was never valid")        \
    X(CUSHIM_ERROR_WRONG_HANDLE, -4, "the handle is of an object of another kind")                 \
    X(CUSHIM_ERROR_NO_DRIVER, -5, "no usable CUDA driver was found")                               \
    X(CUSHIM_ERROR_NO_NVRTC, -6, "no usable NVRTC was found")                                      \
    X(CUSHIM_ERROR_FORKED, -7, "the process was forked after the driver was initialised")          \
    X(CUSHIM_ERROR_UNKNOWN_SYMBOL, -8, "no function of that name is known")                        \
    X(CUSHIM_ERROR_MISSING_SYMBOL, -9, "the library does not have this function")                  \
    X(CUSHIM_ERROR_LIMIT, -10, "a limit of this library is reached")                               \
    X(CUSHIM_ERROR_BUSY, -11, "the object is in use")                                              \
    X(CUSHIM_ERROR_SYSTEM, -12, "the operating system refused")                                    \
    X(CUSHIM_ERROR_FOREIGN_CONTEXT, -13, "objects of different contexts do not go together")       \
    X(CUSHIM_ERROR_WRONG_THREAD, -14, "the object is another thread's")                            \
    X(CUSHIM_ERROR_OVERLAP, -15, "memory that is written overlaps another argument")               \
    X(CUSHIM_ERROR_READ_ONLY, -16, "the view does not allow writing")                              \
    X(CUSHIM_ERROR_NOT_ATTACHED, -17, "the unified memory is attached elsewhere")                  \
    X(CUSHIM_ERROR_CAPTURING, -18, "the stream records for a graph")                               \
    X(CUSHIM_ERROR_CANCELLED, -19, "the operation was cancelled")                                  \
    X(CUSHIM_ERROR_NO_NVJITLINK, -20, "no usable nvJitLink was found")

enum {
#define CUSHIM__STATUS_ENUM(name, value, text) name = (value),
    CUSHIM_STATUS_MAP(CUSHIM__STATUS_ENUM)
#undef CUSHIM__STATUS_ENUM
};

/** Converts an nvrtcResult to a status. NVRTC_SUCCESS (0) becomes CUSHIM_OK. */
#define CUSHIM_STATUS_NVRTC(result) ((result) ? 10000 + (int) (result) : 0)

/** Converts an nvJitLinkResult to a status. NVJITLINK_SUCCESS (0) becomes CUSHIM_OK. */
#define CUSHIM_STATUS_NVJITLINK(result) ((result) ? 20000 + (int) (result) : 0)

/**
 * Returns the name of a code, such as "CUDA_ERROR_OUT_OF_MEMORY" or "CUSHIM_ERROR_NO_DRIVER". The
 * result is never NULL: the name of an undefined code is "CUSHIM_STATUS_UNKNOWN". The string is
 * static. Thread-safe.
 */
CUSHIM_API const char *cushim_status_name(cushim_status status);

/**
 * Returns a short English text for a code. For a code of the driver it is the driver's own wording.
 * The result is never NULL. The string is static. Thread-safe.
 */
CUSHIM_API const char *cushim_status_text(cushim_status status);

/*
 * Each thread has its own last error. Every cushim function that fails sets it, and so does a call
 * through a table (table.h) to a function that the library does not have. A successful call does
 * not change it. A driver function that is called through a table and returns an error does not set
 * it: cushim_status_text(result) is the text for that. The strings below belong to the calling
 * thread and are valid until the next error of that thread.
 */

/** Returns the status of the calling thread's last error, or CUSHIM_OK if there was none. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_error_status(void);

/**
 * Returns a sentence that explains the calling thread's last error, such as "cuLaunchKernelEx needs
 * CUDA 11.6; this CUDA driver is 11.4", or "" if there was none. It is one line of UTF-8: control
 * characters, and other bytes, in words of the program that it quotes are question marks. The
 * string is valid until the thread's next error.
 */
CUSHIM_API const char *cushim_error_text(void);

/**
 * Returns the name of the function that failed, of the driver or of cushim, such as
 * "cuMemAlloc_v2". A function of cushim that programs call by a macro has the name of the macro
 * here, and in the sentence: "cushim_slice_fill" for cushim_view_fill(). The result is "" if the
 * thread had no error. It is valid until the thread's next error.
 */
CUSHIM_API const char *cushim_error_call(void);

/**
 * Returns the label (cushim_label()) of the object that the failed call of this thread used, or ""
 * if there is none. The string is valid until the thread's next error.
 */
CUSHIM_API const char *cushim_error_label(void);

/**
 * Returns the complete log of the compiler or linker if the calling thread's last error is that one
 * of them rejected its input, and "" otherwise. NVRTC, the driver's compiler for PTX and the
 * driver's linker write such logs. cushim_error_text() contains the first error of the log. The
 * string is valid until the thread's next error.
 */
CUSHIM_API const char *cushim_error_log(void);

/**
 * Clears the calling thread's last error: its status becomes CUSHIM_OK and its strings become
 * empty.
 */
CUSHIM_API void cushim_error_clear(void);

/**
 * Evaluates expr once. If the result is not CUSHIM_OK, the calling function returns it, so that
 * function must return a cushim_status.
 */
#define CUSHIM_TRY(expr)                                                                           \
    do {                                                                                           \
        const cushim_status cushim__try = (expr);                                                  \
        if (cushim__try != CUSHIM_OK)                                                              \
            return cushim__try;                                                                    \
    } while (0)

/**
 * Evaluates expr once, and drops its result: for a call whose failure does not matter. Compilers
 * warn where a result is dropped in another way; gcc also where it is cast to void.
 */
#define CUSHIM_IGNORE(expr)                                                                        \
    do {                                                                                           \
        const cushim_status cushim__ignored = (expr);                                              \
        (void) cushim__ignored;                                                                    \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
