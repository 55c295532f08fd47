/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "mock/base/state.h"
#include "mock/launch/launch.h"
#include "mock/module/module.h"

/* The largest alignment of parameters: a tensor map needs 64. */
#define ALIGNMENT ((size_t) 128)

/* The buffer that `extra` describes. */
struct buffer {
    const void *bytes;
    const size_t *size;
};

static CUresult read_extra(void **extra, struct buffer *buffer)
{
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer->bytes = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            buffer->size = extra[1];
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

static CUresult copy_buffer(const struct mock__entry *entry, const struct buffer *buffer,
                            unsigned char *values)
{
    MOCK__REQUIRE(buffer->bytes, CUDA_ERROR_INVALID_VALUE);
    /* Missing bytes are zeros. */
    MOCK__REQUIRE(*buffer->size <= entry->parameter_bytes, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    memcpy(values, buffer->bytes, *buffer->size);
    return CUDA_SUCCESS;
}

static CUresult copy_params(const struct mock__entry *entry, void **params, unsigned char *values)
{
    MOCK__REQUIRE(params || !entry->n_parameters, CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < entry->n_parameters; i++) {
        const struct mock__parameter *parameter = &entry->parameters[i];

        MOCK__REQUIRE(params[i], CUDA_ERROR_INVALID_VALUE);
        memcpy(values + parameter->offset, params[i], parameter->size);
    }
    return CUDA_SUCCESS;
}

CUresult mock__arguments_read(const struct mock__function *function, void **params, void **extra,
                              void ***ret_values)
{
    const struct mock__entry *entry = function->entry;
    const size_t list_bytes = (entry->n_parameters * sizeof(void *) + ALIGNMENT) & ~(ALIGNMENT - 1);
    const size_t value_bytes = (entry->parameter_bytes + ALIGNMENT) & ~(ALIGNMENT - 1);
    struct buffer buffer = {.bytes = NULL};
    void **values;
    unsigned char *bytes;
    CUresult result;

    if (extra)
        MOCK__TRY(read_extra(extra, &buffer));
    /* Only the size makes a buffer of what `extra` lists. */
    MOCK__REQUIRE(!params || !buffer.size, CUDA_ERROR_INVALID_VALUE);
    values = aligned_alloc(ALIGNMENT, list_bytes + value_bytes);
    MOCK__REQUIRE(values, CUDA_ERROR_OUT_OF_MEMORY);
    bytes = (unsigned char *) values + list_bytes;
    memset(bytes, 0, value_bytes);
    for (size_t i = 0; i < entry->n_parameters; i++)
        values[i] = bytes + entry->parameters[i].offset;
    result = buffer.size ? copy_buffer(entry, &buffer, bytes) : copy_params(entry, params, bytes);
    if (result != CUDA_SUCCESS) {
        free(values);
        return result;
    }
    *ret_values = values;
    return CUDA_SUCCESS;
}
