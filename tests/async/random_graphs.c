/* SPDX-License-Identifier: MIT */
/*
 * random_graphs [FIRST LAST [DRIVER]]: random graphs of operations, on several devices and streams.
 * Operations are joined, shared, split, copied between devices and decided by callbacks; some
 * futures are dropped. The results are those of the host, which does the same one after the other.
 * With each seed the mock runs what may run in another order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

#include "../unit/plain.h"
#include "kernels.h"

enum { DEVICES = 4, STREAMS = 3, GRAPHS = 16, AT_ONCE = 4, DEPTH = 6, SPARE = 64, N = 40 };

static struct device {
    cushim_context context;
    cushim_stream streams[STREAMS];
    cushim_module module;
    cushim_function add, sum;
    cushim_policy policy;
} devices[DEVICES];

static int n_devices;
static uint32_t random_state;

/* An operation, and the elements that it gives. */
struct described {
    cushim_op op;
    bool shared;
    float value[N];
};

/* Shared operations, and parts of split ones, that later ones may take. */
static struct described spare[SPARE];
static int n_spare;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 16) % below;
}

static struct device *any_device(void)
{
    return &devices[draw((uint32_t) n_devices)];
}

/* --- describing --- */

static struct described describe(int depth);

static struct described from_host(void)
{
    static float hosts[256][N]; /* read when the operation is submitted */
    static int next;
    float *host = hosts[next++ % 256];
    struct described d = {.shared = false};

    for (int i = 0; i < N; i++)
        host[i] = d.value[i] = (float) draw(100);
    d.op = cushim_op_from(host, N);
    return d;
}

static struct described fill(void)
{
    const float value = (float) draw(100);
    struct described d = {.op = cushim_op_fill(cushim_op_alloc(CUSHIM_ELEMENT(float), N), value)};

    for (int i = 0; i < N; i++)
        d.value[i] = value;
    return d;
}

/* What is shared may only be read, so what is to be written is a copy. */
static struct described own(struct described d)
{
    if (d.shared)
        d.op = cushim_op_output(cushim_op_clone(d.op), 1);
    d.shared = false;
    return d;
}

static cushim_op on_a_stream(cushim_op op, const struct device *device)
{
    return cushim_op_on(op, device->streams[draw(STREAMS)]);
}

static struct described add(int depth)
{
    const struct device *device = any_device();
    const float more = (float) draw(100);
    const unsigned n = N;
    struct described d = own(describe(depth - 1));

    d.op = cushim_op_launch(device->add, cushim_for_elements(n), CUSHIM_OP_INOUT(d.op),
                            CUSHIM_VALUE(more), CUSHIM_VALUE(n));
    d.op = on_a_stream(cushim_op_output(d.op, 0), device);
    for (int i = 0; i < N; i++)
        d.value[i] += more;
    return d;
}

static struct described sum(int depth)
{
    const struct device *device = any_device();
    const unsigned n = N;
    struct described a = describe(depth - 1), b = describe(depth - 1);
    cushim_op to = cushim_op_alloc(CUSHIM_ELEMENT(float), N);

    a.op = cushim_op_launch(device->sum, cushim_for_elements(n), CUSHIM_OP_OUT(to),
                            CUSHIM_OP_IN(a.op), CUSHIM_OP_IN(b.op), CUSHIM_VALUE(n));
    a.op = on_a_stream(cushim_op_first(a.op), device);
    a.shared = false;
    for (int i = 0; i < N; i++)
        a.value[i] += b.value[i];
    return a;
}

static void keep(struct described d)
{
    if (n_spare == SPARE)
        cushim_op_free(&spare[--n_spare].op);
    spare[n_spare++] = d;
}

static struct described share(int depth)
{
    struct described d = describe(depth - 1), kept;

    if (d.shared)
        return d;
    d.op = cushim_op_share(d.op);
    d.shared = true;
    kept = d;
    CHECK_OK(cushim_op_retain(d.op, &kept.op));
    keep(kept);
    return d;
}

static struct described take_spare(int depth)
{
    struct described d;
    int i;

    if (!n_spare)
        return describe(depth - 1);
    i = (int) draw((uint32_t) n_spare);
    d = spare[i];
    if (d.shared)
        CHECK_OK(cushim_op_retain(spare[i].op, &d.op));
    else
        spare[i] = spare[--n_spare];
    return d;
}

static struct described split(int depth)
{
    struct described both[2] = {own(describe(depth - 1)), own(describe(depth - 1))};
    const cushim_op ops[] = {both[0].op, both[1].op};
    cushim_op parts[2];

    cushim_op_unzip(cushim_op_all(ops, 2), 2, parts);
    both[0].op = parts[0];
    both[1].op = parts[1];
    keep(both[draw(2)]);
    return spare[n_spare - 1].op.id == parts[0].id ? both[1] : both[0];
}

static cushim_op pass(const struct cushim_exec *exec, cushim_output *output, void *user)
{
    cushim_slice slice = CUSHIM_NONE;

    (void) exec, (void) user;
    if (cushim_output_take_slice(output, &slice))
        return (cushim_op) CUSHIM_NONE;
    return cushim_op_take(&slice);
}

static struct described decide(int depth)
{
    struct described d = own(describe(depth - 1));

    d.op = cushim_op_then(d.op, pass, NULL);
    return d;
}

static struct described copy(int depth)
{
    struct described to = own(describe(depth - 1)), from = describe(depth - 1);

    to.op = cushim_op_copy(to.op, from.op);
    memcpy(to.value, from.value, sizeof(to.value));
    return to;
}

static struct described describe(int depth)
{
    static struct described (*const makers[])(int) = {add,   add,        sum,    sum, share,
                                                      split, take_spare, decide, copy};

    if (depth <= 0)
        return draw(2) ? from_host() : fill();
    return makers[draw(sizeof(makers) / sizeof(makers[0]))](depth);
}

/* --- running --- */

static void run_some(void)
{
    static float hosts[AT_ONCE][N];
    struct described described[AT_ONCE];
    cushim_future futures[AT_ONCE];

    for (int i = 0; i < AT_ONCE; i++) {
        described[i] = describe(DEPTH);
        memset(hosts[i], 0, sizeof(hosts[i]));
        CHECK_OK(cushim_op_submit(cushim_op_to_host(described[i].op, hosts[i], N),
                                  any_device()->policy, &futures[i]));
        if (!draw(4))
            cushim_future_free(&futures[i]);
    }
    for (int i = 0; i < AT_ONCE; i++) {
        if (!futures[i].id)
            continue;
        CHECK_OK(cushim_future_wait(futures[i], CUSHIM_FOREVER));
        for (int k = 0; k < N; k++)
            CHECK_EQ(hosts[i][k], described[i].value[k]);
        cushim_future_free(&futures[i]);
    }
}

static void open_device(cushim_driver driver, int ordinal)
{
    struct device *d = &devices[ordinal];

    CHECK_OK(cushim_context_primary(driver, ordinal, &d->context));
    for (int i = 0; i < STREAMS; i++)
        CHECK_OK(cushim_stream_new(d->context, NULL, &d->streams[i]));
    CHECK_OK(cushim_module_load_text(d->context, kernels_ptx, NULL, &d->module));
    CHECK_OK(cushim_module_function(d->module, "add", &d->add));
    CHECK_OK(cushim_module_function(d->module, "sum", &d->sum));
    CHECK_OK(cushim_policy_round_robin(
        d->context, cushim_policy_params(.streams = 2, .spread = draw(2)), &d->policy));
}

static void close_device(struct device *d)
{
    cushim_policy_free(&d->policy);
    CHECK_OK(cushim_context_synchronize(d->context));
    for (int i = 0; i < STREAMS; i++)
        cushim_stream_free(&d->streams[i]);
    cushim_module_free(&d->module);
    cushim_context_free(&d->context);
}

static int run(uint32_t seed, const char *library)
{
    const struct cushim_mock_finding *findings = NULL;
    cushim_driver driver;
    size_t n;

    random_state = seed * 2654435761u;
    if (!library)
        CHECK_OK(cushim_mock_configure(
            cushim_mock_config(.devices = "h200,h200,h200,h200", .seed = seed)));
    CHECK_OK(cushim_open(cushim_open_params(.library = library ? library : MOCK), &driver));
    CHECK_OK(cushim_device_count(driver, &n_devices));
    n_devices = n_devices < DEVICES ? n_devices : DEVICES;
    for (int i = 0; i < n_devices; i++)
        open_device(driver, i);
    for (int i = 0; i < GRAPHS / AT_ONCE; i++)
        run_some();
    while (n_spare)
        cushim_op_free(&spare[--n_spare].op);
    for (int i = 0; i < n_devices; i++)
        close_device(&devices[i]);
    cushim_close(&driver);
    if (library)
        return 0;
    cushim_mock_leaks();
    n = cushim_mock_findings(&findings);
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, "%s\n", findings[i].text);
    return n != 0;
}

int main(int argc, char **argv)
{
    const uint32_t first = argc > 2 ? (uint32_t) atoi(argv[1]) : 1;
    const uint32_t last = argc > 2 ? (uint32_t) atoi(argv[2]) : 64;
    const char *library = argc > 3 ? argv[3] : NULL;

    for (uint32_t seed = first; seed <= last; seed++) {
        const pid_t child = fork();
        int status = 0;

        if (child == 0) {
            alarm(120);
            exit(run(seed, library));
        }
        if (waitpid(child, &status, 0) != child || status) {
            fprintf(stderr, "seed %u: status 0x%x\n", (unsigned) seed, (unsigned) status);
            return 1;
        }
    }
    printf("%u graphs with %u seeds\n", (last - first + 1) * GRAPHS, last - first + 1);
    return 0;
}
