/* SPDX-License-Identifier: MIT */
/*
 * threads_modules: eight threads load, register, find, launch, record and free, all in one context,
 * while others take away what they use. Every call ends in success or in the status of a handle
 * that is gone. Exit status: 0 all is right, 1 not.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

enum { THREADS = 8, ROUNDS = 40, N = 64 };

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .global .align 4 .u32 counter;\n"
                          ".visible .entry add(.param .u64 p, .param .u32 n) { ret; }\n";

static cushim_context context;
static cushim_module shared_module;
static cushim_slice shared;
static cushim_launcher launcher;
static cushim_graph graph; /* adds to what is shared */
static atomic_int failures;

static void add(const struct cushim_mock_launch *launch, void *const *args)
{
    const unsigned n = *(const unsigned *) args[1];
    unsigned *p = cushim_mock_pointer(*(const uint64_t *) args[0], n * sizeof(*p));

    (void) launch;
    for (unsigned i = 0; p && i < n; i++)
        p[i]++;
}

static void expect(bool condition, const char *text, int line)
{
    if (condition)
        return;
    failures++;
    printf("line %d: %s: %s\n", line, text, cushim_error_text());
}

#define OK(call) expect((call) == CUSHIM_OK, #call, __LINE__)

/* What another thread may have freed meanwhile. */
#define OK_OR_GONE(call)                                                                           \
    do {                                                                                           \
        const cushim_status got = (call);                                                          \
        expect(!got || got == CUSHIM_ERROR_STALE_HANDLE || got == 500, #call, __LINE__);           \
    } while (0)

/* Every thread has a module and memory of its own, and all use what is shared. */
static void use(cushim_stream stream, int thread)
{
    const unsigned n = N;
    cushim_module own = CUSHIM_NONE;
    cushim_slice slice = CUSHIM_NONE, counter;
    cushim_function f, g;
    unsigned out[N];

    OK(cushim_module_load_text(context, ptx, NULL, &own));
    OK(cushim_module_function(own, "add", &f));
    OK(cushim_module_function(shared_module, "add", &g));
    OK(cushim_module_global(shared_module, "counter", &counter));
    OK(cushim_slice_zeros(stream, sizeof(unsigned), N, &slice));
    OK(cushim_launch(stream, f, cushim_for_elements(N), CUSHIM_INOUT(slice), CUSHIM_VALUE(n)));
    OK(cushim_launch(stream, g, cushim_for_elements(N), CUSHIM_INOUT(shared), CUSHIM_VALUE(n)));
    OK(cushim_launcher_launch(launcher, stream, cushim_for_elements(N)));
    OK(cushim_slice_read(stream, slice, out, N));
    expect(out[0] == 1 && out[N - 1] == 1, "out is 1", __LINE__);
    if (thread % 2)
        cushim_module_free(&own);
    cushim_slice_free(&slice);
    cushim_module_free(&own);
}

/* Each thread records for itself, beside all the others, and launches what is everybody's. */
static void record(cushim_stream stream, cushim_function f, cushim_graph *ret_graph)
{
    const unsigned n = N;
    cushim_stream recorder = CUSHIM_NONE;

    OK(cushim_capture_begin(context, &recorder));
    OK(cushim_launch(recorder, f, cushim_for_elements(N), CUSHIM_INOUT(shared), CUSHIM_VALUE(n)));
    OK(cushim_capture_end(&recorder, ret_graph));
    OK(cushim_graph_launch(*ret_graph, stream));
}

static void replay(cushim_stream stream)
{
    cushim_graph own = CUSHIM_NONE;
    cushim_function f;

    OK(cushim_module_function(shared_module, "add", &f));
    record(stream, f, &own);
    OK(cushim_graph_launch(graph, stream));
    cushim_graph_free(&own);
}

/* A name that all threads register, find and take away. */
static void fight(cushim_stream stream)
{
    const unsigned n = N;
    cushim_module module = CUSHIM_NONE, found = CUSHIM_NONE;
    cushim_function f;
    cushim_status status;

    status = cushim_module_load_text(context, ptx, cushim_module_params(.name = "one"), &module);
    expect(!status || status == CUSHIM_ERROR_BUSY, "load as one", __LINE__);
    OK_OR_GONE(cushim_module_find(context, "one", &found));
    if (!cushim_function_find(context, "one", "add", &f))
        OK_OR_GONE(cushim_launch(stream, f, cushim_for_elements(N), CUSHIM_INOUT(shared),
                                 CUSHIM_VALUE(n)));
    OK_OR_GONE(cushim_module_unregister(context, "one"));
    cushim_module_free(&found);
    cushim_module_free(&module);
}

static void *work(void *number)
{
    const int thread = *(const int *) number;
    cushim_stream stream = CUSHIM_NONE;

    OK(cushim_stream_new(context, NULL, &stream));
    for (int i = 0; i < ROUNDS; i++) {
        use(stream, thread);
        replay(stream);
        fight(stream);
    }
    cushim_stream_free(&stream);
    return NULL;
}

static void run(void)
{
    int numbers[THREADS];
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void check(cushim_stream stream)
{
    unsigned out[N] = {0};

    OK(cushim_slice_read(stream, shared, out, N));
    expect(out[0] >= 4 * THREADS * ROUNDS && out[0] == out[N - 1], "nothing was lost", __LINE__);
}

static void check_findings(void)
{
    const struct cushim_mock_finding *findings = NULL;
    size_t n;

    cushim_mock_leaks();
    n = cushim_mock_findings(&findings);
    for (size_t i = 0; i < n; i++)
        printf("the mock found: %s\n", findings[i].text);
    failures += (int) n;
}

int main(void)
{
    const unsigned n = N;
    cushim_driver driver = CUSHIM_NONE;
    cushim_stream stream;
    cushim_function f;

    OK(cushim_mock_register_kernel("add", add, NULL));
    OK(cushim_open(cushim_open_params(.library = MOCK), &driver));
    OK(cushim_context_primary(driver, 0, &context));
    OK(cushim_stream_default(context, &stream));
    OK(cushim_module_load_text(context, ptx, NULL, &shared_module));
    OK(cushim_module_function(shared_module, "add", &f));
    OK(cushim_slice_zeros(stream, sizeof(unsigned), N, &shared));
    OK(cushim_launcher_create(f, &launcher));
    OK(cushim_launcher_push(launcher, CUSHIM_INOUT(shared), CUSHIM_VALUE(n)));
    record(stream, f, &graph);
    run();
    check(stream);
    cushim_graph_free(&graph);
    cushim_launcher_free(&launcher);
    cushim_slice_free(&shared);
    cushim_module_free(&shared_module);
    cushim_context_free(&context);
    cushim_close(&driver);
    check_findings();
    return failures ? 1 : 0;
}
