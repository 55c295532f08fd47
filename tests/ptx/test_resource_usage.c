/* SPDX-License-Identifier: MIT */
/* What kernels need, and where variables lie. */
#include "mock/ptx/link/registers.h"
#include "support.h"

TestSuite(facts);

static size_t offset_of(const struct ptx__function *function, const char *name)
{
    for (uint32_t i = 0; i < function->n_variables; i++) {
        if (!strcmp(function->variables[i].name, name))
            return function->variables[i].offset;
    }
    cr_assert(eq(str, S(name), S("a variable")));
    return 0;
}

Test(facts, parameters)
{
    const struct ptx__function *k;
    struct unit unit;

    read_module(&unit, HEAD ".entry k(.param .u8 a, .param .u64 .ptr .global .align 4 b,\n"
                            ".param .align 4 .b8 c[13], .param .f64 d[2]) { ret; }");
    k = find(&unit, "k");
    cr_expect(eq(sz, k->parameters[1].offset, 8));
    cr_expect(eq(uint, k->parameters[1].pointee, PTX_GLOBAL));
    cr_expect(eq(sz, k->parameters[2].bytes, 13));
    cr_expect(eq(sz, k->parameters[3].offset, 32));
    cr_expect(eq(sz, k->usage.parameter_bytes, 48));
    finish(&unit);
}

/* What a and b call lies where neither has anything, and c, which calls nothing, is on its own. */
Test(facts, shared_variables_of_functions_lie_in_all_their_kernels)
{
    struct unit unit;

    read_module(&unit, HEAD ".shared .b8 m[100];\n"
                            ".func f { .shared .align 16 .b8 s[64]; ret; }\n"
                            ".func g { .reg .b64 r; mov.u64 r, m; call f; ret; }\n"
                            ".entry a() { .shared .u32 own; call f; ret; }\n"
                            ".entry b() { .shared .u32 own; call g; ret; }\n"
                            ".entry c() { .shared .u32 own; ret; }");
    cr_expect(eq(sz, offset_of(find(&unit, "f"), "s"), 112));
    cr_expect(eq(sz, offset_of(find(&unit, "a"), "own"), 176));
    cr_expect(eq(sz, find(&unit, "a")->usage.shared_bytes, 180));
    cr_expect(eq(sz, find(&unit, "b")->usage.shared_bytes, 180));
    cr_expect(eq(sz, find(&unit, "c")->usage.shared_bytes, 4));
    finish(&unit);
}

Test(facts, dynamic_shared_memory)
{
    struct unit unit;

    read_module(&unit, HEAD ".extern .shared .align 8 .b8 more[];\n"
                            ".func f { .reg .u32 r; ld.shared.u32 r, [more]; ret; }\n"
                            ".entry a() { call f; ret; } .entry b() { ret; }");
    cr_expect(find(&unit, "a")->usage.uses_dynamic_shared);
    cr_expect(not(find(&unit, "b")->usage.uses_dynamic_shared));
    cr_expect(unit.module.variables[0].dynamic);
    finish(&unit);
}

Test(facts, the_deepest_chain_of_frames)
{
    struct unit unit;

    read_module(&unit, HEAD ".func f { .local .b8 a[8]; ret; }\n"
                            ".func g { .local .b8 a[100]; ret; }\n"
                            ".func h { .local .b8 a[16]; call f; ret; }\n"
                            ".entry k() { .local .b8 a[4]; call g; call h; ret; }\n"
                            ".func self { .local .b8 a[4]; call self; ret; }\n"
                            ".entry r() { call self; ret; }\n"
                            ".entry i() { .reg .b64 p; t: .callprototype _ (); call p, t; ret; }");
    cr_expect(eq(sz, find(&unit, "h")->usage.local_bytes, 24));
    cr_expect(eq(sz, find(&unit, "k")->usage.local_bytes, 104));
    cr_expect(not(find(&unit, "k")->usage.recursive));
    cr_expect(find(&unit, "r")->usage.recursive);
    cr_expect(find(&unit, "i")->usage.recursive);
    finish(&unit);
}

Test(facts, threads_and_registers)
{
    struct unit unit;

    read_module(&unit, HEAD ".entry k() .maxntid 16, 4 .maxnreg 20 { ret; }\n"
                            ".entry j() .reqntid 7 { ret; } .entry i() { ret; }");
    cr_expect(eq(uint, find(&unit, "k")->usage.max_threads, 64));
    cr_expect(eq(uint, find(&unit, "j")->usage.max_threads, 7));
    cr_expect(eq(uint, find(&unit, "i")->usage.max_threads, 0));
    cr_expect(eq(uint, find(&unit, "i")->usage.registers, 16));
    finish(&unit);
}

/* Forty values that are all read at the end are all held until then. */
Test(facts, registers_in_use_at_once)
{
    char text[8192] = HEAD ".entry k(.param .u64 p) { .reg .b32 %r<50>; .reg .b64 %rd<2>;\n"
                           "ld.param.u64 %rd1, [p];\n";
    struct unit unit;

    for (int i = 0; i < 40; i++)
        sprintf(text + strlen(text), "ld.global.u32 %%r%d, [%%rd1+%d];\n", i, 4 * i);
    for (int i = 0; i < 40; i++)
        sprintf(text + strlen(text), "st.global.u32 [%%rd1+%d], %%r%d;\n", 4 * i, i);
    strcat(text, "ret; }");
    read_module(&unit, text);
    cr_expect(ge(uint, find(&unit, "k")->usage.registers, 42));
    cr_expect(le(uint, find(&unit, "k")->usage.registers, 48));
    finish(&unit);
}

Test(facts, functions_have_addresses_of_their_own)
{
    struct unit unit;

    read_module(&unit, HEAD ".func f { ret; } .func g { ret; } .entry k() { ret; }");
    cr_expect(eq(u64, find(&unit, "f")->address, PTX_CODE));
    cr_expect(eq(u64, find(&unit, "g")->address, PTX_CODE + 16));
    finish(&unit);
}

static uint32_t drawn(uint32_t n)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t) (state >> 11) % n;
}

enum { MOST_INSTRUCTIONS = 96, MOST_REGISTERS = 48 };

struct use {
    uint32_t first, last;
};

/* From its first to its last instruction, and to the end of each loop, one after another. */
static struct use use_of(const struct ptx__function *function, uint32_t reg)
{
    struct use use = {PTX_NONE, 0};

    for (uint32_t i = 0; i < function->n_instructions; i++) {
        if (function->instructions[i].opcode == PTX_OP_BRA ||
            function->instructions[i].operands[0].reg != reg)
            continue;
        use.first = use.first < i ? use.first : i;
        use.last = i;
    }
    for (uint32_t i = 0; i < function->n_instructions; i++) {
        const uint32_t to = function->instructions[i].operands[0].target;

        if (function->instructions[i].opcode == PTX_OP_BRA && to <= i && use.first < to &&
            use.last >= to && use.last < i)
            use.last = i;
    }
    return use;
}

static unsigned count_registers(const struct ptx__function *function)
{
    unsigned used[MOST_INSTRUCTIONS] = {0}, most = 0;

    for (uint32_t r = 0; r < function->n_registers; r++) {
        const struct use use = use_of(function, r);

        for (uint32_t i = use.first; i <= use.last; i++) {
            used[i]++;
            most = used[i] > most ? used[i] : most;
        }
    }
    return most + 2 < 16 ? 16 : most + 2;
}

Test(facts, registers_are_in_use_as_loops_say)
{
    unsigned stretched = 0;

    for (int round = 0; round < 2000; round++) {
        struct ptx__register registers[MOST_REGISTERS];
        struct ptx__instruction instructions[MOST_INSTRUCTIONS] = {{0}};
        struct ptx__operand operands[MOST_INSTRUCTIONS] = {{0}};
        struct ptx__function function = {.registers = registers,
                                         .n_registers = MOST_REGISTERS,
                                         .instructions = instructions,
                                         .n_instructions = MOST_INSTRUCTIONS};

        for (uint32_t r = 0; r < MOST_REGISTERS; r++)
            registers[r] = (struct ptx__register){"r", PTX_U32, 0};
        for (uint32_t i = 0; i < MOST_INSTRUCTIONS; i++) {
            const bool jumps = !drawn(4);

            instructions[i].opcode = jumps ? PTX_OP_BRA : PTX_OP_MOV;
            instructions[i].operands = &operands[i];
            instructions[i].n_operands = 1;
            operands[i].kind = jumps ? PTX_LABEL : PTX_REGISTER;
            if (jumps)
                operands[i].target = drawn(MOST_INSTRUCTIONS);
            else
                operands[i].reg = drawn(MOST_REGISTERS);
        }
        cr_assert(ptx__count_registers(&function));
        cr_assert(eq(uint, function.usage.registers, count_registers(&function)));
        stretched += count_registers(&function) > 16;
    }
    cr_expect(gt(uint, stretched, 0));
}
