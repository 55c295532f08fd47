/* SPDX-License-Identifier: MIT */
/*
 * Without libFuzzer: hands every text of a folder to the target of fuzz_ptx.c, then every
 * beginning of it, then copies with changes that are drawn from a seed. What goes wrong ends
 * the program; the sanitizers and valgrind see the rest.
 *
 * mutate FOLDER [CHANGES]
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct text {
    uint8_t *bytes;
    size_t size;
};

static uint64_t state = 1;

static size_t draw(size_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? (size_t) (state % below) : 0;
}

static struct text read_file(const char *folder, const char *name)
{
    struct text text = {NULL, 0};
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        perror(path);
        exit(1);
    }
    text.size = (size_t) ftell(file);
    rewind(file);
    text.bytes = malloc(text.size + 1);
    if (!text.bytes || fread(text.bytes, 1, text.size, file) != text.size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return text;
}

/* Every place a text can end at. */
static void truncate_all(const struct text *text)
{
    for (size_t size = 0; size < text->size; size++)
        LLVMFuzzerTestOneInput(text->bytes, size);
}

/* A byte becomes another one, a piece goes, or a piece comes from elsewhere in the text. */
static size_t change(uint8_t *bytes, size_t size)
{
    static const char marks[] = "{}[]()<>,;:.@!|+-=_0f%$\"/*";
    const size_t at = draw(size), from = draw(size), length = draw(size - at < 40 ? size - at : 40);

    switch (draw(3)) {
    case 0:
        bytes[at] = draw(2) ? (uint8_t) marks[draw(sizeof(marks) - 1)] : (uint8_t) draw(256);
        return size;
    case 1:
        memmove(bytes + at, bytes + at + length, size - at - length);
        return size - length;
    default:
        memmove(bytes + at, bytes + from, from + length <= size ? length : size - from);
        return size;
    }
}

static void change_some(const struct text *text, size_t times)
{
    uint8_t *copy = malloc(text->size);

    if (!copy)
        exit(1);
    for (size_t i = 0; i < times; i++) {
        size_t size = text->size;

        memcpy(copy, text->bytes, size);
        for (size_t n = draw(4) + 1; n && size > 1; n--)
            size = change(copy, size);
        LLVMFuzzerTestOneInput(copy, size);
    }
    free(copy);
}

int main(int argc, char **argv)
{
    const size_t times = argc > 2 ? strtoul(argv[2], NULL, 10) : 300;
    DIR *folder = argc > 1 ? opendir(argv[1]) : NULL;
    const struct dirent *file;
    size_t n = 0;

    if (!folder) {
        fprintf(stderr, "usage: mutate FOLDER [CHANGES]\n");
        return 2;
    }
    while ((file = readdir(folder))) {
        struct text text;

        if (*file->d_name == '.')
            continue;
        text = read_file(argv[1], file->d_name);
        LLVMFuzzerTestOneInput(text.bytes, text.size);
        truncate_all(&text);
        change_some(&text, times);
        free(text.bytes);
        n++;
    }
    closedir(folder);
    printf("%zu texts\n", n);
    return n ? 0 : 1;
}
