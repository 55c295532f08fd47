/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tensors.h"

enum value { NUMBER, WIDE, NUMBERS, WIDES, TEXT, FLAG, SIGNED_WIDE };

struct key {
    const char *name;
    enum value value;
    size_t at, n;
};

#define KEY(name, value, field)                                                                    \
    {                                                                                              \
        name, value, offsetof(struct tensors_question, field),                                     \
            sizeof(((struct tensors_question *) 0)->field)                                         \
    }

static const struct key keys[] = {
    KEY("type", NUMBER, type),
    KEY("rank", NUMBER, rank),
    KEY("at", WIDE, at),
    KEY("dims", WIDES, dims),
    KEY("strides", WIDES, strides),
    KEY("box", NUMBERS, box),
    KEY("steps", NUMBERS, steps),
    KEY("lower", NUMBERS, lower),
    KEY("upper", NUMBERS, upper),
    KEY("channels", NUMBER, channels),
    KEY("pixels", NUMBER, pixels),
    KEY("mode", NUMBER, mode),
    KEY("interleave", NUMBER, interleave),
    KEY("swizzle", NUMBER, swizzle),
    KEY("promote", NUMBER, promote),
    KEY("fill", NUMBER, fill),
    KEY("raw", NUMBERS, raw),
    KEY("shift", NUMBER, shift),
    KEY("null", TEXT, null),
    KEY("alone", FLAG, alone),
    KEY("edit", TEXT, edit),
    KEY("do", TEXT, what),
    KEY("form", TEXT, form),
    KEY("to", TEXT, to),
    KEY("place", TEXT, place),
    KEY("n", NUMBER, n_coordinates),
    KEY("c", NUMBERS, coordinates),
    KEY("o", NUMBERS, offsets),
    KEY("near", NUMBER, near),
    KEY("expect", SIGNED_WIDE, expect),
    KEY("bytes", NUMBER, bytes),
    KEY("blocks", NUMBER, blocks),
    KEY("mask", NUMBER, mask),
    KEY("data", NUMBER, data),
};

static struct {
    char name[32];
    struct tensors_question question;
} bases[64];
static size_t n_bases;

static void wrong(const char *line, const char *word)
{
    fprintf(stderr, "\"%s\" is not understood, in: %s\n", word, line);
    exit(2);
}

/* Numbers with commas between them; those behind the last are zeros. */
static void read_numbers(char *value, void *to, size_t size, size_t each)
{
    char *rest = NULL, *word = strtok_r(value, ",", &rest);

    memset(to, 0, size);
    for (size_t i = 0; word && i < size / each; i++, word = strtok_r(NULL, ",", &rest)) {
        const uint64_t number =
            word[0] == '-' ? (uint64_t) strtoll(word, NULL, 0) : strtoull(word, NULL, 0);

        memcpy((char *) to + i * each, &number, each);
    }
}

static void set(const struct key *key, struct tensors_question *question, char *value)
{
    void *to = (char *) question + key->at;

    if (key->value == TEXT)
        snprintf(to, key->n, "%s", value);
    else if (key->value == FLAG)
        *(bool *) to = true;
    else
        read_numbers(value, to, key->n, key->value == NUMBER || key->value == NUMBERS ? 4 : 8);
}

static void read_key(const char *line, char *word, struct tensors_question *question)
{
    char *value = strchr(word, '=');

    if (!value)
        wrong(line, word);
    *value++ = 0;
    if (!strcmp(word, "new")) {
        question->replaces = true;
        question->replacement = strtoull(value, NULL, 0);
        return;
    }
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (!strcmp(word, keys[i].name)) {
            set(&keys[i], question, value);
            return;
        }
    }
    wrong(line, word);
}

static enum tensors_kind kind_of(const char *line, const char *word)
{
    static const char *const names[] = {"tiled", "im2col", "wide", "raw"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (word && !strcmp(word, names[i]))
            return (enum tensors_kind) i;
    }
    wrong(line, word ? word : "");
    return TENSORS_RAW;
}

static const struct tensors_question *base_of(const char *line, const char *name)
{
    for (size_t i = 0; name && i < n_bases; i++) {
        if (!strcmp(bases[i].name, name))
            return &bases[i].question;
    }
    wrong(line, name ? name : "");
    return NULL;
}

bool tensors_read(const char *line, struct tensors_question *ret_question)
{
    char copy[TENSORS_LINE], *rest = NULL, *name, *word;
    bool is_base;

    snprintf(copy, sizeof(copy), "%s", line);
    name = strtok_r(copy, " ", &rest);
    word = strtok_r(NULL, " ", &rest);
    is_base = word && !strcmp(word, "=");
    *ret_question =
        is_base ? (struct tensors_question){.expect = -1, .to = "cluster"} : *base_of(line, name);
    if (is_base) {
        ret_question->kind = kind_of(line, strtok_r(NULL, " ", &rest));
        word = strtok_r(NULL, " ", &rest);
    }
    for (; word; word = strtok_r(NULL, " ", &rest))
        read_key(line, word, ret_question);
    if (is_base && n_bases < sizeof(bases) / sizeof(bases[0])) {
        snprintf(bases[n_bases].name, sizeof(bases[0].name), "%s", name);
        bases[n_bases++].question = *ret_question;
    }
    return !is_base;
}
