/* SPDX-License-Identifier: MIT */
/* The driver's log of errors: callbacks, iterators, dumps, and what is written for which error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"

#include "kernels.ptx.h"

static struct heard {
    int calls, level, order;
    size_t length, real_length;
    char text[512];
} heard[2];

static int n_heard;

static void CUDA_CB hear(void *data, CUlogLevel level, char *message, size_t length)
{
    struct heard *h = data;

    h->calls++;
    h->order = ++n_heard;
    h->level = (int) level;
    h->length = length;
    h->real_length = strlen(message);
    snprintf(h->text, sizeof(h->text), "%s", message);
}

/* Without what stands in brackets at its beginning: the time and the thread; in one line. */
static void report_message(const char *key, const char *message)
{
    char text[4096];
    size_t n = 0;

    while (*message && n < sizeof(text) - 2) {
        if (!strncmp(message, "[CUDA]", 6)) {
            n = 0;
        }
        if (*message == '\n') {
            text[n++] = '\\';
            text[n++] = 'n';
        } else {
            text[n++] = *message;
        }
        message++;
    }
    text[n] = '\0';
    report_text(key, text);
}

/* The log since the iterator, one message a line, each without its time and thread. */
static void report_log(const char *key, CUlogIterator *from)
{
    char text[4096] = "", name[64], *rest = text, *line;
    size_t size = sizeof(text);
    int n = 0;

    report_numbered(CALL(cuLogsDumpToMemory, (from, text, &size, 0)), "%s_dump", key);
    while ((line = strsep(&rest, "\n"))) {
        if (!*line)
            continue;
        snprintf(name, sizeof(name), "%s_%d", key, n++);
        report_message(name, line);
    }
    report_numbered(n, "%s_lines", key);
}

static void ask_misuse(void)
{
    CUlogsCallbackHandle handle = NULL;
    CUlogIterator at = 0;
    char text[64];
    size_t size = sizeof(text);

    ASK("current", cuLogsCurrent, (&at, 0));
    ASK("current_null", cuLogsCurrent, (NULL, 0));
    ASK("current_flags", cuLogsCurrent, (&at, 1));
    ASK("register_null", cuLogsRegisterCallback, (NULL, NULL, &handle));
    ASK("register_no_out", cuLogsRegisterCallback, (hear, &heard[1], NULL));
    ASK("unregister_null", cuLogsUnregisterCallback, (NULL));
    ASK("dump_null", cuLogsDumpToMemory, (&at, NULL, &size, 0));
    ASK("dump_no_size", cuLogsDumpToMemory, (&at, text, NULL, 0));
    ASK("dump_flags", cuLogsDumpToMemory, (&at, text, &size, 1));
    ASK("file_null", cuLogsDumpToFile, (&at, NULL, 0));
    ASK("file_flags", cuLogsDumpToFile, (&at, "/dev/null", 1));
    ASK("file_nowhere", cuLogsDumpToFile, (&at, "/nowhere/at/all", 0));
    ASK("file_empty", cuLogsDumpToFile, (&at, "", 0));
}

static void ask_callbacks(void)
{
    CUlogsCallbackHandle first = NULL, second = NULL;
    int count;

    memset(heard, 0, sizeof(heard));
    n_heard = 0;
    ASK("register", cuLogsRegisterCallback, (hear, &heard[0], &first));
    report("register_v", first != NULL);
    ASK("register_second", cuLogsRegisterCallback, (hear, &heard[0], &second));
    report("register_differ", first != second);
    ASK("unregister_second", cuLogsUnregisterCallback, (second));
    CALL(cuDeviceGetCount, (NULL));
    report("heard_calls", heard[0].calls);
    report("heard_level", heard[0].level);
    report("heard_length", (long long) heard[0].length - (long long) heard[0].real_length);
    report_message("heard_text", heard[0].text);
    CALL(cuDeviceGetCount, (&count));
    report("heard_good", heard[0].calls);
    ASK("unregister", cuLogsUnregisterCallback, (first));
    CALL(cuDeviceGetCount, (NULL));
    report("heard_after", heard[0].calls);
    report("heard_anonymous", heard[1].calls);
}

static void ask_iterators(void)
{
    CUlogIterator at = 0, same;
    char text[4096];
    size_t size;

    CALL(cuLogsCurrent, (&at, 0));
    same = at;
    size = sizeof(text);
    ASK("nothing", cuLogsDumpToMemory, (&at, text, &size, 0));
    report("nothing_size", (long long) size);
    report("nothing_same", at == same);
    CALL(cuDeviceGetCount, (NULL));
    CALL(cuLogsCurrent, (&at, 0));
    report("advance", (long long) (at - same));
    at = same;
    report_log("one", &at);
    report("one_advance", (long long) (at - same));
    size = sizeof(text);
    CALL(cuLogsDumpToMemory, (&at, text, &size, 0));
    report("again_size", (long long) size);
    size = sizeof(text);
    at = same;
    CALL(cuLogsDumpToMemory, (&at, text, &size, 0));
    report("size_is_length", size == strlen(text));
    report("ends_in_newline", size && text[size - 1] == '\n');
    at += 1000;
    size = sizeof(text);
    ASK("beyond", cuLogsDumpToMemory, (&at, text, &size, 0));
    report("beyond_size", (long long) size);
}

static void ask_file(void)
{
    char path[] = "/tmp/cushim-ask-XXXXXX", text[4096];
    const int file = mkstemp(path);
    CUlogIterator at = 0, same;
    ssize_t n;

    CALL(cuLogsCurrent, (&at, 0));
    same = at;
    if (write(file, "before\n", 7) != 7)
        report("file_write", -1);
    CALL(cuDeviceGetCount, (NULL));
    ASK("file", cuLogsDumpToFile, (&at, path, 0));
    report("file_advance", (long long) (at - same));
    n = pread(file, text, sizeof(text) - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    report("file_keeps", !strncmp(text, "before\n", 7));
    report_message("file_text", text);
    ASK("file_twice", cuLogsDumpToFile, (&at, path, 0));
    close(file);
    unlink(path);
}

/* How much the log keeps, and what a reader is told of the rest. */
static void ask_overflow(void)
{
    static char text[200000];
    CUlogIterator at = 0;
    size_t size = sizeof(text);

    CALL(cuLogsCurrent, (&at, 0));
    for (int i = 0; i < 1000; i++)
        CALL(cuDeviceGetCount, (NULL));
    ASK("overflow", cuLogsDumpToMemory, (&at, text, &size, 0));
    text[strcspn(text, "\n")] = '\0';
    report_message("overflow_first", text);
    size = 4000;
    ASK("overflow_small", cuLogsDumpToMemory, (NULL, text, &size, 0));
    report("overflow_small_fits", size > 0 && size < 4000);
    text[strcspn(text, "\n")] = '\0';
    report_message("overflow_small_first", text);
}

/*
 * What is said of some errors; each begins a new part of the log. A driver may say more before, in
 * words of its own: the last message has the result and the function.
 */
static void report_last(const char *key, CUlogIterator *from)
{
    char text[4096] = "", name[64], *last;
    size_t size = sizeof(text);

    CALL(cuLogsDumpToMemory, (from, text, &size, 0));
    text[size ? size - 1 : 0] = '\0';
    last = strrchr(text, '\n');
    snprintf(name, sizeof(name), "%s_last", key);
    report_message(name, last ? last + 1 : text);
}

#define SAID(key, name, arguments)                                                                 \
    do {                                                                                           \
        CUlogIterator said = 0;                                                                    \
        CALL(cuLogsCurrent, (&said, 0));                                                           \
        ASK(key, name, arguments);                                                                 \
        report_last(key, &said);                                                                   \
    } while (0)

static void ask_said_without_context(void)
{
    CUdeviceptr p = 0;

    SAID("said_none_alloc", cuMemAlloc_v2, (&p, 16));
    SAID("said_none_free", cuMemFree_v2, (0x1234));
    SAID("said_none", cuCtxSynchronize, ());
    begin();
}

static void ask_said_of_arguments(void)
{
    CUdeviceptr p = 0;
    CUcontext context;
    CUstream stream;
    CUdevice device;
    int value;

    SAID("said_device", cuDeviceGet, (&device, 99));
    SAID("said_attribute", cuDeviceGetAttribute, (&value, (CUdevice_attribute) 9999, 0));
    SAID("said_alloc0", cuMemAlloc_v2, (&p, 0));
    SAID("said_alloc_huge", cuMemAlloc_v2, (&p, (size_t) 1 << 50));
    SAID("said_free", cuMemFree_v2, (0x1234));
    SAID("said_stream_flags", cuStreamCreate, (&stream, 77));
    SAID("said_ctx_flags", cuCtxCreate_v2, (&context, 0x10000, 0));
    SAID("said_memcpy", cuMemcpyHtoD_v2, (0x1234, &value, 4));
    SAID("said_memset", cuMemsetD8_v2, (0x1234, 0, 4));
    SAID("said_link", cuLinkDestroy, (NULL));
    SAID("said_event", cuEventQuery, (NULL));
    SAID("said_no_symbol", cuGetProcAddress_v2, ("cuNothing", (void **) &p, 12000, 0, NULL));
    SAID("said_peer", cuCtxEnablePeerAccess, (NULL, 0));
    SAID("said_limit", cuCtxSetLimit, ((CUlimit) 99, 1));
    SAID("said_destroy", cuCtxDestroy_v2, (NULL));
    SAID("said_out", cuDeviceGetCount, (NULL));
}

static void ask_said_of_graphs(void)
{
    CUgraph graph = NULL, other = NULL;
    CUgraphNode node = NULL;
    CUgraphExec exec = NULL;
    CUevent event = NULL;

    SAID("said_graph", cuGraphCreate, (&graph, 1));
    SAID("said_graph_null", cuGraphLaunch, (NULL, NULL));
    CALL(cuGraphCreate, (&graph, 0));
    CALL(cuGraphAddEmptyNode, (&node, graph, NULL, 0));
    SAID("said_edge", cuGraphAddDependencies_v2, (graph, &node, &node, NULL, 1));
    SAID("said_inst_flags", cuGraphInstantiateWithFlags, (&exec, graph, 1 << 20));
    SAID("said_clone", cuGraphClone, (&other, NULL));
    SAID("said_event_flags", cuEventCreate, (&event, 77));
}

static void ask_said_of_modules(void)
{
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr p;
    size_t bytes;

    SAID("said_garbage", cuModuleLoadData, (&module, "garbage"));
    SAID("said_syntax", cuModuleLoadData, (&module, ".version 6.4\n.target sm_52\nbogus\n"));
    SAID("said_version", cuModuleLoadData, (&module, ".version 99.0\n.target sm_52\n"));
    SAID("said_file", cuModuleLoad, (&module, "/nowhere/at/all"));
    module = load_kernels();
    SAID("said_function", cuModuleGetFunction, (&function, module, "missing"));
    SAID("said_global", cuModuleGetGlobal_v2, (&p, &bytes, module, "missing"));
    SAID("said_null_image", cuModuleLoadData, (&module, NULL));
}

static void ask_said_of_launches(void)
{
    CUfunction nop = get_kernel(load_kernels(), "nop");
    CUstream stream = new_stream();
    CUgraph graph = NULL;
    CUdeviceptr p = 0;

    SAID("said_block", cuLaunchKernel, (nop, 1, 1, 1, 4096, 1, 1, 0, NULL, NULL, NULL));
    SAID("said_threads", cuLaunchKernel, (nop, 1, 1, 1, 64, 32, 1, 0, NULL, NULL, NULL));
    SAID("said_grid", cuLaunchKernel, (nop, 1, 70000, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    SAID("said_grid0", cuLaunchKernel, (nop, 0, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    SAID("said_shared", cuLaunchKernel, (nop, 1, 1, 1, 1, 1, 1, 1 << 20, NULL, NULL, NULL));
    SAID("said_coop", cuLaunchCooperativeKernel, (nop, 99999, 1, 1, 1024, 1, 1, 0, NULL, NULL));
    SAID("said_null_function", cuLaunchKernel, (NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    SAID("said_end", cuStreamEndCapture, (stream, &graph));
    CALL(cuStreamBeginCapture_v2, (stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    SAID("said_capture", cuMemAlloc_v2, (&p, 16));
    SAID("said_capture_sync", cuStreamSynchronize, (stream));
    SAID("said_capture_end", cuStreamEndCapture, (stream, &graph));
}

/* Answers that are no errors: are they told? */
static void ask_said_of_answers(void)
{
    CUfunction spin = get_kernel(load_kernels(), "spin"), trap = get_kernel(load_kernels(), "trapk");
    unsigned long long ns = 100000000;
    CUstream stream = new_stream();

    launch(spin, 1, 1, stream, (void *[]){&ns});
    SAID("said_busy", cuStreamQuery, (stream));
    wait_for(stream);
    launch(trap, 1, 1, stream, NULL);
    SAID("said_trap", cuStreamSynchronize, (stream));
    SAID("said_sticky", cuCtxSynchronize, ());
}

void ask_logs(void)
{
    CUlogIterator at = 0;
    int count;

    ASK("before_init_current", cuLogsCurrent, (&at, 0));
    ASK("before_init_call", cuDeviceGetCount, (&count));
    report_log("before_init", &at);
    CALL(cuInit, (0));
    ask_misuse();
    ask_callbacks();
    ask_iterators();
    ask_file();
    ask_said_without_context();
    ask_said_of_arguments();
    ask_said_of_graphs();
    ask_said_of_modules();
    ask_said_of_launches();
    ask_overflow();
    ask_said_of_answers();
}
