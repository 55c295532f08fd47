/* SPDX-License-Identifier: MIT */
/* ld and st in all state spaces, also with vectors. */
#include "mock/ptx/memory/memory.h"

/* The elements of a vector: n slots in the list, contiguous in memory. */
#define N_ELEMENTS (op->n_list)
#define SLOT_OF(e) (op->list[e])

/* TM: the type in memory; TS: the type of the slot; TV: the type of the value in between. */
#define LOAD_FROM(id, key, space, TM, TS, TV)                                                      \
    static __attribute__((noinline))                                                               \
    const struct ptx__op *id##_vector(struct ptx__warp *w, const struct ptx__op *op)               \
    {                                                                                              \
        struct ptx__where where;                                                                   \
        const unsigned bytes = N_ELEMENTS * (unsigned) sizeof(TM);                                 \
        const enum ptx__pattern pattern = ptx__locate(w, op, space, bytes, PTX__LOADS, &where);    \
                                                                                                   \
        if (pattern == PTX__FAULT)                                                                 \
            return NULL;                                                                           \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            const unsigned l = (unsigned) __builtin_ctz(m);                                        \
            const TM *at = (const TM *) ptx__lane_at(&where, pattern, l, bytes);                   \
                                                                                                   \
            for (unsigned e = 0; e < N_ELEMENTS; e++)                                              \
                REG(TS, SLOT_OF(e))[l] = (TS) (TV) at[e];                                          \
        }                                                                                          \
        return op + 1;                                                                             \
    }                                                                                              \
    typedef TS id##_eight __attribute__((vector_size(8 * sizeof(TS))));                            \
    HANDLER(id, key)                                                                               \
    {                                                                                              \
        struct ptx__where where;                                                                   \
        const TM *row;                                                                             \
        TS *d;                                                                                     \
        enum ptx__pattern pattern;                                                                 \
                                                                                                   \
        if (N_ELEMENTS != 1)                                                                       \
            return id##_vector(w, op);                                                             \
        pattern = ptx__locate(w, op, space, sizeof(TM), PTX__LOADS, &where);                       \
        row = (const TM *) where.row;                                                              \
        d = REG(TS, SLOT_OF(0));                                                                   \
        switch (pattern) {                                                                         \
        case PTX__FAULT:                                                                           \
            return NULL;                                                                           \
        case PTX__CONTIGUOUS:                                                                      \
            PTX__EACH_LANE d[l] = (TS) (TV) row[l];                                                \
            break;                                                                                 \
        case PTX__UNIFORM:                                                                         \
            PTX__EACH_LANE d[l] = (TS) (TV) *row;                                                  \
            break;                                                                                 \
        case PTX__OFFSETS:                                                                         \
            for (unsigned l = 0; l < PTX__LANES; l += 8) {                                         \
                const TM *at[8];                                                                   \
                                                                                                   \
                for (unsigned i = 0; i < 8; i++)                                                   \
                    at[i] = (const TM *) (where.row + where.offsets[l + i]);                       \
                *(id##_eight *) (d + l) = (id##_eight){                                            \
                    (TS) (TV) *at[0], (TS) (TV) *at[1], (TS) (TV) *at[2], (TS) (TV) *at[3],        \
                    (TS) (TV) *at[4], (TS) (TV) *at[5], (TS) (TV) *at[6], (TS) (TV) *at[7]};       \
            }                                                                                      \
            break;                                                                                 \
        default:                                                                                   \
            for (uint32_t m = w->mask; m; m &= m - 1)                                              \
                d[__builtin_ctz(m)] = (TS) (TV) * (const TM *) where.each[__builtin_ctz(m)];       \
        }                                                                                          \
        return op + 1;                                                                             \
    }

#define STORE_TO(id, key, space, TM, TS)                                                           \
    static __attribute__((noinline))                                                               \
    const struct ptx__op *id##_vector(struct ptx__warp *w, const struct ptx__op *op)               \
    {                                                                                              \
        struct ptx__where where;                                                                   \
        const unsigned bytes = N_ELEMENTS * (unsigned) sizeof(TM);                                 \
        const enum ptx__pattern pattern = ptx__locate(w, op, space, bytes, PTX__STORES, &where);   \
                                                                                                   \
        if (pattern == PTX__FAULT)                                                                 \
            return NULL;                                                                           \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            const unsigned l = (unsigned) __builtin_ctz(m);                                        \
            TM *at = (TM *) ptx__lane_at(&where, pattern, l, bytes);                               \
                                                                                                   \
            for (unsigned e = 0; e < N_ELEMENTS; e++)                                              \
                at[e] = (TM) REG(TS, SLOT_OF(e))[l];                                               \
        }                                                                                          \
        return op + 1;                                                                             \
    }                                                                                              \
    HANDLER(id, key)                                                                               \
    {                                                                                              \
        struct ptx__where where;                                                                   \
        const TS *s;                                                                               \
        TM *row;                                                                                   \
        enum ptx__pattern pattern;                                                                 \
                                                                                                   \
        if (N_ELEMENTS != 1)                                                                       \
            return id##_vector(w, op);                                                             \
        pattern = ptx__locate(w, op, space, sizeof(TM), PTX__STORES, &where);                      \
        row = (TM *) where.row;                                                                    \
        s = REG(TS, SLOT_OF(0));                                                                   \
        switch (pattern) {                                                                         \
        case PTX__FAULT:                                                                           \
            return NULL;                                                                           \
        case PTX__CONTIGUOUS:                                                                      \
            PTX__EACH_LANE row[l] = (TM) s[l];                                                     \
            break;                                                                                 \
        case PTX__UNIFORM:                                                                         \
            *row = (TM) s[PTX__LANES - 1];                                                         \
            break;                                                                                 \
        case PTX__OFFSETS:                                                                         \
            for (unsigned l = 0; l < PTX__LANES; l++)                                              \
                *(TM *) (where.row + where.offsets[l]) = (TM) s[l];                                \
            break;                                                                                 \
        default:                                                                                   \
            for (uint32_t m = w->mask; m; m &= m - 1)                                              \
                *(TM *) where.each[__builtin_ctz(m)] = (TM) s[__builtin_ctz(m)];                   \
        }                                                                                          \
        return op + 1;                                                                             \
    }

/* Accesses that other threads may make or see at the same time: one atomic access each. */
#define STRONG_LOAD(id, key, space, TM, TS, TV)                                                    \
    HANDLER(id, key)                                                                               \
    {                                                                                              \
        struct ptx__where where;                                                                   \
        const enum ptx__pattern pattern = ptx__locate(                                             \
            w, op, space, N_ELEMENTS * (unsigned) sizeof(TM), PTX__LOADS | PTX__STRONG, &where);   \
                                                                                                   \
        if (pattern == PTX__FAULT)                                                                 \
            return NULL;                                                                           \
        for (unsigned e = 0; e < N_ELEMENTS; e++) {                                                \
            for (uint32_t m = w->mask; m; m &= m - 1) {                                            \
                const unsigned l = (unsigned) __builtin_ctz(m);                                    \
                const TM *at =                                                                     \
                    (const TM *) ptx__lane_at(&where, pattern, l, N_ELEMENTS * sizeof(TM));        \
                REG(TS, SLOT_OF(e))[l] = (TS) (TV) __atomic_load_n(at + e, __ATOMIC_ACQUIRE);      \
            }                                                                                      \
        }                                                                                          \
        return op + 1;                                                                             \
    }

#define STRONG_STORE(id, key, space, TM, TS)                                                       \
    HANDLER(id, key)                                                                               \
    {                                                                                              \
        struct ptx__where where;                                                                   \
        const enum ptx__pattern pattern = ptx__locate(                                             \
            w, op, space, N_ELEMENTS * (unsigned) sizeof(TM), PTX__STORES | PTX__STRONG, &where);  \
                                                                                                   \
        if (pattern == PTX__FAULT)                                                                 \
            return NULL;                                                                           \
        for (unsigned e = 0; e < N_ELEMENTS; e++) {                                                \
            for (uint32_t m = w->mask; m; m &= m - 1) {                                            \
                const unsigned l = (unsigned) __builtin_ctz(m);                                    \
                TM *at = (TM *) ptx__lane_at(&where, pattern, l, N_ELEMENTS * sizeof(TM));         \
                __atomic_store_n(at + e, (TM) REG(TS, SLOT_OF(e))[l], __ATOMIC_RELEASE);           \
            }                                                                                      \
        }                                                                                          \
        return op + 1;                                                                             \
    }

/* The key "ld.global.s8.32" loads 8 bits with their sign to a slot of 32 bits. */
#define LOADS(space, place)                                                                        \
    LOAD_FROM(ld_##space##_u8_32, "ld." #space ".u8.32", place, uint8_t, uint32_t, uint8_t)        \
    LOAD_FROM(ld_##space##_u8_64, "ld." #space ".u8.64", place, uint8_t, uint64_t, uint8_t)        \
    LOAD_FROM(ld_##space##_s8_16, "ld." #space ".s8.16", place, int8_t, uint32_t, uint16_t)        \
    LOAD_FROM(ld_##space##_s8_32, "ld." #space ".s8.32", place, int8_t, uint32_t, int8_t)          \
    LOAD_FROM(ld_##space##_s8_64, "ld." #space ".s8.64", place, int8_t, uint64_t, int8_t)          \
    LOAD_FROM(ld_##space##_u16_32, "ld." #space ".u16.32", place, uint16_t, uint32_t, uint16_t)    \
    LOAD_FROM(ld_##space##_u16_64, "ld." #space ".u16.64", place, uint16_t, uint64_t, uint16_t)    \
    LOAD_FROM(ld_##space##_s16_32, "ld." #space ".s16.32", place, int16_t, uint32_t, int16_t)      \
    LOAD_FROM(ld_##space##_s16_64, "ld." #space ".s16.64", place, int16_t, uint64_t, int16_t)      \
    LOAD_FROM(ld_##space##_u32_32, "ld." #space ".u32.32", place, uint32_t, uint32_t, uint32_t)    \
    LOAD_FROM(ld_##space##_u32_64, "ld." #space ".u32.64", place, uint32_t, uint64_t, uint32_t)    \
    LOAD_FROM(ld_##space##_s32_64, "ld." #space ".s32.64", place, int32_t, uint64_t, int32_t)      \
    LOAD_FROM(ld_##space##_u64_64, "ld." #space ".u64.64", place, uint64_t, uint64_t, uint64_t)    \
    STRONG_LOAD(lds_##space##_u8_32, "lds." #space ".u8.32", place, uint8_t, uint32_t, uint8_t)    \
    STRONG_LOAD(lds_##space##_s8_32, "lds." #space ".s8.32", place, int8_t, uint32_t, int8_t)      \
    STRONG_LOAD(lds_##space##_s8_16, "lds." #space ".s8.16", place, int8_t, uint32_t, uint16_t)    \
    STRONG_LOAD(lds_##space##_u16_32, "lds." #space ".u16.32", place, uint16_t, uint32_t,          \
                uint16_t)                                                                          \
    STRONG_LOAD(lds_##space##_s16_32, "lds." #space ".s16.32", place, int16_t, uint32_t, int16_t)  \
    STRONG_LOAD(lds_##space##_u32_32, "lds." #space ".u32.32", place, uint32_t, uint32_t,          \
                uint32_t)                                                                          \
    STRONG_LOAD(lds_##space##_u32_64, "lds." #space ".u32.64", place, uint32_t, uint64_t,          \
                uint32_t)                                                                          \
    STRONG_LOAD(lds_##space##_s32_64, "lds." #space ".s32.64", place, int32_t, uint64_t, int32_t)  \
    STRONG_LOAD(lds_##space##_u64_64, "lds." #space ".u64.64", place, uint64_t, uint64_t,          \
                uint64_t)                                                                          \
    STORE_TO(st_##space##_8_32, "st." #space ".8.32", place, uint8_t, uint32_t)                    \
    STORE_TO(st_##space##_8_64, "st." #space ".8.64", place, uint8_t, uint64_t)                    \
    STORE_TO(st_##space##_16_32, "st." #space ".16.32", place, uint16_t, uint32_t)                 \
    STORE_TO(st_##space##_16_64, "st." #space ".16.64", place, uint16_t, uint64_t)                 \
    STORE_TO(st_##space##_32_32, "st." #space ".32.32", place, uint32_t, uint32_t)                 \
    STORE_TO(st_##space##_32_64, "st." #space ".32.64", place, uint32_t, uint64_t)                 \
    STORE_TO(st_##space##_64_64, "st." #space ".64.64", place, uint64_t, uint64_t)                 \
    STRONG_STORE(sts_##space##_8_32, "sts." #space ".8.32", place, uint8_t, uint32_t)              \
    STRONG_STORE(sts_##space##_16_32, "sts." #space ".16.32", place, uint16_t, uint32_t)           \
    STRONG_STORE(sts_##space##_32_32, "sts." #space ".32.32", place, uint32_t, uint32_t)           \
    STRONG_STORE(sts_##space##_32_64, "sts." #space ".32.64", place, uint32_t, uint64_t)           \
    STRONG_STORE(sts_##space##_64_64, "sts." #space ".64.64", place, uint64_t, uint64_t)

LOADS(global, PTX__IN_GLOBAL)
LOADS(shared, PTX__IN_SHARED)
LOADS(local, PTX__IN_LOCAL)
LOADS(generic, PTX__IN_GENERIC)
LOADS(param, PTX__IN_PARAM)

/*
 * Parameters of functions and of their calls, at offset imm of the frame. The frame always has room
 * for them, so nothing is checked.
 */
#define FRAME_LOAD(id, key, TM, TS, TV)                                                            \
    HANDLER(id, key)                                                                               \
    {                                                                                              \
        TS *d = REG(TS, op->d);                                                                    \
                                                                                                   \
        if (w->written)                                                                            \
            ptx__racecheck_frame(w, op, sizeof(TM), PTX__LOADS);                                   \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            const unsigned l = (unsigned) __builtin_ctz(m);                                        \
            TM value;                                                                              \
                                                                                                   \
            memcpy(&value, ptx__warp_local(w, l) + w->frame->local + op->imm, sizeof(value));      \
            d[l] = (TS) (TV) value;                                                                \
        }                                                                                          \
        return op + 1;                                                                             \
    }

#define FRAME_STORE(id, key, TM, TS)                                                               \
    HANDLER(id, key)                                                                               \
    {                                                                                              \
        const TS *s = REG(TS, op->a);                                                              \
                                                                                                   \
        if (w->written)                                                                            \
            ptx__racecheck_frame(w, op, sizeof(TM), PTX__STORES);                                  \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            const unsigned l = (unsigned) __builtin_ctz(m);                                        \
            const TM value = (TM) s[l];                                                            \
                                                                                                   \
            memcpy(ptx__warp_local(w, l) + w->frame->local + op->imm, &value, sizeof(value));      \
        }                                                                                          \
        return op + 1;                                                                             \
    }

FRAME_LOAD(ldf_u8_32, "ldf.u8.32", uint8_t, uint32_t, uint8_t)
FRAME_LOAD(ldf_s8_16, "ldf.s8.16", int8_t, uint32_t, uint16_t)
FRAME_LOAD(ldf_s8_32, "ldf.s8.32", int8_t, uint32_t, int8_t)
FRAME_LOAD(ldf_u8_64, "ldf.u8.64", uint8_t, uint64_t, uint8_t)
FRAME_LOAD(ldf_s8_64, "ldf.s8.64", int8_t, uint64_t, int8_t)
FRAME_LOAD(ldf_u16_32, "ldf.u16.32", uint16_t, uint32_t, uint16_t)
FRAME_LOAD(ldf_s16_32, "ldf.s16.32", int16_t, uint32_t, int16_t)
FRAME_LOAD(ldf_u16_64, "ldf.u16.64", uint16_t, uint64_t, uint16_t)
FRAME_LOAD(ldf_s16_64, "ldf.s16.64", int16_t, uint64_t, int16_t)
FRAME_LOAD(ldf_u32_32, "ldf.u32.32", uint32_t, uint32_t, uint32_t)
FRAME_LOAD(ldf_u32_64, "ldf.u32.64", uint32_t, uint64_t, uint32_t)
FRAME_LOAD(ldf_s32_64, "ldf.s32.64", int32_t, uint64_t, int32_t)
FRAME_LOAD(ldf_u64_64, "ldf.u64.64", uint64_t, uint64_t, uint64_t)
FRAME_STORE(stf_8_32, "stf.8.32", uint8_t, uint32_t)
FRAME_STORE(stf_8_64, "stf.8.64", uint8_t, uint64_t)
FRAME_STORE(stf_16_32, "stf.16.32", uint16_t, uint32_t)
FRAME_STORE(stf_16_64, "stf.16.64", uint16_t, uint64_t)
FRAME_STORE(stf_32_32, "stf.32.32", uint32_t, uint32_t)
FRAME_STORE(stf_32_64, "stf.32.64", uint32_t, uint64_t)
FRAME_STORE(stf_64_64, "stf.64.64", uint64_t, uint64_t)

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
