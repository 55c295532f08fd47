/* SPDX-License-Identifier: MIT */
#include "mock/ptx/syntax/types.h"

static const struct {
    const char *name;
    unsigned char bits, class;
} types[PTX_N_TYPES] = {[PTX_NO_TYPE] = {"", 0, PTX_NO_CLASS},
#define T(name, text, bits, class) [PTX_##name] = {text, bits, PTX_##class},
                        PTX__TYPES(T)
#undef T
};

static const char *const spaces[PTX_N_SPACES] = {
    [PTX_NO_SPACE] = "",
    [PTX_REG] = "reg",
    [PTX_SREG] = "sreg",
    [PTX_CONST] = "const",
    [PTX_GLOBAL] = "global",
    [PTX_LOCAL] = "local",
    [PTX_PARAM] = "param",
    [PTX_PARAM_ENTRY] = "param::entry",
    [PTX_PARAM_FUNC] = "param::func",
    [PTX_SHARED] = "shared",
    [PTX_SHARED_CTA] = "shared::cta",
    [PTX_SHARED_CLUSTER] = "shared::cluster",
    [PTX_TEX] = "tex",
};

const char *ptx__type_name(enum ptx__type type)
{
    return types[type].name;
}

unsigned ptx__type_bits(enum ptx__type type)
{
    return types[type].bits;
}

enum ptx__type_class ptx__type_class(enum ptx__type type)
{
    return (enum ptx__type_class) types[type].class;
}

size_t ptx__type_bytes(enum ptx__type type)
{
    return type == PTX_PRED ? 0 : types[type].bits / 8;
}

const char *ptx__space_name(enum ptx__space space)
{
    return spaces[space];
}
