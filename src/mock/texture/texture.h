/* SPDX-License-Identifier: MIT */
/*
 * Texture and surface objects: checked descriptors, from which kernels sample. A program passes the
 * object's handle to a kernel, as a CUtexObject or CUsurfObject. tex_object.c and surf.c have
 * the objects, tex_ref.c and module_texture.c the references, tex_resource.c what they refer to,
 * and texture_image.c the image that a kernel samples. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_TEXTURE_TEXTURE_H
#define CUSHIM_MOCK_TEXTURE_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tree.h"
#include "mock/base/objects.h"
#include "mock/functions.h"
#include "mock/ptx/machine/image.h"

struct mock__context;
struct mock__module;

/* The arguments that it was created with. */
struct mock__texture {
    struct mock__object object;
    struct mock__context *context;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    CUDA_RESOURCE_VIEW_DESC view; /* zeros if there was none */
    bool has_view;
};

struct mock__surface {
    struct mock__object object;
    struct mock__context *context;
    CUDA_RESOURCE_DESC resource;
};

/* The older way: the resource and the ways to sample it are set one by one. */
struct mock__texture_reference {
    struct mock__object object;
    struct mock__context *context;
    const struct mock__module *module; /* whose variable it is, or NULL */
    uint64_t address;                  /* of the variable, by which kernels know it */
    CUDA_RESOURCE_DESC resource;       /* the one that it is bound to */
    bool bound;
    CUDA_TEXTURE_DESC texture;
    CUarray_format format; /* for resources without a format of their own */
    unsigned channels;
    struct cushim__tree_node by_address; /* among those of variables */
};

struct mock__surface_reference {
    struct mock__object object;
    struct mock__context *context;
    const struct mock__module *module;
    uint64_t address;
    CUDA_RESOURCE_DESC resource;
    bool bound;
    struct cushim__tree_node by_address;
};

/*
 * Where the elements of a texture or surface are. Element (x, y, z) begins at
 * address + (z * rows + y) * pitch + x * element; mock__memory_bytes() knows where that is.
 */
struct mock__texels {
    uint64_t address;
    size_t width, rows, slices; /* 1 where there is no such dimension */
    size_t pitch;
    size_t element; /* bytes of one, all channels */
    CUarray_format format;
    unsigned channels;
    unsigned flags; /* CUDA_ARRAY3D_LAYERED and the like; 0 for linear memory */
};

/* Return the object of a handle, or NULL if there is none. */
const struct mock__texture *mock__texture_find(CUtexObject handle);
const struct mock__surface *mock__surface_find(CUsurfObject handle);

/*
 * A level of a resource; only mipmapped arrays have more than level 0.
 * CUDA_ERROR_INVALID_HANDLE if the program has destroyed the resource meanwhile; a kernel that
 * reads it faults.
 */
CUresult mock__texels_of(const CUDA_RESOURCE_DESC *resource, unsigned level,
                         struct mock__texels *ret_texels);

/* The descriptor of the resource's array, mipmapped or not. NULL if it is destroyed. */
const CUDA_ARRAY3D_DESCRIPTOR *mock__resource_descriptor(const CUDA_RESOURCE_DESC *resource);

/* Is the array of this resource one of the context? */
CUresult mock__resource_belongs(const struct mock__context *context,
                                const CUDA_RESOURCE_DESC *resource);

/* Tells whether a texture of the context can be made of this resource. A surface is made of an
 * array. */
CUresult mock__resource_check(const struct mock__context *context,
                              const CUDA_RESOURCE_DESC *resource);

/* Makes a reference for the variable at an address. NULL when out of memory. */
struct mock__texture_reference *mock__texture_reference_new(struct mock__context *context,
                                                            const struct mock__module *module,
                                                            uint64_t address);

/* Return the reference of the variable at an address, or NULL if there is none yet. */
struct mock__texture_reference *mock__texture_reference_at(uint64_t address);
struct mock__surface_reference *mock__surface_reference_at(uint64_t address);

void mock__texture_reference_free(struct mock__texture_reference *reference);

/* Destroys the references that are variables of a module. */
void mock__references_destroy(const struct mock__module *module);

/*
 * For the engine: finds an image by its handle, or by the address of a variable. False if there is
 * none. The first argument is not used.
 */
bool mock__image_find(void *unused, uint64_t handle, struct ptx__image *ret_image);

/* Destroys the textures, surfaces and texture references of a context. */
void mock__textures_destroy(const struct mock__context *context);

#endif
