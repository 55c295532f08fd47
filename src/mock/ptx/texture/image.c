/* SPDX-License-Identifier: MIT */
/* The images behind handles of textures and surfaces, and queries of their properties. */
#include <stdlib.h>

#include "mock/ptx/machine/exec.h"
#include "mock/ptx/machine/grid.h"
#include "mock/ptx/texture/texture.h"

static const struct ptx__image *known(const struct ptx__image *images, uint64_t handle)
{
    while (images && images->handle != handle)
        images = images->next;
    return images;
}

/*
 * Asks for an image once in each launch. The list only grows at its head, so it is read without the
 * lock.
 */
static const struct ptx__image *find(struct ptx__grid *grid, uint64_t handle)
{
    const struct ptx__image *image = known(atomic_load(&grid->images), handle);
    struct ptx__image *made;

    if (image)
        return image;
    pthread_mutex_lock(&grid->lock);
    image = known(atomic_load(&grid->images), handle);
    made = image ? NULL : calloc(1, sizeof(*made));
    if (made) {
        if (!grid->launch->image || !grid->launch->image(grid->launch->user, handle, made))
            made->problem = "is no texture or surface, or is one no more";
        made->handle = handle;
        made->next = atomic_load(&grid->images);
        atomic_store(&grid->images, made);
        image = made;
    }
    pthread_mutex_unlock(&grid->lock);
    return image;
}

void ptx__images_free(struct ptx__grid *grid)
{
    struct ptx__image *image = atomic_load(&grid->images);

    while (image) {
        struct ptx__image *next = image->next;

        free(image);
        image = next;
    }
}

static const char *problem_of(const struct ptx__image *image, enum ptx__image_use use)
{
    if (!image)
        return "was not found, as there is no memory";
    if (image->problem || use == PTX__USE_ANY)
        return image->problem;
    if (use == PTX__USE_SURFACE)
        return image->is_surface ? NULL : "is no surface";
    if (image->is_surface || (image->is_sampler && use == PTX__USE_TEXTURE))
        return "is no texture";
    return NULL;
}

const struct ptx__image *ptx__image_of(struct ptx__warp *warp, const struct ptx__op *op,
                                       unsigned lane, uint64_t handle, enum ptx__image_use use)
{
    const struct ptx__image *image = find(warp->block->grid, handle);
    const char *problem = problem_of(image, use);

    if (!problem)
        return image;
    ptx__fault(ptx__lane_op(warp, op, lane), PTX__ERROR_ILLEGAL_ADDRESS, PTX__OTHER,
               "handle 0x%llx %s", (unsigned long long) handle, problem);
    return NULL;
}

/* The numbers in PTX for address modes. They differ from ours: clamping to the edge is 3. */
static uint32_t mode_number(uint8_t mode)
{
    static const uint8_t numbers[] = {
        [PTX__WRAP] = 0, [PTX__MIRROR] = 1, [PTX__CLAMP] = 3, [PTX__BORDER] = 4};

    return numbers[mode];
}

static uint32_t answer(const struct ptx__image *image, enum ptx__query query, uint32_t level)
{
    const struct ptx__image_level *at = &image->levels[level < image->n_levels ? level : 0];
    const struct ptx__sampler *sampler = &image->sampler;

    switch (query) {
    case PTX__QUERY_WIDTH:
        return at->width;
    case PTX__QUERY_HEIGHT:
        return image->dimensions > 1 ? at->height : 0;
    case PTX__QUERY_DEPTH:
        return image->dimensions > 2 ? at->depth : 0;
    case PTX__QUERY_TYPE:
        return image->element_type;
    case PTX__QUERY_ORDER:
        return image->channels;
    case PTX__QUERY_NORMALISED:
        return sampler->normalised;
    case PTX__QUERY_LAYERS:
        return image->layers;
    case PTX__QUERY_LEVELS:
        return image->n_levels;
    case PTX__QUERY_SAMPLES:
        return 1;
    case PTX__QUERY_FILTER:
        return sampler->linear;
    case PTX__QUERY_MODE_0:
    case PTX__QUERY_MODE_1:
    case PTX__QUERY_MODE_2:
        return mode_number(sampler->modes[query - PTX__QUERY_MODE_0]);
    case PTX__QUERY_UNNORMALISED:
        return !sampler->normalised;
    case PTX__QUERY_LAYOUT:
        return !image->is_buffer;
    }
    return 0;
}

const struct ptx__op *ptx__do_image_query(struct ptx__warp *w, const struct ptx__op *op)
{
    const uint64_t *handles = REG(uint64_t, op->a);
    uint32_t *d = REG(uint32_t, op->d);

    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned l = (unsigned) __builtin_ctz(m);
        const struct ptx__image *image = ptx__image_of(w, op, l, handles[l], PTX__USE_ANY);

        if (!image)
            return NULL;
        d[l] = answer(image, (enum ptx__query) op->imm, op->c ? REG(uint32_t, op->b)[l] : 0);
    }
    return op + 1;
}

const struct ptx__op *ptx__do_image_test(struct ptx__warp *w, const struct ptx__op *op)
{
    const uint64_t *handles = REG(uint64_t, op->a);
    uint32_t bits = 0;

    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned l = (unsigned) __builtin_ctz(m);
        const struct ptx__image *image = find(w->block->grid, handles[l]);

        if (!problem_of(image, (enum ptx__image_use) op->imm))
            bits |= 1u << l;
    }
    ptx__set_pred(w, op->d, bits);
    return op + 1;
}
