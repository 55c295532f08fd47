/* SPDX-License-Identifier: MIT */
/* Running a kernel of a lowered module. */
#ifndef CUSHIM_MOCK_PTX_RUN_RUN_H
#define CUSHIM_MOCK_PTX_RUN_RUN_H

#include "mock/ptx/machine/run.h"

/* Runs a launch to its end. */
enum ptx__result ptx__run(struct ptx__launch *launch);

#endif
