/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <string.h>

#include "base/status.h"
#include "support.h"

SUITE(error);

static void assert_error(cushim_status status, const char *call, const char *label,
                         const char *text)
{
    cr_expect(eq(int, cushim_error_status(), status));
    cr_expect(eq(str, S(cushim_error_call()), S(call)));
    cr_expect(eq(str, S(cushim_error_label()), S(label)));
    cr_expect(eq(str, S(cushim_error_text()), S(text)));
}

Test(error, there_is_none_at_first)
{
    run_in_new_process();
    assert_error(CUSHIM_OK, "", "", "");
}

Test(error, keeps_status_call_label_and_text)
{
    assert_status(cushim__fail_at(2, "cuMemAlloc_v2", "weights", "%d bytes of %s", 12, "memory"),
                  2);
    assert_error(2, "cuMemAlloc_v2", "weights", "12 bytes of memory");
}

Test(error, call_and_label_may_be_missing)
{
    cushim__fail_at(2, "cuMemAlloc_v2", "weights", "first");
    cushim__fail_at(CUSHIM_ERROR_BUSY, NULL, NULL, "second");
    assert_error(CUSHIM_ERROR_BUSY, "", "", "second");
}

Test(error, names_the_function_that_fails)
{
    cushim__fail(CUSHIM_ERROR_LIMIT, "too many");
    assert_error(CUSHIM_ERROR_LIMIT, __func__, "", "too many");
}

Test(error, is_forgotten)
{
    cushim__fail_at(2, "call", "label", "text");
    cushim_error_clear();
    assert_error(CUSHIM_OK, "", "", "");
}

/* The arguments point into what is being overwritten. */
Test(error, may_quote_the_error_before)
{
    cushim__fail_at(100, "cuInit", "gpu", "no device");
    cushim__fail_at(CUSHIM_ERROR_NO_DRIVER, "cushim_open", "default", "%s failed for %s: %s (%s)",
                    cushim_error_call(), cushim_error_label(), cushim_error_text(),
                    cushim_error_text());
    assert_error(CUSHIM_ERROR_NO_DRIVER, "cushim_open", "default",
                 "cuInit failed for gpu: no device (no device)");
}

Test(error, may_hand_on_call_and_label_of_the_error_before)
{
    cushim__fail_at(100, "cuInit", "gpu", "no device");
    cushim__fail_at(CUSHIM_ERROR_NO_DRIVER, cushim_error_call(), cushim_error_label(), "again");
    assert_error(CUSHIM_ERROR_NO_DRIVER, "cuInit", "gpu", "again");
}

Test(error, long_texts_are_cut)
{
    static char text[5000];

    memset(text, 'x', sizeof(text) - 1);
    cushim__fail_at(1, text, text, "%s", text);
    cr_expect(eq(sz, strlen(cushim_error_call()), sizeof(cushim__error()->call) - 1));
    cr_expect(eq(sz, strlen(cushim_error_label()), sizeof(cushim__error()->label) - 1));
    cr_expect(eq(sz, strlen(cushim_error_text()), sizeof(cushim__error()->text) - 1));
}

static void *fail_elsewhere(void *unused)
{
    (void) unused;
    assert_error(CUSHIM_OK, "", "", "");
    cushim__fail_at(700, "cuCtxSynchronize", "theirs", "of the other thread");
    assert_error(700, "cuCtxSynchronize", "theirs", "of the other thread");
    return NULL;
}

/* A label is the program's, and may be cut within a character. */
Test(error, labels_are_utf8)
{
    char label[66];

    cushim__fail_at(CUSHIM_ERROR_BUSY, "f", "a\xff\n", "text");
    cr_expect(eq(str, S(cushim_error_label()), S("a??")));
    memset(label, 'a', 62);
    memcpy(label + 62, "\xc3\xa9", 3);
    cushim__fail_at(CUSHIM_ERROR_BUSY, "f", label, "text");
    cr_expect(eq(chr, cushim_error_label()[62], '?'));
}

Test(error, belongs_to_its_thread)
{
    pthread_t thread;

    cushim__fail_at(1, "cuInit", "ours", "of this thread");
    cr_assert(zero(int, pthread_create(&thread, NULL, fail_elsewhere, NULL)));
    cr_assert(zero(int, pthread_join(thread, NULL)));
    assert_error(1, "cuInit", "ours", "of this thread");
}
