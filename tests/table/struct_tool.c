/* SPDX-License-Identifier: MIT */
/*
 * struct cushim_nvrtc_api, or with -DOF_NVJITLINK struct cushim_nvjitlink_api, by every name.
 */
#include <stddef.h>

#ifdef OF_NVJITLINK
#include <cushim/nvjitlink_table.h>

#include "declared_nvjitlink.h"
#include "names_nvjitlink.h"

#define TOOL(before, after)  before##nvjitlink##after
#define UPPER(before, after) before##NVJITLINK##after
#define FAKE_FILE            FAKE("nvjitlink")
#define VERSION              nvJitLinkVersion
typedef unsigned version_part;
#else
#include <cushim/nvrtc_table.h>

#include "declared_nvrtc.h"
#include "names_nvrtc.h"

#define TOOL(before, after)  before##nvrtc##after
#define UPPER(before, after) before##NVRTC##after
#define FAKE_FILE            FAKE("nvrtc")
#define VERSION              nvrtcVersion
typedef int version_part;
#endif

#include "hook.h"

typedef struct TOOL(cushim_, _api) api_type;

_Static_assert(sizeof(api_type) == UPPER(CUSHIM_, _ROWS) * sizeof(cushim_entry),
               "one pointer a row");

#define ENTRY(name) (((api_type *) 0)->name)
#define SAME_TYPE(name)                                                                            \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), __typeof__(ENTRY(name))), #name);
DECLARED(SAME_TYPE)

#define PLACE(name) {#name, CUSHIM_ROW_##name, offsetof(api_type, name)},

static const struct {
    const char *name;
    unsigned row;
    size_t offset;
} places[] = {UPPER(FAKE_, _NAMES)(PLACE)};

int main(void)
{
    const api_type *api;
    TOOL(cushim_, ) tool = CUSHIM_NONE;
    version_part major = 0, minor = 0;

    CHECK_INT(TOOL(cushim_, _open)(cushim_open_params(.library = FAKE_FILE), &tool), CUSHIM_OK);
    api = TOOL(cushim_, _table)(tool);
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        cushim_entry function;

        memcpy(&function, (const char *) api + places[i].offset, sizeof(function));
        check_int((long long) (places[i].offset / sizeof(function)), places[i].row, places[i].name,
                  __LINE__);
        check_int(fake_call(UPPER(CUSHIM_LIBRARY_, ), places[i].row, function),
                  FAKE_ROW + (int) places[i].row, places[i].name, __LINE__);
    }
    CHECK_INT(api->VERSION(&major, &minor), 0);
    CHECK_INT((int) (1000 * major + 10 * minor), 12040);
    TOOL(cushim_, _close)(&tool);
    return failures();
}
