/* SPDX-License-Identifier: MIT */
#include "base/linker/hwcaps.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "base/util.h"

#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define CAN_ASK 1
#endif
#endif

#ifdef CAN_ASK
typedef __typeof__(__x86_get_cpuid_feature_leaf) leaf_fn;

static bool has_all(leaf_fn *leaf, const unsigned *features, size_t n)
{
    enum { BITS = 32, REGISTERS = 4 };

    for (size_t i = 0; i < n; i++) {
        const struct cpuid_feature *four = leaf(features[i] / (BITS * REGISTERS));
        const unsigned active = four->active_array[features[i] / BITS % REGISTERS];

        if (!(active >> features[i] % BITS & 1))
            return false;
    }
    return true;
}

/* Returns the level of the x86-64 ABI that this processor has, 1 to 4. */
static int level(leaf_fn *leaf)
{
    static const unsigned two[] = {x86_cpu_CMPXCHG16B, x86_cpu_LAHF64_SAHF64, x86_cpu_POPCNT,
                                   x86_cpu_SSE3,       x86_cpu_SSSE3,         x86_cpu_SSE4_1,
                                   x86_cpu_SSE4_2};
    static const unsigned three[] = {x86_cpu_AVX,  x86_cpu_AVX2, x86_cpu_BMI1,  x86_cpu_BMI2,
                                     x86_cpu_F16C, x86_cpu_FMA,  x86_cpu_LZCNT, x86_cpu_MOVBE};
    static const unsigned four[] = {x86_cpu_AVX512F, x86_cpu_AVX512BW, x86_cpu_AVX512CD,
                                    x86_cpu_AVX512DQ, x86_cpu_AVX512VL};

    if (!has_all(leaf, two, ARRAY_SIZE(two)))
        return 1;
    if (!has_all(leaf, three, ARRAY_SIZE(three)))
        return 2;
    return has_all(leaf, four, ARRAY_SIZE(four)) ? 4 : 3;
}

const char *const *cushim__hwcaps(void)
{
    static const char *const names[] = {"x86-64-v4", "x86-64-v3", "x86-64-v2", NULL};
    /*
     * The linker's own answer, which considers GLIBC_TUNABLES as well. A linker without this
     * function has no such folders either.
     */
    void *leaf = dlsym(RTLD_DEFAULT, "__x86_get_cpuid_feature_leaf");

    return names + 4 - (leaf ? level((leaf_fn *) (intptr_t) leaf) : 1);
}
#else
const char *const *cushim__hwcaps(void)
{
    static const char *const none[] = {NULL};

    return none;
}
#endif

int cushim__hwcaps_of(const char *path)
{
    static const char folder[] = "/glibc-hwcaps/";
    const char *below = strstr(path, folder);
    const char *const *names;
    size_t length;

    if (!below)
        return CUSHIM__HWCAPS_PLAIN;
    below += sizeof(folder) - 1;
    length = strcspn(below, "/");
    names = cushim__hwcaps();
    for (int i = 0; names[i]; i++) {
        if (strlen(names[i]) == length && !strncmp(names[i], below, length))
            return i;
    }
    return CUSHIM__HWCAPS_UNUSED;
}
