/* SPDX-License-Identifier: MIT */
/*
 * An entry is a header, the code, the log, the name expressions each followed by its lowered name,
 * and a digest of all of that. Each text ends with a NUL.
 */
#include <string.h>

#include "base/util.h"
#include "core/code/cache.h"

static const char mark[16] = "cushim image 1\n";

struct header {
    char mark[sizeof(mark)];
    struct cushim__cache_key key;
    uint64_t kind, n_bytes, n_log, n_lowered, n_names; /* the last three: bytes, names, bytes */
};

static void digest_of(const void *bytes, size_t n, unsigned char *ret_digest)
{
    struct cushim__sha256 digest;

    cushim__sha256_start(&digest);
    cushim__sha256_add(&digest, bytes, n);
    cushim__sha256_end(&digest, ret_digest);
}

static char *put(char *to, const void *bytes, size_t n)
{
    memcpy(to, bytes, n);
    return to + n;
}

static char *put_text(char *to, const char *text)
{
    return put(to, text, strlen(text) + 1);
}

static void fill(char *to, const struct header *header, const struct cushim__image *image)
{
    char *const start = to;

    to = put(to, header, sizeof(*header));
    to = put(to, image->bytes, image->n_bytes);
    to = put_text(to, image->log);
    for (size_t i = 0; i < image->n_lowered; i++) {
        to = put_text(to, image->lowered[i].expression);
        to = put_text(to, image->lowered[i].name);
    }
    digest_of(start, (size_t) (to - start), (unsigned char *) to);
}

void *cushim__cache_entry_write(const struct cushim__cache_key *key,
                                const struct cushim__image *image, size_t *ret_bytes)
{
    struct header header = {.key = *key,
                            .kind = image->kind,
                            .n_bytes = image->n_bytes,
                            .n_log = strlen(image->log) + 1,
                            .n_lowered = image->n_lowered};
    size_t total;
    char *bytes;

    memcpy(header.mark, mark, sizeof(mark));
    for (size_t i = 0; i < image->n_lowered; i++)
        header.n_names += strlen(image->lowered[i].expression) + strlen(image->lowered[i].name) + 2;
    total = sizeof(header) + header.n_bytes + header.n_log + header.n_names + CUSHIM__SHA256_BYTES;
    bytes = malloc(total);
    if (!bytes)
        return NULL;
    fill(bytes, &header, image);
    *ret_bytes = total;
    return bytes;
}

/* Tells whether the bytes are what was written under this key. */
static bool check(const struct cushim__cache_key *key, const char *bytes, size_t n,
                  struct header *ret_header)
{
    unsigned char digest[CUSHIM__SHA256_BYTES];
    uint64_t left;

    if (n < sizeof(*ret_header) + sizeof(digest))
        return false;
    digest_of(bytes, n - sizeof(digest), digest);
    memcpy(ret_header, bytes, sizeof(*ret_header));
    if (memcmp(digest, bytes + n - sizeof(digest), sizeof(digest)) ||
        memcmp(ret_header->mark, mark, sizeof(mark)) ||
        memcmp(&ret_header->key, key, sizeof(*key)) || ret_header->kind > CUSHIM_IMAGE_OPTIXIR)
        return false;
    left = n - sizeof(*ret_header) - sizeof(digest);
    if (ret_header->n_bytes > left || ret_header->n_log > left - ret_header->n_bytes)
        return false;
    return ret_header->n_names == left - ret_header->n_bytes - ret_header->n_log &&
           ret_header->n_lowered <= ret_header->n_names / 2;
}

/* Takes a text with its NUL. Returns NULL if there is none before the end. */
static const char *take_text(struct cushim__arena *arena, const char **next, const char *end)
{
    const char *text = *next;
    const char *nul = memchr(text, 0, (size_t) (end - text));

    if (!nul)
        return NULL;
    *next = nul + 1;
    return cushim__arena_printf(arena, "%s", text);
}

static bool take(struct cushim__image *image, const struct header *header, const char *next)
{
    struct cushim__arena *arena = &image->arena;
    const char *const end = next + header->n_bytes + header->n_log + header->n_names;

    image->kind = (enum cushim_image_kind) header->kind;
    image->n_bytes = header->n_bytes;
    image->bytes = cushim__arena_alloc(arena, image->n_bytes + 1);
    image->lowered = cushim__arena_alloc(arena, (header->n_lowered + 1) * sizeof(*image->lowered));
    if (arena->failed)
        return false;
    memcpy(image->bytes, next, image->n_bytes);
    next += image->n_bytes;
    image->log = take_text(arena, &next, end);
    for (; image->log && image->n_lowered < header->n_lowered; image->n_lowered++) {
        struct cushim__lowered *lowered = &image->lowered[image->n_lowered];

        lowered->expression = take_text(arena, &next, end);
        lowered->name = lowered->expression ? take_text(arena, &next, end) : NULL;
        if (!lowered->name)
            return false;
    }
    return image->log && next == end && !arena->failed;
}

struct cushim__image *cushim__cache_entry_read(const struct cushim__cache_key *key,
                                               const void *bytes, size_t n_bytes)
{
    struct cushim__image *image;
    struct header header;

    if (!check(key, bytes, n_bytes, &header))
        return NULL;
    image = cushim__image_new();
    if (image && take(image, &header, (const char *) bytes + sizeof(header)))
        return image;
    cushim__image_free(image);
    return NULL;
}
