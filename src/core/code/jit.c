/* SPDX-License-Identifier: MIT */
#include "core/code/jit.h"

#include <stdlib.h>

#include "core/code/image.h"
#include "core/cu/cu_module.h"

enum { LOG_BYTES = 32768 };

static void add(struct cushim__jit *jit, int option, uintptr_t value)
{
    jit->options[jit->n] = option;
    jit->values[jit->n] = (void *) value;
    jit->n++;
}

/* Adds an option unless its value is zero, which means that it is not given. */
static void add_if(struct cushim__jit *jit, int option, int value)
{
    if (value)
        add(jit, option, (uintptr_t) value);
}

/* The driver writes its messages into these buffers. Their sizes are values of the options, too. */
static void add_logs(struct cushim__jit *jit)
{
    add(jit, CU_JIT_ERROR_LOG_BUFFER, (uintptr_t) jit->error);
    add(jit, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, LOG_BYTES);
    add(jit, CU_JIT_INFO_LOG_BUFFER, (uintptr_t) jit->info);
    add(jit, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, LOG_BYTES);
}

static void add_fields(struct cushim__jit *jit, const struct cushim_module_params *params)
{
    add_if(jit, CU_JIT_MAX_REGISTERS, params->max_registers);
    add_if(jit, CU_JIT_THREADS_PER_BLOCK, params->threads_per_block);
    if (params->optimization_level)
        add(jit, CU_JIT_OPTIMIZATION_LEVEL, (uintptr_t) *params->optimization_level);
    add_if(jit, CU_JIT_TARGET, params->target);
    add_if(jit, CU_JIT_FALLBACK_STRATEGY, params->prefer_binary);
    add_if(jit, CU_JIT_GENERATE_DEBUG_INFO, params->debug_info);
    add_if(jit, CU_JIT_GENERATE_LINE_INFO, params->line_info);
    add_if(jit, CU_JIT_LOG_VERBOSE, params->verbose);
    add_if(jit, CU_JIT_CACHE_MODE, (int) params->cache);
    add_if(jit, CU_JIT_POSITION_INDEPENDENT_CODE, params->position_independent);
    add_if(jit, CU_JIT_MIN_CTA_PER_SM, params->min_blocks);
    add_if(jit, CU_JIT_MAX_THREADS_PER_BLOCK, params->max_threads_per_block);
    add_if(jit, CU_JIT_OVERRIDE_DIRECTIVE_VALUES, params->override_directives);
    for (size_t i = 0; i < params->n_options; i++)
        add(jit, params->options[i].option, params->options[i].value);
}

static cushim_status check(const struct cushim_module_params *params, const char *call)
{
    const int *level = params->optimization_level;

    if (level && (*level < 0 || *level > 4))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, params->label,
                               "%s: optimization_level is %d, not 0 to 4", call, *level);
    if (params->max_registers < 0 || params->threads_per_block < 0 || params->min_blocks < 0 ||
        params->max_threads_per_block < 0 || params->target < 0)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, params->label,
                               "%s: an option of the compiler is negative", call);
    if ((unsigned) params->cache > CUSHIM_JIT_CACHE_ALL)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, params->label,
                               "%s: cache is %d, which is no mode", call, (int) params->cache);
    if (params->n_options && !params->options)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, params->label,
                               "%s: options is NULL, and n_options is not 0", call);
    return CUSHIM_OK;
}

cushim_status cushim__jit_begin(const struct cushim_module_params *params, const char *call,
                                struct cushim__jit *ret_jit)
{
    struct cushim__jit jit = {.n = 0};
    size_t room;

    CUSHIM_TRY(check(params, call));
    room = CUSHIM__JIT_OPTIONS + params->n_options;
    jit.options = calloc(room, sizeof(*jit.options));
    jit.values = calloc(room, sizeof(*jit.values));
    /* One block holds both logs. */
    jit.error = calloc(2, LOG_BYTES);
    if (!jit.options || !jit.values || !jit.error) {
        cushim__jit_finish(&jit);
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, params->label,
                               "no memory for the log of a compiler");
    }
    jit.info = jit.error + LOG_BYTES;
    add_logs(&jit);
    add_fields(&jit, params);
    *ret_jit = jit;
    return CUSHIM_OK;
}

void cushim__jit_finish(struct cushim__jit *jit)
{
    free(jit->options);
    free(jit->values);
    free(jit->error);
}

cushim_status cushim__jit_answer(const struct cushim__scope *scope, const struct cushim__jit *jit,
                                 int result, const char *name)
{
    char line[512];

    /* A driver can fail without a message. Then the result alone must be enough. */
    if (!result || !*jit->error)
        return cushim__check_result(scope, result, name);
    cushim__fail_at(result, name, scope->label, "%s: %s: %s", scope->call,
                    scope->label ? scope->label : "the module",
                    cushim__log_first_error(jit->error, line, sizeof(line)));
    cushim__error_add_log(jit->error);
    return result;
}
