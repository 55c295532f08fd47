/* SPDX-License-Identifier: MIT */
/* Options and logs of the driver's compiler. */
#ifndef CUSHIM_CORE_CODE_JIT_H
#define CUSHIM_CORE_CODE_JIT_H

#include <cushim/module.h>

#include "core/object/scope.h"

enum { CUSHIM__JIT_OPTIONS = 24 };

/*
 * The arguments of cuModuleLoadDataEx() and similar functions, and the memory that they point to.
 */
struct cushim__jit {
    int *options;
    void **values;
    unsigned n;
    char *error, *info; /* the logs */
};

/* params may be NULL. On success, cushim__jit_finish() frees it. */
cushim_status cushim__jit_begin(const struct cushim_module_params *params, const char *call,
                                struct cushim__jit *ret_jit);
void cushim__jit_finish(struct cushim__jit *jit);

/*
 * Sets the thread's last error from the result of a call that got these options. If the call failed
 * and the compiler wrote a reason, the reason is the error text, and the log is kept.
 */
cushim_status cushim__jit_answer(const struct cushim__scope *scope, const struct cushim__jit *jit,
                                 int result, const char *name);

/*
 * JIT_CALL(scope, jit, cuLinkComplete, (...)) makes a driver call whose log may explain its error.
 */
#define JIT_CALL(scope, jit, name, args)                                                           \
    cushim__jit_answer(scope, jit, CU_FN((scope)->table, name) args, #name)

#endif
