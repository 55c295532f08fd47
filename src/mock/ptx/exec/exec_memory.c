/* SPDX-License-Identifier: MIT */
/*
 * ld and st in all state spaces, also with vectors. The functions below get the types as constants,
 * and each handler is a copy of them for its types: they are inline in any case.
 */
#include "mock/ptx/memory/memory.h"

/* For vectors there is a function beside the handler, so that the handler itself stays small. */
#define SEPARATE static __attribute__((noinline))

/* The elements of a vector: n slots in the list, contiguous in memory. */
#define N_ELEMENTS (op->n_list)
#define SLOT_OF(e) REG(void, op->list[e])

/* The type of an element in memory. For stores the sign makes no difference. */
enum type { TYPE_u8, TYPE_s8, TYPE_u16, TYPE_s16, TYPE_u32, TYPE_s32, TYPE_u64 };

PTX__INLINE unsigned bytes_of(enum type type)
{
    return type <= TYPE_s8 ? 1 : type <= TYPE_s16 ? 2 : type <= TYPE_s32 ? 4 : 8;
}

/* --- elements in memory, and values of lanes in slots of 32 or 64 bits --- */

/* Returns an element, extended to 64 bits. */
PTX__INLINE uint64_t element(const void *at, enum type type)
{
    switch (type) {
    case TYPE_u8:
        return *(const uint8_t *) at;
    case TYPE_s8:
        return (uint64_t) * (const int8_t *) at;
    case TYPE_u16:
        return *(const uint16_t *) at;
    case TYPE_s16:
        return (uint64_t) * (const int16_t *) at;
    case TYPE_u32:
        return *(const uint32_t *) at;
    case TYPE_s32:
        return (uint64_t) * (const int32_t *) at;
    default:
        return *(const uint64_t *) at;
    }
}

/* Like element(), by one atomic access: other threads may write the element at the same time. */
PTX__INLINE uint64_t strong_element(const void *at, enum type type)
{
    uint64_t bits = 0;

    switch (bytes_of(type)) {
    case 1:
        bits = __atomic_load_n((const uint8_t *) at, __ATOMIC_ACQUIRE);
        return type == TYPE_s8 ? (uint64_t) (int8_t) bits : bits;
    case 2:
        bits = __atomic_load_n((const uint16_t *) at, __ATOMIC_ACQUIRE);
        return type == TYPE_s16 ? (uint64_t) (int16_t) bits : bits;
    case 4:
        bits = __atomic_load_n((const uint32_t *) at, __ATOMIC_ACQUIRE);
        return type == TYPE_s32 ? (uint64_t) (int32_t) bits : bits;
    default:
        return __atomic_load_n((const uint64_t *) at, __ATOMIC_ACQUIRE);
    }
}

PTX__INLINE void set_element(void *at, enum type type, uint64_t value)
{
    switch (bytes_of(type)) {
    case 1:
        *(uint8_t *) at = (uint8_t) value;
        break;
    case 2:
        *(uint16_t *) at = (uint16_t) value;
        break;
    case 4:
        *(uint32_t *) at = (uint32_t) value;
        break;
    default:
        *(uint64_t *) at = value;
    }
}

/* Like set_element(), by one atomic access: other threads may read the element at the same time. */
PTX__INLINE void set_strong_element(void *at, enum type type, uint64_t value)
{
    switch (bytes_of(type)) {
    case 1:
        __atomic_store_n((uint8_t *) at, (uint8_t) value, __ATOMIC_RELEASE);
        break;
    case 2:
        __atomic_store_n((uint16_t *) at, (uint16_t) value, __ATOMIC_RELEASE);
        break;
    case 4:
        __atomic_store_n((uint32_t *) at, (uint32_t) value, __ATOMIC_RELEASE);
        break;
    default:
        __atomic_store_n((uint64_t *) at, value, __ATOMIC_RELEASE);
    }
}

/* A register of 16 bits has a slot of 32, whose other bits are zero. */
PTX__INLINE uint64_t in_slot(uint64_t value, unsigned bits)
{
    return bits == 16 ? (uint16_t) value : value;
}

/* --- loads --- */

typedef uint32_t eight_32 __attribute__((vector_size(32)));
typedef uint64_t eight_64 __attribute__((vector_size(64)));

/* Eight lanes at any offsets: eight loads, and one store of a vector to the slot. */
PTX__INLINE void gather_eight(const struct ptx__where *where, enum type type, unsigned bits,
                              unsigned lane, void *slot)
{
    uint64_t v[8];

    for (unsigned i = 0; i < 8; i++)
        v[i] = element(where->row + where->offsets[lane + i], type);
    if (bits == 64)
        *(eight_64 *) ((uint64_t *) slot + lane) =
            (eight_64){v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
    else
        *(eight_32 *) ((uint32_t *) slot + lane) =
            (eight_32){(uint32_t) in_slot(v[0], bits), (uint32_t) in_slot(v[1], bits),
                       (uint32_t) in_slot(v[2], bits), (uint32_t) in_slot(v[3], bits),
                       (uint32_t) in_slot(v[4], bits), (uint32_t) in_slot(v[5], bits),
                       (uint32_t) in_slot(v[6], bits), (uint32_t) in_slot(v[7], bits)};
}

PTX__INLINE const struct ptx__op *load(struct ptx__warp *w, const struct ptx__op *op,
                                       enum ptx__access_space space, enum type type, unsigned bits)
{
    const unsigned bytes = bytes_of(type);
    struct ptx__where where;
    const enum ptx__pattern pattern = ptx__locate(w, op, space, bytes, PTX__LOADS, &where);
    void *d = SLOT_OF(0);
    /* A copy, so that the compiler need not read it again after each lane. */
    const unsigned char *row = where.row;

    switch (pattern) {
    case PTX__FAULT:
        return NULL;
    case PTX__CONTIGUOUS:
        PTX__EACH_LANE ptx__set_lane(d, bits, l, in_slot(element(row + l * bytes, type), bits));
        break;
    case PTX__UNIFORM:
        PTX__EACH_LANE ptx__set_lane(d, bits, l, in_slot(element(row, type), bits));
        break;
    case PTX__OFFSETS:
        for (unsigned l = 0; l < PTX__LANES; l += 8)
            gather_eight(&where, type, bits, l, d);
        break;
    default:
        for (uint32_t m = w->mask; m; m &= m - 1) {
            const unsigned l = (unsigned) __builtin_ctz(m);

            ptx__set_lane(d, bits, l, in_slot(element(where.each[l], type), bits));
        }
    }
    return op + 1;
}

/* Loads a vector, or any number of elements as strong accesses. */
PTX__INLINE const struct ptx__op *load_all(struct ptx__warp *w, const struct ptx__op *op,
                                           struct ptx__access one, enum type type, unsigned bits)
{
    const unsigned n = N_ELEMENTS, bytes = n * one.bytes;
    struct ptx__where where;
    const enum ptx__pattern pattern = ptx__locate(w, op, one.space, bytes, one.use, &where);

    if (pattern == PTX__FAULT)
        return NULL;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned l = (unsigned) __builtin_ctz(m);
        const unsigned char *at = ptx__lane_at(&where, pattern, l, bytes);

        for (unsigned e = 0; e < n; e++, at += one.bytes)
            ptx__set_lane(
                SLOT_OF(e), bits, l,
                in_slot(one.use & PTX__STRONG ? strong_element(at, type) : element(at, type),
                        bits));
    }
    return op + 1;
}

/* The key "ld.global.s8.32" loads 8 bits with their sign to a slot of 32 bits. */
#define LOAD(space, place, type, bits)                                                             \
    SEPARATE const struct ptx__op *ld_##space##_##type##_##bits##_vector(struct ptx__warp *w,      \
                                                                         const struct ptx__op *op) \
    {                                                                                              \
        const struct ptx__access one = {place, bytes_of(TYPE_##type), PTX__LOADS};                 \
                                                                                                   \
        return load_all(w, op, one, TYPE_##type, bits);                                            \
    }                                                                                              \
    HANDLER(ld_##space##_##type##_##bits, "ld." #space "." #type "." #bits)                        \
    {                                                                                              \
        if (N_ELEMENTS != 1)                                                                       \
            return ld_##space##_##type##_##bits##_vector(w, op);                                   \
        return load(w, op, place, TYPE_##type, bits);                                              \
    }

#define STRONG_LOAD(space, place, type, bits)                                                      \
    HANDLER(lds_##space##_##type##_##bits, "lds." #space "." #type "." #bits)                      \
    {                                                                                              \
        const struct ptx__access one = {place, bytes_of(TYPE_##type), PTX__LOADS | PTX__STRONG};   \
                                                                                                   \
        return load_all(w, op, one, TYPE_##type, bits);                                            \
    }

/* --- stores --- */

PTX__INLINE const struct ptx__op *store(struct ptx__warp *w, const struct ptx__op *op,
                                        enum ptx__access_space space, enum type type, unsigned bits)
{
    const unsigned bytes = bytes_of(type);
    struct ptx__where where;
    const enum ptx__pattern pattern = ptx__locate(w, op, space, bytes, PTX__STORES, &where);
    const void *s = SLOT_OF(0);
    /* A copy, so that the compiler need not read it again after each lane. */
    unsigned char *row = where.row;

    switch (pattern) {
    case PTX__FAULT:
        return NULL;
    case PTX__CONTIGUOUS:
        PTX__EACH_LANE set_element(row + l * bytes, type, ptx__of_lane(s, bits, l));
        break;
    case PTX__UNIFORM:
        set_element(row, type, ptx__of_lane(s, bits, PTX__LANES - 1));
        break;
    case PTX__OFFSETS:
        for (unsigned l = 0; l < PTX__LANES; l++)
            set_element(where.row + where.offsets[l], type, ptx__of_lane(s, bits, l));
        break;
    default:
        for (uint32_t m = w->mask; m; m &= m - 1) {
            const unsigned l = (unsigned) __builtin_ctz(m);

            set_element(where.each[l], type, ptx__of_lane(s, bits, l));
        }
    }
    return op + 1;
}

/* Stores a vector, or any number of elements as strong accesses. */
PTX__INLINE const struct ptx__op *store_all(struct ptx__warp *w, const struct ptx__op *op,
                                            struct ptx__access one, enum type type, unsigned bits)
{
    const unsigned n = N_ELEMENTS, bytes = n * one.bytes;
    struct ptx__where where;
    const enum ptx__pattern pattern = ptx__locate(w, op, one.space, bytes, one.use, &where);

    if (pattern == PTX__FAULT)
        return NULL;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned l = (unsigned) __builtin_ctz(m);
        unsigned char *at = ptx__lane_at(&where, pattern, l, bytes);

        for (unsigned e = 0; e < n; e++, at += one.bytes) {
            if (one.use & PTX__STRONG)
                set_strong_element(at, type, ptx__of_lane(SLOT_OF(e), bits, l));
            else
                set_element(at, type, ptx__of_lane(SLOT_OF(e), bits, l));
        }
    }
    return op + 1;
}

/* The key "st.global.8.32" stores 8 bits of a slot of 32 bits. */
#define STORE(space, place, width, bits)                                                           \
    SEPARATE const struct ptx__op *st_##space##_##width##_##bits##_vector(                         \
        struct ptx__warp *w, const struct ptx__op *op)                                             \
    {                                                                                              \
        const struct ptx__access one = {place, width / 8, PTX__STORES};                            \
                                                                                                   \
        return store_all(w, op, one, TYPE_u##width, bits);                                         \
    }                                                                                              \
    HANDLER(st_##space##_##width##_##bits, "st." #space "." #width "." #bits)                      \
    {                                                                                              \
        if (N_ELEMENTS != 1)                                                                       \
            return st_##space##_##width##_##bits##_vector(w, op);                                  \
        return store(w, op, place, TYPE_u##width, bits);                                           \
    }

#define STRONG_STORE(space, place, width, bits)                                                    \
    HANDLER(sts_##space##_##width##_##bits, "sts." #space "." #width "." #bits)                    \
    {                                                                                              \
        const struct ptx__access one = {place, width / 8, PTX__STORES | PTX__STRONG};              \
                                                                                                   \
        return store_all(w, op, one, TYPE_u##width, bits);                                         \
    }

/* --- the types of each --- */

/* X(space, place, type or width in memory, bits of the slot that are written or read) */
#define LOADS(X, space, place)                                                                     \
    X(space, place, u8, 32)                                                                        \
    X(space, place, u8, 64)                                                                        \
    X(space, place, s8, 16)                                                                        \
    X(space, place, s8, 32)                                                                        \
    X(space, place, s8, 64)                                                                        \
    X(space, place, u16, 32)                                                                       \
    X(space, place, u16, 64)                                                                       \
    X(space, place, s16, 32)                                                                       \
    X(space, place, s16, 64)                                                                       \
    X(space, place, u32, 32)                                                                       \
    X(space, place, u32, 64)                                                                       \
    X(space, place, s32, 64)                                                                       \
    X(space, place, u64, 64)

#define STRONG_LOADS(X, space, place)                                                              \
    X(space, place, u8, 32)                                                                        \
    X(space, place, s8, 32)                                                                        \
    X(space, place, s8, 16)                                                                        \
    X(space, place, u16, 32)                                                                       \
    X(space, place, s16, 32)                                                                       \
    X(space, place, u32, 32)                                                                       \
    X(space, place, u32, 64)                                                                       \
    X(space, place, s32, 64)                                                                       \
    X(space, place, u64, 64)

#define STORES(X, space, place)                                                                    \
    X(space, place, 8, 32)                                                                         \
    X(space, place, 8, 64)                                                                         \
    X(space, place, 16, 32)                                                                        \
    X(space, place, 16, 64)                                                                        \
    X(space, place, 32, 32)                                                                        \
    X(space, place, 32, 64)                                                                        \
    X(space, place, 64, 64)

#define STRONG_STORES(X, space, place)                                                             \
    X(space, place, 8, 32)                                                                         \
    X(space, place, 16, 32)                                                                        \
    X(space, place, 32, 32)                                                                        \
    X(space, place, 32, 64)                                                                        \
    X(space, place, 64, 64)

#define ACCESSES(space, place)                                                                     \
    LOADS(LOAD, space, place)                                                                      \
    STRONG_LOADS(STRONG_LOAD, space, place)                                                        \
    STORES(STORE, space, place)                                                                    \
    STRONG_STORES(STRONG_STORE, space, place)

ACCESSES(global, PTX__IN_GLOBAL)
ACCESSES(shared, PTX__IN_SHARED)
ACCESSES(local, PTX__IN_LOCAL)
ACCESSES(generic, PTX__IN_GENERIC)
ACCESSES(param, PTX__IN_PARAM)

/*
 * --- parameters of functions and of their calls, at offset imm of the frame ---
 *
 * The frame always has room for them, so nothing is checked. They may have any alignment.
 */

PTX__INLINE const struct ptx__op *load_frame(struct ptx__warp *w, const struct ptx__op *op,
                                             enum type type, unsigned bits)
{
    void *d = REG(void, op->d);

    if (w->written)
        ptx__racecheck_frame(w, op, bytes_of(type), PTX__LOADS);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned l = (unsigned) __builtin_ctz(m);
        uint64_t aligned;

        memcpy(&aligned, ptx__warp_local(w, l) + w->frame->local + op->imm, bytes_of(type));
        ptx__set_lane(d, bits, l, in_slot(element(&aligned, type), bits));
    }
    return op + 1;
}

PTX__INLINE const struct ptx__op *store_frame(struct ptx__warp *w, const struct ptx__op *op,
                                              enum type type, unsigned bits)
{
    const void *s = REG(void, op->a);

    if (w->written)
        ptx__racecheck_frame(w, op, bytes_of(type), PTX__STORES);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned l = (unsigned) __builtin_ctz(m);
        uint64_t aligned;

        set_element(&aligned, type, ptx__of_lane(s, bits, l));
        memcpy(ptx__warp_local(w, l) + w->frame->local + op->imm, &aligned, bytes_of(type));
    }
    return op + 1;
}

#define FRAME_LOAD(frame, local, type, bits)                                                       \
    HANDLER(ldf_##type##_##bits, "ldf." #type "." #bits)                                           \
    {                                                                                              \
        return load_frame(w, op, TYPE_##type, bits);                                               \
    }

#define FRAME_STORE(frame, local, width, bits)                                                     \
    HANDLER(stf_##width##_##bits, "stf." #width "." #bits)                                         \
    {                                                                                              \
        return store_frame(w, op, TYPE_u##width, bits);                                            \
    }

LOADS(FRAME_LOAD, frame, PTX__IN_LOCAL)
STORES(FRAME_STORE, frame, PTX__IN_LOCAL)

/* Computes the address of something in the frame, in local memory. */
HANDLER(frame_address_32, "frame.address.32")
{
    uint32_t *d = REG(uint32_t, op->d);

    for (uint32_t m = w->mask; m; m &= m - 1)
        d[__builtin_ctz(m)] = w->frame->local + (uint32_t) op->imm;
    return op + 1;
}

HANDLER(frame_address_64, "frame.address.64")
{
    uint64_t *d = REG(uint64_t, op->d);

    for (uint32_t m = w->mask; m; m &= m - 1)
        d[__builtin_ctz(m)] = w->frame->local + op->imm;
    return op + 1;
}
