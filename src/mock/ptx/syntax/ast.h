/* SPDX-License-Identifier: MIT */
/*
 * The syntax tree of a PTX module, read and checked. Names are kept for messages and for queries of
 * the program. Everything that decides what an instruction does is a number: opcodes, modifiers,
 * types, spaces and special registers are enums, and registers and labels are indices in lists of
 * their function. All of it is in the module's arena. It does not change after reading, except for
 * the fields that say "set by".
 */
#ifndef CUSHIM_MOCK_PTX_SYNTAX_AST_H
#define CUSHIM_MOCK_PTX_SYNTAX_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "mock/ptx/syntax/isa.h"
#include "mock/ptx/syntax/types.h"

#define PTX_MAX_MODIFIERS 16
#define PTX_MAX_TYPES     5
#define PTX_NONE          UINT32_MAX /* no register, no function, ... */

/* A position in the text. Lines and columns count from 1; line 0 stands for none. */
struct ptx__place {
    uint32_t line, column;
};

/*
 * A place in the program's source, from ".loc". For an inlined call, inlined_at is the number of
 * the caller's location in the module's `locations`; otherwise it is 0.
 */
struct ptx__location {
    uint32_t file; /* index in the module's `files`, or PTX_NONE */
    uint32_t line, column;
    uint32_t inlined_at;
};

/* ".file 1 "a.cu"" */
struct ptx__file {
    uint32_t number;
    const char *path; /* NULL: places name the file, and no .file says what it is */
    uint32_t unit; /* the text that contains it, of the texts of a linked module */
};

/* The kinds of things that a name may stand for. */
enum ptx__symbol_kind {
    PTX_NO_SYMBOL,
    PTX_MODULE_VARIABLE,   /* of module->variables */
    PTX_FUNCTION_VARIABLE, /* of function->variables: .local, .shared, .param, and .global in it */
    PTX_PARAMETER,         /* of function->parameters */
    PTX_RESULT,            /* of function->results */
    PTX_FUNCTION,          /* of module->functions */
};

struct ptx__symbol {
    enum ptx__symbol_kind kind;
    uint32_t number;
};

enum ptx__operand_kind {
    PTX_NO_OPERAND,
    /* A register: reg; component if it is one of a vector's; negative for "!%p1". */
    PTX_REGISTER,
    /* "p|q": elements has the two, of which the second may be PTX_SINK. */
    PTX_PAIR,
    /* "%tid.x": special, component, -1 where it has but one, or all are meant. */
    PTX_SPECIAL,
    /* integer, sign-extended to 64 bits. WARP_SZ is one too. */
    PTX_INTEGER,
    /*
     * real, the bits of a floating-point number, as the operand's type has them: `type` is
     * PTX_F32 (bits in the lower half) or PTX_F64. The checker makes it the one that the
     * instruction works on (also for the packed and half types, which are given an f32).
     */
    PTX_REAL,
    /* The address of symbol, plus offset: "mov.u64 %rd1, table+4". Of a function, too. */
    PTX_ADDRESS,
    /*
     * "[base+offset]": the base is register `reg`, or symbol if reg is PTX_NONE, or nothing if
     * symbol.kind is PTX_NO_SYMBOL.
     */
    PTX_MEMORY,
    /* "{a, b}": elements. An element may be PTX_SINK, and in a brace of braces a vector. */
    PTX_VECTOR,
    /* "_" */
    PTX_SINK,
    /* Where a branch goes: target, the number of an instruction of the function. */
    PTX_LABEL,
    /* "(a, b)": elements; the results or the arguments of a call. */
    PTX_LIST,
    /*
     * "[tex, {x, y}]", "[tex, sampler, {x, y}]", "[tensorMap, {x, y}]": elements. The first
     * are addresses or registers, the last is a vector, or what was written in its place.
     */
    PTX_BRACKETS,
    /* Of an indirect call or branch: target is a place in the function's `prototypes`... */
    PTX_PROTOTYPE,
    /* ... or in its `tables`. */
    PTX_TABLE,
};

struct ptx__operand {
    uint8_t kind;     /* enum ptx__operand_kind */
    uint8_t type;     /* enum ptx__type; of PTX_REAL: which bits; of a register: its declared one */
    int8_t component; /* 0 to 3 for .x to .w; -1 for all of a register */
    bool negative;    /* "!p", or "-r" where the ISA has it */
    bool indexed;     /* an address that was written as "table[2]" */
    bool unified;     /* memory: "[a].unified" */
    bool sum;         /* a register and `integer`: "%r1+4" */
    /*
     * Of video instructions: 1 to 4 for .b0 to .b3, 5 and 6 for .h0 and .h1; or what `lanes`
     * holds, four bits for each lane of a packed value, the highest lane first.
     */
    uint8_t selector;
    uint16_t special; /* enum ptx__special */
    uint16_t lanes;
    uint32_t count; /* of elements */
    union {
        uint32_t reg; /* place in function->registers */
        uint32_t target;
    };
    struct ptx__symbol symbol;
    union {
        uint64_t integer, real;
        int64_t offset;
        struct ptx__operand *elements;
    };
    struct ptx__place place;
};

enum { PTX_BYTE_LANES = 7, PTX_HALF_LANES = 8 };

struct ptx__instruction {
    uint16_t opcode; /* enum ptx__opcode */
    uint16_t form;   /* place in the table of forms, see isa.h */

    /* Those that are neither types nor spaces nor ".v4", in the order written. */
    uint16_t modifiers[PTX_MAX_MODIFIERS]; /* enum ptx__modifier */
    uint8_t types[PTX_MAX_TYPES];          /* enum ptx__type, in the order written */
    uint8_t spaces[2];                     /* enum ptx__space, in the order written */
    uint8_t n_modifiers, n_types, n_spaces;
    uint8_t vector; /* 2, 4 or 8 for .v2, .v4, .v8; else 0 */

    bool guard_negated;
    uint32_t guard; /* predicate register, or PTX_NONE */

    /*
     * In the order written. A `call` always has four: the list of results, the function
     * (PTX_ADDRESS of one, or a register), the list of arguments, and PTX_PROTOTYPE or
     * PTX_TABLE; what is not written is PTX_NO_OPERAND.
     */
    struct ptx__operand *operands;
    uint32_t n_operands;

    struct ptx__place place;
    uint32_t location; /* place in the module's `locations`; 0: none */
};

/* A register is added to the list when it is first used, so "%r<1000>" costs nothing. */
struct ptx__register {
    const char *name;
    uint8_t type;   /* enum ptx__type */
    uint8_t vector; /* 2 or 4 for a vector; else 0 */
};

/* A place in an initial value that gets an address. */
struct ptx__address {
    struct ptx__symbol symbol; /* a variable of the module, or a function */
    size_t offset, bytes;
    uint64_t addend;
    uint64_t mask; /* the bits of the address that are stored, moved to the lowest position */
    bool generic;  /* generic(symbol): the generic address, not the one in its own space */
};

/* The visibility of a name in other modules. */
enum ptx__linkage {
    PTX_STATIC,
    PTX_VISIBLE,
    PTX_EXTERN, /* defined elsewhere; after linking only functions of the engine itself */
    PTX_WEAK,
    PTX_COMMON,
};

struct ptx__variable {
    const char *name;
    uint8_t space;  /* enum ptx__space */
    uint8_t type;   /* enum ptx__type, of the elements */
    uint8_t vector; /* 2 or 4 if they are vectors */
    uint8_t linkage;
    bool managed;
    bool unified;
    /*
     * An array without a size in .shared: it begins where the kernel's own shared memory ends
     * (kernel->usage.shared_bytes rounded up to the alignment), so its address differs from
     * kernel to kernel even in a function that several of them call.
     */
    bool dynamic;
    size_t bytes, alignment;
    unsigned char *values; /* the initial ones; beyond n_values they are zeros */
    size_t n_values;
    struct ptx__address *addresses;
    size_t n_addresses;
    struct ptx__place place;
    uint32_t unit;
    bool replaced; /* another one of the list replaces it, and nothing names this one */
    /*
     * The place. .shared: from the beginning of the block's shared memory. .local: from the
     * beginning of the function's frame. .param: from the beginning of the function's .param frame.
     */
    size_t offset;
    uint64_t address; /* .global and .const: set by the code that loads the module, before
                         lowering */
};

/* The settings of a sampler or texture variable: one byte for each in its values, 0 if not set. */
enum {
    PTX_OPAQUE_FILTER = 3, /* after the modes of three dimensions, which have the numbers of txq */
    PTX_OPAQUE_UNNORMALISED,
    PTX_OPAQUE_VALUES = 8,
};

/* A parameter or a result of a function or of a prototype. */
struct ptx__parameter {
    const char *name;
    uint8_t type, vector;
    bool is_register; /* ".reg .u32 a": it is register `reg` */
    bool array;       /* ".param .b8 a[12]" */
    bool open;        /* ".param .b8 a[]" */
    uint8_t pointee;  /* ".ptr .global": the space of the memory that it points to */
    size_t pointee_alignment;
    uint32_t reg;
    size_t offset, bytes, alignment; /* offset: in the list of parameters */
    struct ptx__place place;
};

/* ".callprototype" */
struct ptx__prototype {
    const char *name;
    struct ptx__parameter *results, *parameters;
    uint32_t n_results, n_parameters;
    bool no_return;
    struct ptx__place place;
};

/* ".branchtargets": numbers of instructions. ".calltargets": numbers of functions. */
struct ptx__table {
    const char *name;
    bool calls;
    uint32_t *targets;
    uint32_t n_targets;
    struct ptx__place place;
};

/* The figures for cuFuncGetAttribute() and the computation of occupancy. */
struct ptx__resource_usage {
    size_t parameter_bytes;
    size_t shared_bytes;  /* static; for a kernel including the functions that it calls */
    size_t local_bytes;   /* for a kernel: of the deepest chain of calls without recursion */
    size_t frame_bytes;   /* .local variables of this function only */
    size_t param_bytes;   /* .param variables of this function only */
    unsigned registers;   /* the maximum of live 32-bit registers: an estimate */
    unsigned barriers;    /* of a block: one more than the largest number of one */
    unsigned max_threads; /* the product of .maxntid or .reqntid; 0 if there is neither */
    bool uses_dynamic_shared;
    bool calls_indirectly;
    bool recursive; /* or may be recursive: it reaches an indirect call */
};

struct ptx__function {
    const char *name;
    bool is_kernel, has_body, no_return;
    bool replaced; /* like that of a variable */
    uint8_t linkage;
    uint32_t unit;
    struct ptx__place place;

    struct ptx__parameter *parameters, *results;
    uint32_t n_parameters, n_results;

    struct ptx__register *registers;
    struct ptx__variable *variables;
    struct ptx__instruction *instructions;
    struct ptx__prototype *prototypes;
    struct ptx__table *tables;
    uint32_t n_registers, n_variables, n_instructions, n_prototypes, n_tables;

    /* Zeros for directives that the text does not have. */
    uint32_t max_ntid[3], req_ntid[3], req_cluster[3];
    uint32_t min_ctas, max_ctas, max_registers, max_cluster_rank;
    bool explicit_cluster, blocks_are_clusters;

    struct ptx__resource_usage usage;
    uint64_t address; /* the value of a pointer to it, see PTX_CODE */
};

/* No memory is in the window of function pointers: PTX_CODE + number * PTX_CODE_STEP. */
#define PTX_CODE      ((uint64_t) 0x7f0000000000)
#define PTX_CODE_STEP 16

/* ".alias f, g": f is another name of g. Calls of f were made calls of g. */
struct ptx__alias {
    const char *name;
    uint32_t function;
    uint32_t declaration; /* that of f */
};

struct ptx__module {
    int version;        /* 10 * major + minor; the largest one of a linked module */
    int target;         /* 90 for sm_90a */
    char target_suffix; /* 'a', 'f', or 0 */
    bool debug;
    unsigned address_bits;

    struct ptx__function *functions;
    struct ptx__variable *variables;
    struct ptx__file *files;
    struct ptx__location *locations; /* the first one is none */
    struct ptx__alias *aliases;
    uint32_t n_functions, n_variables, n_files, n_locations, n_aliases;
    size_t constant_bytes;

    struct cushim__arena arena;
};

/* Tells whether the instruction has the modifier. */
static inline bool ptx__has(const struct ptx__instruction *instruction, enum ptx__modifier modifier)
{
    for (unsigned i = 0; i < instruction->n_modifiers; i++) {
        if (instruction->modifiers[i] == modifier)
            return true;
    }
    return false;
}

/* Returns the instruction's type with this number, PTX_NO_TYPE if it has fewer. */
static inline enum ptx__type ptx__type_of(const struct ptx__instruction *instruction,
                                          unsigned number)
{
    return number < instruction->n_types ? (enum ptx__type) instruction->types[number]
                                         : PTX_NO_TYPE;
}

static inline enum ptx__space ptx__space_of(const struct ptx__instruction *instruction)
{
    return instruction->n_spaces ? (enum ptx__space) instruction->spaces[0] : PTX_NO_SPACE;
}

#endif
