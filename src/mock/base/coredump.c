/* SPDX-License-Identifier: MIT */
#include "mock/base/coredump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"

/* Flags of contexts, and of what a core is made of. */
enum {
    CONTEXT_ENABLES = 0x20, /* CU_CTX_COREDUMP_ENABLE */
    CONTEXT_BY_USER = 0x40, /* CU_CTX_USER_COREDUMP_ENABLE */
    SKIP_ABORT = 0x10,
};

static const char *const flag_names[] = {"skip_nonrelocated_elf_images", "skip_global_memory",
                                         "skip_shared_memory",           "skip_local_memory",
                                         "skip_abort",                   "skip_constbank_memory"};

void mock__coredump_expand(const char *name, char ret_name[MOCK__COREDUMP_NAME])
{
    char host[256] = "", pid[16];
    size_t n = 0;

    gethostname(host, sizeof(host) - 1);
    snprintf(pid, sizeof(pid), "%d", (int) getpid());
    while (*name && n < MOCK__COREDUMP_NAME - 1) {
        const char *code = name[0] == '%' && name[1] == 'h'   ? host
                           : name[0] == '%' && name[1] == 'p' ? pid
                                                              : NULL;

        if (code)
            n += (size_t) snprintf(ret_name + n, MOCK__COREDUMP_NAME - n, "%s", code);
        else
            ret_name[n++] = *name;
        name += code ? 2 : 1;
    }
    ret_name[n < MOCK__COREDUMP_NAME ? n : MOCK__COREDUMP_NAME - 1] = '\0';
}

static bool is_one(const char *variable)
{
    const char *value = secure_getenv(variable);

    return value && !strcmp(value, "1");
}

/* Words, with commas between them; one that is none is told, as a driver tells it. */
static unsigned read_flags(const char *words)
{
    unsigned flags = 0;

    while (words && *words) {
        const size_t length = strcspn(words, ",");
        size_t i = 0;

        while (i < ARRAY_SIZE(flag_names) && (strncmp(words, flag_names[i], length) ||
                                              flag_names[i][length]))
            i++;
        if (i < ARRAY_SIZE(flag_names))
            flags |= 1u << i;
        else
            fprintf(stderr, "cushim mock: CUDA_COREDUMP_GENERATION_FLAGS: '%.*s' is no flag\n",
                    (int) length, words);
        words += length + (words[length] == ',');
    }
    return flags;
}

/* With a name for its file, or at the user's wish, a core is also written after an error. */
static void read_variables(struct mock__coredump *settings)
{
    const char *file = secure_getenv("CUDA_COREDUMP_FILE");
    const char *of_host = secure_getenv("CUDA_ENABLE_CPU_COREDUMP_ON_EXCEPTION");

    settings->by_user = is_one("CUDA_ENABLE_USER_TRIGGERED_COREDUMP");
    settings->enabled = is_one("CUDA_ENABLE_COREDUMP_ON_EXCEPTION") || settings->by_user || file;
    settings->flags = read_flags(secure_getenv("CUDA_COREDUMP_GENERATION_FLAGS"));
    if (of_host && strcmp(of_host, "1"))
        settings->flags |= SKIP_ABORT;
    if (file)
        mock__coredump_expand(file, settings->file);
}

struct mock__coredump *mock__coredump_global(void)
{
    static struct mock__coredump settings;
    static bool is_read;

    if (!is_read)
        read_variables(&settings);
    is_read = true;
    return &settings;
}

struct mock__coredump mock__coredump_of(unsigned context_flags)
{
    struct mock__coredump settings = *mock__coredump_global();

    settings.enabled = settings.enabled || context_flags & (CONTEXT_ENABLES | CONTEXT_BY_USER);
    return settings;
}
