/* SPDX-License-Identifier: MIT */
/* What the reader makes of a text. */
#include "support.h"

TestSuite(parse);

/* The kernel k with these statements. */
static const struct ptx__function *read_body(struct unit *unit, const char *statements)
{
    char text[4096];

    snprintf(text, sizeof(text),
             HEAD ".global .u32 table[8];\n.func (.param .b32 r) f(.param .b32 a) { ret; }\n"
                  ".entry k(.param .u64 p) { .reg .pred %%p<4>; .reg .b16 %%h<4>; "
                  ".reg .b32 %%r<9>; .reg .b64 %%rd<4>; .reg .f32 %%f<9>; .reg .f64 %%d<4>; "
                  ".reg .v4 .f32 %%v; %s }\n",
             statements);
    read_module(unit, text);
    return find(unit, "k");
}

static const char *register_name(const struct ptx__function *function,
                                 const struct ptx__operand *operand)
{
    return function->registers[operand->reg].name;
}

Test(parse, an_instruction)
{
    struct unit unit;
    const struct ptx__function *k = read_body(&unit, "\n  @!%p1 add.rn.ftz.f32 %f3, %f1, 1.5;");
    const struct ptx__instruction *add = &k->instructions[0];

    cr_assert(eq(u32, k->n_instructions, 1));
    cr_expect(eq(uint, add->opcode, PTX_OP_ADD));
    cr_expect(eq(uint, add->n_modifiers, 2));
    cr_expect(eq(uint, add->modifiers[0], PTX_MOD_RN));
    cr_expect(ptx__has(add, PTX_MOD_FTZ));
    cr_expect(not(ptx__has(add, PTX_MOD_SAT)));
    cr_expect(eq(int, (int) ptx__type_of(add, 0), PTX_F32));
    cr_expect(eq(int, (int) ptx__type_of(add, 1), PTX_NO_TYPE));
    cr_expect(add->guard_negated);
    cr_expect(eq(str, S(k->registers[add->guard].name), S("%p1")));
    cr_assert(eq(u32, add->n_operands, 3));
    cr_expect(eq(str, S(register_name(k, &add->operands[0])), S("%f3")));
    cr_expect(eq(uint, add->operands[2].kind, PTX_REAL));
    /* A decimal is a double, and the instruction wants a float. */
    cr_expect(eq(u64, add->operands[2].real, 0x3fc00000));
    cr_expect(eq(u32, add->place.line, 7));
    cr_expect(eq(u32, add->place.column, 9));
    cr_expect(eq(uint, ptx__forms[add->form].opcode, PTX_OP_ADD));
    finish(&unit);
}

Test(parse, words_in_any_order)
{
    struct unit unit;
    const struct ptx__function *k = read_body(
        &unit, "ld.u32.global %r1, [%rd1]; cvt.f32.rn.s32 %f1, %r1; setp.f32.lt %p1, %f1, %f2;");

    cr_expect(eq(int, (int) ptx__space_of(&k->instructions[0]), PTX_GLOBAL));
    cr_expect(eq(int, (int) ptx__type_of(&k->instructions[1], 0), PTX_F32));
    cr_expect(eq(int, (int) ptx__type_of(&k->instructions[1], 1), PTX_S32));
    cr_expect(ptx__has(&k->instructions[2], PTX_MOD_LT));
    finish(&unit);
}

Test(parse, the_longest_name_of_an_instruction)
{
    struct unit unit;
    const struct ptx__function *k =
        read_body(&unit, "cp.async.commit_group; cp.async.ca.shared.global [%r1], [%rd1], 8;"
                         "barrier.cta.sync 0; barrier.cluster.wait;");

    cr_expect(eq(uint, k->instructions[0].opcode, PTX_OP_CP_ASYNC_COMMIT_GROUP));
    cr_expect(eq(uint, k->instructions[1].opcode, PTX_OP_CP_ASYNC));
    cr_expect(eq(uint, k->instructions[1].spaces[1], PTX_GLOBAL));
    cr_expect(eq(uint, k->instructions[2].opcode, PTX_OP_BARRIER));
    cr_expect(eq(uint, k->instructions[3].opcode, PTX_OP_BARRIER_CLUSTER_WAIT));
    finish(&unit);
}

Test(parse, memory_operands)
{
    struct unit unit;
    const struct ptx__function *k =
        read_body(&unit, "ld.global.u32 %r1, [%rd1+-4]; ld.global.u32 %r1, [table+8];"
                         "ld.global.u32 %r1, table[3]; ld.param.u64 %rd1, [p];"
                         "ld.local.u32 %r1, [16];");
    const struct ptx__operand *operand;

    operand = &k->instructions[0].operands[1];
    cr_expect(eq(uint, operand->kind, PTX_MEMORY));
    cr_expect(eq(str, S(register_name(k, operand)), S("%rd1")));
    cr_expect(eq(i64, operand->offset, -4));
    operand = &k->instructions[1].operands[1];
    cr_expect(eq(u32, operand->reg, PTX_NONE));
    cr_expect(eq(int, (int) operand->symbol.kind, PTX_MODULE_VARIABLE));
    cr_expect(eq(i64, operand->offset, 8));
    operand = &k->instructions[2].operands[1];
    cr_expect(eq(uint, operand->kind, PTX_MEMORY));
    cr_expect(eq(i64, operand->offset, 12));
    operand = &k->instructions[3].operands[1];
    cr_expect(eq(int, (int) operand->symbol.kind, PTX_PARAMETER));
    operand = &k->instructions[4].operands[1];
    cr_expect(eq(int, (int) operand->symbol.kind, PTX_NO_SYMBOL));
    cr_expect(eq(u32, operand->reg, PTX_NONE));
    cr_expect(eq(i64, operand->offset, 16));
    finish(&unit);
}

Test(parse, vectors_pairs_and_sinks)
{
    struct unit unit;
    const struct ptx__function *k =
        read_body(&unit, "ld.global.v2.f32 {%f1, _}, [%rd1]; mov.f32 %f2, %v.z;"
                         "setp.lt.s32 %p1|%p2, %r1, WARP_SZ; mov.u32 %r2, %tid.y;"
                         "mov.b32 %r1, {%h1, %h2};");
    const struct ptx__operand *operand;

    operand = &k->instructions[0].operands[0];
    cr_expect(eq(uint, operand->kind, PTX_VECTOR));
    cr_expect(eq(u32, operand->count, 2));
    cr_expect(eq(uint, operand->elements[1].kind, PTX_SINK));
    cr_expect(eq(uint, k->instructions[0].vector, 2));
    operand = &k->instructions[1].operands[1];
    cr_expect(eq(int, operand->component, 2));
    operand = &k->instructions[2].operands[0];
    cr_expect(eq(uint, operand->kind, PTX_PAIR));
    cr_expect(eq(str, S(register_name(k, &operand->elements[1])), S("%p2")));
    cr_expect(eq(u64, k->instructions[2].operands[2].integer, 32));
    operand = &k->instructions[3].operands[1];
    cr_expect(eq(uint, operand->kind, PTX_SPECIAL));
    cr_expect(eq(uint, operand->special, PTX_SREG_TID));
    cr_expect(eq(int, operand->component, 1));
    cr_expect(eq(u32, k->instructions[4].operands[1].count, 2));
    finish(&unit);
}

Test(parse, labels_are_those_of_their_block)
{
    struct unit unit;
    const struct ptx__function *k = read_body(
        &unit, "bra END; { L: bra L; } { bra L; { bra END; } L: trap; } L: ret; END: bra L;");

    /* 0 bra END, 1 L: bra L, 2 bra L, 3 bra END, 4 L: trap, 5 L: ret, 6 END: bra L */
    cr_assert(eq(u32, k->n_instructions, 7));
    cr_expect(eq(u32, k->instructions[0].operands[0].target, 6));
    cr_expect(eq(u32, k->instructions[1].operands[0].target, 1));
    cr_expect(eq(u32, k->instructions[2].operands[0].target, 4));
    cr_expect(eq(u32, k->instructions[3].operands[0].target, 6));
    cr_expect(eq(u32, k->instructions[6].operands[0].target, 5));
    finish(&unit);
}

Test(parse, registers_are_those_of_their_block)
{
    struct unit unit;
    const struct ptx__function *k =
        read_body(&unit, "mov.u32 %r1, 1; { .reg .b64 %r<3>; mov.u64 %r1, 2; } mov.u32 %r1, 3;");
    const struct ptx__instruction *i = k->instructions;

    cr_expect(eq(u32, i[0].operands[0].reg, i[2].operands[0].reg));
    cr_expect(ne(u32, i[0].operands[0].reg, i[1].operands[0].reg));
    cr_expect(eq(uint, k->registers[i[1].operands[0].reg].type, PTX_B64));
    finish(&unit);
}

Test(parse, a_range_of_registers_costs_what_is_used_of_it)
{
    struct unit unit;
    const struct ptx__function *k =
        read_body(&unit, ".reg .b32 %many<4000000000>; mov.u32 %many399999999, %many7;");

    cr_expect(eq(u32, k->n_registers, 3)); /* and the vector %v, which has a name of its own */
    finish(&unit);
}

Test(parse, calls)
{
    struct unit unit;
    const struct ptx__function *k =
        read_body(&unit, ".param .b32 x; .param .b32 y; call.uni (x), f, (y);"
                         "like: .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn;"
                         "call (x), %rd1, (y), like;"
                         "all: .calltargets f; call (x), %rd1, (y), all;");
    const struct ptx__instruction *i = k->instructions;

    cr_assert(eq(u32, i[0].n_operands, 4));
    cr_expect(eq(uint, i[0].operands[0].kind, PTX_LIST));
    cr_expect(eq(int, (int) i[0].operands[0].elements[0].symbol.kind, PTX_FUNCTION_VARIABLE));
    cr_expect(eq(int, (int) i[0].operands[1].symbol.kind, PTX_FUNCTION));
    cr_expect(eq(str, S(unit.module.functions[i[0].operands[1].symbol.number].name), S("f")));
    cr_expect(eq(uint, i[0].operands[3].kind, PTX_NO_OPERAND));
    cr_expect(eq(uint, i[1].operands[1].kind, PTX_REGISTER));
    cr_expect(eq(uint, i[1].operands[3].kind, PTX_PROTOTYPE));
    cr_expect(k->prototypes[i[1].operands[3].target].no_return);
    cr_expect(eq(uint, i[2].operands[3].kind, PTX_TABLE));
    cr_expect(k->tables[i[2].operands[3].target].calls);
    finish(&unit);
}

Test(parse, branch_tables)
{
    struct unit unit;
    const struct ptx__function *k =
        read_body(&unit, "t: .branchtargets A, B, A; brx.idx %r1, t; A: trap; B: ret;");
    const struct ptx__table *table = &k->tables[k->instructions[0].operands[1].target];

    cr_assert(eq(u32, table->n_targets, 3));
    cr_expect(eq(u32, table->targets[0], 1));
    cr_expect(eq(u32, table->targets[1], 2));
    cr_expect(eq(u32, table->targets[2], 1));
    finish(&unit);
}

Test(parse, textures_and_video)
{
    struct unit unit;
    const struct ptx__function *k =
        read_body(&unit, "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];"
                         "vmad.s32.s32.s32 %r1, -%r2.b3, %r3.h1, %r4;"
                         "vadd2.s32.s32.s32 %r1.h1, %r2.h32, %r3.h10, %r4;");
    const struct ptx__operand *operand = &k->instructions[0].operands[1];

    cr_expect(eq(uint, operand->kind, PTX_BRACKETS));
    cr_expect(eq(u32, operand->count, 2));
    cr_expect(eq(uint, operand->elements[1].kind, PTX_VECTOR));
    operand = &k->instructions[1].operands[1];
    cr_expect(operand->negative);
    cr_expect(eq(uint, operand->selector, 4));
    cr_expect(eq(uint, k->instructions[1].operands[2].selector, 6));
    operand = &k->instructions[2].operands[1];
    cr_expect(eq(uint, operand->selector, PTX_HALF_LANES));
    cr_expect(eq(uint, operand->lanes, 0x32));
    finish(&unit);
}

Test(parse, places_in_the_source)
{
    static const char text[] = HEAD ".file 1 \"a.cu\"\n.file 2 \"b.h\", 12, 34\n.entry k() {\n"
                                    "trap;\n.loc 1 5 3\ntrap;\n"
                                    ".loc 2 7 1, function_name $f + 4, inlined_at 1 5 3\ntrap; }";
    const struct ptx__location *inner, *outer;
    const struct ptx__function *k;
    struct unit unit;

    read_module(&unit, text);
    k = find(&unit, "k");
    cr_expect(eq(u32, k->instructions[0].location, 0));
    outer = &unit.module.locations[k->instructions[1].location];
    inner = &unit.module.locations[k->instructions[2].location];
    cr_expect(eq(str, S(unit.module.files[outer->file].path), S("a.cu")));
    cr_expect(eq(u32, outer->line, 5));
    cr_expect(eq(u32, outer->column, 3));
    cr_expect(eq(str, S(unit.module.files[inner->file].path), S("b.h")));
    cr_expect(eq(u32, inner->line, 7));
    cr_expect(eq(u32, inner->inlined_at, k->instructions[1].location));
    finish(&unit);
}

/* As NVRTC writes it, and a place in a file that nothing names. */
Test(parse, files_that_are_named_behind_their_places)
{
    static const char text[] = HEAD ".entry k() {\n.loc 1 5 3\ntrap;\n.loc 7 6 3\ntrap; }\n"
                                    ".file 1 \"/src/a.cu\"\n";
    const struct ptx__location *first, *second;
    const struct ptx__function *k;
    struct unit unit;

    read_module(&unit, text);
    k = find(&unit, "k");
    first = &unit.module.locations[k->instructions[0].location];
    second = &unit.module.locations[k->instructions[1].location];
    cr_expect(eq(str, S(unit.module.files[first->file].path), S("/src/a.cu")));
    cr_expect(eq(u32, first->line, 5));
    cr_expect(eq(ptr, (void *) unit.module.files[second->file].path, NULL));
    finish(&unit);
}

Test(parse, deep_nesting_is_refused)
{
    char text[3000] = HEAD ".entry k() ";
    struct unit unit;
    const char *texts[] = {text};

    memset(text + strlen(text), '{', 1000);
    cr_expect(eq(int, (int) read_texts(&unit, texts, 1), PTX_INVALID));
    cr_expect(eq(str, unit.log.messages[0].text, S("Nested too deeply")));
    finish(&unit);
    strcpy(text, HEAD ".entry k() { .reg .b32 r; mov.u32 r, ");
    memset(text + strlen(text), '(', 1000);
    cr_expect(eq(int, (int) read_texts(&unit, texts, 1), PTX_INVALID));
    finish(&unit);
}
