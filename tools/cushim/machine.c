/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char kernel_version_file[] = "/proc/driver/nvidia/version";

/*
 * Returns the length of a release such as 550.54.15 or 580.65: at least three digits, then one or
 * two more numbers.
 */
static size_t release_length(const char *text)
{
    const size_t major = strspn(text, "0123456789");
    size_t length = major, parts = 1;
    while (text[length] == '.' && isdigit((unsigned char) text[length + 1])) {
        length += 1 + strspn(text + length + 1, "0123456789");
        parts++;
    }
    const bool fits = major >= 3 && parts >= 2 && parts <= 3 && length < RELEASE_SIZE;
    return fits && !isalnum((unsigned char) text[length]) ? length : 0;
}

/*
 * Finds the release in a line such as
 *     NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build ...
 */
static void find_release(const char *line, char ret_release[static RELEASE_SIZE])
{
    for (const char *word = line; *word; word += strspn(word, " \t")) {
        const size_t length = release_length(word);
        if (length) {
            memcpy(ret_release, word, length);
            ret_release[length] = '\0';
            return;
        }
        word += strcspn(word, " \t");
    }
}

static void read_kernel_release(char ret_release[static RELEASE_SIZE])
{
    FILE *file = fopen(kernel_version_file, "re");
    if (!file)
        return;
    char line[512];
    if (fgets(line, sizeof(line), file))
        find_release(line, ret_release);
    fclose(file);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

void machine_look(struct machine *machine)
{
    *machine = (struct machine){
        .has_nvidiactl = exists("/dev/nvidiactl"),
        .has_nvidia_uvm = exists("/dev/nvidia-uvm"),
        .has_dxg = exists("/dev/dxg"),
        .in_container = exists("/.dockerenv") || exists("/run/.containerenv"),
        .visible_devices = getenv("CUDA_VISIBLE_DEVICES"),
        .library_path = getenv("LD_LIBRARY_PATH"),
    };
    read_kernel_release(machine->kernel_release);
}

char *machine_resolve(const char *path)
{
    return strchr(path, '/') ? realpath(path, NULL) : NULL;
}

void machine_file_release(const char *path, char ret_release[static RELEASE_SIZE])
{
    static const char prefix[] = "libcuda.so.";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    ret_release[0] = '\0';
    if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
        return;

    const char *release = name + sizeof(prefix) - 1;
    const size_t length = release_length(release);
    if (length && release[length] == '\0')
        memcpy(ret_release, release, length + 1);
}

bool machine_searches_folder_of(const struct machine *machine, const char *path, size_t *ret_length)
{
    const char *slash = strrchr(path, '/');
    if (!slash || !machine->library_path)
        return false;

    const size_t length = (size_t) (slash - path);
    for (const char *entry = machine->library_path; *entry; entry += *entry == ':') {
        size_t size = strcspn(entry, ":");
        const char *next = entry + size;
        while (size > 1 && entry[size - 1] == '/')
            size--;
        if (size == length && strncmp(entry, path, length) == 0) {
            *ret_length = length;
            return true;
        }
        entry = next;
    }
    return false;
}
