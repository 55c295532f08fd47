/* SPDX-License-Identifier: MIT */
/*
 * What libFuzzer calls with its inputs, from which texts are drawn: kernels that use memory at
 * hostile addresses. Each runs with checks and without, over ranges that lie in memory of their
 * own size, and nothing outside of them may be touched, which the address sanitizer sees.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_kernels.h"
#include "mock/ptx/link/read.h"
#include "mock/ptx/lower/program.h"
#include "mock/ptx/machine/heap.h"
#include "mock/ptx/racecheck/racecheck.h"
#include "mock/ptx/run/run.h"

#define CAPABILITY 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    TEXT_BYTES = 1 << 16,
    MOST_TRIES = 12,
    BYTES = 4096, /* that parameters point to */
    HEAP = 2048,  /* for malloc() */
    OTHER = 64,   /* of another device */
    RANGES = 4,
    PARAMETERS = 128,
};

static const uint64_t begin_of_bytes = 0x10000, begin_of_heap = 0x20000, begin_of_other = 0x30000,
                      begin_of_variables = 0x100000;

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

/* --- memory --- */

struct memory {
    struct ptx__range ranges[RANGES];
    struct ptx__heap *heap;
};

static void add_range(struct memory *memory, unsigned number, uint64_t begin, size_t size)
{
    memory->ranges[number] = (struct ptx__range){.begin = begin,
                                                 .size = size,
                                                 .host = calloc(1, size),
                                                 .usable = begin != begin_of_other,
                                                 .shadowed = true,
                                                 .check_blocks = true};
    require(memory->ranges[number].host, "no memory");
}

static void memory_make(struct memory *memory, size_t variable_bytes)
{
    add_range(memory, 0, begin_of_bytes, BYTES);
    add_range(memory, 1, begin_of_heap, HEAP);
    add_range(memory, 2, begin_of_other, OTHER);
    add_range(memory, 3, begin_of_variables, variable_bytes);
    memory->heap = ptx__heap_new(begin_of_heap, HEAP);
}

/* What was noted of a launch. */
static void memory_forget(struct memory *memory)
{
    for (unsigned i = 0; i < RANGES; i++)
        ptx__racecheck_range_free(&memory->ranges[i]);
}

static void memory_free(struct memory *memory)
{
    for (unsigned i = 0; i < RANGES; i++)
        free(memory->ranges[i].host);
    ptx__heap_free(memory->heap);
}

/* Gives the variables addresses; the bytes that they take. */
static size_t place_variables(struct ptx__module *module)
{
    size_t at = 0;

    for (uint32_t i = 0; i < module->n_variables; i++) {
        struct ptx__variable *variable = &module->variables[i];

        at = (at + variable->alignment - 1) / variable->alignment * variable->alignment;
        variable->address = begin_of_variables + at;
        at += variable->bytes;
    }
    return at ? at : 1;
}

/* --- running --- */

static void find(void *user, enum ptx__finding_kind kind, bool ends, uint64_t address, size_t bytes,
                 const char *text)
{
    (void) user, (void) kind, (void) ends, (void) address, (void) bytes;
    require(text && *text, "a finding without a text");
    if (getenv("FUZZ_SHOW"))
        fprintf(stderr, "%s\n", text);
}

static void print(void *user, bool error, const char *text, size_t length)
{
    uint8_t sum = 0;

    (void) user, (void) error;
    for (size_t i = 0; i < length; i++)
        sum ^= (uint8_t) text[i];
    require(sum || true, "never");
}

/* Planes of elements of several sizes; the last one says that it is larger than its memory. */
static bool image(void *user, uint64_t handle, struct ptx__image *ret_image)
{
    static const struct {
        uint8_t kind, bytes, channels;
        bool surface, buffer, linear;
        uint32_t width, height, depth;
    } images[MEMORY_KERNELS_IMAGES] = {
        {PTX__TEXEL_UNSIGNED, 4, 1, true, false, false, 8, 8, 1},
        {PTX__TEXEL_FLOAT, 2, 4, true, false, false, 4, 4, 4},
        {PTX__TEXEL_UNORM, 1, 4, false, false, true, 8, 8, 6},
        {PTX__TEXEL_FLOAT, 4, 4, false, false, true, 4, 4, 12},
        {PTX__TEXEL_SIGNED, 4, 1, false, true, false, 1024, 1, 1},
        {PTX__TEXEL_UNSIGNED, 4, 2, true, false, false, 4096, 4096, 64},
    };
    const uint64_t i = handle - 1;

    (void) user;
    if (i >= MEMORY_KERNELS_IMAGES)
        return false;
    ret_image->is_surface = images[i].surface;
    ret_image->is_buffer = images[i].buffer;
    ret_image->kind = images[i].kind;
    ret_image->bytes = images[i].bytes;
    ret_image->channels = images[i].channels;
    ret_image->dimensions = images[i].buffer ? 1 : 2;
    ret_image->n_levels = 1;
    ret_image->levels[0] = (struct ptx__image_level){
        begin_of_bytes, (uint64_t) images[i].width * images[i].bytes * images[i].channels,
        images[i].width, images[i].height, images[i].depth};
    ret_image->sampler.linear = images[i].linear;
    ret_image->sampler.normalised = images[i].linear;
    return true;
}

static void run_kernel(const struct ptx__program *program, const struct ptx__code *code,
                       const struct ptx__function *function, struct memory *memory,
                       unsigned variant)
{
    const size_t n = function->usage.parameter_bytes;
    unsigned char *params = calloc(1, n);
    struct ptx__launch launch = {.program = program,
                                 .code = code,
                                 .name = code->name,
                                 .grid = {2, 1, 1},
                                 .block = {variant & 1 ? 33 : 64, 1, 1},
                                 .cluster = {variant & 2 ? 2 : 1, 1, 1},
                                 .shared_bytes = variant & 4 ? 40 : 0,
                                 .params = params,
                                 .param_bytes = n,
                                 .ranges = memory->ranges,
                                 .n_ranges = RANGES,
                                 .n_workers = 1,
                                 .check_shared = variant & 8,
                                 .check_blocks = variant & 8,
                                 .step_limit = 1000,
                                 .stack_limit = variant & 1 ? 1024 : 0,
                                 .local_limit = 20000,
                                 .n_multiprocessors = 2,
                                 .heap = memory->heap,
                                 .image = image,
                                 .find = find,
                                 .print = print};
    int result;

    require(params, "no memory");
    memcpy(params + function->parameters[1].offset, &begin_of_bytes, sizeof(begin_of_bytes));
    result = ptx__run(&launch);
    if (getenv("FUZZ_SHOW"))
        fprintf(stderr, "%s ends with %d\n", code->name, result);
    memory_forget(memory);
    free(params);
}

/* Every kernel, with checks and without. */
static void run_all(const struct ptx__module *module, const struct ptx__program *program,
                    size_t variable_bytes, unsigned variant)
{
    for (unsigned checks = 0; checks < 16; checks += 8) {
        struct memory memory;

        memory_make(&memory, variable_bytes);
        for (unsigned i = 0; !checks && i < RANGES; i++)
            memory.ranges[i].shadowed = memory.ranges[i].check_blocks = false;
        for (uint32_t i = 0; i < module->n_functions; i++) {
            if (module->functions[i].is_kernel)
                run_kernel(program, &program->codes[i], &module->functions[i], &memory,
                           (variant & 7) | checks);
        }
        memory_free(&memory);
    }
}

/* --- reading --- */

/* Words of the table that do not go together are refused; what has them is taken out. */
static bool blank_refused(char *text, const struct ptx__log *log)
{
    bool any = false;

    for (uint32_t i = 0; i < log->n_messages; i++) {
        char *line = text;

        for (uint32_t n = log->messages[i].place.line; n > 1 && line; n--) {
            line = strchr(line, '\n');
            line += line ? 1 : 0;
        }
        for (; line && *line && *line != '\n'; line++) {
            any |= *line != ' ';
            *line = ' ';
        }
    }
    return any;
}

/* True: it is read and lowered, or nothing can be done about it. */
static bool attempt(char *text, unsigned variant)
{
    const char *texts[1] = {text};
    const size_t length = strlen(text);
    struct ptx__module module;
    struct ptx__program *program = NULL;
    struct ptx__log log = {.messages = NULL};
    enum ptx__status status = ptx__read(texts, &length, 1, CAPABILITY, &module, &log);
    bool done = true;

    if (status == PTX_OK) {
        const size_t variable_bytes = place_variables(&module);

        status = ptx__lower(&module, &log, &program);
        if (status == PTX_OK)
            run_all(&module, program, variable_bytes, variant);
    }
    if (status == PTX_INVALID || status == PTX_REFUSED)
        done = !blank_refused(text, &log);
    if (getenv("FUZZ_SHOW"))
        for (uint32_t i = 0; i < log.n_messages; i++)
            fprintf(stderr, "%u: %s\n", log.messages[i].place.line, log.messages[i].text);
    ptx__program_free(program);
    ptx__finish(&module);
    ptx__log_finish(&log);
    return done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct choices choices = {data, size};
    char *text = malloc(TEXT_BYTES);
    const unsigned variant = choose(&choices, 8);

    require(text, "no memory");
    memory_kernels(&choices, text, TEXT_BYTES);
    if (getenv("FUZZ_SHOW"))
        fputs(text, stderr);
    for (unsigned i = 0; i < MOST_TRIES && !attempt(text, variant); i++)
        ;
    free(text);
    return 0;
}
