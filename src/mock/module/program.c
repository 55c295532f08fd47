/* SPDX-License-Identifier: MIT */
#include "mock/module/program.h"

#include <stdlib.h>

#include "mock/allocation/memory.h"
#include "mock/base/hint.h"
#include "mock/base/state.h"
#include "mock/module/kernels.h"
#include "mock/module/module.h"
#include "mock/ptx/lower/message.h"
#include "mock/ptx/lower/program.h"
#include "mock/ptx/machine/heap.h"

CUresult mock__program_make(struct mock__module *module, struct ptx__log *log)
{
    struct mock__program *program = calloc(1, sizeof(*program));
    enum ptx__status status;

    MOCK__REQUIRE(program, CUDA_ERROR_OUT_OF_MEMORY);
    module->program = program;
    program->messages = ptx__has_messages(&module->ptx.module);
    status = ptx__lower(&module->ptx.module, log, &program->code);
    module->ptx.unread = status == PTX_REFUSED && mock__all_replaced(&module->ptx);
    if (status == PTX_OK || module->ptx.unread)
        return CUDA_SUCCESS;
    MOCK__REQUIRE(status == PTX_REFUSED, CUDA_ERROR_OUT_OF_MEMORY);
    mock__hint(MOCK__HINT_REFUSED,
               "a module is refused, as not all of it is executed here: %s; `cushim ptx` tells all "
               "that is not, and replacement kernels may be registered (CUSHIM_MOCK_KERNELS)",
               mock__first_error(log));
    return CUDA_ERROR_NOT_SUPPORTED;
}

void mock__program_free(struct mock__module *module)
{
    struct mock__program *program = module->program;

    if (!program)
        return;
    ptx__heap_free(program->heap);
    if (program->heap_memory)
        mock__memory_free(program->heap_memory);
    if (program->workspace)
        mock__memory_free(program->workspace);
    ptx__heap_free(program->launch_heap);
    if (program->launch_memory)
        mock__memory_free(program->launch_memory);
    ptx__program_free(program->code);
    free(program);
}

bool mock__program_messages(const struct mock__module *module)
{
    return !module->program || module->program->messages;
}
