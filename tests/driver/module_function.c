/* SPDX-License-Identifier: MIT */
/* A function's parameters and attributes. */
#include "module.h"

void ask_parameters(const char *key, CUfunction function)
{
    for (int i = 0; i < 4; i++) {
        size_t offset = 99, size = 99;
        const int result = CALL(cuFuncGetParamInfo, (function, (size_t) i, &offset, &size));

        report_numbered(result, "%s%d", key, i);
        report_numbered((long long) offset, "%s%d_off", key, i);
        report_numbered((long long) size, "%s%d_size", key, i);
    }
}

/* Registers and versions are the compiler's business. */
static int has_fixed_value(int attribute)
{
    return attribute != CU_FUNC_ATTRIBUTE_NUM_REGS && attribute != CU_FUNC_ATTRIBUTE_PTX_VERSION &&
           attribute != CU_FUNC_ATTRIBUTE_BINARY_VERSION;
}

static void ask_values(CUfunction function)
{
    for (int i = 0; i < 18; i++) {
        int value = -1;
        const int result = CALL(cuFuncGetAttribute, (&value, (CUfunction_attribute) i, function));

        report_numbered(result, "attr%02d", i);
        if (has_fixed_value(i))
            report_numbered(value, "attr%02d_v", i);
    }
}

void ask_attributes(CUfunction function, CUfunction with_shared_memory)
{
    const CUfunction_attribute dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    int bytes = -1;

    ask_values(function);
    CALL(cuFuncGetAttribute, (&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, with_shared_memory));
    report("smem_static", bytes);
    ASK("setattr_dyn_ok", cuFuncSetAttribute, (function, dynamic, 65536));
    ASK("setattr_dyn_big", cuFuncSetAttribute, (function, dynamic, 1 << 24));
    ASK("setattr_readonly", cuFuncSetAttribute, (function, CU_FUNC_ATTRIBUTE_NUM_REGS, 3));
    ASK("setattr_bad", cuFuncSetAttribute, (function, 999, 3));
    ASK("carveout_bad", cuFuncSetAttribute,
        (function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101));
    ASK("setcache", cuFuncSetCacheConfig, (function, CU_FUNC_CACHE_PREFER_SHARED));
}
