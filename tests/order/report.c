/* SPDX-License-Identifier: MIT */
/* What is printed at exit: how many findings, and each with its number, once. */
#include <cushim/mock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mock/functions.h"

/* One copy too far, three times over, and memory that is never given back. */
static void mistakes(void)
{
    CUcontext context = NULL;
    CUdeviceptr p = 0;
    char bytes[65] = "";

    setenv("CUSHIM_MOCK_CHECK", "1", 1);
    if (mock_cuInit(0) || mock_cuDevicePrimaryCtxRetain(&context, 0) ||
        mock_cuCtxSetCurrent(context) || mock_cuMemAlloc_v2(&p, 64))
        _exit(1);
    for (int i = 0; i < 3; i++)
        mock_cuMemcpyHtoD_v2(p, bytes, sizeof(bytes));
    exit(0);
}

static int expect(const char *text, const char *words)
{
    if (strstr(text, words))
        return 0;
    fprintf(stderr, "no '%s' in:\n%s", words, text);
    return 1;
}

int main(void)
{
    char text[4096] = "";
    int ends[2], status = 1;
    size_t bytes = 0;
    ssize_t n;
    pid_t child;

    if (pipe(ends) || (child = fork()) < 0)
        return 1;
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        mistakes();
    }
    close(ends[1]);
    while ((n = read(ends[0], text + bytes, sizeof(text) - 1 - bytes)) > 0)
        bytes += (size_t) n;
    if (waitpid(child, &status, 0) != child || status)
        return 1;
    return expect(text, "cushim mock: 3 findings\n1  ") || expect(text, " (3 times)\n2  ") ||
           expect(text, "\n3  ") || expect(text, "65 bytes at offset 0");
}
