/* SPDX-License-Identifier: MIT */
/*
 * Status codes, and what the calling thread knows about its last error.
 *
 * Every function that can fail returns a cushim_status. Outputs are the last
 * parameters, are called ret_x, and are written on success only.
 *
 *     0                          success
 *     positive, below 10000      the driver's CUresult, unchanged
 *     10000 and up               an nvrtcResult, as CUSHIM_STATUS_NVRTC(result)
 *     negative                   cushim's own, below
 *
 * Names and texts are built in: they are right without a driver, and for
 * results that the installed driver is too old to know.
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
    X(CUSHIM_ERROR_CAPTURING, -18, "the stream records for a graph")

enum {
#define CUSHIM__STATUS_ENUM(name, value, text) name = (value),
    CUSHIM_STATUS_MAP(CUSHIM__STATUS_ENUM)
#undef CUSHIM__STATUS_ENUM
};

/** An nvrtcResult as a status; 0 stays 0. */
#define CUSHIM_STATUS_NVRTC(result) ((result) ? 10000 + (int) (result) : 0)

/**
 * The code's name, such as "CUDA_ERROR_OUT_OF_MEMORY" or
 * "CUSHIM_ERROR_NO_DRIVER". Never NULL: a code that nobody defined is
 * "CUSHIM_STATUS_UNKNOWN". The string is static. Thread-safe.
 */
CUSHIM_API const char *cushim_status_name(cushim_status status);

/**
 * A short text for the code, the driver's own wording where it is the
 * driver's. Never NULL, static, thread-safe.
 */
CUSHIM_API const char *cushim_status_text(cushim_status status);

/*
 * The last error of the calling thread. It is set by every cushim function that
 * fails, and by a call through a table to a function that the library lacks.
 * Successful calls leave it alone. The strings belong to the thread and are
 * valid until its next error.
 */

/** The status of the thread's last error, CUSHIM_OK if there was none. */
CUSHIM_API cushim_status cushim_error_status(void);

/**
 * A sentence a person can act on, such as
 * "cuLaunchKernelEx needs CUDA 11.6; this driver is 11.4". "" if there was no error.
 */
CUSHIM_API const char *cushim_error_text(void);

/** The function of the driver or of cushim that failed, such as "cuMemAlloc_v2", or "". */
CUSHIM_API const char *cushim_error_call(void);

/** The label of the object that the failed call was about, or "". */
CUSHIM_API const char *cushim_error_label(void);

/**
 * What a compiler or a linker said, whole, if the thread's last error is that it refused its
 * input; else "". NVRTC, the driver's compiler for PTX, and its linker write such logs. The
 * sentence of cushim_error_text() has the first error of it.
 */
CUSHIM_API const char *cushim_error_log(void);

/** Forgets the thread's last error. */
CUSHIM_API void cushim_error_clear(void);

/** Evaluates expr; if it is not CUSHIM_OK, returns it from the calling function. */
#define CUSHIM_TRY(expr)                                                                           \
    do {                                                                                           \
        const cushim_status cushim__try = (expr);                                                  \
        if (cushim__try != CUSHIM_OK)                                                              \
            return cushim__try;                                                                    \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
