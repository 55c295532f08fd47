/* SPDX-License-Identifier: MIT */
/* Linking. */
#include "../support.h"

SUITE(link);

static struct world w;

static void begin(void)
{
    open_world(&w);
}

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

static const char first[] = HEAD ".visible .entry first(.param .u32 n) { ret; }\n";
static const char second[] = HEAD ".visible .entry second(.param .u64 p) { ret; }\n";

static const char wrong[] = HEAD ".visible .entry k(.param .bogus x) {}\n";

#define TEXT(ptx)                                                                                  \
    {                                                                                              \
        .kind = CUSHIM_LINK_PTX, .data = ptx, .bytes = sizeof(ptx) - 1, .name = #ptx               \
    }

Test(link, pieces_become_one_module, .init = begin)
{
    const struct cushim_link_input inputs[] = {TEXT(first), TEXT(second)};
    cushim_image image = CUSHIM_NONE;
    cushim_module module = CUSHIM_NONE;
    enum cushim_image_kind kind;
    cushim_function f;

    assert_ok(cushim_link(w.context, inputs, 2, cushim_module_params(.label = "both"), &image));
    assert_ok(cushim_image_kind(image, &kind));
    cr_assert(eq(int, kind, CUSHIM_IMAGE_CUBIN));
    assert_ok(cushim_module_load_image(w.context, image, NULL, &module));
    assert_ok(cushim_module_function(module, "first", &f));
    assert_ok(cushim_module_function(module, "second", &f));
    assert_refused(cushim_module_function(module, "third", &f), 500, "in module 'both'");
    cushim_module_free(&module);
    cushim_image_free(&image);
    cr_assert(eq(u64, count(&w, "cuLinkDestroy"), 1));
    close_world(&w);
}

Test(link, mistakes, .init = begin)
{
    const struct cushim_link_input twice[] = {TEXT(first), TEXT(first)};
    const struct cushim_link_input not_a_cubin[] = {
        {.kind = CUSHIM_LINK_CUBIN, .data = first, .bytes = sizeof(first), .name = "first.cubin"}};
    const struct cushim_link_input nothing[] = {{.kind = CUSHIM_LINK_PTX}};
    const struct cushim_link_input bad[] = {
        {.kind = CUSHIM_LINK_PTX, .data = wrong, .bytes = sizeof(wrong) - 1, .name = "zz.ptx"}};
    cushim_image image = CUSHIM_NONE;

    cr_assert(ne(int, cushim_link(w.context, twice, 2, NULL, &image), CUSHIM_OK));
    assert_refused(cushim_link(w.context, bad, 1, NULL, &image), 218, "cushim_link: linked: ptxas");
    assert_contains(cushim_error_log(), "Parsing error");
    assert_refused(cushim_link(w.context, not_a_cubin, 1, NULL, &image), 200,
                   "'first.cubin' is not of the kind that it is said to be");
    assert_refused(cushim_link(w.context, nothing, 1, NULL, &image), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "an input has no data");
    assert_refused(cushim_link(w.context, nothing, 0, NULL, &image), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "there are no inputs");
    assert_refused(cushim_link(w.context, twice, SIZE_MAX / 8, NULL, &image),
                   CUSHIM_ERROR_INVALID_ARGUMENT, "more than an array can have");
    assert_refused(cushim_link(w.context, twice, 1, NULL, NULL), CUSHIM_ERROR_INVALID_ARGUMENT,
                   "ret_image is NULL");
    cr_assert(eq(u64, image.id, 0));
    cr_assert(eq(u64, count(&w, "cuLinkDestroy"), count(&w, "cuLinkCreate_v2")));
    close_world(&w);
}

Test(link, what_the_driver_refuses_leaks_nothing, .init = begin)
{
    static const char *const rules[] = {"cuLinkCreate_v2 nth=1 result=2",
                                        "cuLinkAddData_v2 nth=2 result=2",
                                        "cuLinkComplete nth=1 result=2"};
    const struct cushim_link_input inputs[] = {TEXT(first), TEXT(second)};
    cushim_image image = CUSHIM_NONE;

    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
        inject(&w, rules[i]);
        assert_refused(cushim_link(w.context, inputs, 2, NULL, &image), 2, "cushim_link");
    }
    close_world(&w);
}
