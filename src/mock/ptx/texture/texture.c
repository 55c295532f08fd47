/* SPDX-License-Identifier: MIT */
/* tex and tld4, one lane at a time. */
#include "mock/ptx/texture/texture.h"

#include "mock/ptx/machine/exec.h"

static double coordinate(const struct ptx__warp *w, uint32_t slot, unsigned lane)
{
    return (double) REG(float, slot)[lane];
}

static void read_coordinates(const struct ptx__warp *w, struct ptx__sample *sample)
{
    const struct ptx__tex *tex = sample->tex;
    const unsigned l = sample->lane, n = tex->cube ? 3 : tex->dimensions;

    for (unsigned i = 0; i < n; i++) {
        if (tex->whole)
            sample->whole[i] = REG(int32_t, tex->at[i])[l];
        else
            sample->at[i] = coordinate(w, tex->at[i], l);
        if (tex->has_offset)
            sample->offset[i] = REG(int32_t, tex->offset[i])[l];
        if (tex->level_mode == PTX__LEVEL_GRADIENT) {
            sample->dx[i] = coordinate(w, tex->dx[i], l);
            sample->dy[i] = coordinate(w, tex->dy[i], l);
        }
    }
    if (tex->layered)
        sample->layer = REG(uint32_t, tex->layer)[l];
    if (tex->level_mode == PTX__LEVEL_GIVEN)
        sample->level =
            tex->whole ? (double) REG(int32_t, tex->level)[l] : coordinate(w, tex->level, l);
}

static bool begin(struct ptx__warp *w, const struct ptx__op *op, unsigned lane,
                  struct ptx__sample *ret_sample)
{
    const struct ptx__tex *tex = (const struct ptx__tex *) (uintptr_t) op->imm;
    const struct ptx__image *sampler;

    *ret_sample = (struct ptx__sample){.warp = w, .op = op, .lane = lane, .tex = tex};
    ret_sample->image =
        ptx__image_of(w, op, lane, REG(uint64_t, tex->handle)[lane], PTX__USE_TEXTURE);
    if (!ret_sample->image)
        return false;
    ret_sample->sampler = &ret_sample->image->sampler;
    if (tex->has_sampler) {
        sampler = ptx__image_of(w, op, lane, REG(uint64_t, tex->sampler)[lane], PTX__USE_SAMPLER);
        if (!sampler)
            return false;
        ret_sample->sampler = &sampler->sampler;
    }
    read_coordinates(w, ret_sample);
    return true;
}

static void put(const struct ptx__warp *w, const struct ptx__tex *tex, unsigned lane,
                const struct ptx__texel *texel)
{
    const uint32_t *c = texel->channels;

    for (unsigned i = 0; i < (tex->halves ? 2 : 4); i++)
        REG(uint32_t, tex->d[i])
    [lane] = tex->halves
                 ? ptx__texel_half(c[2 * i]) | (uint32_t) ptx__texel_half(c[2 * i + 1]) << 16
                 : c[i];
}

const struct ptx__op *ptx__do_tex(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__tex *tex = (const struct ptx__tex *) (uintptr_t) op->imm;

    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned l = (unsigned) __builtin_ctz(m);
        struct ptx__sample sample;
        struct ptx__texel texel;

        if (!begin(w, op, l, &sample))
            return NULL;
        if (!(tex->whole ? ptx__sample_whole(&sample, &texel) : ptx__sample_place(&sample, &texel)))
            return NULL;
        put(w, tex, l, &texel);
    }
    ptx__set_pred(w, tex->present, PTX__ALL);
    return op + 1;
}

const struct ptx__op *ptx__do_gather(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__tex *tex = (const struct ptx__tex *) (uintptr_t) op->imm;

    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned l = (unsigned) __builtin_ctz(m);
        struct ptx__sample sample;
        struct ptx__texel texel;

        if (!begin(w, op, l, &sample) || !ptx__sample_gather(&sample, &texel))
            return NULL;
        put(w, tex, l, &texel);
    }
    ptx__set_pred(w, tex->present, PTX__ALL);
    return op + 1;
}
