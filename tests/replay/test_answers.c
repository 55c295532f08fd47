/* SPDX-License-Identifier: MIT */
/* Files of recorded answers: written, read, and damaged. */
#include <stdlib.h>
#include <string.h>

#include "standin/nvrtc/answer.h"

#include "support/assertions.h"

TestSuite(answers);

static const char *const odd_texts[] = {"plain", "two\nlines", "a \\ and \\n", " spaces ",
                                        "ümläut"};

/* An answer with something of everything; each seed gives another one. */
static struct answer *make(struct cushim__arena *arena, unsigned seed)
{
    struct answer *answer = cushim__arena_alloc(arena, sizeof(*answer));
    char *bytes = cushim__arena_alloc(arena, 300);

    answer->name = odd_texts[seed % 5];
    answer->key = cushim__arena_printf(arena, "%08x", seed * 2654435761u);
    for (unsigned i = 0; i < seed % 4; i++) {
        list_add(arena, &answer->options, odd_texts[(seed + i) % 5]);
        list_add(arena, &answer->headers, "h.h");
        list_add(arena, &answer->files, odd_texts[i % 5]);
        list_add(arena, &answer->digests, "0123");
        list_add(arena, &answer->expressions, odd_texts[(seed + i) % 5]);
        list_add(arena, &answer->lowered, i ? "_Z1kv" : "");
    }
    answer->result = (int) seed % 7;
    answer->blobs[BLOB_LOG] = (struct blob){"no end", seed % 7};
    answer->blobs[BLOB_PTX] = (struct blob){"a\n\n|b\n>c\r\n", seed % 11};
    for (unsigned i = 0; i < 300; i++)
        bytes[i] = (char) (i * seed);
    answer->blobs[BLOB_CUBIN] = (struct blob){bytes, seed % 300};
    return answer;
}

static void fill(struct answers *answers, unsigned n)
{
    static int archs[] = {75, 90};

    *answers = (struct answers){.major = 13, .minor = 1, .archs = archs, .n_archs = 2};
    for (unsigned seed = 0; seed < n; seed++)
        cr_assert(answers_add(answers, make(&answers->arena, seed * 37 + 1)));
}

static void expect_lists(const struct list *got, const struct list *wanted)
{
    cr_assert(eq(sz, got->n, wanted->n));
    for (size_t i = 0; i < got->n; i++)
        cr_expect(strcmp(got->texts[i], wanted->texts[i]) == 0, "%s, not %s", got->texts[i],
                  wanted->texts[i]);
}

static void expect_same(const struct answer *got, const struct answer *wanted)
{
    cr_expect(strcmp(got->name, wanted->name) == 0);
    cr_expect(strcmp(got->key, wanted->key) == 0);
    cr_expect(eq(int, got->result, wanted->result));
    expect_lists(&got->options, &wanted->options);
    expect_lists(&got->headers, &wanted->headers);
    expect_lists(&got->files, &wanted->files);
    expect_lists(&got->digests, &wanted->digests);
    expect_lists(&got->expressions, &wanted->expressions);
    expect_lists(&got->lowered, &wanted->lowered);
    for (int i = 0; i < BLOB_KINDS; i++) {
        cr_assert(eq(sz, got->blobs[i].n, wanted->blobs[i].n), "%d", i);
        cr_expect(got->blobs[i].n == 0 ||
                      memcmp(got->blobs[i].bytes, wanted->blobs[i].bytes, got->blobs[i].n) == 0,
                  "%d", i);
    }
}

Test(answers, what_is_written_is_read)
{
    struct answers answers, again;
    struct cushim__str text = {0}, same = {0};
    unsigned line = 0;

    fill(&answers, 300);
    answers_write(&text, &answers);
    again = (struct answers){.n = 0};
    cr_assert(answers_read(text.text, &again, &line), "line %u", line);
    cr_assert(eq(sz, again.n, answers.n));
    cr_expect(eq(int, again.major, 13));
    cr_expect(eq(int, again.minor, 1));
    cr_expect(eq(sz, again.n_archs, 2));
    cr_expect(eq(int, again.archs[1], 90));
    for (size_t i = 0; i < again.n; i++)
        expect_same(again.all[i], answers.all[i]);
    answers_write(&same, &again);
    cr_expect(strcmp(same.text, text.text) == 0);
    cushim__str_finish(&text);
    cushim__str_finish(&same);
    answers_finish(&answers);
    answers_finish(&again);
}

Test(answers, the_order_is_fixed)
{
    struct answers answers, turned = {.major = 13, .minor = 1};
    struct cushim__str text = {0}, same = {0};

    fill(&answers, 100);
    turned.archs = answers.archs;
    turned.n_archs = answers.n_archs;
    for (size_t i = answers.n; i-- > 0;)
        cr_assert(answers_add(&turned, answers.all[i]));
    answers_sort(&answers);
    answers_sort(&turned);
    answers_write(&text, &answers);
    answers_write(&same, &turned);
    cr_expect(strcmp(same.text, text.text) == 0);
    cushim__str_finish(&text);
    cushim__str_finish(&same);
    answers_finish(&turned);
    answers_finish(&answers);
}

/* Reads a damaged text: it is refused, or read, and nothing else happens. Returns whether it was
 * read. */
static bool survives(const char *text)
{
    struct answers answers = {.n = 0};
    unsigned line = 0;
    const bool read = answers_read(text, &answers, &line);

    cr_expect(read || line > 0, "a refusal has a line");
    answers_finish(&answers);
    return read;
}

Test(answers, damaged_files_are_refused_or_read)
{
    struct answers answers;
    struct cushim__str text = {0};
    unsigned refused = 0;

    fill(&answers, 6);
    answers_write(&text, &answers);
    for (size_t i = 0; i < text.length; i++) {
        const char kept = text.text[i];

        text.text[i] = '\0';
        survives(text.text);
        text.text[i] = (char) (kept ^ 1 << i % 7);
        refused += !survives(text.text);
        text.text[i] = kept;
    }
    cr_expect(refused > text.length / 10, "%u", refused);
    cr_expect(not(survives("")));
    cr_expect(not(survives("cushim-nvrtc 2\n")));
    cr_expect(not(survives("cushim-nvrtc 1\nnvrtc 13.0\narchitectures\n\nprogram x\n")));
    cr_expect(survives("cushim-nvrtc 1\nnvrtc 13.0\narchitectures\n"));
    cushim__str_finish(&text);
    answers_finish(&answers);
}
