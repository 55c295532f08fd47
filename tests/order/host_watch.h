/* SPDX-License-Identifier: MIT */
/* For tests of what the host does to memory of work that it has not waited for. */
#ifndef CUSHIM_TESTS_ORDER_HOST_WATCH_H
#define CUSHIM_TESTS_ORDER_HOST_WATCH_H

#include <cushim/mock.h>
#include <string.h>

#include "support.h"

enum { PAGE = 4096, BYTES = 4 * PAGE };

static CUstream stream, second;
static CUevent event;
static CUdeviceptr device;

static inline volatile unsigned char *pinned(size_t bytes)
{
    unsigned char *memory = NULL;

    OK(mock_cuMemHostAlloc((void **) &memory, bytes, 0));
    memset(memory, 1, bytes);
    return memory;
}

static inline void begin(void)
{
    const struct cushim_mock_config *config = cushim_mock_config(.settings = "watch_host = yes");

    cr_assert(eq(int, cushim_mock_configure(config), CUSHIM_OK));
    start();
    OK(mock_cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(mock_cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    OK(mock_cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    device = allocate(BYTES);
    OK(mock_cuMemsetD8_v2(device, 2, BYTES));
    OK(mock_cuCtxSynchronize());
}

static inline void silent(void)
{
    const struct cushim_mock_finding *findings = NULL;
    const size_t n = cushim_mock_findings(&findings);

    cr_expect(eq(sz, n, 0), "the first is: %s", n ? findings[0].text : "");
}

static inline void found(const char *word, const char *other)
{
    const struct cushim_mock_finding *findings = NULL;

    cr_assert(eq(sz, cushim_mock_findings(&findings), 1));
    cr_expect(eq(int, findings[0].kind, CUSHIM_MOCK_HOST_ACCESS), "%s", findings[0].text);
    cr_expect(ne(ptr, strstr(findings[0].text, word), NULL), "no '%s' in: %s", word,
              findings[0].text);
    cr_expect(ne(ptr, strstr(findings[0].text, other), NULL), "no '%s' in: %s", other,
              findings[0].text);
    cushim_mock_findings_clear();
}

static inline void copy_to(volatile void *host, size_t bytes)
{
    OK(mock_cuMemcpyDtoHAsync_v2((void *) host, device, bytes, stream));
}

static inline void copy_from(volatile void *host, size_t bytes)
{
    OK(mock_cuMemcpyHtoDAsync_v2(device, (void *) host, bytes, stream));
}

#endif
