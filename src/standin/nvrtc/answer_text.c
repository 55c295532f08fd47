/* SPDX-License-Identifier: MIT */
/* Files of answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "standin/nvrtc/answer.h"

static const char first_line[] = "cushim-nvrtc 1";
static const char *const blob_words[BLOB_KINDS] = {"log",     "ptx",  "cubin", "ltoir",
                                                   "optixir", "nvvm", "tileir"};
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum { BYTES_OF_A_LINE = 57 }; /* 76 digits */

/* --- writing --- */

/* Writes "word text", with the text in one line. */
static void write_line(struct cushim__str *str, const char *word, const char *text)
{
    cushim__str_append(str, "%s ", word);
    for (; *text; text++) {
        if (*text == '\n')
            cushim__str_append(str, "\\n");
        else if (*text == '\\')
            cushim__str_append(str, "\\\\");
        else
            cushim__str_append(str, "%c", *text);
    }
    cushim__str_append(str, "\n");
}

static void write_text(struct cushim__str *str, const struct blob *blob)
{
    const char *p = blob->bytes, *const end = p + blob->n;

    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t) (end - p));
        const int length = (int) ((stop ? stop : end) - p);

        cushim__str_append(str, "%c%.*s\n", stop ? '|' : '>', length, p);
        p += length + 1;
    }
}

/* Writes up to three bytes as four digits. */
static void write_digits(struct cushim__str *str, const unsigned char *bytes, size_t n)
{
    const unsigned value =
        (unsigned) bytes[0] << 16 | (n > 1 ? (unsigned) bytes[1] << 8 : 0) | (n > 2 ? bytes[2] : 0);

    cushim__str_append(str, "%c%c%c%c", digits[value >> 18], digits[value >> 12 & 63],
                       n > 1 ? digits[value >> 6 & 63] : '=', n > 2 ? digits[value & 63] : '=');
}

static void write_binary(struct cushim__str *str, const struct blob *blob)
{
    for (size_t i = 0; i < blob->n; i += 3) {
        if (i % BYTES_OF_A_LINE == 0)
            cushim__str_append(str, "%s=", i ? "\n" : "");
        write_digits(str, (const unsigned char *) blob->bytes + i, blob->n - i);
    }
    cushim__str_append(str, "\n");
}

static void write_list(struct cushim__str *str, const char *word, const struct list *list,
                       const char *second_word, const struct list *second)
{
    for (size_t i = 0; i < list->n; i++) {
        write_line(str, word, list->texts[i]);
        if (second)
            write_line(str, second_word, second->texts[i]);
    }
}

static void write_answer(struct cushim__str *str, const struct answer *answer)
{
    cushim__str_append(str, "\n");
    write_line(str, "program", answer->name);
    write_line(str, "key", answer->key);
    write_list(str, "option", &answer->options, NULL, NULL);
    write_list(str, "header", &answer->headers, NULL, NULL);
    write_list(str, "file", &answer->files, "digest", &answer->digests);
    write_list(str, "expression", &answer->expressions, "lowered", &answer->lowered);
    cushim__str_append(str, "result %d\n", answer->result);
    for (size_t i = 0; i < BLOB_KINDS; i++) {
        if (!answer->blobs[i].n)
            continue;
        cushim__str_append(str, "%s\n", blob_words[i]);
        (is_text((enum blob_kind) i) ? write_text : write_binary)(str, &answer->blobs[i]);
    }
}

void answers_write(struct cushim__str *str, const struct answers *answers)
{
    cushim__str_append(str, "%s\nnvrtc %d.%d\narchitectures", first_line, answers->major,
                       answers->minor);
    for (size_t i = 0; i < answers->n_archs; i++)
        cushim__str_append(str, " %d", answers->archs[i]);
    cushim__str_append(str, "\n");
    for (size_t i = 0; i < answers->n; i++)
        write_answer(str, answers->all[i]);
}

/* --- reading --- */

struct reader {
    struct answers *answers;
    struct answer *answer; /* the one that is read, or NULL */
    const char *at, *line; /* the next line, and this one without its end */
    size_t length;
    unsigned number;
};

static bool next_line(struct reader *reader)
{
    const char *end;

    if (!*reader->at)
        return false;
    end = strchr(reader->at, '\n');
    reader->line = reader->at;
    reader->length = end ? (size_t) (end - reader->at) : strlen(reader->at);
    reader->at += reader->length + (end != NULL);
    reader->number++;
    return true;
}

/* Returns what follows a word in this line, in memory of the arena; or NULL if it has another. */
static const char *after(struct reader *reader, const char *word)
{
    const size_t skip = strlen(word);
    char *text, *to;

    if (reader->length <= skip || memcmp(reader->line, word, skip) != 0 ||
        reader->line[skip] != ' ')
        return NULL;
    text = to = cushim__arena_alloc(&reader->answers->arena, reader->length - skip);
    for (size_t i = skip + 1; text && i < reader->length; i++) {
        const char c = reader->line[i];

        if (c == '\\' && i + 1 < reader->length)
            *to++ = reader->line[++i] == 'n' ? '\n' : reader->line[i];
        else
            *to++ = c;
    }
    return text;
}

static bool is_line(const struct reader *reader, const char *text)
{
    return reader->length == strlen(text) && !memcmp(reader->line, text, reader->length);
}

static bool add_after(struct reader *reader, const char *word, struct list *list)
{
    const char *text = after(reader, word);

    return text && list_add(&reader->answers->arena, list, text);
}

/* The lines that begin with a character, which are those of a blob. Returns their length in all. */
static size_t block_length(const struct reader *reader, const char *begins)
{
    const char *p = reader->at;

    while (*p && strchr(begins, *p))
        p += strcspn(p, "\n") + (p[strcspn(p, "\n")] != '\0');
    return (size_t) (p - reader->at);
}

static bool read_text(struct reader *reader, struct blob *blob)
{
    char *text = cushim__arena_alloc(&reader->answers->arena, block_length(reader, "|>") + 1);

    if (!text)
        return false;
    blob->bytes = text;
    while (*reader->at && strchr("|>", *reader->at) && next_line(reader)) {
        memcpy(text + blob->n, reader->line + 1, reader->length - 1);
        blob->n += reader->length - 1;
        if (*reader->line == '|')
            text[blob->n++] = '\n';
    }
    text[blob->n] = '\0';
    return true;
}

static bool read_digits(const char *line, size_t length, char *to, size_t *n)
{
    if (length % 4)
        return false;
    for (size_t i = 0; i < length; i += 4) {
        unsigned value = 0, used = 0;

        for (; used < 4 && line[i + used] != '='; used++) {
            const char *digit = strchr(digits, line[i + used]);

            if (!digit || !*digit)
                return false;
            value |= (unsigned) (digit - digits) << (18 - 6 * used);
        }
        if (used < 2)
            return false;
        for (unsigned k = 0; k + 1 < used; k++)
            to[(*n)++] = (char) (value >> (16 - 8 * k));
    }
    return true;
}

static bool read_binary(struct reader *reader, struct blob *blob)
{
    char *bytes = cushim__arena_alloc(&reader->answers->arena, block_length(reader, "=") + 1);

    if (!bytes)
        return false;
    blob->bytes = bytes;
    while (*reader->at == '=' && next_line(reader))
        if (!read_digits(reader->line + 1, reader->length - 1, bytes, &blob->n))
            return false;
    return true;
}

static bool read_blob(struct reader *reader)
{
    for (size_t i = 0; i < BLOB_KINDS; i++) {
        struct blob *blob = &reader->answer->blobs[i];

        if (!is_line(reader, blob_words[i]) || blob->n)
            continue;
        return is_text((enum blob_kind) i) ? read_text(reader, blob) : read_binary(reader, blob);
    }
    return false;
}

/* A line of an answer. Two words come in pairs. */
static bool read_fact(struct reader *reader)
{
    struct answer *answer = reader->answer;
    const char *text;

    if ((text = after(reader, "key")) != NULL) {
        answer->key = text;
        return true;
    }
    if (add_after(reader, "option", &answer->options) ||
        add_after(reader, "header", &answer->headers))
        return true;
    if (add_after(reader, "file", &answer->files))
        return next_line(reader) && add_after(reader, "digest", &answer->digests);
    if (add_after(reader, "expression", &answer->expressions))
        return next_line(reader) && add_after(reader, "lowered", &answer->lowered);
    if ((text = after(reader, "result")) != NULL) {
        answer->result = atoi(text);
        return true;
    }
    return read_blob(reader);
}

static bool begin_answer(struct reader *reader)
{
    struct answer *answer;

    if (reader->answer && !reader->answer->key)
        return false;
    answer = cushim__arena_alloc(&reader->answers->arena, sizeof(*answer));
    if (!answer)
        return false;
    answer->name = after(reader, "program");
    reader->answer = answer;
    return answer->name && answers_add(reader->answers, answer);
}

static bool read_archs(struct answers *answers, const char *text)
{
    char *end;

    if (answers->archs) /* a second such line */
        return false;
    answers->archs = cushim__arena_alloc(&answers->arena, (strlen(text) + 1) * sizeof(int));
    while (answers->archs && *text) {
        answers->archs[answers->n_archs++] = (int) strtol(text, &end, 10);
        if (end == text)
            return false;
        text = end + strspn(end, " ");
    }
    return answers->archs != NULL;
}

static bool read_line(struct reader *reader)
{
    const char *text;

    if (!reader->length)
        return true;
    if (reader->length > strlen("program ") && !memcmp(reader->line, "program ", 8))
        return begin_answer(reader);
    if (reader->answer)
        return read_fact(reader);
    if ((text = after(reader, "nvrtc")) != NULL)
        return sscanf(text, "%d.%d", &reader->answers->major, &reader->answers->minor) == 2;
    if ((text = after(reader, "architectures")) != NULL)
        return read_archs(reader->answers, text);
    return is_line(reader, "architectures");
}

const char *answers_wrong_form(const char *text)
{
    const size_t length = strcspn(text, "\n"), name = strcspn(first_line, " ") + 1;

    if (!*text)
        return "the file is empty: nothing was recorded into it";
    if (length && text[length - 1] == '\r')
        return "its lines end with CR and LF; the file was written with LF alone, and has to stay "
               "so";
    if (!strncmp(text, first_line, name) &&
        (length != strlen(first_line) || memcmp(text, first_line, length) != 0))
        return "another version of cushim has written it, in a form that this one does not know";
    return NULL;
}

bool answers_read(const char *text, struct answers *ret_answers, unsigned *ret_line)
{
    struct reader reader = {.answers = ret_answers, .at = text};
    bool fine = next_line(&reader) && is_line(&reader, first_line);

    while (fine && next_line(&reader))
        fine = read_line(&reader);
    if (fine && reader.answer && !reader.answer->key)
        fine = false;
    *ret_line = ret_answers->arena.failed ? 0 : reader.number ? reader.number : 1;
    return fine && !ret_answers->arena.failed;
}
