/* SPDX-License-Identifier: MIT */
/*
 * Some functions of nvJitLink, as its versions export them. Set when compiling: NAMED, the names
 * without a version are there, too, and SUFFIXES(X), one X(major_minor) for each version. A
 * function with a version returns 1000 times the minor number, and one without returns 5.
 */
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

#define FUNCTIONS(X, ...)                                                                          \
    X(Create, __VA_ARGS__)                                                                         \
    X(Destroy, __VA_ARGS__)                                                                        \
    X(AddData, __VA_ARGS__)                                                                        \
    X(Complete, __VA_ARGS__)                                                                       \
    X(GetLinkedCubinSize, __VA_ARGS__)                                                             \
    X(GetLinkedCubin, __VA_ARGS__)                                                                 \
    X(GetErrorLogSize, __VA_ARGS__)                                                                \
    X(GetErrorLog, __VA_ARGS__)

#define DEFINE(function, major, minor)                                                             \
    EXPORT int __nvJitLink##function##_##major##_##minor(void);                                    \
    EXPORT int __nvJitLink##function##_##major##_##minor(void)                                     \
    {                                                                                              \
        return 1000 * (minor) + (major);                                                           \
    }
#define DEFINE_VERSION(major, minor) FUNCTIONS(DEFINE, major, minor)

SUFFIXES(DEFINE_VERSION)

#ifdef NAMED
#define DEFINE_NAMED(function, unused)                                                             \
    EXPORT int nvJitLink##function(void);                                                          \
    EXPORT int nvJitLink##function(void)                                                           \
    {                                                                                              \
        return 5;                                                                                  \
    }
FUNCTIONS(DEFINE_NAMED, )

EXPORT int nvJitLinkVersion(unsigned *major, unsigned *minor);
EXPORT int nvJitLinkVersion(unsigned *major, unsigned *minor)
{
    *major = NAMED / 1000;
    *minor = NAMED % 1000 / 10;
    return NAMED < 0 ? 6 : 0;
}
#endif
