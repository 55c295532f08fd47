/* SPDX-License-Identifier: MIT */
#include "objects.h"
#include "rows.h"
#include "shapes.h"
#include "world.h"

const struct row rows_modules[] = {
    {"cuModuleLoad", NULL, {NEW(destroy_module), TEXT(IMAGE_FILE)}},
    {"cuModuleLoadData", NULL, {NEW(destroy_module), IMAGE}},
    {"cuModuleLoadDataEx",
     NULL,
     {NEW(destroy_module), IMAGE, COUNT(1), IN(list_option), IN(list_option_value)}},
    {"cuModuleLoadFatBinary", NULL, {NEW(destroy_module), IMAGE}},
    {"cuModuleUnload", NULL, {MODULE}},
    {"cuModuleGetLoadingMode", NULL, {OUT(4)}},
    {"cuModuleGetFunction", NULL, {NEW_KNOWN, MODULE, TEXT("store")}},
    {"cuModuleGetFunctionCount", NULL, {OUT(4), MODULE}},
    {"cuModuleEnumerateFunctions", NULL, {NEW_KNOWN, CHOICE(1, 0, 4), MODULE}},
    {"cuModuleGetGlobal_v2", NULL, {NEW_KNOWN, OUT(8), MODULE, TEXT("gvar")}},
    {"cuLinkCreate_v2",
     NULL,
     {COUNT(1), IN(list_option), IN(list_option_value), NEW(destroy_link)}},
    {"cuLinkAddData_v2",
     NULL,
     {LINK, CHOICE(1, 0, 6), IMAGE, IMAGE_BYTES, TEXT("name"), COUNT(1), IN(list_option),
      IN(list_option_value)}},
    {"cuLinkAddFile_v2",
     NULL,
     {LINK, CHOICE(1, 0, 6), TEXT(IMAGE_FILE), COUNT(1), IN(list_option), IN(list_option_value)}},
    {"cuLinkComplete", NULL, {FILLED_LINK, NEW_KNOWN, OUT(0)}},
    {"cuLinkDestroy", NULL, {LINK}},
    {"cuModuleGetTexRef", NULL, {NEW_KNOWN, MODULE, TEXT("tex")}},
    {"cuModuleGetSurfRef", NULL, {NEW_KNOWN, MODULE, TEXT("surf")}},
    {"cuLinkCreate", NULL, {COUNT(1), IN(list_option), IN(list_option_value), NEW(destroy_link)}},
    {"cuLinkAddData",
     NULL,
     {LINK, CHOICE(1, 0, 6), IMAGE, IMAGE_BYTES, TEXT("name"), COUNT(1), IN(list_option),
      IN(list_option_value)}},
    {"cuLinkAddFile",
     NULL,
     {LINK, CHOICE(1, 0, 6), TEXT(IMAGE_FILE), COUNT(1), IN(list_option), IN(list_option_value)}},
    {"cuModuleGetGlobal", NULL, {OUT(4), OUT(4), MODULE, TEXT("gvar")}},
    {0},
};
