/* SPDX-License-Identifier: MIT */
#include "objects.h"
#include "rows.h"
#include "shapes.h"
#include "world.h"

const struct row rows_external[] = {
    {"cuImportExternalMemory", NULL, {NEW_KNOWN, IN(external_memory)}},
    {"cuExternalMemoryGetMappedBuffer", NULL, {NEW_KNOWN, STRANGER, IN(external_buffer)}},
    {"cuExternalMemoryGetMappedMipmappedArray", NULL, {NEW_KNOWN, STRANGER, IN(external_mipmap)}},
    {"cuDestroyExternalMemory", NULL, {STRANGER}},
    {"cuImportExternalSemaphore", NULL, {NEW_KNOWN, IN(external_semaphore)}},
    {"cuSignalExternalSemaphoresAsync_ptsz",
     NULL,
     {IN(list_stranger), IN(external_signal), COUNT(1), STREAM}},
    {"cuWaitExternalSemaphoresAsync_ptsz",
     NULL,
     {IN(list_stranger), IN(external_wait), COUNT(1), STREAM}},
    {"cuDestroyExternalSemaphore", NULL, {STRANGER}},
    {"cuGraphicsUnregisterResource", NULL, {STRANGER}},
    {"cuGraphicsSubResourceGetMappedArray", NULL, {NEW_KNOWN, STRANGER, INDEX(0), INDEX(0)}},
    {"cuGraphicsResourceGetMappedMipmappedArray", NULL, {NEW_KNOWN, STRANGER}},
    {"cuGraphicsResourceGetMappedPointer_v2", NULL, {NEW_KNOWN, OUT(8), STRANGER}},
    {"cuGraphicsResourceSetMapFlags_v2", NULL, {STRANGER, FLAGS(0, 3)}},
    {"cuGraphicsMapResources_ptsz", NULL, {COUNT(1), IN(list_stranger), STREAM}},
    {"cuGraphicsUnmapResources_ptsz", NULL, {COUNT(1), IN(list_stranger), STREAM}},
    {"cuGraphicsResourceSetMapFlags", NULL, {STRANGER, FLAGS(0, 3)}},
    {"cuGraphicsResourceGetMappedPointer", NULL, {OUT(4), OUT(4), STRANGER}},
    {"cuGraphicsMapResources", NULL, {COUNT(1), IN(list_stranger), STREAM}},
    {"cuGraphicsUnmapResources", NULL, {COUNT(1), IN(list_stranger), STREAM}},
    {"cuSignalExternalSemaphoresAsync",
     NULL,
     {IN(list_stranger), IN(external_signal), COUNT(1), STREAM}},
    {"cuWaitExternalSemaphoresAsync",
     NULL,
     {IN(list_stranger), IN(external_wait), COUNT(1), STREAM}},
    {0},
};
