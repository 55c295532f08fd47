/* SPDX-License-Identifier: MIT */
/* core/cu/cu.h against the real cuda.h: compiling this is the test. */
#include <cushim/table.h>
#include <stddef.h>
#include <stdio.h>

#define CUSHIM__CU_CHECK
#define CU_TYPE(real, ours) real
#include "core/cu/cu.h"

/* An entry has the type of the function, or none where the headers are too old for it. */
#define ENTRY(name) __typeof__(((struct cushim_cuda_api *) 0)->name)
#define SAME_FUNCTION(name, parameters)                                                            \
    _Static_assert(__builtin_types_compatible_p(ENTRY(name), cu_fn_##name *) ||                    \
                       __builtin_types_compatible_p(ENTRY(name), cushim_entry),                    \
                   #name);
CUSHIM__CU_MAP(SAME_FUNCTION)

#define SAME_VALUE(name, value) _Static_assert((name) == (value), #name);
CUSHIM__CU_CONSTANT_MAP(SAME_VALUE)

#if CUDA_VERSION >= 11080
_Static_assert((int) CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH ==
                   (int) CUSHIM__CU_ATTRIBUTE_CLUSTER_LAUNCH,
               "");
_Static_assert((int) CUDA_ERROR_INVALID_CLUSTER_SIZE == (int) CUSHIM__CU_INVALID_CLUSTER_SIZE, "");
#endif

#define SAME_LATER(name)                                                                           \
    _Static_assert((int) CU_STREAM_ATTRIBUTE_##name == (int) CUSHIM__CU_STREAM_ATTRIBUTE_##name, "")
#if CUDA_VERSION >= 11080
SAME_LATER(PRIORITY);
#endif
#if CUDA_VERSION >= 12000
SAME_LATER(MEM_SYNC_DOMAIN_MAP);
SAME_LATER(MEM_SYNC_DOMAIN);
#endif

/* That of older headers is smaller. */
_Static_assert(sizeof(CUstreamAttrValue) <= sizeof(union cushim__cu_attribute_value), "");
#define SAME_VALUE_PLACE(ours, theirs)                                                             \
    _Static_assert(offsetof(union cushim__cu_attribute_value, ours) ==                             \
                       offsetof(CUstreamAttrValue, theirs),                                        \
                   #ours)
SAME_VALUE_PLACE(number, syncPolicy);
SAME_VALUE_PLACE(window.base, accessPolicyWindow.base_ptr);
SAME_VALUE_PLACE(window.bytes, accessPolicyWindow.num_bytes);
SAME_VALUE_PLACE(window.hit_ratio, accessPolicyWindow.hitRatio);
SAME_VALUE_PLACE(window.hit, accessPolicyWindow.hitProp);
SAME_VALUE_PLACE(window.miss, accessPolicyWindow.missProp);
_Static_assert(sizeof(CUuuid) == sizeof(struct cushim__cu_uuid), "");
_Static_assert(_Alignof(CUuuid) == _Alignof(struct cushim__cu_uuid), "");

/* Without cuda.h these are ours, and the machine passes both alike. */
_Static_assert(sizeof(CUdevice) == sizeof(int), "");
_Static_assert(sizeof(CUdeviceptr) == sizeof(unsigned long long), "");
_Static_assert(sizeof(CUresult) == sizeof(int), "");
_Static_assert(sizeof(CUlimit) == sizeof(int), "");

int main(void)
{
    const int checked = 0
#define COUNT(name, parameters) +1
        CUSHIM__CU_MAP(COUNT);

    printf("%d functions are as CUDA %d declares them\n", checked, CUDA_VERSION);
    return checked > 0 && CU_STREAM_PER_THREAD == (CUstream) 2 ? 0 : 1;
}
