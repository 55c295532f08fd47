/* SPDX-License-Identifier: MIT */
#include "loader/missing.h"

#include <pthread.h>
#include <stdio.h>

#include <cushim/rows.h>

#include "base/fork.h"
#include "base/status.h"
#include "base/str.h"
#include "base/util.h"
#include "loader/kind.h"

/* Protects the explanations, which one thread may write while another one reads them. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char explanations[CUSHIM__KINDS]
                        [512]; /* why the last search found no library, for each kind */

/* A child of fork() may find the mutex held by a thread that it does not have. */
CUSHIM__OPEN_IN_CHILD(mutex);

static void append_version(struct cushim__str *text, int version)
{
    cushim__str_append(text, "%d.%d", version / 1000, version % 1000 / 10);
}

/* Appends "needs CUDA 11.6", "was removed in CUDA 13.0", or another reason. */
static void append_cause(struct cushim__str *text, const struct cushim__row *row,
                         const struct cushim__library *library)
{
    if (row->until && library->version >= row->until) {
        cushim__str_append(text, " was removed in CUDA ");
        append_version(text, row->until);
    } else if (library->version >= row->since) {
        cushim__str_append(text, " came with CUDA ");
        append_version(text, row->since);
        cushim__str_append(text, ", but this library is built without it");
    } else {
        cushim__str_append(text, " needs CUDA ");
        append_version(text, row->since);
    }
}

/*
 * A stand-in knows its row, but not the table through which it was called. So the text names all
 * open libraries that lack the row.
 */
int cushim__answer_missing(const struct cushim__rows *rows, unsigned row)
{
    const char *symbol = cushim__row_symbol(rows, row);
    SCOPED_STR text = {0};
    size_t lacking = 0;

    cushim__str_append(&text, "%s", symbol);
    /* No lock: libraries are only added to the list, complete, and are never closed. */
    for (const struct cushim__library *l = cushim__libraries(); l; l = l->next) {
        if (l->kind->rows != rows || l->has[row])
            continue;
        if (!lacking++)
            append_cause(&text, &rows->rows[row], l);
        cushim__str_append(&text, lacking == 1 ? "; this %s is " : ", another %s is ",
                           l->kind->noun);
        append_version(&text, l->version);
    }
    return cushim__fail_at(CUSHIM__SYMBOL_NOT_FOUND, symbol, NULL, "%s", cushim__str_get(&text));
}

cushim_status cushim__fail_missing(const struct cushim__library *library, size_t row,
                                   const char *call)
{
    const struct cushim__rows *rows = library->kind->rows;
    SCOPED_STR text = {0};

    cushim__str_append(&text, "%s", cushim__row_symbol(rows, row));
    append_cause(&text, &rows->rows[row], library);
    cushim__str_append(&text, "; this %s is ", library->kind->noun);
    append_version(&text, library->version);
    return cushim__fail_at(CUSHIM_ERROR_MISSING_SYMBOL, call, NULL, "%s", cushim__str_get(&text));
}

int cushim__answer_closed(const struct cushim__rows *rows, unsigned row)
{
    const struct cushim__kind *kind = cushim__kind_of(rows);
    const char *symbol = cushim__row_symbol(rows, row);
    /* The text is copied, so that the lock is not held while the error text is made. */
    char why[sizeof(explanations[0])];

    pthread_mutex_lock(&mutex);
    snprintf(why, sizeof(why), "%s", explanations[kind->id]);
    pthread_mutex_unlock(&mutex);
    return cushim__fail_at(CUSHIM__INIT_FAILED, symbol, NULL, "%s: no %s is open%s%s", symbol,
                           kind->noun, *why ? "; " : "", why);
}

/* Functions that return a text must not return NULL: callers print it. */
const char *cushim__answer_string(void)
{
    return "this function is not available";
}

/* Each search replaces the text of the one before: only the last one says what to mend. */
void cushim__missing_explain(const struct cushim__rows *rows, const char *why)
{
    pthread_mutex_lock(&mutex);
    snprintf(explanations[cushim__kind_of(rows)->id], sizeof(explanations[0]), "%s", why);
    pthread_mutex_unlock(&mutex);
}

/* --- functions that work without a library: the names and texts of results --- */

/*
 * A program that has found no driver prints the error with these functions, so they answer by
 * themselves, with the results of the driver's own functions.
 */
static int answer_text(const char *known, const char **ret_text)
{
    enum { INVALID_VALUE = 1 };

    if (ret_text)
        *ret_text = known;
    return known && ret_text ? 0 : INVALID_VALUE;
}

static int error_name(int result, const char **ret_name)
{
    return answer_text(cushim__cuda_result_name(result), ret_name);
}

static int error_string(int result, const char **ret_text)
{
    return answer_text(cushim__cuda_result_text(result), ret_text);
}

/* The stand-ins of NVRTC answer with numbers of the driver, so those have a text here, too. */
static const char *nvrtc_error_string(int result)
{
    const char *name = cushim__nvrtc_result_name(result);

    if (!name && (result == CUSHIM__SYMBOL_NOT_FOUND || result == CUSHIM__INIT_FAILED))
        name = cushim__cuda_result_name(result);
    return name ? name : "NVRTC_ERROR unknown";
}

static cushim__entry *answered_here(const struct cushim__rows *rows, size_t row)
{
    if (rows == &cushim__cuda_rows && row == CUSHIM_ROW_cuGetErrorName)
        return (cushim__entry *) error_name;
    if (rows == &cushim__cuda_rows && row == CUSHIM_ROW_cuGetErrorString)
        return (cushim__entry *) error_string;
    if (rows == &cushim__nvrtc_rows && row == CUSHIM_ROW_nvrtcGetErrorString)
        return (cushim__entry *) nvrtc_error_string;
    return NULL;
}

/* --- rows that only a later version of cushim knows --- */

static int beyond_missing(void)
{
    return cushim__fail_at(CUSHIM__SYMBOL_NOT_FOUND, NULL, NULL,
                           "the program was built with a later cushim than the one it runs with, "
                           "which does not know this function");
}

/* The text is that of beyond_missing(). The result is the one of all rows of a closed table. */
static int beyond_closed(void)
{
    beyond_missing();
    return CUSHIM__INIT_FAILED;
}

static cushim__entry *stand_in(const struct cushim__rows *rows, size_t row,
                               cushim__entry *const *stand_ins, int (*beyond)(void))
{
    cushim__entry *entry = answered_here(rows, row);

    /* A table of a later version is longer than the list of stand-ins here. */
    if (row >= rows->count)
        return (cushim__entry *) beyond;
    return entry ? entry : stand_ins[row];
}

cushim__entry *cushim__missing_entry(const struct cushim__rows *rows, size_t row)
{
    return stand_in(rows, row, cushim__kind_of(rows)->missing, beyond_missing);
}

cushim__entry *cushim__closed_entry(const struct cushim__rows *rows, size_t row)
{
    return stand_in(rows, row, cushim__kind_of(rows)->closed, beyond_closed);
}
