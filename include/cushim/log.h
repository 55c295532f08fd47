/* SPDX-License-Identifier: MIT */
/*
 * The log. The library never prints: what it has to say beside a status goes to
 * a callback of the program, or nowhere.
 */
#ifndef CUSHIM_LOG_H
#define CUSHIM_LOG_H

#include <cushim/version.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cushim_log_level {
    CUSHIM_LOG_NONE = 0,
    CUSHIM_LOG_ERROR = 1,   /* something was lost: a file could not be written */
    CUSHIM_LOG_WARNING = 2, /* the program will want to know: a setting was ignored */
    CUSHIM_LOG_INFO = 3,    /* once an object at most: which driver was opened */
    CUSHIM_LOG_DEBUG = 4,   /* every candidate, every decision */
};

/**
 * Receives one message: a line without a newline, valid during the call. Called
 * from any thread that uses the library, one call at a time. It must not call
 * cushim_log_set().
 */
typedef void (*cushim_log_fn)(enum cushim_log_level level, const char *message, void *user);

/**
 * Sends messages up to the given level to fn; NULL turns the log off. Replaces
 * the callback that was there, and returns once no thread is inside it any
 * more, so that its user data may be freed. Thread-safe.
 *
 * Without a callback, the environment variable CUSHIM_LOG (error, warning, info
 * or debug) sends messages to standard error.
 */
CUSHIM_API void cushim_log_set(enum cushim_log_level level, cushim_log_fn fn, void *user);

#ifdef __cplusplus
}
#endif

#endif
