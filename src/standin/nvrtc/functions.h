/* SPDX-License-Identifier: MIT */
/*
 * The functions of NVRTC, as every library of NVRTC exports them. Types are spelled by what they
 * are: a result is an int, and a program a pointer.
 */
#ifndef CUSHIM_STANDIN_NVRTC_FUNCTIONS_H
#define CUSHIM_STANDIN_NVRTC_FUNCTIONS_H

#include <stddef.h>

struct program;

#define EXPORTED __attribute__((visibility("default")))

EXPORTED const char *nvrtcGetErrorString(int result);
EXPORTED int nvrtcVersion(int *major, int *minor);
EXPORTED int nvrtcGetNumSupportedArchs(int *count);
EXPORTED int nvrtcGetSupportedArchs(int *archs);
EXPORTED int nvrtcCreateProgram(struct program **program, const char *source, const char *name,
                                int n_headers, const char *const *headers,
                                const char *const *names);
EXPORTED int nvrtcDestroyProgram(struct program **program);
EXPORTED int nvrtcCompileProgram(struct program *program, int n, const char *const *options);
EXPORTED int nvrtcAddNameExpression(struct program *program, const char *expression);
EXPORTED int nvrtcGetLoweredName(struct program *program, const char *expression,
                                 const char **name);

/* Two functions for each kind of result. */
#define BLOB_FUNCTIONS(X)                                                                          \
    X(ProgramLog, BLOB_LOG)                                                                        \
    X(PTX, BLOB_PTX)                                                                               \
    X(CUBIN, BLOB_CUBIN)                                                                           \
    X(LTOIR, BLOB_LTOIR)                                                                           \
    X(OptiXIR, BLOB_OPTIXIR)                                                                       \
    X(NVVM, BLOB_NVVM)                                                                             \
    X(TileIR, BLOB_TILEIR)
#define DECLARE_BLOB(name, kind)                                                                   \
    EXPORTED int nvrtcGet##name##Size(struct program *program, size_t *size);                      \
    EXPORTED int nvrtcGet##name(struct program *program, char *bytes);
BLOB_FUNCTIONS(DECLARE_BLOB)

EXPORTED int nvrtcGetPCHHeapSize(size_t *size);
EXPORTED int nvrtcSetPCHHeapSize(size_t size);
EXPORTED int nvrtcGetPCHCreateStatus(struct program *program);
EXPORTED int nvrtcGetPCHHeapSizeRequired(struct program *program, size_t *size);
EXPORTED int nvrtcSetFlowCallback(struct program *program, int (*callback)(void *, void *),
                                  void *payload);

/* What NVRTC tells of the headers that come with it. */
struct bundled_headers {
    int available;
    size_t compressed_bytes, bytes;
    int major, minor;
    unsigned files;
};

EXPORTED int nvrtcInstallBundledHeaders(const char *folder, unsigned flags, const char **log);
EXPORTED int nvrtcRemoveBundledHeaders(const char *folder, const char **log);
EXPORTED int nvrtcGetBundledHeadersInfo(struct bundled_headers *info, const char **log);

#endif
