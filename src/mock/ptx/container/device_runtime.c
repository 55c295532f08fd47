/* SPDX-License-Identifier: MIT */
#include "mock/ptx/container/device_runtime.h"

#include <stdlib.h>
#include <string.h>

/*
 * A name is in the member's head, or in a member of long names, which comes before its users. What
 * is no archive may be a text that is shorter than its size says: it ends with a zero, which no
 * head has.
 */
bool ptx__is_device_runtime(const void *archive, size_t size)
{
    enum { MAGIC = 8, HEAD = 60, SIZE_AT = 48 };
    static const char magic[] = "!<arch>\n", name[] = "cuda_device_runtime.o/";
    const char *data = archive;
    size_t at = MAGIC;

    if (size < MAGIC || strncmp(data, magic, MAGIC) != 0)
        return false;
    while (size - at > HEAD && strnlen(data + at, HEAD) == HEAD) {
        char text[11] = "";
        size_t length;

        memcpy(text, data + at + SIZE_AT, sizeof(text) - 1);
        length = strtoul(text, NULL, 10);
        if (length > size - at - HEAD)
            return false;
        if (!memcmp(data + at, "//", 2))
            return memmem(data + at + HEAD, length, name, sizeof(name) - 1);
        at += HEAD + length + length % 2;
        if (at > size)
            return false;
    }
    return false;
}

bool ptx__uses_launches(const char *text)
{
    return strstr(text, "__cudaCDP2");
}
