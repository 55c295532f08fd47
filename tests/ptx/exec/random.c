/* SPDX-License-Identifier: MIT */
/*
 * Programs that are drawn from seeds, run by the interpreter and by the compiled tier alone, with
 * the checks of what a kernel does and without: memory, results and findings are compared, bit by
 * bit and word by word. A program that differs is made as short as it can be, and printed.
 *
 *   random [-n PROGRAMS] [-s SEED] [-m PROGRAMS] [-t SECONDS] [-o]
 *       -m: how many are in a module; -t: no module is begun after that time; -o: prints of each
 *       program what the interpreter did, as two numbers: without checks, and with. So two versions
 *       of the engine can be compared
 *   random -p SEED [-v]
 *       one program, by the seed that was printed; -v: its text
 *
 * Exit status: 0 none differs, 1 some do, 77 nothing was compiled.
 */
#include "random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mock/ptx/link/read.h"
#include "mock/ptx/lower/program.h"
#include "mock/ptx/racecheck/racecheck.h"
#include "mock/ptx/run/run.h"

enum { CAPABILITY = 100, RANGES = 5, MOST_OF_MODULE = 64, FINDINGS = 1 << 14, TRIES = 4 };

static const size_t sizes[RANGES] = {RANDOM_DATA, RANDOM_THREADS *RANDOM_OUT,
                                     RANDOM_THREADS *RANDOM_SCRATCH, RANDOM_THREADS *RANDOM_ROOM,
                                     RANDOM_COUNTERS};

/* What a launch did. */
struct outcome {
    int result;
    unsigned char *memory[RANGES];
    uint64_t noted; /* which bytes it has read and written, mixed */
    char findings[FINDINGS];
    size_t length;
};

/* A module, read and lowered. */
struct lowered {
    struct ptx__module module;
    struct ptx__log log;
    struct ptx__program *program;
};

static unsigned long n_compiled, n_faults, n_found;
static bool outcomes_said;

static void stop(const char *what)
{
    fprintf(stderr, "random: %s\n", what);
    exit(1);
}

/* --- memory --- */

static uint64_t begin_of(unsigned range)
{
    return UINT64_C(0x100000) * (range + 1);
}

/* Numbers at the edges, small ones, and any. */
static uint32_t drawn_word(uint64_t drawn)
{
    static const uint32_t edges[] = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff,
                                     0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
                                     0x7f800001, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff,
                                     0x3c003c00, 0x7c017bff, 0x40490fdb, 0x7ff00000, 0xfff80000,
                                     0x3ff00000, 0x41dfffff, 0x4f000000, 0xcf000000};

    switch (drawn >> 60 & 7) {
    case 0:
    case 1:
        return edges[(drawn >> 32) % (sizeof(edges) / sizeof(edges[0]))];
    case 2:
        return (uint32_t) (drawn & 63);
    case 3:
        return (uint32_t) (0x3f000000 + (drawn & 0x81ffffff));
    default:
        return (uint32_t) drawn;
    }
}

static void begin_memory(const struct random_program *program, struct outcome *outcome)
{
    uint64_t state = program->seed;

    outcome->length = 0;
    outcome->noted = 0;
    outcome->findings[0] = '\0';
    for (unsigned r = 0; r < RANGES; r++) {
        if (!outcome->memory[r] && !(outcome->memory[r] = malloc(sizes[r])))
            stop("no memory");
        for (size_t i = 0; i < sizes[r]; i += 4) {
            const uint32_t word = drawn_word(state = random_mixed(state));

            memcpy(outcome->memory[r] + i, &word, sizeof(word));
        }
    }
}

/* --- running --- */

static void find(void *user, enum ptx__finding_kind kind, bool ends, uint64_t address, size_t bytes,
                 const char *text)
{
    struct outcome *outcome = user;

    if (outcome->length < FINDINGS - 512)
        outcome->length += (size_t) snprintf(outcome->findings + outcome->length, 512,
                                             "%d %d 0x%" PRIx64 " %zu %.400s\n", (int) kind, ends,
                                             address, bytes, text);
}

static void lower(const char *text, struct lowered *lowered)
{
    const char *texts[1] = {text};
    const size_t length = strlen(text);

    *lowered = (struct lowered){.program = NULL};
    if (!ptx__read(texts, &length, 1, CAPABILITY, &lowered->module, &lowered->log) &&
        !ptx__lower(&lowered->module, &lowered->log, &lowered->program))
        return;
    for (uint32_t i = 0; i < lowered->log.n_messages; i++)
        fprintf(stderr, "line %u: %s\n", lowered->log.messages[i].place.line,
                lowered->log.messages[i].text);
    stop("a module is refused");
}

static void finish(struct lowered *lowered)
{
    ptx__program_free(lowered->program);
    ptx__finish(&lowered->module);
    ptx__log_finish(&lowered->log);
}

static void put_parameters(const struct ptx__function *function, unsigned char *params)
{
    const uint32_t n = 7;

    for (unsigned i = 0; i < RANGES; i++) {
        const uint64_t address = begin_of(i);

        memcpy(params + function->parameters[i].offset, &address, sizeof(address));
    }
    memcpy(params + function->parameters[RANGES].offset, &n, sizeof(n));
}

/* The bytes of a range that were written before: all, or some. */
static const uint8_t *written_before(const struct random_program *program)
{
    static uint8_t some[RANDOM_THREADS * RANDOM_OUT / 8];
    uint64_t state = program->seed;

    if (!program->fresh)
        return NULL;
    for (size_t i = 0; i < sizeof(some); i++)
        some[i] = random_mixed(state++) % 64 ? 0xff : 0x0f;
    return some;
}

static uint64_t mixed_notes(uint64_t state, const struct ptx__range *range)
{
    for (size_t i = 0; range->lines && i < range->size / PTX__LINE_BYTES; i++) {
        state = random_mixed(state ^ ptx__line_used(range, i, PTX__LOADS));
        state = random_mixed(state ^ ptx__line_used(range, i, PTX__STORES));
    }
    return state;
}

static void run(const struct random_program *program, const struct lowered *lowered,
                const char *name, bool checked, struct outcome *outcome)
{
    const struct ptx__code *code = ptx__program_find(lowered->program, name);
    struct ptx__range ranges[RANGES] = {{.begin = 0}};
    unsigned char params[256] = {0};
    struct ptx__launch launch = {.program = lowered->program,
                                 .code = code,
                                 .name = name,
                                 .grid = {program->grid, 1, 1},
                                 .block = {program->block[0], program->block[1], program->block[2]},
                                 .cluster = {1, 1, 1},
                                 .params = params,
                                 .ranges = ranges,
                                 .n_ranges = RANGES,
                                 .n_workers = 1,
                                 .check_shared = checked,
                                 .check_blocks = checked,
                                 .step_limit = 100000,
                                 .stack_limit = 1024,
                                 .local_limit = 20000,
                                 .n_multiprocessors = 2,
                                 .find = find,
                                 .user = outcome};

    if (!code)
        stop("no such kernel");
    for (uint32_t i = 0; i < lowered->module.n_functions; i++)
        if (&lowered->program->codes[i] == code) {
            put_parameters(&lowered->module.functions[i], params);
            launch.param_bytes = lowered->module.functions[i].usage.parameter_bytes;
        }
    begin_memory(program, outcome);
    for (unsigned r = 0; r < RANGES; r++)
        ranges[r] = (struct ptx__range){.begin = begin_of(r),
                                        .size = sizes[r],
                                        .host = outcome->memory[r],
                                        .usable = true,
                                        .written = written_before(program),
                                        .shadowed = checked,
                                        .check_blocks = checked};
    outcome->result = (int) ptx__run(&launch);
    for (unsigned r = 0; r < RANGES; r++) {
        outcome->noted = mixed_notes(outcome->noted, &ranges[r]);
        ptx__racecheck_range_free(&ranges[r]);
    }
}

/* Compiled code stands in the place of handlers. */
static bool was_compiled(const struct lowered *interpreted, const struct lowered *compiled,
                         const char *name)
{
    const struct ptx__code *a = ptx__program_find(interpreted->program, name);
    const struct ptx__code *b = ptx__program_find(compiled->program, name);

    for (size_t i = 0; i < a->n_ops; i++)
        if (a->ops[i].run != b->ops[i].run)
            return true;
    return false;
}

/* --- comparing --- */

static void say_word(unsigned range, size_t at, uint32_t interpreted, uint32_t compiled)
{
    if (range == 1)
        printf("thread %zu, what it leaves at %zu", at / RANDOM_OUT, at % RANDOM_OUT);
    else
        printf("range %u at %zu", range, at);
    printf(": %08x interpreted, %08x compiled\n", interpreted, compiled);
}

/* How many words differ; the first ones are printed, if any are to be. */
static unsigned different_words(const struct outcome *a, const struct outcome *b,
                                unsigned most_said)
{
    unsigned n = 0;

    for (unsigned r = 0; r < RANGES; r++)
        for (size_t i = 0; i < sizes[r]; i += 4) {
            uint32_t x, y;

            memcpy(&x, a->memory[r] + i, sizeof(x));
            memcpy(&y, b->memory[r] + i, sizeof(y));
            if (x != y && n++ < most_said)
                say_word(r, i, x, y);
        }
    return n;
}

static bool same(const struct outcome *a, const struct outcome *b, bool say)
{
    const bool ends =
        a->result == b->result && !strcmp(a->findings, b->findings) && a->noted == b->noted;
    const unsigned n = different_words(a, b, say ? 8 : 0);

    if (say && !ends)
        printf("interpreted: %d, noted %016" PRIx64 "\n%scompiled: %d, noted %016" PRIx64 "\n%s",
               a->result, a->noted, a->findings, b->result, b->noted, b->findings);
    if (say && n)
        printf("%u words differ\n", n);
    return ends && !n;
}

/* What the interpreter did with the last program, without checks and with. */
static struct outcome expected[2];

static uint64_t mixed_outcome(const struct outcome *outcome)
{
    uint64_t state = random_mixed(outcome->noted ^ (uint64_t) outcome->result);

    for (unsigned r = 0; r < RANGES; r++)
        for (size_t i = 0; i < sizes[r]; i++)
            state = random_mixed(state ^ outcome->memory[r][i]);
    for (const char *at = outcome->findings; *at; at++)
        state = random_mixed(state ^ (unsigned char) *at);
    return state;
}

static void say_outcomes(const struct random_program *program)
{
    printf("%016" PRIx64 " %016" PRIx64 " %016" PRIx64 "\n", program->seed,
           mixed_outcome(&expected[0]), mixed_outcome(&expected[1]));
}

/* In turn with checks and without. */
static bool agrees(const struct random_program *program, const struct lowered *interpreted,
                   const struct lowered *compiled, const char *name, bool say)
{
    static struct outcome actual;
    bool equal = true;

    for (unsigned checked = 0; checked < 2; checked++) {
        setenv("CUSHIM_MOCK_PTX_COMPILE", "0", 1);
        run(program, interpreted, name, checked, &expected[checked]);
        setenv("CUSHIM_MOCK_PTX_COMPILE", "always", 1);
        run(program, compiled, name, checked, &actual);
        if (same(&expected[checked], &actual, false))
            continue;
        equal = false;
        if (say)
            printf("%s checks:\n", checked ? "with" : "without");
        if (say)
            same(&expected[checked], &actual, true);
    }
    return equal;
}

/* A module of its own; *text is the caller's to free. */
static bool agrees_alone(struct random_program *program, bool say, char **ret_text)
{
    char *text = malloc(2 * RANDOM_TEXT);
    struct lowered lowered[2];
    bool equal;

    if (!text)
        stop("no memory");
    random_head(text);
    random_write(program, "k", text + strlen(text));
    lower(text, &lowered[0]);
    lower(text, &lowered[1]);
    equal = agrees(program, &lowered[0], &lowered[1], "k", say);
    finish(&lowered[0]);
    finish(&lowered[1]);
    if (ret_text)
        *ret_text = text;
    else
        free(text);
    return equal;
}

/* --- a program that differs --- */

static bool differs(struct random_program *program)
{
    return !agrees_alone(program, false, NULL);
}

static void report(struct random_program program)
{
    char *text;

    printf("random: %016" PRIx64 " differs: grid %u, block %ux%u\n", program.seed, program.grid,
           program.block[0], program.block[1]);
    random_shrink(&program, differs);
    agrees_alone(&program, true, &text);
    puts(strstr(text, ".visible"));
    fflush(stdout);
    free(text);
}

/* --- many --- */

/* Returns how many differ. All blocks have one shape, for which the functions are compiled. */
static unsigned run_module(uint64_t seed, unsigned n)
{
    static struct random_program programs[MOST_OF_MODULE];
    char *text = malloc((size_t) RANDOM_TEXT * (n + 1)), *at = text;
    struct lowered lowered[2];
    unsigned differ = 0;

    if (!text)
        stop("no memory");
    random_head(at);
    at += strlen(at);
    for (unsigned i = 0; i < n; i++) {
        char name[16];

        programs[i] = random_program(random_of_shape(random_mixed(seed + i), random_mixed(seed)));
        snprintf(name, sizeof(name), "k%u", i);
        random_write(&programs[i], name, at);
        at += strlen(at);
    }
    lower(text, &lowered[0]);
    lower(text, &lowered[1]);
    free(text);
    for (unsigned i = 0; i < n; i++) {
        char name[16];

        snprintf(name, sizeof(name), "k%u", i);
        if (!agrees(&programs[i], &lowered[0], &lowered[1], name, false)) {
            differ++;
            report(programs[i]);
        }
        if (outcomes_said)
            say_outcomes(&programs[i]);
        n_compiled += was_compiled(&lowered[0], &lowered[1], name);
        n_faults += expected[1].result != 0;
        n_found += expected[1].length != 0;
    }
    finish(&lowered[0]);
    finish(&lowered[1]);
    return differ;
}

static int run_many(uint64_t seed, unsigned long most, unsigned of_module, time_t seconds)
{
    const time_t end = time(NULL) + seconds;
    unsigned long differ = 0, n = 0;

    while (n < most && (!seconds || time(NULL) < end)) {
        const unsigned left = most - n < of_module ? (unsigned) (most - n) : of_module;

        differ += run_module(random_mixed(seed) + n, left);
        n += left;
        if (isatty(2))
            fprintf(stderr, "\r%lu ", n);
    }
    printf("seed %" PRIu64
           ": %lu programs, %lu compiled, %lu end with an error, %lu have findings, "
           "%lu differ\n",
           seed, n, n_compiled, n_faults, n_found, differ);
    return differ ? 1 : n_compiled ? 0 : 77;
}

static int run_one(uint64_t seed, bool show)
{
    struct random_program program = random_program(seed);
    char *text;
    const bool equal = agrees_alone(&program, true, &text);

    if (show)
        puts(text);
    free(text);
    if (!equal)
        report(program);
    return !equal;
}

int main(int argc, char **argv)
{
    unsigned long n = 200, of_module = 48;
    uint64_t seed = 1, one = 0;
    time_t seconds = 0;
    bool show = false;
    int option;

    while ((option = getopt(argc, argv, "n:s:m:t:op:v")) != -1) {
        if (option == 'n')
            n = strtoul(optarg, NULL, 10);
        else if (option == 's')
            seed = strtoull(optarg, NULL, 0);
        else if (option == 'm')
            of_module = strtoul(optarg, NULL, 10);
        else if (option == 't')
            seconds = strtol(optarg, NULL, 10);
        else if (option == 'p')
            one = strtoull(optarg, NULL, 16);
        else if (option == 'o')
            outcomes_said = true;
        else if (option == 'v')
            show = true;
        else
            return 2;
    }
    if (of_module < 1 || of_module > MOST_OF_MODULE)
        return 2;
    random_find_forms();
    return one ? run_one(one, show) : run_many(seed, n, (unsigned) of_module, seconds);
}
