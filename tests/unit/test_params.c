/* SPDX-License-Identifier: MIT */
/* Parameter structures of programs that were compiled with an older or a newer header. */
#include "base/params.h"

#include <string.h>

#include "base/util.h"
#include "support.h"

/* What a program of today has. The fields below are those of later versions. */
struct grown {
    size_t size;
    int number;
    float share;
    const char *text; /* the last field of the first version */
    uint64_t later;
};

struct first {
    size_t size;
    int number;
    float share;
    const char *text;
};

struct newer {
    struct grown grown;
    uint64_t newest;
};

static cushim_status read_params(const void *params, struct grown *ret_copy)
{
    memset(ret_copy, 0xff, sizeof(*ret_copy));
    return cushim__params_read("cushim_call", PARAMS_TYPE(grown, text), params, ret_copy);
}

Test(params, none)
{
    struct grown copy;

    assert_ok(read_params(NULL, &copy));
    cr_assert(eq(sz, copy.size, sizeof(copy)));
    cr_assert(eq(int, copy.number, 0));
    cr_assert(eq(u64, copy.later, 0));
}

Test(params, of_this_version)
{
    const struct grown params = {sizeof(params), 1, 2.5f, "text", 4};
    struct grown copy;

    assert_ok(read_params(&params, &copy));
    cr_assert(eq(int, memcmp(&copy, &params, sizeof(copy)), 0));
}

Test(params, of_an_older_program)
{
    const struct first params = {sizeof(params), 1, 2.5f, "text"};
    struct grown copy;

    assert_ok(read_params(&params, &copy));
    cr_assert(eq(sz, copy.size, sizeof(copy)), "the size of this version");
    cr_assert(eq(int, copy.number, 1));
    cr_assert(eq(str, (char *) copy.text, "text"));
    cr_assert(eq(u64, copy.later, 0), "what the program does not have");
}

Test(params, of_a_newer_program)
{
    struct newer params = {{sizeof(params), 1, 2.5f, "text", 4}, 0};
    struct grown copy;

    assert_ok(read_params(&params, &copy));
    cr_assert(eq(u64, copy.later, 4));
    params.newest = UINT64_C(1) << 63;
    assert_status(read_params(&params, &copy), CUSHIM_ERROR_INVALID_ARGUMENT);
    assert_contains(cushim_error_text(), "cushim_call: a field of struct grown is set that this "
                                         "version of cushim, ");
}

Test(params, without_a_size)
{
    const struct grown params = {.number = 1};
    struct grown copy;

    assert_status(read_params(&params, &copy), CUSHIM_ERROR_INVALID_ARGUMENT);
    cr_assert(eq(str, (char *) cushim_error_text(),
                 (char *) "cushim_call: struct grown has no size: write grown(...) "
                          "instead, or set .size to sizeof(struct grown)"));
}

Test(params, with_a_size_that_is_none)
{
    static const size_t sizes[] = {1, 8, sizeof(struct first) - 1, 4097, SIZE_MAX};
    struct grown params = {.number = 1}, copy;

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        params.size = sizes[i];
        assert_status(read_params(&params, &copy), CUSHIM_ERROR_INVALID_ARGUMENT);
        assert_contains(cushim_error_text(), "it is sizeof(struct grown), 32 here");
    }
}
