/* SPDX-License-Identifier: MIT */
#include "mock/ptx/jit/keep.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/log.h"
#include "base/status.h"
#include "base/str.h"
#include "base/util.h"
#include "mock/ptx/jit/llvm.h"

static const char mark[] = "cushim machine code 1\n";

/* --- what machine code depends on, but for the text --- */

/* A file is the same as before if its size and its time are. */
static bool add_file(struct cushim__str *host, const char *path)
{
    struct stat info;

    if (!*path || stat(path, &info) < 0)
        return false;
    cushim__str_append(host, "%lld %lld.%09ld\n", (long long) info.st_size,
                       (long long) info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    return true;
}

static bool add_own_file(struct cushim__str *host)
{
    Dl_info info;

    return (dladdr(mark, &info) && info.dli_fname && add_file(host, info.dli_fname)) ||
           add_file(host, "/proc/self/exe");
}

/* Those lines about a processor that say what it can do. */
static bool is_of_interest(const char *line)
{
    static const char *const words[] = {"vendor_id",       "cpu family", "model",       "stepping",
                                        "flags",           "Features",   "CPU variant", "CPU part",
                                        "CPU implementer", "isa"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        if (!strncmp(line, words[i], strlen(words[i])))
            return true;
    }
    return false;
}

static bool add_processor(struct cushim__str *host)
{
    char text[16384], *rest = text;
    const int file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    const ssize_t n = file < 0 ? -1 : read(file, text, sizeof(text) - 1);
    bool any = false;

    if (file >= 0)
        close(file);
    if (n <= 0)
        return false;
    text[n] = '\0';
    /* The first processor ends with an empty line; here all are taken for alike. */
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        if (is_of_interest(line)) {
            cushim__str_append(host, "%s\n", line);
            any = true;
        }
    }
    return any;
}

static struct cushim__str host; /* empty: it is not known, and nothing is kept */

static void describe_host(void)
{
    struct cushim__str all = {0};
    char llvm[512];

    if (add_own_file(&all) && ptx__llvm_find(llvm, sizeof(llvm)) && add_file(&all, llvm) &&
        add_processor(&all) && !all.failed)
        host = all;
    else
        cushim__str_finish(&all);
}

/* --- the folder --- */

static void add(struct cushim__sha256 *digest, const void *bytes, size_t n)
{
    const uint64_t length = n;

    cushim__sha256_add(digest, &length, sizeof(length));
    cushim__sha256_add(digest, bytes, n);
}

static void make_key(struct cushim__cache_key *ret_key, const char *text, size_t length)
{
    struct cushim__sha256 digest;

    cushim__sha256_start(&digest);
    add(&digest, mark, sizeof(mark));
    add(&digest, host.text, host.length);
    add(&digest, text, length);
    cushim__sha256_end(&digest, ret_key->bytes);
}

/* Once: who names a folder expects it to be used. */
static void tell_not_kept(const char *why)
{
    static atomic_bool told;
    const char *level = cushim__env("CUSHIM_LOG");

    if ((!level || strcmp(level, "none")) && !atomic_exchange(&told, true))
        fprintf(stderr, "cushim mock: compiled kernels are not kept: %s\n", why);
}

static int open_folder(uint64_t *ret_limit)
{
    const char *path = cushim__cache_path(NULL);
    int folder = -1;

    if (!path)
        return -1;
    if (cushim__cache_limit(0, "CUSHIM_CACHE", ret_limit) ||
        cushim__cache_folder_open(path, "CUSHIM_CACHE", &folder)) {
        tell_not_kept(cushim__error()->text);
        return -1;
    }
    if (folder < 0) {
        char why[640];

        snprintf(why, sizeof(why), "CUSHIM_CACHE: the cache '%.500s' cannot be used: %s", path,
                 strerror(errno));
        tell_not_kept(why);
    }
    return folder;
}

void ptx__keep_open(struct ptx__kept *ret_kept, const char *text, size_t length)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    ret_kept->folder = open_folder(&ret_kept->limit);
    if (ret_kept->folder < 0)
        return;
    pthread_once(&once, describe_host);
    if (host.length)
        make_key(&ret_kept->key, text, length);
    else
        ptx__keep_close(ret_kept);
}

void ptx__keep_close(struct ptx__kept *kept)
{
    if (kept->folder >= 0)
        close(kept->folder);
    kept->folder = -1;
}

/* --- an entry: the key, the object file, and a digest of both --- */

static void digest_of(const unsigned char *bytes, size_t n, unsigned char *ret_digest)
{
    struct cushim__sha256 digest;

    cushim__sha256_start(&digest);
    cushim__sha256_add(&digest, bytes, n);
    cushim__sha256_end(&digest, ret_digest);
}

void *ptx__keep_find(const struct ptx__kept *kept, size_t *ret_bytes)
{
    const size_t key = sizeof(kept->key.bytes);
    unsigned char digest[CUSHIM__SHA256_BYTES], *bytes = NULL;
    size_t n = 0;

    if (kept->folder >= 0)
        bytes = cushim__cache_folder_read(kept->folder, &kept->key, &n);
    if (!bytes)
        return NULL;
    if (n > key + sizeof(digest)) {
        digest_of(bytes, n - sizeof(digest), digest);
        if (!memcmp(bytes, kept->key.bytes, key) &&
            !memcmp(bytes + n - sizeof(digest), digest, sizeof(digest))) {
            *ret_bytes = n - key - sizeof(digest);
            memmove(bytes, bytes + key, *ret_bytes);
            return bytes;
        }
    }
    cushim__log(CUSHIM_LOG_WARNING, "a compiled kernel in the cache is damaged, and is made anew");
    cushim__cache_folder_remove(kept->folder, &kept->key);
    free(bytes);
    return NULL;
}

void ptx__keep_add(const struct ptx__kept *kept, const void *bytes, size_t n)
{
    const size_t key = sizeof(kept->key.bytes), all = key + n + CUSHIM__SHA256_BYTES;
    unsigned char *entry = kept->folder < 0 ? NULL : malloc(all);
    uint64_t n_removed;

    if (!entry)
        return;
    memcpy(entry, kept->key.bytes, key);
    memcpy(entry + key, bytes, n);
    digest_of(entry, key + n, entry + key + n);
    cushim__cache_folder_write(kept->folder, &kept->key, entry, all, kept->limit, &n_removed);
    free(entry);
}
