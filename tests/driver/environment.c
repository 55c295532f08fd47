/* SPDX-License-Identifier: MIT */
/*
 * The variables that a driver reads. Each question is a process of its own, which this program
 * starts again with one variable more and a group that is in no list.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ask.h"

#include "kernels.ptx.h"

#define UUID_LENGTH 40 /* "GPU-" and 36 more */

static char uuids[2][UUID_LENGTH + 1];

/* Puts what a word stands for in its place, wherever it is; the text has room for it. */
static void replace(char *text, const char *word, const char *by)
{
    char *at, rest[1024];

    while (*word && (at = strstr(text, word))) {
        snprintf(rest, sizeof(rest), "%s", at + strlen(word));
        memcpy(at, by, strlen(by));
        memcpy(at + strlen(by), rest, strlen(rest) + 1);
    }
}

static void format_uuid(int device, char text[UUID_LENGTH + 1])
{
    unsigned char bytes[16] = "";
    size_t n = (size_t) snprintf(text, UUID_LENGTH + 1, "GPU-");

    CALL(cuDeviceGetUuid_v2, ((CUuuid *) bytes, device));
    for (int i = 0; i < 16; i++)
        n += (size_t) snprintf(text + n, UUID_LENGTH + 1 - n, "%02x%s", bytes[i],
                               i == 3 || i == 5 || i == 7 || i == 9 ? "-" : "");
}

/* In a child: starts this program anew. */
static void start_again(int out, const char *name, const char *value, const char *what)
{
    dup2(out, STDOUT_FILENO);
    setenv(name, value, 1);
    setenv("ASK_WHAT", what, 1);
    alarm(20);
    execl("/proc/self/exe", "ask", library_path(), "environment_child", (char *) NULL);
    _exit(1);
}

/* Asks in a new process, which has the variable. Its answer is a line. */
static void ask_child(const char *name, const char *value, const char *what, char line[512])
{
    int out[2];
    pid_t pid;
    FILE *file;

    snprintf(line, 512, "nothing");
    if (pipe(out))
        return;
    pid = fork();
    if (!pid)
        start_again(out[1], name, value, what);
    close(out[1]);
    file = fdopen(out[0], "r");
    if (!file || !fgets(line, 512, file))
        snprintf(line, 512, "nothing");
    if (file)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
    waitpid(pid, NULL, 0);
}

static void say_devices(void)
{
    const int result = CALL(cuInit, (0));
    int count = 0;
    char uuid[UUID_LENGTH + 1];

    CALL(cuDeviceGetCount, (&count));
    printf("%d, %d:", result, count);
    for (int i = 0; i < count; i++) {
        format_uuid(i, uuid);
        printf(" %s", uuid);
    }
    printf("\n");
}

static void say_loading(void)
{
    CUmoduleLoadingMode mode = (CUmoduleLoadingMode) 99;
    const int result = CALL(cuInit, (0));

    CALL(cuModuleGetLoadingMode, (&mode));
    printf("%d, %d\n", result, (int) mode);
}

/* Is a launch done when it returns? */
static void say_blocking(void)
{
    unsigned long long ns = 100000000;
    CUstream stream;
    CUfunction spin;
    CUcontext context = NULL;
    int result = CALL(cuInit, (0));

    CALL(cuDevicePrimaryCtxRetain, (&context, 0));
    CALL(cuCtxSetCurrent, (context));
    spin = get_kernel(load_kernels(), "spin");
    stream = new_stream();
    launch(spin, 1, 1, stream, (void *[]){&ns});
    result = CALL(cuStreamQuery, (stream));
    printf("%d\n", result);
}

static void say_module(void)
{
    CUcontext context = NULL;
    CUmodule module = NULL;
    const int result = CALL(cuInit, (0));

    CALL(cuDevicePrimaryCtxRetain, (&context, 0));
    CALL(cuCtxSetCurrent, (context));
    printf("%d, %d\n", result, CALL(cuModuleLoadData, (&module, kernels_ptx)));
}

static void say_coredump(void)
{
    const int result = CALL(cuInit, (0));
    char text[1024] = "", pid[16];
    size_t size = 1;
    bool on = false, light = false, host = false, user = false;
    unsigned flags = 0;

    CALL(cuCoredumpGetAttributeGlobal, (CU_COREDUMP_ENABLE_ON_EXCEPTION, &on, &size));
    CALL(cuCoredumpGetAttributeGlobal, (CU_COREDUMP_LIGHTWEIGHT, &light, &size));
    CALL(cuCoredumpGetAttributeGlobal, (CU_COREDUMP_TRIGGER_HOST, &host, &size));
    CALL(cuCoredumpGetAttributeGlobal, (CU_COREDUMP_ENABLE_USER_TRIGGER, &user, &size));
    size = 4;
    CALL(cuCoredumpGetAttributeGlobal, (CU_COREDUMP_GENERATION_FLAGS, &flags, &size));
    size = sizeof(text);
    CALL(cuCoredumpGetAttributeGlobal, (CU_COREDUMP_FILE, text, &size));
    snprintf(pid, sizeof(pid), "%d", (int) getpid());
    replace(text, pid, "PID");
    printf("%d: on %d light %d host %d user %d flags %u file '%s'\n", result, on, light, host, user,
           flags, text);
}

/* A switch that is set again by a function. */
static void say_coredump_set(void)
{
    const int result = CALL(cuInit, (0));
    bool light = false;
    size_t size = 1;
    const int set = CALL(cuCoredumpSetAttributeGlobal, (CU_COREDUMP_LIGHTWEIGHT, &light, &size));

    light = false;
    CALL(cuCoredumpGetAttributeGlobal, (CU_COREDUMP_LIGHTWEIGHT, &light, &size));
    printf("%d, %d, %d\n", result, set, light);
}

/* The log goes to the file that the variable names; its last line. */
static void say_log(void)
{
    char line[512] = "", last[512] = "nothing";
    const char *path = getenv("CUDA_LOG_FILE");
    FILE *file;

    CALL(cuInit, (0));
    CALL(cuDeviceGetCount, (NULL));
    if (!strcmp(path, "stdout") || !strcmp(path, "stderr"))
        return;
    file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file))
        snprintf(last, sizeof(last), "%s", line);
    if (file)
        fclose(file);
    unlink(path);
    last[strcspn(last, "\n")] = '\0';
    printf("%s\n", strstr(last, "[CUDA]") ? strstr(last, "[CUDA]") : last);
}

void ask_environment_child(void)
{
    static const struct {
        const char *name;
        void (*say)(void);
    } whats[] = {
        {"devices", say_devices},   {"loading", say_loading},   {"blocking", say_blocking},
        {"module", say_module},     {"coredump", say_coredump}, {"coredump_set", say_coredump_set},
        {"log", say_log},
    };

    for (size_t i = 0; i < sizeof(whats) / sizeof(*whats); i++)
        if (!strcmp(whats[i].name, getenv("ASK_WHAT")))
            whats[i].say();
    fflush(stdout);
    _exit(0);
}

static void name_devices(char line[512])
{
    replace(line, uuids[0], "first");
    replace(line, uuids[1], "second");
}

/*
 * In a value {0} and {1} are the UUIDs of the devices, {p} is the beginning of the first,
 * and {t} is a tab.
 */
static void ask_visible(const char *value)
{
    char text[1024], line[512], key[128], beginning[13];

    snprintf(text, sizeof(text), "%s", value);
    snprintf(beginning, sizeof(beginning), "%.12s", uuids[0]);
    replace(text, "{0}", uuids[0]);
    replace(text, "{1}", uuids[1]);
    replace(text, "{p}", beginning);
    replace(text, "{t}", "\t");
    ask_child("CUDA_VISIBLE_DEVICES", text, "devices", line);
    name_devices(line);
    snprintf(key, sizeof(key), "visible '%s'", value);
    report_text(key, line);
}

static void learn_uuids(void)
{
    char line[512];
    const char *first;

    ask_child("ASK_NOTHING", "", "devices", line);
    first = strstr(line, "GPU-");
    snprintf(uuids[0], sizeof(uuids[0]), "%s", first ? first : "");
    if (first && strstr(first + 1, "GPU-"))
        snprintf(uuids[1], sizeof(uuids[1]), "%s", strstr(first + 1, "GPU-"));
}

static void ask_variable(const char *name, const char *value, const char *what)
{
    char line[512], key[160];

    ask_child(name, value, what, line);
    name_devices(line);
    snprintf(key, sizeof(key), "%s='%s' %s", name, value, what);
    /* Before the text of a log are the time and the thread. */
    report_text(key, strstr(line, "[CUDA]") ? strstr(line, "[CUDA]") : line);
}

static void ask_coredump_variables(void)
{
    static const char *const names[] = {"CUDA_ENABLE_COREDUMP_ON_EXCEPTION",
                                        "CUDA_ENABLE_LIGHTWEIGHT_COREDUMP",
                                        "CUDA_ENABLE_CPU_COREDUMP_ON_EXCEPTION",
                                        "CUDA_ENABLE_USER_TRIGGERED_COREDUMP"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        ask_variable(names[i], "1", "coredump");
        ask_variable(names[i], "0", "coredump");
        ask_variable(names[i], "yes", "coredump");
        ask_variable(names[i], "", "coredump");
    }
    ask_variable("CUDA_COREDUMP_FILE", "/tmp/a.core.%p", "coredump");
    ask_variable("CUDA_COREDUMP_GENERATION_FLAGS", "skip_abort", "coredump");
    ask_variable("CUDA_COREDUMP_GENERATION_FLAGS", "skip_global_memory,skip_local_memory",
                 "coredump");
    ask_variable("CUDA_COREDUMP_GENERATION_FLAGS", "nonsense", "coredump");
    ask_variable("CUDA_ENABLE_LIGHTWEIGHT_COREDUMP", "1", "coredump_set");
}

static void ask_others(void)
{
    static const struct {
        const char *name, *what, *values[6];
    } variables[] = {
        {"CUDA_DEVICE_ORDER", "devices", {"PCI_BUS_ID", "FASTEST_FIRST", "nonsense", ""}},
        {"CUDA_MODULE_LOADING", "loading", {"LAZY", "EAGER", "DEFAULT", "lazy", "nonsense", ""}},
        {"CUDA_LAUNCH_BLOCKING", "blocking", {"1", "0", "2", "yes", "", "true"}},
        {"CUDA_DEVICE_MAX_CONNECTIONS", "devices", {"1", "32", "99", "-1", "nonsense"}},
        {"CUDA_DISABLE_PTX_JIT", "module", {"1", "0", "yes", ""}},
        {"CUDA_FORCE_PTX_JIT", "module", {"1", "0", "yes", ""}},
        {"CUDA_DISABLE_JIT", "module", {"1", "0"}},
        {"CUDA_FORCE_JIT", "module", {"1", "0"}},
        {"CUDA_CACHE_DISABLE", "module", {"1", "0"}},
        {"CUDA_CACHE_PATH", "module", {"/nowhere/at/all", ""}},
        {"CUDA_CACHE_MAXSIZE", "module", {"0", "nonsense"}},
        {"CUDA_LOG_FILE", "log", {"/tmp/cushim-ask-log", "stdout", "stderr", "/nowhere/at/all"}},
    };

    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
        for (size_t j = 0; j < 6 && variables[i].values[j]; j++)
            ask_variable(variables[i].name, variables[i].values[j], variables[i].what);
}

void ask_environment(void)
{
    static const char *const values[] = {
        "",     "0",    "-1",     "99",      "0,-1",    "-1,0",       "0,99",        "99,0",
        "0,0",  " 0",   "0 ",     "{t}0",     "+0",      "00",         "0x0",         "0a",
        "a",    "0,a",  "a,0",    ",0",      "0,",      "0,,0",       ",",           " ",
        "{0}",  "{p}",  "GPU-",   "gpu-",    "GPU",     "GPU-no",     "{0},0",       "0,{0}",
        "{0}x", " {0}", "{0},{0}", "{0},no", "MIG-0",   "MIG-{0}/0/0", "0;0",        "0 0",
        "0.5",  "-0",   "all",    "none",    "4294967296",
    };

    learn_uuids();
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        ask_visible(values[i]);
    ask_coredump_variables();
    ask_others();
}

/* Of two devices. */
void ask_environment_two(void)
{
    static const char *const values[] = {
        "1",     "0,1",     "1,0",   "1,0,1", "0,1,0", "1,99,0",  "1,-1,0", "1, 0",  "1 ,0",
        "1;0",   "{1}",     "{1},{0}", "{1},0", "1,{0}", "{0},{1}", "GPU-",   "1,,0",  "1,0x0",
        "{1},{1}", "1,1",   "1,2",   "0,1,2", "2,1,0",
    };

    learn_uuids();
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        ask_visible(values[i]);
    ask_variable("CUDA_DEVICE_ORDER", "PCI_BUS_ID", "loading");
}
