/* SPDX-License-Identifier: MIT */
#include "base/str.h"

#include <string.h>

#include "support.h"

SUITE(str);

Test(str, is_empty_at_first)
{
    SCOPED_STR str = {0};

    cr_expect(eq(str, S(cushim__str_get(&str)), S("")));
    cr_expect(eq(sz, str.length, 0));
}

Test(str, appends)
{
    SCOPED_STR str = {0};

    cushim__str_append(&str, "%s", "");
    cushim__str_append(&str, "%d", 12);
    cushim__str_append(&str, " %s", "monkeys");
    cr_expect(eq(str, S(cushim__str_get(&str)), S("12 monkeys")));
    cr_expect(eq(sz, str.length, 10));
    cr_expect(not(str.failed));
}

/* Around the sizes at which it grows, the terminating zero must still find room. */
Test(str, grows_by_one_character_at_a_time)
{
    SCOPED_STR str = {0};

    for (size_t i = 0; i < 1000; i++) {
        cushim__str_append(&str, "%c", 'a' + (int) (i % 26));
        cr_assert(eq(sz, str.length, i + 1));
        cr_assert(eq(sz, strlen(cushim__str_get(&str)), i + 1));
        cr_assert(lt(sz, str.length, str.capacity));
    }
    for (size_t i = 0; i < 1000; i++)
        cr_assert(eq(chr, str.text[i], (char) ('a' + i % 26)), "character %zu", i);
}

Test(str, grows_for_a_long_text_at_once)
{
    SCOPED_STR str = {0};

    cushim__str_append(&str, "%0*d|", 100000, 7);
    cr_expect(eq(sz, str.length, 100001));
    cr_expect(eq(str, str.text + 99999, S("7|")));
}

Test(str, does_nothing_once_it_failed)
{
    SCOPED_STR str = {0};

    cushim__str_append(&str, "before");
    str.failed = true;
    cushim__str_append(&str, " after");
    cr_expect(eq(str, S(cushim__str_get(&str)), S("before")));
}

Test(str, can_be_used_again_after_finish)
{
    SCOPED_STR str = {0};

    cushim__str_append(&str, "first");
    str.failed = true;
    cushim__str_finish(&str);
    cr_expect(eq(str, S(cushim__str_get(&str)), S("")));
    cushim__str_append(&str, "second");
    cr_expect(eq(str, S(cushim__str_get(&str)), S("second")));
}

Test(str, one_line)
{
    char text[] = "a\nb\r\x1b[31m\x7f\xc3\xa9 c";

    cushim__str_one_line(text);
    cr_expect(eq(str, text, "a?b??[31m?\xc3\xa9 c"));
}

/* Characters of two to four bytes, and what is none: alone, cut, too long, and half of a pair. */
Test(str, one_line_of_utf8)
{
    char good[] = "\xc2\x80 \xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf \xed\x9f\xbf",
         same[sizeof(good)];
    char bad[] =
        "\x80 \xff \xc3 \xc0\xaf \xe2\x82 \xed\xa0\x80 \xf4\x90\x80\x80 \xe0\x9f\xbf \xf0\x9f\x98";

    memcpy(same, good, sizeof(good));
    cushim__str_one_line(good);
    cr_expect(eq(str, good, same));
    cushim__str_one_line(bad);
    cr_expect(eq(str, bad, "? ? ? ?? ?? ??? ???? ??? ???"));
}

Test(str, quotes_words_of_the_program)
{
    SCOPED_STR str = {0}, words = {0}, nothing = {0}, failed = {.failed = true};

    cushim__str_append(&words, "a \"b\" \\c\n\xff");
    cushim__str_append_quoted(&str, &words);
    cushim__str_append_quoted(&str, &nothing);
    cr_expect(eq(str, S(cushim__str_get(&str)), S("a \\\"b\\\" \\\\c??")));
    cr_expect(not(str.failed));
    cushim__str_append_quoted(&str, &failed);
    cr_expect(str.failed);
}
