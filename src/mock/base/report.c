/* SPDX-License-Identifier: MIT */
#include "mock/base/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/str.h"

void mock__report(const char *word, const char *text)
{
    const char *path = cushim__env("CUSHIM_MOCK_CHECK_REPORT");
    SCOPED_STR line = {0};
    int file;

    if (!path)
        return;
    cushim__str_append(&line, "%d %s: %s\n", (int) getpid(), word, text);
    file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    /* One call for the whole line: other processes write to the file, too. */
    if (file < 0 || write(file, cushim__str_get(&line), line.length) < 0)
        fprintf(stderr, "cushim mock: CUSHIM_MOCK_CHECK_REPORT: %s: %s\n", path, strerror(errno));
    if (file >= 0)
        close(file);
}
