/* SPDX-License-Identifier: MIT */
#include "objects.h"
#include "rows.h"
#include "shapes.h"
#include "world.h"

const struct row rows_green[] = {
    {"cuGreenCtxCreate", NULL, {NEW(destroy_green), SM_DESC, DEVICE, FLAGS(1, 2)}, SLOW},
    {"cuGreenCtxDestroy", NULL, {GREEN}, SLOW},
    {"cuGreenCtxGetDevResource", NULL, {GREEN, OUT(0), CHOICE(1, 0, 3)}},
    {"cuDevSmResourceSplitByCount",
     NULL,
     {OUT(0), IN_OUT(groups_wanted), IN(sm_resource), OUT(0), FLAGS(0, 3), NUMBER(8)}},
    {"cuDevResourceGenerateDesc", NULL, {NEW_KNOWN, IN(sm_resource), COUNT(1)}},
    {"cuGreenCtxRecordEvent", NULL, {GREEN, EVENT}},
    {"cuGreenCtxWaitEvent", NULL, {GREEN, EVENT}},
    {"cuGreenCtxStreamCreate", NULL, {NEW(destroy_stream), GREEN, FLAGS(1, 2), CHOICE(0, 0, 1)}},
    {"cuGreenCtxGetId", NULL, {GREEN, OUT(0)}},
    {0},
};
