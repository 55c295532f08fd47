/* SPDX-License-Identifier: MIT */
/* What valgrind is told and asked, where its header was there when this was built. */
#ifndef CUSHIM_BASE_VALGRIND_H
#define CUSHIM_BASE_VALGRIND_H

#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif
#endif

#ifndef RUNNING_ON_VALGRIND
#define RUNNING_ON_VALGRIND                 0u
#define VALGRIND_STACK_REGISTER(begin, end) 0u
#define VALGRIND_STACK_DEREGISTER(id)       ((void) (id))
#endif

#endif
