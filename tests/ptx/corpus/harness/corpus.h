/* SPDX-License-Identifier: MIT */
/*
 * The corpus: kernels in CUDA C++, each with inputs that a generator makes and a reference in
 * C that says what must come out. The same cases run on the mock and on a GPU.
 *
 * kernels/SUBJECT.cu has the kernels, references/SUBJECT.c what must come out and the table of
 * cases, recorded/SUBJECT.tsv what hardware answered. A case's arguments are its buffers, in order,
 * and then its values, so a kernel's last parameters are ints. A new subject is also listed in
 * modules.h and meson.build; tests/ptx/corpus/regenerate.py makes its PTX.
 */
#ifndef CUSHIM_TESTS_CORPUS_H
#define CUSHIM_TESTS_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum corpus_type { U8, U16, U32, U64, F16, BF16, F32, F64 };

enum corpus_fill {
    ZERO,
    ANY,   /* special values (of all such buffers, each with each), then any bits */
    RANGE, /* low..high: whole numbers up to and with high in integers, below high in floats */
    WHOLE, /* the same in whole numbers, whatever the type, and with high */
    STEP,  /* low, low + high, low + 2 high... */
};

enum corpus_role {
    MEMORY,   /* device memory, the argument is its address */
    BY_VALUE, /* the argument is the bytes themselves */
    SYMBOL,   /* device memory of the module, by its name; no argument */
    TEXTURE,  /* what is behind a texture object, which is the argument */
    SURFACE,  /* an array behind a surface object */
    TENSOR,   /* device memory behind a tensor map; the argument is the map itself */
};

/* What a texture is made of. */
enum corpus_home { IN_ARRAY, IN_LEVELS, IN_MEMORY, IN_ROWS };

/* A texture or surface; numbers of modes, flags and readings are those of cuda.h. */
struct corpus_image {
    enum corpus_home home;
    unsigned channels; /* 0 is 1 */
    unsigned size[3];  /* 0: there is no such dimension; depth may be layers and faces */
    unsigned flags;    /* CUDA_ARRAY3D_* */
    unsigned levels;   /* in the buffer one behind the other */
    unsigned modes[3]; /* CUaddress_mode */
    unsigned reading;  /* CU_TRSF_* */
    bool sign;         /* the integers have one */
    bool linear, linear_levels;
    float bias, least_level, most_level, border[4];
};

/* A tensor map of numbers that lie one behind the other. */
struct corpus_tensor {
    unsigned rank;
    unsigned size[5], box[5]; /* the innermost first */
    unsigned swizzle;         /* CUtensorMapSwizzle */
};

struct corpus_buffer {
    enum corpus_type type;
    unsigned count; /* 0: no buffer; the list ends */
    enum corpus_fill fill;
    double low, high;
    bool out; /* compared afterwards */
    enum corpus_role role;
    const char *symbol; /* the module's variable; of a texture or surface: no argument, too */
    const struct corpus_image *image; /* of a texture or surface */
};

#define IN(type, count)                                                                            \
    {                                                                                              \
        type, count, ANY, 0, 0, false, MEMORY, NULL, NULL                                          \
    }
#define IN_RANGE(type, count, low, high)                                                           \
    {                                                                                              \
        type, count, RANGE, low, high, false, MEMORY, NULL, NULL                                   \
    }
#define IN_STEP(type, count, low, high)                                                            \
    {                                                                                              \
        type, count, STEP, low, high, false, MEMORY, NULL, NULL                                    \
    }
#define IN_WHOLE(type, count, low, high)                                                           \
    {                                                                                              \
        type, count, WHOLE, low, high, false, MEMORY, NULL, NULL                                   \
    }
#define OUT(type, count)                                                                           \
    {                                                                                              \
        type, count, ZERO, 0, 0, true, MEMORY, NULL, NULL                                          \
    }
#define INOUT(type, count)                                                                         \
    {                                                                                              \
        type, count, ANY, 0, 0, true, MEMORY, NULL, NULL                                           \
    }
#define INOUT_RANGE(type, count, low, high)                                                        \
    {                                                                                              \
        type, count, RANGE, low, high, true, MEMORY, NULL, NULL                                    \
    }

#define IN_TENSOR(type, count, low, high)                                                          \
    {                                                                                              \
        type, count, RANGE, low, high, false, TENSOR, NULL, NULL                                   \
    }

/* How far a floating-point result may be from the reference: within either is right. */
struct corpus_bound {
    double ulps, absolute;
};

/* What a reference sees. */
struct corpus_run {
    const struct corpus_case *test;
    void *in[8];     /* the inputs; the same bytes for every run of a case */
    void *expect[8]; /* what must be there afterwards; the inputs, until the reference writes */
    bool contracted; /* the product and the sum of a multiply-add are rounded once */
};

struct corpus_case {
    const char *name; /* the kernel's, too, unless there is another */
    const char *kernel;
    unsigned grid[3], block[3], shared; /* 0 is 1 in grid and block */
    struct corpus_buffer buffers[8];
    const struct corpus_tensor *tensors; /* of the buffers that are TENSOR, by their numbers */
    int values[6];
    void (*reference)(struct corpus_run *run);
    const struct corpus_bound *bounds; /* of element i of an output: the one at i % n_bounds */
    unsigned n_bounds;
    bool contracts;    /* PTX leaves the contraction open, so each element has two right results */
    bool cooperative;  /* a cooperative launch */
    int result;        /* the CUresult of the synchronisation */
    const char *print; /* what the kernel prints, in any order of its lines */
};

struct corpus_module {
    const char *name;
    const struct corpus_case *cases;
    size_t count;
};

#define CORPUS_MODULE(subject, cases)                                                              \
    extern const struct corpus_module corpus_##subject;                                            \
    const struct corpus_module corpus_##subject = {#subject, cases, sizeof(cases) / sizeof(*cases)}

#define BOUNDS(table) .bounds = table, .n_bounds = sizeof(table) / sizeof(*table)

size_t corpus_size_of(enum corpus_type type);
size_t corpus_bytes(const struct corpus_buffer *buffer);

/* Bits from a seed, the same everywhere. */
uint64_t corpus_random(uint64_t *state);

/* The inputs of a case into run->in, and copies of them into run->expect. */
bool corpus_make(const struct corpus_case *test, struct corpus_run *ret_run);
void corpus_free(struct corpus_run *run);

/* How many elements of buffer `b` are wrong; says which, up to a few. `other` is NULL, or has
 * the second of two right results. */
unsigned corpus_compare(const struct corpus_run *run, const struct corpus_run *other, unsigned b,
                        const void *actual);

/* Where the recorded outputs of a case are: there is a file for each subject, and lines in it begin
 * with the name. */
struct corpus_key {
    const char *subject;
    const char *name; /* "CASE.TARGET" */
};

/* A line for each output: the name, the buffer's number, its hash, and its bytes in hexadecimal
 * where they are few. What was recorded of the case before is replaced. Both answer the number of
 * problems. */
unsigned corpus_record(const char *folder, const struct corpus_key *key,
                       const struct corpus_case *test, void *const *actual);
unsigned corpus_check_recorded(const char *folder, const struct corpus_key *key,
                               const struct corpus_case *test, void *const *actual);

#endif
