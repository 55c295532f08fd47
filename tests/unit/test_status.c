/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <string.h>

#include "base/results.h"
#include "base/util.h"
#include "support.h"

SUITE(status);

struct known {
    int status;
    const char *name, *text;
};

#define OWN(name, value, text)     {value, #name, text},
#define DRIVER(number, name, text) {number, #name, text},
#define LINKER(number, name, text) {CUSHIM_STATUS_NVJITLINK(number), #name, text},
#define NVRTC(number, name, text)  {CUSHIM_STATUS_NVRTC(number), #name, text},

static const struct known own[] = {CUSHIM_STATUS_MAP(OWN)};
static const struct known driver[] = {CUSHIM__CUDA_RESULT_MAP(DRIVER)};
static const struct known nvrtc[] = {CUSHIM__NVRTC_RESULT_MAP(NVRTC)};
static const struct known linker[] = {CUSHIM__NVJITLINK_RESULT_MAP(LINKER)};

static const char unknown_name[] = "CUSHIM_STATUS_UNKNOWN";

static void check(const struct known *known, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct known *k = &known[i];

        cr_expect(eq(str, S(cushim_status_name(k->status)), S(k->name)), "status %d", k->status);
        cr_expect(eq(str, S(cushim_status_text(k->status)), S(k->text)), "%s", k->name);
        cr_expect(gt(sz, strlen(k->text), 0), "%s has no text", k->name);
    }
}

Test(status, own_codes_have_a_name_and_a_text)
{
    check(own, ARRAY_SIZE(own));
}

/* Success is 0 for all of them, and then has cushim's name. */
Test(status, results_of_the_driver_have_a_name_and_a_text)
{
    cr_assert(eq(int, driver[0].status, 0));
    check(driver + 1, ARRAY_SIZE(driver) - 1);
}

Test(status, results_of_nvrtc_have_a_name_and_a_text)
{
    cr_assert(eq(int, nvrtc[0].status, 0));
    check(nvrtc + 1, ARRAY_SIZE(nvrtc) - 1);
}

Test(status, results_of_nvjitlink_have_a_name_and_a_text)
{
    cr_assert(eq(int, linker[0].status, 0));
    check(linker + 1, ARRAY_SIZE(linker) - 1);
}

static void check_order(const struct known *known, size_t count, const char *prefix)
{
    for (size_t i = 0; i < count; i++) {
        cr_expect(zero(int, strncmp(known[i].name, prefix, strlen(prefix))), "%s, not %s...",
                  known[i].name, prefix);
        cr_expect(i == 0 || known[i - 1].status < known[i].status, "%d %s comes before %d %s",
                  i ? known[i - 1].status : 0, i ? known[i - 1].name : "", known[i].status,
                  known[i].name);
    }
}

Test(status, lists_are_in_order_and_have_no_number_twice)
{
    check_order(driver, ARRAY_SIZE(driver), "CUDA_");
    check_order(nvrtc, ARRAY_SIZE(nvrtc), "NVRTC_");
    check_order(linker, ARRAY_SIZE(linker), "NVJITLINK_");
    for (size_t i = 0; i < ARRAY_SIZE(own); i++)
        cr_expect(eq(int, own[i].status, -(int) i), "%s", own[i].name);
}

Test(status, the_ranges_do_not_meet)
{
    cr_expect(lt(int, driver[ARRAY_SIZE(driver) - 1].status, 10000));
    cr_expect(gt(int, nvrtc[1].status, 10000));
    cr_expect(lt(int, nvrtc[ARRAY_SIZE(nvrtc) - 1].status, 20000));
    cr_expect(eq(int, linker[1].status, 20001));
    cr_expect(eq(int, CUSHIM_STATUS_NVRTC(6), 10006));
    cr_expect(eq(str, S(cushim_status_name(10006)), S("NVRTC_ERROR_COMPILATION")));
    cr_expect(eq(str, S(cushim_status_name(6)), S("CUDA_ERROR_PROFILER_NOT_INITIALIZED")));
    cr_expect(eq(str, S(cushim_status_name(-6)), S("CUSHIM_ERROR_NO_NVRTC")));
}

Test(status, unknown_codes_have_a_name_and_a_text)
{
    const int codes[] = {-(int) ARRAY_SIZE(own),
                         -1000,
                         INT_MIN,
                         9,
                         998,
                         1000,
                         9999,
                         10000,
                         10000 + (int) ARRAY_SIZE(nvrtc),
                         20000,
                         20000 + (int) ARRAY_SIZE(linker),
                         INT_MAX};

    for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
        cr_expect(eq(str, S(cushim_status_name(codes[i])), S(unknown_name)), "%d", codes[i]);
        cr_expect(gt(sz, strlen(cushim_status_text(codes[i])), 0), "%d", codes[i]);
    }
}

static int tried;

static cushim_status twice(cushim_status first, cushim_status second)
{
    CUSHIM_TRY((tried++, first));
    CUSHIM_TRY((tried++, second));
    return CUSHIM_OK;
}

Test(status, try_returns_the_first_error_and_evaluates_once)
{
    assert_ok(twice(CUSHIM_OK, CUSHIM_OK));
    cr_assert(eq(int, tried, 2));
    assert_status(twice(700, CUSHIM_ERROR_BUSY), 700);
    cr_assert(eq(int, tried, 3));
    assert_status(twice(CUSHIM_OK, CUSHIM_ERROR_BUSY), CUSHIM_ERROR_BUSY);
    cr_assert(eq(int, tried, 5));
}
