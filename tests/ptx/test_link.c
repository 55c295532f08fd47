/* SPDX-License-Identifier: MIT */
/* Several texts as one module. */
#include "support.h"

TestSuite(link);

/* The function that an instruction calls. */
static const struct ptx__function *called(const struct unit *unit, const char *name)
{
    const struct ptx__instruction *call = &find(unit, name)->instructions[0];

    cr_assert(eq(uint, call->opcode, PTX_OP_CALL));
    return &unit->module.functions[call->operands[1].symbol.number];
}

static void link_two(struct unit *unit, const char *a, const char *b)
{
    const char *texts[] = {a, b};
    const enum ptx__status status = read_texts(unit, texts, 2);

    cr_assert(eq(int, (int) status, PTX_OK), "%s",
              unit->log.n_messages ? unit->log.messages[0].text : "no message");
}

Test(link, functions_and_variables_of_another_text)
{
    struct unit unit;
    const struct ptx__function *f;

    link_two(&unit,
             HEAD ".extern .func f; .extern .global .u32 v;\n"
                  ".entry k() { .reg .b64 r; call f; mov.u64 r, v; ret; }",
             HEAD ".visible .global .u32 v = 7; .visible .func f { trap; }");
    f = called(&unit, "k");
    cr_expect(f->has_body);
    cr_expect(eq(u32, f->unit, 1));
    cr_expect(eq(
        sz,
        unit.module.variables[find(&unit, "k")->instructions[1].operands[1].symbol.number].n_values,
        4));
    finish(&unit);
}

Test(link, static_names_are_those_of_their_text)
{
    struct unit unit;

    link_two(&unit, HEAD ".func f { trap; } .entry a() { call f; ret; }",
             HEAD ".func f { ret; } .entry b() { call f; ret; }");
    cr_expect(eq(u32, called(&unit, "a")->unit, 0));
    cr_expect(eq(u32, called(&unit, "b")->unit, 1));
    finish(&unit);
}

Test(link, the_strong_definition_is_taken)
{
    struct unit unit;

    link_two(&unit, HEAD ".weak .func f { trap; } .entry a() { call f; ret; }",
             HEAD ".visible .func f { ret; } .weak .entry a() { trap; }");
    cr_expect(eq(u32, called(&unit, "a")->unit, 1));
    cr_expect(eq(u32, find(&unit, "a")->unit, 0));
    finish(&unit);
}

Test(link, two_definitions_are_a_mistake)
{
    const char *texts[] = {HEAD ".visible .func f { ret; }", HEAD ".visible .func f { ret; }"};
    struct unit unit;

    cr_expect(eq(int, (int) read_texts(&unit, texts, 2), PTX_INVALID));
    cr_expect(eq(str, unit.log.messages[0].text, S("Multiple definition of 'f'")));
    finish(&unit);
}

Test(link, aliases)
{
    struct unit unit;

    link_two(&unit, HEAD ".extern .func g; .entry a() { call g; ret; }",
             HEAD ".visible .func g; .func f { ret; } .alias g, f; .entry b() { call g; ret; }");
    cr_expect(eq(str, S(called(&unit, "a")->name), S("f")));
    cr_expect(eq(str, S(called(&unit, "b")->name), S("f")));
    cr_expect(
        eq(u32, ptx__function_find(&unit.module, "g"), ptx__function_find(&unit.module, "f")));
    finish(&unit);
}

Test(link, forward_declarations)
{
    struct unit unit;

    read_module(&unit, HEAD ".func f; .entry k() { call f; ret; } .func f { trap; }");
    cr_expect(called(&unit, "k")->has_body);
    cr_expect(eq(u32, unit.module.n_functions, 2));
    finish(&unit);
}

Test(link, what_the_device_provides)
{
    struct unit unit;

    read_module(&unit, HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
                            ".entry k() { .param .b32 r; .param .b64 f; .param .b64 a;\n"
                            "call (r), vprintf, (f, a); ret; }");
    cr_expect(eq(uint, called(&unit, "k")->linkage, PTX_EXTERN));
    cr_expect(not(called(&unit, "k")->has_body));
    finish(&unit);
}

Test(link, an_extern_variable_that_nothing_defines_is_one)
{
    struct unit unit;

    read_module(&unit, HEAD ".extern .global .u32 v; .entry k() { ret; }");
    cr_assert(eq(sz, unit.log.n_messages, 1));
    cr_expect(eq(int, (int) unit.log.messages[0].severity, PTX_WARNING));
    cr_expect(eq(sz, unit.module.variables[0].bytes, 4));
    finish(&unit);
}
