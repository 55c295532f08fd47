/* SPDX-License-Identifier: MIT */
/*
 * redirect.so: `cushim run` preloads it into programs. Where a program opens libcuda, libnvrtc or
 * libnvJitLink by a path of its own, or runs ptxas, nvlink or fatbinary, this leads it to what
 * stands in for them: the files beside this one. What names a library without a path needs no help:
 * the library path does.
 *
 * It has the names of functions of the C library, which it looks up behind itself.
 */
#include <dlfcn.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

/*
 * The functions of the C library behind those here. They and the folder are looked up when this
 * library is loaded: a child of a process with threads may not ask the dynamic linker before it
 * runs a program, because another thread may have had its lock. What a program calls before that
 * is looked up then.
 */
#define NEXT_FUNCTIONS(X)                                                                          \
    X(dlopen)                                                                                      \
    X(dlmopen) X(execve) X(execv) X(execvp) X(execvpe) X(posix_spawn) X(posix_spawnp)
#define DECLARE_NEXT(name) static __typeof__(&(name)) next_##name;
NEXT_FUNCTIONS(DECLARE_NEXT)

#define LOOK_UP(name)                                                                              \
    if (!next_##name)                                                                              \
        next_##name = (__typeof__(&(name))) (uintptr_t) dlsym(RTLD_NEXT, #name);
#define NEXT(name) (next_##name ? next_##name : (look_up(), next_##name))

static const struct standin {
    const char *prefix;   /* of the file's name */
    const char *own;      /* the file beside this one */
    const char *original; /* the variable that names the real one to it, or NULL */
} libraries[] = {
    {"libcuda.so", "../libcuda.so.1", NULL},
    {"libnvrtc.so", "libnvrtc.so.13", "CUSHIM_NVRTC_REAL"},
    {"libnvJitLink.so", "libnvJitLink.so.13", "CUSHIM_NVJITLINK_REAL"},
};

enum { N_LIBRARIES = sizeof(libraries) / sizeof(*libraries), PATH_BYTES = 4096 };

static char folder[PATH_BYTES]; /* of this library, with the last "/"; "": it is not known */

__attribute__((constructor)) static void look_up(void)
{
    Dl_info info;
    const char *slash = dladdr(folder, &info) ? strrchr(info.dli_fname, '/') : NULL;

    NEXT_FUNCTIONS(LOOK_UP)
    if (slash && !*folder && slash - info.dli_fname + 2 < PATH_BYTES)
        memcpy(folder, info.dli_fname, (size_t) (slash - info.dli_fname) + 1);
}

/* Writes the path of a file beside this one. The text is empty if that is not possible. */
static const char *beside(const char *name, char path[PATH_BYTES])
{
    const size_t length = strlen(folder);

    *path = '\0';
    if (length && length + strlen(name) < PATH_BYTES) {
        memcpy(path, folder, length);
        strcpy(path + length, name);
        if (access(path, R_OK) != 0)
            *path = '\0';
    }
    return path;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The libraries that stand in open the real ones, and are not led back to themselves. */
static int is_ours(const void *caller)
{
    Dl_info info;

    return dladdr(caller, &info) && info.dli_fname &&
           !strncmp(name_of(info.dli_fname), "libcushim", strlen("libcushim"));
}

static const struct standin *find(const char *path)
{
    for (int i = 0; i < N_LIBRARIES; i++)
        if (!strncmp(name_of(path), libraries[i].prefix, strlen(libraries[i].prefix)))
            return &libraries[i];
    return NULL;
}

/* A program that searches the library path itself finds what stands in, and that is not real. */
static int is_same(const char *path, const char *own)
{
    struct stat a, b;

    return !stat(path, &a) && !stat(own, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Only paths to files that are there are led elsewhere, so that programs go on searching. */
static const char *led(const char *path, const void *caller, char own[PATH_BYTES])
{
    const struct standin *standin;

    if (!path || !strchr(path, '/') || access(path, R_OK) != 0)
        return path;
    standin = find(path);
    if (!standin || is_ours(caller) || !*beside(standin->own, own) || is_same(path, own))
        return path;
    if (standin->original)
        setenv(standin->original, path, 0);
    return own;
}

static _Thread_local char led_to[PATH_BYTES];

/*
 * The C library searches where the library that calls it says, and knows that by the address to
 * which it returns. So these calls must be jumps: meson.build has this file compiled in such a way.
 */
EXPORTED void *dlopen(const char *path, int flags)
{
    return NEXT(dlopen)(led(path, __builtin_return_address(0), led_to), flags);
}

EXPORTED void *dlmopen(Lmid_t names, const char *path, int flags)
{
    return NEXT(dlmopen)(names, led(path, __builtin_return_address(0), led_to), flags);
}

/* --- programs --- */

static const char *const tools[] = {"ptxas", "nvlink", "fatbinary"};

/* Some programs have several, such as "ptxas-blackwell". */
static bool is_tool(const char *name, const char *tool)
{
    const size_t length = strlen(tool);

    return !strncmp(name, tool, length) && (!name[length] || name[length] == '-');
}

static const char *led_program(const char *path, char own[PATH_BYTES])
{
    if (!path)
        return path;
    for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
        if (is_tool(name_of(path), tools[i]) && *beside(tools[i], own))
            return own;
    return path;
}

EXPORTED int execve(const char *path, char *const *argv, char *const *envp)
{
    char own[PATH_BYTES];

    return NEXT(execve)(led_program(path, own), argv, envp);
}

EXPORTED int execv(const char *path, char *const *argv)
{
    char own[PATH_BYTES];

    return NEXT(execv)(led_program(path, own), argv);
}

EXPORTED int execvp(const char *file, char *const *argv)
{
    char own[PATH_BYTES];

    return NEXT(execvp)(led_program(file, own), argv);
}

EXPORTED int execvpe(const char *file, char *const *argv, char *const *envp)
{
    char own[PATH_BYTES];

    return NEXT(execvpe)(led_program(file, own), argv, envp);
}

/* --- the same with the words as arguments, which the C library does without the functions above */

/* Counts the words before the NULL. */
static size_t count_words(const char *first, va_list *list)
{
    size_t n = 0;

    for (const char *at = first; at; at = va_arg(*list, const char *))
        n++;
    return n;
}

/* Takes n words, the first and those of the list, and the NULL behind them. */
static void take_words(const char *first, size_t n, va_list *list, char **words)
{
    words[0] = (char *) (uintptr_t) first;
    for (size_t i = 1; i <= n; i++)
        words[i] = va_arg(*list, char *);
}

#define WORDS(first)                                                                               \
    va_list list;                                                                                  \
    va_start(list, first);                                                                         \
    const size_t n = count_words(first, &list);                                                    \
    char *words[n + 1];                                                                            \
    va_end(list);                                                                                  \
    va_start(list, first);                                                                         \
    take_words(first, n, &list, words)

EXPORTED int execl(const char *path, const char *first, ...)
{
    WORDS(first);
    va_end(list);
    return execv(path, words);
}

EXPORTED int execlp(const char *file, const char *first, ...)
{
    WORDS(first);
    va_end(list);
    return execvp(file, words);
}

/* The environment is behind the words. */
EXPORTED int execle(const char *path, const char *first, ...)
{
    char *const *environment;

    WORDS(first);
    environment = va_arg(list, char *const *);
    va_end(list);
    return execve(path, words, environment);
}

EXPORTED int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                         const posix_spawnattr_t *attributes, char *const *argv, char *const *envp)
{
    char own[PATH_BYTES];

    return NEXT(posix_spawn)(pid, led_program(path, own), actions, attributes, argv, envp);
}

EXPORTED int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *attributes, char *const *argv, char *const *envp)
{
    char own[PATH_BYTES];

    return NEXT(posix_spawnp)(pid, led_program(file, own), actions, attributes, argv, envp);
}
