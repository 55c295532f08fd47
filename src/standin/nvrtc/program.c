/* SPDX-License-Identifier: MIT */
#include "standin/nvrtc/program.h"

#include <string.h>

#include "base/included.h"
#include "base/sha256.h"

/* Returns the folder of an option for #include, "" if it is the next option, NULL for others. */
static const char *folder_of(const char *option)
{
    static const char *const words[] = {"--include-path", "-I"};

    for (int i = 0; i < 2; i++) {
        const size_t length = strlen(words[i]);

        if (strncmp(option, words[i], length) != 0)
            continue;
        if (option[length] == '=')
            return option + length + 1;
        if (!option[length] || i)
            return option + length + strspn(option + length, " ");
    }
    return NULL;
}

bool program_set_options(struct program *program, int n, const char *const *options)
{
    program->options.n = program->folders.n = 0;
    for (int i = 0; i < n; i++) {
        const char *folder = folder_of(options[i]);
        struct list *list = folder ? &program->folders : &program->options;

        if (folder && !*folder && i + 1 < n)
            folder = options[++i];
        if (!list_add(&program->arena, list,
                      cushim__arena_printf(&program->arena, "%s", folder ? folder : options[i])))
            return false;
    }
    /* Searches want a NULL at the end. */
    if (!list_add(&program->arena, &program->folders, NULL))
        return false;
    program->folders.n--;
    return !program->arena.failed;
}

/* With its length, so that two texts cannot be taken for two others. */
static void digest_text(struct cushim__sha256 *digest, const char *text)
{
    const size_t length = strlen(text);

    for (int i = 0; i < 8; i++) {
        const unsigned char byte = (unsigned char) (length >> 8 * i);

        cushim__sha256_add(digest, &byte, 1);
    }
    cushim__sha256_add(digest, text, length);
}

static void digest_list(struct cushim__sha256 *digest, const struct list *list)
{
    for (size_t i = 0; i < list->n; i++)
        digest_text(digest, list->texts[i]);
    digest_text(digest, "");
}

/* Ends a digest, and returns it as text: half of it, which is enough to tell programs apart. */
static const char *digest_end(struct cushim__arena *arena, struct cushim__sha256 *digest)
{
    unsigned char bytes[CUSHIM__SHA256_BYTES];
    char text[CUSHIM__SHA256_BYTES + 1];

    cushim__sha256_end(digest, bytes);
    for (int i = 0; i < CUSHIM__SHA256_BYTES / 2; i++) {
        text[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    text[CUSHIM__SHA256_BYTES] = '\0';
    return cushim__arena_printf(arena, "%s", text);
}

static const char *key_of(const struct program *program, struct cushim__arena *arena)
{
    struct cushim__sha256 digest;

    cushim__sha256_start(&digest);
    digest_text(&digest, program->name);
    digest_text(&digest, program->source);
    digest_list(&digest, &program->options);
    digest_list(&digest, &program->header_names);
    digest_list(&digest, &program->header_texts);
    digest_list(&digest, &program->expressions);
    return digest_end(arena, &digest);
}

struct files {
    const struct program *program;
    struct answer *answer;
    struct cushim__arena *arena;
};

/* The path of a file is this machine's, so files go by the names that the program uses. */
static void add_file(const struct cushim__included *file, void *user)
{
    const struct files *files = user;
    struct cushim__sha256 digest;

    for (size_t i = 0; i < files->program->header_names.n; i++)
        if (!strcmp(files->program->header_names.texts[i], file->name))
            return;
    cushim__sha256_start(&digest);
    cushim__sha256_add(&digest, file->bytes, file->n_bytes);
    list_add(files->arena, &files->answer->files,
             cushim__arena_printf(files->arena, "%s", file->name));
    list_add(files->arena, &files->answer->digests, digest_end(files->arena, &digest));
}

static void add_files(struct program *program, struct cushim__arena *arena, struct answer *answer)
{
    struct files files = {program, answer, arena};
    struct cushim__included_search search = {
        .arena = arena,
        .source = program->name,
        .folders = program->folders.texts,
        .see = add_file,
        .user = &files,
    };

    cushim__included_scan(&search, program->name, program->source);
    for (size_t i = 0; i < program->header_texts.n; i++)
        cushim__included_scan(&search, program->name, program->header_texts.texts[i]);
}

static void copy_list(struct cushim__arena *arena, struct list *to, const struct list *from)
{
    for (size_t i = 0; i < from->n; i++)
        list_add(arena, to, cushim__arena_printf(arena, "%s", from->texts[i]));
}

struct answer *program_question(struct program *program, struct cushim__arena *arena)
{
    struct answer *answer = cushim__arena_alloc(arena, sizeof(*answer));

    if (!answer)
        return NULL;
    answer->name = cushim__arena_printf(arena, "%s", program->name);
    answer->key = key_of(program, arena);
    copy_list(arena, &answer->options, &program->options);
    copy_list(arena, &answer->headers, &program->header_names);
    copy_list(arena, &answer->expressions, &program->expressions);
    add_files(program, arena, answer);
    return arena->failed ? NULL : answer;
}
