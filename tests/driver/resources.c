/* SPDX-License-Identifier: MIT */
/* The resources of devices and contexts, and how multiprocessors are divided. */
#include "resources.h"

#include <stdio.h>
#include <string.h>

#define N_PARTS 4

CUdevResource whole_device(void)
{
    CUdevResource whole = {.type = CU_DEV_RESOURCE_TYPE_INVALID};

    CALL(cuDeviceGetDevResource, (0, &whole, CU_DEV_RESOURCE_TYPE_SM));
    return whole;
}

CUdevResource part_of_device(unsigned count, CUdevResource *ret_rest)
{
    const CUdevResource whole = whole_device();
    CUdevResource part = {.type = CU_DEV_RESOURCE_TYPE_INVALID};
    unsigned n = 1;

    CALL(cuDevSmResourceSplitByCount, (&part, &n, &whole, ret_rest, 0, count));
    return part;
}

CUdevResourceDesc describe(CUdevResource *resource)
{
    CUdevResourceDesc description = NULL;

    CALL(cuDevResourceGenerateDesc, (&description, resource, 1));
    return description;
}

static void write_resource(char *text, size_t size, const CUdevResource *resource)
{
    snprintf(text, size, "%d %u %u %u", (int) resource->type, resource->sm.smCount,
             resource->sm.minSmPartitionSize, resource->sm.smCoscheduledAlignment);
}

void report_resource(const char *key, const CUdevResource *resource)
{
    char text[80];

    write_resource(text, sizeof(text), resource);
    report_text(key, text);
}

static void ask_of_device(void)
{
    CUdevResource resource = {.type = CU_DEV_RESOURCE_TYPE_INVALID};

    ASK("dev", cuDeviceGetDevResource, (0, &resource, CU_DEV_RESOURCE_TYPE_SM));
    report_resource("dev_v", &resource);
    ASK("dev_null", cuDeviceGetDevResource, (0, NULL, CU_DEV_RESOURCE_TYPE_SM));
    ASK("dev_none", cuDeviceGetDevResource, (0, &resource, CU_DEV_RESOURCE_TYPE_INVALID));
    ASK("dev_type2", cuDeviceGetDevResource, (0, &resource, (CUdevResourceType) 2));
    ASK("dev_type1000", cuDeviceGetDevResource, (0, &resource, (CUdevResourceType) 1000));
    ASK("dev_type10000", cuDeviceGetDevResource, (0, &resource, (CUdevResourceType) 10000));
    ASK("dev_type_null", cuDeviceGetDevResource, (0, NULL, (CUdevResourceType) 99));
    ASK("dev_bad", cuDeviceGetDevResource, (99, &resource, CU_DEV_RESOURCE_TYPE_SM));
    ASK("dev_negative", cuDeviceGetDevResource, (-1, &resource, CU_DEV_RESOURCE_TYPE_SM));
    ASK("dev_bad_type", cuDeviceGetDevResource, (99, &resource, (CUdevResourceType) 99));
}

static void ask_of_context(CUcontext context)
{
    CUdevResource resource = {.type = CU_DEV_RESOURCE_TYPE_INVALID};

    ASK("ctx", cuCtxGetDevResource, (context, &resource, CU_DEV_RESOURCE_TYPE_SM));
    report_resource("ctx_v", &resource);
    ASK("ctx_current", cuCtxGetDevResource, (NULL, &resource, CU_DEV_RESOURCE_TYPE_SM));
    ASK("ctx_null", cuCtxGetDevResource, (context, NULL, CU_DEV_RESOURCE_TYPE_SM));
    ASK("ctx_none", cuCtxGetDevResource, (context, &resource, CU_DEV_RESOURCE_TYPE_INVALID));
    ASK("ctx_type99", cuCtxGetDevResource, (context, &resource, (CUdevResourceType) 99));
    ASK("green_null", cuGreenCtxGetDevResource, (NULL, &resource, CU_DEV_RESOURCE_TYPE_SM));
}

/* "result, parts: (part) (part) rest (rest)" */
static void report_split(int result, unsigned n, const CUdevResource *parts,
                         const CUdevResource *rest, const char *key)
{
    char text[512], one[80];
    size_t length = (size_t) snprintf(text, sizeof(text), "%d, %u:", result, n);

    for (unsigned i = 0; i < n && i < N_PARTS; i++) {
        write_resource(one, sizeof(one), &parts[i]);
        length += (size_t) snprintf(text + length, sizeof(text) - length, " (%s)", one);
    }
    write_resource(one, sizeof(one), rest);
    snprintf(text + length, sizeof(text) - length, " rest (%s)", one);
    report_text(key, text);
}

static void ask_split(unsigned flags, unsigned n, unsigned count)
{
    const CUdevResource whole = whole_device();
    CUdevResource parts[N_PARTS], rest;
    char key[64];
    int result;

    memset(parts, 0, sizeof(parts));
    memset(&rest, 0, sizeof(rest));
    result = CALL(cuDevSmResourceSplitByCount, (parts, &n, &whole, &rest, flags, count));
    snprintf(key, sizeof(key), "split_f%u_of%u", flags, count);
    report_split(result, n, parts, &rest, key);
}

/* How many parts there would be. */
static void ask_count(unsigned flags, unsigned count)
{
    const CUdevResource whole = whole_device();
    unsigned n = 0;

    report_numbered(CALL(cuDevSmResourceSplitByCount, (NULL, &n, &whole, NULL, flags, count)),
                    "count_f%u_of%u", flags, count);
    report_numbered(n, "count_f%u_of%u_v", flags, count);
}

static void ask_splits(void)
{
    static const unsigned counts[] = {0,  1,  2,  7,  8,  9,  16,  17,  18,  24, 32,
                                      33, 64, 66, 67, 96, 124, 128, 129, 132, 133, ~0u};

    for (unsigned flags = 0; flags < 4; flags++)
        for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
            ask_count(flags, counts[i]);
            ask_split(flags, N_PARTS, counts[i]);
        }
}

static void ask_fewer(void)
{
    const CUdevResource whole = whole_device();
    CUdevResource parts[N_PARTS], rest = {.type = CU_DEV_RESOURCE_TYPE_INVALID};

    for (unsigned asked = 0; asked < 3; asked++) {
        unsigned n = asked;

        memset(parts, 0, sizeof(parts));
        report_numbered(CALL(cuDevSmResourceSplitByCount, (parts, &n, &whole, &rest, 0, 8)),
                        "fewer%u", asked);
        report_numbered(n, "fewer%u_n", asked);
        report_numbered(rest.sm.smCount, "fewer%u_rest", asked);
    }
}

static void ask_split_misuse(void)
{
    const CUdevResource whole = whole_device();
    CUdevResource part, rest, none = {.type = CU_DEV_RESOURCE_TYPE_INVALID}, changed = whole;
    unsigned n = 1;

    part = part_of_device(8, &rest);
    ASK("split_no_number", cuDevSmResourceSplitByCount, (&part, NULL, &whole, NULL, 0, 8));
    ASK("split_nothing", cuDevSmResourceSplitByCount, (&part, &n, NULL, NULL, 0, 8));
    ASK("split_invalid", cuDevSmResourceSplitByCount, (NULL, &n, &none, NULL, 0, 8));
    ASK("split_flag4", cuDevSmResourceSplitByCount, (NULL, &n, &whole, NULL, 4, 8));
    n = 1;
    ASK("split_part", cuDevSmResourceSplitByCount, (NULL, &n, &part, NULL, 0, 8));
    report("split_part_n", n);
    n = 1;
    ASK("split_rest", cuDevSmResourceSplitByCount, (NULL, &n, &rest, NULL, 0, 8));
    report("split_rest_n", n);
    changed.sm.smCount = 16;
    n = 0;
    ASK("split_changed", cuDevSmResourceSplitByCount, (NULL, &n, &changed, NULL, 0, 8));
    report("split_changed_n", n);
    memset(&changed, 0, sizeof(changed));
    changed.type = CU_DEV_RESOURCE_TYPE_SM;
    changed.sm.smCount = 132;
    ASK("split_made_up", cuDevSmResourceSplitByCount, (NULL, &n, &changed, NULL, 0, 8));
}

static void ask_describe(void)
{
    const CUdevResource whole = whole_device();
    CUdevResourceDesc description = NULL;
    CUdevResource parts[3], rest, other, all = whole;
    unsigned n = 2;

    CALL(cuDevSmResourceSplitByCount, (parts, &n, &whole, &rest, 0, 16));
    ASK("desc", cuDevResourceGenerateDesc, (&description, parts, 1));
    report("desc_v", description != NULL);
    ASK("desc_two", cuDevResourceGenerateDesc, (&description, parts, 2));
    ASK("desc_null", cuDevResourceGenerateDesc, (NULL, parts, 1));
    ASK("desc_nothing", cuDevResourceGenerateDesc, (&description, NULL, 1));
    ASK("desc_whole", cuDevResourceGenerateDesc, (&description, &all, 1));
    ASK("desc_rest", cuDevResourceGenerateDesc, (&description, &rest, 1));
    parts[2] = rest;
    ASK("desc_parts_and_rest", cuDevResourceGenerateDesc, (&description, parts, 3));
    parts[1] = parts[0];
    ASK("desc_same_twice", cuDevResourceGenerateDesc, (&description, parts, 2));
    parts[1] = part_of_device(16, &other);
    ASK("desc_other_split", cuDevResourceGenerateDesc, (&description, parts, 2));
    parts[1] = whole;
    ASK("desc_part_and_whole", cuDevResourceGenerateDesc, (&description, parts, 2));
    parts[0].type = CU_DEV_RESOURCE_TYPE_INVALID;
    ASK("desc_invalid", cuDevResourceGenerateDesc, (&description, parts, 1));
}

void ask_resources(void)
{
    CUdevResource resource;

    ASK("dev_before_init", cuDeviceGetDevResource, (0, &resource, CU_DEV_RESOURCE_TYPE_SM));
    CALL(cuInit, (0));
    ASK("ctx_without", cuCtxGetDevResource, (NULL, &resource, CU_DEV_RESOURCE_TYPE_SM));
    ask_of_device();
    ask_of_context(begin());
    ask_splits();
    ask_fewer();
    ask_split_misuse();
    ask_describe();
}
