/* SPDX-License-Identifier: MIT */
/* Conditional nodes: what is done when they are launched, and how executable ones change. */
#include "conditional.h"

enum { IF = CU_GRAPH_COND_TYPE_IF, WHILE = CU_GRAPH_COND_TYPE_WHILE };
enum { SWITCH = CU_GRAPH_COND_TYPE_SWITCH };

/* A node whose bodies add a digit, with this value from the start of the launch on. */
static void ask_default(struct conditional *c, const char *key, int type, unsigned size,
                        unsigned value)
{
    CUgraphExec exec = NULL;

    conditional_renew(c);
    conditional_node(c, NULL, conditional_handle(c, c->graph, value), type, size);
    CALL(cuGraphInstantiateWithFlags, (&exec, c->graph, 0));
    conditional_launch(c, exec, key);
}

static void ask_defaults(struct conditional *c)
{
    ask_default(c, "if_0", IF, 1, 0);
    ask_default(c, "if_1", IF, 1, 1);
    ask_default(c, "if_9", IF, 1, 9);
    ask_default(c, "else_0", IF, 2, 0);
    ask_default(c, "else_1", IF, 2, 1);
    ask_default(c, "while_0", WHILE, 1, 0);
    ask_default(c, "switch_0", SWITCH, 3, 0);
    ask_default(c, "switch_2", SWITCH, 3, 2);
    ask_default(c, "switch_3", SWITCH, 3, 3);
    ask_default(c, "switch_huge", SWITCH, 3, 0x80000000u);
}

/* A kernel sets the value before the node, and another one adds a digit behind it. */
static void ask_set_before(struct conditional *c, const char *key, unsigned first, unsigned value)
{
    CUgraphConditionalHandle handle;
    CUgraphNode set = NULL, node, last = NULL;
    CUgraphExec exec = NULL;

    conditional_renew(c);
    handle = conditional_handle(c, c->graph, first);
    conditional_add_set(c, c->graph, NULL, handle, value, &set);
    node = conditional_node(c, set, handle, IF, 2);
    conditional_add_digit(c, c->graph, node, 7, &last);
    CALL(cuGraphInstantiateWithFlags, (&exec, c->graph, 0));
    conditional_launch(c, exec, key);
}

/* The value that a body sets is the default again in the next launch. */
static void ask_set_within(struct conditional *c)
{
    CUgraphConditionalHandle handle;
    CUgraphNodeParams params;
    CUgraphNode node = NULL, digit = NULL, set = NULL;
    CUgraphExec exec;

    conditional_renew(c);
    handle = conditional_handle(c, c->graph, 1);
    params = conditional_params(c, handle, IF, 1);
    conditional_add(c->graph, NULL, &params, &node);
    conditional_add_digit(c, conditional_body(&params, 0), NULL, 4, &digit);
    conditional_add_set(c, conditional_body(&params, 0), digit, handle, 0, &set);
    exec = conditional_instantiate(c, "within_inst");
    conditional_launch(c, exec, "within");
    conditional_launch(c, exec, "within_again");
}

static CUgraphExec new_loop(struct conditional *c, unsigned limit)
{
    CUgraphConditionalHandle handle;
    CUgraphNodeParams params;
    CUgraphNode node = NULL;
    CUgraphExec exec = NULL;

    conditional_renew(c);
    handle = conditional_handle(c, c->graph, 1);
    params = conditional_params(c, handle, WHILE, 1);
    conditional_add(c->graph, NULL, &params, &node);
    conditional_add_loop(c, conditional_body(&params, 0), NULL, handle, limit);
    CALL(cuGraphInstantiateWithFlags, (&exec, c->graph, 0));
    return exec;
}

static void ask_loops(struct conditional *c)
{
    conditional_launch(c, new_loop(c, 1), "loop_1");
    conditional_launch(c, new_loop(c, 5), "loop_5");
    conditional_launch(c, new_loop(c, 1000), "loop_1000");
}

/* WHILE around IF: each time one digit, and the loop ends when the value is 111. */
static void ask_nested(struct conditional *c)
{
    CUgraphConditionalHandle outer, inner;
    CUgraphNodeParams params;
    CUgraphNode node = NULL, digit = NULL, set = NULL;
    CUgraph body;

    conditional_renew(c);
    outer = conditional_handle(c, c->graph, 1);
    inner = conditional_handle(c, c->graph, 1);
    params = conditional_params(c, outer, WHILE, 1);
    conditional_add(c->graph, NULL, &params, &node);
    body = conditional_body(&params, 0);
    params = conditional_params(c, inner, IF, 1);
    report("nested_add", conditional_add(body, NULL, &params, &node));
    conditional_add_digit(c, conditional_body(&params, 0), NULL, 1, &digit);
    conditional_add_set(c, conditional_body(&params, 0), digit, inner, 0, &set);
    conditional_add_loop(c, body, node, outer, 6);
    conditional_launch(c, conditional_instantiate(c, "nested_inst"), "nested");
}

/* --- changes of what was instantiated --- */

static void ask_changes(struct conditional *c)
{
    CUgraphConditionalHandle handle;
    CUgraphNodeParams params, kernel = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
    CUgraphNode node = NULL, digit = NULL;
    CUgraphExec exec;
    unsigned number = 8, enabled = 99;

    conditional_renew(c);
    handle = conditional_handle(c, c->graph, 1);
    params = conditional_params(c, handle, IF, 1);
    conditional_add(c->graph, NULL, &params, &node);
    conditional_add_digit(c, conditional_body(&params, 0), NULL, 3, &digit);
    exec = conditional_instantiate(c, "change_inst");
    kernel.kernel = (CUDA_KERNEL_NODE_PARAMS_v3){.func = c->digit,
                                                 .gridDimX = 1,
                                                 .gridDimY = 1,
                                                 .gridDimZ = 1,
                                                 .blockDimX = 1,
                                                 .blockDimY = 1,
                                                 .blockDimZ = 1,
                                                 .kernelParams = (void *[]){&c->number, &number}};
    ASK("change_body", cuGraphExecNodeSetParams, (exec, digit, &kernel));
    conditional_launch(c, exec, "change_body_v");
    ASK("change_conditional", cuGraphExecNodeSetParams, (exec, node, &params));
    ASK("disable_body", cuGraphNodeSetEnabled, (exec, digit, 0));
    conditional_launch(c, exec, "disable_body_v");
    ASK("disable_conditional", cuGraphNodeSetEnabled, (exec, node, 0));
    ASK("enabled_conditional", cuGraphNodeGetEnabled, (exec, node, &enabled));
}

/* Another graph of an IF node or another type, whose body adds a 9. */
static void new_nine(struct conditional *c, int type, unsigned size, unsigned value)
{
    CUgraphNodeParams params;
    CUgraphNode node = NULL, digit = NULL;

    conditional_renew(c);
    params = conditional_params(c, conditional_handle(c, c->graph, value), type, size);
    conditional_add(c->graph, NULL, &params, &node);
    conditional_add_digit(c, conditional_body(&params, 0), NULL, 9, &digit);
}

static void ask_update(struct conditional *c, CUgraphExec exec, const char *key)
{
    CUgraphExecUpdateResultInfo info = {0};

    report_numbered(CALL(cuGraphExecUpdate_v2, (exec, c->graph, &info)), "%s", key);
    report_numbered(info.result, "%s_result", key);
    report_numbered(info.errorNode != NULL, "%s_node", key);
}

static void ask_updates(struct conditional *c)
{
    CUgraphExec exec;

    conditional_renew(c);
    conditional_node(c, NULL, conditional_handle(c, c->graph, 1), IF, 1);
    exec = conditional_instantiate(c, "update_inst");
    new_nine(c, IF, 1, 1);
    ask_update(c, exec, "update");
    conditional_launch(c, exec, "update_v");
    new_nine(c, IF, 1, 0);
    ask_update(c, exec, "update_default");
    conditional_launch(c, exec, "update_default_v");
    new_nine(c, IF, 2, 1);
    ask_update(c, exec, "update_size");
    new_nine(c, SWITCH, 1, 1);
    ask_update(c, exec, "update_type");
    new_nine(c, IF, 1, 1);
    conditional_add_digit(c, c->graph, NULL, 1, &(CUgraphNode){NULL});
    ask_update(c, exec, "update_nodes");
    conditional_launch(c, exec, "update_nodes_v");
}

/* After an update, whose kernels set the handles of the other graph. */
static void ask_update_of_loop(struct conditional *c)
{
    CUgraphExec exec = new_loop(c, 3), other;

    other = new_loop(c, 6);
    CALL(cuGraphExecDestroy, (other));
    ask_update(c, exec, "update_loop");
    conditional_launch(c, exec, "update_loop_v");
}

/* --- streams --- */

/* A node that is added to the graph of a capture; its body is captured in another stream. */
static void ask_body_of_capture(struct conditional *c)
{
    CUstreamCaptureStatus status;
    const CUgraphNode *before = NULL;
    CUgraphNodeParams params;
    CUgraphNode node = NULL;
    CUstream other = new_stream();
    CUdeviceptr number = c->number;
    unsigned digit = 2;
    size_t n = 0;

    CALL(cuStreamBeginCapture_v2, (c->stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    report("capture_launch", launch(c->digit, 1, 1, c->stream, (void *[]){&number, &digit}));
    ASK("capture_info", cuStreamGetCaptureInfo_v2,
        (c->stream, &status, NULL, &c->graph, &before, &n));
    params = conditional_params(c, conditional_handle(c, c->graph, 1), IF, 1);
    report("capture_add", conditional_add(c->graph, n ? before[0] : NULL, &params, &node));
    ASK("capture_depend", cuStreamUpdateCaptureDependencies, (c->stream, &node, 1, 1));
    ASK("capture_body", cuStreamBeginCaptureToGraph,
        (other, conditional_body(&params, 0), NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
    digit = 3;
    report("capture_body_launch", launch(c->digit, 1, 1, other, (void *[]){&number, &digit}));
    ASK("capture_body_end", cuStreamEndCapture, (other, &(CUgraph){NULL}));
    digit = 4;
    report("capture_launch2", launch(c->digit, 1, 1, c->stream, (void *[]){&number, &digit}));
    ASK("capture_end", cuStreamEndCapture, (c->stream, &c->graph));
    conditional_launch(c, conditional_instantiate(c, "capture_inst"), "capture_v");
}

void ask_cond_run(void)
{
    struct conditional c = conditional_begin();

    ask_defaults(&c);
    ask_set_before(&c, "set_1", 0, 1);
    ask_set_before(&c, "set_0", 1, 0);
    ask_set_within(&c);
    ask_loops(&c);
    ask_nested(&c);
    ask_changes(&c);
    ask_updates(&c);
    ask_update_of_loop(&c);
    ask_body_of_capture(&c);
}

/* --- values that are set where they cannot be --- */

/* A kernel in a stream sets the value of a graph's handle. */
void ask_cond_outside(void)
{
    struct conditional c = conditional_begin();
    CUgraphConditionalHandle handle = conditional_handle(&c, c.graph, 1);
    unsigned value = 0;

    conditional_node(&c, NULL, handle, IF, 1);
    conditional_launch(&c, conditional_instantiate(&c, "inst"), "before");
    report("launch", launch(c.set, 1, 1, c.stream, (void *[]){&handle, &value}));
    report("sync", wait_for(c.stream));
}

/* A kernel of a graph sets a handle of another one. */
void ask_cond_stranger(void)
{
    struct conditional c = conditional_begin();
    CUgraphConditionalHandle handle = conditional_handle(&c, c.graph, 1);
    CUgraphExec exec;

    conditional_node(&c, NULL, handle, IF, 1);
    exec = conditional_instantiate(&c, "inst");
    conditional_renew(&c);
    report("add", conditional_add_set(&c, c.graph, NULL, handle, 0, &(CUgraphNode){NULL}));
    ASK("launch", cuGraphLaunch, (conditional_instantiate(&c, "inst_other"), c.stream));
    report("sync", wait_for(c.stream));
    ASK("launch_first", cuGraphLaunch, (exec, c.stream));
}
