/* SPDX-License-Identifier: MIT */
#include "objects.h"
#include "rows.h"
#include "shapes.h"
#include "world.h"

const struct row rows_events[] = {
    {"cuEventCreate", NULL, {NEW(destroy_event), FLAGS(0, 4)}},
    {"cuEventRecord_ptsz", NULL, {EVENT, STREAM}},
    {"cuEventRecordWithFlags_ptsz", NULL, {EVENT, STREAM, FLAGS(0, 2)}},
    {"cuEventQuery", NULL, {EVENT}},
    {"cuEventSynchronize", NULL, {EVENT}},
    {"cuEventDestroy_v2", NULL, {EVENT}},
    {"cuEventElapsedTime_v2", NULL, {OUT(0), RECORDED, RECORDED}},
    {"cuEventDestroy", NULL, {EVENT}},
    {"cuEventElapsedTime", NULL, {OUT(0), RECORDED, RECORDED}},
    {"cuEventRecord", NULL, {EVENT, STREAM}},
    {"cuEventRecordWithFlags", NULL, {EVENT, STREAM, FLAGS(0, 2)}},
    {0},
};
