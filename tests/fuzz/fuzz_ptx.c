/* SPDX-License-Identifier: MIT */
/*
 * What libFuzzer calls with its inputs: PTX texts, or fat binaries. A form feed in a text parts
 * it into several that are linked. What can be read is lowered, and what can be lowered is run,
 * for a while: whatever it does, it ends with a result.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/container/fatbin.h"
#include "mock/ptx/link/read.h"
#include "mock/ptx/lower/program.h"
#include "mock/ptx/racecheck/racecheck.h"
#include "mock/ptx/run/run.h"

#define CAPABILITY 120
#define MOST_TEXTS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

/* --- running --- */

enum {
    BYTES = 4096,                  /* that parameters point to */
    MOST_VARIABLE_BYTES = 1 << 16, /* of all variables of a module that is run */
    MOST_SHARED_BYTES = 1 << 16,
    MOST_PARAM_BYTES = 8192,
    MOST_TEXT_BYTES = 1 << 20,
};

static const uint64_t begin_of_bytes = 0x10000, begin_of_variables = 0x100000;

/* Gives the variables addresses. The bytes that they take; 0 if they are too many to be run. */
static size_t place_variables(struct ptx__module *module)
{
    size_t at = 16;

    for (uint32_t i = 0; i < module->n_variables; i++) {
        struct ptx__variable *variable = &module->variables[i];
        const size_t alignment = variable->alignment ? variable->alignment : 1;

        if (variable->bytes > MOST_VARIABLE_BYTES || alignment > MOST_VARIABLE_BYTES)
            return 0;
        at = (at + alignment - 1) / alignment * alignment;
        variable->address = begin_of_variables + at;
        at += variable->bytes;
        if (at > MOST_VARIABLE_BYTES)
            return 0;
    }
    return at;
}

static void find(void *user, enum ptx__finding_kind kind, bool ends, uint64_t address, size_t bytes,
                 const char *text)
{
    (void) user, (void) kind, (void) ends, (void) address, (void) bytes;
    require(text && *text, "a finding without a text");
}

static void print(void *user, bool error, const char *text, size_t length)
{
    (void) user, (void) error, (void) text, (void) length;
}

static struct ptx__range range_of(uint64_t begin, size_t size, unsigned char *host)
{
    return (struct ptx__range){.begin = begin,
                               .size = size,
                               .host = host,
                               .usable = true,
                               .shadowed = true,
                               .check_blocks = true};
}

/* Addresses in those of 8 bytes, and a small number in the others: so loops over one end soon. */
static void fill_params(const struct ptx__function *function, unsigned char *params)
{
    static const uint64_t number = 40;

    for (uint32_t i = 0; i < function->n_parameters; i++) {
        const struct ptx__parameter *parameter = &function->parameters[i];
        const size_t end = parameter->offset + parameter->bytes;

        if (end <= MOST_PARAM_BYTES && parameter->bytes == 8)
            memcpy(params + parameter->offset, &begin_of_bytes, 8);
        else if (end <= MOST_PARAM_BYTES)
            memcpy(params + parameter->offset, &number,
                   parameter->bytes < 8 ? parameter->bytes : 8);
    }
}

static void run_kernel(const struct ptx__program *program, const struct ptx__function *function,
                       const struct ptx__code *code, struct ptx__range *ranges)
{
    const unsigned threads = code->required[0] == 128 ? 128 : 40; /* of a warpgroup, or some */
    uint64_t params[MOST_PARAM_BYTES / 8] = {0};
    struct ptx__launch launch = {.program = program,
                                 .code = code,
                                 .name = code->name,
                                 .grid = {2, 1, 1},
                                 .block = {threads, 1, 1},
                                 .cluster = {1, 1, 1},
                                 .shared_bytes = 256,
                                 .params = (const unsigned char *) params,
                                 .param_bytes = function->usage.parameter_bytes,
                                 .ranges = ranges,
                                 .n_ranges = 2,
                                 .n_workers = 1,
                                 .check_shared = true,
                                 .check_blocks = true,
                                 .step_limit = 1000,
                                 .stack_limit = 1024,
                                 .local_limit = 16 << 10,
                                 .n_multiprocessors = 2,
                                 .find = find,
                                 .print = print};

    if (code->shared_bytes > MOST_SHARED_BYTES || launch.param_bytes > sizeof(params))
        return;
    fill_params(function, (unsigned char *) params);
    (void) ptx__run(&launch);
}

static void run_all(const struct ptx__module *module, const struct ptx__program *program,
                    size_t variable_bytes)
{
    unsigned char *bytes = calloc(1, BYTES), *variables = calloc(1, variable_bytes);
    struct ptx__range ranges[2] = {range_of(begin_of_bytes, BYTES, bytes),
                                   range_of(begin_of_variables, variable_bytes, variables)};

    for (uint32_t i = 0; bytes && variables && i < module->n_functions; i++) {
        if (module->functions[i].is_kernel && program->codes[i].ops)
            run_kernel(program, &module->functions[i], &program->codes[i], ranges);
    }
    for (unsigned i = 0; i < 2; i++)
        ptx__racecheck_range_free(&ranges[i]);
    free(bytes);
    free(variables);
}

/* --- reading --- */

static void lower(struct ptx__module *module, struct ptx__log *log)
{
    const size_t variable_bytes = place_variables(module);
    struct ptx__program *program = NULL;
    const enum ptx__status status = ptx__lower(module, log, &program);

    require(status == PTX_OK || status == PTX_REFUSED, "lowered in some other way");
    require((status == PTX_OK) == !log->n_errors, "refused without a reason, or taken with one");
    if (status == PTX_OK && variable_bytes)
        run_all(module, program, variable_bytes);
    ptx__program_free(program);
}

static void read_texts(const char *text, size_t size)
{
    const char *texts[MOST_TEXTS];
    size_t lengths[MOST_TEXTS], n = 0;
    struct ptx__module module;
    struct ptx__log log = {.messages = NULL};
    enum ptx__status status;

    for (const char *end = text + size; text <= end && n < MOST_TEXTS; n++) {
        const char *part = memchr(text, '\f', (size_t) (end - text));

        texts[n] = text;
        lengths[n] = (size_t) ((part ? part : end) - text);
        text = (part ? part : end) + 1;
    }
    status = ptx__read(texts, lengths, n, CAPABILITY, &module, &log);
    require(status != PTX_INVALID || log.n_messages, "a text is refused without a reason");
    require(status != PTX_OK || !log.n_errors, "a text is taken with an error");
    if (status == PTX_OK)
        lower(&module, &log);
    ptx__finish(&module);
    ptx__log_finish(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* In memory of its own, so that a read past the end is seen. */
    char *copy = malloc(size ? size : 1), *text = NULL;

    if (!copy)
        return 0;
    memcpy(copy, data, size);
    if (size >= 4 && !memcmp(copy, "\x50\xed\x55\xba", 4)) {
        if (ptx__fatbin_text(copy, size, CAPABILITY, MOST_TEXT_BYTES, &text) == PTX_OK)
            read_texts(text, strlen(text));
        free(text);
    } else {
        read_texts(copy, size);
    }
    free(copy);
    return 0;
}
