/* SPDX-License-Identifier: MIT */
/* cuGetProcAddress(): which function a name, a version and flags stand for. */
#include "ask.h"

#define LEGACY     CU_GET_PROC_ADDRESS_LEGACY_STREAM
#define PER_THREAD CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM

static const struct question {
    const char *key, *name;
    int version;
    cuuint64_t flags;
    const char *same_key, *same_as; /* is the answer this exported function? */
} questions[] = {
    {"ok", "cuMemAlloc", 12000, 0, "is_v2", "cuMemAlloc_v2"},
    {"old", "cuMemAlloc", 2000, 0, "old_is_v1", "cuMemAlloc"},
    {"unknown", "cuNoSuchThing", 12000, 0, NULL, NULL},
    {"v2name", "cuMemAlloc_v2", 12000, 0, NULL, NULL},
    {"zero", "cuMemAlloc", 0, 0, NULL, NULL},
    {"future", "cuMemAlloc", 99000, 0, NULL, NULL},
    {"toolow", "cuLaunchKernelEx", 11000, 0, NULL, NULL},
    {"exact", "cuLaunchKernelEx", 11060, 0, NULL, NULL},
    {"empty", "", 12000, 0, NULL, NULL},
    {"ptsz", "cuLaunchKernel", 12000, PER_THREAD, "ptsz_is", "cuLaunchKernel_ptsz"},
    {"legacy", "cuLaunchKernel", 12000, LEGACY, "legacy_is", "cuLaunchKernel"},
    {"badflags", "cuLaunchKernel", 12000, 8, NULL, NULL},
    {"both", "cuLaunchKernel", 12000, LEGACY | PER_THREAD, NULL, NULL},
    {"nonstream_ptsz", "cuInit", 12000, PER_THREAD, NULL, NULL},
    {"gpa_itself", "cuGetProcAddress", 12000, 0, "gpa_v2", "cuGetProcAddress_v2"},
    {"gpa_old", "cuGetProcAddress", 11030, 0, "gpa_v1", "cuGetProcAddress"},
    {"ctxcreate_v4", "cuCtxCreate", 12050, 0, "ctxcreate_is_v4", "cuCtxCreate_v4"},
    {"ctxcreate_11040", "cuCtxCreate", 11040, 0, "ctxcreate_is_v3", "cuCtxCreate_v3"},
    {"ctxcreate_13000", "cuCtxCreate", 13000, 0, "ctxcreate13_is_v4", "cuCtxCreate_v4"},
    {"memfree_lower", "cumemfree", 12000, 0, NULL, NULL},
};

static void ask_one(const struct question *question)
{
    CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult) -1;
    void *address = (void *) 1;

    ASK(question->key, cuGetProcAddress_v2,
        (question->name, &address, question->version, question->flags, &status));
    report_numbered((int) status, "%s_st", question->key);
    report_numbered(!address, "%s_null", question->key);
    if (question->same_key)
        report(question->same_key,
               (driver_function *) (intptr_t) address == find(question->same_as));
}

void ask_procaddr(void)
{
    int version = 0;

    CALL(cuInit, (0));
    for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++)
        ask_one(&questions[i]);
    CALL(cuDriverGetVersion, (&version));
    report("driver_version", version);
}
