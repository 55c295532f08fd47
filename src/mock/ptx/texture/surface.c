/* SPDX-License-Identifier: MIT */
/* suld, sust and sured, one lane at a time. */
#include <string.h>

#include "mock/ptx/memory/memory.h"
#include "mock/ptx/texture/texture.h"

/* An access of one lane to a surface. */
struct access {
    struct ptx__warp *warp;
    const struct ptx__op *op;
    const struct ptx__surface *surface;
    const struct ptx__image *image;
    unsigned lane;
};

enum outcome { FOUND, IS_ZERO, FAULT };

static unsigned element_bytes(const struct ptx__image *image)
{
    return (unsigned) image->bytes * image->channels;
}

/* Returns the size of the access: whole elements for .p, otherwise the size of the values. */
static unsigned access_bytes(const struct access *access)
{
    return access->surface->formatted
               ? element_bytes(access->image)
               : (unsigned) access->surface->bytes * access->surface->n_values;
}

static enum outcome trap(const struct access *access, unsigned axis, int64_t at, int64_t size)
{
    static const char *const names[] = {"x", "y", "z", "layer"};

    ptx__fault(ptx__lane_op(access->warp, access->op, access->lane), PTX__ERROR_ILLEGAL_ADDRESS,
               PTX__OUT_OF_BOUNDS, "%s is %lld, and the surface has %lld there", names[axis],
               (long long) at, (long long) size);
    return FAULT;
}

/*
 * Checks that a coordinate is in [0, size - span], or does what the instruction says for one that
 * is not.
 */
static enum outcome bound(const struct access *access, unsigned axis, int64_t size, int64_t span,
                          int64_t *at)
{
    const int64_t last = size > span ? size - span : 0;

    if (*at >= 0 && *at <= last && size >= span)
        return FOUND;
    if (access->surface->out == PTX__OUT_TRAPS)
        return trap(access, axis, *at, size);
    if (access->surface->out == PTX__OUT_IS_ZERO)
        return IS_ZERO;
    *at = *at < 0 ? 0 : last;
    return FOUND;
}

static int64_t coordinate(const struct access *access, uint32_t slot)
{
    const struct ptx__warp *w = access->warp;

    return REG(int32_t, slot)[access->lane];
}

/* Computes x in bytes, y, z and the layer. */
static enum outcome place(const struct access *access, int64_t at[4])
{
    const struct ptx__surface *surface = access->surface;
    const struct ptx__image_level *level = &access->image->levels[0];
    const unsigned element = element_bytes(access->image), bytes = access_bytes(access);
    const int64_t sizes[3] = {(int64_t) level->width * element, level->height, level->depth};

    for (unsigned i = 0; i < surface->dimensions; i++) {
        enum outcome outcome;

        at[i] = coordinate(access, surface->at[i]);
        if (i == 0 && surface->formatted)
            at[0] *= element;
        outcome = bound(access, i, sizes[i], i ? 1 : bytes, &at[i]);
        if (outcome != FOUND)
            return outcome;
    }
    if (!surface->layered)
        return FOUND;
    at[3] = (int64_t) (uint32_t) coordinate(access, surface->layer);
    return bound(access, 3, level->depth, 1, &at[3]);
}

/*
 * Finds the bytes of an access. If *ret_bytes is NULL, a load returns zero and a store has no
 * effect.
 */
static bool reach(const struct access *access, enum ptx__use use, unsigned char **ret_bytes)
{
    const struct ptx__image_level *level = &access->image->levels[0];
    int64_t at[4] = {0};
    uint64_t row;

    *ret_bytes = NULL;
    switch (place(access, at)) {
    case IS_ZERO:
        return true;
    case FAULT:
        return false;
    default:
        row = (uint64_t) (at[2] + at[3]) * level->height + (uint64_t) at[1];
        *ret_bytes = ptx__reach_in(
            ptx__lane_op(access->warp, access->op, access->lane), PTX__IN_GLOBAL,
            level->address + row * level->pitch + (uint64_t) at[0], access_bytes(access), use);
        return *ret_bytes;
    }
}

static bool begin(struct ptx__warp *w, const struct ptx__op *op, unsigned lane,
                  struct access *ret_access)
{
    const struct ptx__surface *surface = (const struct ptx__surface *) (uintptr_t) op->imm;
    const struct ptx__image *image =
        ptx__image_of(w, op, lane, REG(uint64_t, surface->handle)[lane], PTX__USE_SURFACE);

    *ret_access = (struct access){w, op, surface, image, lane};
    return image;
}

const struct ptx__op *ptx__do_surface_load(struct ptx__warp *w, const struct ptx__op *op)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned l = (unsigned) __builtin_ctz(m);
        struct access access;
        unsigned char *bytes;

        if (!begin(w, op, l, &access) || !reach(&access, PTX__LOADS, &bytes))
            return NULL;
        for (unsigned i = 0; i < access.surface->n_values; i++) {
            const unsigned size = access.surface->bytes;
            uint64_t value = 0;

            if (bytes)
                memcpy(&value, bytes + (size_t) i * size, size);
            if (access.surface->wide)
                REG(uint64_t, access.surface->values[i])[l] = value;
            else
                REG(uint32_t, access.surface->values[i])[l] = (uint32_t) value;
        }
    }
    return op + 1;
}

static uint64_t value_of(const struct access *access, unsigned number)
{
    const struct ptx__warp *w = access->warp;
    const uint32_t slot = access->surface->values[number];

    return access->surface->wide ? REG(uint64_t, slot)[access->lane]
                                 : REG(uint32_t, slot)[access->lane];
}

/* Stores values. Channels of the element without a value become zero. */
static void store(const struct access *access, unsigned char *bytes)
{
    const struct ptx__surface *surface = access->surface;
    const struct ptx__image *image = access->image;

    for (unsigned i = 0; surface->formatted && i < image->channels; i++)
        ptx__texel_write(image, i < surface->n_values ? (uint32_t) value_of(access, i) : 0,
                         bytes + (size_t) i * image->bytes);
    for (unsigned i = 0; !surface->formatted && i < surface->n_values; i++) {
        const uint64_t value = value_of(access, i);

        memcpy(bytes + (size_t) i * surface->bytes, &value, surface->bytes);
    }
}

const struct ptx__op *ptx__do_surface_store(struct ptx__warp *w, const struct ptx__op *op)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned l = (unsigned) __builtin_ctz(m);
        struct access access;
        unsigned char *bytes;

        if (!begin(w, op, l, &access) || !reach(&access, PTX__STORES, &bytes))
            return NULL;
        if (bytes)
            store(&access, bytes);
    }
    return op + 1;
}

/*
 * Compares two values. For formatted accesses, the surface's format decides whether they are
 * signed.
 */
static bool is_less(const struct access *access, uint64_t a, uint64_t b)
{
    const bool sign =
        access->surface->formatted ? ptx__texel_is_signed(access->image) : access->surface->sign;

    if (!sign)
        return a < b;
    return access->surface->bytes == 8 ? (int64_t) a < (int64_t) b : (int32_t) a < (int32_t) b;
}

static uint64_t reduced(const struct access *access, uint64_t old, uint64_t value)
{
    switch ((enum ptx__reduction) access->surface->reduction) {
    case PTX__REDUCE_ADD:
        return old + value;
    case PTX__REDUCE_MIN:
        return is_less(access, value, old) ? value : old;
    case PTX__REDUCE_MAX:
        return is_less(access, old, value) ? value : old;
    case PTX__REDUCE_AND:
        return old & value;
    case PTX__REDUCE_OR:
        return old | value;
    default:
        return old; /* sured has no others */
    }
}

#define REDUCE_AT(type)                                                                            \
    do {                                                                                           \
        type old = __atomic_load_n((type *) (void *) bytes, __ATOMIC_RELAXED);                     \
        while (!__atomic_compare_exchange_n((type *) (void *) bytes, &old,                         \
                                            (type) reduced(access, old, value), false,             \
                                            __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))                   \
            ;                                                                                      \
    } while (0)

static void reduce(const struct access *access, unsigned char *bytes)
{
    const uint64_t value = value_of(access, 0);

    if (access->surface->bytes == 8)
        REDUCE_AT(uint64_t);
    else
        REDUCE_AT(uint32_t);
}

const struct ptx__op *ptx__do_surface_reduce(struct ptx__warp *w, const struct ptx__op *op)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned l = (unsigned) __builtin_ctz(m);
        struct access access;
        unsigned char *bytes;

        if (!begin(w, op, l, &access))
            return NULL;
        if (access.surface->formatted && element_bytes(access.image) != 4)
            return ptx__fault(ptx__lane_op(w, op, l), PTX__ERROR_LAUNCH_FAILED, PTX__OTHER,
                              "elements of this surface have %u bytes, and only those of 4 can be "
                              "updated by number",
                              element_bytes(access.image));
        if (!reach(&access, PTX__UPDATES, &bytes))
            return NULL;
        if (bytes)
            reduce(&access, bytes);
    }
    return op + 1;
}
