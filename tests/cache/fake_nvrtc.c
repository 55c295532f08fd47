/* SPDX-License-Identifier: MIT */
/*
 * An NVRTC whose result is the text that it got, and a number that no other compilation of the
 * process has. So tests see whether something was compiled, on every machine and in every tool. It
 * reads no headers; the tests with NVRTC itself do that. A program that ends with "changes PATH"
 * appends to that file while it is compiled, and one with the word "mistake" does not compile.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MINOR
#define MINOR 0
#endif

enum { OUT_OF_MEMORY = 1, COMPILATION = 6 };

struct program {
    char *ptx;
    char log[64], lowered[2][64];
    size_t n_lowered;
};

#define EXPORTED __attribute__((visibility("default")))
#define EXPORT(type, name, ...)                                                                    \
    EXPORTED type name(__VA_ARGS__);                                                               \
    EXPORTED type name(__VA_ARGS__)

static unsigned compilations;

EXPORT(int, nvrtcVersion, int *major, int *minor)
{
    *major = 13;
    *minor = MINOR;
    return 0;
}

EXPORT(const char *, nvrtcGetErrorString, int result)
{
    return result ? "an error" : "no error";
}

EXPORT(int, nvrtcCreateProgram, struct program **ret_program, const char *source, const char *name,
       int n, const char *const *headers, const char *const *names)
{
    struct program *program = calloc(1, sizeof(*program));

    (void) name, (void) n, (void) headers, (void) names;
    if (!program || asprintf(&program->ptx, "// 13.%d: %u\n%s", MINOR,
                             __atomic_fetch_add(&compilations, 1, __ATOMIC_RELAXED), source) < 0) {
        free(program);
        return OUT_OF_MEMORY;
    }
    snprintf(program->log, sizeof(program->log), "a warning about %.30s", source);
    *ret_program = program;
    return 0;
}

EXPORT(int, nvrtcCompileProgram, struct program *program, int n, const char *const *options)
{
    const char *path = strstr(program->ptx, "changes ");
    FILE *file = path ? fopen(path + strlen("changes "), "a") : NULL;

    (void) n, (void) options;
    if (file) {
        fputs("/* changed */", file);
        fclose(file);
    }
    return strstr(program->ptx, "mistake") ? COMPILATION : 0;
}

EXPORT(int, nvrtcDestroyProgram, struct program **program)
{
    free((*program)->ptx);
    free(*program);
    *program = NULL;
    return 0;
}

EXPORT(int, nvrtcGetPTXSize, const struct program *program, size_t *ret_size)
{
    *ret_size = strlen(program->ptx) + 1;
    return 0;
}

EXPORT(int, nvrtcGetPTX, const struct program *program, char *ptx)
{
    strcpy(ptx, program->ptx);
    return 0;
}

EXPORT(int, nvrtcGetProgramLogSize, const struct program *program, size_t *ret_size)
{
    *ret_size = strlen(program->log) + 1;
    return 0;
}

EXPORT(int, nvrtcGetProgramLog, const struct program *program, char *log)
{
    strcpy(log, program->log);
    return 0;
}

EXPORT(int, nvrtcAddNameExpression, struct program *program, const char *expression)
{
    (void) program, (void) expression;
    return 0;
}

EXPORT(int, nvrtcGetLoweredName, struct program *program, const char *expression,
       const char **ret_name)
{
    char *lowered = program->lowered[program->n_lowered++ % 2];

    snprintf(lowered, sizeof(program->lowered[0]), "_Z_%s", expression);
    *ret_name = lowered;
    return 0;
}
