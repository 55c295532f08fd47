/* SPDX-License-Identifier: MIT */
/*
 * S12, and every place at once: a program is run again and again, and each time the next driver
 * call fails. Whatever it was, the program ends with a status, and afterwards nothing is left:
 * neither objects of the driver nor a claim of the mock's that something was used out of order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

enum { N = 64 };

static cushim_status work(cushim_driver driver)
{
    CUSHIM_SCOPED(cushim_context) one = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_context) two = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) a = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) b = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) far = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_event) event = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) x = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) y = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_slice) z = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_pinned) pinned = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_unified) unified = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_stream) recorder = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_graph) graph = CUSHIM_NONE;
    int values[N] = {1, 2, 3};
    const void *pointer;

    CUSHIM_TRY(cushim_context_primary(driver, 0, &one));
    CUSHIM_TRY(cushim_context_create(driver, 1, 0, &two));
    CUSHIM_TRY(cushim_stream_new(one, cushim_stream_params(.label = "a"), &a));
    CUSHIM_TRY(cushim_stream_fork(a, &b));
    CUSHIM_TRY(cushim_stream_new(two, NULL, &far));
    CUSHIM_TRY(cushim_event_new(one, 0, &event));
    CUSHIM_TRY(cushim_slice_from(a, values, N, &x));
    CUSHIM_TRY(cushim_slice_zeros(b, 4, N, &y));
    CUSHIM_TRY(cushim_slice_alloc(far, 4, N, &z));
    CUSHIM_TRY(cushim_slice_copy(b, y, x));
    CUSHIM_TRY(cushim_slice_fill(a, x, 4));
    CUSHIM_TRY(cushim_slice_copy(far, z, y));
    CUSHIM_TRY(cushim_slice_fill(a, y, 4));
    CUSHIM_TRY(cushim_event_record(event, a));
    CUSHIM_TRY(cushim_stream_wait(far, event));
    CUSHIM_TRY(cushim_pinned_alloc(one, 4, N, 0, &pinned));
    CUSHIM_TRY(cushim_slice_copy(b, pinned, x));
    CUSHIM_TRY(cushim_pinned_read(pinned, &pointer));
    CUSHIM_TRY(cushim_unified_alloc(one, 4, N, CUSHIM_ATTACH_GLOBAL, &unified));
    CUSHIM_TRY(cushim_slice_copy(a, unified, x));
    CUSHIM_TRY(cushim_slice_copy(b, unified, y));
    CUSHIM_TRY(cushim_unified_read(unified, &pointer));
    CUSHIM_TRY(cushim_slice_read(far, z, values, N));
    CUSHIM_TRY(cushim_capture_begin(one, &recorder));
    CUSHIM_TRY(cushim_slice_fill(recorder, x, 5));
    CUSHIM_TRY(cushim_slice_copy(recorder, y, x));
    CUSHIM_TRY(cushim_capture_end(&recorder, &graph));
    CUSHIM_TRY(cushim_graph_launch(graph, a));
    CUSHIM_TRY(cushim_graph_launch(graph, b));
    cushim_slice_free(&x);
    CUSHIM_TRY(cushim_graph_launch(graph, a));
    return cushim_context_synchronize(one);
}

static bool gives_back(const char *name)
{
    static const char *const names[] = {
        "cuMemFree",      "cuStreamDestroy",           "cuEventDestroy",
        "cuCtxDestroy",   "cuDevicePrimaryCtxRelease", "cuCtxPopCurrent",
        "cuGraphDestroy", "cuGraphExecDestroy"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!strncmp(name, names[i], strlen(names[i])))
            return true;
    return false;
}

/* The n-th call fails, unless it is one that gives back: that would leave something by itself. */
struct failing {
    int calls, nth;
    bool failed, is_done;
    char name[64];
};

static bool before(struct cushim_call *call, void *user)
{
    struct failing *f = user;

    if (++f->calls != f->nth)
        return false;
    snprintf(f->name, sizeof(f->name), "%s", call->name);
    f->failed = !gives_back(call->name);
    call->result = 2; /* out of memory */
    return f->failed;
}

/* 0 right, 1 wrong, 2 there is no such call any more. */
static int run(int nth)
{
    const struct cushim_mock_config config = {.devices = "h200,h200"};
    struct failing failing = {.nth = nth};
    const struct cushim_hooks hooks = {.before = before, .user = &failing};
    const struct cushim_mock_finding *findings = NULL;
    cushim_driver below = CUSHIM_NONE, driver = CUSHIM_NONE;
    cushim_status status;

    if (cushim_mock_configure(&config) ||
        cushim_open(cushim_open_params(.library = MOCK), &below) ||
        cushim_interpose(below, &hooks, 1, &driver))
        return 1;
    status = work(driver);
    cushim_close(&driver);
    cushim_close(&below);
    cushim_mock_leaks();
    if (cushim_mock_findings(&findings)) {
        fprintf(stderr, "call %d, %s, failed: %s\n", nth, failing.name, findings[0].text);
        return 1;
    }
    if (!*failing.name && status)
        fprintf(stderr, "without a failure: %s\n", cushim_error_text());
    return *failing.name ? 0 : status ? 1 : 2;
}

int main(void)
{
    int status = 0, nth = 1;

    for (; nth < 1000; nth++) {
        const pid_t child = fork();

        if (child == 0)
            _exit(run(nth));
        if (waitpid(child, &status, 0) != child || (status && WEXITSTATUS(status) != 2)) {
            fprintf(stderr, "with a failure of call %d: status 0x%x\n", nth, (unsigned) status);
            return 1;
        }
        if (status)
            break;
    }
    printf("each of %d calls failed once, and nothing was left\n", nth - 1);
    return nth > 100 && nth < 1000 ? 0 : 1;
}
