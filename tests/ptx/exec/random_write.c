/* SPDX-License-Identifier: MIT */
/*
 * Kernels of statements: branches, loops, switches, and what random_simple.c and random_blocks.c
 * have. Whatever one
 * thread writes and another reads is ordered by a barrier, or by operations whose order does not
 * show, but in programs that are to be wrong.
 *
 * Registers: %h, %r, %x, %d, %p as the forms have them (forms_kernel.c), %u: the same in all
 * threads, %a and %b: a base and a step for each thread, of 32 and 64 bits, %c and %k: counters of
 * loops.
 */
#include <stdio.h>
#include <string.h>

#include "random_writer.h"

enum { DEEPEST = 3, MOST_AT_TOP = 8 };

#define put random_put

uint64_t random_mixed(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* --- control --- */

static void put_body(struct writer *w, uint64_t key, unsigned n);

/* What is within one more branch; `key` is of the statement that it is in. */
void random_put_inner(struct writer *w, uint64_t key, bool together)
{
    const bool before = w->together;

    w->depth++;
    w->together = before && together;
    put_body(w, random_mixed(key), 1 + random_draw(w, 3));
    w->together = before;
    w->depth--;
}

void random_put_ways(struct writer *w, struct ways ways)
{
    random_put_inner(w, ways.key + 1, ways.together);
    if (ways.two)
        put(w, "bra.uni F%u;\n", ways.label);
    put(w, "E%u:\n", ways.label);
    if (!ways.two)
        return;
    random_put_inner(w, ways.key + 2, ways.together);
    put(w, "F%u:\n", ways.label);
}

static void put_if(struct writer *w)
{
    const uint64_t key = w->state;
    const bool same = random_one_in(w, 3), other = random_one_in(w, 2);
    const unsigned label = w->labels++;

    if (!same && random_one_in(w, 4))
        put(w, "setp.%s.u32 %%q4, %%i2, %u; @%%q4 bra E%u;\n", random_one_in(w, 2) ? "ge" : "ne",
            random_draw(w, 100), label);
    else if (same)
        put(w, "setp.lt.u32 %%q4, %%u%u, %u; @%%q4 bra E%u;\n", random_draw(w, 4),
            random_draw(w, 9), label);
    else
        put(w, "@%s%%p%u bra E%u;\n", random_one_in(w, 2) ? "!" : "", random_draw(w, 8), label);
    random_put_ways(w, (struct ways){key, label, same, other});
}

/* Branches over operations that lanes may do under a mask; some leave the piece before its end. */
static void put_brief(struct writer *w)
{
    const uint64_t key = w->state;
    const bool before = w->brief, leaves = random_one_in(w, 3);
    const unsigned label = w->labels++;

    w->brief = true;
    put_if(w);
    if (leaves)
        put(w, "@%s%%p%u bra G%u;\n", random_one_in(w, 2) ? "!" : "", random_draw(w, 8), label);
    w->state = random_mixed(key + 5);
    if (random_one_in(w, 2))
        put_if(w);
    put(w, "G%u:\n", label);
    w->brief = before;
}

static void put_loop(struct writer *w)
{
    static const char *const steps[] = {"add.u32 %a#, %a#, ", "add.u32 %u#, %u#, ",
                                        "add.u32 %r#, %r#, "};
    const uint64_t key = w->state;
    const bool same = random_one_in(w, 2) || w->program->calm;
    const unsigned label = w->labels++, c = w->depth;

    put(w, "mov.u32 %%c%u, 0;\n", c);
    if (same)
        put(w, "mov.u32 %%k%u, %u;\n", c,
            random_one_in(w, 6) ? 9 + random_draw(w, 16) : 1 + random_draw(w, 5));
    else
        put(w, "and.b32 %%k%u, %%r%u, 7;\n", c, random_draw(w, 8));
    put(w, "L%u:\n", label);
    random_put_inner(w, key + 1, same);
    if (random_one_in(w, 2)) {
        /* Uniform values stay so in loops of all threads alone. */
        random_put_one(w, steps, same ? 3 : 1);
        put(w, "%%c%u;\n", c);
    }
    put(w, "add.u32 %%c%u, %%c%u, 1; setp.lt.u32 %%q%u, %%c%u, %%k%u;\n@%%q%u bra L%u;\n", c, c, c,
        c, c, c, label);
}

static void put_switch(struct writer *w)
{
    const uint64_t key = w->state;
    const unsigned label = w->labels++;

    put(w, "{ .reg .b32 f; and.b32 f, %%r%u, 3;\nT%u: .branchtargets A%u, B%u, C%u, A%u;\n",
        random_draw(w, 8), label, label, label, label, label);
    put(w, "brx.idx f, T%u; }\n", label);
    for (unsigned i = 0; i < 3; i++) {
        put(w, "%c%u:\n", 'A' + i, label);
        random_put_inner(w, key + 1 + i, false);
        if (i < 2)
            put(w, "bra F%u;\n", label);
    }
    put(w, "F%u:\n", label);
}

static const struct random_simple nesting[] = {
    {7, false, put_if, RANDOM_BRIEF | RANDOM_NESTS | RANDOM_PARTS},
    {16, false, put_brief, RANDOM_BRIEF | RANDOM_NESTS},
    {6, false, put_loop, RANDOM_NESTS},
    {2, false, put_switch, RANDOM_NESTS | RANDOM_PARTS},
};

enum { N_NESTING = sizeof(nesting) / sizeof(nesting[0]) };

static const struct random_simple *statement_of(unsigned i)
{
    if (i < N_NESTING)
        return &nesting[i];
    i -= N_NESTING;
    return i < random_n_simple ? &random_simple[i] : &random_blocks[i - random_n_simple];
}

static unsigned count_statements(const struct writer *w)
{
    return N_NESTING + random_n_simple + (w->program->blocks ? random_n_blocks : 0);
}

static bool may_stand_here(struct writer *w, const struct random_simple *statement)
{
    const unsigned kind = statement->kind;

    if ((statement->together && !w->together) || (w->brief && !(kind & RANDOM_BRIEF)) ||
        (kind & RANDOM_NESTS && w->depth == DEEPEST))
        return false;
    return !w->program->calm || w->brief || !(kind & RANDOM_PARTS) || random_one_in(w, 20);
}

static const struct random_simple *draw_statement(struct writer *w)
{
    const unsigned n = count_statements(w);
    unsigned sum = 0, i, at;

    for (i = 0; i < n; i++)
        sum += statement_of(i)->weight;
    do
        for (i = 0, at = random_draw(w, sum); at >= statement_of(i)->weight; i++)
            at -= statement_of(i)->weight;
    while (!may_stand_here(w, statement_of(i)));
    return statement_of(i);
}

static bool is_dropped(const struct random_program *program, uint64_t key)
{
    for (unsigned i = 0; i < program->n_dropped; i++)
        if (program->dropped[i] == key)
            return true;
    return false;
}

static void put_body(struct writer *w, uint64_t key, unsigned n)
{
    const uint64_t state = w->state;
    struct random_program *program = w->program;

    for (unsigned i = 0; i < n; i++) {
        const uint64_t own = random_mixed(key ^ (i + 1));

        if (program->n_keys < RANDOM_STATEMENTS)
            program->keys[program->n_keys++] = own;
        if (is_dropped(program, own))
            continue;
        w->state = own;
        draw_statement(w)->write(w);
    }
    w->state = state;
}

/* --- around it --- */

/* Registers of a thread, and where they lie in its memory. */
static const struct bank {
    char letter, type[4];
    unsigned n, bytes, at;
} banks[] = {{'r', "b32", 8, 4, 0},   {'x', "b32", 8, 4, 32},  {'d', "b64", 8, 8, 64},
             {'h', "b16", 8, 2, 128}, {'a', "b32", 4, 4, 144}, {'b', "b64", 4, 8, 160}};

enum { BANKS = sizeof(banks) / sizeof(banks[0]), LOADED_BANKS = 4, PREDICATES_AT = 192 };

static void put_list(struct writer *w, const struct bank *bank, const char *before)
{
    for (unsigned i = 0; i < bank->n; i++)
        put(w, "%s%s%%%c%u", i ? ", " : "", before, bank->letter, i);
}

/* Functions that load and store a bank, so that compilers see that once in a module. */
static void put_functions(struct writer *w, const struct bank *bank)
{
    char type[16];

    snprintf(type, sizeof(type), ".reg .%s ", bank->type);
    put(w, ".func (");
    put_list(w, bank, type);
    put(w, ") take_%c(.reg .b64 %%at) {\n", bank->letter);
    for (unsigned i = 0; i < bank->n; i++)
        put(w, "ld.global.%s %%%c%u, [%%at+%u];\n", bank->type, bank->letter, i,
            bank->at + i * bank->bytes);
    put(w, "ret; }\n.func leave_%c(.reg .b64 %%at, ", bank->letter);
    put_list(w, bank, type);
    put(w, ") {\n");
    for (unsigned i = 0; i < bank->n; i++)
        put(w, "st.global.%s [%%at+%u], %%%c%u;\n", bank->type, bank->at + i * bank->bytes,
            bank->letter, i);
    put(w, "ret; }\n");
}

/* The same without a function: a block whose warps call one does not end in step. */
static void put_vectors(struct writer *w, const struct bank *bank, bool store)
{
    const unsigned elements = bank->bytes == 8 ? 2 : 4;

    for (unsigned i = 0; i < bank->n; i += elements) {
        const unsigned at = bank->at + i * bank->bytes;

        if (store)
            put(w, "st.global.v%u.%s [%%t8+%u], {", elements, bank->type, at);
        else
            put(w, "ld.global.v%u.%s {", elements, bank->type);
        for (unsigned j = 0; j < elements; j++)
            put(w, "%s%%%c%u", j ? ", " : "", bank->letter, i + j);
        if (store)
            put(w, "};\n");
        else
            put(w, "}, [%%t8+%u];\n", at);
    }
}

static void put_taking(struct writer *w, const struct bank *bank)
{
    if (w->program->blocks) {
        put_vectors(w, bank, false);
        return;
    }
    put(w, "call (");
    put_list(w, bank, "");
    put(w, "), take_%c, (%%t8);\n", bank->letter);
}

static void put_leaving(struct writer *w, const struct bank *bank)
{
    if (w->program->blocks) {
        put_vectors(w, bank, true);
        return;
    }
    put(w, "call leave_%c, (%%t8, ", bank->letter);
    put_list(w, bank, "");
    put(w, ");\n");
}

static bool uses(const char *body, char letter)
{
    const char name[3] = {'%', letter, '\0'};

    for (const char *at = body; (at = strstr(at, name)); at++)
        if (at[2] >= '0' && at[2] <= '7')
            return true;
    return false;
}

/* Tells whether a part of the beginning is left out, so that registers are read that nothing wrote.
 */
static bool leaves_out(const struct writer *w, unsigned part, unsigned one_in)
{
    return random_mixed(w->program->seed ^ (part + 1) * UINT64_C(0x5851f42d4c957f2d)) % one_in == 0;
}

/* All threads take a bank from memory, or, in a few programs, only some or none. */
static void put_bank(struct writer *w, const struct bank *bank)
{
    const bool some = leaves_out(w, (unsigned char) bank->letter, 8);

    if (!uses(w->body, bank->letter) || leaves_out(w, 128u + (unsigned char) bank->letter, 12))
        return;
    if (some)
        put(w, "and.b32 %%m, %%i2, 5; setp.eq.u32 %%q7, %%m, 4; @%%q7 bra N%c;\n", bank->letter);
    put_taking(w, bank);
    if (some)
        put(w, "N%c:\n", bank->letter);
}

/* The threads of a block, or more: 128 at least. */
static unsigned rounded_threads(const struct writer *w)
{
    const unsigned n = random_threads(w->program);

    return n < 128 ? 128 : (n + 31) / 32 * 32;
}

/* Registers begin with what lies in memory, those with steps with what their names say. */
static void put_beginning(struct writer *w)
{
    static const char *const begins[] = {"mov.u32 %a0, %i0;",      "mov.u32 %a1, %i2;",
                                         "mov.u32 %a2, %tid.x;",   "mov.u32 %a3, %laneid;",
                                         "mov.u32 %u0, %ctaid.x;", "mov.u32 %u1, %ntid.x;",
                                         "ld.param.u32 %u2, [n];", "add.u32 %u3, %u2, 3;"};

    for (unsigned b = 0; b < LOADED_BANKS; b++)
        put_bank(w, &banks[b]);
    for (unsigned i = 0; (uses(w->body, 'a') || uses(w->body, 'u')) && i < 8; i++)
        if (!leaves_out(w, i, 40))
            put(w, "%s\n", begins[i]);
    if (strstr(w->body, "marks")) {
        put(w, "setp.eq.u32 %%q6, %%i2, 0;\n");
        for (unsigned i = 0; i < rounded_threads(w); i += 16)
            put(w, "@%%q6 st.shared.v4.b32 [marks+%u], {0, 0, 0, 0};\n", i);
        put(w, "bar.sync 0;\n");
    }
    for (unsigned i = 0; uses(w->body, 'b') && i < 4; i++)
        if (!leaves_out(w, 8 + i, 40))
            put(w, "mul.wide.u32 %%b%u, %%i%u, 4;\n", i, i % 3);
    if (uses(w->body, 'p'))
        put(w, "ld.global.b32 %%i3, [%%t8+%u];\n", PREDICATES_AT);
    for (unsigned i = 0; i < 8; i++)
        if (strstr(w->body, (char[]){'%', 'p', (char) ('0' + i), '\0'}) &&
            !leaves_out(w, 12 + i, 20))
            put(w, "{ .reg .b32 f; and.b32 f, %%i3, %u; setp.ne.u32 %%p%u, f, 0; }\n", 1u << i, i);
}

static void put_end(struct writer *w, const char *body)
{
    for (unsigned b = 0; b < BANKS; b++) {
        if (uses(body, banks[b].letter))
            put_leaving(w, &banks[b]);
    }
    if (!uses(body, 'p'))
        return;
    put(w, "mov.u32 %%i3, 0;\n");
    for (unsigned i = 0; i < 8; i++)
        if (strstr(body, (char[]){'%', 'p', (char) ('0' + i), '\0'}))
            put(w, "@%%p%u or.b32 %%i3, %%i3, %u;\n", i, 1u << i);
    put(w, "st.global.b32 [%%t8+%u], %%i3;\n", PREDICATES_AT);
}

static void put_registers(struct writer *w, const char *name)
{
    const unsigned n = rounded_threads(w);

    put(w,
        ".visible .entry %s(.param .u64 data, .param .u64 out, .param .u64 scratch, .param .u64 "
        "room, "
        ".param .u64 counters, .param .u32 n) {\n",
        name);
    put(w, ".reg .b16 %%h<8>; .reg .b32 %%r<16>; .reg .b32 %%x<8>; .reg .b64 %%d<8>; .reg .pred "
           "%%p<8>;\n"
           ".reg .b64 %%t<9>; .reg .b32 %%i<4>; .reg .b32 %%u<4>; .reg .b32 %%a<4>; .reg .b64 "
           "%%b<4>;\n"
           ".reg .b32 %%c<8>; .reg .b32 %%k<8>; .reg .pred %%q<8>; .reg .b32 %%m;\n");
    put(w,
        ".shared .align 16 .b8 near[4096]; .shared .align 16 .b8 own[%u]; .shared .align 16 .b8 "
        "box[%u]; .shared .align 16 .b8 tile[%u]; .shared .align 16 .b8 tally[128]; .shared "
        ".align 16 .b8 marks[%u]; .local .align 16 .b8 stack[64];\n",
        16 * n, 16 * n, 16 * n + 512, n);
    put(w, "mov.u32 %%i1, %%ntid.x; mov.u32 %%i2, %%tid.x; mov.u32 %%i3, %%tid.y;\n");
    if (w->program->block[2] > 1)
        put(w, "{ .reg .b32 f, g; mov.u32 f, %%tid.z; mov.u32 g, %%ntid.y; mad.lo.u32 %%i3, f, g, "
               "%%i3; }\n");
    put(w, "mad.lo.u32 %%i2, %%i3, %%i1, %%i2; mov.u32 %%i0, %%ctaid.x;\n");
    if (w->program->blocks)
        put(w,
            "{ .reg .b32 f, g; mov.u32 f, %%ctaid.y; mov.u32 g, %%nctaid.x; mad.lo.u32 %%i0, f, "
            "g, %%i0; mov.u32 f, %%ctaid.z; mul.lo.u32 f, f, %u; mad.lo.u32 %%i0, f, g, %%i0; "
            "}\n",
            w->program->grid[1]);
    put(w, "mad.lo.u32 %%i0, %%i0, %u, %%i2;\n", random_threads(w->program));
    put(w,
        "ld.param.u64 %%t5, [data]; ld.param.u64 %%t6, [scratch]; ld.param.u64 %%t7, [counters];\n"
        "ld.param.u64 %%t8, [out]; mad.wide.u32 %%t8, %%i0, %u, %%t8;\n",
        RANDOM_OUT);
}

/* The block's counters begin with zeros, and are read when all have come. */
static void put_tally(struct writer *w, bool begin)
{
    put(w, "bar.sync 0; setp.eq.u32 %%q6, %%i2, 0;\n");
    for (unsigned i = 0; i < 128; i += 16)
        if (begin)
            put(w, "@%%q6 st.shared.v4.b32 [tally+%u], {0, 0, 0, 0};\n", i);
        else
            put(w,
                "@%%q6 ld.shared.v2.b64 {%%t1, %%t2}, [tally+%u]; @%%q6 st.global.v2.b64 "
                "[%%t8+%u], "
                "{%%t1, %%t2};\n",
                i, 240 + i);
    put(w, "bar.sync 0;\n");
}

void random_head(char *text)
{
    struct writer w = {.at = text, .end = text + RANDOM_TEXT};

    put(&w, ".version 8.8\n.target sm_100\n.address_size 64\n"
            ".extern .shared .align 16 .b8 dynamic[];\n"
            ".func (.reg .b32 %%result) helper (.reg .b32 %%left, .reg .b32 %%right) {\n"
            ".reg .pred %%z; setp.lt.s32 %%z, %%left, %%right; @%%z bra LESS;\n"
            "sub.u32 %%result, %%left, %%right; ret;\n"
            "LESS: mul.lo.u32 %%result, %%left, 3; xor.b32 %%result, %%result, %%right; ret; }\n");
    for (unsigned b = 0; b < BANKS; b++)
        put_functions(&w, &banks[b]);
}

void random_write(struct random_program *program, const char *name, char *text)
{
    static char body[RANDOM_TEXT];
    struct writer inner = {.at = body,
                           .end = body + sizeof(body),
                           .program = program,
                           .state = program->seed,
                           .together = true};
    struct writer w = {.at = text, .end = text + RANDOM_TEXT, .program = program, .body = body};

    program->n_keys = 0;
    body[0] = '\0';
    put_body(&inner, program->seed,
             1 + random_draw(&inner, MOST_AT_TOP / 2) + random_draw(&inner, MOST_AT_TOP / 2));
    put_registers(&w, name);
    put_beginning(&w);
    if (strstr(body, "tally"))
        put_tally(&w, true);
    put(&w, "%s", body);
    put_end(&w, body);
    if (strstr(body, "tally"))
        put_tally(&w, false);
    put(&w, "ret; }\n");
}

/* --- the beginning --- */

uint64_t random_of_shape(uint64_t seed, uint64_t other)
{
    return (seed & ~UINT64_C(15)) | (other & 15);
}

unsigned random_threads(const struct random_program *program)
{
    return program->block[0] * program->block[1] * program->block[2];
}

struct random_program random_program(uint64_t seed, bool blocks)
{
    static const uint8_t shapes[][2] = {{32, 1}, {64, 1},  {96, 1}, {128, 1}, {33, 1}, {50, 1},
                                        {7, 1},  {100, 1}, {8, 4},  {16, 4},  {16, 2}, {8, 8},
                                        {32, 2}, {5, 3},   {16, 6}, {1, 40}};
    struct random_program program = {.seed = seed, .blocks = blocks};
    const uint64_t drawn = random_mixed(seed);
    const uint8_t *block = shapes[seed % 16];

    program.grid[0] = 1 + (drawn >> 8) % 2;
    program.block[0] = block[0];
    program.block[1] = block[1];
    program.block[2] = program.grid[1] = program.grid[2] = 1;
    program.cluster[0] = program.cluster[1] = program.cluster[2] = 1;
    program.step_limit = 100000;
    program.number = 7;
    program.wrong = (drawn >> 16) % 6 == 0;
    program.tiles = (drawn >> 24) % 3 == 0;
    program.fresh = (drawn >> 32) % 4 == 0;
    program.adds = (drawn >> 40) % 2 == 0;
    if (blocks)
        random_draw_blocks(&program);
    return program;
}
