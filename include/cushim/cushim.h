/* SPDX-License-Identifier: MIT */
/*
 * cushim: CUDA for binaries that must also run on machines without CUDA.
 *
 * This header includes every public header that compiles without CUDA's headers, except mock.h,
 * which is for tests. Programs that call the driver directly also include table.h, and
 * nvrtc_table.h for NVRTC; these two need CUDA's headers.
 */
#ifndef CUSHIM_CUSHIM_H
#define CUSHIM_CUSHIM_H

#include <cushim/code_library.h>
#include <cushim/compile.h>
#include <cushim/context.h>
#include <cushim/device.h>
#include <cushim/driver.h>
#include <cushim/event.h>
#include <cushim/fault.h>
#include <cushim/function.h>
#include <cushim/graph.h>
#include <cushim/half.h>
#include <cushim/handle.h>
#include <cushim/interpose.h>
#include <cushim/launch.h>
#include <cushim/link.h>
#include <cushim/log.h>
#include <cushim/memory.h>
#include <cushim/module.h>
#include <cushim/object.h>
#include <cushim/pinned.h>
#include <cushim/report.h>
#include <cushim/rows.h>
#include <cushim/slice.h>
#include <cushim/status.h>
#include <cushim/stream.h>
#include <cushim/trace.h>
#include <cushim/unified.h>
#include <cushim/version.h>
#include <cushim/view.h>

#endif
