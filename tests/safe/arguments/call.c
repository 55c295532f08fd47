/* SPDX-License-Identifier: MIT */
#include "call.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT_BYTES = 1024, PATTERN = 0xa5, SECONDS = 60 };

size_t calls, wrongs;

/* The call that runs now, for messages. */
static char doing[512];

/* A call with its arguments. */
struct call {
    struct world *w;
    const struct row *row;
    const struct around *around;
    const struct bad *const *bad;
    union value a[MOST_ARGUMENTS];
    _Alignas(16) unsigned char outputs[MOST_ARGUMENTS][OUTPUT_BYTES];
    uint64_t cells[MOST_ARGUMENTS]; /* the handles of objects that were made for the call */
    size_t handles, findings;       /* before the call */
    unsigned n_bad;                 /* how many arguments are */
    bool refused;                   /* must it fail */
    int status;
};

static void on_signal(int number)
{
    static const char crashed[] = "a signal in: ";

    if (write(STDERR_FILENO, crashed, sizeof(crashed) - 1) < 0 ||
        write(STDERR_FILENO, doing, strlen(doing)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
        _exit(1);
    signal(number, SIG_DFL);
    raise(number);
}

void tell_at_signals(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        signal(numbers[i], on_signal);
}

void world_fail(const char *format, ...)
{
    va_list list;

    wrongs++;
    fprintf(stderr, "%s: ", doing);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

/* Whether a sentence is one line, without control characters and without "(null)". */
static bool is_sentence(const char *text)
{
    for (const char *c = text; *c; c++)
        if ((unsigned char) *c < ' ' || *c == 0x7f)
            return false;
    return *text && !strstr(text, "(null)");
}

void world_log(enum cushim_log_level level, const char *message, void *user)
{
    (void) level, (void) user;
    if (!is_sentence(message))
        world_fail("a message of the log is no sentence: '%s'", message);
    if (strstr(message, "not freed before"))
        world_fail("%s", message);
}

/* --- before a call --- */

static void describe(const struct call *call)
{
    size_t n = (size_t) snprintf(doing, sizeof(doing), "%s", call->row->name);

    for (unsigned i = 0; i < call->row->n && n < sizeof(doing); i++)
        if (call->bad[i])
            n += (size_t) snprintf(doing + n, sizeof(doing) - n, ", argument %u (%s): %s", i,
                                   kind_info[call->row->kinds[i]].name, call->bad[i]->what);
}

static enum class class_of(const struct call *call, unsigned i) {
    return kind_info[call->row->kinds[i]].class;
}

static bool is_output(const struct call *call, unsigned i)
{
    const enum class class = class_of(call, i);

    return class == OUTPUT || class == OUTPUT_OR_NULL || class == HANDLES ||
           class == HANDLES_OR_NULL;
}

static void fill_good(struct call *call, unsigned i)
{
    const enum kind kind = call->row->kinds[i];

    call->a[i] = call->w->good[kind];
    if (is_output(call, i))
        call->a[i].pointer = call->outputs[i];
    if (class_of(call, i) == FRESH)
        call->a[i].bits = call->cells[i] = world_make(&call->w->own, kind_info[kind].number);
    if (class_of(call, i) == TAKEN) {
        call->cells[i] = world_make(&call->w->own, kind_info[kind].number);
        call->a[i].pointer = &call->cells[i];
    }
}

static void fill_bad(struct call *call, unsigned i)
{
    call->a[i] = call->bad[i]->value;
    if (call->bad[i]->is_handle) {
        call->cells[i] = call->bad[i]->value.bits;
        call->a[i].pointer = &call->cells[i];
    }
    call->refused |= call->n_bad == 1 ? call->bad[i]->refused : call->bad[i]->always;
}

static void prepare(struct call *call)
{
    describe(call);
    call->handles = world_handles();
    call->findings = cushim_mock_findings(NULL);
    memset(call->outputs, PATTERN, sizeof(call->outputs));
    for (unsigned i = 0; i < call->row->n; i++)
        call->n_bad += call->bad[i] != NULL;
    for (unsigned i = 0; i < call->row->n; i++) {
        if (call->bad[i])
            fill_bad(call, i);
        else
            fill_good(call, i);
    }
    if (call->around->before)
        call->around->before(call->w, call->a);
}

/* --- after a call --- */

/* A function that programs call by a macro is named by the macro. */
static bool names(const struct call *call, const char *text)
{
    const char *alias = call->around->alias;

    if (alias && !strncmp(alias, "cushim_", strlen("cushim_")))
        return strstr(text, alias);
    return strstr(text, call->row->name) || (alias && strstr(text, alias));
}

/* A call that fails says why, in a sentence that names it. */
static void check_error(const struct call *call)
{
    const bool is_mock = !strncmp(call->row->name, "cushim_mock_", strlen("cushim_mock_"));
    const char *text = is_mock ? cushim_mock_error_text() : cushim_error_text();

    if (call->status == NOT_READY)
        return;
    if (call->row->result == RUNS) {
        /* What gives a handle on as it is can give one that is none. */
        if (!strstr(text, "step ") && strncmp(text, "cushim_op_run: ", strlen("cushim_op_run: ")))
            world_fail("failed with %d, and '%s' names no step", call->status, text);
        return;
    }
    if (!is_sentence(text))
        world_fail("failed with %d, and '%s' is no sentence", call->status, text);
    else if (!is_mock && !names(call, text) && !names(call, cushim_error_call()))
        world_fail("failed with %d, and neither '%s' nor '%s' names it", call->status, text,
                   cushim_error_call());
    if (!is_mock && call->status != NO_RESULT && cushim_error_status() != call->status)
        world_fail("failed with %d, and the last error is %d", call->status, cushim_error_status());
}

static void check_outputs(const struct call *call)
{
    for (unsigned i = 0; i < call->row->n; i++)
        for (size_t k = 0; k < OUTPUT_BYTES; k++)
            if (call->outputs[i][k] != PATTERN) {
                world_fail("failed with %d, %s, and has written to argument %u", call->status,
                           cushim_error_text(), i);
                return;
            }
}

static void check_freed(const struct call *call)
{
    if (call->a[0].pointer && call->cells[0])
        world_fail("the handle is 0x%llx and not zero", (unsigned long long) call->cells[0]);
    if (cushim_error_status())
        world_fail("frees, and the last error is %s", cushim_error_text());
}

/* Tells whether an argument is an object of a context, or memory of one. */
static bool is_of_context(enum kind kind)
{
    const struct kind_info *info = &kind_info[kind];

    switch (info->class) {
    case HANDLE:
    case HANDLE_OR_NONE:
    case FRESH:
    case TAKEN:
        return info->number > CUSHIM__HANDLE_CONTEXT && info->number < CUSHIM__HANDLE_OP;
    case VIEW_OF:
    case WRITABLE:
        return true;
    case BY_VALUE:
        return fields_of(kind)->list[0].bytes == sizeof(cushim_view);
    default:
        return false;
    }
}

/* Objects that a call takes are of one context, unless the function says otherwise. */
static void check_foreign(const struct call *call)
{
    const struct bad *foreign = NULL;
    unsigned n = 0;

    for (unsigned i = 0; i < call->row->n; i++) {
        n += is_of_context(call->row->kinds[i]);
        if (call->bad[i] && call->bad[i]->is_foreign)
            foreign = call->bad[i];
    }
    if (foreign && n > 1 && call->n_bad == 1 && !call->around->mixes &&
        call->status != CUSHIM_ERROR_FOREIGN_CONTEXT)
        world_fail("the result is %d, and not CUSHIM_ERROR_FOREIGN_CONTEXT", call->status);
}

static void check_result(const struct call *call)
{
    const int good = call->around->good;

    if (!call->n_bad && call->status != good && (call->status || good != NOT_READY))
        world_fail("the result with good arguments is %d, %s", call->status, cushim_error_text());
    if (call->refused && !call->status && call->row->result <= TRUTH)
        world_fail("it was not refused");
    check_foreign(call);
    if (call->row->result == FREES)
        check_freed(call);
    if (call->status) {
        check_error(call);
        check_outputs(call);
    }
}

/* Frees what the call has made, and what was made for the call. */
static void take_back(struct call *call)
{
    uint64_t id;

    if (call->around->after)
        call->around->after(call->w, call->a, call->status);
    for (unsigned i = 0; i < call->row->n; i++) {
        const enum class class = class_of(call, i);

        if ((class == HANDLES || class == HANDLES_OR_NULL) && !call->status && call->a[i].pointer) {
            memcpy(&id, call->outputs[i], sizeof(id));
            world_free(&id);
        }
        if (!call->bad[i] && (class == TAKEN || class == FRESH))
            world_free(&call->cells[i]);
    }
}

static void check_world(const struct call *call)
{
    const struct cushim_mock_finding *findings = NULL;
    const size_t handles = world_handles(), n = cushim_mock_findings(&findings);

    if (handles != call->handles)
        world_fail("%zu handles are open, before there were %zu", handles, call->handles);
    if (n != call->findings)
        world_fail("the mock found: %s", findings[n - 1].text);
}

void call_row(struct world *w, const struct row *row, const struct bad *const *bad)
{
    struct call call = {.w = w, .row = row, .around = around(row->name), .bad = bad};

    alarm(SECONDS);
    prepare(&call);
    cushim_error_clear();
    call.status = row->call(call.a);
    check_result(&call);
    take_back(&call);
    check_world(&call);
    calls++;
}
