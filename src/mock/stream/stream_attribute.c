/* SPDX-License-Identifier: MIT */
/* cuStreamGetAttribute, cuStreamSetAttribute, cuStreamCopyAttributes */
#include <string.h>

#include "mock/base/state.h"
#include "mock/stream/stream.h"

/*
 * The numbers are written here, because a caller's toolkit may know more attributes than the one of
 * this build.
 */
enum {
    ACCESS_POLICY_WINDOW = 1,
    PRIORITY = 8,
    MEM_SYNC_DOMAIN_MAP = 9,
    MEM_SYNC_DOMAIN = 10,
};

#define LAST_SYNC_POLICY 4
#define LAST_SYNC_DOMAIN 1
#define SYNC_DOMAINS     4 /* that a device has */

/* Returns the size of an attribute of streams, or 0 if those of this driver do not have it. */
static size_t size_of(int attribute)
{
    const int version = mock__driver_version();

    switch (attribute) {
    case ACCESS_POLICY_WINDOW:
        return sizeof(CUaccessPolicyWindow);
    case MOCK__SYNCHRONIZATION_POLICY:
        return sizeof(int);
    case PRIORITY:
        return version < 11080 ? 0 : sizeof(int);
    case MEM_SYNC_DOMAIN:
        return version < 12000 ? 0 : sizeof(int);
    case MEM_SYNC_DOMAIN_MAP:
        return version < 12000 ? 0 : 2;
    default:
        return 0;
    }
}

static CUresult get(CUstream hStream, int attribute, void *value)
{
    struct mock__stream *stream = NULL;
    const size_t size = size_of(attribute);

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__REQUIRE(value && size, CUDA_ERROR_INVALID_VALUE);
    if (attribute == PRIORITY)
        memcpy(value, &stream->priority, size);
    else
        memcpy(value, stream->attributes[attribute], size);
    return CUDA_SUCCESS;
}

static bool value_valid(int attribute, const void *value)
{
    int number;
    unsigned char domains[2];
    CUaccessPolicyWindow window;

    if (attribute == ACCESS_POLICY_WINDOW) {
        memcpy(&window, value, sizeof(window));
        return window.hitRatio >= 0 && window.hitRatio <= 1 &&
               window.missProp != CU_ACCESS_PROPERTY_PERSISTING;
    }
    if (attribute == MEM_SYNC_DOMAIN_MAP) {
        memcpy(domains, value, sizeof(domains));
        return domains[0] < SYNC_DOMAINS && domains[1] < SYNC_DOMAINS;
    }
    if (attribute != MOCK__SYNCHRONIZATION_POLICY && attribute != MEM_SYNC_DOMAIN)
        return true;
    memcpy(&number, value, sizeof(number));
    return attribute == MEM_SYNC_DOMAIN
               ? number >= 0 && number <= LAST_SYNC_DOMAIN
               : number >= CU_SYNC_POLICY_AUTO && number <= LAST_SYNC_POLICY;
}

static CUresult set(CUstream hStream, int attribute, const void *value)
{
    struct mock__stream *stream = NULL;
    const size_t size = size_of(attribute);

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__REQUIRE(value && size && value_valid(attribute, value), CUDA_ERROR_INVALID_VALUE);
    if (attribute == PRIORITY)
        mock__stream_set_priority(stream, *(const int *) value);
    else
        memcpy(stream->attributes[attribute], value, size);
    return CUDA_SUCCESS;
}

CUresult mock_cuStreamCopyAttributes(CUstream dst, CUstream src)
{
    struct mock__stream *to = NULL, *from = NULL;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__stream_find(dst, &to));
    MOCK__TRY(mock__stream_find(src, &from));
    MOCK__REQUIRE(to->context == from->context, CUDA_ERROR_INVALID_VALUE);
    memmove(to->attributes, from->attributes, sizeof(to->attributes));
    return CUDA_SUCCESS;
}

CUresult mock_cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr,
                                   CUstreamAttrValue *value_out)
{
    return get(hStream, (int) attr, value_out);
}

CUresult mock_cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr,
                                   const CUstreamAttrValue *value)
{
    return set(hStream, (int) attr, value);
}
