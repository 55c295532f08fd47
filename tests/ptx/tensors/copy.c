/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tensors.h"

enum { TEXT = 16384, SHARED = 1 << 16, BLOCKS = 4, OUT = BLOCKS * (SHARED + 16), ELSEWHERE = 4096 };

static uint32_t memory[TENSORS_MEMORY / 4], source[TENSORS_MEMORY / 4], after[TENSORS_MEMORY / 4];
static unsigned char out[OUT];
static CUdeviceptr memory_at, source_at, out_at, elsewhere_at, gone_at;

static CUresult prepare(void)
{
    CUresult result = CUDA_SUCCESS;

    if (memory_at)
        return CUDA_SUCCESS;
    result = CU(cuMemAlloc_v2)(&memory_at, TENSORS_MEMORY);
    if (result == CUDA_SUCCESS)
        result = CU(cuMemAlloc_v2)(&source_at, TENSORS_MEMORY);
    if (result == CUDA_SUCCESS)
        result = CU(cuMemAlloc_v2)(&out_at, OUT);
    if (result == CUDA_SUCCESS)
        result = CU(cuMemAlloc_v2)(&elsewhere_at, ELSEWHERE);
    if (result == CUDA_SUCCESS)
        result = CU(cuMemAlloc_v2)(&gone_at, (size_t) 64 << 20);
    return result == CUDA_SUCCESS ? CU(cuMemFree_v2)(gone_at) : result;
}

/* --- numbers --- */

static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352d;
    x = (x ^ x >> 15) * 0x846ca68b;
    return x ^ x >> 16;
}

/* 0: all bits; 1: floats and halves near 1; 2: small ones; 3: doubles near 1; 4: special ones. */
static uint32_t number(uint32_t data, uint32_t seed, uint32_t i)
{
    static const uint32_t special[] = {0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff, 0x00000000,
                                       0x80000000, 0x7c007c00, 0xfc00fc00, 0x7e017f81, 0x7fffff80,
                                       0x00010001, 0x80018001, 0x3c003f80, 0x7f7fffff, 0x7bff7bff,
                                       0xff7fff7f, 0x7fa00001, 0x00800000, 0x00400040, 0x7ff00000};
    const uint32_t h = mix(i * 2 + seed + 1);

    switch (data) {
    case 1:
        return (h & 0x83ffffff) | 0x3c000000;
    case 2:
        return h & 0x807f807f;
    case 3:
        return i % 2 ? (h & 0x800fffff) | 0x3fe00000 : h;
    case 4:
        return special[h % (sizeof(special) / sizeof(special[0]))];
    default:
        return h;
    }
}

static void fill(const struct tensors_question *question)
{
    const bool loads = !strcmp(question->what, "load");

    for (uint32_t i = 0; i < TENSORS_MEMORY / 4; i++) {
        memory[i] = number(question->data, 0, i);
        source[i] = loads ? 0xa5a5a5a5 : number(question->data, 1, i);
    }
    CU(cuMemcpyHtoD_v2)(memory_at, memory, sizeof(memory));
    CU(cuMemcpyHtoD_v2)(source_at, source, sizeof(source));
    CU(cuMemsetD32_v2)(out_at, 0, OUT / 4);
}

/* --- modules --- */

static struct {
    char *text;
    CUmodule module;
    CUfunction function;
} loaded[256];

static CUresult load(const char *text, CUmodule *ret_module, CUfunction *ret_function)
{
    static char log[4096];
    int options[] = {5, 6}; /* the log of errors, and its size */
    void *values[] = {log, (void *) sizeof(log)};
    size_t i = 0;
    CUresult result = CUDA_SUCCESS;

    while (loaded[i].text && strcmp(loaded[i].text, text))
        i = (i + 1) % (sizeof(loaded) / sizeof(loaded[0]) - 1);
    if (!loaded[i].text) {
        result = CU(cuModuleLoadDataEx)(&loaded[i].module, text, 2, options, values);
        if (result != CUDA_SUCCESS) {
            fprintf(stderr, "%s\n", log);
            return result;
        }
        result = CU(cuModuleGetFunction)(&loaded[i].function, loaded[i].module, "k");
        CU(cuFuncSetAttribute)(loaded[i].function, 8, SHARED);
        loaded[i].text = strdup(text);
    }
    *ret_module = loaded[i].module;
    *ret_function = loaded[i].function;
    return result;
}

/* --- running --- */

/* FNV-1a */
static uint64_t hash(const void *bytes, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < n; i++)
        h = (h ^ ((const unsigned char *) bytes)[i]) * UINT64_C(0x100000001b3);
    return h;
}

static CUresult launch(const struct tensors_question *question, CUmodule module,
                       CUfunction function, const unsigned char *map)
{
    _Alignas(128) unsigned char param[3 * TENSORS_MAP] = {0};
    const bool freed = !strcmp(question->place, "freed");
    CUdeviceptr elsewhere = freed ? gone_at : elsewhere_at, fixed;
    uint32_t expect =
        question->expect < 0 ? (uint32_t) tensors_box_bytes(question) : (uint32_t) question->expect;
    uint32_t shift = question->shift, near = question->near, bytes = question->bytes;
    uint32_t mask = question->mask, blocks = question->blocks ? question->blocks : 1;
    int c[5], o[3];
    void *params[] = {param,   &out_at, &source_at, &elsewhere, &shift, &near,
                      &expect, &bytes,  &mask,      c,          o};
    struct {
        unsigned id, pad[1];
        unsigned value[16];
    } cluster = {.id = 4, .value = {blocks, 1, 1}};
    CUlaunchConfig config = {.gridDimX = blocks,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 128,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .sharedMemBytes = bytes,
                             .attrs = (CUlaunchAttribute *) (void *) &cluster,
                             .numAttrs = 1};
    size_t size;

    memcpy(c, question->coordinates, sizeof(c));
    memcpy(o, question->offsets, sizeof(o));
    memcpy(param + shift, map, TENSORS_MAP);
    if (!freed)
        CU(cuMemcpyHtoD_v2)(elsewhere + shift, map, TENSORS_MAP);
    if (CU(cuModuleGetGlobal_v2)(&fixed, &size, module, "fixed") == CUDA_SUCCESS)
        CU(cuMemcpyHtoD_v2)(fixed + shift, map, TENSORS_MAP);
    return CU(cuLaunchKernelEx)(&config, function, params, NULL);
}

static void dump_changes(FILE *dump)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < TENSORS_MEMORY / 4; i++)
        n += memory[i] != after[i];
    n = n < 512 ? n : 512;
    fwrite(&n, 4, 1, dump);
    for (uint32_t i = 0; i < TENSORS_MEMORY / 4 && n; i++) {
        if (memory[i] != after[i]) {
            fwrite(&i, 4, 1, dump);
            fwrite(&after[i], 4, 1, dump);
            n--;
        }
    }
}

static void tell_shared(const struct tensors_question *question, char *answer, FILE *dump)
{
    const uint32_t blocks = question->blocks ? question->blocks : 1, each = question->bytes + 16;
    uint32_t n = blocks * each;

    CU(cuMemcpyDtoH_v2)(out, out_at, n);
    answer += sprintf(answer, "0");
    for (uint32_t i = 0; i < blocks; i++)
        answer += sprintf(answer, " %d %016llx", out[i * each + question->bytes],
                          (unsigned long long) hash(out + i * each, question->bytes));
    if (dump) {
        n = n < 4096 ? n : 4096;
        fwrite(&n, 4, 1, dump);
        fwrite(out, 1, n, dump);
    }
}

/* The tensor's address is told as the question has it. */
static void print_relative(const struct tensors_question *question, unsigned char *map,
                           char *answer)
{
    uint64_t address;

    memcpy(&address, map, sizeof(address));
    if (address == memory_at + question->at)
        address = question->at;
    memcpy(map, &address, sizeof(address));
    tensors_print_map(map, answer);
}

static void tell(const struct tensors_question *question, char *answer, FILE *dump)
{
    unsigned char map[TENSORS_MAP];

    if (*question->edit) {
        CU(cuMemcpyDtoH_v2)(map, elsewhere_at + question->shift, sizeof(map));
        if (!strcmp(question->place, "shared"))
            CU(cuMemcpyDtoH_v2)(map, out_at, sizeof(map));
        answer += sprintf(answer, "0 ");
        print_relative(question, map, answer);
    } else if (!strcmp(question->what, "load")) {
        tell_shared(question, answer, dump);
    } else {
        CU(cuMemcpyDtoH_v2)(after, memory_at, sizeof(after));
        sprintf(answer, "0 %016llx", (unsigned long long) hash(after, sizeof(after)));
        if (dump)
            dump_changes(dump);
    }
}

bool tensors_run(const struct tensors_question *question, char *answer, FILE *dump)
{
    static char text[TEXT];
    unsigned char map[TENSORS_MAP];
    CUmodule module;
    CUfunction function;
    CUresult result = prepare();

    if (result == CUDA_SUCCESS)
        result = tensors_map(question, memory_at + question->at, map);
    sprintf(answer, "no map: %d", (int) result);
    if (result != CUDA_SUCCESS)
        return true;
    tensors_text(question, text, sizeof(text));
    result = load(text, &module, &function);
    sprintf(answer, "not loaded: %d", (int) result);
    if (result != CUDA_SUCCESS)
        return true;
    fill(question);
    if (*question->edit && !strcmp(question->place, "shared"))
        CU(cuMemcpyHtoD_v2)(source_at, map, sizeof(map));
    result = launch(question, module, function, map);
    sprintf(answer, "not launched: %d", (int) result);
    if (result != CUDA_SUCCESS)
        return true;
    result = CU(cuCtxSynchronize)();
    sprintf(answer, "fails: %d", (int) result);
    if (result != CUDA_SUCCESS)
        return false;
    tell(question, answer, dump);
    return true;
}
