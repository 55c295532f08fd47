/* SPDX-License-Identifier: MIT */
#include "base/params.h"

#include <stdbool.h>
#include <string.h>

#include "base/status.h"

/* No structure is larger in any version, so a larger size is not a size. */
enum { MOST_BYTES = 4096 };

static cushim_status fail_size(const char *call, const struct cushim__params_type *type,
                               size_t size)
{
    if (!size)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                               "%s: struct %s has no size: write %s(...) instead, or set .size to "
                               "sizeof(struct %s)",
                               call, type->name, type->name, type->name);
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                           "%s: .size of struct %s is %zu, it is sizeof(struct %s), %zu here", call,
                           type->name, size, type->name, type->bytes);
}

static bool is_zero(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i])
            return false;
    return true;
}

cushim_status cushim__params_read(const char *call, const struct cushim__params_type *type,
                                  const void *params, void *ret_copy)
{
    const unsigned char *bytes = params;
    size_t size = 0, known;

    memset(ret_copy, 0, type->bytes);
    memcpy(ret_copy, &type->bytes, sizeof(type->bytes));
    if (!params)
        return CUSHIM_OK;
    memcpy(&size, params, sizeof(size));
    if (size < type->first_bytes || size > MOST_BYTES)
        return fail_size(call, type, size);
    known = size < type->bytes ? size : type->bytes;
    if (!is_zero(bytes + known, size - known))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                               "%s: a field of struct %s is set that this version of cushim, "
                               "%d.%d.%d, does not have",
                               call, type->name, CUSHIM_VERSION_MAJOR, CUSHIM_VERSION_MINOR,
                               CUSHIM_VERSION_PATCH);
    memcpy((unsigned char *) ret_copy + sizeof(size), bytes + sizeof(size), known - sizeof(size));
    return CUSHIM_OK;
}

cushim_status cushim__params_write(const char *call, const struct cushim__params_type *type,
                                   const void *from, void *ret_params)
{
    size_t size = 0, known;

    memcpy(&size, ret_params, sizeof(size));
    if (size < type->first_bytes || size > MOST_BYTES)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                               "%s: .size of struct %s is %zu: set it to sizeof(struct %s) before",
                               call, type->name, size, type->name);
    known = size < type->bytes ? size : type->bytes;
    memset((unsigned char *) ret_params + known, 0, size - known);
    memcpy((unsigned char *) ret_params + sizeof(size), (const unsigned char *) from + sizeof(size),
           known - sizeof(size));
    return CUSHIM_OK;
}
