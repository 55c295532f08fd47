/* SPDX-License-Identifier: MIT */
/* Options and logs of the driver's compiler. */
#ifndef CUSHIM_CORE_CODE_JIT_H
#define CUSHIM_CORE_CODE_JIT_H

#include <cushim/module.h>

#include "core/object/scope.h"

enum { CUSHIM__JIT_OPTIONS = 24 };

/* What cuModuleLoadDataEx() and its like take, and the memory that it leads to. */
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
 * A result of a call that got these options, for the thread's last error: where it failed and
 * the compiler said why, that is the sentence, and the log is kept.
 */
cushim_status cushim__jit_answer(const struct cushim__scope *scope, const struct cushim__jit *jit,
                                 int result, const char *name);

/* JIT_CALL(scope, jit, cuLinkComplete, (...)): a driver call whose log may say more. */
#define JIT_CALL(scope, jit, name, args)                                                           \
    cushim__jit_answer(scope, jit, CU_FN((scope)->table, name) args, #name)

#endif
