/* SPDX-License-Identifier: MIT */
#include "objects.h"
#include "rows.h"
#include "shapes.h"
#include "world.h"

const struct row rows_logs[] = {
    {"cuLogsRegisterCallback", NULL, {CALLBACK, POINTER, NEW_KNOWN}},
    {"cuLogsUnregisterCallback", NULL, {STRANGER}},
    {"cuLogsCurrent", NULL, {OUT(0), FLAGS(0, 2)}},
    {"cuLogsDumpToFile", NULL, {NOTHING, TEXT("sweep.log"), FLAGS(0, 2)}},
    {"cuLogsDumpToMemory", NULL, {NOTHING, OUT(0), IN_OUT(log_bytes), FLAGS(0, 2)}},
    {"cuCheckpointProcessGetRestoreThreadId", NULL, {CHOICE(0, 0, 1), OUT(0)}},
    {"cuCheckpointProcessGetState", NULL, {CHOICE(0, 0, 1), OUT(4)}},
    {0},
};
