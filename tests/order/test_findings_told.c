/* SPDX-License-Identifier: MIT */
/* What findings say of allocations and labels, how they are counted, and what a kernel may ask. */
#include "findings.h"

Test(findings_told, an_allocation_says_which_one_of_its_function_it_is)
{
    static const char *const nth[] = {"1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st"};
    static const unsigned numbers[] = {1, 2, 3, 4, 11, 12, 13, 21};
    CUdeviceptr p[22];
    char words[64];

    begin();
    for (int i = 1; i < 22; i++)
        p[i] = allocate(BYTES);
    for (int i = 0; i < 8; i++) {
        OK(mock_cuMemFree_v2(p[numbers[i]]));
        EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFree_v2(p[numbers[i]]));
        snprintf(words, sizeof(words), "made by cuMemAlloc, the program's %s)", nth[i]);
        found(CUSHIM_MOCK_DOUBLE_FREE, "256 bytes", words);
        cushim_mock_findings_clear();
    }
}

Test(findings_told, labels)
{
    CUdeviceptr p;

    begin();
    p = allocate(BYTES);
    cr_expect(eq(int, cushim_mock_label(p + 8, "weights"), CUSHIM_OK));
    cr_expect(eq(int, cushim_mock_label((uintptr_t) one, "upload"), CUSHIM_OK));
    cr_expect(eq(int, cushim_mock_label(p + BYTES, "x"), CUSHIM_ERROR_INVALID_ARGUMENT));
    cr_expect(eq(int, cushim_mock_label(0, "x"), CUSHIM_ERROR_INVALID_ARGUMENT));
    cr_expect(eq(
        str, (char *) cushim_mock_error_text(),
        (char *) "cushim_mock_label: 0x0 is neither an object of the driver nor an address in an "
                 "allocation"));
    launch_fill(one, p, BYTES);
    launch_fill(two, p, BYTES);
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, " 'weights' (256 bytes", " 'upload'");
    cushim_mock_findings_clear();
    OK(mock_cuMemFree_v2(p));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFree_v2(p));
    found(CUSHIM_MOCK_DOUBLE_FREE, "allocation", "'weights'");
    cushim_mock_findings_clear();
    /* A label is the program's, and a finding is a line of UTF-8. */
    p = allocate(BYTES);
    cr_expect(eq(int, cushim_mock_label(p, "a\n\xff"), CUSHIM_OK));
    OK(mock_cuMemFree_v2(p));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFree_v2(p));
    found(CUSHIM_MOCK_DOUBLE_FREE, "allocation",
          "'a?"
          "?'");
    cushim_mock_findings_clear();
    cr_expect(eq(int, cushim_mock_label((uintptr_t) event, "done"), CUSHIM_OK));
    cr_expect(eq(int, cushim_mock_label((uintptr_t) event, NULL), CUSHIM_OK));
    OK(mock_cuEventDestroy_v2(event));
    cr_expect(eq(int, cushim_mock_label((uintptr_t) event, "x"), CUSHIM_ERROR_INVALID_ARGUMENT));
}

Test(findings_told, the_same_finding_is_counted)
{
    const struct cushim_mock_finding *findings = NULL;
    unsigned words[1];
    CUdeviceptr p;

    begin();
    p = allocate(BYTES);
    for (int i = 0; i < 3; i++)
        OK(mock_cuMemcpyDtoH_v2(words, p, 4));
    cr_assert(eq(sz, cushim_mock_findings(&findings), 1));
    cr_expect(eq(uint, findings[0].count, 3));
    cushim_mock_findings_clear();
    silent();
}

Test(findings_told, what_was_done_is_counted)
{
    struct cushim_mock_counts stats;
    unsigned words[N] = {0};
    CUdeviceptr p, q;

    begin();
    p = allocate(BYTES);
    q = allocate(BYTES);
    OK(mock_cuMemcpyHtoD_v2(p, words, BYTES));
    launch_fill(one, p, BYTES);
    OK(mock_cuStreamSynchronize(one));
    OK(mock_cuMemcpyDtoD_v2(q, p, BYTES));
    OK(mock_cuMemsetD8_v2(p, 0, 8));
    OK(mock_cuMemcpyDtoH_v2(words, q, 12));
    OK(mock_cuMemFree_v2(p));
    stats = cushim_mock_stats();
    cr_expect(eq(u64, stats.live_allocations, 1));
    cr_expect(eq(u64, stats.live_bytes, BYTES));
    cr_expect(eq(u64, stats.peak_bytes, 2 * BYTES));
    cr_expect(eq(u64, stats.launches, 1));
    cr_expect(eq(u64, stats.copies, 3));
    cr_expect(eq(u64, stats.memsets, 1));
    cr_expect(eq(u64, stats.bytes_to_device, BYTES));
    cr_expect(eq(u64, stats.bytes_on_device, BYTES));
    cr_expect(eq(u64, stats.bytes_to_host, 12));
    cr_expect(eq(u64, stats.waits, 1));
    silent();
}

static size_t seen_findings;

static void ask(const struct cushim_mock_launch *launch, void *const *args)
{
    (void) launch;
    (void) args;
    seen_findings = cushim_mock_findings(NULL) + cushim_mock_leaks() + cushim_mock_stats().launches;
    cushim_mock_findings_clear();
}

/* A kernel's thread has the driver's lock: asking from there must not wait for it. */
Test(findings_told, a_kernel_may_ask, .timeout = 30)
{
    begin();
    cr_assert(eq(int, cushim_mock_register_kernel("fill", ask, NULL), CUSHIM_OK));
    launch_fill(one, allocate(BYTES), BYTES);
    OK(mock_cuCtxSynchronize());
    cr_expect(gt(sz, seen_findings, 0));
    silent();
}
