/* SPDX-License-Identifier: MIT */
/* struct cushim_nvrtc_api, by every name. */
#include <cushim/nvrtc_table.h>

#include <stddef.h>

#include "declared_nvrtc.h"
#include "hook.h"
#include "names_nvrtc.h"

_Static_assert(sizeof(struct cushim_nvrtc_api) == CUSHIM_NVRTC_ROWS * sizeof(cushim_entry),
               "one pointer a row");

#define ENTRY(name) (((struct cushim_nvrtc_api *) 0)->name)
#define SAME_TYPE(name)                                                                            \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), __typeof__(ENTRY(name))), #name);
DECLARED(SAME_TYPE)

#define PLACE(name) {#name, CUSHIM_ROW_##name, offsetof(struct cushim_nvrtc_api, name)},

static const struct {
    const char *name;
    unsigned row;
    size_t offset;
} places[] = {FAKE_NVRTC_NAMES(PLACE)};

int main(void)
{
    const struct cushim_nvrtc_api *api;
    cushim_nvrtc nvrtc = CUSHIM_NONE;
    int major = 0, minor = 0;

    CHECK_INT(cushim_nvrtc_open(cushim_open_params(.library = FAKE("nvrtc")), &nvrtc), CUSHIM_OK);
    api = cushim_nvrtc_table(nvrtc);
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        cushim_entry function;

        memcpy(&function, (const char *) api + places[i].offset, sizeof(function));
        check_int((long long) (places[i].offset / sizeof(function)), places[i].row, places[i].name,
                  __LINE__);
        check_int(fake_call(CUSHIM_LIBRARY_NVRTC, places[i].row, function),
                  FAKE_ROW + (int) places[i].row, places[i].name, __LINE__);
    }
    CHECK_INT(api->nvrtcVersion(&major, &minor), NVRTC_SUCCESS);
    CHECK_INT(1000 * major + 10 * minor, 12040);
    cushim_nvrtc_close(&nvrtc);
    return failures();
}
