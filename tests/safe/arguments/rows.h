/* SPDX-License-Identifier: MIT */
/*
 * One row for each public function: its name, what it returns, and the kinds of its arguments.
 *
 *     #define MY_ROWS(X, X0)                                  \
 *         X(cushim_event_record, STATUS, EVENT, STREAM)       \
 *         X0(cushim_error_clear, NOTHING)
 *     DEFINE_ROWS(my_rows, MY_ROWS)
 *
 * A function that needs something before or after each call also has an entry in around.c.
 */
#ifndef CUSHIM_TESTS_SAFE_ARGUMENTS_ROWS_H
#define CUSHIM_TESTS_SAFE_ARGUMENTS_ROWS_H

#include "world.h"

enum { MOST_ARGUMENTS = 7, NO_RESULT = -1000, NOT_READY = 600 };

enum result {
    STATUS,     /* a status, which is not 0 on failure */
    POINTER,    /* NULL on failure */
    TRUTH,      /* false on failure */
    VALUE,      /* something that does not fail */
    FREES,      /* nothing: it frees the object of its argument, and cannot fail */
    NOTHING,    /* nothing */
    RUNS,       /* an operation, which is run: the status is that */
    SPLITS,     /* the same, of which an array is made */
    DESCRIPTOR, /* below 0 on failure */
};

struct row {
    const char *name;
    enum result result;
    int (*call)(const union value *a); /* the status, or NO_RESULT */
    unsigned n;
    enum kind kinds[MOST_ARGUMENTS];
};

struct rows {
    const struct row *list;
    size_t n;
};

extern const struct rows early_rows, driver_rows, work_rows, memory_rows, shared_rows, code_rows,
    async_rows, mock_rows;

/* What goes around the calls of one function. */
struct around {
    const char *name;
    const char *alias; /* another name that errors use, such as that of a macro; or NULL */
    int good;          /* the status with good arguments; NOT_READY: or 0 */
    bool mixes;        /* it takes objects of different contexts */
    /* Prepares a call, whose arguments it may change; and takes back what the call has done. */
    void (*before)(struct world *w, union value *a);
    void (*after)(struct world *w, const union value *a, int status);
};

/* Returns what goes around the calls of a function; without an entry, nothing. */
const struct around *around(const char *name);

#define RESULT_STATUS(call)  (call)
#define RESULT_POINTER(call) ((call) ? CUSHIM_OK : NO_RESULT)
#define RESULT_TRUTH(call)   ((call) ? CUSHIM_OK : NO_RESULT)
#define RESULT_NOTHING(call) ((call), CUSHIM_OK)
#define RESULT_FREES(call)   ((call), CUSHIM_OK)
#define RESULT_VALUE(call)                                                                         \
    __extension__({                                                                                \
        const __typeof__(call) value = (call);                                                     \
        (void) value;                                                                              \
        CUSHIM_OK;                                                                                 \
    })

#define COUNT_OF(...)                                 COUNT_OF_(__VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, 0)
#define COUNT_OF_(a1, a2, a3, a4, a5, a6, a7, n, ...) n
#define JOINED(a, b)                                  JOINED_(a, b)
#define JOINED_(a, b)                                 a##b

#define PASS_1(k1)                         a[0].k1
#define PASS_2(k1, k2)                     PASS_1(k1), a[1].k2
#define PASS_3(k1, k2, k3)                 PASS_2(k1, k2), a[2].k3
#define PASS_4(k1, k2, k3, k4)             PASS_3(k1, k2, k3), a[3].k4
#define PASS_5(k1, k2, k3, k4, k5)         PASS_4(k1, k2, k3, k4), a[4].k5
#define PASS_6(k1, k2, k3, k4, k5, k6)     PASS_5(k1, k2, k3, k4, k5), a[5].k6
#define PASS_7(k1, k2, k3, k4, k5, k6, k7) PASS_6(k1, k2, k3, k4, k5, k6), a[6].k7

#define KINDS_1(k1)                         KIND_##k1
#define KINDS_2(k1, k2)                     KINDS_1(k1), KIND_##k2
#define KINDS_3(k1, k2, k3)                 KINDS_2(k1, k2), KIND_##k3
#define KINDS_4(k1, k2, k3, k4)             KINDS_3(k1, k2, k3), KIND_##k4
#define KINDS_5(k1, k2, k3, k4, k5)         KINDS_4(k1, k2, k3, k4), KIND_##k5
#define KINDS_6(k1, k2, k3, k4, k5, k6)     KINDS_5(k1, k2, k3, k4, k5), KIND_##k6
#define KINDS_7(k1, k2, k3, k4, k5, k6, k7) KINDS_6(k1, k2, k3, k4, k5, k6), KIND_##k7

#define ROW_CALL(name, result, ...)                                                                \
    static int call_##name(const union value *a)                                                   \
    {                                                                                              \
        return RESULT_##result(name(JOINED(PASS_, COUNT_OF(__VA_ARGS__))(__VA_ARGS__)));           \
    }
#define ROW_CALL_0(name, result)                                                                   \
    static int call_##name(const union value *a)                                                   \
    {                                                                                              \
        (void) a;                                                                                  \
        return RESULT_##result(name());                                                            \
    }
#define ROW_ENTRY(name, result, ...)                                                               \
    {#name,                                                                                        \
     result,                                                                                       \
     call_##name,                                                                                  \
     COUNT_OF(__VA_ARGS__),                                                                        \
     {JOINED(KINDS_, COUNT_OF(__VA_ARGS__))(__VA_ARGS__)}},
#define ROW_ENTRY_0(name, result) {#name, result, call_##name, 0, {0}},

#define DEFINE_ROWS(name, map)                                                                     \
    map(ROW_CALL,                                                                                  \
        ROW_CALL_0) static const struct row name##_list[] = {map(ROW_ENTRY, ROW_ENTRY_0)};         \
    const struct rows name = {name##_list, sizeof(name##_list) / sizeof(struct row)};

#endif
