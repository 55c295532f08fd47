/* SPDX-License-Identifier: MIT */
/* Names and texts of results, and the thread's last error. */
#ifndef CUSHIM_BASE_STATUS_H
#define CUSHIM_BASE_STATUS_H

#include <cushim/status.h>

/* NULL for a number that the driver (NVRTC) does not define. */
const char *cushim__cuda_result_name(int result);
const char *cushim__cuda_result_text(int result);
const char *cushim__nvrtc_result_name(int result);
const char *cushim__nvrtc_result_text(int result);

/* For any status; never NULL. */
const char *cushim__status_name(cushim_status status);
const char *cushim__status_text(cushim_status status);

struct cushim__error {
    cushim_status status;
    char call[64];
    char label[64];
    char text[1024];
    unsigned log; /* number of the log that goes with it, 0 without */
};

/* The calling thread's last error. */
struct cushim__error *cushim__error(void);

/*
 * Remembers an error of the calling thread and returns its status, so that a
 * failing function ends with `return cushim__fail(...)`. call is the function that
 * failed, label the object it was about; either may be NULL.
 */
cushim_status cushim__fail_at(cushim_status status, const char *call, const char *label,
                              const char *format, ...) CUSHIM_PRINTF(4, 5) __attribute__((cold));

/*
 * Gives the calling thread's last error a log, which is copied; NULL or "" is none. Without
 * memory the error has no log: it is an error all the same.
 */
void cushim__error_add_log(const char *log);

/* The log of the calling thread's last error, "" without. */
const char *cushim__error_log(void);

#define cushim__fail(status, ...) cushim__fail_at(status, __func__, NULL, __VA_ARGS__)

#endif
