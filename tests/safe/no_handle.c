/* SPDX-License-Identifier: MIT */
/*
 * A launch that is timed makes two events. Where there is no memory for them, or for their handles,
 * the launch fails, and the driver has not got it. Linked with --wrap, so that only the library's
 * own allocations fail.
 */
#include <cushim/cushim.h>
#include <cushim/mock.h>

#include "../support/failing_alloc.h"
#include "plain.h"

enum { LAUNCHES = 300, MOST_ALLOCATIONS = 50 };

static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                          ".visible .entry f() { ret; }\n";

static cushim_event events[2 * LAUNCHES];
static int launched, failed;

static bool count_launches(struct cushim_call *call, void *user)
{
    (void) user;
    launched += !strncmp(call->name, "cuLaunch", 8);
    return false;
}

#define OK(call) CHECK_EQ(call, CUSHIM_OK)

/* Launches once, after a failure of each allocation in turn. The events stay: handles get scarce.
 */
static void launch(cushim_stream stream, cushim_function function, cushim_event *pair)
{
    struct cushim_launch_config config = cushim_for_elements(1);
    cushim_status status = CUSHIM_ERROR_NO_MEMORY;

    config.options = cushim_launch_options(.ret_start = &pair[0], .ret_end = &pair[1]);
    for (int nth = 0; status && nth < MOST_ALLOCATIONS; nth++) {
        const int before = launched;

        countdown = nth;
        status = cushim_launch(stream, function, config);
        countdown = NEVER;
        failed += status != CUSHIM_OK;
        CHECK_EQ(launched, before + !status);
        CHECK_EQ(pair[0].id != 0, !status);
        CHECK_EQ(pair[1].id != 0, !status);
    }
    OK(status);
}

int main(void)
{
    const struct cushim_hooks hooks = {.before = count_launches};
    cushim_driver below = CUSHIM_NONE, driver = CUSHIM_NONE;
    cushim_context context = CUSHIM_NONE;
    cushim_module module = CUSHIM_NONE;
    cushim_stream stream = CUSHIM_NONE;
    cushim_function function;

    OK(cushim_open(cushim_open_params(.library = MOCK), &below));
    OK(cushim_interpose(below, &hooks, 1, &driver));
    OK(cushim_context_primary(driver, 0, &context));
    OK(cushim_stream_new(context, NULL, &stream));
    OK(cushim_module_load_text(context, ptx, NULL, &module));
    OK(cushim_module_function(module, "f", &function));
    for (int i = 0; i < LAUNCHES; i++)
        launch(stream, function, &events[2 * i]);
    CHECK_EQ(failed > 2 * LAUNCHES, true);
    for (int i = 0; i < 2 * LAUNCHES; i++)
        cushim_event_free(&events[i]);
    cushim_module_free(&module);
    cushim_stream_free(&stream);
    cushim_context_free(&context);
    cushim_close(&driver);
    cushim_close(&below);
    cushim_mock_leaks();
    CHECK_EQ(cushim_mock_findings(NULL), 0);
    printf("%d launches, %d that failed before\n", launched, failed);
    return 0;
}
