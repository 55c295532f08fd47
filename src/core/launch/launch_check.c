/* SPDX-License-Identifier: MIT */
/*
 * Checks a launch before the driver sees it. A driver would return only a number for these
 * mistakes, and would not notice an argument of a wrong size: it would read beyond it. So the texts
 * here name the kernel, the argument and the limit.
 */
#include <ctype.h>
#include <string.h>

#include "core/launch/launch.h"

#define FAIL(launch, ...)                                                                          \
    cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, (launch)->scope->call,                          \
                    (launch)->function->name, __VA_ARGS__)

static const char axes[] = "xyz";

bool cushim__shape_of_grid(const struct cushim__function *function,
                           const struct cushim_launch_config *config,
                           struct cushim__shape *ret_shape)
{
    const struct cushim__limits *limits = &function->object.context->limits;
    unsigned *grid = ret_shape->grid, *block = ret_shape->block;
    bool fits = true;

    for (int i = 0; i < 3; i++) {
        grid[i] = config->grid[i] || !i ? config->grid[i] : 1;
        block[i] = config->block[i] || !i ? config->block[i] : 1;
        fits = fits && grid[i] <= (unsigned) limits->max_grid[i] &&
               block[i] <= (unsigned) limits->max_block[i];
    }
    return fits && grid[0] && block[0] &&
           (uint64_t) block[0] * block[1] * block[2] <= function->max_threads;
}

/* The blocks in x of the clusters that the launch asks for, or that the kernel was compiled for. */
static size_t cluster_of(const struct cushim__launch *launch)
{
    const struct cushim_launch_options *options = launch->config->options;

    return options && options->cluster[0] ? options->cluster[0] : launch->function->cluster;
}

/* Rounds the grid for a number of elements up to whole clusters, and checks it. */
static cushim_status settle_elements(struct cushim__launch *launch)
{
    const size_t n = launch->config->elements, threads = launch->shape.block[0];
    const size_t most = (size_t) launch->scope->context->limits.max_grid[0];
    const size_t cluster = cluster_of(launch);
    size_t blocks = n / threads + (n % threads != 0);

    blocks += (cluster - blocks % cluster) % cluster;
    if (cushim__has_grid(launch->config))
        return FAIL(launch, "%s: both elements, and a grid or a block, are given",
                    launch->function->name);
    if (blocks > most)
        return FAIL(launch, "%s: %zu elements take %zu blocks, this device's grids have up to %zu",
                    launch->function->name, n, blocks, most);
    launch->shape.grid[0] = (unsigned) blocks;
    return CUSHIM_OK;
}

static cushim_status check_axes(const struct cushim__launch *launch, const char *what,
                                const unsigned *size, const int *limits)
{
    for (int i = 0; i < 3; i++)
        if (size[i] > (unsigned) limits[i])
            return FAIL(launch, "%s: a %s of %u x %u x %u, this device's have up to %d in %c",
                        launch->function->name, what, size[0], size[1], size[2], limits[i],
                        axes[i]);
    return CUSHIM_OK;
}

static cushim_status check_block(const struct cushim__launch *launch)
{
    const struct cushim__function *function = launch->function;
    const unsigned *b = launch->shape.block;
    const uint64_t threads = (uint64_t) b[0] * b[1] * b[2];

    if (!b[0])
        return FAIL(launch, "%s: a block of no threads", function->name);
    CUSHIM_TRY(check_axes(launch, "block", b, launch->scope->context->limits.max_block));
    if (threads > function->max_threads)
        return FAIL(launch, "%s: a block of %u x %u x %u threads, the kernel allows %u",
                    function->name, b[0], b[1], b[2], function->max_threads);
    return CUSHIM_OK;
}

/*
 * A block without a grid is a mistake, and not an empty launch: that has elements, or at least a
 * grid with a y or a z.
 */
static cushim_status check_empty(const struct cushim__launch *launch)
{
    const struct cushim_launch_config *config = launch->config;

    if ((config->block[0] | config->block[1] | config->block[2]) &&
        !(config->grid[1] | config->grid[2]))
        return FAIL(launch,
                    "%s: a block and no grid: .grid is how many blocks there are, .elements "
                    "alone chooses both; an empty launch has 0 elements, or a grid of 0 x 1 x 1",
                    launch->function->name);
    return CUSHIM_OK;
}

/* The limit is atomic, because another thread may change it with a function attribute. */
static cushim_status check_shared(const struct cushim__launch *launch)
{
    struct cushim__function *function = launch->function;
    const size_t bytes = launch->config->shared_bytes;
    const int most = atomic_load_explicit(&function->max_dynamic, memory_order_relaxed);
    const int device = launch->scope->context->limits.shared_per_block_optin;

    if (__builtin_expect(bytes <= (size_t) most, 1))
        return CUSHIM_OK;
    if (bytes + function->shared_bytes > (size_t) device)
        return FAIL(launch, "%s: %zu bytes of shared memory and %u static ones, this device has %d",
                    function->name, bytes, function->shared_bytes, device);
    return FAIL(launch,
                "%s: %zu bytes of dynamic shared memory, the kernel allows %d: "
                "CUSHIM_FUNCTION_MAX_DYNAMIC_SHARED_BYTES allows more",
                function->name, bytes, most);
}

/*
 * Checks in the same cases as cushim__shape_of(), and only after that has failed, because texts are
 * needed only then.
 */
cushim_status cushim__launch_shape(struct cushim__launch *launch)
{
    const bool fits = cushim__shape_of(launch->function, launch->config, &launch->shape);

    if (fits && (!launch->config->elements || cluster_of(launch) == 1))
        return CUSHIM_OK;
    if (launch->config->elements) {
        CUSHIM_TRY(settle_elements(launch));
        return check_shared(launch);
    }
    if (cushim__launch_is_empty(launch))
        return check_empty(launch);
    CUSHIM_TRY(check_block(launch));
    CUSHIM_TRY(
        check_axes(launch, "grid", launch->shape.grid, launch->scope->context->limits.max_grid));
    return check_shared(launch);
}

static const char *name_of(const struct cushim__launch *launch, size_t i)
{
    return launch->arguments[i].name ? launch->arguments[i].name : "";
}

static cushim_status wrong_size(const struct cushim__launch *launch, size_t i)
{
    const struct cushim_argument *argument = &launch->arguments[i];
    const char *name = name_of(launch, i);
    const bool is_literal =
        strspn(name, "-.") < 2 && isdigit((unsigned char) name[strspn(name, "-.")]);

    return FAIL(launch, "%s: argument %zu (%s) is %s%zu bytes, the kernel's parameter is %u%s",
                launch->function->name, i, name,
                argument->intent == CUSHIM_INTENT_VALUE ? "" : "an address of ", argument->bytes,
                launch->function->params[i].size,
                is_literal ? "; 1 is an int, (size_t) 1 a size, 1.5 a double, 1.5f a float" : "");
}

static cushim_status wrong_count(const struct cushim__launch *launch)
{
    const struct cushim__function *function = launch->function;

    return FAIL(launch, "%s: %zu argument%s, the kernel has %d parameter%s", function->name,
                launch->n, launch->n == 1 ? "" : "s", function->n_params,
                function->n_params == 1 ? "" : "s");
}

static cushim_status no_value(const struct cushim__launch *launch, size_t i)
{
    return FAIL(launch, "%s: argument %zu (%s) has no value", launch->function->name, i,
                name_of(launch, i));
}

cushim_status cushim__launch_check_arguments(const struct cushim__launch *launch)
{
    const struct cushim__function *function = launch->function;
    /*
     * Not every driver tells the parameters of a kernel. If they are not known, their sizes
     * are not checked here.
     */
    const bool known = function->n_params >= 0;

    if (__builtin_expect(known && launch->n != (size_t) function->n_params, 0))
        return wrong_count(launch);
    for (size_t i = 0; i < launch->n; i++) {
        const struct cushim_argument *argument = &launch->arguments[i];

        if (__builtin_expect(known && argument->bytes != function->params[i].size, 0))
            return wrong_size(launch, i);
        if (__builtin_expect(argument->intent ? (unsigned) argument->intent > CUSHIM_INTENT_SAME
                                              : !argument->value,
                             0))
            return no_value(launch, i);
    }
    return CUSHIM_OK;
}

/* Returns the number of the argument to which an access belongs. Values have no access. */
static size_t argument_of(const struct cushim__launch *launch, size_t access)
{
    size_t i = 0;

    for (;; i++)
        if (launch->arguments[i].intent != CUSHIM_INTENT_VALUE && !access--)
            return i;
}

/* Tells whether another argument names the bytes of an argument, and says what is done with them.
 */
static bool is_named(const struct cushim__launch *launch, const struct cushim__resolved_view *span)
{
    for (size_t i = 0; i < launch->n_accesses; i++) {
        const struct cushim__access *a = &launch->accesses[i];

        if (a->buffer == span->slice->buffer && a->begin <= span->begin && span->end <= a->end &&
            a->begin != a->end)
            return true;
    }
    return span->begin == span->end;
}

static cushim_status check_same(const struct cushim__launch *launch, size_t i)
{
    const struct cushim_argument *argument = &launch->arguments[i];
    struct cushim__resolved_view span;
    bool named;

    CUSHIM_TRY(cushim__span_pin(argument->view, launch->scope->call, &span));
    named = is_named(launch, &span);
    cushim__span_unpin(&span);
    if (named)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, launch->scope->call,
                           launch->function->name,
                           "%s: argument %zu (%s) is 'same', and no other argument has that memory",
                           launch->function->name, i, name_of(launch, i));
}

cushim_status cushim__launch_check_overlap(const struct cushim__launch *launch)
{
    static const char *const verbs[] = {"", "reads", "writes", "reads and writes", "uses again"};
    struct cushim__object *memory;
    const char *label = "";
    size_t a, b, bytes;

    for (size_t i = 0; i < launch->n; i++)
        if (__builtin_expect(launch->arguments[i].intent == CUSHIM_INTENT_SAME, 0))
            CUSHIM_TRY(check_same(launch, i));
    if (!cushim__find_overlap(launch->accesses, launch->n_accesses, &a, &b, &bytes))
        return CUSHIM_OK;
    a = argument_of(launch, a);
    b = argument_of(launch, b);
    /* The pin keeps the label valid, because another thread may free the slice meanwhile. */
    memory = cushim__object_pin(launch->arguments[a].view.object, launch->scope->call);
    if (memory)
        label = cushim__object_label(memory);
    cushim__fail_at(
        CUSHIM_ERROR_OVERLAP, launch->scope->call, launch->function->name,
        "%s: argument %zu (%s), which the kernel %s, and argument %zu (%s), which it %s, overlap "
        "in %zu bytes%s%s%s; if the kernel is made for that, one is CUSHIM_INOUT(), and the others "
        "CUSHIM_SAME()",
        launch->function->name, a, name_of(launch, a), verbs[launch->arguments[a].intent], b,
        name_of(launch, b), verbs[launch->arguments[b].intent], bytes, *label ? " of '" : "", label,
        *label ? "'" : "");
    if (memory)
        cushim__handle_unpin(launch->arguments[a].view.object);
    return CUSHIM_ERROR_OVERLAP;
}
