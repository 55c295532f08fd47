/* SPDX-License-Identifier: MIT */
/* What the log says of objects that were never freed. */
#include <stdio.h>

#include "support.h"

SUITE(safe_leaks);

enum { N = 64 };

static cushim_slice filled(cushim_stream stream, int value)
{
    cushim_slice slice = CUSHIM_NONE;

    assert_ok(cushim_slice_alloc(stream, sizeof(int), N, &slice));
    assert_ok(cushim_slice_fill(stream, slice, value));
    return slice;
}

static int first(cushim_stream stream, cushim_slice slice)
{
    int values[N] = {0};

    assert_ok(cushim_slice_read(stream, slice, values, N));
    return values[0];
}

static char logged[1000];

static void keep_log(enum cushim_log_level level, const char *message, void *user)
{
    (void) user;
    if (level == CUSHIM_LOG_WARNING)
        snprintf(logged + strlen(logged), sizeof(logged) - strlen(logged), "%s\n", message);
}

Test(safe_leaks, closing_a_driver_tells_what_was_never_freed)
{
    cushim_stream stream = CUSHIM_NONE, copy;
    cushim_slice slice, slice_copy;
    struct world w;

    open_world(&w);
    assert_ok(cushim_stream_new(w.context, cushim_stream_params(.label = "main"), &stream));
    slice = filled(stream, 1);
    copy = stream;
    slice_copy = slice;
    cushim_context_free(&w.context);
    cushim_log_set(CUSHIM_LOG_WARNING, keep_log, NULL);
    cushim_close(&w.driver);
    cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
    assert_contains(logged,
                    "not freed before its driver was closed: stream 'main', made by test_leaks.c:");
    assert_contains(logged, "not freed before its driver was closed: slice, made by test_leaks.c:");
    cr_expect(eq(ptr, strstr(logged, "context"), NULL), "%s", logged);
    /* They are as good as before. */
    cr_expect(eq(int, first(copy, slice_copy), 1));
    cushim_slice_free(&slice_copy);
    cushim_stream_free(&copy);
    close_world(&w);
}

/* The context keeps its default stream, but not what the program retains of it. */
Test(safe_leaks, locations_of_what_was_never_freed)
{
    cushim_stream stream, again = CUSHIM_NONE, recorder;
    cushim_graph graph = CUSHIM_NONE;
    const struct cushim_arena_params *params =
        cushim_arena_params(.label = "shapes", .limit = 64 << 20);
    cushim_arena arena = CUSHIM_NONE;
    char retained[100], ended[100], kept[100];
    cushim_slice slice;
    struct world w;

    open_world(&w);
    assert_ok(cushim_stream_default(w.context, &stream));
    slice = filled(stream, 1);
    snprintf(retained, sizeof(retained), "another handle of a stream, made by test_leaks.c:%d",
             __LINE__ + 1);
    assert_ok(cushim_stream_retain(stream, &again));
    assert_ok(cushim_capture_begin(w.context, &recorder));
    assert_ok(cushim_slice_fill(recorder, slice, 1));
    /* What failed has no location, and leaves none for what is made next. */
    assert_status(cushim_slice_alloc(stream, 0, 1, &slice), CUSHIM_ERROR_INVALID_ARGUMENT);
    snprintf(ended, sizeof(ended), "graph, made by test_leaks.c:%d", __LINE__ + 1);
    assert_ok(cushim_capture_end(&recorder, &graph));
    snprintf(kept, sizeof(kept), "arena 'shapes', made by test_leaks.c:%d", __LINE__ + 1);
    assert_ok(cushim_arena_new(w.context, params, &arena));
    logged[0] = '\0';
    cushim_context_free(&w.context);
    cushim_log_set(CUSHIM_LOG_WARNING, keep_log, NULL);
    cushim_close(&w.driver);
    cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
    assert_contains(logged, retained);
    assert_contains(logged, ended);
    assert_contains(logged, kept);
    cushim_arena_free(&arena);
    cushim_stream_free(&again);
    cushim_slice_free(&slice);
    cushim_graph_free(&graph);
    close_world(&w);
}
