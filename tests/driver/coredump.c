/* SPDX-License-Identifier: MIT */
/* The settings of cores of a device: their sizes, defaults, and who may change which. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"

#define N_SETTINGS 9

static int get(bool global, int setting, void *value, size_t *size)
{
    return global ? CALL(cuCoredumpGetAttributeGlobal, ((CUcoredumpSettings) setting, value, size))
                  : CALL(cuCoredumpGetAttribute, ((CUcoredumpSettings) setting, value, size));
}

static int set(bool global, int setting, void *value, size_t size)
{
    return global ? CALL(cuCoredumpSetAttributeGlobal, ((CUcoredumpSettings) setting, value, &size))
                  : CALL(cuCoredumpSetAttribute, ((CUcoredumpSettings) setting, value, &size));
}

/* With HOST and PID for what they are. */
static void report_name(const char *key, const char *name)
{
    char host[256] = "", mine[512], text[4096];
    const char *at;

    gethostname(host, sizeof(host) - 1);
    snprintf(mine, sizeof(mine), "%s.%d", host, (int) getpid());
    at = strstr(name, mine);
    if (at)
        snprintf(text, sizeof(text), "%.*sHOST.PID%s", (int) (at - name), name, at + strlen(mine));
    report_text(key, at ? text : name);
}

static bool is_text(int setting)
{
    return setting == CU_COREDUMP_FILE || setting == CU_COREDUMP_PIPE;
}

static void ask_value(const char *when, bool global, int setting)
{
    char value[2048], key[64];
    size_t size = 0;
    unsigned number = 0;

    report_numbered(get(global, setting, NULL, &size), "%s_size%d", when, setting);
    report_numbered((long long) size, "%s_size%d_v", when, setting);
    memset(value, 0, sizeof(value));
    size = is_text(setting) ? sizeof(value) : size;
    report_numbered(get(global, setting, value, &size), "%s_get%d", when, setting);
    report_numbered((long long) size, "%s_get%d_size", when, setting);
    snprintf(key, sizeof(key), "%s_get%d_v", when, setting);
    memcpy(&number, value, sizeof(number));
    if (is_text(setting))
        report_name(key, value);
    else
        report(key, number);
}

static void ask_values(const char *when, bool global)
{
    for (int setting = 0; setting < N_SETTINGS; setting++)
        ask_value(when, global, setting);
}

static void ask_misuse(const char *when, bool global)
{
    bool flag = true;
    char text[2048];
    size_t size = 1;

    report_numbered(get(global, CU_COREDUMP_LIGHTWEIGHT, &flag, NULL), "%s_no_size", when);
    report_numbered(get(global, CU_COREDUMP_LIGHTWEIGHT, NULL, NULL), "%s_nothing", when);
    size = 0;
    report_numbered(get(global, CU_COREDUMP_LIGHTWEIGHT, &flag, &size), "%s_get_size0", when);
    size = 4;
    report_numbered(get(global, CU_COREDUMP_LIGHTWEIGHT, text, &size), "%s_get_size4", when);
    size = 4;
    report_numbered(get(global, CU_COREDUMP_FILE, text, &size), "%s_get_text4", when);
    report_numbered((long long) size, "%s_get_text4_size", when);
    report_numbered(set(global, CU_COREDUMP_LIGHTWEIGHT, &flag, 0), "%s_set_size0", when);
    report_numbered(set(global, CU_COREDUMP_LIGHTWEIGHT, text, 4), "%s_set_size4", when);
    report_numbered(set(global, CU_COREDUMP_LIGHTWEIGHT, NULL, 1), "%s_set_null", when);
    memset(text, 'x', sizeof(text));
    text[1024] = '\0';
    report_numbered(set(global, CU_COREDUMP_FILE, text, 1025), "%s_set_long", when);
    text[1023] = '\0';
    report_numbered(set(global, CU_COREDUMP_FILE, text, 1024), "%s_set_longest", when);
    report_numbered(set(global, CU_COREDUMP_FILE, text, 10), "%s_set_unended", when);
    ask_value(when, global, CU_COREDUMP_FILE);
}

static void ask_flags(const char *when, bool global)
{
    static const unsigned flags[] = {0, 1, 2, 4, 8, 16, 32, 63, 0x2f, 64, 0x80000000u};

    for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
        unsigned value = flags[i], now = 99;
        bool light = false, host = false;
        size_t size = sizeof(value);

        report_numbered(set(global, CU_COREDUMP_GENERATION_FLAGS, &value, 4), "%s_flags%u", when,
                        flags[i]);
        get(global, CU_COREDUMP_GENERATION_FLAGS, &now, &size);
        report_numbered(now, "%s_flags%u_v", when, flags[i]);
        size = 1;
        get(global, CU_COREDUMP_LIGHTWEIGHT, &light, &size);
        report_numbered(light, "%s_flags%u_light", when, flags[i]);
        size = 1;
        get(global, CU_COREDUMP_TRIGGER_HOST, &host, &size);
        report_numbered(host, "%s_flags%u_host", when, flags[i]);
    }
}

/* Each switch on, and off again. */
static void ask_switches(const char *when, bool global)
{
    for (int setting = 1; setting <= CU_COREDUMP_ENABLE_USER_TRIGGER; setting++)
        for (int i = 1; i >= 0; i--) {
            bool value = i, now = false;
            size_t size = 1;
            unsigned flags = 99;

            if (setting == CU_COREDUMP_ENABLE_USER_TRIGGER && i)
                continue;
            report_numbered(set(global, setting, &value, 1), "%s_set%d_%d", when, setting, i);
            get(global, setting, &now, &size);
            report_numbered(now, "%s_set%d_%d_v", when, setting, i);
            size = sizeof(flags);
            get(global, CU_COREDUMP_GENERATION_FLAGS, &flags, &size);
            report_numbered(flags, "%s_set%d_%d_flags", when, setting, i);
        }
}

static void ask_names(const char *when, bool global)
{
    char file[] = "/tmp/core.%h.%p", pipe[] = "/tmp/pipe.of.it";

    report_numbered(set(global, CU_COREDUMP_FILE, file, sizeof(file)), "%s_file", when);
    ask_value(when, global, CU_COREDUMP_FILE);
    report_numbered(set(global, CU_COREDUMP_PIPE, pipe, sizeof(pipe)), "%s_pipe", when);
    ask_value(when, global, CU_COREDUMP_PIPE);
}

void ask_coredump(void)
{
    CUcontext context = NULL;

    ask_value("preinit", true, CU_COREDUMP_LIGHTWEIGHT);
    ask_value("preinit_ctx", false, CU_COREDUMP_LIGHTWEIGHT);
    CALL(cuInit, (0));
    ask_value("without", false, CU_COREDUMP_LIGHTWEIGHT);
    ask_values("global", true);
    begin();
    ask_values("ctx", false);
    ask_names("ctxname", false);
    ask_values("after_ctxname", true);
    ask_names("globalname", true);
    ask_values("after_globalname", false);
    ask_misuse("ctxbad", false);
    ask_misuse("globalbad", true);
    ask_flags("ctxflag", false);
    ask_flags("globalflag", true);
    ask_switches("ctxset", false);
    ask_switches("globalset", true);
    ask_values("after", false);
    ASK("create", cuCtxCreate_v2, (&context, CU_CTX_COREDUMP_ENABLE, 0));
    ask_values("enabled", false);
}
