/* SPDX-License-Identifier: MIT */
#include "mock/config/host_memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/util.h"

/* Reads the number that stands after a word, or the first one of the file if the word is "". */
static bool read_number(const char *root, const char *path, const char *word, uint64_t *ret_number)
{
    char name[PATH_MAX], line[256], form[64];
    bool found = false;
    FILE *file;

    if (snprintf(name, sizeof(name), "%s%s", root, path) >= (int) sizeof(name))
        return false;
    file = fopen(name, "re");
    if (!file)
        return false;
    snprintf(form, sizeof(form), "%s %%%s", word, SCNu64);
    while (!found && fgets(line, sizeof(line), file))
        found = sscanf(line, form, ret_number) == 1;
    fclose(file);
    return found;
}

static uint64_t machine_free(const char *root)
{
    uint64_t kilobytes;

    return read_number(root, "/proc/meminfo", "MemAvailable:", &kilobytes) ? kilobytes * 1024
                                                                           : UINT64_MAX;
}

/* In a container the group is at the top of what it sees. A group without a limit says "max". */
static uint64_t group_free(const char *root)
{
    static const char *const files[][2] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes",
         "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
    };
    uint64_t most, used;

    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        if (read_number(root, files[i][0], "", &most) && read_number(root, files[i][1], "", &used))
            return most > used ? most - used : 0;
    return UINT64_MAX;
}

uint64_t mock__host_memory_free_below(const char *root)
{
    const uint64_t machine = machine_free(root), group = group_free(root);

    return machine < group ? machine : group;
}

uint64_t mock__host_memory_free(void)
{
    return mock__host_memory_free_below("");
}
