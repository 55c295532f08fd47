/* SPDX-License-Identifier: MIT */
/*
 * Programs that are drawn from seeds, run by the interpreter and by the compiled tier alone, with
 * the checks of what a kernel does and without: memory, results and findings are compared, bit by
 * bit and word by word. A program that differs is made as short as it can be, and printed.
 *
 *   random [-n PROGRAMS] [-s SEED] [-m PROGRAMS] [-t SECONDS] [-o] [-b]
 *       -m: how many are in a module; -t: no module is begun after that time; -o: prints of each
 *       program what the interpreter did, as two numbers: without checks, and with. So two versions
 *       of the engine can be compared
 *   random -p SEED [-v] [-b]
 *       one program, by the seed that was printed; -v: its text
 *
 * -b: the kernels are those of random_blocks.c: of more blocks, whose warps part
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
#include "random_outcome.h"

enum { CAPABILITY = 100, MOST_OF_MODULE = 64, TURNS = 4 };

/* A module, read and lowered. */
struct lowered {
    struct ptx__module module;
    struct ptx__log log;
    struct ptx__program *program;
};

static unsigned long n_compiled, n_faults, n_found;
static bool outcomes_said, blocks;

void random_stop(const char *what)
{
    fprintf(stderr, "random: %s\n", what);
    exit(1);
}

/* --- running --- */

static const char *line_of(const char *text, uint32_t line)
{
    while (text && line-- > 1)
        text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
    return text ? text : "";
}

static void lower(const char *text, struct lowered *lowered)
{
    const char *texts[1] = {text};
    const size_t length = strlen(text);

    *lowered = (struct lowered){.program = NULL};
    if (!ptx__read(texts, &length, 1, CAPABILITY, &lowered->module, &lowered->log) &&
        !ptx__lower(&lowered->module, &lowered->log, &lowered->program))
        return;
    for (uint32_t i = 0; i < lowered->log.n_messages; i++) {
        const uint32_t number = lowered->log.messages[i].place.line;
        const char *line = line_of(text, number);

        fprintf(stderr, "line %u: %s: %.*s\n", number, lowered->log.messages[i].text,
                (int) strcspn(line, "\n"), line);
    }
    random_stop("a module is refused");
}

static void finish(struct lowered *lowered)
{
    ptx__program_free(lowered->program);
    ptx__finish(&lowered->module);
    ptx__log_finish(&lowered->log);
}

static void put_parameters(const struct random_program *program,
                           const struct ptx__function *function, unsigned char *params)
{
    const uint32_t n = program->number;

    for (unsigned i = 0; i < RANDOM_RANGES; i++) {
        const uint64_t address = random_begin_of(program, i);

        memcpy(params + function->parameters[i].offset, &address, sizeof(address));
    }
    memcpy(params + function->parameters[RANDOM_RANGES].offset, &n, sizeof(n));
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
                const char *name, bool checked, unsigned workers, struct random_outcome *outcome)
{
    const struct ptx__code *code = ptx__program_find(lowered->program, name);
    struct ptx__range ranges[RANDOM_RANGES] = {{.begin = 0}};
    unsigned char params[256] = {0};
    struct ptx__launch launch = {
        .program = lowered->program,
        .code = code,
        .name = name,
        .grid = {program->grid[0], program->grid[1], program->grid[2]},
        .block = {program->block[0], program->block[1], program->block[2]},
        .cluster = {program->cluster[0], program->cluster[1], program->cluster[2]},
        .clustered = program->blocks,
        .shared_bytes = program->dynamic,
        .seed = program->order,
        .params = params,
        .ranges = ranges,
        .n_ranges = RANDOM_RANGES,
        .n_workers = workers,
        .check_shared = checked,
        .check_blocks = checked,
        .step_limit = program->step_limit,
        .stack_limit = 1024,
        .local_limit = 20000,
        .n_multiprocessors = 2,
        .find = random_find,
        .user = outcome};

    if (!code)
        random_stop("no such kernel");
    for (uint32_t i = 0; i < lowered->module.n_functions; i++)
        if (&lowered->program->codes[i] == code) {
            put_parameters(program, &lowered->module.functions[i], params);
            launch.param_bytes = lowered->module.functions[i].usage.parameter_bytes;
        }
    random_begin(program, outcome);
    for (unsigned r = 0; r < RANDOM_RANGES; r++)
        ranges[r] = (struct ptx__range){.begin = random_begin_of(program, r),
                                        .size = random_sizes[r],
                                        .host = outcome->memory[r],
                                        .usable = true,
                                        .read_only = program->read_only && !r,
                                        .written = written_before(program),
                                        .shadowed = checked,
                                        .check_blocks = checked};
    outcome->result = (int) ptx__run(&launch);
    for (unsigned r = 0; r < RANDOM_RANGES; r++) {
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

/* What the interpreter did with the last program, without checks and with. */
static struct random_outcome expected[2];

static void say_outcomes(const struct random_program *program)
{
    printf("%016" PRIx64 " %016" PRIx64 " %016" PRIx64 "\n", program->seed,
           random_mixed_outcome(&expected[0]), random_mixed_outcome(&expected[1]));
}

/* A launch by both. */
static bool agrees_so(const struct random_program *program, const struct lowered *compiled,
                      const char *name, bool checked, unsigned workers, bool say)
{
    static struct random_outcome actual;

    setenv("CUSHIM_MOCK_PTX_COMPILE", "always", 1);
    run(program, compiled, name, checked, workers, &actual);
    if (random_same(&expected[checked], &actual, false))
        return true;
    if (say) {
        printf("%s checks, %u workers, grid %ux%ux%u, order %" PRIu64 ":\n",
               checked ? "with" : "without", workers, program->grid[0], program->grid[1],
               program->grid[2], program->order);
        random_same(&expected[checked], &actual, true);
    }
    return false;
}

/*
 * Whether the order of blocks does not show: nothing was found, and atomic operations say nothing
 * of it.
 */
static bool has_no_order(const struct random_program *program)
{
    return program->blocks && program->adds && !program->wrong && !expected[1].result &&
           !expected[1].length;
}

/* In turn without checks and with; then, where that does the same, by several workers. */
static bool agrees_turned(const struct random_program *program, const struct lowered *interpreted,
                          const struct lowered *compiled, const char *name, bool say)
{
    bool equal = true;

    for (unsigned checked = 0; checked < 2; checked++) {
        setenv("CUSHIM_MOCK_PTX_COMPILE", "0", 1);
        run(program, interpreted, name, checked, 1, &expected[checked]);
        equal &= agrees_so(program, compiled, name, checked, 1, say);
    }
    for (unsigned checked = 0; checked < 2 && has_no_order(program); checked++)
        equal &= agrees_so(program, compiled, name, checked, 3, say);
    return equal;
}

/* Other launches of it, and then itself. */
static bool agrees(const struct random_program *program, const struct lowered *interpreted,
                   const struct lowered *compiled, const char *name, bool say)
{
    bool equal = true;

    for (unsigned turn = program->blocks ? TURNS : 1; turn--;) {
        const struct random_program turned = random_turned(program, turn);

        equal &= agrees_turned(&turned, interpreted, compiled, name, say);
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
        random_stop("no memory");
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

    printf("random: %016" PRIx64
           " differs: grid %ux%ux%u, block %ux%ux%u, cluster %u, order %" PRIu64
           ", %u steps, %u bytes\n",
           program.seed, program.grid[0], program.grid[1], program.grid[2], program.block[0],
           program.block[1], program.block[2], program.cluster[0], program.order,
           program.step_limit, program.dynamic);
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
        random_stop("no memory");
    random_head(at);
    at += strlen(at);
    for (unsigned i = 0; i < n; i++) {
        char name[16];

        programs[i] =
            random_program(random_of_shape(random_mixed(seed + i), random_mixed(seed)), blocks);
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
    struct random_program program = random_program(seed, blocks);
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

    while ((option = getopt(argc, argv, "n:s:m:t:op:vb")) != -1) {
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
        else if (option == 'b')
            blocks = true;
        else
            return 2;
    }
    if (of_module < 1 || of_module > MOST_OF_MODULE)
        return 2;
    random_find_forms();
    return one ? run_one(one, show) : run_many(seed, n, (unsigned) of_module, seconds);
}
