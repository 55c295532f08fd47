/* SPDX-License-Identifier: MIT */
#include "mock/config/host_memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

const char *mock__host_root = "";

/*
 * The two kinds of control groups. Of the first, a limit on memory and swap together is another
 * file, and a group without a limit has a large number; of the second, swap has its own limit, and
 * such a group says "max".
 */
static const struct kind {
    const char *mounted, *of_process; /* the folder, and the line of /proc/self/cgroup */
    const char *limit, *used, *swap_limit, *swap_used;
    const char *cache; /* memory that the system can take back at any time */
    bool together;
} kinds[] = {
    {"/sys/fs/cgroup/memory", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "memory.memsw.limit_in_bytes", "memory.memsw.usage_in_bytes", "total_inactive_file", true},
    {"/sys/fs/cgroup", "", "memory.max", "memory.current", "memory.swap.max", "memory.swap.current",
     "inactive_file", false},
};

/* Where there are both, the second kind is here. */
#define UNIFIED "/sys/fs/cgroup/unified"

static FILE *open_file(const char *folder, const char *name)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%s%s/%s", mock__host_root, folder, name) >=
        (int) sizeof(path))
        return NULL;
    return fopen(path, "re");
}

/* Reads the number that stands after a word, or the first one of the file if the word is "". */
static bool read_number(const char *folder, const char *name, const char *word,
                        uint64_t *ret_number)
{
    FILE *file = open_file(folder, name);
    char line[256], form[64];
    bool found = false;

    if (!file)
        return false;
    snprintf(form, sizeof(form), "%s %%%s", word, SCNu64);
    while (!found && fgets(line, sizeof(line), file))
        found = sscanf(line, form, ret_number) == 1;
    fclose(file);
    return found;
}

static uint64_t kilobytes(const char *word, uint64_t otherwise)
{
    uint64_t number;

    return read_number("/proc", "meminfo", word, &number) ? number * 1024 : otherwise;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t left(uint64_t limit, uint64_t used)
{
    return limit > used ? limit - used : 0;
}

/* What one group leaves. A group that has no limit, or says nothing, leaves all. */
static void apply_group(const struct kind *kind, const char *folder, struct mock__host_memory *room)
{
    uint64_t limit, used, cache = 0, swap_limit, swap_used, memory;

    if (!read_number(folder, kind->limit, "", &limit) ||
        !read_number(folder, kind->used, "", &used))
        return;
    read_number(folder, "memory.stat", kind->cache, &cache);
    memory = left(limit, left(used, cache));
    room->of_a_group = room->of_a_group || memory < room->memory;
    room->memory = less(room->memory, memory);
    if (!read_number(folder, kind->swap_limit, "", &swap_limit) ||
        !read_number(folder, kind->swap_used, "", &swap_used))
        return;
    swap_limit = left(swap_limit, swap_used);
    if (kind->together)
        swap_limit = left(swap_limit, left(limit, used));
    room->swap = less(room->swap, swap_limit);
}

/*
 * The group of this process, and all above it. In a container the files may be of that group alone,
 * while the process is told where the group is on the machine: then there is no such folder.
 */
static void apply_groups(const struct kind *kind, const char *mounted, const char *group,
                         struct mock__host_memory *room)
{
    char folder[PATH_MAX];
    char *slash;

    if (snprintf(folder, sizeof(folder), "%s%s", mounted, group) >= (int) sizeof(folder))
        return;
    while (strlen(folder) > strlen(mounted) && (slash = strrchr(folder, '/'))) {
        apply_group(kind, folder, room);
        *slash = '\0';
    }
    apply_group(kind, mounted, room);
}

/* Reads "4:memory:/a/b", or "0::/a/b" for the second kind. */
static bool group_of(const struct kind *kind, const char *line, char ret_group[PATH_MAX])
{
    const char *name = strchr(line, ':'), *path = name ? strchr(name + 1, ':') : NULL;
    const size_t length = strlen(kind->of_process);

    if (!path || (size_t) (path - name - 1) != length ||
        strncmp(name + 1, kind->of_process, length))
        return false;
    snprintf(ret_group, PATH_MAX, "%s", path + 1);
    ret_group[strcspn(ret_group, "\n")] = '\0';
    return true;
}

static void find_group(const struct kind *kind, char ret_group[PATH_MAX])
{
    FILE *file = open_file("/proc/self", "cgroup");
    char line[PATH_MAX];

    ret_group[0] = '\0';
    while (file && fgets(line, sizeof(line), file))
        if (group_of(kind, line, ret_group))
            break;
    if (file)
        fclose(file);
}

struct mock__host_memory mock__host_memory(void)
{
    struct mock__host_memory room = {.memory = kilobytes("MemAvailable:", UINT64_MAX),
                                     .swap = kilobytes("SwapFree:", 0)};

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        char group[PATH_MAX];

        find_group(&kinds[i], group);
        apply_groups(&kinds[i], kinds[i].mounted, group, &room);
        if (!kinds[i].together)
            apply_groups(&kinds[i], UNIFIED, group, &room);
    }
    return room;
}
