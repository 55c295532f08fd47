/* SPDX-License-Identifier: MIT */
/* Problems on a driver of CUDA: the one that the environment names, as for every program of cushim.
 */
#include <cushim/cushim.h>

#include "../calls.h"
#include "problems.h"

static cushim_stream stream;
static cushim_function functions[MOST_STEPS];
static cushim_slice slices[MEMORIES];

static const char *begin(const struct problem *problem, const char *source, struct memories *m)
{
    cushim_driver driver;
    cushim_context context;
    cushim_module module;

    TRY(cushim_open(NULL, &driver));
    TRY(cushim_context_primary(driver, 0, &context));
    TRY(cushim_stream_default(context, &stream));
    if (cushim_module_compile(context, source, NULL, &module))
        return cushim_error_text();
    for (int i = 0; i < MOST_STEPS && problem->steps[i].kernel; i++)
        TRY(cushim_module_function(module, problem->steps[i].kernel, &functions[i]));
    for (int i = 0; i < MEMORIES; i++)
        TRY(cushim_slice_from(stream, m->m[i], problem->count[i], &slices[i]));
    return NULL;
}

static void launch(const struct problem *problem)
{
    for (int i = 0; i < MOST_STEPS && problem->steps[i].kernel; i++) {
        const struct step *step = &problem->steps[i];

        TRY(cushim_launch(
            stream, functions[i],
            cushim_launch_config(.grid = {step->grid[0], step->grid[1], step->grid[2]},
                                 .block = {step->block[0], step->block[1], step->block[2]}),
            CUSHIM_INOUT(slices[0]), CUSHIM_INOUT(slices[1]), CUSHIM_INOUT(slices[2]),
            CUSHIM_VALUE(step->n)));
    }
    TRY(cushim_stream_synchronize(stream));
}

static void read(const struct problem *problem, struct memories *m)
{
    for (int i = 0; i < MEMORIES; i++)
        TRY(cushim_slice_read(stream, slices[i], m->m[i], problem->count[i]));
}

const struct way way_driver = {begin, launch, read};
