/* SPDX-License-Identifier: MIT */
#include <cushim/link.h>

#include <string.h>

#include "base/params.h"
#include "core/code/code.h"
#include "core/code/image.h"
#include "core/code/jit.h"
#include "core/code/lto.h"
#include "core/code/tool.h"
#include "core/cu/cu_module.h"

/* The state of one call of cushim_link(), or of cushim_link_lto(). */
struct link {
    struct cushim__scope scope;
    struct cushim__jit jit;
    CUlinkState state;
    struct cushim__lto lto;
    bool uses_lto; /* it is cushim_link_lto() */
    const char *call;
};

/* Adds checked data. PTX ends with a NUL, which bytes does not count. */
static cushim_status add(struct link *link, enum cushim_link_kind kind, void *data, size_t bytes,
                         const char *name)
{
    if (link->uses_lto)
        return cushim__lto_add(&link->lto, kind, data, bytes, name);
    if (kind == CUSHIM_LINK_LTOIR)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, link->call, name,
                               "%s: '%s' is LTO-IR, which cushim_link_lto() links", link->call,
                               name ? name : "");
    return JIT_CALL(&link->scope, &link->jit, cuLinkAddData_v2,
                    (link->state, (int) kind, data, bytes + (kind == CUSHIM_LINK_PTX),
                     name ? name : "", 0, NULL, NULL));
}

static cushim_status add_image(struct link *link, const struct cushim_link_input *input)
{
    static const enum cushim_link_kind kinds[] = {[CUSHIM_IMAGE_PTX] = CUSHIM_LINK_PTX,
                                                  [CUSHIM_IMAGE_CUBIN] = CUSHIM_LINK_CUBIN,
                                                  [CUSHIM_IMAGE_LTOIR] = CUSHIM_LINK_LTOIR};
    struct cushim__image *image =
        cushim__handle_pin(input->image.id, CUSHIM__HANDLE_IMAGE, link->call);
    cushim_status status;

    if (!image)
        return cushim__error()->status;
    if (image->kind == CUSHIM_IMAGE_OPTIXIR)
        status = cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, link->call, image->name,
                                 "%s: '%s' is OptiX-IR, which only OptiX takes", link->call,
                                 image->name);
    else
        status = add(link, kinds[image->kind], image->bytes, image->n_bytes, image->name);
    cushim__handle_unpin(input->image.id);
    return status;
}

/*
 * Adds an input. PTX, cubins and fat binaries are checked as for modules; the linker checks the
 * others itself.
 */
static cushim_status add_bytes(struct link *link, const struct cushim_link_input *input)
{
    const int expected = input->kind == CUSHIM_LINK_PTX     ? CUSHIM__CODE_PTX
                         : input->kind == CUSHIM_LINK_CUBIN ? CUSHIM__CODE_CUBIN
                                                            : CUSHIM__CODE_FATBINARY;
    struct cushim__code code;
    cushim_status status;

    if (input->kind > CUSHIM_LINK_FATBINARY)
        return add(link, input->kind, (void *) (uintptr_t) input->data, input->bytes, input->name);
    CUSHIM_TRY(cushim__code_copy(input->data, input->bytes, input->name, link->call, &code));
    if ((int) code.kind == expected)
        status = add(link, input->kind, code.bytes, code.n_bytes, input->name);
    else
        status = cushim__fail_at(CUDA_ERROR_INVALID_IMAGE, link->call, input->name,
                                 "%s: '%s' is not of the kind that it is said to be", link->call,
                                 input->name ? input->name : "");
    cushim__code_finish(&code);
    return status;
}

static cushim_status add_input(struct link *link, const struct cushim_link_input *input)
{
    if (input->image.id)
        return add_image(link, input);
    if ((unsigned) input->kind > CUSHIM_LINK_LTOIR || !input->data)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, link->call, input->name,
                               "%s: an input has no data, or is of no known kind", link->call);
    return add_bytes(link, input);
}

static cushim_status add_inputs(struct link *link, const struct cushim_link_input *inputs,
                                size_t n_inputs)
{
    for (size_t i = 0; i < n_inputs; i++)
        CUSHIM_TRY(add_input(link, &inputs[i]));
    return CUSHIM_OK;
}

static cushim_status check_inputs(const struct cushim_link_input *inputs, size_t n_inputs,
                                  const char *call)
{
    if (!inputs || !n_inputs)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL, "%s: there are no inputs",
                               call);
    if (n_inputs > PTRDIFF_MAX / sizeof(*inputs))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                               "%s: %zu inputs, which are more than an array can have", call,
                               n_inputs);
    return CUSHIM_OK;
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
    CUSHIM_TRY(add_inputs(link, inputs, n_inputs));
    CUSHIM_TRY(JIT_CALL(&link->scope, &link->jit, cuLinkComplete, (link->state, &bytes, &n_bytes)));
    return keep(link, bytes, n_bytes, name, ret_image);
}

cushim_status cushim_link(cushim_context context, const struct cushim_link_input *inputs,
                          size_t n_inputs, const struct cushim_module_params *params,
                          cushim_image *ret_image)
{
    struct cushim_module_params given;
    struct link link = {.call = __func__};
    const char *name;
    cushim_status status;

    CHECK_OUTPUT(ret_image);
    CUSHIM_TRY(PARAMS_READ(cushim_module_params, n_options, params, &given));
    name = given.label ? given.label : "linked";
    CUSHIM_TRY(check_inputs(inputs, n_inputs, __func__));
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

static bool is_ltoir(const struct cushim_link_input *input)
{
    enum cushim_image_kind kind;

    if (!input->image.id)
        return input->kind == CUSHIM_LINK_LTOIR;
    /* add_inputs() reports a handle that is not valid. */
    return !cushim_image_kind(input->image, &kind) && kind == CUSHIM_IMAGE_LTOIR;
}

static cushim_status run_lto(struct link *link, const struct cushim_link_input *inputs,
                             size_t n_inputs, struct cushim__image **ret_image)
{
    for (size_t i = 0; i < n_inputs; i++)
        link->lto.optimises |= is_ltoir(&inputs[i]);
    CUSHIM_TRY(cushim__lto_begin(&link->lto));
    CUSHIM_TRY(add_inputs(link, inputs, n_inputs));
    return cushim__lto_complete(&link->lto, ret_image);
}

cushim_status cushim_link_lto(const struct cushim_link_input *inputs, size_t n_inputs,
                              const struct cushim_lto_params *params, cushim_image *ret_image)
{
    struct cushim_lto_params given;
    struct link link = {.call = __func__, .uses_lto = true};
    struct cushim__image *image = NULL;
    struct cushim__tool tool;
    cushim_status status;

    CHECK_OUTPUT(ret_image);
    CUSHIM_TRY(PARAMS_READ(cushim_lto_params, options, params, &given));
    CUSHIM_TRY(check_inputs(inputs, n_inputs, __func__));
    CUSHIM_TRY(cushim__tool_pin(CUSHIM_LIBRARY_NVJITLINK, given.nvjitlink.id, __func__, &tool));
    link.lto = (struct cushim__lto){.linker = tool.driver, .params = &given, .call = __func__};
    status = run_lto(&link, inputs, n_inputs, &image);
    cushim__lto_end(&link.lto);
    cushim__tool_unpin(&tool);
    CUSHIM_TRY(status);
    status = cushim__handle_create(CUSHIM__HANDLE_IMAGE, image, cushim__image_destroy, __func__,
                                   &ret_image->id);
    if (status)
        cushim__image_free(image);
    return status;
}
