/* SPDX-License-Identifier: MIT */
/*
 * An NVRTC and an nvJitLink in a few functions: every program compiles to the code of the world,
 * and everything links to it.
 */
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

struct function {
    const char *symbol;
    cushim_entry function;
};

static int create_link(void **ret_link, uint32_t n, const char *const *options)
{
    static int link;

    (void) n, (void) options;
    *ret_link = &link;
    return DONE;
}

static int add_data(void *link, uint32_t kind, const void *data, size_t bytes, const char *name)
{
    (void) link, (void) kind, (void) data, (void) bytes, (void) name;
    return DONE;
}

static int complete(void *link)
{
    (void) link;
    return DONE;
}

static const struct function functions[] = {
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

static const struct function linker[] = {
    FUNCTION("nvJitLinkVersion", version),      FUNCTION("nvJitLinkCreate", create_link),
    FUNCTION("nvJitLinkDestroy", destroy),      FUNCTION("nvJitLinkAddData", add_data),
    FUNCTION("nvJitLinkComplete", complete),    FUNCTION("nvJitLinkGetLinkedPtxSize", code_size),
    FUNCTION("nvJitLinkGetLinkedPtx", code),    FUNCTION("nvJitLinkGetLinkedCubinSize", code_size),
    FUNCTION("nvJitLinkGetLinkedCubin", code),  FUNCTION("nvJitLinkGetErrorLogSize", log_size),
    FUNCTION("nvJitLinkGetErrorLog", log_text), FUNCTION("nvJitLinkGetInfoLogSize", log_size),
    FUNCTION("nvJitLinkGetInfoLog", log_text),
};

static void *find(const struct function *list, size_t n, const char *symbol)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(symbol, list[i].symbol))
            return (void *) (uintptr_t) list[i].function;
    return NULL;
}

void *world_nvrtc(const char *symbol, void *user)
{
    (void) user;
    return find(functions, sizeof(functions) / sizeof(functions[0]), symbol);
}

void *world_nvjitlink(const char *symbol, void *user)
{
    (void) user;
    return find(linker, sizeof(linker) / sizeof(linker[0]), symbol);
}
