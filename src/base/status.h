/* SPDX-License-Identifier: MIT */
/*
 * Names and texts of results, and the thread's last error. The log of that error is in error_log.c.
 */
#ifndef CUSHIM_BASE_STATUS_H
#define CUSHIM_BASE_STATUS_H

#include <cushim/status.h>

/*
 * The names and texts of the results of the driver, NVRTC and nvJitLink. NULL for a number that is
 * not defined.
 */
const char *cushim__cuda_result_name(int result);
const char *cushim__cuda_result_text(int result);
const char *cushim__nvrtc_result_name(int result);
const char *cushim__nvrtc_result_text(int result);
const char *cushim__nvjitlink_result_name(int result);
const char *cushim__nvjitlink_result_text(int result);

/* The name and the text of any status. They are never NULL. */
const char *cushim__status_name(cushim_status status);
const char *cushim__status_text(cushim_status status);

struct cushim__error {
    cushim_status status;
    char call[64];
    char label[64];
    char text[1024];
    unsigned log; /* the number of the log that belongs to this error, 0 if there is none */
};

/* Returns the calling thread's last error. */
struct cushim__error *cushim__error(void);

/*
 * Saves the thread's last error for a destructor, which must not change it. The error is a large
 * structure, so it is copied only if there is one.
 */
static inline void cushim__error_keep(struct cushim__error *ret_kept)
{
    ret_kept->status = cushim__error()->status;
    if (ret_kept->status)
        *ret_kept = *cushim__error();
}

static inline void cushim__error_restore(const struct cushim__error *kept)
{
    if (kept->status)
        *cushim__error() = *kept;
    else if (cushim__error()->status)
        *cushim__error() = (struct cushim__error){0};
}

/*
 * Sets the calling thread's last error and returns its status, so that a failing function ends with
 * `return cushim__fail(...)`. call is the function that failed, and label is the object that it was
 * called for. Either may be NULL.
 */
cushim_status cushim__fail_at(cushim_status status, const char *call, const char *label,
                              const char *format, ...) CUSHIM_PRINTF(4, 5) __attribute__((cold));

/*
 * After one public function has called another, which failed: puts its own name, call, in the place
 * of the other's, which the program has not called.
 */
void cushim__error_as(const char *call) __attribute__((cold));

/* Adds words to the text of the calling thread's last error. */
void cushim__error_append(const char *format, ...) CUSHIM_PRINTF(1, 2) __attribute__((cold));

/*
 * Adds a log to the calling thread's last error. The text is copied. NULL or "" means no log. When
 * out of memory, the error has no log.
 */
void cushim__error_add_log(const char *log);

/* Returns the log of the calling thread's last error, or "". */
const char *cushim__error_log(void);

#define cushim__fail(status, ...) cushim__fail_at(status, __func__, NULL, __VA_ARGS__)

#endif
