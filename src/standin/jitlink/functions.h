/* SPDX-License-Identifier: MIT */
/*
 * The functions of nvJitLink, as its libraries export them. Types are spelled by what they are: a
 * result is an int, and so is the kind of an input.
 */
#ifndef CUSHIM_STANDIN_JITLINK_FUNCTIONS_H
#define CUSHIM_STANDIN_JITLINK_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

struct jitlink;

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int nvJitLinkCreate(struct jitlink **link, uint32_t n, const char **options);
EXPORTED int nvJitLinkDestroy(struct jitlink **link);
EXPORTED int nvJitLinkAddData(struct jitlink *link, int kind, const void *data, size_t size,
                              const char *name);
EXPORTED int nvJitLinkAddFile(struct jitlink *link, int kind, const char *path);
EXPORTED int nvJitLinkComplete(struct jitlink *link);
EXPORTED int nvJitLinkGetLinkedCubinSize(struct jitlink *link, size_t *size);
EXPORTED int nvJitLinkGetLinkedCubin(struct jitlink *link, void *cubin);
EXPORTED int nvJitLinkGetLinkedPtxSize(struct jitlink *link, size_t *size);
EXPORTED int nvJitLinkGetLinkedPtx(struct jitlink *link, char *ptx);
EXPORTED int nvJitLinkGetErrorLogSize(struct jitlink *link, size_t *size);
EXPORTED int nvJitLinkGetErrorLog(struct jitlink *link, char *log);
EXPORTED int nvJitLinkGetInfoLogSize(struct jitlink *link, size_t *size);
EXPORTED int nvJitLinkGetInfoLog(struct jitlink *link, char *log);
EXPORTED int nvJitLinkVersion(unsigned *major, unsigned *minor);

#endif
