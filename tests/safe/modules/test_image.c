/* SPDX-License-Identifier: MIT */
/* What is read from a compiler's log, and names by expression. */
#include "support.h"

#include "core/code/image.h"

SUITE(image);

static void check(const char *log, const char *expected)
{
    char line[64];

    cr_expect(eq(str, (char *) cushim__log_first_error(log, line, sizeof(line)), S(expected)), "%s",
              log);
}

Test(image, first_line_that_is_an_error)
{
    check("", "");
    check("all is well", "all is well");
    check("warning: one\nk.cu(3): error: two\nk.cu(4): error: three\n", "k.cu(3): error: two");
    check("error: at the start\nmore", "error: at the start");
    check("note\nptxas fatal   : Unresolved extern\n", "ptxas fatal   : Unresolved extern");
}

/* Whichever of the two words comes first. */
Test(image, fatal_or_error)
{
    check("a\nptxas fatal : b\nc error d\n", "ptxas fatal : b");
    check("a\nc error d\nptxas fatal : b\n", "c error d");
}

Test(image, spaces_around_the_line)
{
    check("\n\n \t  error: indented  \nmore", "error: indented");
    check("\n  \n", "");
    check("x   ", "x");
}

Test(image, long_lines_are_shortened)
{
    char line[8];

    cushim__log_first_error("an error that is long", line, sizeof(line));
    cr_expect(eq(str, line, S("an erro")));
}

Test(image, names_by_expression)
{
    struct cushim__lowered names[] = {{"f<int>", "_Z1fIiE"}, {"f<float>", "_Z1fIfE"}};
    const struct cushim__image image = {.lowered = names, .n_lowered = 2};

    cr_expect(eq(str, (char *) cushim__image_lowered(&image, "f<int>"), S("_Z1fIiE")));
    cr_expect(eq(str, (char *) cushim__image_lowered(&image, "f<float>"), S("_Z1fIfE")));
    cr_expect(eq(ptr, (void *) cushim__image_lowered(&image, "f"), NULL));
}
