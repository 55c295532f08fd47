/* SPDX-License-Identifier: MIT */
/*
 * What large inputs cost, by what can be counted: bytes of memory and comparisons of names, of an
 * input and of one that is four times as large. And that what was made fast for their sake is what
 * its definition says, on small inputs drawn at random.
 */
#include <malloc.h>
#include <stdlib.h>

#include "base/str.h"
#include "mock/ptx/lower/lower.h"
#include "mock/ptx/lower/program.h"
#include "mock/ptx/syntax/scope.h"
#include "support.h"

TestSuite(growth, .timeout = 100);

/* Four times the input may cost this much more: a list that doubles may have just done so. */
enum { FOUR_TIMES = 7 };

/* --- what is counted: the linker leads the engine's calls here --- */

static int64_t bytes_now, bytes_peak;
static size_t comparisons;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
int __real_strcmp(const char *a, const char *b);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);
int __wrap_strcmp(const char *a, const char *b);

static void *came(void *memory)
{
    bytes_now += (int64_t) malloc_usable_size(memory);
    bytes_peak = bytes_now > bytes_peak ? bytes_now : bytes_peak;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return came(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return came(__real_calloc(n, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    bytes_now -= (int64_t) malloc_usable_size(memory);
    return came(__real_realloc(memory, size));
}

void __wrap_free(void *memory)
{
    bytes_now -= (int64_t) malloc_usable_size(memory);
    __real_free(memory);
}

int __wrap_strcmp(const char *a, const char *b)
{
    comparisons++;
    return __real_strcmp(a, b);
}

/* --- inputs --- */

static uint32_t draw(uint32_t n)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t) (state >> 11) % n;
}

static void begin_kernel(struct cushim__str *text)
{
    cushim__str_append(text, HEAD ".entry k() { .reg .pred %%p; .reg .b32 %%r<2>; "
                                  "mov.u32 %%r1, %%tid.x; setp.eq.u32 %%p, %%r1, 0;\n");
}

static void write_gotos(struct cushim__str *text, unsigned n)
{
    begin_kernel(text);
    for (unsigned i = 0; i < n; i++)
        cushim__str_append(text, "L%u: add.u32 %%r1, %%r1, 1; @%%p bra L%u;\n", i, draw(n));
    cushim__str_append(text, "ret; }\n");
}

static void write_nested(struct cushim__str *text, unsigned n)
{
    begin_kernel(text);
    for (unsigned i = 0; i < n; i++)
        cushim__str_append(text, "L%u: add.u32 %%r1, %%r1, 1;\n", i);
    for (unsigned i = n; i-- > 0;)
        cushim__str_append(text, "@%%p bra L%u;\n", i);
    cushim__str_append(text, "ret; }\n");
}

static void write_long_path(struct cushim__str *text, unsigned n)
{
    cushim__str_append(text, HEAD ".file 1 \"");
    for (unsigned i = 0; i < n; i++)
        cushim__str_append(text, "x");
    cushim__str_append(text, "\"\n.entry k() {\n");
    for (unsigned i = 0; i < n; i++)
        cushim__str_append(text, ".loc 1 %u 1\nbar.sync 0;\n", i + 1);
    cushim__str_append(text, "ret; }\n");
}

static void write_functions(struct cushim__str *text, unsigned n)
{
    cushim__str_append(text, HEAD);
    for (unsigned i = 0; i < n; i++)
        cushim__str_append(text,
                           ".visible .func f%u() { ret; } .extern .global .u32 v%u;\n"
                           ".extern .func g%u(); .visible .entry k%u() { call f%u; ret; }\n",
                           i, i, i, i, i);
}

/* --- their cost --- */

struct cost {
    size_t bytes, comparisons;
};

typedef void write_fn(struct cushim__str *text, unsigned n);

/* Of reading a text of a size, and of lowering it. */
static struct cost cost_of(write_fn *write, unsigned n)
{
    struct cushim__str text = {.text = NULL};
    struct ptx__program *program = NULL;
    const char *part;
    struct unit unit;
    int64_t before;

    write(&text, n);
    part = text.text;
    cr_assert(ne(ptr, text.text, NULL));
    before = bytes_peak = bytes_now;
    comparisons = 0;
    cr_assert(eq(int, (int) read_texts(&unit, &part, 1), PTX_OK));
    cr_assert(eq(int, (int) ptx__lower(&unit.module, &unit.log, &program), PTX_OK));
    ptx__program_free(program);
    finish(&unit);
    cushim__str_finish(&text);
    return (struct cost){(size_t) (bytes_peak - before), comparisons};
}

static void grows_with_its_size(write_fn *write, unsigned n)
{
    const struct cost small = cost_of(write, n), large = cost_of(write, 4 * n);

    cr_expect(le(sz, large.bytes, FOUR_TIMES * small.bytes));
    cr_expect(le(sz, large.comparisons, FOUR_TIMES * small.comparisons));
}

Test(growth, of_jumps_at_random)
{
    grows_with_its_size(write_gotos, 2000);
}

Test(growth, of_loops_in_loops)
{
    grows_with_its_size(write_nested, 1000);
}

Test(growth, of_code_from_a_file_with_a_long_path)
{
    grows_with_its_size(write_long_path, 1000);
}

Test(growth, of_functions_and_variables)
{
    grows_with_its_size(write_functions, 200);
}

/* Loops that are deeper in each other than a stack is. */
Test(growth, of_loops_without_end)
{
    cr_expect(gt(sz, cost_of(write_nested, 100000).bytes, 0));
}

/* The names that one has to look at to find one. */
static unsigned longest_row(const struct ptx__scope *scope)
{
    unsigned longest = 0;

    for (size_t i = 0; i < scope->n_buckets; i++) {
        unsigned length = 0;

        for (int32_t at = scope->buckets[i]; at >= 0; at = scope->names[at].shadowed)
            length++;
        longest = length > longest ? length : longest;
    }
    return longest;
}

Test(growth, of_names)
{
    enum { N = 100000, LENGTH = 16 };
    char(*names)[LENGTH] = calloc(N, LENGTH);
    struct ptx__scope scope;

    cr_assert(ptx__scope_init(&scope) && names != NULL);
    for (int i = 0; i < N; i++) {
        const size_t length = (size_t) snprintf(names[i], LENGTH, "name%d", i);

        cr_assert(ptx__scope_add(&scope, names[i], length, PTX_NAME_LABEL) != NULL);
    }
    cr_expect(lt(uint, longest_row(&scope), 20));
    /* The inner one of a name that is there twice, then the outer one. */
    ptx__scope_enter(&scope);
    for (int i = 0; i < N; i++)
        cr_assert(ptx__scope_add(&scope, names[i], strlen(names[i]), PTX_NAME_TABLE) != NULL);
    cr_expect(eq(int, (int) ptx__scope_find(&scope, "name7", 5)->kind, PTX_NAME_TABLE));
    ptx__scope_leave(&scope);
    cr_expect(eq(int, (int) ptx__scope_find(&scope, "name7", 5)->kind, PTX_NAME_LABEL));
    ptx__scope_finish(&scope);
    free(names);
}

/* --- the order of blocks --- */

enum { MOST_BLOCKS = 12 };

/* As the definition has it, step by step, with sets as bits. */
struct definition {
    const struct ptx__block_of_code *blocks;
    uint32_t order[MOST_BLOCKS], n;
};

static uint32_t reached(const struct definition *d, uint32_t from, uint32_t part)
{
    uint32_t found = UINT32_C(1) << from, before = 0;

    while (found != before) {
        before = found;
        for (uint32_t i = 0; i < MOST_BLOCKS; i++)
            for (uint32_t j = 0; found >> i & 1 && j < d->blocks[i].n_successors; j++)
                found |= part & UINT32_C(1) << d->blocks[i].successors[j];
    }
    return found;
}

/* In a part of the graph: blocks in the order of their leaving by a search, and those seen. */
static void leave_in_order(const struct definition *d, uint32_t at, uint32_t part, uint32_t *seen,
                           uint32_t *left, uint32_t *n)
{
    *seen |= UINT32_C(1) << at;
    for (uint32_t i = 0; i < d->blocks[at].n_successors; i++) {
        const uint32_t to = d->blocks[at].successors[i];

        if (part >> to & 1 && !(*seen >> to & 1))
            leave_in_order(d, to, part, seen, left, n);
    }
    left[(*n)++] = at;
}

/* What the successors of an entry lead to in its part, or, to begin with, what block 0 does. */
static void order_part(struct definition *d, uint32_t entry, uint32_t part, bool with_entry)
{
    uint32_t left[MOST_BLOCKS], n = 0, seen = with_entry ? 0 : ~part, done = 0;

    if (with_entry)
        leave_in_order(d, entry, part, &seen, left, &n);
    for (uint32_t i = 0; !with_entry && i < d->blocks[entry].n_successors; i++) {
        const uint32_t to = d->blocks[entry].successors[i];

        if (part >> to & 1 && !(seen >> to & 1))
            leave_in_order(d, to, part, &seen, left, &n);
    }
    /* The one left last is the entry of the first loop, which is all that leads back to it. */
    while (n-- > 0) {
        uint32_t loop = 0;

        if (done >> left[n] & 1)
            continue;
        for (uint32_t i = 0; i < MOST_BLOCKS; i++)
            if (part & ~done & reached(d, left[n], part & ~done) & UINT32_C(1) << i &&
                reached(d, i, part & ~done) >> left[n] & 1)
                loop |= UINT32_C(1) << i;
        d->order[d->n++] = left[n];
        done |= loop;
        order_part(d, left[n], loop & ~(UINT32_C(1) << left[n]), false);
    }
}

static void draw_blocks(struct ptx__block_of_code *blocks, uint32_t *successors, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        blocks[i] = (struct ptx__block_of_code){.successors = &successors[4 * i]};
        if (draw(2) && i + 1 < n)
            blocks[i].successors[blocks[i].n_successors++] = i + 1;
        for (uint32_t j = draw(4); j > 0; j--)
            blocks[i].successors[blocks[i].n_successors++] = draw(n);
    }
}

Test(growth, the_order_of_blocks_is_what_its_definition_says)
{
    for (int round = 0; round < 20000; round++) {
        struct ptx__block_of_code blocks[MOST_BLOCKS] = {{0}};
        uint32_t successors[4 * MOST_BLOCKS];
        struct ptx__flow flow = {.blocks = blocks, .n_blocks = 1 + draw(MOST_BLOCKS)};
        struct ptx__lowering lower = {.flow = &flow};
        struct definition definition = {.blocks = blocks};

        draw_blocks(blocks, successors, flow.n_blocks);
        order_part(&definition, 0, (UINT32_C(1) << flow.n_blocks) - 1, true);
        ptx__flow_order(&lower);
        cr_assert(eq(u32, flow.n_order, definition.n));
        for (uint32_t i = 0; i < flow.n_order; i++)
            cr_assert(eq(u32, flow.order[i], definition.order[i]), "round %d", round);
        free(flow.order);
    }
}

/* --- where shared variables lie --- */

enum { FUNCTIONS = 9, KERNELS = 4, ALL = FUNCTIONS + KERNELS, VARIABLES = 3 };

/* Who calls whom, and who has which variables; the last ones are kernels. */
struct drawn_module {
    bool calls[ALL][FUNCTIONS], names[ALL][VARIABLES];
    uint32_t own[ALL], module[VARIABLES]; /* bytes; 0: none */
};

static void draw_module(struct drawn_module *drawn)
{
    *drawn = (struct drawn_module){.own = {0}};
    for (uint32_t i = 0; i < ALL; i++) {
        drawn->own[i] = draw(2) ? 4 * (1 + draw(5)) : 0;
        for (uint32_t n = draw(4); n > 0; n--)
            drawn->calls[i][i < FUNCTIONS && draw(4) && i ? draw(i) : draw(FUNCTIONS)] = true;
        drawn->names[i][draw(VARIABLES)] = !draw(3);
    }
    for (uint32_t i = 0; i < VARIABLES; i++)
        drawn->module[i] = 4 * (1 + draw(5));
}

static void write_drawn(struct cushim__str *text, const struct drawn_module *drawn)
{
    cushim__str_append(text, HEAD);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        cushim__str_append(text, ".func n%u();\n", i);
    for (unsigned i = 0; i < VARIABLES; i++)
        cushim__str_append(text, ".shared .align 4 .b8 m%u[%u];\n", i, drawn->module[i]);
    for (unsigned i = 0; i < ALL; i++) {
        cushim__str_append(text, "%s n%u() { .reg .b32 %%r;\n", i < FUNCTIONS ? ".func" : ".entry",
                           i);
        if (drawn->own[i])
            cushim__str_append(text, ".shared .align 4 .b8 s[%u];\n", drawn->own[i]);
        for (unsigned j = 0; j < VARIABLES; j++)
            if (drawn->names[i][j])
                cushim__str_append(text, "ld.shared.b32 %%r, [m%u];\n", j);
        for (unsigned j = 0; j < FUNCTIONS; j++)
            if (drawn->calls[i][j])
                cushim__str_append(text, "call n%u;\n", j);
        cushim__str_append(text, "ret; }\n");
    }
}

/* All that get to those of a set by calls, as bits. */
static uint32_t callers_of(const struct drawn_module *drawn, uint32_t set)
{
    uint32_t before = 0;

    while (set != before) {
        before = set;
        for (uint32_t i = 0; i < ALL; i++)
            for (uint32_t j = 0; j < FUNCTIONS; j++)
                if (drawn->calls[i][j] && set >> j & 1)
                    set |= UINT32_C(1) << i;
    }
    return set;
}

/* Behind what all of a set have so far; then all of them have so much. */
static uint32_t place_by_definition(uint32_t *used, uint32_t set, uint32_t bytes)
{
    uint32_t offset = 0;

    for (uint32_t i = 0; i < ALL; i++)
        if (set >> i & 1 && used[i] > offset)
            offset = used[i];
    for (uint32_t i = 0; i < ALL; i++)
        if (set >> i & 1)
            used[i] = offset + bytes;
    return offset;
}

static const struct ptx__function *find_drawn(const struct ptx__module *module, unsigned i)
{
    char name[8];

    snprintf(name, sizeof(name), "n%u", i);
    for (uint32_t k = 0; k < module->n_functions; k++)
        if (module->functions[k].has_body && !strcmp(module->functions[k].name, name))
            return &module->functions[k];
    return NULL;
}

static size_t offset_of_own(const struct ptx__function *function)
{
    for (uint32_t i = 0; i < function->n_variables; i++)
        if (function->variables[i].space == PTX_SHARED)
            return function->variables[i].offset;
    return SIZE_MAX;
}

static void check_drawn(const struct drawn_module *drawn, const struct ptx__module *module)
{
    uint32_t used[ALL] = {0};

    for (uint32_t j = 0; j < VARIABLES; j++) {
        uint32_t set = 0;

        for (uint32_t i = 0; i < ALL; i++)
            set |= (uint32_t) drawn->names[i][j] << i;
        cr_assert(eq(sz, module->variables[j].offset,
                     place_by_definition(used, callers_of(drawn, set), drawn->module[j])));
    }
    for (uint32_t i = 0; i < ALL; i++)
        if (drawn->own[i])
            cr_assert(
                eq(sz, offset_of_own(find_drawn(module, i)),
                   place_by_definition(used, callers_of(drawn, UINT32_C(1) << i), drawn->own[i])));
    for (uint32_t i = 0; i < ALL; i++)
        cr_assert(eq(sz, find_drawn(module, i)->usage.shared_bytes, used[i]));
}

Test(growth, the_places_of_shared_variables_are_what_their_definition_says)
{
    for (int round = 0; round < 3000; round++) {
        struct cushim__str text = {.text = NULL};
        struct drawn_module drawn;
        const char *part;
        struct unit unit;

        draw_module(&drawn);
        write_drawn(&text, &drawn);
        part = text.text;
        cr_assert(eq(int, (int) read_texts(&unit, &part, 1), PTX_OK), "%s", text.text);
        check_drawn(&drawn, &unit.module);
        finish(&unit);
        cushim__str_finish(&text);
    }
}

/* Some that lead to all of the others come last, and many kernels to each. */
static void write_shared_in_a_row(struct cushim__str *text, unsigned n)
{
    cushim__str_append(text, HEAD ".func f0() { ret; }\n");
    for (unsigned i = 0; i < n; i++)
        cushim__str_append(text,
                           ".func f%u() { .shared .b8 s; call f%u; ret; }\n"
                           ".entry k%u() { call f%u; ret; }\n",
                           i + 1, i, i, i);
    cushim__str_append(text, ".entry last() { call f%u; ret; }\n", n);
}

/* It would take minutes if the callers were gone through for each variable. */
Test(growth, of_shared_variables_of_many_callers)
{
    cr_expect(gt(sz, cost_of(write_shared_in_a_row, 40000).bytes, 0));
}

/* Each stands for the one before. */
static void write_aliases(struct cushim__str *text, unsigned n)
{
    cushim__str_append(text, HEAD ".visible .func a0() { ret; }\n");
    for (unsigned i = 0; i < n; i++)
        cushim__str_append(text, ".visible .func a%u(); .alias a%u, a%u;\n", i + 1, i + 1, i);
    cushim__str_append(text, ".entry k() {\n");
    for (unsigned i = 0; i < n; i++)
        cushim__str_append(text, "call a%u;\n", n - i);
    cushim__str_append(text, "ret; }\n");
}

Test(growth, of_aliases_of_aliases)
{
    grows_with_its_size(write_aliases, 3000);
}
