/* SPDX-License-Identifier: MIT */
/* Launches as operations. */
#include <cushim/launch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "async/operand.h"
#include "async/tiling.h"
#include "core/launch/launch.h"

#define CALL "cushim_op_launch"

/* An argument that is no operation. */
#define NO_OPERAND ((size_t) -1)

/* Its parts are in the same memory, with what a launch reads first at the beginning. */
struct launch {
    struct cushim__node node;
    cushim_function function;
    struct cushim_launch_config config; /* its options are NULL, or in the same memory */
    size_t n;
    size_t *operands;                  /* for each argument its operand */
    struct cushim_argument *arguments; /* memory of the program: with a handle of our own */
    char *texts;                       /* values and names */
};

/* --- running --- */

/* Where the argument's memory comes from: itself, or another argument. */
static size_t source_of(const struct launch *launch, size_t i)
{
    const struct cushim_argument *argument = &launch->arguments[i];

    return argument->intent == CUSHIM_INTENT_SAME ? argument->bytes : i;
}

static bool writes(enum cushim_intent intent)
{
    return intent == CUSHIM_INTENT_OUT || intent == CUSHIM_INTENT_INOUT;
}

/* Names the argument in an error of its operation. */
static cushim_status fail_argument(const struct launch *launch, size_t i)
{
    struct cushim__error error;

    cushim__error_as(CALL);
    error = *cushim__error();
    return cushim__fail_at(error.status, error.call, error.label, "argument %zu (%s): %.700s", i,
                           launch->arguments[i].name, error.text);
}

/* Takes the memories of the operations among the arguments into the list that the launch gives. */
static cushim_status take_memories(struct cushim__run *run, const struct launch *launch,
                                   struct cushim_output **inputs, struct cushim_output **memories)
{
    for (size_t i = 0; i < launch->n; i++)
        if (launch->operands[i] != NO_OPERAND &&
            cushim__operand_take(run, &inputs[launch->operands[i]],
                                 writes(launch->arguments[i].intent), CALL, &memories[i]))
            return fail_argument(launch, i);
    return CUSHIM_OK;
}

/* Gives the handles of the program's memory to the outputs of the arguments. */
static cushim_status move_handles(struct launch *launch, struct cushim_output **memories)
{
    for (size_t i = 0; i < launch->n; i++) {
        struct cushim_argument *argument = &launch->arguments[i];

        if (launch->operands[i] != NO_OPERAND || !argument->view.object)
            continue;
        memories[i] = cushim__output_memory(CUSHIM_OUTPUT_MEMORY, argument->view);
        if (!memories[i])
            return cushim__error()->status;
        argument->view.object = 0;
    }
    return CUSHIM_OK;
}

/* The arguments get the memories. They are used once, so they need not stay as they were. */
static cushim_status submit(struct cushim__run *run, struct launch *launch,
                            struct cushim_output *const *memories)
{
    for (size_t i = 0; i < launch->n; i++) {
        struct cushim_argument *argument = &launch->arguments[i];

        if (argument->intent == CUSHIM_INTENT_VALUE)
            continue;
        argument->view = memories[source_of(launch, i)]->u.view;
        argument->bytes = sizeof(uint64_t);
    }
    CUSHIM_TRY(cushim__tiling_grid(&launch->config, memories, launch->n));
    return cushim_launch_arguments(run->exec.stream, launch->function, &launch->config,
                                   launch->arguments, launch->n);
}

static cushim_status run_launch(struct cushim__run *run, struct cushim__node *node,
                                struct cushim_output **inputs, struct cushim__outcome *ret)
{
    struct launch *launch = (struct launch *) node;
    struct cushim_output *list = cushim__output_list(launch->n);
    cushim_status status;

    if (!list)
        return cushim__error()->status;
    status = take_memories(run, launch, inputs, list->u.list.items);
    if (!status)
        status = move_handles(launch, list->u.list.items);
    node->is_finished = !status;
    if (!status)
        status = submit(run, launch, list->u.list.items);
    if (status)
        cushim__output_unref(&list);
    ret->output = list;
    return status;
}

/* --- describing --- */

static void finish_launch(struct cushim__node *node)
{
    struct launch *launch = (struct launch *) node;

    for (size_t i = 0; i < launch->n; i++) {
        uint64_t *id = &launch->arguments[i].view.object;

        if (launch->operands[i] == NO_OPERAND && *id)
            cushim__object_close(id, cushim__handle_kind_of(*id), "cushim_op_free");
    }
}

/* The kernel may be gone, with its module. */
static void describe_launch(const struct cushim__node *node, char *text, size_t size)
{
    const uint64_t id = ((const struct launch *) node)->function.id;
    const struct cushim__function *function = cushim__handle_pin(id, CUSHIM__HANDLE_FUNCTION, NULL);

    if (!function)
        return;
    snprintf(text, size, "of %s", function->name);
    cushim__handle_unpin(id);
}

static const struct cushim__node_type launch_type = {.noun = "launch",
                                                     .call = CALL,
                                                     .run = run_launch,
                                                     .finish = finish_launch,
                                                     .describe = describe_launch};

static bool is_operation(const struct cushim_argument *argument)
{
    return argument->intent != CUSHIM_INTENT_VALUE &&
           cushim__handle_kind_of(argument->view.object) == CUSHIM__HANDLE_OP;
}

static size_t count_operations(const struct cushim_argument *arguments, size_t n)
{
    size_t found = 0;

    for (size_t i = 0; i < n; i++)
        found += is_operation(&arguments[i]);
    return found;
}

/* Frees the operations among the arguments of a launch that could not be described. */
static void drop_operations(const struct cushim_argument *arguments, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_operation(&arguments[i]))
            cushim__ops_drop(&(cushim_op){.id = arguments[i].view.object}, 1);
}

static const char *name_of(const struct cushim_argument *argument)
{
    return argument->name ? argument->name : "";
}

/* Values are aligned as malloc() does it. */
static size_t padded(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

static cushim_status check(const struct cushim_argument *arguments, size_t n, size_t i,
                           size_t *total)
{
    const struct cushim_argument *argument = &arguments[i];
    const bool is_value = argument->intent == CUSHIM_INTENT_VALUE;

    if ((unsigned) argument->intent > CUSHIM_INTENT_SAME || (is_value && !argument->value) ||
        (is_value && argument->bytes > 1 << 16))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, CALL, NULL,
                               CALL ": argument %zu (%s) is not one of the macros, or too large", i,
                               name_of(argument));
    if (argument->intent == CUSHIM_INTENT_SAME && !argument->view.object &&
        (argument->view.offset >= n ||
         arguments[argument->view.offset].intent == CUSHIM_INTENT_VALUE ||
         arguments[argument->view.offset].intent == CUSHIM_INTENT_SAME))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, CALL, NULL,
                               CALL
                               ": argument %zu is the same as argument %zu, which is no memory",
                               i, argument->view.offset);
    *total += (is_value ? padded(argument->bytes) : 0) + padded(strlen(name_of(argument)) + 1);
    return CUSHIM_OK;
}

/* Copies an argument, with its value and its name to *texts. */
static cushim_status copy(const struct cushim_argument *argument, char **texts,
                          struct cushim_argument *ret_copy)
{
    *ret_copy = *argument;
    if (argument->intent == CUSHIM_INTENT_VALUE) {
        memcpy(*texts, argument->value, argument->bytes);
        ret_copy->value = *texts;
        *texts += padded(argument->bytes);
    }
    strcpy(*texts, name_of(argument));
    ret_copy->name = *texts;
    *texts += padded(strlen(name_of(argument)) + 1);
    if (argument->intent == CUSHIM_INTENT_VALUE || is_operation(argument) ||
        (argument->intent == CUSHIM_INTENT_SAME && !argument->view.object))
        return CUSHIM_OK;
    ret_copy->view.object = 0;
    return cushim__handle_retain_kept(argument->view.object, CALL, &ret_copy->view.object);
}

/* Copies all arguments, and consumes all operations, also if something fails. */
static cushim_status copy_arguments(struct launch *launch, const struct cushim_argument *arguments)
{
    char *texts = launch->texts;
    cushim_status status = CUSHIM_OK;
    size_t operand = 0;

    for (size_t i = 0; i < launch->n; i++) {
        launch->operands[i] = NO_OPERAND;
        if (is_operation(&arguments[i])) {
            struct cushim__node *node = cushim__node_take(arguments[i].view.object, CALL);

            launch->operands[i] = operand;
            launch->node.taken[operand] = arguments[i].view.object;
            launch->node.operands[operand++] = node;
            status = node || status ? status : cushim__error()->status;
        }
        if (!status)
            status = copy(&arguments[i], &texts, &launch->arguments[i]);
        /* Memory that CUSHIM_SAME() names is the argument's own; CUSHIM_OP_SAME() names another. */
        if (arguments[i].intent == CUSHIM_INTENT_SAME)
            launch->arguments[i].bytes = arguments[i].view.object ? i : arguments[i].view.offset;
    }
    return status;
}

/* Makes a node for n arguments with so many bytes of texts, all in the same memory. */
static struct launch *allocate(const struct cushim__launch_config *config,
                               const struct cushim_argument *arguments, size_t n, size_t bytes)
{
    const size_t of_launch = padded(sizeof(struct launch)),
                 of_arguments = padded(n * sizeof(struct cushim_argument)),
                 of_operands = padded(n * sizeof(size_t)),
                 of_options = config->config.options ? padded(sizeof(config->options)) : 0;
    struct launch *launch = (struct launch *) cushim__node_new(
        &launch_type, of_launch + of_arguments + of_operands + of_options + bytes,
        count_operations(arguments, n));
    char *memory = (char *) launch;

    if (!launch)
        return NULL;
    launch->arguments = (struct cushim_argument *) (void *) (memory += of_launch);
    launch->operands = (size_t *) (void *) (memory += of_arguments);
    launch->config = config->config;
    memory += of_operands;
    if (of_options)
        launch->config.options = memcpy(memory, &config->options, sizeof(config->options));
    launch->texts = memory + of_options;
    launch->n = n;
    return launch;
}

static struct launch *describe(const struct cushim__launch_config *config,
                               const struct cushim_argument *arguments, size_t n)
{
    struct launch *launch;
    size_t bytes = 0;

    for (size_t i = 0; i < n; i++)
        if (check(arguments, n, i, &bytes)) {
            drop_operations(arguments, n);
            return NULL;
        }
    launch = allocate(config, arguments, n, bytes);
    if (!launch) {
        drop_operations(arguments, n);
        return NULL;
    }
    if (!copy_arguments(launch, arguments))
        return launch;
    cushim__node_unref(&launch->node);
    return NULL;
}

cushim_op cushim_op_launch_arguments(cushim_function function,
                                     const struct cushim_launch_config *config,
                                     const struct cushim_argument *arguments, size_t n)
{
    struct cushim__launch_config given;
    struct launch *launch = NULL;

    if (!config || (n && !arguments) || n > 4096) {
        cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                     n > 4096 ? "%s: a kernel has no %s" : "%s: %s is NULL", CALL,
                     n > 4096 ? "so many parameters"
                     : config ? "arguments"
                              : "config");
        drop_operations(arguments, arguments && n <= 4096 ? n : 0);
    } else if (cushim__launch_config_read(config, CALL, &given)) {
        drop_operations(arguments, n);
    } else {
        launch = describe(&given, arguments, n);
    }
    if (launch)
        launch->function = function;
    return cushim__node_give(launch ? &launch->node : NULL, __func__);
}
