/* SPDX-License-Identifier: MIT */
/* An NVRTC in a few functions: every program compiles to the code of the world. */
#include <string.h>

#include "world.h"

#define DONE 0

static int version(int *major, int *minor)
{
    *major = 12;
    *minor = 4;
    return DONE;
}

static const char *error_string(int result)
{
    return result ? "an error" : "no error";
}

static int number_of_architectures(int *ret_n)
{
    *ret_n = 2;
    return DONE;
}

static int architectures(int *ret_architectures)
{
    ret_architectures[0] = 70;
    ret_architectures[1] = 90;
    return DONE;
}

static int create(void **ret_program, const char *source, const char *name, int n,
                  const char *const *headers, const char *const *names)
{
    static int program;

    (void) source, (void) name, (void) n, (void) headers, (void) names;
    *ret_program = &program;
    return DONE;
}

static int destroy(void **program)
{
    *program = NULL;
    return DONE;
}

static int compile(void *program, int n, const char *const *options)
{
    (void) program, (void) n, (void) options;
    return DONE;
}

static int code_size(void *program, size_t *ret_size)
{
    (void) program;
    *ret_size = strlen(world_ptx) + 1;
    return DONE;
}

static int code(void *program, char *buffer)
{
    (void) program;
    memcpy(buffer, world_ptx, strlen(world_ptx) + 1);
    return DONE;
}

static int log_size(void *program, size_t *ret_size)
{
    (void) program;
    *ret_size = 1;
    return DONE;
}

static int log_text(void *program, char *buffer)
{
    (void) program;
    *buffer = '\0';
    return DONE;
}

static int add_expression(void *program, const char *expression)
{
    (void) program, (void) expression;
    return DONE;
}

static int lowered_name(void *program, const char *expression, const char **ret_name)
{
    (void) program, (void) expression;
    *ret_name = "saxpy";
    return DONE;
}

#define FUNCTION(name, function)                                                                   \
    {                                                                                              \
        name, (cushim_entry) (function)                                                            \
    }

static const struct {
    const char *symbol;
    cushim_entry function;
} functions[] = {
    FUNCTION("nvrtcVersion", version),
    FUNCTION("nvrtcGetErrorString", error_string),
    FUNCTION("nvrtcGetNumSupportedArchs", number_of_architectures),
    FUNCTION("nvrtcGetSupportedArchs", architectures),
    FUNCTION("nvrtcCreateProgram", create),
    FUNCTION("nvrtcDestroyProgram", destroy),
    FUNCTION("nvrtcCompileProgram", compile),
    FUNCTION("nvrtcGetPTXSize", code_size),
    FUNCTION("nvrtcGetPTX", code),
    FUNCTION("nvrtcGetProgramLogSize", log_size),
    FUNCTION("nvrtcGetProgramLog", log_text),
    FUNCTION("nvrtcAddNameExpression", add_expression),
    FUNCTION("nvrtcGetLoweredName", lowered_name),
};

void *world_nvrtc(const char *symbol, void *user)
{
    (void) user;
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (!strcmp(symbol, functions[i].symbol))
            return (void *) (uintptr_t) functions[i].function;
    return NULL;
}
