/* SPDX-License-Identifier: MIT */
#include <cushim/link.h>

#include <string.h>

#include "base/params.h"
#include "core/code/code.h"
#include "core/code/image.h"
#include "core/code/jit.h"
#include "core/cu/cu_module.h"

/* The state of one call of cushim_link(). */
struct link {
    struct cushim__scope scope;
    struct cushim__jit jit;
    CUlinkState state;
};

static cushim_status add(struct link *link, int kind, void *data, size_t bytes, const char *name)
{
    return JIT_CALL(&link->scope, &link->jit, cuLinkAddData_v2,
                    (link->state, kind, data, bytes, name ? name : "", 0, NULL, NULL));
}

static cushim_status add_image(struct link *link, const struct cushim_link_input *input)
{
    struct cushim__image *image =
        cushim__handle_pin(input->image.id, CUSHIM__HANDLE_IMAGE, link->scope.call);
    cushim_status status;

    if (!image)
        return cushim__error()->status;
    if (image->kind == CUSHIM_IMAGE_PTX)
        status = add(link, CU_JIT_INPUT_PTX, image->bytes, image->n_bytes + 1, image->name);
    else if (image->kind == CUSHIM_IMAGE_CUBIN)
        status = add(link, CU_JIT_INPUT_CUBIN, image->bytes, image->n_bytes, image->name);
    else
        status =
            cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, link->scope.call, image->name,
                            "%s: '%s' is neither PTX nor a cubin", link->scope.call, image->name);
    cushim__handle_unpin(input->image.id);
    return status;
}

/*
 * Adds an input. PTX, cubins and fat binaries are checked as for modules; the driver checks objects
 * and archives itself.
 */
static cushim_status add_bytes(struct link *link, const struct cushim_link_input *input)
{
    const int expected = input->kind == CUSHIM_LINK_PTX     ? CUSHIM__CODE_PTX
                         : input->kind == CUSHIM_LINK_CUBIN ? CUSHIM__CODE_CUBIN
                                                            : CUSHIM__CODE_FATBINARY;
    struct cushim__code code;
    cushim_status status;

    if (input->kind == CUSHIM_LINK_OBJECT || input->kind == CUSHIM_LINK_LIBRARY)
        return add(link, (int) input->kind, (void *) (uintptr_t) input->data, input->bytes,
                   input->name);
    if (!input->data)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, link->scope.call, input->name,
                               "%s: .data of '%s' is NULL", link->scope.call,
                               input->name ? input->name : "");
    CUSHIM_TRY(cushim__code_copy(input->data, input->bytes, input->name, link->scope.call, &code));
    if ((int) code.kind == expected)
        status = add(link, (int) input->kind, code.bytes,
                     code.n_bytes + (code.kind == CUSHIM__CODE_PTX), input->name);
    else
        status = cushim__fail_at(CUDA_ERROR_INVALID_IMAGE, link->scope.call, input->name,
                                 "%s: '%s' is not of the kind that it is said to be",
                                 link->scope.call, input->name ? input->name : "");
    cushim__code_finish(&code);
    return status;
}

static cushim_status add_input(struct link *link, const struct cushim_link_input *input)
{
    if (input->image.id)
        return add_image(link, input);
    if ((unsigned) input->kind > CUSHIM_LINK_LIBRARY || !input->data)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, link->scope.call, input->name,
                               "%s: an input has no data, or is of no known kind",
                               link->scope.call);
    return add_bytes(link, input);
}

/* Copies the result into an image, because the linker owns the bytes and frees them. */
static cushim_status keep(const struct link *link, const void *bytes, size_t n_bytes,
                          const char *name, cushim_image *ret_image)
{
    struct cushim__image *image = cushim__image_new();
    cushim_status status;

    if (image) {
        image->kind = CUSHIM_IMAGE_CUBIN;
        image->n_bytes = n_bytes;
        image->bytes = cushim__arena_alloc(&image->arena, n_bytes + 1);
        image->log = cushim__arena_printf(&image->arena, "%s", link->jit.info);
        image->name = cushim__arena_printf(&image->arena, "%s", name);
    }
    if (!image || image->arena.failed) {
        cushim__image_free(image);
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, link->scope.call, name,
                               "no memory for a linked image");
    }
    memcpy(image->bytes, bytes, n_bytes);
    status = cushim__handle_create(CUSHIM__HANDLE_IMAGE, image, cushim__image_destroy,
                                   link->scope.call, &ret_image->id);
    if (status)
        cushim__image_free(image);
    return status;
}

static cushim_status run(struct link *link, const struct cushim_link_input *inputs, size_t n_inputs,
                         const char *name, cushim_image *ret_image)
{
    void *bytes = NULL;
    size_t n_bytes = 0;

    CUSHIM_TRY(JIT_CALL(&link->scope, &link->jit, cuLinkCreate_v2,
                        (link->jit.n, link->jit.options, link->jit.values, &link->state)));
    for (size_t i = 0; i < n_inputs; i++)
        CUSHIM_TRY(add_input(link, &inputs[i]));
    CUSHIM_TRY(JIT_CALL(&link->scope, &link->jit, cuLinkComplete, (link->state, &bytes, &n_bytes)));
    return keep(link, bytes, n_bytes, name, ret_image);
}

cushim_status cushim_link(cushim_context context, const struct cushim_link_input *inputs,
                          size_t n_inputs, const struct cushim_module_params *params,
                          cushim_image *ret_image)
{
    struct cushim_module_params given;
    struct link link = {.state = NULL};
    const char *name;
    cushim_status status;

    CHECK_OUTPUT(ret_image);
    CUSHIM_TRY(PARAMS_READ(cushim_module_params, n_options, params, &given));
    name = given.label ? given.label : "linked";
    if (!inputs || !n_inputs)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: there are no inputs", __func__);
    if (n_inputs > PTRDIFF_MAX / sizeof(*inputs))
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "%s: %zu inputs, which are more than an array can have", __func__,
                            n_inputs);
    CUSHIM_TRY(cushim__jit_begin(&given, __func__, &link.jit));
    status = cushim__context_enter(context.id, __func__, &link.scope);
    if (!status) {
        link.scope.label = name;
        status = run(&link, inputs, n_inputs, name, ret_image);
        if (link.state)
            CU_FREE(&link.scope, cuLinkDestroy, (link.state));
        cushim__scope_leave(&link.scope, status);
    }
    cushim__jit_finish(&link.jit);
    return status;
}
