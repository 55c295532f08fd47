/* SPDX-License-Identifier: MIT */
/* Every function through an interposed table, with hooks and after they are gone. */
#include "hook.h"

static struct expected expected;
static const struct cushim_hooks hooks = {check_before, check_after, &expected};

static void call_all(enum cushim_library library, const cushim_entry *table, bool hooked)
{
    const size_t n = rows_of(library)->count;

    for (unsigned row = 0; row < n; row++) {
        if (hooked)
            call_hooked(&expected, library, row, table[row]);
        else
            check_int(fake_call(library, row, table[row]), FAKE_ROW + (int) row,
                      cushim__row_symbol(rows_of(library), row), __LINE__);
    }
}

static void test_cuda(void)
{
    cushim_driver driver = CUSHIM_NONE, hooked = CUSHIM_NONE, plain = CUSHIM_NONE;
    const cushim_entry *table;

    CHECK_INT(cushim_open(cushim_open_params(.library = FAKE("answers")), &driver), CUSHIM_OK);
    CHECK_INT(cushim_interpose(driver, &hooks, 1, &hooked), CUSHIM_OK);
    CHECK_INT(cushim_interpose(driver, NULL, 0, &plain), CUSHIM_OK);
    table = cushim_driver_functions(hooked, CUSHIM_CUDA_ROWS);
    call_all(CUSHIM_LIBRARY_CUDA, table, true);
    cushim_close(&hooked);
    expected = (struct expected){0};
    call_all(CUSHIM_LIBRARY_CUDA, table, false);
    call_all(CUSHIM_LIBRARY_CUDA, cushim_driver_functions(plain, CUSHIM_CUDA_ROWS), false);
    CHECK_INT(expected.before + expected.after, 0);
    cushim_close(&plain);
    cushim_close(&driver);
}

static void test_nvrtc(void)
{
    cushim_nvrtc nvrtc = CUSHIM_NONE, hooked = CUSHIM_NONE;
    const cushim_entry *table;

    CHECK_INT(cushim_nvrtc_open(cushim_open_params(.library = FAKE("nvrtc")), &nvrtc), CUSHIM_OK);
    CHECK_INT(cushim_interpose_nvrtc(nvrtc, &hooks, 1, &hooked), CUSHIM_OK);
    table = cushim_nvrtc_functions(hooked, CUSHIM_NVRTC_ROWS);
    call_all(CUSHIM_LIBRARY_NVRTC, table, true);
    cushim_nvrtc_close(&hooked);
    call_all(CUSHIM_LIBRARY_NVRTC, table, false);
    cushim_nvrtc_close(&nvrtc);
}

static void test_nvjitlink(void)
{
    cushim_nvjitlink nvjitlink = CUSHIM_NONE, hooked = CUSHIM_NONE;
    const cushim_entry *table;

    CHECK_INT(cushim_nvjitlink_open(cushim_open_params(.library = FAKE("nvjitlink")), &nvjitlink),
              CUSHIM_OK);
    CHECK_INT(cushim_interpose_nvjitlink(nvjitlink, &hooks, 1, &hooked), CUSHIM_OK);
    table = cushim_nvjitlink_functions(hooked, CUSHIM_NVJITLINK_ROWS);
    call_all(CUSHIM_LIBRARY_NVJITLINK, table, true);
    cushim_nvjitlink_close(&hooked);
    call_all(CUSHIM_LIBRARY_NVJITLINK, table, false);
    cushim_nvjitlink_close(&nvjitlink);
}

int main(void)
{
    test_cuda();
    test_nvrtc();
    test_nvjitlink();
    return failures();
}
