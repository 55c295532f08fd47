/* SPDX-License-Identifier: MIT */
/*
 * The log. Messages that do not fit into a status go to a callback of the program. Without a
 * callback they are dropped, unless the environment variable CUSHIM_LOG asks for them on standard
 * error.
 */
#ifndef CUSHIM_LOG_H
#define CUSHIM_LOG_H

#include <cushim/version.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cushim_log_level {
    CUSHIM_LOG_NONE = 0,
    CUSHIM_LOG_ERROR = 1,   /* something was lost, such as a file that could not be written */
    CUSHIM_LOG_WARNING = 2, /* the program should know, such as a setting that is ignored */
    CUSHIM_LOG_INFO = 3,    /* at most once for each object, such as the driver that was opened */
    CUSHIM_LOG_DEBUG = 4,   /* every candidate and every decision of the loader */
};

/**
 * Receives one message. message is one line without a newline and other control characters, and is
 * valid during the call. Any thread that uses the library may call the function, but two calls
 * never run at the same time. The function must not call cushim_log_set().
 */
typedef void (*cushim_log_fn)(enum cushim_log_level level, const char *message, void *user);

/**
 * Sends messages up to the given level to fn. If fn is NULL, the log is turned off. The new
 * function replaces the previous one. The call returns when no thread is inside the previous
 * function any more, so its user data may then be freed. Thread-safe.
 *
 * If the program sets no function, the environment variable CUSHIM_LOG (error, warning, info or
 * debug) sends messages up to that level to standard error.
 */
CUSHIM_API void cushim_log_set(enum cushim_log_level level, cushim_log_fn fn, void *user);

#ifdef __cplusplus
}
#endif

#endif
