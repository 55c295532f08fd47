/* SPDX-License-Identifier: MIT */
/*
 * cushim: CUDA for binaries that must also run on machines without CUDA.
 *
 * This header includes every public header that compiles without CUDA's headers, except mock.h,
 * which is for tests. Programs that call the driver directly also include table.h, and
 * nvrtc_table.h and nvjitlink_table.h for NVRTC and nvJitLink; these three need CUDA's headers.
 *
 * The headers are C11 and C++11, with extensions that gcc and clang have. No warning comes from
 * their macros, with -Wall, -Wextra and -Wpedantic.
 *
 * The safe layer works with drivers of CUDA 11.0 and later. Some parts need a later one:
 *
 *   11.1   cushim_graph_upload() (graph.h)
 *   11.2   memory pools (pool.h); before that, slices use cuMemAlloc() and cuMemFree() (slice.h)
 *   11.4   graphs (graph.h, node.h)
 *   11.6   cushim_graph_set_enabled() (node.h)
 *   11.6   launch options other than cooperative launches and timing (launch.h)
 *   11.8   clusters, and the numbers of clusters that fit (function.h)
 *   11.8   the priority of a stream that exists (stream_attributes.h)
 *   12.0   code libraries (code_library.h)
 *   12.0   synchronisation domains (stream_attributes.h, launch.h)
 *   12.1   cushim_context_set_flags() (context.h)
 *   12.3   .max_bytes of a pool (pool.h), conditional nodes (condition.h)
 *   12.4   the kernels of a module and the layout of their parameters (module.h, function.h)
 *   12.8   else-bodies and switches (condition.h)
 *
 * With an older driver such a call fails with a sentence that names the version. The headers in
 * parentheses say more.
 *
 * A program runs with the shared library of any later version of the same soname. Functions are
 * added and never changed, and so are values of enumerations. A structure of parameters, which a
 * function takes by address, begins with its size, and later versions add fields at its end. Its
 * macro, such as cushim_stream_params(), sets the size. A function refuses a structure without a
 * size, and one that sets a field which only later versions know. The other structures keep their
 * layout.
 */
#ifndef CUSHIM_CUSHIM_H
#define CUSHIM_CUSHIM_H

#include <cushim/arena.h>
#include <cushim/code_library.h>
#include <cushim/compile.h>
#include <cushim/condition.h>
#include <cushim/context.h>
#include <cushim/device.h>
#include <cushim/driver.h>
#include <cushim/embedded.h>
#include <cushim/event.h>
#include <cushim/external.h>
#include <cushim/fault.h>
#include <cushim/field.h>
#include <cushim/function.h>
#include <cushim/future.h>
#include <cushim/graph.h>
#include <cushim/graph_view.h>
#include <cushim/half.h>
#include <cushim/handle.h>
#include <cushim/interpose.h>
#include <cushim/launch.h>
#include <cushim/link.h>
#include <cushim/log.h>
#include <cushim/memory.h>
#include <cushim/module.h>
#include <cushim/node.h>
#include <cushim/object.h>
#include <cushim/op.h>
#include <cushim/output.h>
#include <cushim/pinned.h>
#include <cushim/policy.h>
#include <cushim/pool.h>
#include <cushim/report.h>
#include <cushim/rows.h>
#include <cushim/share.h>
#include <cushim/slice.h>
#include <cushim/status.h>
#include <cushim/stream.h>
#include <cushim/stream_attributes.h>
#include <cushim/trace.h>
#include <cushim/unified.h>
#include <cushim/version.h>
#include <cushim/view.h>

#endif
